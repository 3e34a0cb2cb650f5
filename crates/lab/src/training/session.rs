//! A training run in progress: blocks of games, metrics, evaluations, checkpoints.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use maxtile_game::Rules;
use maxtile_ntuple::Network;

use super::checkpoint::{self, Checkpoint};
use super::folder::{Origin, RunError, RunFolder};
use super::recipe::{Learner, Recipe};
use super::report::{Report, ReportKind};
use super::student::{Student, Tested};
use crate::stats::Summary;

/// A run that can learn.
pub struct Session {
    /// Nobody else trains in this folder while this one does or is about to.
    claim: Option<File>,
    recipe: Recipe,
    rules: Rules,
    folder: RunFolder,
    student: Student,
    counters: Checkpoint,
    saved: u64,
    save_end: bool,
    /// Recipes that learn alike, under whose rules test games are played, too.
    others: Vec<Recipe>,
    last: Option<Report>,
    /// The game after which the last test games were played, and the positions judged by then.
    tested: u64,
    tested_positions: u64,
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
        let student = Student::new(&recipe, Path::new("recipe"))?;
        let folder = RunFolder::create(path, &recipe, origin)?;
        let claim = folder.claim()?;
        Session::with(claim, recipe, folder, student, Checkpoint::default())
    }

    /// Goes on with a run from its newest whole checkpoint, or from the start if there is none
    /// yet. The sentences say which checkpoints were passed over, and why.
    pub fn resume(path: &Path) -> Result<(Session, Vec<String>), RunError> {
        let (folder, recipe) = RunFolder::open(path)?;
        let claim = folder.claim()?;
        let failed = |cause| RunError::Io(path.to_owned(), cause);
        let read = |file: &Path, extras| Student::open(&recipe, file, extras);
        let (found, mut remarks) = checkpoint::newest(path, &read).map_err(failed)?;
        let mut session = match found {
            Some((counters, student)) => {
                if !remarks.is_empty() {
                    remarks.push(format!("going on from game {}", counters.games));
                }
                Session::with(claim, recipe, folder, student, counters)?
            }
            None if remarks.is_empty() => {
                let student = Student::new(&recipe, path)?;
                Session::with(claim, recipe, folder, student, Checkpoint::default())?
            }
            None => return Err(RunError::NoCheckpoint(path.to_owned(), remarks)),
        };
        session.folder.cut_metrics(session.counters.metrics).map_err(failed)?;
        session.last = session.folder.last_report().map_err(failed)?;
        if let Some(tested) = session.folder.last_tested().map_err(failed)? {
            (session.tested, session.tested_positions) = (tested.games, tested.positions);
        }
        Ok((session, remarks))
    }

    fn with(
        claim: File,
        recipe: Recipe,
        folder: RunFolder,
        student: Student,
        counters: Checkpoint,
    ) -> Result<Session, RunError> {
        let rules = recipe.rules();
        let rules = rules.map_err(|e| RunError::Recipe(folder.path().to_owned(), e))?;
        Ok(Session {
            claim: Some(claim),
            recipe,
            rules,
            folder,
            student,
            counters,
            saved: counters.games,
            save_end: true,
            others: Vec::new(),
            last: None,
            tested: 0,
            tested_positions: 0,
        })
    }

    /// Has it come to its end?
    pub fn finished(&self) -> bool {
        self.counters.finished(&self.recipe)
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

    /// The network, where it is one of tuples.
    pub fn network(&self) -> Option<&Network> {
        self.student.tuples()
    }

    /// What learns, in some words.
    pub fn describe(&self) -> String {
        self.student.describe()
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
        if self.claim.is_none() {
            self.claim = Some(self.folder.claim()?);
        }
        let last = self.learn(watch, stop);
        self.claim = None;
        last
    }

    fn learn(
        &mut self,
        watch: &mut dyn FnMut(Event<'_>),
        stop: &AtomicBool,
    ) -> Result<Option<Report>, RunError> {
        // Test games that a stop has cut off.
        self.test(watch, stop)?;
        while !self.finished() && !stop.load(Ordering::Relaxed) {
            let report = self.block(watch)?;
            self.log(&[&report])?;
            watch(Event::Learned(&report));
            self.last = Some(report);
            self.test(watch, stop)?;
            if self.crossed(self.recipe.save_every) && !self.finished() {
                // A disk that is full now may have room later; the run goes on.
                match self.save() {
                    Ok(()) => watch(Event::Saved(self.counters.games)),
                    Err(error) => watch(Event::Remark(format!("no checkpoint: {error}"))),
                }
            }
        }
        if self.saved < self.counters.games && (self.save_end || !self.finished()) {
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
        let passed = || match self.recipe.eval_positions {
            0 => self.crossed(self.recipe.eval_every),
            every => self.counters.positions / every > self.tested_positions / every,
        };
        if games <= self.tested || !(self.finished() || passed()) {
            return Ok(());
        }
        let under = |other: &Recipe| {
            let under = Some(other.name.clone());
            Some(Report { r#type: ReportKind::Also, under, ..self.evaluate(other, stop)? })
        };
        let also: Option<Vec<Report>> = self.others.iter().map(under).collect();
        if let (Some(also), Some(mut report)) = (also, self.evaluate(&self.recipe, stop)) {
            // Only trees report promises of learning games; reading the metrics again costs more with every test.
            if self.recipe.learner == Learner::Tree {
                let failed = |cause| RunError::Io(self.folder.metrics_path(), cause);
                report.learning = self.folder.estimates_since_test().map_err(failed)?;
            }
            let reports: Vec<&Report> = also.iter().chain([&report]).collect();
            self.log(&reports)?;
            watch(Event::Evaluated(&report));
            self.last = Some(report);
            self.tested = games;
            self.tested_positions = self.counters.positions;
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
        let first = self.counters.games;
        let end = (first - first % self.recipe.block + self.recipe.block).min(self.recipe.games);
        let clock = Instant::now();
        let mut remark = |sentence| watch(Event::Remark(sentence));
        let learned = self.student.learn(&self.recipe, self.rules, first..end, &mut remark)?;
        let seconds = clock.elapsed().as_secs_f64();
        self.counters.games = end;
        self.counters.moves += learned.moves;
        self.counters.positions += learned.positions;
        self.counters.seconds += seconds;
        let summary = Summary::of(&learned.games, self.rules.shape);
        let mut report = self.report(ReportKind::Train, summary.as_ref());
        report.games_per_s = learned.games.len() as f64 / seconds;
        report.moves_per_s = learned.moves as f64 / seconds;
        report.rate = learned.rate;
        report.optimizer = learned.optimizer;
        report.estimates = learned.estimates;
        Ok(report)
    }

    /// Test games under the rules of a recipe that learns like this run.
    fn evaluate(&self, recipe: &Recipe, stop: &AtomicBool) -> Option<Report> {
        let tested = self.student.examine(recipe, self.rules, stop)?;
        let Tested { summary, habits, fallacy, estimates } = tested;
        let report = self.report(ReportKind::Eval, summary.as_ref());
        Some(Report { habits, fallacy, estimates, ..report })
    }

    fn report(&self, kind: ReportKind, summary: Option<&Summary>) -> Report {
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
            habits: Vec::new(),
            fallacy: None,
            ratios: self.student.ratios(),
            optimizer: None,
            positions: self.counters.positions,
            estimates: None,
            learning: None,
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
        let write = |file: &Path| self.student.save(file, notes);
        checkpoint::write(path, self.counters, self.student.extras(), write)
            .map_err(|cause| RunError::Io(path.to_owned(), cause))?;
        self.saved = self.counters.games;
        Ok(())
    }
}
