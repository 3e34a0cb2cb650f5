//! Training runs: a recipe, a folder that explains itself, checkpoints that survive anything.

mod checkpoint;
mod folder;
mod recipe;
mod recipes;
mod session;

pub use checkpoint::{Checkpoint, newest_network};
pub use folder::{Origin, RunError, RunFolder};
pub use recipe::{CreditRule, FIELDS, Field, RateKind, Recipe, RecipeError, StepRule};
pub use recipes::{NAMED_RECIPES, named_recipe};
pub use session::{Event, Report, Session};
