//! Runs what is missing of an experiment, several runs side by side.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::describe::{Arm, Experiment, ExperimentError};
use super::results::{Measured, Point, Results, RunResult};
use crate::agent::Call;
use crate::agents::AGENTS;
use crate::catalog::Agent;
use crate::evaluate::{Until, evaluate};
use crate::rounds::{Setting, Watch};
use crate::training::{Event, Origin, Recipe, Report, RunFolder, Session};

/// What there is to run.
pub struct Runner<'a> {
    experiment: &'a Experiment,
    /// Where run folders go while they are needed.
    work: PathBuf,
    origin: Origin,
    missing: Vec<Job<'a>>,
    /// Games of runs that are done already.
    done_games: u64,
}

struct Job<'a> {
    arm: &'a Arm,
    seed: u64,
    recipe: Recipe,
}

/// How far the runs are.
#[derive(Clone, Debug, PartialEq)]
pub struct RunProgress {
    /// Runs that are done.
    pub runs: usize,
    /// All runs.
    pub of_runs: usize,
    /// Learning games of the runs that were missing.
    pub games: u64,
    /// All of them.
    pub of_games: u64,
    /// Seconds since the start.
    pub seconds: f64,
    /// What happened, in words; empty when a block was learned.
    pub event: String,
}

impl RunProgress {
    /// Seconds that the rest will take if its games take as long as those before.
    pub fn seconds_left(&self) -> Option<f64> {
        let each = self.seconds / (self.games > 0).then_some(self.games)? as f64;
        Some(each * (self.of_games - self.games.min(self.of_games)) as f64)
    }
}

