//! The shape of a board: rows × columns, and what follows from the number of cells alone.

use std::fmt;
use std::str::FromStr;

/// A board's rows and columns: sides from 1 to 6, at most 16 cells.
///
/// ```
/// use maxtile_game::Shape;
///
/// let shape: Shape = "3x4".parse()?;
/// assert_eq!((shape.rows(), shape.cols(), shape.cells()), (3, 4, 12));
/// assert_eq!(1u32 << shape.max_exponent(), 8192);
/// assert!("7x2".parse::<Shape>().is_err());
/// # Ok::<(), maxtile_game::ShapeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    rows: u8,
    cols: u8,
}

/// The longest side a board may have.
pub const MAX_SIDE: usize = 6;
/// The most cells a board may have.
pub const MAX_CELLS: usize = 16;

impl Shape {
    /// The ordinary board, 4×4.
    pub const CLASSIC: Shape = Shape { rows: 4, cols: 4 };

    /// A shape of `rows` × `cols`, or the reason why there is none.
    pub const fn new(rows: usize, cols: usize) -> Result<Shape, ShapeError> {
        if rows < 1 || rows > MAX_SIDE || cols < 1 || cols > MAX_SIDE {
            return Err(ShapeError::Side);
        }
        if rows * cols > MAX_CELLS {
            return Err(ShapeError::Cells);
        }
        Ok(Shape { rows: rows as u8, cols: cols as u8 })
    }

    /// Every shape there is, 26 of them, smallest rows first.
    pub fn all() -> impl Iterator<Item = Shape> {
        (1..=MAX_SIDE).flat_map(|rows| (1..=MAX_SIDE).filter_map(move |c| Shape::new(rows, c).ok()))
    }

    /// Number of rows.
    #[inline]
    pub const fn rows(self) -> usize {
        self.rows as usize
    }

    /// Number of columns.
    #[inline]
    pub const fn cols(self) -> usize {
        self.cols as usize
    }

    /// Number of cells.
    #[inline]
    pub const fn cells(self) -> usize {
        self.rows as usize * self.cols as usize
    }

    /// Is the board a square (and so has eight symmetries)?
    pub const fn is_square(self) -> bool {
        self.rows == self.cols
    }

    /// Exponent of the largest tile that can ever stand on this board: cells + 1.
    ///
    /// A tile 2^k, k > 2, needs its two halves side by side, the second built while the first
    /// stands there, so it needs one cell more than 2^(k-1); a 4 = 2^2 spawns on one cell.
    pub const fn max_exponent(self) -> u8 {
        self.cells() as u8 + 1
    }

    /// The largest tile sum that can ever stand on this board: 4 + 8 + … + 2^(cells+1).
    ///
    /// Every position is held to this bound, which is why no merge can overflow: slides keep the
    /// sum, and a sum within 4 of the bound has as many binary digits as there are cells, so
    /// the board is full and nothing spawns.
    pub const fn max_tile_sum(self) -> u32 {
        (1 << (self.cells() + 2)) - 4
    }

    /// No game on this board can score more than this; 3,932,100 on 4×4.
    ///
    /// A tile 2^e grown from 2s alone has scored (e-1)·2^e, and each spawned 4 costs four
    /// points of that. The bound is the full board 4, 8, …, 2^(cells+1) with the one spawned 4
    /// that each of its tiles cannot do without.
    pub const fn max_score(self) -> u32 {
        let mut score = 0;
        let mut e = 2;
        while e <= self.max_exponent() as u32 {
            score += (e - 1) << e;
            e += 1;
        }
        score - 4 * self.cells() as u32
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shape({self})")
    }
}

impl FromStr for Shape {
    type Err = ShapeError;

    /// Reads `RxC`, rows first.
    fn from_str(text: &str) -> Result<Shape, ShapeError> {
        let (rows, cols) = text.split_once('x').ok_or(ShapeError::Text)?;
        let side = |digits: &str| match digits.as_bytes() {
            [d @ b'0'..=b'9'] => Ok((d - b'0') as usize),
            [_, ..] if digits.bytes().all(|b| b.is_ascii_digit()) => Err(ShapeError::Side),
            _ => Err(ShapeError::Text),
        };
        Shape::new(side(rows)?, side(cols)?)
    }
}

/// Why there is no such shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeError {
    /// The text is not `RxC`.
    Text,
    /// A side is 0 or longer than 6.
    Side,
    /// More than 16 cells.
    Cells,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ShapeError::Text => "a board size is written ROWSxCOLUMNS, for example 4x4 or 3x5",
            ShapeError::Side => "a board's sides go from 1 to 6",
            ShapeError::Cells => "a board has at most 16 cells",
        })
    }
}

impl std::error::Error for ShapeError {}
