//! The symmetries of a board: of a square eight, of a rectangle four, of a line two.

use crate::direction::Move;
use crate::shape::Shape;

/// A way to turn or mirror a board onto itself (onto the transposed shape for the last four).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// Nothing changes.
    Identity,
    /// Left and right exchanged.
    Mirror,
    /// Top and bottom exchanged.
    Flip,
    /// Turned by 180°.
    HalfTurn,
    /// Rows and columns exchanged.
    Transpose,
    /// Turned by 90° clockwise.
    TurnRight,
    /// Turned by 90° counter-clockwise.
    TurnLeft,
    /// Mirrored at the other diagonal.
    AntiTranspose,
}

use Symmetry::{AntiTranspose, Flip, HalfTurn, Identity, Mirror, Transpose, TurnLeft, TurnRight};

impl Symmetry {
    /// All eight.
    pub const ALL: [Symmetry; 8] =
        [Identity, Mirror, Flip, HalfTurn, Transpose, TurnRight, TurnLeft, AntiTranspose];

    /// Those that map a board of this shape onto itself, each once.
    pub const fn of(shape: Shape) -> &'static [Symmetry] {
        match (shape.rows(), shape.cols()) {
            (1, 1) => &[Identity],
            (1, _) => &[Identity, Mirror],
            (_, 1) => &[Identity, Flip],
            (r, c) if r == c => &Symmetry::ALL,
            _ => &[Identity, Mirror, Flip, HalfTurn],
        }
    }

    /// Does it exchange rows and columns?
    const fn transposes(self) -> bool {
        matches!(self, Transpose | TurnRight | TurnLeft | AntiTranspose)
    }

    /// The shape a board of this shape is mapped to.
    pub fn shape(self, shape: Shape) -> Shape {
        if self.transposes() {
            Shape::new(shape.cols(), shape.rows()).unwrap_or(shape)
        } else {
            shape
        }
    }

    /// Where a cell of a board of this shape goes.
    pub fn cell(self, shape: Shape, cell: usize) -> usize {
        let (rows, cols) = (shape.rows(), shape.cols());
        let (r, c) = (cell / cols, cell % cols);
        match self {
            Identity => cell,
            Mirror => r * cols + (cols - 1 - c),
            Flip => (rows - 1 - r) * cols + c,
            HalfTurn => rows * cols - 1 - cell,
            Transpose => c * rows + r,
            TurnRight => c * rows + (rows - 1 - r),
            TurnLeft => (cols - 1 - c) * rows + r,
            AntiTranspose => (cols - 1 - c) * rows + (rows - 1 - r),
        }
    }

    /// The move that does on the mapped board what `mv` does on the board.
    pub const fn map_move(self, mv: Move) -> Move {
        use Move::{Down, Left, Right, Up};
        // images of up, right, down, left
        let images = match self {
            Identity => [Up, Right, Down, Left],
            Mirror => [Up, Left, Down, Right],
            Flip => [Down, Right, Up, Left],
            HalfTurn => [Down, Left, Up, Right],
            Transpose => [Left, Down, Right, Up],
            TurnRight => [Right, Down, Left, Up],
            TurnLeft => [Left, Up, Right, Down],
            AntiTranspose => [Right, Up, Left, Down],
        };
        images[mv as usize]
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        match self {
            TurnRight => TurnLeft,
            TurnLeft => TurnRight,
            other => other,
        }
    }
}

/// Transposes a 4×4 board of nibbles.
pub(crate) const fn transpose_nibbles(x: u64) -> u64 {
    let a = x & 0xf0f0_0f0f_f0f0_0f0f
        | (x & 0x0000_f0f0_0000_f0f0) << 12
        | (x & 0x0f0f_0000_0f0f_0000) >> 12;
    a & 0xff00_ff00_00ff_00ff
        | (a & 0x00ff_00ff_0000_0000) >> 24
        | (a & 0x0000_0000_ff00_ff00) << 24
}
