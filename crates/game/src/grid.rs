//! The packed cells that a state to move and an afterstate share.

use std::fmt;

use crate::geometry::{Geometry, ONES};
use crate::notation::PositionError;
use crate::shape::Shape;
use crate::slide::occupied;
use crate::symmetry::{Symmetry, transpose_nibbles};

/// The tiles on a board of some shape: one exponent per cell, 0 for an empty one.
///
/// A grid is always within [`Shape::max_tile_sum`], so whatever is played from it, no tile grows
/// past [`Shape::max_exponent`]. Sixteen bytes: a nibble for each cell, a bit for each cell whose
/// exponent is 16 or 17, and the shape.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Grid {
    // Compared from the top: grids of one shape order by their packed number.
    shape: Shape,
    high: u16,
    nibbles: u64,
}

impl Grid {
    /// A board without tiles.
    #[inline]
    pub const fn empty(shape: Shape) -> Grid {
        Grid { shape, high: 0, nibbles: 0 }
    }

    /// The grid with these exponents, row by row.
    pub fn from_exponents(shape: Shape, exponents: &[u8]) -> Result<Grid, PositionError> {
        if exponents.len() != shape.cells() {
            let (want, got) = (shape.cells(), exponents.len());
            return Err(PositionError::CellCount { shape, want, got });
        }
        let mut grid = Grid::empty(shape);
        let mut sum = 0u64;
        for (cell, &exponent) in exponents.iter().enumerate() {
            if exponent > shape.max_exponent() {
                return Err(PositionError::TileTooLarge { shape, cell });
            }
            if exponent > 0 {
                sum += 1 << exponent;
            }
            grid.put(cell, exponent);
        }
        if sum > shape.max_tile_sum() as u64 {
            return Err(PositionError::SumTooLarge { shape, sum });
        }
        Ok(grid)
    }

    /// From the words of a slide; the caller's board was within the bounds, so this one is.
    #[inline(always)]
    pub(crate) fn from_parts(shape: Shape, nibbles: u64, high: u16) -> Grid {
        Grid { shape, high, nibbles }
    }

    /// The shape of the board.
    #[inline]
    pub const fn shape(self) -> Shape {
        self.shape
    }

    /// The exponents' low four bits, cell `i` in bits `4i..4i+4`.
    #[inline]
    pub const fn nibbles(self) -> u64 {
        self.nibbles
    }

    /// Bit `i` is set when cell `i` holds exponent 16 + its nibble: a tile of 65536 or 131072.
    #[inline]
    pub const fn high(self) -> u16 {
        self.high
    }

    /// The exponent in a cell, 0 when it is empty.
    #[inline]
    pub fn exponent(self, cell: usize) -> u8 {
        debug_assert!(cell < self.shape.cells());
        (self.nibbles >> (4 * cell) & 15) as u8 | ((self.high >> cell & 1) as u8) << 4
    }

    /// The tile in a cell, 0 when it is empty.
    #[inline]
    pub fn tile(self, cell: usize) -> u32 {
        match self.exponent(cell) {
            0 => 0,
            e => 1 << e,
        }
    }

    /// The exponents, row by row.
    pub fn exponents(self) -> impl Iterator<Item = u8> {
        (0..self.shape.cells()).map(move |cell| self.exponent(cell))
    }

    /// The empty cells in ascending order.
    pub fn empty_cells(self) -> impl Iterator<Item = usize> {
        let mut plane = self.empty_plane();
        std::iter::from_fn(move || {
            (plane != 0).then(|| {
                let cell = plane.trailing_zeros() as usize / 4;
                plane &= plane - 1;
                cell
            })
        })
    }

    /// Is this a 4×4 board without tiles of 65536 and more: one for the fast path?
    #[inline(always)]
    pub(crate) const fn is_plain(self) -> bool {
        let tag = (self.high as u32) << 16 | (self.shape.rows() << 8 | self.shape.cols()) as u32;
        tag == 0x0404
    }

    /// How many cells are empty.
    #[inline]
    pub fn empty_count(self) -> usize {
        self.empties().count()
    }

    /// The empty cells, to count and to choose from.
    #[inline(always)]
    pub(crate) fn empties(self) -> Empties {
        let plane = self.empty_plane();
        Empties { plane, before: plane.wrapping_mul(ONES << 4) }
    }

    /// A one in the nibble of each empty cell.
    #[inline]
    pub(crate) fn empty_plane(self) -> u64 {
        if self.is_plain() {
            return ONES & !occupied(self.nibbles);
        }
        Geometry::of(self.shape).cells[0] & !occupied(self.nibbles) & !self.high_plane()
    }

