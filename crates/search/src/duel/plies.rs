//! The plies of a node with where they lead.

use maxtile_game::{Afterstate, Board, Move, Spawn, Tiles};

use super::points::{Points, reward};

/// The most placements there are: a 2 and a 4 on each of sixteen cells.
pub(super) const MOST_PLACEMENTS: usize = 32;
/// A placement and where it leads.
#[derive(Clone, Copy)]
pub(super) struct Placement {
    pub(super) spawn: Spawn,
    pub(super) board: Board,
    /// Its judgement, once there is one.
    pub(super) value: Points,
}

/// The placements of a node, on the stack: the recursion of a whole game is hundreds of plies deep.
pub(super) struct Placements {
    list: [Placement; MOST_PLACEMENTS],
    len: usize,
}

impl Placements {
    pub(super) fn of(afterstate: Afterstate, tiles: Tiles) -> Placements {
        let spawn = Spawn { cell: 0, exponent: 1 };
        let none = Placement { spawn, board: afterstate.grid().into(), value: 0 };
        let mut all = Placements { list: [none; MOST_PLACEMENTS], len: 0 };
        for spawn in tiles.placements(afterstate) {
            if let Ok(board) = afterstate.spawn(spawn) {
                all.list[all.len] = Placement { spawn, board, value: 0 };
                all.len += 1;
            }
        }
        all
    }

    pub(super) fn all(&mut self) -> &mut [Placement] {
        &mut self.list[..self.len]
    }
}

/// A slide and where it leads.
#[derive(Clone, Copy)]
pub(super) struct Slide {
    pub(super) mv: Move,
    pub(super) afterstate: Afterstate,
    pub(super) reward: Points,
    /// Its reward and judgement, once there is one.
    pub(super) order: Points,
}

/// The slides of a board with no order yet.
pub(super) struct Slides([Slide; 4], usize);

impl Slides {
    pub(super) fn all(&mut self) -> &mut [Slide] {
        &mut self.0[..self.1]
    }
}

pub(super) fn slides(board: Board) -> Slides {
    let none = Slide { mv: Move::Up, afterstate: board.grid().into(), reward: 0, order: 0 };
    let mut all = Slides([none; 4], 0);
    for (mv, afterstate, points) in board.afterstates().iter() {
        all.0[all.1] = Slide { mv, afterstate, reward: reward(points), order: 0 };
        all.1 += 1;
    }
    all
}

/// The bit of a ply's number that says a 4.
pub(super) const FOUR: u8 = 16;

/// A placement as a number below 32.
pub(super) fn ply_of(spawn: Spawn) -> u8 {
    spawn.cell | (spawn.exponent - 1) << 4
}

/// The first of the best judged.
pub(super) fn best_slide(slides: &[Slide]) -> (Points, Move) {
    let mut best = (slides[0].order, slides[0].mv);
    for slide in &slides[1..] {
        if slide.order > best.0 {
            best = (slide.order, slide.mv);
        }
    }
    best
}

/// The first of those judged least.
pub(super) fn least_placement(placements: &[Placement]) -> (Points, Spawn) {
    let mut least = (placements[0].value, placements[0].spawn);
    for placement in &placements[1..] {
        if placement.value < least.0 {
            least = (placement.value, placement.spawn);
        }
    }
    least
}
