//! All four slides of a board at once.

use crate::board::Afterstate;
use crate::direction::{Move, MoveSet};
use crate::geometry::Geometry;
use crate::grid::Grid;
use crate::rows::{Slides, slide_all};
use crate::shape::Shape;
use crate::slide::slide;

/// The four slides of a board with their rewards, kept by kind so that vector code can use them.
///
/// ```
/// use maxtile_game::{Board, Move};
///
/// let board: Board = "1100000000000000".parse()?;
/// let best = board.afterstates().iter().max_by_key(|(_, _, reward)| *reward);
/// let (mv, afterstate, reward) = best.expect("the game is not over");
/// assert_eq!((mv, afterstate.max_tile(), reward), (Move::Left, 4, 4));
/// # Ok::<(), maxtile_game::PositionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Afterstates {
    nibbles: [u64; 4],
    rewards: [u32; 4],
    high: [u16; 4],
    shape: Shape,
    legal: MoveSet,
}

impl Afterstates {
    /// The slides of a board.
    #[inline(always)]
    pub(crate) fn of(grid: Grid) -> Afterstates {
        let shape = grid.shape();
        if grid.is_plain() {
            let Slides { nibbles, rewards: [vertical, horizontal], legal } =
                slide_all(grid.nibbles());
            if (vertical | horizontal) < 1 << 16 {
                let rewards = [vertical, horizontal, vertical, horizontal];
                let legal = MoveSet::from_bits(legal);
                return Afterstates { nibbles, rewards, high: [0; 4], shape, legal };
            }
        }
        Afterstates::one_by_one(grid)
    }

    /// For boards that are not 4×4, and for tiles of 65536 and more.
    #[inline(never)]
    fn one_by_one(grid: Grid) -> Afterstates {
        let geometry = Geometry::of(grid.shape());
        let mut all = Afterstates {
            nibbles: [0; 4],
            rewards: [0; 4],
            high: [0; 4],
            shape: grid.shape(),
            legal: MoveSet::default(),
        };
        let high = grid.high_plane();
        let mut legal = 0;
        for mv in 0..4 {
            let slid = slide(grid.nibbles(), high, geometry, mv);
            all.nibbles[mv] = slid.nibbles;
            all.rewards[mv] = slid.reward;
            if slid.high != 0 {
                all.high[mv] = crate::board::gather(slid.high);
            }
            legal |= u8::from(slid.nibbles != grid.nibbles() || slid.high != high) << mv;
        }
        all.legal = MoveSet::from_bits(legal);
        all
    }

    /// The moves that change something.
    #[inline]
    pub const fn legal(&self) -> MoveSet {
        self.legal
    }

    /// Afterstate and reward of a move; `None` when it is not legal.
    #[inline]
    pub fn get(&self, mv: Move) -> Option<(Afterstate, u32)> {
        self.legal.contains(mv).then(|| self.slid(mv))
    }

    /// The legal moves with their afterstates and rewards.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (Move, Afterstate, u32)> {
        self.legal.iter().map(|mv| {
            let (afterstate, reward) = self.slid(mv);
            (mv, afterstate, reward)
        })
    }

    /// The packed cells after each move (see [`Grid::nibbles`]); the board itself where a move is
    /// not legal.
    #[inline]
    pub const fn nibbles(&self) -> &[u64; 4] {
        &self.nibbles
    }

    /// The reward of each move, 0 where it is not legal.
    #[inline]
    pub const fn rewards(&self) -> &[u32; 4] {
        &self.rewards
    }

    /// Is there a tile of 65536 or more on any of the four?
    #[inline]
    pub fn any_high(&self) -> bool {
        self.high != [0; 4]
    }

    #[inline]
    fn slid(&self, mv: Move) -> (Afterstate, u32) {
        let i = mv.index();
        let grid = Grid::from_parts(self.shape, self.nibbles[i], self.high[i]);
        (grid.into(), self.rewards[i])
    }
}
