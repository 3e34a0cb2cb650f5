//! Monte-Carlo softmax search: a tree that grows where moves promise most, judged by a value function.
//!
//! No policy network and no playouts: a child is drawn by a Boltzmann distribution over worths, a new
//! position is judged by the value function, and a position is worth a (possibly different) Boltzmann mean of
//! its moves. docs/mcss.md has the rules and where they come from.

mod explain;
mod parallel;
mod rules;
mod tree;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use maxtile_game::{Afterstate, Board, Random, SpawnLaw};

pub use rules::{Rule, Seen, Select};

use crate::clock::{Clock, Deadline, Stopwatch};
use crate::effort::MAX_DEPTH;
use crate::limits::Limits;
use crate::policy::{Policy, Query, Searched, Worths, best};
use crate::report::Report;
use crate::tree::Counts;
use crate::value::Value;
use tree::{End, Growth, Tree};

/// Which spawn a simulation follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spawns {
    /// One drawn by its probability.
    Drawn,
    /// The one most due: argmax P / (N + 1). Nothing is drawn.
    Least,
}

/// How the moves of the root share the simulations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtRoot {
    /// As everywhere.
    Select,
    /// Sequential halving: all alike, then the better half alike, until one is left.
    Halving,
}

/// Which move is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decide {
    /// The one worth most.
    Worth,
    /// The one visited most.
    Visits,
}

/// How an [`Mcss`] searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct McssSettings {
    /// Simulations for a move; `None` for as many as the time allows.
    pub simulations: Option<u64>,
    /// Time for a move.
    pub time: Option<Duration>,
    /// What the time is measured by; on several threads always the wall clock.
    pub clock: Clock,
    /// How moves are chosen on the way down.
    pub select: Select,
    /// What a position is worth on the way up.
    pub backup: Rule,
    /// Which spawn is followed.
    pub spawns: Spawns,
    /// How the moves of the root share the simulations.
    pub root: AtRoot,
    /// Which move is played.
    pub decide: Decide,
    /// How tiles appear.
    pub law: SpawnLaw,
    /// Does the tree stay for the next move? Then what is decided depends on what was asked before.
    pub reuse: bool,
    /// New positions judged together: more fill the batches of a network.
    pub batch: usize,
    /// Threads in one tree. With more than one a search is not repeatable.
    pub threads: usize,
    /// Positions the tree may have; a search ends when it is full.
    pub most: usize,
}

impl McssSettings {
    /// The published rules with so many simulations.
    pub fn new(simulations: u64) -> McssSettings {
        McssSettings {
            simulations: Some(simulations),
            time: None,
            clock: Clock::Wall,
            select: Select::Softmax(Rule::LMax),
            backup: Rule::Best,
            spawns: Spawns::Least,
            root: AtRoot::Select,
            decide: Decide::Worth,
            law: SpawnLaw::default(),
            reuse: true,
            batch: 1,
            threads: 1,
            most: MOST,
        }
    }

    fn growth(&self) -> Growth {
        let McssSettings { select, backup, spawns, law, .. } = *self;
        Growth { select, backup, spawns, law }
    }
}

/// Searches over a value function by simulations.
///
/// ```
/// use maxtile_game::{Board, Random};
/// use maxtile_search::{Heuristic, Mcss, McssSettings, Policy, Query};
///
/// let mut search = Mcss::new(Heuristic::default(), McssSettings::new(100));
/// let board: Board = "3300200010000000".parse()?;
/// let mut query = Query::new(board, Random::new(1));
/// search.choose(std::slice::from_mut(&mut query));
/// assert!(query.answer.is_some());
/// # Ok::<(), maxtile_game::PositionError>(())
/// ```
#[derive(Debug)]
pub struct Mcss<V> {
    value: V,
    settings: McssSettings,
    tree: Tree,
    // Room to work, kept from move to move.
    spare: Tree,
    old: Vec<u32>,
    leaves: Vec<u32>,
    afterstates: Vec<Afterstate>,
    values: Vec<f32>,
    stop: Option<Arc<AtomicBool>>,
    counts: Counts,
    last: Option<Searched>,
}

