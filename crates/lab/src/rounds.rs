//! Playing seeded games on several threads, so that the outcome does not depend on how many.
//!
//! Round i is game i of every agent. The threads take games in the order of their numbers, each
//! plays several side by side, and what they bring back is handed to a [`Judge`] strictly in the
//! order of the rounds. The judge alone says when to stop, and has seen the same rounds then
//! whatever the threads did; games that were begun beyond that are forgotten.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use maxtile_game::{Record, Rules};

use crate::catalog::Agent;
use crate::seats::Seats;
use crate::stats::Played;

/// How often progress is reported.
const REPORT_EVERY: Duration = Duration::from_millis(50);

/// By which rules, from which seed, on how many threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// The rules.
    pub rules: Rules,
    /// The seed of the run.
    pub seed: u64,
    /// The number of threads; the results do not depend on it.
    pub threads: usize,
}

/// Who watches, and can stop the play.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Is told now and then how far the play is.
    pub progress: &'a (dyn Fn(&Progress) + Sync),
    /// Set by whoever wants the play to end at once.
    pub stop: &'a AtomicBool,
}

/// How far the play is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Complete rounds, without gaps from the first.
    pub games: u64,
    /// The rounds there will be at most.
    pub most: u64,
    /// The mean of what is measured, so far.
    pub mean: f64,
    /// Half the width of its interval.
    pub half_width: Option<f64>,
}

/// Sees the rounds in their order and says when there are enough.
pub(crate) trait Judge: Send {
    /// Takes the next round, one game of each agent; `true` ends the play.
    fn enough(&mut self, round: &[Played]) -> bool;
    /// What is known so far.
    fn progress(&self) -> Progress;
}

/// Rounds to be played.
pub(crate) struct Plan<'a> {
    pub(crate) agents: &'a [&'a Agent],
    pub(crate) setting: Setting,
    pub(crate) most: u64,
    pub(crate) keep_records: bool,
}

/// Rounds that were played.
pub(crate) struct Rounds {
    /// Game i of agent a stands at i · agents + a.
    pub(crate) games: Vec<Played>,
    /// Their records, if they were to be kept.
    pub(crate) records: Vec<Record>,
    pub(crate) seconds: f64,
    pub(crate) interrupted: bool,
}

/// What the threads share.
struct Desk<'a> {
    plan: &'a Plan<'a>,
    watch: &'a Watch<'a>,
    next_job: AtomicU64,
    enough: AtomicBool,
}

/// What they write down, one at a time.
struct Ledger<'j> {
    judge: &'j mut dyn Judge,
    games: Vec<Option<Played>>,
    records: Vec<Option<Record>>,
    /// Complete rounds without gaps.
    rounds: usize,
    reported: Instant,
}

/// Plays until the judge has enough, the plan is fulfilled, or the watch says stop.
pub(crate) fn play(plan: &Plan<'_>, judge: &mut dyn Judge, watch: &Watch<'_>) -> Rounds {
    let clock = Instant::now();
    let desk = Desk { plan, watch, next_job: AtomicU64::new(0), enough: AtomicBool::new(false) };
    let ledger = Mutex::new(Ledger {
        judge,
        games: Vec::new(),
        records: Vec::new(),
        rounds: 0,
        reported: clock,
    });
    let jobs = plan.most.saturating_mul(plan.agents.len() as u64);
    let threads = (plan.setting.threads.max(1) as u64).min(jobs.max(1));
    let liked = plan.agents.iter().map(|agent| agent.side_by_side()).min().unwrap_or(1);
    let seats = jobs.div_ceil(threads).min((liked * plan.agents.len()) as u64);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| desk.work(seats, jobs, &ledger));
        }
        desk.work(seats, jobs, &ledger);
    });
    let ledger = ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
    let complete = ledger.rounds * plan.agents.len();
    (watch.progress)(&ledger.judge.progress());
    Rounds {
        games: ledger.games.into_iter().flatten().take(complete).collect(),
        records: ledger.records.into_iter().flatten().take(complete).collect(),
        seconds: clock.elapsed().as_secs_f64(),
        interrupted: !desk.enough.into_inner() && (ledger.rounds as u64) < plan.most,
    }
}

impl Desk<'_> {
    /// One thread's work.
    fn work(&self, places: u64, jobs: u64, ledger: &Mutex<Ledger<'_>>) {
        let plan = self.plan;
        let agents = plan.agents.len() as u64;
        let mut seats: Vec<Seats> =
            plan.agents.iter().map(|agent| Seats::new(agent, plan)).collect();
        let (mut taken, mut more) = (0, true);
        while !self.enough.load(Ordering::Relaxed) && !self.watch.stop.load(Ordering::Relaxed) {
            while more && taken < places {
                let job = self.next_job.fetch_add(1, Ordering::Relaxed);
                more = job < jobs;
                if more {
                    seats[(job % agents) as usize].sit(job / agents);
                    taken += 1;
                }
            }
            if taken == 0 {
                break;
            }
            for (agent, seats) in seats.iter_mut().enumerate() {
                seats.move_all(|index, played, record| {
                    taken -= 1;
                    let job = index * agents + agent as u64;
                    if self.enter(lock(ledger), job as usize, played, record) {
                        self.enough.store(true, Ordering::Relaxed);
                    }
                });
            }
        }
    }

    /// Writes a game down, shows the judge what has become complete; `true` when it has enough.
    fn enter(
        &self,
        mut ledger: MutexGuard<'_, Ledger<'_>>,
        job: usize,
        played: Played,
        record: Option<Record>,
    ) -> bool {
        if self.enough.load(Ordering::Relaxed) {
            return true;
        }
        put(&mut ledger.games, job, played);
        if let Some(record) = record {
            put(&mut ledger.records, job, record);
        }
        let agents = self.plan.agents.len();
        let mut round = Vec::with_capacity(agents);
        loop {
            let from = ledger.rounds * agents;
            let games = ledger.games.get(from..from + agents).unwrap_or_default();
            round.clear();
            round.extend(games.iter().flatten());
            if round.len() < agents {
                break;
            }
            ledger.rounds += 1;
            if ledger.judge.enough(&round) {
                // Still under the lock: no later round can be shown to the judge.
                self.enough.store(true, Ordering::Relaxed);
                return true;
            }
        }
        if ledger.reported.elapsed() >= REPORT_EVERY {
            ledger.reported = Instant::now();
            (self.watch.progress)(&ledger.judge.progress());
        }
        false
    }
}

fn put<T>(list: &mut Vec<Option<T>>, index: usize, item: T) {
    if list.len() <= index {
        list.resize_with(index + 1, || None);
    }
    list[index] = Some(item);
}

/// A thread that panicked ends the whole play; until then the others need not care.
fn lock<'a, 'j>(ledger: &'a Mutex<Ledger<'j>>) -> MutexGuard<'a, Ledger<'j>> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}
