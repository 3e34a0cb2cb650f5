//! A network as data: which cells each tuple reads.

use std::fmt;

use maxtile_game::{MAX_CELLS, Shape, Symmetry};
use serde::{Deserialize, Serialize};

/// The longest tuple.
pub const MAX_TUPLE: usize = 8;

/// What a network looks like, without its weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// A name for people.
    pub name: String,
    /// The board, `RxC`.
    pub board: String,
    /// The cells of each tuple, numbered row by row. The order is the order of the digits of the
    /// index in files, the first cell being the lowest digit.
    pub tuples: Vec<Vec<u8>>,
    /// How many values a cell can have: exponents 0 to `values` - 1. Boards with larger tiles are
    /// downgraded first.
    pub values: u8,
    /// Does each table serve all symmetric images of its tuple?
    pub symmetric: bool,
}

impl Spec {
    /// A network on the ordinary board with 16 values a cell.
    pub fn classic(name: &str, tuples: &[&[u8]], values: u8, symmetric: bool) -> Spec {
        Spec {
            name: name.to_owned(),
            board: Shape::CLASSIC.to_string(),
            tuples: tuples.iter().map(|t| t.to_vec()).collect(),
            values,
            symmetric,
        }
    }

    /// Checks every field.
    pub fn check(&self) -> Result<Shape, SpecError> {
        let shape: Shape = self.board.parse().map_err(|_| SpecError::Board)?;
        if self.tuples.is_empty() || self.tuples.len() > 256 {
            return Err(SpecError::NoTuples);
        }
        if !(2..=16).contains(&self.values) {
            return Err(SpecError::Values);
        }
        for (index, tuple) in self.tuples.iter().enumerate() {
            let at = |what| SpecError::Tuple { index, what };
            if tuple.is_empty() || tuple.len() > MAX_TUPLE {
                return Err(at("has no cell, or more than eight"));
            }
            let mut seen = [false; MAX_CELLS];
            for &cell in tuple {
                if cell as usize >= shape.cells() {
                    return Err(at("names a cell that the board does not have"));
                }
                if std::mem::replace(&mut seen[cell as usize], true) {
                    return Err(at("names a cell twice"));
                }
            }
        }
        // Memory indices have 32 bits.
        if self.weights() > 1 << 31 {
            return Err(SpecError::TooLarge(self.weights()));
        }
        Ok(shape)
    }

    /// The number of weights: values^length for each tuple.
    pub fn weights(&self) -> u64 {
        self.tuples.iter().map(|t| (self.values as u64).pow(t.len() as u32)).sum()
    }

    /// The number of weights that are active for a board (m in the literature).
    pub fn active(&self) -> usize {
        self.lookups().len()
    }

    /// Every lookup: which table, and the cells it reads on the board as it stands, one list for
    /// each symmetry of the board.
    pub fn lookups(&self) -> Vec<(usize, Vec<u8>)> {
        let shape: Shape = self.board.parse().unwrap_or(Shape::CLASSIC);
        let identity = [Symmetry::Identity];
        let symmetries = if self.symmetric { Symmetry::of(shape) } else { &identity };
        let mut lookups = Vec::new();
        for (table, tuple) in self.tuples.iter().enumerate() {
            for symmetry in symmetries {
                // Reading cell c of the transformed board is reading its origin on this one.
                let origin = symmetry.inverse();
                let shape = symmetry.shape(shape);
                let cells = tuple.iter().map(|&c| origin.cell(shape, c as usize) as u8);
                lookups.push((table, cells.collect()));
            }
        }
        lookups
    }
}

/// What is wrong with a network's description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecError {
    /// `board` is no shape.
    Board,
    /// No tuples, or more than 256.
    NoTuples,
    /// `values` is not between 2 and 16.
    Values,
    /// A bad tuple.
    Tuple {
        /// Its place in the list, from 0.
        index: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// More weights than can be addressed.
    TooLarge(u64),
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::Board => f.write_str("the board is not ROWSxCOLUMNS"),
            SpecError::NoTuples => f.write_str("a network has 1 to 256 tuples"),
            SpecError::Values => f.write_str("a cell has 2 to 16 values"),
            SpecError::Tuple { index, what } => write!(f, "tuple {index} {what}"),
            SpecError::TooLarge(n) => write!(f, "{n} weights are more than can be addressed"),
        }
    }
}

impl std::error::Error for SpecError {}
