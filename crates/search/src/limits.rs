//! How long a search goes on.

use std::time::Duration;

use maxtile_game::Board;

use crate::clock::Clock;
use crate::effort::MAX_DEPTH;

/// How long a search goes on. The first limit that is reached counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Plies: moves looked ahead, the one to be chosen included. 1 is greedy play. [`MAX_DEPTH`] beside another limit: no
    /// number of plies, but whatever is probable enough.
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

    /// Are plies no limit, but time or judged positions?
    pub fn is_open(&self) -> bool {
        self.depth == MAX_DEPTH && !self.depth_only()
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
/// No move takes more than the time of so many.
const LONGEST: u32 = 4;

impl Bank {
    /// What a move may take when `each` is the mean: all that was saved on crowded boards, a part of it on others.
    pub(crate) fn allot(&mut self, each: Duration, board: Board) -> Duration {
        self.0 = (self.0 + each).min(each * MOST);
        let part = match board.empty_count() {
            0..=3 => 1,
            4..=5 => 2,
            _ => 4,
        };
        (self.0 / part).max(each.min(self.0)).min(each * LONGEST)
    }

    /// A move took so long.
    pub(crate) fn spend(&mut self, time: Duration) {
        self.0 = self.0.saturating_sub(time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_time_is_taken_than_there_is_and_crowded_boards_get_more() {
        let each = Duration::from_millis(10);
        let board = |text: &str| -> Board { text.parse().unwrap() };
        let (open, crowded) = (board("1234100000000000"), board("1234123412341200"));
        let mut bank = Bank::default();
        let mut spent = Duration::ZERO;
        // Easy moves take three tenths of what they may; one board in ten is crowded and takes all.
        for turn in 1..=1000u32 {
            let hard = turn % 10 == 0;
            let most = bank.allot(each, if hard { crowded } else { open });
            let took = if hard { most } else { most * 3 / 10 };
            bank.spend(took);
            spent += took;
            assert!(spent <= each * turn, "{spent:?} of {turn}");
            assert!(turn != 1000 || most > each * 3, "{most:?}");
        }
        assert!(spent > each * 500, "{spent:?}");
        // With nothing saved a move has its own time, crowded or not.
        assert_eq!(Bank::default().allot(each, open), each);
        assert_eq!(Bank::default().allot(each, crowded), each);
    }
}
