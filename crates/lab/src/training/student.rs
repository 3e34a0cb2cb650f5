//! What a run teaches: a network of tuples, or a neural one where the program was built for it.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use maxtile_game::Rules;
use maxtile_ntuple::Network;
use maxtile_search::Value;

use super::estimates::{EstimateReport, held_against_games};
use super::extras::Saved;
use super::folder::RunError;
#[cfg(feature = "neural-train")]
use super::neural::Neural;
use super::recipe::{Recipe, Switch};
use super::report::{HabitShare, OptimizerReport};
use super::tuples::Tuples;
use crate::catalog::Agent;
use crate::evaluate::{Until, evaluate};
use crate::rounds::{Setting, Watch};
use crate::stats::{Played, Summary};

/// Without the framework nothing of this kind exists.
#[cfg(not(feature = "neural-train"))]
type Neural = super::untaught::Untaught;

/// What a run teaches.
pub(super) enum Student {
    Tuples(Box<Tuples>),
    Neural(Box<Neural>),
}

/// A block of learning games.
#[derive(Default)]
pub(super) struct Learned {
    pub(super) games: Vec<Played>,
    /// Moves, restarts included.
    pub(super) moves: u64,
    /// The learning rate per active weight.
    pub(super) rate: f32,
    pub(super) optimizer: Option<OptimizerReport>,
    /// Positions judged, where they are counted.
    pub(super) positions: u64,
    pub(super) estimates: Option<EstimateReport>,
}

/// Test games.
pub(super) struct Tested {
    pub(super) summary: Option<Summary>,
    pub(super) habits: Vec<HabitShare>,
    pub(super) fallacy: Option<[u64; 3]>,
    pub(super) estimates: Option<EstimateReport>,
}

impl Student {
    /// A network at its start.
    pub(super) fn new(recipe: &Recipe, path: &Path) -> Result<Student, RunError> {
        let spec = recipe.neural().map_err(|e| RunError::Recipe(path.to_owned(), e))?;
        Ok(match spec {
            Some(spec) => Student::Neural(Box::new(Neural::new(recipe, spec)?)),
            None => Student::Tuples(Box::new(Tuples::new(recipe, path)?)),
        })
    }

    /// A network from the file of a checkpoint.
    pub(super) fn open(
        recipe: &Recipe,
        file: &Path,
        saved: Option<Saved>,
    ) -> Result<Student, String> {
        let neural = recipe.neural().map_err(|e| e.to_string())?.is_some();
        Ok(if neural {
            Student::Neural(Box::new(Neural::open(recipe, file)?))
        } else {
            Student::Tuples(Box::new(Tuples::open(recipe, file, saved)?))
        })
    }

    /// The network, where it is one of tuples.
    pub(super) fn tuples(&self) -> Option<&Network> {
        match self {
            Student::Tuples(tuples) => Some(&tuples.network),
            Student::Neural(_) => None,
        }
    }

    pub(super) fn describe(&self) -> String {
        match self {
            Student::Tuples(tuples) => tuples.describe(),
            Student::Neural(neural) => neural.describe(),
        }
    }

    /// Learns from some games.
    pub(super) fn learn(
        &mut self,
        recipe: &Recipe,
        rules: Rules,
        games: Range<u64>,
        remark: &mut dyn FnMut(String),
    ) -> Result<Learned, RunError> {
        match self {
            Student::Tuples(tuples) => tuples.learn(recipe, rules, games, remark),
            Student::Neural(neural) => neural.learn(recipe, games),
        }
    }

    /// Plays test games; `None` when stopped.
    pub(super) fn examine(
        &self,
        recipe: &Recipe,
        rules: Rules,
        stop: &AtomicBool,
    ) -> Option<Tested> {
        match self {
            Student::Tuples(tuples) => tuples.examine(recipe, rules, stop),
            Student::Neural(neural) => neural.examine(recipe, rules, stop),
        }
    }

    /// Writes the network's file, with what learning needs to go on.
    pub(super) fn save(
        &self,
        file: &Path,
        notes: BTreeMap<String, serde_json::Value>,
    ) -> io::Result<()> {
        match self {
            Student::Tuples(tuples) => tuples.save(file, notes),
            Student::Neural(neural) => neural.save(file, notes),
        }
    }

    /// What a checkpoint holds beside that file.
    pub(super) fn extras(&self) -> Option<Saved> {
        match self {
            Student::Tuples(tuples) => tuples.extras.save(),
            Student::Neural(_) => None,
        }
    }

    /// The corner ratios that the run has found, by the largest tile.
    pub(super) fn ratios(&self) -> Vec<(u32, f32)> {
        match self {
            Student::Tuples(tuples) => tuples.ratios(),
            Student::Neural(_) => Vec::new(),
        }
    }
}

/// Test games by an agent; `None` when stopped. Other games than those learned from: the complement of
/// the seed. Where the recipe wants estimates, those of this value are held against the games.
pub(super) fn tested(
    agent: &Agent,
    value: Option<&dyn Value>,
    recipe: &Recipe,
    rules: Rules,
    stop: &AtomicBool,
) -> Option<Tested> {
    let value = value.filter(|_| recipe.estimates == Switch::On);
    let setting = Setting { rules, seed: !recipe.seed, threads: recipe.threads as usize };
    let watch = Watch { progress: &|_| (), stop };
    let result =
        evaluate(agent, &setting, Until::Games(recipe.eval_games), value.is_some(), &watch);
    if result.interrupted {
        return None;
    }
    let estimates = match value {
        Some(value) => Some(held_against_games(value, &result.records, rules, stop)?),
        None => None,
    };
    Some(Tested { summary: result.summary, habits: Vec::new(), fallacy: None, estimates })
}