/// Positions of a tree at most, unless somebody wants more: some 100 MB.
pub const MOST: usize = 1 << 18;

/// Simulations between two looks at the clock.
const LOOK: u64 = 16;

/// When a search ends.
struct Budget {
    deadline: Option<Deadline>,
    left: u64,
    until_look: u64,
}

impl<V: Value> Mcss<V> {
    /// A search over this value.
    pub fn new(value: V, settings: McssSettings) -> Mcss<V> {
        let batch = settings.batch.max(1);
        Mcss {
            value,
            settings: McssSettings { batch, threads: settings.threads.max(1), ..settings },
            tree: Tree::default(),
            spare: Tree::default(),
            old: Vec::new(),
            leaves: Vec::with_capacity(batch),
            afterstates: Vec::with_capacity(4 * batch),
            values: Vec::with_capacity(4 * batch),
            stop: None,
            counts: Counts::default(),
            last: None,
        }
    }

    fn clock(&self) -> Clock {
        if self.settings.threads > 1 { Clock::Wall } else { self.settings.clock }
    }

    /// Searches a position that is not over.
    fn search(&mut self, board: Board, random: &mut Random) {
        if self.settings.time.is_some() {
            let nodes: Vec<Afterstate> =
                board.afterstates().iter().map(|(_, node, _)| node).collect();
            self.value.wake(&nodes);
        }
        let clock = Stopwatch::start(self.clock());
        self.counts = Counts::default();
        let kept = self.settings.reuse && self.tree.follow(board, &mut self.spare, &mut self.old);
        if kept {
            std::mem::swap(&mut self.tree, &mut self.spare);
        } else {
            self.tree.clear();
        }
        let McssSettings { simulations, time, most, .. } = self.settings;
        let wanted = simulations.map_or(most, |n| usize::try_from(n).unwrap_or(usize::MAX));
        self.tree.reserve(wanted.min(most.saturating_sub(self.tree.len())));
        if !kept {
            let root = self.tree.plant(board);
            self.leaves.clear();
            self.leaves.push(root);
            self.judge_leaves();
        }
        self.tree.most = most;
        let mut budget = Budget {
            deadline: time.map(|time| clock.deadline(time)),
            left: simulations.unwrap_or(u64::MAX),
            until_look: LOOK,
        };
        match self.settings.root {
            AtRoot::Halving if simulations.is_some() => self.halve(&mut budget, random),
            _ if self.settings.threads > 1 => self.search_on_threads(&mut budget, random),
            _ => self.simulate(None, &mut budget, random),
        }
        self.last = Some(Searched { depth: self.depth(), leaves: self.counts.leaves });
    }

    /// The deepest position was reached after so many moves, and its own were judged.
    fn depth(&self) -> u8 {
        u8::try_from(self.tree.deepest + 1).unwrap_or(u8::MAX)
    }

    /// Simulations until the budget is spent, all through this move of the root if one is given.
    fn simulate(&mut self, forced: Option<usize>, budget: &mut Budget, random: &mut Random) {
        let growth = self.settings.growth();
        while self.goes_on(budget) {
            self.leaves.clear();
            let batch = (self.settings.batch as u64).min(budget.left);
            for _ in 0..batch {
                if !self.tree.has_room() {
                    break;
                }
                match self.tree.descend(&growth, forced, random) {
                    End::New(leaf) => self.leaves.push(leaf),
                    End::Over => {}
                    End::Taken => break,
                }
                budget.left -= 1;
                budget.until_look = budget.until_look.saturating_sub(1);
            }
            self.judge_leaves();
        }
    }

