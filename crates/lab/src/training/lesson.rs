//! The parts of a lesson: the network at its start, what the step rule remembers, where games start,
//! which loop plays them.

use std::path::Path;

use maxtile_ntuple::course::{Course, Lesson, learn};
use maxtile_ntuple::td::{Coherence, Credit, PerWeight, Step, StepSizes};
use maxtile_ntuple::{Network, train};

use super::folder::RunError;
use super::memory::fits;
use super::recipe::{Recipe, StepRule};

/// What the step rule remembers of each weight.
pub(super) enum StepMemory {
    Nothing,
    Coherence(Coherence),
    StepSizes(StepSizes),
}

impl StepMemory {
    pub(super) fn per_weight(&self) -> Option<&dyn PerWeight> {
        match self {
            StepMemory::Nothing => None,
            StepMemory::Coherence(sums) => Some(sums),
            StepMemory::StepSizes(sizes) => Some(sizes),
        }
    }
}

/// Where the games of a block start, and which set of weights learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stretch {
    /// From the stored boards of this stage; from the usual start without.
    pub(super) boards_of: Option<usize>,
    /// Only this set.
    pub(super) only: Option<usize>,
}

impl Stretch {
    /// The stage in which its games start.
    pub(super) fn start(self) -> usize {
        self.boards_of.unwrap_or(0)
    }
}

/// A network at its start, if it fits into memory together with what the step rule remembers.
pub(super) fn fresh(recipe: &Recipe, path: &Path) -> Result<Network, RunError> {
    let spec = recipe.spec().map_err(|e| RunError::Recipe(path.to_owned(), e))?;
    let numbers = match recipe.step {
        StepRule::Td if recipe.tc_at == 0 => 1,
        StepRule::Td | StepRule::Tc => 3,
        StepRule::Autostep => 4,
    };
    let bytes = 4 * numbers * spec.weights() * recipe.networks() as u64;
    fits(bytes, "this run").map_err(RunError::Network)?;
    let network = Network::new(spec).map_err(|e| RunError::Network(e.to_string()))?;
    if recipe.initial_value != 0.0 {
        network.set_all(recipe.initial_value as f32);
    }
    Ok(network)
}

/// The fast loop where it is enough.
pub(super) fn play<S: Step, C: Credit>(
    plain: bool,
    network: &Network,
    step: &S,
    credit: &C,
    course: &Course<'_>,
) -> Lesson {
    if !plain {
        return learn(network, step, credit, course);
    }
    Lesson { played: train(network, step, credit, &course.block), reached: Vec::new() }
}
