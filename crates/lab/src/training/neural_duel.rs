//! Both sides of a duel as neural networks: the defender's is the run's network and judges afterstates, the
//! attacker's lies beside it as the second one and judges positions to move.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use maxtile_game::{Rules, Side};
use maxtile_neural::{Judges, Spec, Weights};
use maxtile_neural_train::{
    DuelLearner, DuelLesson, DuelSettings, Learned, PlayedGame, TrainError,
};
use maxtile_ntuple::Learns;

use super::checkpoint::{SIDE, second_of};
use super::folder::RunError;
use super::neural::{STEPS, images, loss, played, same_network, trainer};
use super::phases::{learns_in, phases};
use super::recipe::Recipe;
use super::student::Tested;
use crate::stats::{Played, Summary};

/// Two networks that learn a duel.
pub(super) struct NeuralDuel(DuelLearner);

impl NeuralDuel {
    /// Both networks at their start.
    pub(super) fn new(recipe: &Recipe, spec: Spec) -> Result<NeuralDuel, RunError> {
        let fresh =
            |spec, seed| Weights::new(spec, seed).map_err(|why| RunError::Network(why.to_string()));
        let attackers = Spec { judges: Judges::States, ..spec.clone() };
        let (defender, attacker) = (fresh(spec, recipe.seed)?, fresh(attackers, !recipe.seed)?);
        Ok(NeuralDuel::of(recipe, &defender, &attacker)?)
    }

    /// Both networks of a checkpoint.
    pub(super) fn open(recipe: &Recipe, file: &Path) -> Result<NeuralDuel, String> {
        let read = |file: &Path| {
            let (weights, about, extras) = Weights::load_with(file).map_err(|e| e.to_string())?;
            let steps = about.notes.get(STEPS).and_then(serde_json::Value::as_u64);
            let steps = steps.ok_or("it does not say how many steps were made")?;
            Ok::<_, String>((weights, steps, extras))
        };
        let (defender, defenders, extras) = read(file)?;
        let (attacker, attackers, others) = read(&second_of(file))?;
        same_network(recipe, &defender)?;
        let duel = NeuralDuel::of(recipe, &defender, &attacker);
        let mut duel = duel.map_err(|e| e.to_string())?;
        let failed = |error: TrainError| error.to_string();
        duel.0.restore(Side::Defender, defenders, &extras).map_err(failed)?;
        duel.0.restore(Side::Attacker, attackers, &others).map_err(failed)?;
        Ok(duel)
    }

    fn of(
        recipe: &Recipe,
        defender: &Weights,
        attacker: &Weights,
    ) -> Result<NeuralDuel, TrainError> {
        let settings = DuelSettings {
            rules: recipe.duel_rules(&defender.spec().board),
            seed: recipe.seed,
            opening: recipe.opening as u32,
            discount: recipe.discount as f32,
            batch: recipe.batch as usize,
            loss: loss(recipe),
            images: images(recipe),
            seats: recipe.seats as usize,
            threads: recipe.threads as usize,
        };
        let (defender, attacker) = (trainer(recipe, defender)?, trainer(recipe, attacker)?);
        DuelLearner::new(defender, attacker, settings).map(NeuralDuel)
    }

    pub(super) fn set_threads(&mut self, threads: usize) -> Result<(), TrainError> {
        self.0.set_threads(threads)
    }

    /// The defender's network.
    pub(super) fn weights(&self) -> Result<Weights, TrainError> {
        self.0.weights(Side::Defender)
    }

    /// Steps of both.
    pub(super) fn steps(&self) -> u64 {
        self.0.steps(Side::Defender) + self.0.steps(Side::Attacker)
    }

    /// Learns from some duels: whoever's phase it is.
    pub(super) fn learn(
        &mut self,
        recipe: &Recipe,
        first: u64,
        games: u64,
        rate: f32,
    ) -> Result<Learned, TrainError> {
        let phases = phases(&recipe.phases, recipe.block).unwrap_or_default();
        self.0.learn(lesson(learns_in(&phases, first)), first, games, rate)
    }

    /// Test duels: both sides play greedily, from whole openings; `None` when stopped.
    pub(super) fn examine(
        &self,
        recipe: &Recipe,
        rules: Rules,
        stop: &AtomicBool,
    ) -> Option<Tested> {
        let mut all: Vec<PlayedGame> = Vec::new();
        // In parts, so that a stop need not wait for all of them.
        for first in (0..recipe.eval_games).step_by(64) {
            let games = (recipe.eval_games - first).min(64);
            all.extend(self.0.play(!recipe.seed, first, games).ok()?);
            if stop.load(Ordering::Relaxed) {
                return None;
            }
        }
        let games: Vec<Played> = all.iter().map(played).collect();
        let summary = Summary::of(&games, rules.shape);
        Some(Tested { summary, habits: Vec::new(), fallacy: None, estimates: None })
    }

    /// Writes both networks, each with what its optimiser knows and what waits to be learned.
    pub(super) fn save(
        &self,
        file: &Path,
        notes: &BTreeMap<String, serde_json::Value>,
    ) -> io::Result<()> {
        let second = second_of(file);
        for (side, file) in [(Side::Defender, file), (Side::Attacker, &second)] {
            let mut notes = notes.clone();
            notes.insert(STEPS.to_owned(), self.0.steps(side).into());
            notes.insert(SIDE.to_owned(), side.to_string().into());
            let weights = self.0.weights(side).map_err(io::Error::other)?;
            let extras = self.0.extras(side).map_err(io::Error::other)?;
            weights.save_with(file, notes, &extras).map_err(io::Error::other)?;
        }
        Ok(())
    }
}

fn lesson(learns: Learns) -> DuelLesson {
    DuelLesson {
        defender: matches!(learns, Learns::Chance | Learns::Defender | Learns::Both),
        attacker: matches!(learns, Learns::Attacker | Learns::Both),
        chance: learns == Learns::Chance,
    }
}
