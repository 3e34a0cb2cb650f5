//! Neural networks as what a run teaches: values by TD, both sides of a duel, policies by PPO.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use maxtile_game::Rules;
use maxtile_neural::{Network, NetworkPolicy, NetworkValue, Precision, Spec, Weights};
use maxtile_neural_train::{
    Images, Loss, Optimizer, Place, PlayedGame, PolicyRule, PpoLearner, PpoSettings, Reward,
    Starts, TdLearner, TdSettings, TrainError, Trainer,
};
use maxtile_search::Greedy;

use super::folder::RunError;
use super::neural_duel::NeuralDuel;
use super::neural_recipe::{DeviceRule, ImageRule, LossRule, StartRule};
use super::recipe::{Learner, Recipe, RewardRule, Switch};
use super::report::{OptimizerReport, PolicyReport};
use super::student::{Learned, Tested, tested};
use crate::catalog::Agent;
use crate::stats::Played;

/// The note that says how many steps the optimiser had made.
pub(super) const STEPS: &str = "optimizer_steps";

/// A neural network that learns.
pub(super) struct Neural {
    learner: By,
    /// The number of threads, which may change when a run is resumed.
    threads: u64,
}

/// The method.
enum By {
    Td(TdLearner),
    Ppo(PpoLearner),
    Duel(Box<NeuralDuel>),
}

impl Neural {
    /// A network at its start.
    pub(super) fn new(recipe: &Recipe, spec: Spec) -> Result<Neural, RunError> {
        if recipe.learner == Learner::Duel {
            let learner = By::Duel(Box::new(NeuralDuel::new(recipe, spec)?));
            return Ok(Neural { learner, threads: recipe.threads });
        }
        let weights = Weights::new(spec, recipe.seed);
        let weights = weights.map_err(|why| RunError::Network(why.to_string()))?;
        Ok(Neural::of(recipe, &weights)?)
    }

    /// A network from a checkpoint.
    pub(super) fn open(recipe: &Recipe, file: &Path) -> Result<Neural, String> {
        if recipe.learner == Learner::Duel {
            let learner = By::Duel(Box::new(NeuralDuel::open(recipe, file)?));
            return Ok(Neural { learner, threads: recipe.threads });
        }
        let (weights, about, extras) = Weights::load_with(file).map_err(|e| e.to_string())?;
        let steps = about.notes.get(STEPS).and_then(serde_json::Value::as_u64);
        let steps = steps.ok_or("it does not say how many steps were made")?;
        same_network(recipe, &weights)?;
        let mut neural = Neural::of(recipe, &weights).map_err(|e| e.to_string())?;
        let restored = match &mut neural.learner {
            By::Td(learner) => learner.restore(steps, &extras),
            By::Ppo(learner) => learner.restore(steps, &extras),
            By::Duel(_) => Ok(()),
        };
        restored.map_err(|e| e.to_string())?;
        Ok(neural)
    }

    fn of(recipe: &Recipe, weights: &Weights) -> Result<Neural, TrainError> {
        let rules = recipe.rules().map_err(|e| TrainError::Checkpoint(e.to_string()))?;
        let trainer = trainer(recipe, weights)?;
        let learner = match recipe.learner {
            Learner::Ppo => By::Ppo(PpoLearner::new(trainer, ppo_settings(recipe, rules))?),
            _ => By::Td(TdLearner::new(trainer, td_settings(recipe, rules))?),
        };
        Ok(Neural { learner, threads: recipe.threads })
    }

    fn set_threads(&mut self, threads: usize) -> Result<(), TrainError> {
        match &mut self.learner {
            By::Td(learner) => learner.set_threads(threads),
            By::Ppo(learner) => learner.set_threads(threads),
            By::Duel(learner) => learner.set_threads(threads),
        }
    }

    fn weights(&self) -> Result<Weights, TrainError> {
        match &self.learner {
            By::Td(learner) => learner.weights(),
            By::Ppo(learner) => learner.weights(),
            By::Duel(learner) => learner.weights(),
        }
    }

    pub(super) fn describe(&self) -> String {
        let parameters = self.weights().map_or(0, |weights| weights.spec().parameters());
        match self.learner {
            By::Duel(_) => format!("two networks of {parameters} parameters"),
            _ => format!("{parameters} parameters"),
        }
    }

    /// Learns from some games.
    pub(super) fn learn(
        &mut self,
        recipe: &Recipe,
        games: Range<u64>,
    ) -> Result<Learned, RunError> {
        let (first, count) = (games.start, games.end - games.start);
        let rate = recipe.rate_at(first).per_weight(1);
        if self.threads != recipe.threads {
            self.threads = recipe.threads;
            self.set_threads(recipe.threads as usize)?;
        }
        let (games, loss, policy) = match &mut self.learner {
            By::Td(learner) => {
                let learned = learner.learn(first, count, rate)?;
                (learned.games, learned.loss, None)
            }
            By::Ppo(learner) => {
                let learned = learner.learn(first, count, rate)?;
                let last = learned.last;
                let report = PolicyReport {
                    updates: learned.updates,
                    kl: last.kl,
                    entropy: last.entropy,
                    clipped: last.clipped,
                };
                let report = (learned.updates > 0).then_some(report);
                (learned.games, learned.loss, report)
            }
            By::Duel(learner) => {
                let learned = learner.learn(recipe, first, count, rate)?;
                (learned.games, learned.loss, None)
            }
        };
        let steps = match &self.learner {
            By::Td(learner) => learner.steps(),
            By::Ppo(learner) => learner.steps(),
            By::Duel(learner) => learner.steps(),
        };
        Ok(Learned {
            moves: games.iter().map(|game| game.all_moves).sum(),
            games: games.iter().map(played).collect(),
            rate,
            optimizer: Some(OptimizerReport { steps, loss, policy }),
            ..Learned::default()
        })
    }

