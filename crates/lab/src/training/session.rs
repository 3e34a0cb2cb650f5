//! A training run in progress: blocks of games, metrics, evaluations, checkpoints.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use maxtile_game::Rules;
use maxtile_ntuple::course::{
    Corner, CornerOf, Course, Exam, Examined, Habits, Lesson, Reward, Starts, examine,
};
use maxtile_ntuple::td::{
    Autostep, Backward, Coherence, Delayed, Forward, OneStep, Rate, Step, StepSizes, Tc, Td,
};
use maxtile_ntuple::{Block, DuelBlock, Learns, Network, Played, learn_duels, learn_states};
use maxtile_search::Greedy;

use super::checkpoint::{self, Checkpoint};
use super::extras::{Extras, Saved};
use super::folder::{Origin, RunError, RunFolder};
use super::lesson::{StepMemory, Stretch, fresh, play};
use super::phases::{learns_in, phases};
use super::recipe::{CreditRule, Learner, Recipe, RewardRule, Shaping, StepRule, Switch};
use super::report::{Report, ReportKind, played_of, shares};
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
    memory: StepMemory,
    extras: Extras,
    counters: Checkpoint,
    saved: u64,
    save_end: bool,
    /// Recipes that learn alike, under whose rules test games are played, too.
    others: Vec<Recipe>,
    last: Option<Report>,
    /// The game after which the last test games were played.
    tested: u64,
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

impl Session {
    /// Begins a run in a new folder.
    pub fn begin(recipe: Recipe, path: &Path, origin: &Origin) -> Result<Session, RunError> {
        let network = fresh(&recipe, Path::new("recipe"))?;
        let folder = RunFolder::create(path, &recipe, origin)?;
        Session::with(recipe, folder, network, StepMemory::Nothing, Checkpoint::default(), None)
    }

