//! A question about positions, read from a line of JSON with a word for everything that is wrong.

use std::time::Duration;

use maxtile_game::{Board, Move, Rules, Shape, Spawn, SpawnLaw};
use maxtile_search::{Limits, MAX_DEPTH};
use serde_json::{Map, Value};

use super::answer::Refusal;
use crate::nearest::nearest;

/// The fields of a query.
const FIELDS: [&str; 10] = [
    "id",
    "rules",
    "position",
    "start",
    "plies",
    "turns",
    "agent",
    "limits",
    "report_every",
    "spawns",
];
/// Those of its rules.
const RULES: [&str; 2] = ["size", "p4"];
/// A game longer than this is refused: no 4x4 game is.
const MAX_PLIES: usize = 200_000;

/// A question: which positions, asked of whom, with how much effort.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Comes back in every answer.
    pub id: Value,
    /// Board and spawns.
    pub rules: Rules,
    /// The positions asked about, with the number of their turn.
    pub turns: Vec<(usize, Board)>,
    /// The agent's text, if it is not to be the usual one.
    pub agent: Option<String>,
    /// The effort, if it is not to be the agent's own.
    pub limits: LimitFields,
    /// How often to report before the end.
    pub report_every: Option<Duration>,
    /// Are the spawns after the best move wanted?
    pub spawns: bool,
    /// What was not understood but does no harm.
    pub warnings: Vec<String>,
}

/// The field `limits`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitFields {
    /// Plies.
    pub depth: Option<u8>,
    /// Afterstates judged.
    pub nodes: Option<u64>,
    /// Time.
    pub time: Option<Duration>,
}

impl LimitFields {
    /// The limits of a search that takes no longer than `most`; `None` when nothing was said.
    pub fn limits(&self, most: Duration) -> Option<Limits> {
        if *self == LimitFields::default() {
            return None;
        }
        let depth = self.depth.unwrap_or(MAX_DEPTH);
        let time = Some(self.time.map_or(most, |time| time.min(most)));
        Some(Limits { nodes: self.nodes, time, ..Limits::depth(depth) })
    }
}

impl Query {
    /// Reads a line.
    pub fn parse(line: &[u8]) -> Result<Query, Refusal> {
        let value: Value = serde_json::from_slice(line)
            .map_err(|cause| Refusal::new(Value::Null, "query", format!("not JSON: {cause}")))?;
        let Value::Object(fields) = value else {
            return Err(Refusal::new(Value::Null, "query", "a query is a JSON object".to_owned()));
        };
        let id = match fields.get("id") {
            Some(id) if good_id(id) => id.clone(),
            Some(_) => return Err(Refusal::new(Value::Null, "id", BAD_ID.to_owned())),
            None => {
                return Err(Refusal::new(Value::Null, "id", "every query needs an id".to_owned()));
            }
        };
        Query::of(&fields, id)
    }

    /// Reads the fields of a query whose id is known, or `null` where it needs none.
    pub fn of(fields: &Map<String, Value>, id: Value) -> Result<Query, Refusal> {
        Reader { fields }.query(&id).map_err(|(field, why)| Refusal::new(id, field, why))
    }
}

/// What an id that is not good should be.
pub const BAD_ID: &str = "an id is a string or a whole number of at most 64 bits";

/// Does this id come back as it was? Other numbers are rounded.
pub fn good_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}

/// What is wrong with which field.
type Problem = (&'static str, String);

struct Reader<'a> {
    fields: &'a Map<String, Value>,
}

