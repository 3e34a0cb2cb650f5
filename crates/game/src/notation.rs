//! Positions as text: the compact form, rows of tile values, and a drawn grid.
//!
//! | form | example |
//! |---|---|
//! | compact | `1200000000000000`, `3x3:120000000` |
//! | rows | `2 4 0 0/0 0 0 0/0 0 0 0/0 0 0 0` |
//! | drawn | the boxes of [`Grid::drawn`] |
//!
//! The compact form has one character per cell, row by row: the exponent in base 36, `0` for an
//! empty cell, `1` for a 2, … `f` for 32768, `g` for 65536, `h` for 131072. Boards other than 4×4
//! carry their size in front. Reading accepts all three forms and either case of letters;
//! writing gives the compact form.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use crate::grid::Grid;
use crate::shape::{MAX_CELLS, MAX_SIDE, Shape, ShapeError};

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(4 + MAX_CELLS);
        if self.shape() != Shape::CLASSIC {
            write!(text, "{}:", self.shape())?;
        }
        text.extend(self.exponents().map(|e| b"0123456789abcdefgh"[e as usize] as char));
        f.pad(&text)
    }
}

impl Grid {
    /// The tiles in rows: `2 4 0 0/0 0 0 0/…`.
    pub fn to_rows(self) -> String {
        let cols = self.shape().cols();
        let mut text = String::new();
        for cell in 0..self.shape().cells() {
            if cell > 0 {
                text.push(if cell % cols == 0 { '/' } else { ' ' });
            }
            let _ = write!(text, "{}", self.tile(cell));
        }
        text
    }

    /// The board as a picture of several lines, without a line break at the end.
    ///
    /// ```
    /// let board: maxtile_game::Board = "1x3:140".parse()?;
    /// assert_eq!(board.drawn(), "\
    /// +------+------+------+
    /// |    2 |   16 |      |
    /// +------+------+------+");
    /// # Ok::<(), maxtile_game::PositionError>(())
    /// ```
    pub fn drawn(self) -> String {
        let (rows, cols) = (self.shape().rows(), self.shape().cols());
        let width = self.max_tile().to_string().len().max(4);
        let line = format!("+{}", format!("{}+", "-".repeat(width + 2)).repeat(cols));
        let mut text = line.clone();
        for row in 0..rows {
            text.push_str("\n|");
            for col in 0..cols {
                let _ = match self.tile(row * cols + col) {
                    0 => write!(text, " {:width$} |", ""),
                    tile => write!(text, " {tile:width$} |"),
                };
            }
            text.push('\n');
            text.push_str(&line);
        }
        text
    }
}

impl FromStr for Grid {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Grid, PositionError> {
        let text = text.trim();
        if text.is_empty() {
            Err(PositionError::Empty)
        } else if text.contains('|') {
            parse_drawn(text)
        } else if text.contains('/') || text.contains(char::is_whitespace) || text.len() == 1 {
            // A single tile is the one row of a single cell; the compact form is never so short.
            parse_rows(text)
        } else {
            parse_compact(text)
        }
    }
}

fn parse_compact(text: &str) -> Result<Grid, PositionError> {
    let (shape, cells) = match text.split_once(':') {
        Some((shape, cells)) => (shape.parse().map_err(PositionError::Size)?, cells),
        None => (Shape::CLASSIC, text),
    };
    let mut exponents = Vec::with_capacity(MAX_CELLS);
    for (cell, found) in cells.chars().enumerate() {
        match found.to_digit(18) {
            Some(exponent) if cell < MAX_CELLS => exponents.push(exponent as u8),
            Some(_) => {}
            None => return Err(PositionError::NotAnExponent { cell, found }),
        }
    }
    let got = cells.chars().count();
    if got != shape.cells() {
        return Err(PositionError::CellCount { shape, want: shape.cells(), got });
    }
    Grid::from_exponents(shape, &exponents)
}

fn parse_rows(text: &str) -> Result<Grid, PositionError> {
    from_rows(text.split('/').map(|row| row.split_whitespace().collect()))
}

fn parse_drawn(text: &str) -> Result<Grid, PositionError> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut rows = Vec::new();
    for line in lines {
        if line.starts_with('+') && line.chars().all(|c| matches!(c, '+' | '-')) {
            continue;
        }
        let inside = line.strip_prefix('|').and_then(|l| l.strip_suffix('|'));
        let inside = inside.ok_or(PositionError::NotADrawnRow { row: rows.len() + 1 })?;
        rows.push(inside.split('|').map(str::trim).collect());
    }
    from_rows(rows.into_iter())
}

