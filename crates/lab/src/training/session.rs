//! A training run in progress: blocks of games, metrics, evaluations, checkpoints.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use maxtile_game::Rules;
use maxtile_ntuple::td::{Backward, Coherence, Delayed, OneStep, PerWeight, Step, Tc, Td};
use maxtile_ntuple::{Block, Network, Played, train};
use maxtile_search::Greedy;
use serde::Serialize;

use super::checkpoint::{self, Checkpoint};
use super::folder::{Origin, RunError, RunFolder};
use super::recipe::{CreditRule, Recipe, StepRule};
use crate::catalog::Agent;
use crate::evaluate::{Until, evaluate};
use crate::rounds::{Setting, Watch};
use crate::stats::Summary;

/// A run that can learn.
pub struct Session {
    recipe: Recipe,
    rules: Rules,
    folder: RunFolder,
    network: Arc<Network>,
    coherence: Option<Coherence>,
    counters: Checkpoint,
    saved: u64,
    last: Option<Report>,
}

/// What happened, for those who watch.
pub enum Event<'a> {
    /// A block was learned.
    Learned(&'a Report),
    /// The network was evaluated.
    Evaluated(&'a Report),
    /// A checkpoint was written.
    Saved(u64),
    /// A sentence worth saying.
    Remark(String),
}

/// A line of the metrics.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// `train` for a block of learning games, `eval` for greedy games without learning.
    pub r#type: &'static str,
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
}

impl Session {
    /// Begins a run in a new folder.
    pub fn begin(recipe: Recipe, path: &Path, origin: &Origin) -> Result<Session, RunError> {
        let spec = recipe.spec().map_err(|e| RunError::Recipe(PathBuf::from("recipe"), e))?;
        let network = Network::new(spec).map_err(|e| RunError::Network(e.to_string()))?;
        if recipe.initial_value != 0.0 {
            network.set_all(recipe.initial_value as f32);
        }
        let folder = RunFolder::create(path, &recipe, origin)?;
        Session::with(recipe, folder, network, None, Checkpoint::default())
    }

    /// Goes on with a run from its newest whole checkpoint, or from the start if there is none
    /// yet. The sentences say which checkpoints were passed over, and why.
    pub fn resume(path: &Path) -> Result<(Session, Vec<String>), RunError> {
        let (folder, recipe) = RunFolder::open(path)?;
        let failed = |cause| RunError::Io(path.to_owned(), cause);
        let (found, mut remarks) = checkpoint::newest(path).map_err(failed)?;
        let session = match found {
            Some((counters, loaded)) => {
                if !remarks.is_empty() {
                    remarks.push(format!("going on from game {}", counters.games));
                }
                let (network, coherence) = (loaded.network, loaded.coherence);
                Session::with(recipe, folder, network, coherence, counters)?
            }
            None if remarks.is_empty() => {
                let spec = recipe.spec().map_err(|e| RunError::Recipe(path.to_owned(), e))?;
                let network = Network::new(spec).map_err(|e| RunError::Network(e.to_string()))?;
                if recipe.initial_value != 0.0 {
                    network.set_all(recipe.initial_value as f32);
                }
                Session::with(recipe, folder, network, None, Checkpoint::default())?
            }
            None => return Err(RunError::NoCheckpoint(path.to_owned(), remarks)),
        };
        session.folder.cut_metrics(session.counters.metrics).map_err(failed)?;
        Ok((session, remarks))
    }

