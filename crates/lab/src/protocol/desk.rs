//! Who answers queries: agents kept open by their text, shared by helpers on several threads.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use maxtile_game::{Board, Rules, Shape};
use maxtile_search::{Counts, Limits, Policy, Report};
use serde::Serialize;

use super::answer::{Answer, Refusal, SpawnAnswer, number};
use super::query::Query;
use crate::catalog::Agent;

/// Who is asked when the query does not say.
pub const DEFAULT_AGENT: &str = "expectimax(net=default)";
/// Who is asked on a board of this shape when nobody says: the network inside the program knows
/// the ordinary board only.
pub fn usual_agent(shape: Shape) -> &'static str {
    if shape == Shape::CLASSIC { DEFAULT_AGENT } else { "heuristic" }
}

/// Agents that stay open; the policy of each has a table of its own.
const KEPT: usize = 8;

/// One line of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Reply {
    /// What is known.
    Answer(Box<Answer>),
    /// Why nothing can be said.
    Refusal(Refusal),
}

/// Makes an agent of its text, or says why not.
pub type Open = Box<dyn Fn(&str, Rules) -> Result<Agent, String> + Send + Sync>;

/// Tells what a text names now from what it named before: a run that learns on keeps its name.
pub type Edition = Box<dyn Fn(&str) -> String + Send + Sync>;

/// The agents, opened once for all threads.
pub struct Desk {
    usual: Option<String>,
    most: Duration,
    open: Open,
    edition: Edition,
    /// By text, with the edition that was opened.
    agents: Mutex<HashMap<String, (String, Agent)>>,
}

impl Desk {
    /// Answers by this agent, or the usual one, unless a query names another, and in at most this
    /// time for a position.
    pub fn new(usual: Option<&str>, most: Duration) -> Desk {
        let open: Open =
            Box::new(|text, rules| Agent::parse(text, rules).map_err(|cause| cause.to_string()));
        let edition: Edition = Box::new(|_| String::new());
        Desk { usual: usual.map(str::to_owned), most, open, edition, agents: Mutex::default() }
    }

    /// The same desk with agents opened in another way: a server does not open every file.
    #[must_use]
    pub fn opening(self, open: Open) -> Desk {
        Desk { open, ..self }
    }

    /// The same desk, opening an agent again when its edition has changed.
    #[must_use]
    pub fn renewing(self, edition: Edition) -> Desk {
        Desk { edition, ..self }
    }

    /// The longest time for a position.
    pub fn most(&self) -> Duration {
        self.most
    }

    /// The text of the agent who answers a query.
    pub fn agent_of<'a>(&'a self, query: &'a Query) -> &'a str {
        let text = query.agent.as_deref().or(self.usual.as_deref());
        text.unwrap_or_else(|| usual_agent(query.rules.shape))
    }

    /// The agent with this text, opened if it is not open yet or has changed since.
    pub fn agent(&self, text: &str, rules: Rules) -> Result<Agent, String> {
        let key = format!("{} {} {text}", rules.shape, rules.law.p4());
        // Asked before opening: what changes in between is opened again the next time.
        let edition = (self.edition)(text);
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, agent)) = agents.get(&key).filter(|(opened, _)| *opened == edition) {
            return Ok(agent.clone());
        }
        let agent = (self.open)(text, rules)?;
        if agents.len() >= KEPT && !agents.contains_key(&key) {
            agents.clear();
        }
        agents.insert(key, (edition, agent.clone()));
        Ok(agent)
    }
}

/// One thread's part: policies are not shared.
pub struct Helper<'a> {
    desk: &'a Desk,
    /// With the agent that each was made by.
    policies: HashMap<String, (Agent, Box<dyn Policy>)>,
}

