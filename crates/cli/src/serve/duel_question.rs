//! A question about a duel, read with a word for everything that is wrong.

use maxtile_game::{Board, DuelRules, Shape, Tiles, Variant};
use maxtile_lab::protocol::LimitFields;
use maxtile_solve::Aim;
use serde_json::{Map, Value};

use super::analyse;
use super::players::EXACT;
use super::refuse::Refused;
use super::tables::{Readiness, Tables};

/// Whose turn it is, and what may be placed if it is the attacker's.
#[derive(Clone, Copy)]
pub(super) enum Turn {
    Attacker(Tiles),
    Defender,
}

/// Which position, of which duel, asked of whom, with how much effort.
pub(super) struct Question {
    pub(super) rules: DuelRules,
    pub(super) board: Board,
    pub(super) turn: Turn,
    agent: Option<String>,
    pub(super) limits: LimitFields,
}

/// Where chance comes in: which numbers are drawn, and how often a tile is placed in enmity.
#[derive(Clone, Copy)]
pub(super) struct Draw {
    pub(super) seed: u64,
    pub(super) ply: u64,
    pub(super) hostility: f64,
}

/// Who is asked when nobody says: who knows the board, or else who searches the duel.
pub(super) fn usual_duelist(rules: DuelRules, tables: &Tables) -> &'static str {
    let known = Tables::shape(&rules.shape.to_string()).is_ok();
    if known && tables.readiness(rules.shape, Aim::duel(rules.variant)) == Readiness::Ready {
        EXACT
    } else if rules.shape == Shape::CLASSIC {
        "alphabeta(depth=5)"
    } else {
        // The network inside the program knows the ordinary board only.
        "alphabeta(net=heuristic, depth=5)"
    }
}

impl Question {
    pub(super) fn read(mut fields: Map<String, Value>) -> Result<Question, Refused> {
        let variant = variant(&mut fields)?;
        let turn = fields.remove("turn").unwrap_or_default();
        let tile = fields.remove("tile").unwrap_or_default();
        let known = ["rules", "position", "agent", "limits"];
        if let Some(name) = fields.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(Refused::field(name.clone(), format!("there is no field {name}")));
        }
        let query = analyse::read(&fields)?;
        let rules = DuelRules { shape: query.rules.shape, variant, law: query.rules.law };
        let board = query.turns[0].1;
        let turn = match turn.as_str() {
            Some("defender") => Turn::Defender,
            Some("attacker") => Turn::Attacker(tiles(variant, &tile)?),
            _ => return Err(Refused::field("turn", "turn is attacker or defender")),
        };
        match turn {
            Turn::Defender if !tile.is_null() => {
                return Err(Refused::field("tile", "tile goes with the attacker's turn"));
            }
            Turn::Attacker(tiles) => {
                let afterstate = board.grid().into();
                let possible = |spawn| maxtile_game::Afterstate::spawn(afterstate, spawn).is_ok();
                if !tiles.placements(afterstate).any(possible) {
                    let why = "there is no room for another tile";
                    return Err(Refused::field("position", why));
                }
            }
            Turn::Defender => {}
        }
        Ok(Question { rules, board, turn, agent: query.agent, limits: query.limits })
    }

    /// The text of the agent who answers.
    pub(super) fn agent(&self, tables: &Tables) -> String {
        let usual = || usual_duelist(self.rules, tables).to_owned();
        self.agent.as_deref().map_or_else(usual, |text| text.trim().to_owned())
    }
}

/// The field `variant` of the rules, which the rest of the protocol does not know.
fn variant(fields: &mut Map<String, Value>) -> Result<Variant, Refused> {
    let rules = fields.get_mut("rules").and_then(Value::as_object_mut);
    match rules.and_then(|rules| rules.remove("variant")) {
        None | Some(Value::Null) => Ok(Variant::default()),
        Some(Value::String(text)) => text.parse().map_err(|cause| Refused::field("rules", cause)),
        Some(_) => Err(Refused::field("rules", "the variant is free, drawn or twos")),
    }
}

fn tiles(variant: Variant, tile: &Value) -> Result<Tiles, Refused> {
    match (variant, tile.as_u64()) {
        (Variant::Free, None) if tile.is_null() => Ok(Tiles::Any),
        (Variant::Twos, None) if tile.is_null() => Ok(Tiles::Two),
        (Variant::Drawn | Variant::Twos, Some(2)) => Ok(Tiles::Two),
        (Variant::Drawn, Some(4)) => Ok(Tiles::Four),
        (Variant::Drawn, _) => {
            Err(Refused::field("tile", "tile says what was drawn for the attacker: 2 or 4"))
        }
        (Variant::Free, _) => Err(Refused::field("tile", "tile goes with the variant drawn")),
        (Variant::Twos, _) => Err(Refused::field("tile", "tile is 2 in the variant twos")),
    }
}

/// Takes what is about chance out of the fields.
pub(super) fn draw(fields: &mut Map<String, Value>) -> Result<Draw, Refused> {
    let mut take = |name: &str| fields.remove(name).filter(|value| !value.is_null());
    let seed = match take("seed") {
        None => crate::watch::fresh(),
        Some(value) => {
            let text = value.as_str().unwrap_or_default();
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let seed = if digits { text.parse().ok() } else { None };
            seed.ok_or_else(|| {
                Refused::field("seed", "a seed is the digits of a number below 2^64, as a text")
            })?
        }
    };
    let ply = take("ply").map_or(Some(0), |ply| ply.as_u64());
    let ply = ply.ok_or_else(|| Refused::field("ply", "ply is a whole number from 0 on"))?;
    let hostility = take("hostility").map_or(Some(1.0), |share| share.as_f64());
    let hostility = hostility.filter(|share| (0.0..=1.0).contains(share));
    let hostility =
        hostility.ok_or_else(|| Refused::field("hostility", "hostility lies between 0 and 1"))?;
    Ok(Draw { seed, ply, hostility })
}
