//! One turn: two judged positions and what lies between them.

use maxtile_game::{Ply, Turn};

use super::grade::{Grade, grade};
use super::judge::Judged;
use super::line::{MoveLine, TurnLine};
use crate::protocol::StepAnswer;

/// The line of a turn. `None` when the judge does not know the move that was played.
pub(super) fn turn_line(
    turn: &Turn,
    ply: Ply,
    here: &Judged,
    next: &Judged,
    exact: bool,
) -> Option<TurnLine> {
    let (best, played) = (here.moves.first()?, here.of(ply.mv)?);
    let value = here.value();
    let error = value - played.value;
    let graded = grade(error, value, turn.score);
    let accepted = here
        .moves
        .iter()
        .filter(|found| grade(value - found.value, value, turn.score).grade <= Grade::Good);
    Some(TurnLine {
        turn: turn.ply,
        position: turn.board.to_string(),
        score: turn.score,
        value,
        best: best.mv.name(),
        played: ply.mv.name(),
        spawn: [ply.spawn.cell, ply.spawn.exponent],
        accepted: accepted.map(|found| found.mv.name()).collect(),
        moves: here.moves.iter().map(move_line).collect(),
        error,
        luck: f64::from(played.reward) + next.value() - played.value,
        loss: graded.loss,
        accuracy: graded.accuracy,
        grade: graded.grade,
        forced: here.moves.len() == 1,
        exact,
        line: here.line.iter().map(StepAnswer::of).collect(),
    })
}

fn move_line(found: &super::judge::JudgedMove) -> MoveLine {
    MoveLine { r#move: found.mv.name(), reward: found.reward, value: found.value }
}