    /// Is there anything left to spend?
    fn goes_on(&self, budget: &mut Budget) -> bool {
        if budget.left == 0 || !self.tree.has_room() {
            return false;
        }
        if budget.until_look == 0 {
            let stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Relaxed));
            if stopped || budget.deadline.is_some_and(|deadline| deadline.is_past()) {
                // Whoever asks once more looks again.
                budget.left = 0;
                return false;
            }
            budget.until_look = LOOK;
        }
        true
    }

    /// Lets the new positions be judged, all together.
    fn judge_leaves(&mut self) {
        self.afterstates.clear();
        for &leaf in &self.leaves {
            self.afterstates.extend(self.tree.afterstates(leaf));
        }
        self.values.resize(self.afterstates.len(), 0.0);
        self.value.values(&self.afterstates, &mut self.values);
        self.counts.leaves += self.afterstates.len() as u64;
        self.counts.nodes += self.leaves.len() as u64;
        let mut values = self.values.as_slice();
        for &leaf in &self.leaves {
            let (own, rest) = values.split_at(self.tree.moves(leaf).len());
            values = rest;
            self.tree.judge(leaf, own, self.settings.backup);
        }
    }

    /// Sequential halving over the moves of the root.
    fn halve(&mut self, budget: &mut Budget, random: &mut Random) {
        let mut candidates: Vec<usize> = (0..self.tree.moves(0).len()).collect();
        let rounds = candidates.len().next_power_of_two().ilog2().max(1);
        let each = budget.left / u64::from(rounds);
        let mut spent = 0;
        while candidates.len() > 1 {
            for (place, &candidate) in candidates.iter().enumerate() {
                // What does not divide goes to the first ones.
                let (n, rest) = (candidates.len() as u64, each % candidates.len() as u64);
                let left = each / n + u64::from((place as u64) < rest);
                let mut part = Budget { left, ..*budget };
                self.simulate(Some(candidate), &mut part, random);
                budget.until_look = part.until_look;
                spent += left;
            }
            let worth = |index: usize| self.tree.moves(0)[index].worth;
            candidates.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)));
            candidates.truncate(candidates.len().div_ceil(2));
        }
        let left = budget.left.saturating_sub(spent);
        self.simulate(candidates.first().copied(), &mut Budget { left, ..*budget }, random);
    }

    /// What each move of the root is worth, and which is decided for.
    fn decision(&self) -> (Worths, Worths) {
        let (mut worths, mut decisive) = (Worths::default(), Worths::default());
        for chance in self.tree.moves(0) {
            worths[chance.mv.index()] = Some(chance.worth);
            let visits = chance.visits as f32;
            let by = match self.settings.decide {
                Decide::Worth => chance.worth,
                Decide::Visits => visits,
            };
            decisive[chance.mv.index()] = Some(by);
        }
        (worths, decisive)
    }
}

impl<V: Value> Policy for Mcss<V> {
    fn choose(&mut self, queries: &mut [Query]) {
        for query in queries {
            self.last = None;
            let legal = query.board.legal_moves();
            query.answer = match legal.len() {
                0 => None,
                // Nothing to decide, so nothing to search.
                1 => legal.iter().next(),
                _ => {
                    self.search(query.board, &mut query.random);
                    best(&self.decision().1)
                }
            };
        }
    }

    fn worths(&mut self, board: Board) -> Option<Worths> {
        if board.is_over() {
            return Some(Worths::default());
        }
        self.tree.clear();
        self.search(board, &mut Random::new(0));
        Some(self.decision().0)
    }

    fn limits(&self) -> Option<Limits> {
        let McssSettings { simulations, time, clock, .. } = self.settings;
        Some(Limits { depth: MAX_DEPTH, crowded: 0, nodes: simulations, time, clock })
    }

    fn searched(&self) -> Option<Searched> {
        self.last
    }

    fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        self.stop = Some(stop);
    }

    fn explain(&mut self, board: Board, limits: Option<Limits>) -> Option<Report> {
        let own = self.settings;
        if let Some(Limits { depth, nodes, time, .. }) = limits {
            (self.settings.simulations, self.settings.time) = match (nodes, time) {
                // Plies mean nothing to simulations: their number stays, though the time may cut them short.
                (None, _) if depth < MAX_DEPTH => {
                    (own.simulations, own.time.into_iter().chain(time).min())
                }
                (None, None) => (own.simulations, own.time),
                (nodes, time) => (nodes, time),
            };
        }
        let report = self.report(board);
        self.settings = own;
        Some(report)
    }
}

#[cfg(test)]
mod tests;