impl<'a> Runner<'a> {
    /// What is missing of an experiment at a scale: all arms of the first seed first.
    pub fn new(
        experiment: &'a Experiment,
        scale: &str,
        results: &Results,
        work: &Path,
        origin: &Origin,
    ) -> Result<Runner<'a>, ExperimentError> {
        // Said before hours of learning, not after them.
        for measure in experiment.arm.iter().flat_map(|arm| &arm.measure) {
            let call: Call = measure.agent.parse().map_err(|e| bad_agent(experiment, &e))?;
            if AGENTS.iter().all(|kind| kind.name != call.name) {
                return Err(bad_agent(experiment, &format!("there is no agent {:?}", call.name)));
            }
        }
        let (mut missing, mut done_games) = (Vec::new(), 0);
        for seed in 1..=experiment.scale(scale)?.seeds {
            for arm in &experiment.arm {
                let recipe = experiment.recipe(arm, scale, seed)?;
                match results.find(&arm.name, seed, &recipe) {
                    Some(run) => done_games += run.recipe.games,
                    None => missing.push(Job { arm, seed, recipe }),
                }
            }
        }
        let work = work.join(format!("{}-{scale}", experiment.name));
        Ok(Runner { experiment, work, origin: origin.clone(), missing, done_games })
    }

    /// How many runs are missing, and how many games they have.
    pub fn missing(&self) -> (usize, u64) {
        (self.missing.len(), self.missing.iter().map(|job| job.recipe.games).sum())
    }

    /// Games of the runs that are done.
    pub fn done_games(&self) -> u64 {
        self.done_games
    }

    /// Runs until all is done or `stop` is set; then every run has saved where it is.
    pub fn run(
        &self,
        results: &mut Results,
        threads: usize,
        stop: &AtomicBool,
        watch: &(dyn Fn(&RunProgress) + Sync),
    ) -> Result<(), ExperimentError> {
        let clock = Instant::now();
        let (of_runs, of_games) = self.missing();
        let (next, games, runs) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicUsize::new(0));
        let (results, failed) = (Mutex::new(results), Mutex::new(None));
        let tell = |event: String| {
            watch(&RunProgress {
                runs: runs.load(Ordering::Relaxed),
                of_runs,
                games: games.load(Ordering::Relaxed),
                of_games,
                seconds: clock.elapsed().as_secs_f64(),
                event,
            });
        };
        let work = || {
            while !stop.load(Ordering::Relaxed) {
                let Some(job) = self.missing.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    break;
                };
                let learned = |more: u64, event: String| {
                    games.fetch_add(more, Ordering::Relaxed);
                    tell(event);
                };
                let name = format!("{} seed {}", job.arm.name, job.seed);
                let done = self.one(job, stop, &learned).and_then(|result| {
                    let Some(result) = result else { return Ok(()) };
                    let mean = result.mean(None).unwrap_or(0.0);
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    results.add(result).map_err(|e| ExperimentError(e.to_string()))?;
                    runs.fetch_add(1, Ordering::Relaxed);
                    tell(format!("{name}: {mean:.0}"));
                    Ok(())
                });
                if let Err(cause) = done {
                    // The others save and end, too.
                    stop.store(true, Ordering::Relaxed);
                    let why = ExperimentError(format!("{name}: {cause}"));
                    *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.max(1) {
                scope.spawn(work);
            }
            work();
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// One run, from its beginning or from where it was stopped; `None` when it is stopped again.
    fn one(
        &self,
        job: &Job<'_>,
        stop: &AtomicBool,
        learned: &dyn Fn(u64, String),
    ) -> Result<Option<RunResult>, ExperimentError> {
        let failed = |cause: &dyn std::fmt::Display| ExperimentError(cause.to_string());
        let folder = self.work.join(format!("{}-{}", job.arm.name, job.seed));
        let mut session = self.session(job, &folder)?;
        if job.arm.measure.is_empty() {
            session.forget_at_end();
        }
        let mut before = session.counters().games;
        learned(before, String::new());
        let mut watch = |event: Event<'_>| match event {
            Event::Learned(report) => {
                learned(report.games - before, String::new());
                before = report.games;
            }
            Event::Remark(sentence) => learned(0, format!("{}: {sentence}", job.arm.name)),
            _ => {}
        };
        let clock = Instant::now();
        session.run(&mut watch, stop).map_err(|e| failed(&e))?;
        if session.counters().games < job.recipe.games || stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let text = std::fs::read_to_string(session.folder().metrics_path());
        let curve = curve(&text.map_err(|e| failed(&e))?);
        drop(session);
        let Some(measured) = self.measure(job, &folder, stop)? else { return Ok(None) };
        std::fs::remove_dir_all(&folder).map_err(|e| failed(&e))?;
        let (arm, seed, recipe) = (job.arm.name.clone(), job.seed, job.recipe.clone());
        let seconds = clock.elapsed().as_secs_f64();
        Ok(Some(RunResult { arm, seed, recipe, curve, measured, seconds }))
    }

    /// Goes on where the folder holds this run; a folder of another recipe is taken away.
    fn session(&self, job: &Job<'_>, folder: &Path) -> Result<Session, ExperimentError> {
        let failed = |cause: &dyn std::fmt::Display| ExperimentError(cause.to_string());
        if folder.exists() {
            let same = RunFolder::open(folder).is_ok_and(|(_, recipe)| recipe == job.recipe);
            if let Some((session, _)) = same.then(|| Session::resume(folder).ok()).flatten() {
                return Ok(session);
            }
            std::fs::remove_dir_all(folder).map_err(|e| failed(&e))?;
        }
        Session::begin(job.recipe.clone(), folder, &self.origin).map_err(|e| failed(&e))
    }

    /// Evaluates the agents that the arm asks for; `None` when stopped.
    fn measure(
        &self,
        job: &Job<'_>,
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Measured>>, ExperimentError> {
        let mut all = Vec::new();
        for measure in &job.arm.measure {
            let spec = job.recipe.spec().map_err(|e| ExperimentError(e.to_string()))?;
            let rules = job.recipe.rules(&spec);
            let quoted = format!("\"{}\"", folder.display());
            let agent = Agent::parse(&measure.agent.replace("RUN", &quoted), rules)
                .map_err(|e| ExperimentError(format!("{}: {e}", self.experiment.name)))?;
            let setting = Setting { rules, seed: !job.seed, threads: 1 };
            let watch = Watch { progress: &|_| (), stop };
            let found = evaluate(&agent, &setting, Until::Games(measure.games), false, &watch);
            let Some(summary) = found.summary.filter(|_| !found.interrupted) else {
                return Ok(None);
            };
            all.push(Measured {
                name: measure.name.clone(),
                mean: summary.scores.mean(),
                ci95: summary.scores.half_width().unwrap_or(0.0),
                games: measure.games,
            });
        }
        Ok(Some(all))
    }
}

fn bad_agent(experiment: &Experiment, why: &dyn std::fmt::Display) -> ExperimentError {
    ExperimentError(format!("{}: {why}", experiment.name))
}

/// The evaluations in a run's metrics.
fn curve(metrics: &str) -> Vec<Point> {
    #[derive(serde::Deserialize)]
    struct Line {
        r#type: String,
        #[serde(flatten)]
        point: serde_json::Value,
    }
    let lines = metrics.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    let evals = lines.filter(|line| line.r#type == Report::EVAL);
    evals.filter_map(|line| serde_json::from_value(line.point).ok()).collect()
}