impl<'a> Helper<'a> {
    /// A helper at this desk.
    pub fn new(desk: &'a Desk) -> Helper<'a> {
        Helper { desk, policies: HashMap::new() }
    }

    /// Answers a line, in at least one line. Whatever it is, nothing worse happens than a refusal.
    pub fn answer(&mut self, line: &[u8], mut reply: impl FnMut(Reply)) {
        let query = match Query::parse(line) {
            Ok(query) => query,
            Err(refusal) => return reply(Reply::Refusal(refusal)),
        };
        self.answer_query(&query, None, reply);
    }

    /// Answers a query that was read already. A search ends early, with an answer that means
    /// nothing, once `stop` is set.
    pub fn answer_query(
        &mut self,
        query: &Query,
        stop: Option<&Arc<AtomicBool>>,
        mut reply: impl FnMut(Reply),
    ) {
        let id = query.id.clone();
        let result = catch_unwind(AssertUnwindSafe(|| self.turns(query, stop, &mut reply)));
        let refused = match result {
            Ok(Ok(())) => return,
            Ok(Err((field, why))) => Refusal::new(id, field, why),
            Err(_) => {
                // Whatever state the policies are in, it is not to be used again.
                self.policies.clear();
                Refusal::new(id, "query", "an error of ours: please report the query".to_owned())
            }
        };
        reply(Reply::Refusal(refused));
    }

    fn turns(
        &mut self,
        query: &Query,
        stop: Option<&Arc<AtomicBool>>,
        reply: &mut impl FnMut(Reply),
    ) -> Result<(), (&'static str, String)> {
        let agent = self
            .desk
            .agent(self.desk.agent_of(query), query.rules)
            .map_err(|why| ("agent", why))?;
        let rules = query.rules;
        let key = format!("{} {} {}", rules.shape, rules.law.p4(), agent.text());
        if self.policies.len() >= KEPT && !self.policies.contains_key(&key) {
            self.policies.clear();
        }
        // An agent that was opened again plays by something else than the policy of the old one.
        self.policies.retain(|other, (made_by, _)| *other != key || made_by.is(&agent));
        let made = self.policies.entry(key);
        let (_, policy) = made.or_insert_with(|| (agent.clone(), agent.policy()));
        if let Some(stop) = stop {
            policy.stop_by(Arc::clone(stop));
        }
        if query.turns.is_empty() {
            return Err(("turns", "no turn is asked about".to_owned()));
        }
        for &(turn, board) in &query.turns {
            let finish = |mut answer: Answer, partial: bool| {
                answer.id = query.id.clone();
                answer.turn = Some(turn);
                answer.partial = Some(partial);
                answer.warnings.clone_from(&query.warnings);
                Reply::Answer(Box::new(answer))
            };
            if board.is_over() {
                reply(finish(Answer::over(board), false));
                continue;
            }
            // What is said beyond the values may take as long as the search, and the spawns as long as both.
            let most = self.desk.most / if query.spawns { 4 } else { 2 };
            let mut limits = query.limits.limits(most);
            if limits.is_none() {
                // Even the agent's own depth may be more than anybody wants to wait for.
                let time = |own: Limits| Some(own.time.map_or(most, |time| time.min(most)));
                limits = policy.limits().map(|own| Limits { time: time(own), ..own });
            }
            let partial = |report: &Report| reply(finish(Answer::of(report), true));
            let report = match query.report_every {
                Some(every) => deepen(policy, board, limits, every, most, partial),
                None => policy.explain(board, limits),
            };
            let report = report
                .ok_or_else(|| ("agent", format!("{} does not weigh moves", agent.text())))?;
            let mut answer = Answer::of(&report);
            if query.spawns {
                answer.spawns = Some(spawns(policy, &report, query.rules, limits, 2 * most));
            }
            reply(finish(answer, false));
        }
        Ok(())
    }
}

/// More of the tree and again, with a word in between.
fn deepen(
    policy: &mut Box<dyn Policy>,
    board: Board,
    limits: Option<Limits>,
    every: Duration,
    most: Duration,
    partial: impl FnMut(&Report),
) -> Option<Report> {
    let Some(limits) = limits.or_else(|| policy.limits()) else {
        return policy.explain(board, None);
    };
    let limits = Limits { time: Some(limits.time.map_or(most, |time| time.min(most))), ..limits };
    match (limits.is_open(), limits.nodes) {
        (false, _) => ply_by_ply(policy, board, limits, every, partial),
        (true, None) => slice_by_slice(policy, board, limits, every, partial),
        // A search of so many nodes forgets what it knew, so nothing would be gained by parts of it.
        (true, Some(_)) => policy.explain(board, Some(limits)),
    }
}

/// What all parts of an answer took so far.
#[derive(Default)]
struct Took {
    counts: Counts,
    time: Duration,
}

impl Took {
    /// Adds what a part took, which then says what all took.
    fn add(&mut self, report: &mut Report) {
        self.counts.add(report.counts);
        self.time += report.time;
        (report.counts, report.time) = (self.counts, self.time);
    }

