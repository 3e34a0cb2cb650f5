//! The lines of a review as JSON objects: the same for `maxtile review --json` and the page.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::grade::Grade;
use crate::protocol::StepAnswer;

/// One line of a review, in the order game, turns with progress between them, summary.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Line {
    /// The game that is looked at.
    Game(GameLine),
    /// A turn of it.
    Turn(Box<TurnLine>),
    /// How far the work is; now and then.
    Progress(ProgressLine),
    /// All turns together.
    Summary(Box<Summary>),
}

/// The game that is looked at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameLine {
    /// The rules.
    pub rules: RulesLine,
    /// The first position with the player to move.
    pub start: String,
    /// Move number, cell and exponent of each ply.
    pub plies: Vec<(u8, u8, u8)>,
    /// The score at its end.
    pub score: u32,
    /// The form it was read from.
    pub format: String,
    /// Who played, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// Was it played until no move was left?
    pub over: bool,
}

/// The rules of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RulesLine {
    /// Rows by columns.
    pub size: String,
    /// Probability of a 4.
    pub p4: f64,
}

/// A turn: what was played, what it was worth, what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnLine {
    /// Its number, 0 for the first.
    pub turn: usize,
    /// The position before the move.
    pub position: String,
    /// The score before the move.
    pub score: u32,
    /// The points to be expected from the position on: V(s).
    #[serde(serialize_with = "rounded")]
    pub value: f64,
    /// The best move.
    pub best: &'static str,
    /// The move that was played.
    pub played: &'static str,
    /// Cell and exponent of the tile that appeared after it.
    pub spawn: [u8; 2],
    /// The legal moves, best first.
    pub moves: Vec<MoveLine>,
    /// What the move cost: V(s) − A(s, played), never below 0.
    #[serde(serialize_with = "rounded")]
    pub error: f64,
    /// What the tile brought: reward + V(next) − A(s, played).
    #[serde(serialize_with = "rounded")]
    pub luck: f64,
    /// The error as a share of what was at stake, from 0 to 1.
    #[serde(serialize_with = "rounded")]
    pub loss: f64,
    /// How good the move was, in percent.
    #[serde(serialize_with = "rounded")]
    pub accuracy: f64,
    /// The same in a word.
    pub grade: Grade,
    /// Was there nothing to choose?
    pub forced: bool,
    /// The moves that a drill accepts: those as good as the best, or nearly; best first.
    pub accepted: Vec<&'static str>,
    /// Are the values the truth?
    pub exact: bool,
    /// How the best move may go on; left out where the judge says nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<StepAnswer>,
}

/// A legal move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveLine {
    /// The move.
    pub r#move: &'static str,
    /// The points it makes.
    pub reward: u32,
    /// The points to be expected from it on, its reward included: A(s, a).
    #[serde(serialize_with = "rounded")]
    pub value: f64,
}

/// How far the work is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProgressLine {
    /// Positions judged.
    pub done: usize,
    /// Positions there are.
    pub total: usize,
    /// How long the others will take, if they are like those before.
    pub seconds_left: f64,
}

/// All turns together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The score of the game.
    pub score: u32,
    /// The points to be expected before the first move.
    #[serde(serialize_with = "rounded")]
    pub start_value: f64,
    /// What all moves cost together.
    #[serde(serialize_with = "rounded")]
    pub errors: f64,
    /// What all tiles brought together.
    #[serde(serialize_with = "rounded")]
    pub luck: f64,
    /// The points still to be expected at the end of the record: 0 when the game is over.
    #[serde(serialize_with = "rounded")]
    pub remaining: f64,
    /// What the same play is worth without luck: V(start) − Σ errors. By an estimate it says little,
    /// since the noise of thousands of estimates adds up.
    #[serde(serialize_with = "rounded")]
    pub without_luck: f64,
    /// score − (V(start) − Σ errors + Σ luck − V(last)): 0 but for rounding.
    pub identity_residual: f64,
    /// How good the moves were, in percent; `null` when there was never a choice.
    #[serde(serialize_with = "rounded_or_null")]
    pub accuracy: Option<f64>,
    /// Turns with a choice by their grade.
    pub grades: BTreeMap<Grade, usize>,
    /// What the moves of each grade cost.
    #[serde(serialize_with = "rounded_values")]
    pub errors_by_grade: BTreeMap<Grade, f64>,
    /// Turns.
    pub moves: usize,
    /// Turns without a choice.
    pub forced: usize,
    /// The turns of the worst moves, worst first, at most ten.
    pub worst: Vec<usize>,
    /// The turns of the luckiest and the unluckiest tile.
    pub luckiest: Option<usize>,
    /// The turn of the unluckiest tile.
    pub unluckiest: Option<usize>,
    /// The turns worth another try, worst first.
    pub drill: Vec<usize>,
    /// Was the game played until no move was left?
    pub over: bool,
    /// Its largest tile.
    pub max_tile: u32,
    /// Who judged.
    pub agent: String,
    /// Are the values the truth?
    pub exact: bool,
}

fn rounded_values<S: Serializer>(
    numbers: &BTreeMap<Grade, f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(numbers.iter().map(|(grade, number)| (grade, six_decimals(*number))))
}

/// Six decimals: a sum over the lines of the longest game is still right to a hundredth of a point.
fn rounded<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(six_decimals(*number))
}

fn six_decimals(number: f64) -> f64 {
    // Adding 0 makes a negative zero positive.
    (number * 1e6).round() / 1e6 + 0.0
}

#[allow(clippy::ref_option, reason = "serde passes a reference")]
fn rounded_or_null<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) => rounded(number, serializer),
        None => serializer.serialize_none(),
    }
}