fn from_rows<'a>(rows: impl Iterator<Item = Vec<&'a str>>) -> Result<Grid, PositionError> {
    let rows: Vec<Vec<&str>> = rows.take(MAX_SIDE + 1).collect();
    let cols = rows.first().map_or(0, Vec::len);
    let shape = Shape::new(rows.len(), cols).map_err(PositionError::Size)?;
    let mut exponents = Vec::with_capacity(MAX_CELLS);
    for (row, tiles) in rows.iter().enumerate() {
        if tiles.len() != cols {
            return Err(PositionError::RowLength { row: row + 1, want: cols, got: tiles.len() });
        }
        for (col, &tile) in tiles.iter().enumerate() {
            let exponent = exponent_of(tile);
            exponents.push(exponent.ok_or_else(|| PositionError::NotATile {
                row: row + 1,
                col: col + 1,
                found: tile.chars().take(20).collect(),
            })?);
        }
    }
    Grid::from_exponents(shape, &exponents)
}

/// The exponent of a tile written as a number; nothing, `0` and `.` are empty cells.
fn exponent_of(tile: &str) -> Option<u8> {
    if matches!(tile, "" | "0" | ".") {
        return Some(0);
    }
    let digits = tile.bytes().all(|b| b.is_ascii_digit()) && !tile.starts_with('0');
    let value: u32 = if digits { tile.parse().ok()? } else { return None };
    (value.is_power_of_two() && value > 1).then_some(value.trailing_zeros() as u8)
}

/// What is wrong with a position, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionError {
    /// There is no text.
    Empty,
    /// The size is not one a board can have.
    Size(ShapeError),
    /// Not as many cells as the shape has.
    CellCount {
        /// The shape the text is read as.
        shape: Shape,
        /// Its cells.
        want: usize,
        /// The cells found.
        got: usize,
    },
    /// A character that is no exponent.
    NotAnExponent {
        /// The cell, counted from 0.
        cell: usize,
        /// The character.
        found: char,
    },
    /// A number that is no tile.
    NotATile {
        /// The row, counted from 1.
        row: usize,
        /// The column, counted from 1.
        col: usize,
        /// The word found there.
        found: String,
    },
    /// A row longer or shorter than the first.
    RowLength {
        /// The row, counted from 1.
        row: usize,
        /// The length of the first row.
        want: usize,
        /// The length of this row.
        got: usize,
    },
    /// A line of a drawn grid that does not stand between bars.
    NotADrawnRow {
        /// The row, counted from 1.
        row: usize,
    },
    /// A tile that can never stand on this board.
    TileTooLarge {
        /// The shape of the board.
        shape: Shape,
        /// The cell, counted from 0.
        cell: usize,
    },
    /// More on the board than can ever stand there.
    SumTooLarge {
        /// The shape of the board.
        shape: Shape,
        /// The sum of the tiles.
        sum: u64,
    },
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PositionError::Empty => f.write_str("the position is empty text"),
            PositionError::Size(error) => error.fmt(f),
            PositionError::CellCount { shape, want, got } => {
                write!(f, "a {shape} position has {want} cells, this text has {got}")
            }
            PositionError::NotAnExponent { cell, found } => {
                write!(f, "cell {cell}: {found:?} is not an exponent (0-9, a-h)")
            }
            PositionError::NotATile { row, col, found } => {
                write!(f, "row {row}, column {col}: {found:?} is not a tile (0, 2, 4, 8, …)")
            }
            PositionError::RowLength { row, want, got } => {
                write!(f, "row {row} has {got} cells, the first row has {want}")
            }
            PositionError::NotADrawnRow { row } => {
                write!(f, "row {row} of the drawn grid does not stand between two bars '|'")
            }
            PositionError::TileTooLarge { shape, cell } => {
                let largest = 1u32 << shape.max_exponent();
                write!(f, "cell {cell}: no tile above {largest} can stand on a {shape} board")
            }
            PositionError::SumTooLarge { shape, sum } => {
                let most = shape.max_tile_sum();
                write!(
                    f,
                    "the tiles sum to {sum}, but a {shape} board can never hold more than {most}"
                )
            }
        }
    }
}

impl std::error::Error for PositionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PositionError::Size(error) => Some(error),
            _ => None,
        }
    }
}
