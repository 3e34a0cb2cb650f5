//! How long a search goes on.

use std::time::Duration;

use maxtile_game::Board;

use crate::clock::Clock;
use crate::table::MAX_DEPTH;

/// How long a search goes on. The first limit that is reached counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Plies: moves looked ahead, the one to be chosen included. 1 is greedy play.
    pub depth: u8,
    /// One ply more where at most this many cells are empty: such boards are cheap and decisive.
    pub crowded: u8,
    /// Afterstates judged.
    pub nodes: Option<u64>,
    /// Time for a move.
    pub time: Option<Duration>,
    /// What the time is measured by.
    pub clock: Clock,
}

impl Limits {
    /// A search of so many plies.
    pub fn depth(depth: u8) -> Limits {
        Limits {
            depth: depth.clamp(1, MAX_DEPTH),
            crowded: 0,
            nodes: None,
            time: None,
            clock: Clock::Wall,
        }
    }

    /// As deep as the time allows.
    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::depth(MAX_DEPTH) }
    }

    /// As deep as so many judged afterstates allow.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::depth(MAX_DEPTH) }
    }

    /// The plies for a position.
    pub(crate) fn plies(&self, board: Board) -> u8 {
        let more = self.crowded > 0 && board.empty_count() <= self.crowded as usize;
        (self.depth + u8::from(more)).clamp(1, MAX_DEPTH)
    }

    /// Is the depth the only limit?
    pub(crate) fn depth_only(&self) -> bool {
        self.nodes.is_none() && self.time.is_none()
    }
}

/// Time saved on easy moves, to be spent on hard ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bank(Duration);

/// The bank never holds more than the time of so many moves.
const MOST: u32 = 16;

impl Bank {
    /// What a move may take when `each` is the mean: crowded boards get more if it was saved.
    pub(crate) fn allot(&mut self, each: Duration, board: Board) -> Duration {
        self.0 = (self.0 + each).min(each * MOST);
        let times = match board.empty_count() {
            0..=3 => 4,
            4..=5 => 2,
            _ => 1,
        };
        self.0.min(each * times)
    }

    /// A move took so long.
    pub(crate) fn spend(&mut self, time: Duration) {
        self.0 = self.0.saturating_sub(time);
    }
}