    /// A one in the nibble of each cell with a tile of 65536 or more.
    #[inline]
    pub(crate) fn high_plane(self) -> u64 {
        let mut x = self.high as u64;
        x = (x | x << 24) & 0x0000_00ff_0000_00ff;
        x = (x | x << 12) & 0x000f_000f_000f_000f;
        x = (x | x << 6) & 0x0303_0303_0303_0303;
        (x | x << 3) & ONES
    }

    /// The sum of all tiles. Unchanged by a slide, raised by 2 or 4 by a spawn: the layer of the
    /// position in a complete analysis.
    pub fn tile_sum(self) -> u32 {
        self.exponents().filter(|&e| e > 0).map(|e| 1 << e).sum()
    }

    /// The largest exponent, 0 on an empty board.
    pub fn max_exponent(self) -> u8 {
        self.exponents().max().unwrap_or(0)
    }

    /// The largest tile, 0 on an empty board.
    pub fn max_tile(self) -> u32 {
        match self.max_exponent() {
            0 => 0,
            e => 1 << e,
        }
    }

    /// How many different tiles there are, empty cells not counted.
    pub fn distinct_tiles(self) -> usize {
        let set = self.exponents().fold(0u32, |set, e| set | 1 << e);
        (set >> 1).count_ones() as usize
    }

    /// The grid seen through one of its symmetries. A rectangle that is not a square has no
    /// diagonal symmetries; asking for one gives the grid on the transposed shape.
    #[must_use]
    pub fn transformed(self, symmetry: Symmetry) -> Grid {
        let shape = symmetry.shape(self.shape);
        let mut grid = Grid::empty(shape);
        for cell in 0..self.shape.cells() {
            grid.put(symmetry.cell(self.shape, cell), self.exponent(cell));
        }
        grid
    }

    /// The smallest of the grid's images under the symmetries of its shape: equal for positions
    /// that differ by symmetry only.
    #[must_use]
    pub fn canonical(self) -> Grid {
        if self.shape == Shape::CLASSIC && self.high == 0 {
            return Grid { nibbles: canonical_4x4(self.nibbles), ..self };
        }
        let images = Symmetry::of(self.shape).iter().map(|&s| self.transformed(s));
        images.min().unwrap_or(self)
    }

    /// With a tile put into an empty cell; the caller has checked cell and exponent.
    #[inline(always)]
    pub(crate) fn with(self, cell: usize, exponent: u8) -> Grid {
        Grid { nibbles: self.nibbles | (exponent as u64) << (4 * cell), ..self }
    }

    fn put(&mut self, cell: usize, exponent: u8) {
        self.nibbles |= (exponent as u64 & 15) << (4 * cell);
        self.high |= (exponent as u16 >> 4) << cell;
    }
}

/// The empty cells of a grid, counted without a loop: where tiles appear is the one thing about
/// a board that no branch predictor can learn.
#[derive(Clone, Copy)]
pub(crate) struct Empties {
    /// A one in the nibble of each empty cell.
    plane: u64,
    /// In each nibble the number of empty cells before it: at most 15.
    before: u64,
}

impl Empties {
    #[inline(always)]
    pub(crate) const fn count(self) -> usize {
        ((self.before >> 60) + (self.plane >> 60)) as usize
    }

    /// The empty cell that has `n` empty ones before it; `n` must be below the count.
    #[inline(always)]
    pub(crate) const fn nth(self, n: usize) -> usize {
        debug_assert!(n < self.count());
        let differs = self.before ^ ONES.wrapping_mul(n as u64);
        ((self.plane & !occupied(differs)).trailing_zeros() / 4) as usize
    }
}

fn canonical_4x4(x: u64) -> u64 {
    let mirror = |x: u64| {
        (x & 0x000f_000f_000f_000f) << 12
            | (x & 0x00f0_00f0_00f0_00f0) << 4
            | (x & 0x0f00_0f00_0f00_0f00) >> 4
            | (x & 0xf000_f000_f000_f000) >> 12
    };
    let flip = |x: u64| {
        let x = x.rotate_left(32);
        (x & 0x0000_ffff_0000_ffff) << 16 | x >> 16 & 0x0000_ffff_0000_ffff
    };
    let four = |x: u64| x.min(mirror(x)).min(flip(x)).min(flip(mirror(x)));
    four(x).min(four(transpose_nibbles(x)))
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid({self})")
    }
}
