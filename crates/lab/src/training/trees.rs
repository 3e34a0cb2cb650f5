//! Runs that learn from trees, with a second network where the rule has two.

use std::ops::Range;
use std::path::Path;

use maxtile_game::Rules;
use maxtile_ntuple::td::{Autostep, Rate, Tc, Td};
use maxtile_ntuple::{Block, Network, TreeCourse, TreeGame, learn_trees, load};

use super::checkpoint::second_of;
use super::estimates::EstimateReport;
use super::folder::RunError;
use super::lesson::{StepMemory, fresh};
use super::recipe::Recipe;
use super::report::played_of;
use super::student::Learned;
use super::tuples::{memory_of, prepared, rate_at};

/// The network that learns from the first one and teaches it.
pub(super) struct Second {
    pub(super) network: Network,
    pub(super) memory: StepMemory,
}

impl Second {
    /// A second network at its start, where the recipe has one.
    pub(super) fn new(recipe: &Recipe, path: &Path) -> Result<Option<Second>, RunError> {
        if recipe.networks() < 2 {
            return Ok(None);
        }
        let network = fresh(recipe, path)?;
        Ok(Some(Second { network, memory: StepMemory::Nothing }))
    }

    /// The one beside the network of a checkpoint.
    pub(super) fn open(recipe: &Recipe, file: &Path) -> Result<Option<Second>, String> {
        if recipe.networks() < 2 {
            return Ok(None);
        }
        let loaded = load(&second_of(file), true).map_err(|e| e.to_string())?;
        let memory = memory_of(loaded.coherence, loaded.step_sizes);
        Ok(Some(Second { network: loaded.network, memory }))
    }
}

/// Those who learn: a network each, with what its step rule remembers.
struct Class<'a> {
    networks: Vec<&'a Network>,
    memories: Vec<&'a StepMemory>,
}

/// Plays and learns some games.
pub(super) fn learn(
    first: (&Network, &mut StepMemory),
    second: Option<&mut Second>,
    recipe: &Recipe,
    rules: Rules,
    games: Range<u64>,
) -> Result<Learned, RunError> {
    let failed = |cause: std::io::Error| RunError::Network(cause.to_string());
    let (network, memory) = first;
    prepared(memory, network, recipe, games.start).map_err(failed)?;
    let mut class = Class { networks: vec![network], memories: vec![memory] };
    if let Some(second) = second {
        prepared(&mut second.memory, &second.network, recipe, games.start).map_err(failed)?;
        class.networks.push(&second.network);
        class.memories.push(&second.memory);
    }
    let block = Block {
        rules,
        seed: recipe.seed,
        first: games.start,
        games: games.end - games.start,
        threads: recipe.threads as usize,
        restart: None,
    };
    let course = TreeCourse {
        block,
        targets: recipe.tree_targets.into(),
        simulations: recipe.sims,
        samples: recipe.samples as usize,
        lambda: recipe.lambda as f32,
    };
    let rate = rate_at(recipe, games.start);
    let games = class.learn(rate, recipe.meta_rate, &course);
    let sum = |of: fn(&TreeGame) -> f64| games.iter().map(of).sum::<f64>();
    let moves = games.iter().map(|game| game.played.all_moves).sum();
    let estimates = EstimateReport::of_sums(moves, sum(|g| g.estimate), sum(|g| g.realised));
    Ok(Learned {
        moves,
        positions: games.iter().map(|game| game.played.judged).sum(),
        games: games.iter().map(|game| played_of(&game.played)).collect(),
        rate: rate.per_weight(network.active()),
        estimates: Some(estimates),
        ..Learned::default()
    })
}

impl<'a> Class<'a> {
    /// All have the same step rule, so that what the first one remembers says which.
    fn learn(&self, rate: Rate, meta_rate: f64, course: &TreeCourse) -> Vec<TreeGame> {
        let all = || self.networks.iter().copied().zip(self.memories.iter().copied());
        match self.memories[0] {
            StepMemory::Coherence(_) => {
                let step = |(network, memory): (&'a Network, &'a StepMemory)| match memory {
                    StepMemory::Coherence(sums) => Some(Tc::new(rate, network, sums)),
                    _ => None,
                };
                learn_trees(&self.networks, &all().filter_map(step).collect::<Vec<_>>(), course)
            }
            StepMemory::StepSizes(_) => {
                let step = |(network, memory): (&'a Network, &'a StepMemory)| match memory {
                    StepMemory::StepSizes(sizes) => {
                        Some(Autostep::new(rate, meta_rate, network, sizes))
                    }
                    _ => None,
                };
                learn_trees(&self.networks, &all().filter_map(step).collect::<Vec<_>>(), course)
            }
            StepMemory::Nothing => {
                let steps: Vec<Td> = all().map(|(network, _)| Td::new(rate, network)).collect();
                learn_trees(&self.networks, &steps, course)
            }
        }
    }
}
