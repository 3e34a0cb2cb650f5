//! Training of networks for 2048: values by temporal differences ([`TdLearner`]), those of both sides of a duel
//! ([`DuelLearner`]), and policies by PPO ([`PpoLearner`]).
//!
//! A network comes and goes as [`maxtile_neural::Weights`]; games are played by that crate's own inference.
//! The framework (burn: tensors and their gradients, nothing else of it) stays inside: none of its types is in
//! a public signature, and only this crate depends on it.

mod duel;
mod duel_games;
mod error;
mod games;
mod judging;
mod layers;
mod model;
mod optimizer;
mod place;
mod policy_batch;
mod ppo;
mod pupil;
mod td;
#[cfg(test)]
mod tests;
mod trainer;
mod unsafe_allocator;

pub use duel::{DuelLearner, DuelSettings};
pub use duel_games::DuelLesson;
pub use error::TrainError;
pub use games::{PlayedGame, Reward, Starts};
pub use optimizer::Optimizer;
pub use place::Place;
pub use policy_batch::{PolicyLoss, PolicyRule, Transition};
pub use ppo::{PpoLearned, PpoLearner, PpoSettings};
pub use pupil::Images;
pub use td::{Learned, TdLearner, TdSettings};
pub use trainer::{Loss, Trainer};
