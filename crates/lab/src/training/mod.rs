//! Training runs: a recipe, a folder that explains itself, checkpoints that survive anything.

mod checkpoint;
mod estimates;
mod extras;
mod folder;
mod lesson;
mod memory;
#[cfg(feature = "neural-train")]
mod neural;
#[cfg(feature = "neural-train")]
mod neural_duel;
mod neural_recipe;
mod phases;
mod recipe;
mod recipes;
mod report;
mod session;
mod student;
mod tree_recipe;
mod trees;
mod tuples;
#[cfg(not(feature = "neural-train"))]
mod untaught;

pub use checkpoint::{Checkpoint, latest_network, newest_network};
pub(crate) use checkpoint::{SIDE, second_of};
pub use estimates::{EstimateReport, ExactReport};
pub use folder::{Origin, RunError, RunFolder};
pub use memory::fits;
pub use neural_recipe::{DeviceRule, ImageRule, LossRule, StartRule};
pub use recipe::{
    CornerUse, CreditRule, FIELDS, Field, Learner, RateKind, Recipe, RecipeError, RewardRule,
    Shaping, StepRule, Switch,
};
pub use recipes::{NAMED_RECIPES, named_recipe};
pub use report::{HabitShare, OptimizerReport, PolicyReport, Report, ReportKind};
pub use session::{Event, Session};
pub use tree_recipe::TreeRule;
