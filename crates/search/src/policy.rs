//! Who chooses a move.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use maxtile_game::{Board, Move, Random};

use crate::limits::Limits;
use crate::report::{MoveReport, Report, Step};

/// A position to be decided, and the answer.
#[derive(Clone, Debug)]
pub struct Query {
    /// The position.
    pub board: Board,
    /// The random numbers of this game's player. They belong to the game, not to the policy, so
    /// that a game comes out the same whichever others are decided beside it.
    pub random: Random,
    /// The move chosen; `None` when the game is over.
    pub answer: Option<Move>,
}

impl Query {
    /// A question without an answer yet.
    pub fn new(board: Board, random: Random) -> Query {
        Query { board, random, answer: None }
    }
}

/// What deciding a position took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// Plies: those of every move, or of the deepest place in a tree that grows unevenly.
    pub depth: u8,
    /// Afterstates judged.
    pub leaves: u64,
}

/// Chooses moves. What it answers for one query does not depend on the others.
pub trait Policy: Send {
    /// Answers each query with a legal move, or `None` where there is none.
    fn choose(&mut self, queries: &mut [Query]);

    /// What each move is worth, by its number: its reward and the value of what follows; `None` for
    /// moves that are not legal. Nothing from a policy that does not weigh moves.
    fn worths(&mut self, board: Board) -> Option<Worths> {
        let _ = board;
        None
    }

    /// What it chooses by in a game: as `worths`, with `None` also for moves it has looked at less than at others, which are
    /// not to be compared with them.
    fn compared(&mut self, board: Board) -> Option<Worths> {
        self.worths(board)
    }

    /// From now on it looks at the moves of a position in the order of their worths under these ratios (see [`weighed`]), so
    /// that a rule that decides by them gets on. The worths that it tells stay as they are.
    fn favour(&mut self, ratios: [f32; 4]) {
        let _ = ratios;
    }

    /// The limits of its search; nothing from a policy that does not search.
    fn limits(&self) -> Option<Limits> {
        None
    }

    /// What the last position decided took; nothing where no search was needed or there is none.
    fn searched(&self) -> Option<Searched> {
        None
    }

    /// Lets somebody else end the searches from now on: once the flag is set they return soon, with
    /// whatever they have, which then means nothing. Nothing to do for a policy that does not search.
    fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        let _ = stop;
    }

    /// Everything the policy can say about a position, within these limits if it searches. Nothing
    /// from a policy that does not weigh moves.
    fn explain(&mut self, board: Board, limits: Option<Limits>) -> Option<Report> {
        let _ = limits;
        let clock = Instant::now();
        let worths = self.worths(board)?;
        let mut report = Report::empty(board);
        let first = best(&worths);
        for (mv, _, reward) in board.afterstates().iter() {
            let value = worths[mv.index()].unwrap_or(0.0);
            let line = vec![Step { mv, spawn: None }];
            report.moves.push(MoveReport {
                mv,
                reward,
                value,
                spread: None,
                depth: 1,
                compared: true,
                line,
            });
        }
        report.sort(first);
        report.depth = u8::from(!report.moves.is_empty());
        report.counts.leaves = report.moves.len() as u64;
        report.time = clock.elapsed();
        Some(report)
    }
}

/// What each move is worth, by its number; `None` for moves that are not legal.
pub type Worths = [Option<f32>; 4];

/// A worth times a ratio. One below zero, as values worked out by hand may be, comes nearer to it.
pub fn weighed(worth: f32, ratio: f32) -> f32 {
    if worth < 0.0 { worth / ratio } else { worth * ratio }
}

/// The legal move that is worth most; of equal ones the first.
pub fn best(worths: &Worths) -> Option<Move> {
    let mut best: Option<(f32, Move)> = None;
    for (mv, worth) in Move::ALL.into_iter().zip(worths) {
        let Some(worth) = *worth else { continue };
        // A value that is not a number must not leave a legal position undecided.
        if best.is_none_or(|(most, _)| worth > most || most.is_nan()) {
            best = Some((worth, mv));
        }
    }
    best.map(|(_, mv)| mv)
}

impl<P: Policy + ?Sized> Policy for Box<P> {
    fn choose(&mut self, queries: &mut [Query]) {
        (**self).choose(queries);
    }

    fn worths(&mut self, board: Board) -> Option<Worths> {
        (**self).worths(board)
    }

    fn compared(&mut self, board: Board) -> Option<Worths> {
        (**self).compared(board)
    }

    fn favour(&mut self, ratios: [f32; 4]) {
        (**self).favour(ratios);
    }

    fn limits(&self) -> Option<Limits> {
        (**self).limits()
    }

    fn searched(&self) -> Option<Searched> {
        (**self).searched()
    }

    fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        (**self).stop_by(stop);
    }

    fn explain(&mut self, board: Board, limits: Option<Limits>) -> Option<Report> {
        (**self).explain(board, limits)
    }
}
