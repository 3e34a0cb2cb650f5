//! What a search found, as data: the command line, the page and the protocol all show this.

use std::time::Duration;

use maxtile_game::{Board, Move, Spawn};

use crate::tree::Counts;

/// What a search says about a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The position.
    pub board: Board,
    /// The legal moves, best first; none when the game is over.
    pub moves: Vec<MoveReport>,
    /// The plies that every move was searched.
    pub depth: u8,
    /// What it took.
    pub counts: Counts,
    /// How long it took.
    pub time: Duration,
    /// Are the values known, not estimated?
    pub exact: bool,
}

/// What a search says about a move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport {
    /// The move.
    pub mv: Move,
    /// The points it makes.
    pub reward: u32,
    /// Its worth: the reward and the points to be expected after it.
    pub value: f32,
    /// The standard deviation of its worth over the next tile; none where no tile was looked at.
    pub spread: Option<f32>,
    /// The plies it was searched.
    pub depth: u8,
    /// Was it searched as far as any? Only such moves are compared.
    pub compared: bool,
    /// How the game may go on: this move, a typical spawn, the best answer to it, and so on.
    pub line: Vec<Step>,
}

/// A move, and the spawn after it unless the line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The move.
    pub mv: Move,
    /// The tile that appears then.
    pub spawn: Option<Spawn>,
}

impl Report {
    /// Nothing known yet.
    pub(crate) fn empty(board: Board) -> Report {
        let (moves, counts) = (Vec::new(), Counts::default());
        Report { board, moves, depth: 0, counts, time: Duration::ZERO, exact: false }
    }

    /// Puts the moves in order. The one decided for is first: a stopped search has others with
    /// larger, but less deeply searched values.
    pub(crate) fn sort(&mut self, best: Option<Move>) {
        self.moves.sort_by(|a, b| {
            let chosen = |report: &MoveReport| Some(report.mv) == best;
            chosen(b).cmp(&chosen(a)).then(b.value.total_cmp(&a.value))
        });
    }

    /// The best move; `None` when the game is over.
    pub fn best(&self) -> Option<Move> {
        self.moves.first().map(|report| report.mv)
    }

    /// The points to be expected from the position on: 0 when the game is over.
    pub fn value(&self) -> f32 {
        self.moves.first().map_or(0.0, |report| report.value)
    }
}
