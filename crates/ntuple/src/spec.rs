//! A network as data: which cells each tuple reads.

use std::fmt;

use maxtile_game::{MAX_CELLS, Shape, Symmetry};
use serde::{Deserialize, Serialize};

use crate::features::Feature;
use crate::stages::Stages;

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
    /// Counts over the board that are looked up beside the tuples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<Feature>,
    /// Is there a set of all these weights for each stage of the game?
    #[serde(default, skip_serializing_if = "Spec::is_one")]
    pub stages: Stages,
    /// Does a weight that has not learned yet take over that of the stage before (Jaśkowski 2017)?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub promotion: bool,
    /// What is judged.
    #[serde(default, skip_serializing_if = "Judges::is_afterstates")]
    pub judges: Judges,
}

/// What a network's values are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judges {
    /// Positions after the slide, before the spawn.
    #[default]
    Afterstates,
    /// Positions to move: an afterstate is worth the mean over its spawns (TD-state).
    States,
    /// Moves in positions, a set of weights for each move (Q-learning).
    Moves,
    /// Both kinds of position of a duel, a set of weights for each: after slides, after placements.
    Duel,
}

impl Judges {
    fn is_afterstates(&self) -> bool {
        *self == Judges::Afterstates
    }
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
            features: Vec::new(),
            stages: Stages::One,
            promotion: false,
            judges: Judges::Afterstates,
        }
    }

    fn is_one(stages: &Stages) -> bool {
        *stages == Stages::One
    }

    /// How many tables a stage has: one for each tuple, then one for each feature.
    pub fn tables(&self) -> usize {
        self.tuples.len() + self.features.len()
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
        if shape != Shape::CLASSIC && !self.features.is_empty() {
            return Err(SpecError::Features);
        }
        let of_moves = self.judges == Judges::Moves;
        if of_moves != (self.stages == Stages::Moves) || of_moves && self.symmetric {
            return Err(SpecError::Moves);
        }
        let of_duel = self.judges == Judges::Duel;
        if of_duel != (self.stages == Stages::Sides) {
            return Err(SpecError::Sides);
        }
        let plain = !self.promotion && (of_moves || of_duel || self.stages == Stages::One);
        if self.judges != Judges::Afterstates && !plain {
            return Err(SpecError::Moves);
        }
        // Memory indices have 31 bits; some memory lies between the tables.
        if self.weights() > (1 << 31) - (1 << 24) {
            return Err(SpecError::TooLarge(self.weights()));
        }
        Ok(shape)
    }

    /// The number of weights: values^length for each tuple, and those of the features, in each
    /// stage.
    pub fn weights(&self) -> u64 {
        let tuples = self.tuples.iter().map(|t| (self.values as u64).pow(t.len() as u32));
        let features = self.features.iter().map(|feature| u64::from(feature.weights()));
        tuples.chain(features).sum::<u64>() * self.stages.count() as u64
    }

    /// The number of weights that are active for a board (m in the literature).
    pub fn active(&self) -> usize {
        self.lookups().len() + self.features.len()
    }

    /// The network with a table of its own for each symmetric image of a tuple. What is shared by
    /// symmetry cannot tell left from right: networks of moves need this.
    #[must_use]
    pub fn unshared(&self) -> Spec {
        let mut tuples: Vec<Vec<u8>> = self.lookups().into_iter().map(|(_, cells)| cells).collect();
        let mut seen = std::collections::HashSet::new();
        tuples.retain(|tuple| {
            let mut cells = tuple.clone();
            cells.sort_unstable();
            seen.insert(cells)
        });
        Spec { tuples, symmetric: false, ..self.clone() }
    }

    /// Every lookup of a tuple: which table, and the cells it reads on the board as it stands, one list for
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
    /// Features on a board that is not 4×4.
    Features,
    /// A set of weights for each move without judging moves, or the other way round.
    Moves,
    /// A set of weights for each side of a duel without judging one, or the other way round.
    Sides,
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::Board => f.write_str("the board is not ROWSxCOLUMNS"),
            SpecError::NoTuples => f.write_str("a network has 1 to 256 tuples"),
            SpecError::Values => f.write_str("a cell has 2 to 16 values"),
            SpecError::Tuple { index, what } => write!(f, "tuple {index} {what}"),
            SpecError::Features => f.write_str("features are counts over a 4x4 board"),
            SpecError::Moves => f.write_str(
                "a network of moves has a stage for each move and shares nothing by symmetry",
            ),
            SpecError::Sides => {
                f.write_str("a network of the duel, and no other, has a stage for each side")
            }
            SpecError::TooLarge(n) => write!(f, "{n} weights are more than can be addressed"),
        }
    }
}

impl std::error::Error for SpecError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named::named;

    #[test]
    fn unshared_networks_have_every_image_once() {
        // The row and the column images of two lines, and the eight of each rectangle, of which
        // halves are the same cells.
        let spec = named("szubert-2x4-2x6").unwrap().unshared();
        let count = |cells: usize| spec.tuples.iter().filter(|t| t.len() == cells).count();
        assert_eq!((count(4), count(6)), (8, 12));
        assert!(!spec.symmetric && spec.check().is_ok());
    }

    #[test]
    fn networks_of_moves_share_nothing() {
        let spec = named("wu-4x6").unwrap();
        let moves = Spec { judges: Judges::Moves, stages: Stages::Moves, ..spec };
        assert_eq!(moves.check(), Err(SpecError::Moves));
        assert!(moves.unshared().check().is_ok());
    }
}