    /// Goes on with a run from its newest whole checkpoint, or from the start if there is none
    /// yet. The sentences say which checkpoints were passed over, and why.
    pub fn resume(path: &Path) -> Result<(Session, Vec<String>), RunError> {
        let (folder, recipe) = RunFolder::open(path)?;
        let failed = |cause| RunError::Io(path.to_owned(), cause);
        let (found, mut remarks) = checkpoint::newest(path).map_err(failed)?;
        let mut session = match found {
            Some((counters, loaded, extras)) => {
                if !remarks.is_empty() {
                    remarks.push(format!("going on from game {}", counters.games));
                }
                let memory = match (loaded.coherence, loaded.step_sizes) {
                    (Some(sums), _) => StepMemory::Coherence(sums),
                    (_, Some(sizes)) => StepMemory::StepSizes(sizes),
                    _ => StepMemory::Nothing,
                };
                Session::with(recipe, folder, loaded.network, memory, counters, extras)?
            }
            None if remarks.is_empty() => {
                let (network, nothing) = (fresh(&recipe, path)?, StepMemory::Nothing);
                Session::with(recipe, folder, network, nothing, Checkpoint::default(), None)?
            }
            None => return Err(RunError::NoCheckpoint(path.to_owned(), remarks)),
        };
        session.folder.cut_metrics(session.counters.metrics).map_err(failed)?;
        session.last = session.folder.last_report().map_err(failed)?;
        let tested = session.last.as_ref().filter(|last| last.r#type != ReportKind::Train);
        session.tested = tested.map_or(0, |last| last.games);
        Ok((session, remarks))
    }

    fn with(
        recipe: Recipe,
        folder: RunFolder,
        network: Network,
        memory: StepMemory,
        counters: Checkpoint,
        saved: Option<Saved>,
    ) -> Result<Session, RunError> {
        let rules = recipe.rules(network.spec());
        let mut extras = Extras::new(&recipe, &network);
        if let Some(saved) = saved {
            extras.restore(saved);
        }
        let (saved, network) = (counters.games, Arc::new(network));
        let mut session = Session {
            recipe,
            rules,
            folder,
            network,
            memory,
            extras,
            counters,
            saved,
            save_end: true,
            others: Vec::new(),
            last: None,
            tested: 0,
        };
        session.prepare_memory().map_err(|e| RunError::Network(e.to_string()))?;
        Ok(session)
    }

    /// Makes room for what the step rule of the next game remembers; tc that takes over from td
    /// begins with fresh sums.
    fn prepare_memory(&mut self) -> std::io::Result<()> {
        self.memory = match (self.step(), std::mem::replace(&mut self.memory, StepMemory::Nothing))
        {
            (StepRule::Td, _) => StepMemory::Nothing,
            (StepRule::Tc, StepMemory::Coherence(sums)) => StepMemory::Coherence(sums),
            (StepRule::Tc, _) => StepMemory::Coherence(Coherence::new(&self.network)?),
            (StepRule::Autostep, StepMemory::StepSizes(sizes)) => StepMemory::StepSizes(sizes),
            (StepRule::Autostep, _) => StepMemory::StepSizes(StepSizes::new(&self.network)?),
        };
        Ok(())
    }

    /// The step rule of the next game.
    fn step(&self) -> StepRule {
        let switched = self.recipe.tc_at > 0 && self.counters.games >= self.recipe.tc_at;
        if switched { StepRule::Tc } else { self.recipe.step }
    }

    /// The rate of the next game.
    fn rate(&self) -> Rate {
        if self.step() == self.recipe.step {
            return self.recipe.rate_at(self.counters.games);
        }
        Rate::Distributed(self.recipe.tc_rate as f32)
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

    /// Leaves no checkpoint when all games are learned: only the metrics are wanted. A run that is
    /// stopped before saves all the same.
    pub fn forget_at_end(&mut self) {
        self.save_end = false;
    }

    /// Plays test games under the rules of these recipes, too. They must learn alike.
    pub fn also_test(&mut self, others: Vec<Recipe>) {
        debug_assert!(others.iter().all(|other| self.recipe.learns_like(other)));
        self.others = others;
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
        // Test games that a stop has cut off.
        self.test(watch, stop)?;
        while self.counters.games < self.recipe.games && !stop.load(Ordering::Relaxed) {
            let report = self.block(watch)?;
            self.log(&[&report])?;
            watch(Event::Learned(&report));
            self.last = Some(report);
            self.test(watch, stop)?;
            let done = self.counters.games >= self.recipe.games;
            if self.crossed(self.recipe.save_every) && !done {
                // A disk that is full now may have room later; the run goes on.
                match self.save() {
                    Ok(()) => watch(Event::Saved(self.counters.games)),
                    Err(error) => watch(Event::Remark(format!("no checkpoint: {error}"))),
                }
            }
        }
        let finished = self.counters.games >= self.recipe.games;
        if self.saved < self.counters.games && (self.save_end || !finished) {
            self.save()?;
            watch(Event::Saved(self.counters.games));
        }
        Ok(self.last.clone())
    }

    /// Plays the test games that are due and have not been played; half of them are not kept.
    fn test(
        &mut self,
        watch: &mut dyn FnMut(Event<'_>),
        stop: &AtomicBool,
    ) -> Result<(), RunError> {
        let games = self.counters.games;
        let due = games > self.tested
            && (games >= self.recipe.games || self.crossed(self.recipe.eval_every));
        if !due {
            return Ok(());
        }
        let under = |other: &Recipe| {
            let under = Some(other.name.clone());
            Some(Report { r#type: ReportKind::Also, under, ..self.evaluate(other, stop)? })
        };
        let also: Option<Vec<Report>> = self.others.iter().map(under).collect();
        if let (Some(also), Some(report)) = (also, self.evaluate(&self.recipe, stop)) {
            let reports: Vec<&Report> = also.iter().chain([&report]).collect();
            self.log(&reports)?;
            watch(Event::Evaluated(&report));
            self.last = Some(report);
            self.tested = games;
        }
        Ok(())
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

    fn block(&mut self, watch: &mut dyn FnMut(Event<'_>)) -> Result<Report, RunError> {
        self.prepare_memory().map_err(|e| RunError::Network(e.to_string()))?;
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
        let rate = self.rate();
        let stretch = self.stretch(first, watch);
        let clock = Instant::now();
        let corner = self.recipe.corner_rule(true);
        let boards = self.extras.carousel.pools.boards(stretch.boards_of.unwrap_or(0)).to_vec();
        let (network, memory) = (&self.network, &self.memory);
        let learned = match memory {
            StepMemory::Coherence(sums) => {
                let step = Tc::new(rate, network, sums);
                self.learn(&step, &block, stretch, &boards, corner.as_ref())
            }
            StepMemory::StepSizes(sizes) => {
                let step = Autostep::new(rate, self.recipe.meta_rate, network, sizes);
                self.learn(&step, &block, stretch, &boards, corner.as_ref())
            }
            StepMemory::Nothing => {
                let step = Td::new(rate, network);
                self.learn(&step, &block, stretch, &boards, corner.as_ref())
            }
        };
        let Lesson { played, reached } = learned;
        self.extras.reached(&reached);
        if let Some(search) = &mut self.extras.search {
            let arms = |p: &Played| (search.draw(self.recipe.seed, p.game), p.score, p.largest);
            let games: Vec<_> = played.iter().map(arms).collect();
            search.learn(&games);
        }
        let seconds = clock.elapsed().as_secs_f64();
        let moves: u64 = played.iter().map(|p| p.all_moves).sum();
        self.counters.games = end;
        self.counters.moves += moves;
        self.counters.seconds += seconds;
        let games: Vec<crate::stats::Played> = played.iter().map(played_of).collect();
        let summary = Summary::of(&games, self.rules.shape);
        let mut report = self.report(ReportKind::Train, summary.as_ref(), None);
        report.games_per_s = played.len() as f64 / seconds;
        report.moves_per_s = moves as f64 / seconds;
        report.rate = rate.per_weight(self.network.active());
        Ok(report)
    }

    /// What the recipe's shaping says of the next block.
    fn stretch(&self, first: u64, watch: &mut dyn FnMut(Event<'_>)) -> Stretch {
        match self.recipe.shaping {
            Shaping::None => Stretch::default(),
            Shaping::Carousel => {
                let stage = self.extras.carousel.stage;
                Stretch { boards_of: (stage > 0).then_some(stage), only: None }
            }
            Shaping::Sequence => {
                let mut stage = self.recipe.stage_of(first, self.network.stages());
                while stage > 0 && self.extras.carousel.pools.len(stage) == 0 {
                    watch(Event::Remark(format!(
                        "no start board of stage {stage} has been reached"
                    )));
                    stage -= 1;
                }
                Stretch { boards_of: (stage > 0).then_some(stage), only: Some(stage) }
            }
        }
    }

    fn learn<S: Step>(
        &self,
        step: &S,
        block: &Block,
        stretch: Stretch,
        boards: &[maxtile_game::Board],
        corner: Option<&Corner>,
    ) -> Lesson {
        let (recipe, network) = (&self.recipe, &*self.network);
        if recipe.learner == Learner::Duel {
            let phases = phases(&recipe.phases, recipe.block).unwrap_or_default();
            let learns = learns_in(&phases, block.first);
            let played = learn_duels(network, step, &self.duels(block, learns));
            return Lesson { played, reached: Vec::new() };
        }
        if recipe.learner != Learner::Afterstate {
            let played = learn_states(network, step, block, recipe.explore);
            return Lesson { played, reached: Vec::new() };
        }
        let starts = match (stretch.boards_of, recipe.shaping) {
            (None, _) => Starts::Fresh,
            (_, Shaping::Sequence) => Starts::InTurn(boards),
            _ => Starts::AnyOf(boards),
        };
        let corner = match (corner, &self.extras.search) {
            (None, _) => CornerOf::Off,
            (Some(_), Some(search)) => CornerOf::Search(search),
            (Some(corner), None) => CornerOf::Rule(corner),
        };
        let course = Course {
            block: *block,
            reward: self.reward(),
            explore: recipe.explore,
            corner,
            starts,
            only: stretch.only,
        };
        let plain = network.stages() == 1
            && course.reward == Reward::Score
            && recipe.explore == 0.0
            && matches!(corner, CornerOf::Off);
        let (lambda, steps) = (recipe.lambda, recipe.steps as usize);
        match recipe.credit {
            CreditRule::OneStep => play(plain, network, step, &OneStep, &course),
            CreditRule::Delayed => play(plain, network, step, &Delayed::new(lambda), &course),
            CreditRule::Backward => play(plain, network, step, &Backward::new(lambda), &course),
            CreditRule::Forward => {
                play(plain, network, step, &Forward::lambda(lambda, steps), &course)
            }
            CreditRule::NStep => play(plain, network, step, &Forward::n_step(steps), &course),
        }
    }

    /// Duels of this run's board and variant.
    fn duels(&self, block: &Block, learns: Learns) -> DuelBlock {
        let Block { seed, first, games, threads, .. } = *block;
        let rules = self.recipe.duel_rules(self.network.spec());
        let (opening, whole_opening) = (self.recipe.opening as u32, learns == Learns::Nobody);
        DuelBlock { rules, seed, first, games, threads, learns, opening, whole_opening }
    }

    /// Test duels: both sides play greedily, from whole openings.
    fn evaluate_duels(&self, recipe: &Recipe, stop: &AtomicBool) -> Option<Report> {
        let step = Td::new(Rate::PerWeight(0.0), &self.network);
        let (games, threads) = (recipe.eval_games, recipe.threads as usize);
        let seed = !recipe.seed;
        let mut played = Vec::new();
        // In parts, so that a stop need not wait for all of them.
        for first in (0..games).step_by(64) {
            let games = (games - first).min(64);
            let block = Block { rules: self.rules, seed, first, games, threads, restart: None };
            played.extend(learn_duels(&self.network, &step, &self.duels(&block, Learns::Nobody)));
            if stop.load(Ordering::Relaxed) {
                return None;
            }
        }
        let games: Vec<crate::stats::Played> = played.iter().map(played_of).collect();
        let summary = Summary::of(&games, self.rules.shape);
        Some(self.report(ReportKind::Eval, summary.as_ref(), None))
    }

    fn reward(&self) -> Reward {
        match self.recipe.reward {
            RewardRule::Score => Reward::Score,
            RewardRule::Step => Reward::Step,
        }
    }

    /// Test games under the rules of a recipe that learns like this run.
    fn evaluate(&self, recipe: &Recipe, stop: &AtomicBool) -> Option<Report> {
        if recipe.learner == Learner::Duel {
            return self.evaluate_duels(recipe, stop);
        }
        // Other games than those learned from: the complement of the seed.
        let (seed, threads) = (!recipe.seed, recipe.threads as usize);
        let corner = recipe.corner_rule(false);
        let plain = self.network.stages() == 1
            && recipe.learner == Learner::Afterstate
            && self.reward() == Reward::Score
            && corner.is_none()
            && recipe.habits == Switch::Off;
        if !plain {
            let found =
                self.extras.search.as_ref().map(maxtile_ntuple::course::RatioSearch::best_corner);
            let corner = corner.map(|rule| found.unwrap_or(rule));
            let exam = Exam {
                rules: self.rules,
                seed,
                games: recipe.eval_games,
                threads,
                reward: self.reward(),
                corner: corner.as_ref(),
            };
            let Examined { played, habits, fallacy } = examine(&self.network, &exam, stop)?;
            let games: Vec<crate::stats::Played> = played.iter().map(played_of).collect();
            let summary = Summary::of(&games, self.rules.shape);
            let counts = [fallacy.moves, fallacy.changed, fallacy.wrong];
            let fallacy = exam.corner.map(|_| counts);
            let habits = (recipe.habits == Switch::On).then_some(&habits);
            let report = self.report(ReportKind::Eval, summary.as_ref(), habits);
            return Some(Report { fallacy, ..report });
        }
        let network = Arc::clone(&self.network);
        let agent = Agent::new("greedy", move || Greedy::new(Arc::clone(&network)));
        let setting = Setting { rules: self.rules, seed, threads };
        let watch = Watch { progress: &|_| (), stop };
        let games = Until::Games(recipe.eval_games);
        let result = evaluate(&agent, &setting, games, false, &watch);
        (!result.interrupted).then(|| self.report(ReportKind::Eval, result.summary.as_ref(), None))
    }

    fn report(
        &self,
        kind: ReportKind,
        summary: Option<&Summary>,
        habits: Option<&Habits>,
    ) -> Report {
        let last = self.last.as_ref();
        let tiles = summary.map_or_else(BTreeMap::new, |s| {
            s.tiles.iter().map(|rate| (rate.tile.to_string(), rate.share)).collect()
        });
        Report {
            r#type: kind,
            under: None,
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
            habits: habits.map_or_else(Vec::new, shares),
            fallacy: None,
            ratios: self.extras.search.as_ref().map_or_else(Vec::new, |s| s.ratios().collect()),
        }
    }

    fn log(&mut self, reports: &[&Report]) -> Result<(), RunError> {
        let line = |report| serde_json::to_string(report).unwrap_or_default() + "\n";
        let lines: String = reports.iter().copied().map(line).collect();
        let length = self.folder.append_metrics(&lines);
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
        if let Some(last) = self.last.as_ref().filter(|last| last.r#type == ReportKind::Eval) {
            let strength = serde_json::json!({"greedy_mean": last.mean, "ci95": last.ci95});
            notes.insert("strength".to_owned(), strength);
        }
        let path = self.folder.path();
        let (memory, extras) = (self.memory.per_weight(), self.extras.save());
        checkpoint::write(path, self.counters, &self.network, memory, extras, notes)
            .map_err(|cause| RunError::Io(path.to_owned(), cause))?;
        self.saved = self.counters.games;
        Ok(())
    }
}