    /// The better one of two parts stays: one that something else took the time of found less than the one before.
    fn keep(&self, best: &mut Option<Report>, report: Report) {
        match best {
            Some(best) if report.depth < best.depth => {
                (best.counts, best.time) = (self.counts, self.time);
            }
            _ => *best = Some(report),
        }
    }
}

/// One ply more and again.
fn ply_by_ply(
    policy: &mut Box<dyn Policy>,
    board: Board,
    limits: Limits,
    every: Duration,
    mut partial: impl FnMut(&Report),
) -> Option<Report> {
    let clock = Instant::now();
    let mut said = Instant::now();
    let mut last: Option<Report> = None;
    let mut took = Took::default();
    for depth in 1..=limits.depth {
        let left = limits.time.unwrap_or_default().saturating_sub(clock.elapsed());
        if depth > 1 && left.is_zero() {
            break;
        }
        let step = Limits { depth, time: Some(left), ..limits };
        let mut report = policy.explain(board, Some(step))?;
        took.add(&mut report);
        // Crowded boards may get more plies than were asked for.
        let finished = report.depth >= depth;
        // A search by simulations is asked once: it has a depth, but none that it is told.
        let all = limits.crowded == 0 && report.depth >= limits.depth;
        took.keep(&mut last, report);
        if !finished || all {
            break;
        }
        if let Some(report) =
            last.as_ref().filter(|_| depth < limits.depth && said.elapsed() >= every)
        {
            partial(report);
            said = Instant::now();
        }
    }
    last
}

/// Twice the time and again. A table knows what was found before; a search by simulations begins anew.
fn slice_by_slice(
    policy: &mut Box<dyn Policy>,
    board: Board,
    limits: Limits,
    every: Duration,
    mut partial: impl FnMut(&Report),
) -> Option<Report> {
    let (clock, mut slice) = (Instant::now(), every.max(Duration::from_millis(1)));
    let mut said = Instant::now();
    let mut best: Option<Report> = None;
    let mut took = Took::default();
    loop {
        let left = limits.time.unwrap_or_default().saturating_sub(clock.elapsed());
        // What would be left after this slice is not worth another one.
        let last = 2 * slice >= left;
        let step = Limits { time: Some(if last { left } else { slice }), ..limits };
        let mut report = policy.explain(board, Some(step))?;
        took.add(&mut report);
        took.keep(&mut best, report);
        if last || best.as_ref().is_some_and(|best| best.moves.len() < 2) {
            return best;
        }
        if let Some(best) = best.as_ref().filter(|_| said.elapsed() >= every) {
            partial(best);
            said = Instant::now();
        }
        slice *= 2;
    }
}

/// What each tile after the best move would mean: searched one ply less, or all of them together as long as the position.
fn spawns(
    policy: &mut Box<dyn Policy>,
    report: &Report,
    rules: Rules,
    limits: Option<Limits>,
    most: Duration,
) -> Vec<SpawnAnswer> {
    let Some(mv) = report.best() else { return Vec::new() };
    let Some((afterstate, _)) = report.board.slide(mv) else { return Vec::new() };
    // A search may take its time twice, see above.
    let tiles = rules.law.outcomes(afterstate).count().max(1) as u32;
    let time = most / (2 * tiles);
    let limits = match limits.filter(Limits::is_open) {
        Some(limits) => Limits {
            time: Some(limits.time.map_or(time, |whole| time.min(whole / (2 * tiles)))),
            nodes: limits.nodes.map(|nodes| (nodes / u64::from(tiles)).max(nodes.min(1000))),
            ..limits
        },
        None => Limits { time: Some(time), ..Limits::depth(report.depth.max(2) - 1) },
    };
    let answer = |(spawn, probability): (maxtile_game::Spawn, f64)| {
        let board = afterstate.spawn(spawn).ok()?;
        let value = policy.explain(board, Some(limits)).map_or(0.0, |report| report.value());
        let (cell, exponent) = (spawn.cell, spawn.exponent);
        Some(SpawnAnswer { cell, exponent, probability, value: number(value) })
    };
    rules.law.outcomes(afterstate).filter_map(answer).collect()
}
