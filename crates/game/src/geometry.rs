//! Where the cells of a shape lie in a 64-bit word, computed once at compile time.
//!
//! Cell `i` is nibble `i` of the word, row by row. To slide towards the low end (up, left) the
//! word is used as it is; to slide towards the high end (right, down) its nibbles are reversed
//! first, so that every slide goes towards lower nibbles and one algorithm serves all four.

use crate::shape::{MAX_SIDE, Shape};

/// One bit per nibble, the lowest: the form of every mask below ("a plane of ones").
pub(crate) const ONES: u64 = 0x1111_1111_1111_1111;

/// Reverses the order of the 16 nibbles.
#[inline(always)]
pub(crate) const fn reverse_nibbles(x: u64) -> u64 {
    let x = x.swap_bytes();
    (x >> 4 & 0x0f0f_0f0f_0f0f_0f0f) | (x & 0x0f0f_0f0f_0f0f_0f0f) << 4
}

/// What one slide needs to know. Index `[mv]` is the move's number; "place" is the distance of
/// a cell from the wall it slides to. Stored by kind, not by move, so that four moves at once
/// load each kind as one vector.
#[repr(C, align(32))]
pub(crate) struct Geometry {
    /// Bits from a cell to the next one behind it.
    pub(crate) shift: [u64; 4],
    /// `behind[d - 1][mv]`: the cells with place at least `d`.
    pub(crate) behind: [[u64; 4]; MAX_SIDE - 1],
    /// The cells that have another one behind them.
    pub(crate) not_last: [u64; 4],
    /// All cells of the board.
    pub(crate) cells: [u64; 4],
    /// Sides longer than four need one more step.
    pub(crate) long: bool,
}

impl Geometry {
    #[inline(always)]
    pub(crate) fn of(shape: Shape) -> &'static Geometry {
        // The mask only spares the check of the bounds.
        &GEOMETRY[(shape.rows() << 3 | shape.cols()) & 63]
    }

    const fn new(rows: usize, cols: usize) -> Geometry {
        let mut g = Geometry {
            shift: [0; 4],
            behind: [[0; 4]; MAX_SIDE - 1],
            not_last: [0; 4],
            cells: [0; 4],
            long: rows > 4 || cols > 4,
        };
        let mut cell = 0;
        while cell < rows * cols {
            let (row, col) = (cell / cols, cell % cols);
            let bit = 1u64 << (4 * cell);
            // place and line length for up, right, down, left
            let places = [row, cols - 1 - col, rows - 1 - row, col];
            let lengths = [rows, cols, rows, cols];
            let mut mv = 0;
            while mv < 4 {
                let bit = if mv == 1 || mv == 2 { reverse_nibbles(bit) } else { bit };
                g.cells[mv] |= bit;
                let mut d = 1;
                while d <= places[mv] {
                    g.behind[d - 1][mv] |= bit;
                    d += 1;
                }
                if places[mv] + 1 < lengths[mv] {
                    g.not_last[mv] |= bit;
                }
                mv += 1;
            }
            cell += 1;
        }
        let (vertical, horizontal) = (4 * cols as u64, 4);
        g.shift = [vertical, horizontal, vertical, horizontal];
        g
    }
}

/// By rows × 8 + columns; what is no shape is empty.
static GEOMETRY: [Geometry; 64] = {
    let mut table = [const { Geometry::new(0, 0) }; 64];
    let mut i = 0;
    while i < 64 {
        if let Ok(shape) = Shape::new(i >> 3, i & 7) {
            table[i] = Geometry::new(shape.rows(), shape.cols());
        }
        i += 1;
    }
    table
};
