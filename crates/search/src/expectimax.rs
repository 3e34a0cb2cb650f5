//! Expectimax: the best move by looking at every spawn and every answer, some plies deep.
//!
//! "n plies" are n moves with all spawns between them, judged after the last move: 1 ply is greedy
//! play. Rewards count where they are made, and a position without moves is worth 0, so the value
//! of a move is the points to be expected from it on.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use maxtile_game::{Afterstate, Board, Move, Shape};

use crate::clock::{Clock, Stopwatch};
use crate::effort::{Effort, TreeShape};
use crate::limits::{Bank, Limits};
use crate::parallel::chances_on_threads;
use crate::policy::{Policy, Query, Searched, Worths, best, weighed};
use crate::report::Report;
use crate::table::Table;
use crate::tree::{Counts, Levels, Tree, Watch};
use crate::value::Value;

/// How an [`Expectimax`] searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How long.
    pub limits: Limits,
    /// How wide.
    pub shape: TreeShape,
    /// Bytes of the transposition table; 0 for none.
    pub table: usize,
    /// Threads of one search. The result does not depend on it at a fixed depth.
    pub threads: usize,
}

impl Settings {
    /// Full width, 16 MB of table, one thread.
    pub fn new(limits: Limits) -> Settings {
        let shape = TreeShape { law: maxtile_game::SpawnLaw::default(), fours: 0, cut: 0 };
        Settings { limits, shape, table: 16 << 20, threads: 1 }
    }
}

/// Searches over a value function.
///
/// ```
/// use maxtile_game::{Afterstate, Board, Move};
/// use maxtile_search::{Expectimax, Limits, Settings, Value};
///
/// /// Knows nothing of the future: only the points made within the search count.
/// struct Zero;
/// impl Value for Zero {
///     fn values(&self, _: &[Afterstate], out: &mut [f32]) {
///         out.fill(0.0);
///     }
/// }
///
/// let mut search = Expectimax::new(Zero, Settings::new(Limits::depth(3)))?;
/// let board: Board = "3300200010000000".parse()?;
/// let found = search.search(board).expect("the game is not over");
/// assert_eq!((found.best, found.depth), (Move::Right, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Expectimax<V> {
    pub(crate) value: V,
    pub(crate) settings: Settings,
    pub(crate) table: Option<Table>,
    /// Scratch memory of each thread.
    pub(crate) levels: Vec<Levels>,
    bank: Bank,
    /// How often each move counts where moves are compared.
    ratios: [f32; 4],
    /// The boards that the table knows about: an afterstate in it does not say its shape.
    known: Option<Shape>,
    stop: Option<Arc<AtomicBool>>,
    last: Option<Searched>,
}

/// What a search decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The move.
    pub best: Move,
    /// What each move is worth, as far as the search came.
    pub worths: Worths,
    /// The plies to which each move was searched: on a line of 2s where a probability is the limit.
    pub depths: [u8; 4],
    /// The plies to which every move was searched.
    pub depth: u8,
    /// Of each move, how much of the tree behind it was searched.
    pub(crate) efforts: [Effort; 4],
    /// What it took.
    pub counts: Counts,
}

impl Found {
    /// Worths of different efforts are not compared: only those of the largest.
    fn compared(&self) -> Worths {
        let searched = |at: &usize| self.worths[*at].is_some();
        let ranks = || (0..4).filter(searched).map(|at| (at, self.efforts[at].rank()));
        let most = ranks().map(|(_, rank)| rank).max();
        let mut compared = [None; 4];
        for (at, _) in ranks().filter(|(_, rank)| Some(*rank) == most) {
            compared[at] = self.worths[at];
        }
        compared
    }
}

/// A root move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root {
    pub(crate) mv: Move,
    pub(crate) afterstate: Afterstate,
    pub(crate) reward: u32,
    pub(crate) worth: f32,
    pub(crate) depth: u8,
    pub(crate) effort: Effort,
    /// Empty cells of the position.
    empties: usize,
}

impl<V: Value> Expectimax<V> {
    /// A search over this value. The only thing that can go wrong is the table's memory.
    pub fn new(value: V, settings: Settings) -> io::Result<Expectimax<V>> {
        let bytes = match settings.limits.nodes {
            // Such a search starts with an empty table, which must not take longer than the search.
            Some(nodes) => {
                settings.table.min(usize::try_from(nodes).unwrap_or(usize::MAX).saturating_mul(16))
            }
            None => settings.table,
        };
        let table = (bytes > 0).then(|| Table::new(bytes)).transpose()?;
        let mut levels = Vec::new();
        levels.resize_with(settings.threads.max(1), Levels::default);
        let (bank, ratios) = (Bank::default(), [1.0; 4]);
        let (known, stop, last) = (None, None, None);
        Ok(Expectimax { value, settings, table, levels, bank, ratios, known, stop, last })
    }

    /// Decides a position; `None` when the game is over.
    pub fn search(&mut self, board: Board) -> Option<Found> {
        let roots = roots(board);
        if roots.is_empty() {
            return None;
        }
        let watch = self.watch(self.started(&roots));
        Some(self.decide(board, roots, &watch))
    }

    /// Decides a position of a game: no longer than the decision needs, and what is saved may be spent on later ones.
    fn in_game(&mut self, board: Board, roots: Vec<Root>) -> Found {
        let clock = self.started(&roots);
        let mut watch = Watch { plays: true, ..self.watch(clock) };
        if let Some(time) = self.settings.limits.time {
            watch.deadline = Some(clock.deadline(self.bank.allot(time, board)));
        }
        let found = self.decide(board, roots, &watch);
        self.bank.spend(clock.elapsed());
        found
    }

