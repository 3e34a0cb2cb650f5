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
use crate::training::{Event, Origin, Recipe, ReportKind, RunError, RunFolder, Session};

/// What there is to run.
pub struct Runner<'a> {
    experiment: &'a Experiment,
    scale: String,
    /// Where run folders go while they are needed.
    work: PathBuf,
    origin: Origin,
    missing: Vec<Job<'a>>,
    /// The length of runs that are done already.
    done_games: u64,
}

struct Job<'a> {
    arm: &'a Arm,
    seed: u64,
    recipe: Recipe,
    /// Arms that learn alike and differ in their test games only: one run serves them all.
    also: Vec<(&'a Arm, Recipe)>,
}

impl Job<'_> {
    /// A name for its folder.
    fn name(&self) -> String {
        let arms = std::iter::once(self.arm).chain(self.also.iter().map(|(arm, _)| *arm));
        let arms: Vec<&str> = arms.map(|arm| arm.name.as_str()).collect();
        format!("{}-{}", arms.join("+"), self.seed)
    }
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
        let (mut missing, mut done_games): (Vec<Job<'a>>, u64) = (Vec::new(), 0);
        let mut most = 0;
        for arm in experiment.arms(scale) {
            most = most.max(experiment.seeds(arm, scale)?);
        }
        for seed in 1..=most {
            for arm in experiment.arms(scale) {
                if seed > experiment.seeds(arm, scale)? {
                    continue;
                }
                let recipe = experiment.recipe(arm, scale, seed)?;
                if let Some(run) = results.find(&arm.name, seed, &recipe) {
                    done_games += run.recipe.length();
                    continue;
                }
                let plain = arm.measures(scale).next().is_none();
                match missing.iter_mut().find(|job| plain && job.recipe.learns_like(&recipe)) {
                    Some(job) => job.also.push((arm, recipe)),
                    None => missing.push(Job { arm, seed, recipe, also: Vec::new() }),
                }
            }
        }
        let work = work.join(format!("{}-{scale}", experiment.name));
        let (scale, origin) = (scale.to_owned(), origin.clone());
        Ok(Runner { experiment, scale, work, origin, missing, done_games })
    }

    /// How many runs are missing, and how long they are: games, or positions where these end the runs.
    pub fn missing(&self) -> (usize, u64) {
        (self.missing.len(), self.missing.iter().map(|job| job.recipe.length()).sum())
    }

    /// Do positions end the missing runs?
    pub fn by_positions(&self) -> bool {
        self.missing.iter().any(|job| job.recipe.positions > 0)
    }

    /// The length of the runs that are done.
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
                let done = self.one(job, stop, &learned).and_then(|found| {
                    if found.is_empty() {
                        return Ok(());
                    }
                    runs.fetch_add(1, Ordering::Relaxed);
                    for result in found {
                        let mean = result.mean(None).unwrap_or(0.0);
                        let event = format!("{} seed {}: {mean:.0}", result.arm, result.seed);
                        let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                        results.add(result).map_err(|e| ExperimentError(e.to_string()))?;
                        tell(event);
                    }
                    Ok(())
                });
                if let Err(cause) = done {
                    // The others save and end, too.
                    stop.store(true, Ordering::Relaxed);
                    let why = ExperimentError(format!("{}: {cause}", job.name()));
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

    /// One run, from its beginning or from where it was stopped, with the results of its arms; none
    /// when it is stopped again.
    fn one(
        &self,
        job: &Job<'_>,
        stop: &AtomicBool,
        learned: &dyn Fn(u64, String),
    ) -> Result<Vec<RunResult>, ExperimentError> {
        let failed = |cause: &dyn std::fmt::Display| ExperimentError(cause.to_string());
        let folder = self.work.join(job.name());
        let mut session = self.session(job, &folder)?;
        if job.arm.measures(&self.scale).next().is_none() {
            session.forget_at_end();
        }
        session.also_test(job.also.iter().map(|(_, recipe)| recipe.clone()).collect());
        let mut before = session.counters().done(&job.recipe);
        learned(before, String::new());
        let mut watch = |event: Event<'_>| match event {
            Event::Learned(report) => {
                let done = report.done(&job.recipe);
                learned(done - before, String::new());
                before = done;
            }
            Event::Remark(sentence) => learned(0, format!("{}: {sentence}", job.arm.name)),
            _ => {}
        };
        let clock = CpuClock::start();
        session.run(&mut watch, stop).map_err(|e| failed(&e))?;
        if !session.finished() || stop.load(Ordering::Relaxed) {
            return Ok(Vec::new());
        }
        // What learns on threads of its own, as neural networks do, is not seen by this thread's clock.
        let cpu = if matches!(job.recipe.neural(), Ok(Some(_))) {
            session.counters().seconds
        } else {
            0.0
        };
        let text = std::fs::read_to_string(session.folder().metrics_path());
        let text = text.map_err(|e| failed(&e))?;
        drop(session);
        let Some(measured) = self.measure(job, &folder, stop)? else { return Ok(Vec::new()) };
        std::fs::remove_dir_all(&folder).map_err(|e| failed(&e))?;
        let seed = job.seed;
        let seconds = clock.seconds().max(cpu) / (1 + job.also.len()) as f64;
        let (arm, recipe) = (job.arm.name.clone(), job.recipe.clone());
        let curve_of = |under: Option<&str>| curve(&text, under);
        let mut found =
            vec![RunResult { arm, seed, recipe, curve: curve_of(None), measured, seconds }];
        found.extend(job.also.iter().map(|(arm, recipe)| RunResult {
            arm: arm.name.clone(),
            seed,
            recipe: recipe.clone(),
            curve: curve_of(Some(&recipe.name)),
            measured: Vec::new(),
            seconds,
        }));
        Ok(found)
    }

    /// Goes on where the folder holds this run; a folder of another recipe is taken away.
    fn session(&self, job: &Job<'_>, folder: &Path) -> Result<Session, ExperimentError> {
        let failed = |cause: &dyn std::fmt::Display| ExperimentError(cause.to_string());
        if folder.exists() {
            let same = RunFolder::open(folder).is_ok_and(|(_, recipe)| recipe == job.recipe);
            match same.then(|| Session::resume(folder)) {
                Some(Ok((session, _))) => return Ok(session),
                Some(Err(busy @ RunError::Busy(_))) => return Err(failed(&busy)),
                _ => {}
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
        for measure in job.arm.measures(&self.scale) {
            let rules = job.recipe.rules().map_err(|e| ExperimentError(e.to_string()))?;
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
                tiles: summary.tiles.iter().map(|t| (t.tile.to_string(), t.share)).collect(),
            });
        }
        Ok(Some(all))
    }
}

fn bad_agent(experiment: &Experiment, why: &dyn std::fmt::Display) -> ExperimentError {
    ExperimentError(format!("{}: {why}", experiment.name))
}

/// The evaluations in a run's metrics, its own or those under the rules of another recipe.
fn curve(metrics: &str, under: Option<&str>) -> Vec<Point> {
    #[derive(serde::Deserialize)]
    struct Line {
        r#type: ReportKind,
        under: Option<String>,
        #[serde(flatten)]
        point: serde_json::Value,
    }
    let lines = metrics.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    let evals =
        lines.filter(|line| line.r#type != ReportKind::Train && line.under.as_deref() == under);
    evals.filter_map(|line| serde_json::from_value(line.point).ok()).collect()
}

/// How long this thread has run; others on the same machine do not count.
struct CpuClock {
    start: Option<f64>,
    wall: Instant,
}

impl CpuClock {
    fn start() -> CpuClock {
        CpuClock { start: thread_seconds(), wall: Instant::now() }
    }

    /// Seconds since the start; of the wall clock where the system does not tell.
    fn seconds(&self) -> f64 {
        match (self.start, thread_seconds()) {
            (Some(start), Some(now)) => now - start,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Seconds that this thread has spent on a processor.
fn thread_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}
