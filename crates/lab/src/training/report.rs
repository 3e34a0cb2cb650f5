//! Lines of the metrics.

use std::collections::BTreeMap;

use maxtile_ntuple::Played;
use maxtile_ntuple::course::{Habit, Habits};
use serde::{Deserialize, Serialize};

use super::estimates::EstimateReport;
use super::recipe::Recipe;

/// A line of the metrics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Which games it is about.
    pub r#type: ReportKind,
    /// The recipe under whose rules the games were played, where it is not the run's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<String>,
    /// Games learned so far.
    pub games: u64,
    /// Moves learned so far, restarts included.
    pub moves: u64,
    /// Seconds spent learning so far.
    pub seconds: f64,
    /// Learning games a second in the last block.
    pub games_per_s: f64,
    /// Learning moves a second in the last block.
    pub moves_per_s: f64,
    /// The learning rate of the last block, per active weight.
    pub rate: f32,
    /// Mean score of the games reported on.
    pub mean: f64,
    /// Half the width of its 95 % interval.
    pub ci95: f64,
    /// The largest score among them.
    pub max: u32,
    /// Share of them that reached at least this tile.
    pub tiles: BTreeMap<String, f64>,
    /// By the largest tile: moves, and the share of them with base, array and maximum in corner.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub habits: Vec<HabitShare>,
    /// What the corner rule did in an evaluation: moves, those it changed, and those of them where a
    /// search one move deeper prefers the other one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallacy: Option<[u64; 3]>,
    /// By the largest tile: the corner ratio that the search holds for the best.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratios: Vec<(u32, f32)>,
    /// What the optimiser of a neural network did in a block of learning games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<OptimizerReport>,
    /// Positions judged in learning so far, where they are counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub positions: u64,
    /// What values promised and what came of it, in the games reported on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimates: Option<EstimateReport>,
    /// The same of the learning games since the last test games, in a line about test games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning: Option<EstimateReport>,
}

/// A count of nothing is not written: lines of those who do not count stay as they were.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Report {
    /// How much of a run is done, in the measure of [`Recipe::length`].
    ///
    /// [`Recipe::length`]: super::Recipe::length
    pub fn done(&self, recipe: &Recipe) -> u64 {
        if recipe.positions > 0 { self.positions } else { self.games }
    }
}

/// What the optimiser of a neural network did in a block of learning games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OptimizerReport {
    /// Steps since the beginning of the run.
    pub steps: u64,
    /// The mean loss of the steps of the block.
    pub loss: f64,
    /// Of PPO, the last step of the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyReport>,
}

/// A step of PPO.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyReport {
    /// Updates in the block.
    pub updates: u64,
    /// How far the policy was from the one that played.
    pub kl: f64,
    /// Its mean entropy, in nats.
    pub entropy: f64,
    /// The share of moves whose chance was cut off.
    pub clipped: f64,
}

/// The games of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportKind {
    /// A block of learning games.
    Train,
    /// Test games without learning.
    Eval,
    /// Test games under the rules of another recipe.
    Also,
}

/// How often habits held in a phase of the games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HabitShare {
    /// The largest tile.
    pub tile: u32,
    /// Moves looked at.
    pub moves: u64,
    /// Share with the four largest tiles on one edge.
    pub base: f64,
    /// Share with that edge sorted.
    pub array: f64,
    /// Share with a largest tile in a corner.
    pub corner: f64,
}

/// A learning game as evaluations see it.
pub(super) fn played_of(played: &Played) -> crate::stats::Played {
    let Played { score, moves, largest, .. } = *played;
    crate::stats::Played { score, moves, max_exponent: largest }
}

/// Counts as shares.
pub(super) fn shares(habits: &Habits) -> Vec<HabitShare> {
    let share = |(tile, habit): (u32, Habit)| {
        let of = |count: u64| count as f64 / habit.moves.max(1) as f64;
        let (base, array, corner) = (of(habit.base), of(habit.array), of(habit.corner));
        HabitShare { tile, moves: habit.moves, base, array, corner }
    };
    habits.phases().map(share).collect()
}