    fn with(
        recipe: Recipe,
        folder: RunFolder,
        network: Network,
        coherence: Option<Coherence>,
        counters: Checkpoint,
    ) -> Result<Session, RunError> {
        let coherence = match (recipe.step, coherence) {
            (StepRule::Tc, None) => {
                Some(Coherence::new(&network).map_err(|e| RunError::Network(e.to_string()))?)
            }
            (StepRule::Tc, some) => some,
            (StepRule::Td, _) => None,
        };
        let rules = recipe.rules(network.spec());
        let saved = counters.games;
        let network = Arc::new(network);
        Ok(Session { recipe, rules, folder, network, coherence, counters, saved, last: None })
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Lets a run go on beyond, or end before, what its recipe says; and with other threads.
    pub fn change(&mut self, games: Option<u64>, threads: Option<u64>) {
        self.recipe.games = games.unwrap_or(self.recipe.games);
        self.recipe.threads = threads.unwrap_or(self.recipe.threads);
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Games, moves and seconds so far.
    pub fn counters(&self) -> Checkpoint {
        self.counters
    }

    /// Learns until the recipe's number of games is reached or `stop` is set, then saves. Gives the
    /// last evaluation, or the last block's report when there was none.
    pub fn run(
        &mut self,
        watch: &mut dyn FnMut(Event<'_>),
        stop: &AtomicBool,
    ) -> Result<Option<Report>, RunError> {
        while self.counters.games < self.recipe.games && !stop.load(Ordering::Relaxed) {
            let report = self.block();
            self.log(&report)?;
            watch(Event::Learned(&report));
            self.last = Some(report);
            let done = self.counters.games >= self.recipe.games;
            let due = self.crossed(self.recipe.eval_every) || done;
            if let Some(report) = due.then(|| self.evaluate(stop)).flatten() {
                self.log(&report)?;
                watch(Event::Evaluated(&report));
                self.last = Some(report);
            }
            if self.crossed(self.recipe.save_every) && !done {
                // A disk that is full now may have room later; the run goes on.
                match self.save() {
                    Ok(()) => watch(Event::Saved(self.counters.games)),
                    Err(error) => watch(Event::Remark(format!("no checkpoint: {error}"))),
                }
            }
        }
        if self.saved < self.counters.games {
            self.save()?;
            watch(Event::Saved(self.counters.games));
        }
        Ok(self.last.clone())
    }

    /// Did the last block pass a multiple of this many games?
    fn crossed(&self, every: u64) -> bool {
        let before = self.counters.games - self.block_games(self.counters.games - 1);
        every > 0 && self.counters.games / every > before / every
    }

    /// The number of games in the block that holds this game: blocks begin at multiples of their
    /// length, so that a run that was stopped and resumed has the same ones.
    fn block_games(&self, game: u64) -> u64 {
        let first = game - game % self.recipe.block;
        (first + self.recipe.block).min(self.recipe.games.max(game + 1)) - first
    }

    fn block(&mut self) -> Report {
        let first = self.counters.games;
        let end = (first - first % self.recipe.block + self.recipe.block).min(self.recipe.games);
        let block = Block {
            rules: self.rules,
            seed: self.recipe.seed,
            first,
            games: end - first,
            threads: self.recipe.threads as usize,
            restart: (self.recipe.restart > 0).then_some(self.recipe.restart as u32),
        };
        let rate = self.recipe.rate_at(first);
        let clock = Instant::now();
        let played = match &self.coherence {
            Some(sums) => self.learn(&Tc::new(rate, &self.network, sums), &block),
            None => self.learn(&Td::new(rate, &self.network), &block),
        };
        let seconds = clock.elapsed().as_secs_f64();
        let moves: u64 = played.iter().map(|p| p.all_moves).sum();
        self.counters.games = end;
        self.counters.moves += moves;
        self.counters.seconds += seconds;
        let games: Vec<crate::stats::Played> = played
            .iter()
            .map(|p| crate::stats::Played {
                score: p.score,
                moves: p.moves,
                max_exponent: p.largest,
            })
            .collect();
        let summary = Summary::of(&games, self.rules.shape);
        let mut report = self.report("train", summary.as_ref());
        report.games_per_s = played.len() as f64 / seconds;
        report.moves_per_s = moves as f64 / seconds;
        report.rate = rate.per_weight(self.network.active());
        report
    }

    fn learn<S: Step>(&self, step: &S, block: &Block) -> Vec<Played> {
        let (network, lambda) = (&self.network, self.recipe.lambda);
        match self.recipe.credit {
            CreditRule::OneStep => train(network, step, &OneStep, block),
            CreditRule::Delayed => train(network, step, &Delayed::new(lambda), block),
            CreditRule::Backward => train(network, step, &Backward::new(lambda), block),
        }
    }

    fn evaluate(&self, stop: &AtomicBool) -> Option<Report> {
        let network = Arc::clone(&self.network);
        let agent = Agent::new("greedy", move || Greedy::new(Arc::clone(&network)));
        // Other games than those learned from: the complement of the seed.
        let setting = Setting {
            rules: self.rules,
            seed: !self.recipe.seed,
            threads: self.recipe.threads as usize,
        };
        let watch = Watch { progress: &|_| (), stop };
        let games = Until::Games(self.recipe.eval_games);
        let result = evaluate(&agent, &setting, games, false, &watch);
        (!result.interrupted).then(|| self.report("eval", result.summary.as_ref()))
    }

    fn report(&self, kind: &'static str, summary: Option<&Summary>) -> Report {
        let last = self.last.as_ref();
        let tiles = summary.map_or_else(BTreeMap::new, |s| {
            s.tiles.iter().map(|rate| (rate.tile.to_string(), rate.share)).collect()
        });
        Report {
            r#type: kind,
            games: self.counters.games,
            moves: self.counters.moves,
            seconds: self.counters.seconds,
            games_per_s: last.map_or(0.0, |l| l.games_per_s),
            moves_per_s: last.map_or(0.0, |l| l.moves_per_s),
            rate: last.map_or(0.0, |l| l.rate),
            mean: summary.map_or(0.0, |s| s.scores.mean()),
            ci95: summary.map_or(0.0, |s| s.scores.half_width().unwrap_or(0.0)),
            max: summary.map_or(0, |s| s.max),
            tiles,
        }
    }

    fn log(&mut self, report: &Report) -> Result<(), RunError> {
        let mut line = serde_json::to_string(report).unwrap_or_default();
        line.push('\n');
        let length = self.folder.append_metrics(&line);
        self.counters.metrics =
            length.map_err(|cause| RunError::Io(self.folder.metrics_path(), cause))?;
        Ok(())
    }

    fn save(&mut self) -> Result<(), RunError> {
        let recipe = serde_json::to_value(&self.recipe).unwrap_or_default();
        let mut notes = BTreeMap::from([
            ("recipe".to_owned(), recipe),
            ("games".to_owned(), self.counters.games.into()),
            ("moves".to_owned(), self.counters.moves.into()),
        ]);
        if let Some(last) = self.last.as_ref().filter(|last| last.r#type == "eval") {
            let strength = serde_json::json!({"greedy_mean": last.mean, "ci95": last.ci95});
            notes.insert("strength".to_owned(), strength);
        }
        let path = self.folder.path();
        let memory = self.coherence.as_ref().map(|sums| sums as &dyn PerWeight);
        checkpoint::write(path, self.counters, &self.network, memory, notes)
            .map_err(|cause| RunError::Io(path.to_owned(), cause))?;
        self.saved = self.counters.games;
        Ok(())
    }
}
