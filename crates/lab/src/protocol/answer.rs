//! Answers as JSON objects: the same for the command line, the protocol and the page.

use std::borrow::Cow;

use maxtile_game::Board;
use maxtile_search::{Counts, Report, Step};
use serde::Serialize;
use serde_json::Value;

/// What is known about a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// The query's id.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub id: Value,
    /// The turn of the game, 0 at its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// The position.
    pub position: String,
    /// The best move; `null` when the game is over.
    pub best: Option<&'static str>,
    /// Are the values exact, or estimates?
    pub exact: bool,
    /// The points to be expected from here on, without those made before.
    pub value: f64,
    /// The legal moves, best first.
    pub moves: Vec<MoveAnswer>,
    /// The tiles that may appear after the best move, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spawns: Option<Vec<SpawnAnswer>>,
    /// The plies that every move was searched.
    pub depth: u8,
    /// Afterstates judged.
    pub leaves: u64,
    /// Chance nodes looked into.
    pub nodes: u64,
    /// Questions to the transposition table.
    pub lookups: u64,
    /// Answers of the table.
    pub hits: u64,
    /// Milliseconds it took.
    pub ms: f64,
    /// Will there be a better answer?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
    /// What was not understood but did no harm.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What is known about a move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveAnswer {
    /// The move.
    pub r#move: &'static str,
    /// Its reward and the points to be expected after it.
    pub value: f64,
    /// Its reward.
    pub reward: u32,
    /// The standard deviation of the value over the next tile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// The plies it was searched.
    pub depth: u8,
    /// How the game may go on.
    pub line: Vec<StepAnswer>,
}

/// A move of a line, and the tile after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StepAnswer {
    /// The move.
    pub r#move: &'static str,
    /// The cell and the exponent of the tile that appears.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spawn: Option<[u8; 2]>,
}

/// What a tile would mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpawnAnswer {
    /// The cell it appears in.
    pub cell: u8,
    /// Its exponent.
    pub exponent: u8,
    /// How probable it is.
    pub probability: f64,
    /// The points to be expected then.
    pub value: f64,
}

/// A query that cannot be answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refusal {
    /// The query's id, `null` where it has none that could be read.
    pub id: Value,
    /// What is wrong.
    pub error: String,
    /// The field that is wrong; `query` for the whole line.
    pub field: Cow<'static, str>,
}

impl Refusal {
    pub(crate) fn new(id: Value, field: &'static str, error: String) -> Refusal {
        Refusal { id, error, field: field.into() }
    }
}

impl Answer {
    /// What a report says.
    pub fn of(report: &Report) -> Answer {
        let Counts { leaves, nodes, lookups, hits } = report.counts;
        Answer {
            id: Value::Null,
            turn: None,
            position: report.board.to_string(),
            best: report.best().map(maxtile_game::Move::name),
            exact: report.exact,
            value: number(report.value()),
            moves: report.moves.iter().map(move_answer).collect(),
            spawns: None,
            depth: report.depth,
            leaves,
            nodes,
            lookups,
            hits,
            ms: (report.time.as_secs_f64() * 1e6).round() / 1e3,
            partial: None,
            warnings: Vec::new(),
        }
    }

    /// What a solved board says.
    pub fn exact(found: &maxtile_solve::Answer) -> Answer {
        let exact_move = |found: &maxtile_solve::MoveAnswer| MoveAnswer {
            r#move: found.mv.name(),
            value: found.value,
            reward: found.reward,
            spread: None,
            depth: 0,
            line: vec![StepAnswer { r#move: found.mv.name(), spawn: None }],
        };
        Answer {
            best: found.moves.first().map(|first| first.mv.name()),
            value: found.value,
            moves: found.moves.iter().map(exact_move).collect(),
            ..Answer::over(found.board)
        }
    }

    /// The answer about a game that is over.
    pub fn over(board: Board) -> Answer {
        Answer::of(&Report {
            board,
            moves: Vec::new(),
            depth: 0,
            counts: Counts::default(),
            time: std::time::Duration::ZERO,
            exact: true,
        })
    }
}

impl StepAnswer {
    /// What a step of a line says.
    pub fn of(step: &Step) -> StepAnswer {
        let spawn = step.spawn.map(|spawn| [spawn.cell, spawn.exponent]);
        StepAnswer { r#move: step.mv.name(), spawn }
    }
}

fn move_answer(report: &maxtile_search::MoveReport) -> MoveAnswer {
    MoveAnswer {
        r#move: report.mv.name(),
        value: number(report.value),
        reward: report.reward,
        spread: report.spread.map(number),
        depth: report.depth,
        line: report.line.iter().map(StepAnswer::of).collect(),
    }
}

/// Three decimals, which is more than a float of this size has; JSON knows no infinity.
pub(super) fn number(value: f32) -> f64 {
    if value.is_finite() { (f64::from(value) * 1e3).round() / 1e3 } else { 0.0 }
}
