//! Stored start boards, and the order in which stages are trained by them.

use std::collections::VecDeque;

use maxtile_game::Board;

use super::Reached;

/// Start boards of each stage, the newest of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pools {
    pools: Vec<VecDeque<Board>>,
    room: usize,
}

impl Pools {
    /// Empty pools for this many stages, each with room for so many boards.
    pub fn new(stages: usize, room: usize) -> Pools {
        Pools { pools: vec![VecDeque::new(); stages], room: room.max(1) }
    }

    /// A board more; the oldest leaves a full pool.
    pub fn push(&mut self, stage: usize, board: Board) {
        if let Some(pool) = self.pools.get_mut(stage) {
            if pool.len() == self.room {
                pool.pop_front();
            }
            pool.push_back(board);
        }
    }

    /// A board more, unless the pool is full.
    pub fn keep(&mut self, stage: usize, board: Board) {
        if self.pools.get(stage).is_some_and(|pool| pool.len() < self.room) {
            self.push(stage, board);
        }
    }

    /// The boards of a stage, the oldest first.
    pub fn boards(&mut self, stage: usize) -> &[Board] {
        self.pools.get_mut(stage).map_or(&[], |pool| pool.make_contiguous())
    }

    /// How many boards a stage has.
    pub fn len(&self, stage: usize) -> usize {
        self.pools.get(stage).map_or(0, VecDeque::len)
    }

    /// Has no stage any?
    pub fn is_empty(&self) -> bool {
        self.pools.iter().all(VecDeque::is_empty)
    }

    /// All boards with their stages, for files.
    pub fn all(&self) -> impl Iterator<Item = (usize, Board)> {
        let stages = self.pools.iter().enumerate();
        stages.flat_map(|(stage, pool)| pool.iter().map(move |&board| (stage, board)))
    }
}

/// Carousel shaping (Jaśkowski 2017): batches of games start in stage 0, 1, 2, … in turn, and
/// begin again when the last stage or one without start boards has been passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carousel {
    /// The stage of the next batch.
    pub stage: usize,
    /// The start boards. They are afterstates, used as positions to move as they are.
    pub pools: Pools,
}

impl Carousel {
    /// At the start, with the ring of 1,000 boards a stage.
    pub fn new(stages: usize) -> Carousel {
        Carousel { stage: 0, pools: Pools::new(stages, 1000) }
    }

    /// The batch of the present stage has been played and has reached these stages.
    pub fn turn(&mut self, reached: &[Reached]) {
        for first in reached {
            self.pools.push(first.stage, Board::from(first.afterstate.grid()));
        }
        self.advance();
    }

    /// The next stage that has boards.
    pub fn advance(&mut self) {
        self.stage += 1;
        if self.pools.len(self.stage) == 0 {
            self.stage = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(stage: usize, text: &str) -> Reached {
        let afterstate: maxtile_game::Afterstate = text.parse().unwrap();
        Reached { game: 0, stage, afterstate, board: Board::from(afterstate.grid()) }
    }

    #[test]
    fn a_full_ring_forgets_the_oldest() {
        let mut pools = Pools::new(2, 3);
        let board = |n: usize| format!("{n}000000000000000").parse::<Board>().unwrap();
        (1..=5).for_each(|n| pools.push(1, board(n)));
        assert_eq!(pools.boards(1), [board(3), board(4), board(5)]);
        pools.keep(1, board(6));
        assert_eq!(pools.boards(1), [board(3), board(4), board(5)]);
        pools.push(2, board(1));
        assert_eq!((pools.len(0), pools.len(1), pools.len(2)), (0, 3, 0));
        assert_eq!(pools.all().count(), 3);
    }

    #[test]
    fn the_carousel_goes_round() {
        let mut carousel = Carousel::new(3);
        // Nothing but stage 0 has been reached: stage 0 again.
        carousel.turn(&[]);
        assert_eq!(carousel.stage, 0);
        carousel.turn(&[reached(1, "c000000000000000")]);
        assert_eq!(carousel.stage, 1);
        // Stage 2 has no boards yet: back to the start.
        carousel.turn(&[]);
        assert_eq!(carousel.stage, 0);
        carousel.turn(&[]);
        carousel.turn(&[reached(2, "cb00000000000000")]);
        assert_eq!(carousel.stage, 2);
        // Past the last stage.
        carousel.turn(&[]);
        assert_eq!(carousel.stage, 0);
    }
}
