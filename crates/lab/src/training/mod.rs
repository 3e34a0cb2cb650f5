//! Training runs: a recipe, a folder that explains itself, checkpoints that survive anything.

mod checkpoint;
mod extras;
mod folder;
mod lesson;
mod memory;
mod phases;
mod recipe;
mod recipes;
mod report;
mod session;

pub use checkpoint::{Checkpoint, latest_network, newest_network};
pub use folder::{Origin, RunError, RunFolder};
pub use memory::fits;
pub use recipe::{
    CornerUse, CreditRule, FIELDS, Field, Learner, RateKind, Recipe, RecipeError, RewardRule,
    Shaping, StepRule, Switch,
};
pub use recipes::{NAMED_RECIPES, named_recipe};
pub use report::{HabitShare, Report, ReportKind};
pub use session::{Event, Session};