impl Reader<'_> {
    fn query(&self, id: &Value) -> Result<Query, Problem> {
        let (rules, turns) = self.positions()?;
        Ok(Query {
            id: id.clone(),
            rules,
            turns: self.wanted(&turns)?,
            agent: self.text("agent")?.map(str::to_owned),
            limits: self.limits()?,
            report_every: milliseconds(self.fields.get("report_every"), "report_every")?,
            spawns: match self.fields.get("spawns") {
                None | Some(Value::Null) => false,
                Some(Value::Bool(wanted)) => *wanted,
                Some(_) => return Err(("spawns", "spawns is true or false".to_owned())),
            },
            warnings: self.warnings(),
        })
    }

    /// Rules and all positions of the game.
    fn positions(&self) -> Result<(Rules, Vec<Board>), Problem> {
        let law = self.law()?;
        let read = |field: &'static str| -> Result<Option<Board>, Problem> {
            let text = self.text(field)?;
            text.map(|text| text.parse().map_err(|cause| (field, format!("{cause}")))).transpose()
        };
        let (start, field) = match (read("position")?, read("start")?) {
            (Some(board), None) => (board, "position"),
            (None, Some(board)) => (board, "start"),
            (None, None) => {
                return Err(("position", "a query needs position, or start and plies".to_owned()));
            }
            (Some(_), Some(_)) => {
                return Err(("start", "position and start exclude each other".to_owned()));
            }
        };
        if let Some(shape) = self.shape()?.filter(|shape| *shape != start.shape()) {
            let why = format!("the board is {}, but the rules say {shape}", start.shape());
            return Err((field, why));
        }
        let mut boards = vec![start];
        if let Some(plies) = self.fields.get("plies").filter(|plies| !plies.is_null()) {
            if field == "position" {
                return Err(("plies", "plies go with start, not with position".to_owned()));
            }
            let plies = plies.as_array().filter(|plies| plies.len() <= MAX_PLIES);
            let plies = plies.ok_or_else(|| {
                ("plies", "plies are a list of [move, cell, exponent]".to_owned())
            })?;
            for (number, ply) in plies.iter().enumerate() {
                let board = boards[boards.len() - 1];
                let next = play(board, ply)
                    .map_err(|why| ("plies", format!("ply {}: {why}", number + 1)))?;
                boards.push(next);
            }
        }
        Ok((Rules { shape: start.shape(), law }, boards))
    }

    fn wanted(&self, boards: &[Board]) -> Result<Vec<(usize, Board)>, Problem> {
        let last = boards.len() - 1;
        let Some(turns) = self.fields.get("turns").filter(|turns| !turns.is_null()) else {
            return Ok(vec![(last, boards[last])]);
        };
        let bad = || ("turns", format!("turns are a list of numbers from 0 to {last}"));
        let turns = turns.as_array().ok_or_else(bad)?;
        if turns.len() > boards.len() {
            return Err(bad());
        }
        let mut wanted = Vec::new();
        for turn in turns {
            let turn = turn.as_u64().and_then(|turn| usize::try_from(turn).ok()).ok_or_else(bad)?;
            wanted.push((turn, *boards.get(turn).ok_or_else(bad)?));
        }
        Ok(wanted)
    }

    fn rules(&self) -> Result<Option<&Map<String, Value>>, Problem> {
        match self.fields.get("rules") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(rules)) => Ok(Some(rules)),
            Some(_) => Err(("rules", "rules are an object with size and p4".to_owned())),
        }
    }

    fn shape(&self) -> Result<Option<Shape>, Problem> {
        let Some(size) = self.rules()?.and_then(|rules| rules.get("size")) else { return Ok(None) };
        let shape = size.as_str().ok_or(maxtile_game::ShapeError::Text).and_then(str::parse);
        shape.map(Some).map_err(|cause| ("rules", cause.to_string()))
    }

    fn law(&self) -> Result<SpawnLaw, Problem> {
        let Some(p4) = self.rules()?.and_then(|rules| rules.get("p4")) else {
            return Ok(SpawnLaw::default());
        };
        let law = p4.as_f64().ok_or(maxtile_game::LawError).and_then(SpawnLaw::new);
        law.map_err(|cause| ("rules", cause.to_string()))
    }

    fn limits(&self) -> Result<LimitFields, Problem> {
        let mut limits = LimitFields::default();
        let fields = match self.fields.get("limits") {
            None | Some(Value::Null) => return Ok(limits),
            Some(Value::Object(fields)) => fields,
            Some(_) => {
                return Err(("limits", "limits are an object with depth, nodes or ms".to_owned()));
            }
        };
        for (name, value) in fields {
            match name.as_str() {
                "depth" => {
                    let depth =
                        value.as_u64().filter(|depth| (1..=MAX_DEPTH as u64).contains(depth));
                    let depth = depth.ok_or_else(|| {
                        ("limits", format!("depth is a whole number from 1 to {MAX_DEPTH}"))
                    })?;
                    limits.depth = Some(depth as u8);
                }
                "nodes" => {
                    let nodes = value.as_u64().filter(|nodes| *nodes > 0);
                    limits.nodes =
                        Some(nodes.ok_or_else(|| {
                            ("limits", "nodes is a whole number above 0".to_owned())
                        })?);
                }
                "ms" => limits.time = milliseconds(Some(value), "limits")?,
                other => {
                    return Err((
                        "limits",
                        format!("there is no limit {other:?}, only depth, nodes and ms"),
                    ));
                }
            }
        }
        Ok(limits)
    }

    fn text(&self, field: &'static str) -> Result<Option<&str>, Problem> {
        match self.fields.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err((field, format!("{field} is a string"))),
        }
    }

    fn warnings(&self) -> Vec<String> {
        let rules = self.rules().ok().flatten().map(|rules| unknown(rules, &RULES));
        unknown(self.fields, &FIELDS).chain(rules.into_iter().flatten()).collect()
    }
}

/// A sentence about each field that is not one of these.
fn unknown<'a>(
    fields: &'a Map<String, Value>,
    known: &'a [&'static str],
) -> impl Iterator<Item = String> + 'a {
    let others = fields.keys().filter(|name| !known.contains(&name.as_str()));
    others.map(|name| match nearest(name, known.iter().copied()) {
        Some(near) => format!("unknown field {name:?}, did you mean {near:?}?"),
        None => format!("unknown field {name:?}"),
    })
}

/// A time, for the field that holds it.
fn milliseconds(value: Option<&Value>, field: &'static str) -> Result<Option<Duration>, Problem> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    let ms = value.as_f64().filter(|ms| *ms > 0.0 && *ms <= 3.6e6);
    let ms =
        ms.ok_or_else(|| (field, "milliseconds are a number above 0, at most 3600000".to_owned()))?;
    Ok(Some(Duration::from_secs_f64(ms / 1000.0)))
}

/// A ply as in records: move, cell, exponent.
fn play(board: Board, ply: &Value) -> Result<Board, String> {
    let form = || "a ply is [move, cell, exponent]".to_owned();
    let parts = ply.as_array().filter(|parts| parts.len() == 3).ok_or_else(form)?;
    let mv = match &parts[0] {
        Value::String(name) => name.parse().map_err(|cause| format!("{cause}"))?,
        number => number
            .as_u64()
            .filter(|number| *number < 4)
            .map(|number| Move::from_index(number as usize))
            .ok_or("a move is up, right, down or left, or its number 0 to 3")?,
    };
    let small = |value: &Value| value.as_u64().and_then(|n| u8::try_from(n).ok()).ok_or_else(form);
    let spawn = Spawn { cell: small(&parts[1])?, exponent: small(&parts[2])? };
    let (afterstate, _) = board.slide(mv).ok_or_else(|| format!("{mv} is not legal"))?;
    afterstate.spawn(spawn).map_err(|cause| cause.to_string())
}