    /// The clock of a search that begins now. What is loaded when it is first asked for is not a part of the time.
    pub(crate) fn started(&self, roots: &[Root]) -> Stopwatch {
        if self.settings.limits.time.is_some() {
            let nodes: Vec<Afterstate> = roots.iter().map(|root| root.afterstate).collect();
            self.value.wake(&nodes);
        }
        Stopwatch::start(self.clock())
    }

    /// What the time is measured by: several threads have no time of computing in common.
    pub(crate) fn clock(&self) -> Clock {
        if self.levels.len() > 1 { Clock::Wall } else { self.settings.limits.clock }
    }

    /// A watch over a search that begins now.
    pub(crate) fn watch(&self, clock: Stopwatch) -> Watch {
        let Limits { nodes, time, .. } = self.settings.limits;
        let deadline = time.map(|time| clock.deadline(time));
        Watch { deadline, leaves: nodes, stop: self.stop.clone(), ..Watch::default() }
    }

    pub(crate) fn decide(&mut self, board: Board, mut roots: Vec<Root>, watch: &Watch) -> Found {
        let limits = self.settings.limits;
        if let Some(table) = &self.table {
            table.next_generation();
            let other = self.known.is_some_and(|shape| shape != board.shape());
            // What the table holds must not change how far the nodes reach.
            if other || limits.nodes.is_some() {
                table.clear();
            }
            self.known = Some(board.shape());
        }
        let plies = limits.plies(board);
        let counts = if limits.depth_only() {
            let effort = self.settings.shape.effort(plies - 1);
            self.search_roots(&mut roots, effort, watch)
        } else {
            self.deepen(&mut roots, plies, watch)
        };
        let mut found = Found {
            best: roots[0].mv,
            worths: [None; 4],
            depths: [0; 4],
            efforts: [Effort::NONE; 4],
            depth: roots.iter().map(|root| root.depth).min().unwrap_or(0),
            counts,
        };
        self.last = Some(Searched { depth: found.depth, leaves: counts.leaves });
        for root in &roots {
            found.worths[root.mv.index()] = Some(root.worth);
            found.depths[root.mv.index()] = root.depth;
            found.efforts[root.mv.index()] = root.effort;
        }
        let mut compared = found.compared();
        for (worth, ratio) in compared.iter_mut().zip(self.ratios) {
            *worth = worth.map(|worth| weighed(worth, ratio));
        }
        found.best = best(&compared).unwrap_or(found.best);
        found
    }

    /// What moves are compared by.
    pub(crate) fn weight(&self, root: &Root) -> f32 {
        weighed(root.worth, self.ratios[root.mv.index()])
    }

    /// Searches these root moves with so much effort. Those that were not finished stay as they are.
    pub(crate) fn search_roots(
        &mut self,
        roots: &mut [Root],
        effort: Effort,
        watch: &Watch,
    ) -> Counts {
        let nodes: Vec<Afterstate> = roots.iter().map(|root| root.afterstate).collect();
        let mut values = vec![0.0; nodes.len()];
        let (table, shape) = (self.table.as_ref(), self.settings.shape);
        let counts = if self.levels.len() > 1 && effort.plies >= 2 {
            let levels = &mut self.levels;
            chances_on_threads(
                &self.value,
                table,
                watch,
                shape,
                levels,
                &nodes,
                effort,
                &mut values,
            )
        } else {
            let mut tree = Tree::new(&self.value, table, watch, shape, &mut self.levels[0]);
            tree.chances(&nodes, effort, &mut values);
            tree.finish()
        };
        if !watch.is_over() {
            for (root, value) in roots.iter_mut().zip(values) {
                root.worth = root.reward as f32 + value;
                root.depth = effort.depth(root.empties, shape.law);
                root.effort = effort;
            }
        }
        counts
    }
}

/// The legal moves of a position, not yet searched.
pub(crate) fn roots(board: Board) -> Vec<Root> {
    let empties = board.empty_count();
    let (worth, depth, effort) = (0.0, 0, Effort::NONE);
    let root =
        |(mv, afterstate, reward)| Root { mv, afterstate, reward, worth, depth, effort, empties };
    board.afterstates().iter().map(root).collect()
}

impl<V: Value> Policy for Expectimax<V> {
    fn choose(&mut self, queries: &mut [Query]) {
        for query in queries {
            self.last = None;
            let roots = roots(query.board);
            query.answer = match roots[..] {
                [] => None,
                // Nothing to decide, so nothing to search.
                [only] => Some(only.mv),
                _ => Some(self.in_game(query.board, roots).best),
            };
        }
    }

    fn worths(&mut self, board: Board) -> Option<Worths> {
        Some(self.search(board).map_or([None; 4], |found| found.worths))
    }

    fn compared(&mut self, board: Board) -> Option<Worths> {
        let roots = roots(board);
        if roots.is_empty() {
            return Some([None; 4]);
        }
        Some(self.in_game(board, roots).compared())
    }

    fn favour(&mut self, ratios: [f32; 4]) {
        self.ratios = ratios;
    }

    fn limits(&self) -> Option<Limits> {
        Some(self.settings.limits)
    }

    fn searched(&self) -> Option<Searched> {
        self.last
    }

    fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        self.stop = Some(stop);
    }

    fn explain(&mut self, board: Board, limits: Option<Limits>) -> Option<Report> {
        let own = self.settings.limits;
        self.settings.limits = limits.unwrap_or(own);
        let report = self.report(board);
        self.settings.limits = own;
        Some(report)
    }
}
