//! A state to move and an afterstate: two types, so that neither is taken for the other.

use std::fmt;
use std::ops::Deref;

use crate::afterstates::Afterstates;
use crate::direction::{Move, MoveSet};
use crate::geometry::Geometry;
use crate::grid::Grid;
use crate::notation::PositionError;
use crate::shape::Shape;
use crate::slide::{occupied, slide};
use crate::symmetry::Symmetry;

/// A position in which the player is to move.
///
/// ```
/// use maxtile_game::{Board, Move, Spawn};
///
/// let board: Board = "1100000000000000".parse()?;
/// let (afterstate, reward) = board.slide(Move::Left).expect("two 2s side by side");
/// assert_eq!((afterstate.to_string().as_str(), reward), ("2000000000000000", 4));
/// let next = afterstate.spawn(Spawn { cell: 15, exponent: 1 })?;
/// assert_eq!(next.legal_moves().len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Board(Grid);

/// A position after the slide and before the spawn: what value functions judge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Afterstate(Grid);

/// A new tile: by chance, by an attacker or from a recorded game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spawn {
    /// The cell it appears in.
    pub cell: u8,
    /// Its exponent: 1 for a 2, 2 for a 4.
    pub exponent: u8,
}

impl Board {
    /// Slides everything to one side; `None` when nothing would change. The reward is the sum of
    /// the tiles made by merging.
    #[inline]
    pub fn slide(self, mv: Move) -> Option<(Afterstate, u32)> {
        if self.0.is_plain() {
            return self.afterstates().get(mv);
        }
        let (grid, high) = (self.0, self.0.high_plane());
        let slid = slide(grid.nibbles(), high, Geometry::of(grid.shape()), mv.index());
        let high = if high == slid.high { grid.high() } else { gather(slid.high) };
        let after = Grid::from_parts(grid.shape(), slid.nibbles, high);
        (after != grid).then_some((Afterstate(after), slid.reward))
    }

    /// All slides at once: the hot call of learning and search.
    #[inline]
    pub fn afterstates(self) -> Afterstates {
        Afterstates::of(self.0)
    }

    /// The moves that change something.
    #[inline]
    pub fn legal_moves(self) -> MoveSet {
        let geometry = Geometry::of(self.0.shape());
        let (x, high) = (self.0.nibbles(), self.0.high_plane());
        let full = occupied(x) | high;
        let along = |first: Move| {
            let (s, near) = (geometry.shift[first.index()], geometry.not_last[first.index()]);
            // `near` and the cell behind it: a tile can go to a gap, or merge with its equal.
            let behind = full >> s;
            let differs = occupied(x ^ x >> s) | (high ^ high >> s);
            let pair = full & !differs & near;
            (pair | !full & behind & near, pair | full & !behind & near)
        };
        let (up, down) = along(Move::Up);
        let (left, right) = along(Move::Left);
        let bit = |plane: u64, mv: Move| ((plane != 0) as u8) << mv as u8;
        MoveSet::from_bits(
            bit(up, Move::Up)
                | bit(right, Move::Right)
                | bit(down, Move::Down)
                | bit(left, Move::Left),
        )
    }

    /// Is the game over: no move left?
    #[inline]
    pub fn is_over(self) -> bool {
        self.legal_moves().is_empty()
    }
}

impl Afterstate {
    /// The board with a new tile on it. The afterstate comes back in the error.
    #[inline]
    pub fn spawn(self, spawn: Spawn) -> Result<Board, SpawnError> {
        let (cell, exponent) = (spawn.cell as usize, spawn.exponent);
        let reason = if cell >= self.0.shape().cells() {
            SpawnReason::NoSuchCell
        } else if !matches!(exponent, 1 | 2) {
            SpawnReason::NotTwoOrFour
        } else if self.0.exponent(cell) != 0 {
            SpawnReason::Occupied
        } else {
            return Ok(Board(self.0.with(cell, exponent)));
        };
        Err(SpawnError { afterstate: self, spawn, reason })
    }

    /// As [`Self::spawn`], for callers that know the cell to be empty.
    #[inline(always)]
    pub(crate) fn spawn_unchecked(self, spawn: Spawn) -> Board {
        debug_assert!(self.spawn(spawn).is_ok());
        Board(self.0.with(spawn.cell as usize, spawn.exponent))
    }

    /// All spawns there are: each empty cell with a 2 and a 4.
    pub fn spawns(self) -> impl Iterator<Item = Spawn> {
        self.0
            .empty_cells()
            .flat_map(|cell| [1, 2].map(|exponent| Spawn { cell: cell as u8, exponent }))
    }
}

/// From a plane of ones to one bit per cell.
pub(crate) fn gather(plane: u64) -> u16 {
    (0..16).fold(0, |bits, cell| bits | ((plane >> (4 * cell) & 1) as u16) << cell)
}

/// What both kinds of position share.
macro_rules! position {
    ($name:ident) => {
        impl $name {
            /// A board without tiles.
            pub const fn empty(shape: Shape) -> $name {
                $name(Grid::empty(shape))
            }

            /// The position with these exponents, row by row.
            pub fn from_exponents(shape: Shape, exponents: &[u8]) -> Result<$name, PositionError> {
                Grid::from_exponents(shape, exponents).map($name)
            }

            /// The cells alone, whoever is to act.
            #[inline]
            pub const fn grid(self) -> Grid {
                self.0
            }

            /// The position seen through a symmetry.
            #[must_use]
            pub fn transformed(self, symmetry: Symmetry) -> $name {
                $name(self.0.transformed(symmetry))
            }

            /// The representative of all positions that differ from this one by symmetry only.
            #[must_use]
            pub fn canonical(self) -> $name {
                $name(self.0.canonical())
            }
        }

        impl From<Grid> for $name {
            #[inline]
            fn from(grid: Grid) -> $name {
                $name(grid)
            }
        }

        impl Deref for $name {
            type Target = Grid;
            #[inline]
            fn deref(&self) -> &Grid {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = PositionError;
            fn from_str(text: &str) -> Result<$name, PositionError> {
                text.parse().map($name)
            }
        }
    };
}

position!(Board);
position!(Afterstate);

/// A spawn that cannot be, with the afterstate it was meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpawnError {
    /// The untouched afterstate.
    pub afterstate: Afterstate,
    /// What should have appeared.
    pub spawn: Spawn,
    /// Why it cannot.
    pub reason: SpawnReason,
}

/// Why a spawn cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpawnReason {
    /// The board has fewer cells.
    NoSuchCell,
    /// Only 2 and 4 spawn.
    NotTwoOrFour,
    /// There is a tile already.
    Occupied,
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spawn { cell, exponent } = self.spawn;
        match self.reason {
            SpawnReason::NoSuchCell => {
                write!(f, "a {} board has no cell {cell}", self.afterstate.shape())
            }
            SpawnReason::NotTwoOrFour => {
                write!(f, "a new tile is a 2 or a 4, not exponent {exponent}")
            }
            SpawnReason::Occupied => write!(f, "cell {cell} is not empty"),
        }
    }
}

impl std::error::Error for SpawnError {}