    /// Test games: greedy by values in points, else by what the network prefers alone.
    pub(super) fn examine(
        &self,
        recipe: &Recipe,
        rules: Rules,
        stop: &AtomicBool,
    ) -> Option<Tested> {
        if let By::Duel(learner) = &self.learner {
            return learner.examine(recipe, rules, stop);
        }
        let weights = self.weights().ok()?;
        let network = Network::new(&weights, Precision::Full);
        let points = recipe.learner != Learner::Ppo && recipe.reward == RewardRule::Score;
        let agent = if points {
            let value = Arc::new(NetworkValue::new(network).ok()?);
            Agent::new("greedy", move || Greedy::new(Arc::clone(&value)))
        } else {
            let network = Arc::new(network);
            NetworkPolicy::new(Arc::clone(&network)).ok()?;
            Agent::new("policy", move || {
                NetworkPolicy::new(Arc::clone(&network)).expect("it was one before")
            })
        };
        tested(&agent, None, recipe, rules, stop)
    }

    /// Writes the network with what the optimiser knows and what waits to be learned.
    pub(super) fn save(
        &self,
        file: &Path,
        mut notes: BTreeMap<String, serde_json::Value>,
    ) -> io::Result<()> {
        let (steps, extras) = match &self.learner {
            By::Td(learner) => (learner.steps(), learner.extras()),
            By::Ppo(learner) => (learner.steps(), learner.extras()),
            By::Duel(learner) => return learner.save(file, &notes),
        };
        notes.insert(STEPS.to_owned(), steps.into());
        let weights = self.weights().map_err(io::Error::other)?;
        let extras = extras.map_err(io::Error::other)?;
        weights.save_with(file, notes, &extras).map_err(io::Error::other)
    }
}

impl From<TrainError> for RunError {
    fn from(error: TrainError) -> RunError {
        RunError::Network(error.to_string())
    }
}

/// Refuses a checkpoint whose network is not the one that the recipe describes: a description in a file may have
/// been changed since.
pub(super) fn same_network(recipe: &Recipe, weights: &Weights) -> Result<(), String> {
    let spec = recipe.neural().map_err(|e| e.to_string())?;
    if spec.is_some_and(|spec| spec == *weights.spec()) {
        return Ok(());
    }
    Err(format!("its network is not the one that {} describes", recipe.network))
}

/// What makes the steps.
pub(super) fn trainer(recipe: &Recipe, weights: &Weights) -> Result<Trainer, TrainError> {
    let optimizer = match recipe.learner {
        Learner::Ppo => {
            Optimizer::Sgd { momentum: recipe.momentum as f32, decay: recipe.weight_decay as f32 }
        }
        _ => Optimizer::Adam,
    };
    let place = match recipe.device {
        DeviceRule::Best => Place::Best,
        DeviceRule::Cpu => Place::Cpu,
        DeviceRule::Wgpu => Place::Wgpu,
        DeviceRule::Cuda => Place::Cuda,
    };
    Trainer::new(weights, optimizer, place, recipe.threads as usize)
}

pub(super) fn loss(recipe: &Recipe) -> Loss {
    match recipe.loss {
        LossRule::Squared => Loss::Squared,
        LossRule::Huber => Loss::Huber(1.0),
    }
}

pub(super) fn images(recipe: &Recipe) -> Images {
    match recipe.images {
        ImageRule::Own => Images::Own,
        ImageRule::Random => Images::Random,
        ImageRule::All => Images::All,
    }
}

/// A game as statistics count it.
pub(super) fn played(game: &PlayedGame) -> Played {
    Played { score: game.score, moves: game.moves, max_exponent: game.largest }
}

fn reward(recipe: &Recipe) -> Reward {
    match recipe.reward {
        RewardRule::Score => Reward::Score,
        RewardRule::Step => Reward::Step,
    }
}

fn td_settings(recipe: &Recipe, rules: Rules) -> TdSettings {
    TdSettings {
        rules,
        seed: recipe.seed,
        reward: reward(recipe),
        discount: recipe.discount as f32,
        explore: recipe.explore,
        starts: match recipe.starts {
            StartRule::Usual => Starts::Usual,
            StartRule::SJump => Starts::SmallJump,
            StartRule::LJump => Starts::LargeJump,
        },
        restart: (recipe.restart > 0).then_some(recipe.restart as u32),
        batch: recipe.batch as usize,
        loss: loss(recipe),
        images: images(recipe),
        seats: recipe.seats as usize,
        threads: recipe.threads as usize,
    }
}

fn ppo_settings(recipe: &Recipe, rules: Rules) -> PpoSettings {
    PpoSettings {
        rules,
        seed: recipe.seed,
        reward: reward(recipe),
        rule: PolicyRule {
            discount: recipe.discount as f32,
            lambda: recipe.lambda as f32,
            clip: recipe.clip as f32,
            entropy: recipe.entropy as f32,
            masked: recipe.mask == Switch::On,
        },
        epochs: recipe.epochs as usize,
        least_moves: recipe.update_moves as usize,
        least_games: recipe.update_games as usize,
        batch: recipe.batch as usize,
        kl_stop: recipe.kl_stop,
        seats: recipe.seats as usize,
        threads: recipe.threads as usize,
    }
}
