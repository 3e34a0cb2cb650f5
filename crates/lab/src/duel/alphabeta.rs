//! The agent `alphabeta`: the search of the duel, on either side, and in the ordinary game as if
//! every tile were placed by an enemy.

use std::path::Path;
use std::sync::Arc;

use maxtile_game::Variant;
use maxtile_ntuple::DuelNetwork;
use maxtile_search::{
    Answered, Chance, Dial, DuelSearch, DuelSettings, DuelValue, LeafRule, Limits, MAX_DUEL_DEPTH,
    WHOLE_GAME,
};

use super::agent::MakeDuelist;
use crate::arguments::Arguments;
use crate::catalog::{AgentKind, Kind, Make, Parameter};
use crate::error::{AgentError, AgentProblem};
use crate::value::{AnyNetwork, BUILT_IN, open_duel, open_network};

pub(crate) const ALPHABETA: AgentKind = AgentKind {
    name: "alphabeta",
    meaning: "searches the duel: every tile is placed where it harms most",
    parameters: &[
        Parameter {
            name: "net",
            meaning: "what positions are worth: of the duel, or of the ordinary game",
            kind: Kind::Net,
            default: Some("default"),
        },
        Parameter {
            name: "depth",
            meaning: "slides and placements; 63 for the whole game, 0 for as many as time or nodes allow, \
                      or 3 without those",
            kind: Kind::Whole(0, WHOLE_GAME as u64),
            default: Some("0"),
        },
        Parameter {
            name: "eval",
            meaning: "whose value judges where the depth ends: paper is who moved last",
            kind: Kind::Choice(&["paper", "defender", "attacker"]),
            default: Some("paper"),
        },
        Parameter {
            name: "hostility",
            meaning: "how often a tile is placed by the search, else by chance",
            kind: Kind::Number(0.0, 1.0),
            default: Some("1"),
        },
        Parameter {
            name: "time",
            meaning: "time for a ply, such as 10ms; 0 for no limit",
            kind: Kind::Time,
            default: Some("0"),
        },
        Parameter {
            name: "nodes",
            meaning: "positions judged for a ply; 0 for no limit",
            kind: Kind::Whole(0, u64::MAX),
            default: Some("0"),
        },
        Parameter {
            name: "table",
            meaning: "megabytes of the transposition table of each thread of play",
            kind: Kind::Whole(0, 1 << 20),
            default: Some("16"),
        },
        Parameter {
            name: "ordering",
            meaning: "are plies tried in the order of their judgement?",
            kind: Kind::Choice(&["on", "off"]),
            default: Some("on"),
        },
        Parameter {
            name: "wide",
            meaning: "are the last two plies judged at once?",
            kind: Kind::Choice(&["off", "on"]),
            default: Some("off"),
        },
    ],
    side_by_side: 1,
    build: |arguments| {
        let make = search(arguments, Variant::Free)?;
        let make: Make = Arc::new(move || Box::new(make()));
        Ok(make)
    },
};

type Value = Arc<dyn DuelValue>;
type MakeSearch = Arc<dyn Fn() -> DuelSearch<Value> + Send + Sync>;

/// The player of a duel.
pub(super) fn duelist(
    arguments: &Arguments<'_>,
    variant: Variant,
) -> Result<MakeDuelist, AgentError> {
    let make = search(arguments, variant)?;
    let hostility = arguments.number("hostility")?;
    let chance = Chance(arguments.rules().law);
    if hostility >= 1.0 {
        return Ok(Arc::new(move || Box::new(make())));
    }
    Ok(Arc::new(move || Box::new(Dial { hostility, chance, player: make() })))
}

fn search(arguments: &Arguments<'_>, variant: Variant) -> Result<MakeSearch, AgentError> {
    let value = value(arguments)?;
    let time = arguments.time("time")?;
    let nodes = Some(arguments.whole("nodes")?).filter(|nodes| *nodes > 0);
    let depth = match arguments.whole("depth")? {
        0 if time.is_none() && nodes.is_none() => 3,
        0 => MAX_DUEL_DEPTH,
        depth => depth as u8,
    };
    let leaves = arguments.choice("eval")?.parse().unwrap_or(LeafRule::Paper);
    let settings = DuelSettings {
        variant,
        law: arguments.rules().law,
        leaves,
        limits: Limits { nodes, time, depth, ..Limits::depth(1) },
        table: (arguments.whole("table")? as usize) << 20,
        ordering: arguments.choice("ordering")? == "on",
        wide: arguments.choice("wide")? == "on",
    };
    let make = move |settings| DuelSearch::new(Arc::clone(&value), settings);
    // The memory is there, or is not, before the first game.
    make(settings).map_err(|cause| AgentProblem::CannotOpen {
        what: format!("a table of {} MB", settings.table >> 20),
        why: cause.to_string(),
    })?;
    Ok(Arc::new(move || match make(settings) {
        Ok(search) => search,
        // Another thread got the last of the memory: slower, but with the same result.
        Err(_) => make(DuelSettings { table: 0, ..settings }).expect("needs no memory"),
    }))
}

/// A network of the duel, or a pair of them, judges both kinds of position; any other value judges
/// slides, and placements by the best answer.
fn value(arguments: &Arguments<'_>) -> Result<Value, AgentError> {
    if let Some(word) = arguments.word("net")?
        && BUILT_IN.iter().all(|value| value.name != word)
        && Path::new(&word).extension().is_none_or(|end| end != "mts")
    {
        let (path, shape) = (Path::new(&word), arguments.rules().shape);
        let pair = open_duel(path).map_err(|why| arguments.refused("net", why))?;
        if let Some(pair) = pair.filter(|pair| pair.shape() == shape) {
            return Ok(Arc::new(pair));
        }
        if let Ok(AnyNetwork::Learned(network)) = open_network(path)
            && network.shape() == shape
        {
            let network = Arc::new(network);
            return Ok(match DuelNetwork::new(Arc::clone(&network)) {
                Some(duel) => Arc::new(duel),
                None => Arc::new(Answered(network)),
            });
        }
    }
    Ok(Arc::new(Answered(arguments.net("net")?)))
}
