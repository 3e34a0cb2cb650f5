//! The board to be analysed: which cells are free, which are walls, which hold a fixed block.

use std::fmt;
use std::str::FromStr;

use maxtile_game::{Shape, ShapeError, Symmetry};

/// What a cell of the region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// Tiles move through it.
    Free,
    /// Nothing ever stands here; tiles stop before it.
    Wall,
    /// A tile too large to merge with anything. A slide that would move it is not allowed: it
    /// leaves the region.
    Fixed,
}

/// A board of any form inside a rectangle.
///
/// ```
/// use maxtile_solve::Region;
///
/// let plus: Region = "#.#/.../#.#".parse()?;
/// assert_eq!((plus.free_count(), plus.symmetries().len()), (5, 8));
/// # Ok::<(), maxtile_solve::RegionError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Region {
    shape: Shape,
    cells: Vec<Cell>,
}

/// The most free cells a region may have: two halves of six.
pub const MAX_FREE: usize = 12;

impl Region {
    /// A whole rectangle.
    pub fn full(shape: Shape) -> Result<Region, RegionError> {
        Region::new(shape, vec![Cell::Free; shape.cells()])
    }

    /// The region with these cells, row by row.
    pub fn new(shape: Shape, cells: Vec<Cell>) -> Result<Region, RegionError> {
        if cells.len() != shape.cells() {
            return Err(RegionError::Text);
        }
        let region = Region { shape, cells };
        match region.free_count() {
            0 | 1 => Err(RegionError::TooSmall),
            2..=MAX_FREE => Ok(region),
            _ => Err(RegionError::TooLarge),
        }
    }

    /// The rectangle around it.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// What a cell is.
    pub fn cell(&self, cell: usize) -> Cell {
        self.cells[cell]
    }

    /// Is it a whole rectangle?
    pub fn is_full(&self) -> bool {
        self.cells.iter().all(|&cell| cell == Cell::Free)
    }

    /// The free cells, row by row.
    pub fn free_cells(&self) -> impl Iterator<Item = usize> {
        (0..self.cells.len()).filter(|&cell| self.cells[cell] == Cell::Free)
    }

    /// How many cells are free.
    pub fn free_count(&self) -> usize {
        self.free_cells().count()
    }

    /// Exponent of the largest tile that can ever stand here: one more than there are free cells.
    pub fn max_exponent(&self) -> u8 {
        self.free_count() as u8 + 1
    }

    /// The symmetries of the rectangle that leave the region as it is.
    pub fn symmetries(&self) -> Vec<Symmetry> {
        let keeps = |symmetry: &Symmetry| {
            (0..self.cells.len())
                .all(|cell| self.cells[symmetry.cell(self.shape, cell)] == self.cells[cell])
        };
        Symmetry::of(self.shape).iter().copied().filter(keeps).collect()
    }

    /// The region with rows and columns exchanged.
    #[must_use]
    pub fn transposed(&self) -> Region {
        let shape = Symmetry::Transpose.shape(self.shape);
        let mut cells = self.cells.clone();
        for (cell, &kind) in self.cells.iter().enumerate() {
            cells[Symmetry::Transpose.cell(self.shape, cell)] = kind;
        }
        Region { shape, cells }
    }
}

impl fmt::Display for Region {
    /// `RxC` for a rectangle, else a character a cell: `.` free, `#` wall, `x` fixed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_full() {
            return self.shape.fmt(f);
        }
        for (index, cell) in self.cells.iter().enumerate() {
            if index > 0 && index % self.shape.cols() == 0 {
                f.write_str("/")?;
            }
            f.write_str(match cell {
                Cell::Free => ".",
                Cell::Wall => "#",
                Cell::Fixed => "x",
            })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Region({self})")
    }
}

impl FromStr for Region {
    type Err = RegionError;

    fn from_str(text: &str) -> Result<Region, RegionError> {
        match text.parse() {
            Ok(shape) => return Region::full(shape),
            Err(ShapeError::Text) => {}
            Err(_) if text.split('x').any(|side| side.trim_matches('0').is_empty()) => {
                return Err(RegionError::TooSmall);
            }
            Err(_) => return Err(RegionError::TooLarge),
        }
        let rows: Vec<&str> = text.split('/').collect();
        let cols = rows[0].len();
        if !text.bytes().all(|b| b".#x/".contains(&b)) || rows.iter().any(|row| row.len() != cols) {
            return Err(RegionError::Text);
        }
        let shape = Shape::new(rows.len(), cols).map_err(|_| RegionError::Sides)?;
        let cell = |letter| match letter {
            b'.' => Cell::Free,
            b'#' => Cell::Wall,
            _ => Cell::Fixed,
        };
        Region::new(shape, rows.concat().bytes().map(cell).collect())
    }
}

/// Why there is no such region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionError {
    /// The text is neither a size nor rows of cells.
    Text,
    /// The rectangle around it is none of ours.
    Sides,
    /// Fewer than two free cells.
    TooSmall,
    /// More free cells than can be analysed.
    TooLarge,
}

impl fmt::Display for RegionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RegionError::Text => {
                "a board is written 3x3, or row by row with . free, # wall, x fixed: #.#/.../#.#"
            }
            RegionError::Sides => "a board's sides go from 1 to 6, with at most 16 cells",
            RegionError::TooSmall => "a board to analyse has at least two free cells",
            RegionError::TooLarge => {
                "the board is too large: one of at most 12 free cells can be analysed"
            }
        })
    }
}

impl std::error::Error for RegionError {}
