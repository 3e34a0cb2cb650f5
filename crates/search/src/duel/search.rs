//! A search of the duel from its root, for either side.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use maxtile_game::{Afterstate, Board, Grid, Move, Shape, Spawn, SpawnLaw, Tiles, Variant};

use super::leaf_rule::LeafRule;
use super::memory::Memory;
use super::plies::{Placements, slides};
use super::points::{LEAST, MOST, Mix, Points, number};
use super::tree::{Form, MAX_DUEL_DEPTH, Tree, WHOLE_GAME};
use super::values::DuelValue;
use crate::clock::Stopwatch;
use crate::limits::Limits;
use crate::tree::{Counts, Watch};

/// How a [`DuelSearch`] searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuelSettings {
    /// What the attacker may place.
    pub variant: Variant,
    /// How tiles are drawn where they are.
    pub law: SpawnLaw,
    /// Which positions are judged at the end.
    pub leaves: LeafRule,
    /// How long; a ply is a slide or a placement. [`WHOLE_GAME`] plies are all there are.
    pub limits: Limits,
    /// Bytes of the transposition table; 0 for none.
    pub table: usize,
    /// Are plies tried in the order of their judgement?
    pub ordering: bool,
    /// Are the last two plies judged at once? More is judged, in larger batches: for networks.
    pub wide: bool,
}

impl DuelSettings {
    /// The duel of the literature: free, judged by who moved last; 16 MB of table.
    pub fn new(limits: Limits) -> DuelSettings {
        DuelSettings {
            variant: Variant::Free,
            law: SpawnLaw::default(),
            leaves: LeafRule::Paper,
            limits,
            table: 16 << 20,
            ordering: true,
            wide: false,
        }
    }
}

/// What a search decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<P> {
    /// The ply to play.
    pub best: P,
    /// The points to be expected from the position on.
    pub value: f64,
    /// The plies there are with what they are worth, best first for whoever plays them. Unless all
    /// were to be weighed, those after the first are only known not to be better.
    pub worths: Vec<(P, f64)>,
    /// How deep it was searched.
    pub depth: u8,
    /// Were all games played to their end?
    pub exact: bool,
    /// What it took.
    pub counts: Counts,
    /// How long it took.
    pub time: Duration,
}

/// Searches the duel over a pair of values.
///
/// ```
/// use maxtile_game::{Afterstate, Board, Move, Tiles};
/// use maxtile_search::{Answered, DuelSearch, DuelSettings, Limits, Value, WHOLE_GAME};
///
/// struct Zero;
/// impl Value for Zero {
///     fn values(&self, _: &[Afterstate], out: &mut [f32]) {
///         out.fill(0.0);
///     }
/// }
///
/// // A 2×2 board to the end: no opening keeps the defender below 8 points.
/// let limits = Limits { depth: WHOLE_GAME, ..Limits::depth(1) };
/// let mut search = DuelSearch::new(Answered(Zero), DuelSettings::new(limits))?;
/// let empty = Afterstate::empty("2x2".parse()?);
/// let opening = search.attack(empty, Tiles::Any, false).expect("there is room");
/// assert_eq!((opening.value, opening.exact), (8.0, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DuelSearch<V> {
    value: V,
    settings: DuelSettings,
    memory: Option<Memory>,
    /// The shape whose positions the table holds.
    shape: Option<Shape>,
    stop: Option<Arc<AtomicBool>>,
}

/// A ply of the root.
#[derive(Clone, Copy, Debug)]
struct Root<P> {
    ply: P,
    reward: Points,
    /// The position it leads to.
    grid: Grid,
    /// For whoever plays it: the larger the better.
    worth: Points,
}

/// Who is to play at the root.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Defends,
    Attacks,
    /// The attacker places the first of two tiles.
    Opens,
}

impl<V: DuelValue> DuelSearch<V> {
    /// A search over these values. The only thing that can go wrong is the table's memory.
    pub fn new(value: V, settings: DuelSettings) -> io::Result<DuelSearch<V>> {
        let memory = (settings.table > 0).then(|| Memory::new(settings.table)).transpose()?;
        Ok(DuelSearch { value, settings, memory, shape: None, stop: None })
    }

    /// How it searches.
    pub fn settings(&self) -> &DuelSettings {
        &self.settings
    }

    /// Other limits from now on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.settings.limits = limits;
    }

    /// Lets somebody else end the searches from now on; what they then say means nothing.
    pub fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        self.stop = Some(stop);
    }

    /// The defender's choice; `None` when the game is over. `all` slides are weighed, or only the
    /// best.
    pub fn defend(&mut self, board: Board, all: bool) -> Option<Choice<Move>> {
        let mut slides = slides(board);
        let slides = slides.all();
        if slides.is_empty() {
            return None;
        }
        let mut roots: Vec<Root<Move>> = Vec::new();
        let watch = Watch::default();
        self.tree(&watch).order_slides(slides, None);
        for slide in slides {
            let (grid, worth) = (slide.afterstate.grid(), slide.order);
            roots.push(Root { ply: slide.mv, reward: slide.reward, grid, worth });
        }
        Some(self.decide(roots, Turn::Defends, all))
    }

    /// The attacker's choice among these tiles; `None` when the board is full. On the empty board he
    /// places the first of two tiles.
    pub fn attack(
        &mut self,
        afterstate: Afterstate,
        tiles: Tiles,
        all: bool,
    ) -> Option<Choice<Spawn>> {
        let cells = afterstate.shape().cells();
        let opens = afterstate.empty_count() == cells && cells > 1;
        let mut placements = Placements::of(afterstate, tiles);
        let placements = placements.all();
        if placements.is_empty() {
            return None;
        }
        let watch = Watch::default();
        self.tree(&watch).order_placements(placements, None);
        let roots = placements.iter().map(|placement| Root {
            ply: placement.spawn,
            reward: 0,
            grid: placement.board.grid(),
            worth: -placement.value,
        });
        let turn = if opens { Turn::Opens } else { Turn::Attacks };
        let roots = roots.collect();
        Some(self.decide(roots, turn, all))
    }

    fn decide<P: Copy + PartialEq>(
        &mut self,
        mut roots: Vec<Root<P>>,
        turn: Turn,
        all: bool,
    ) -> Choice<P> {
        let limits = self.settings.limits;
        let clock = Stopwatch::start(limits.clock);
        if let Some(memory) = &mut self.memory {
            let shape = Some(roots[0].grid.shape());
            if self.shape.replace(roots[0].grid.shape()) == shape {
                memory.next_generation();
            } else {
                memory.clear();
            }
        }
        let watch = Watch {
            deadline: limits.time.map(|time| clock.deadline(time)),
            leaves: limits.nodes,
            stop: self.stop.clone(),
            ..Watch::default()
        };
        let whole = limits.depth == WHOLE_GAME && limits.depth_only();
        let first = if whole { WHOLE_GAME } else { 1 };
        let last = if whole { WHOLE_GAME } else { limits.depth.clamp(1, MAX_DUEL_DEPTH) };
        let mut choice = Choice {
            best: roots[0].ply,
            value: 0.0,
            worths: Vec::new(),
            depth: 0,
            exact: false,
            counts: Counts::default(),
            time: Duration::ZERO,
        };
        for depth in first..=last {
            // However little time there is, there is an answer.
            let none = Watch::default();
            let mut tree = self.tree(if depth == 1 { &none } else { &watch });
            let finished = iterate(&mut tree, &mut roots, turn, depth, all);
            let (counts, judged) = (tree.counts, tree.judged);
            choice.counts.add(counts);
            if finished {
                choice.depth = depth;
                choice.exact = depth == WHOLE_GAME || !judged;
            }
            let late = limits.time.is_some_and(|time| clock.elapsed() > time / 2);
            if !finished || choice.exact || late {
                break;
            }
        }
        let sign = if turn == Turn::Defends { 1 } else { -1 };
        let worths = roots.iter().map(|root| (root.ply, number(sign * root.worth)));
        choice.worths = worths.collect();
        (choice.best, choice.value) = choice.worths[0];
        choice.time = clock.elapsed();
        choice
    }

    fn tree<'a>(&'a self, watch: &'a Watch) -> Tree<'a, V> {
        let DuelSettings { variant, law, leaves, ordering, wide, .. } = self.settings;
        let symmetric = self.value.symmetric();
        let form = Form { variant, mix: Mix::of(law), leaves, ordering, wide, symmetric };
        Tree::new(&self.value, self.memory.as_ref(), watch, form)
    }
}

/// One iteration over the plies of the root, the best of the last one first; the best comes to the
/// front. Of an iteration that was stopped the finished plies count, since its first was the best so
/// far. `false` when it was stopped.
fn iterate<P: Copy, V: DuelValue + ?Sized>(
    tree: &mut Tree<'_, V>,
    roots: &mut Vec<Root<P>>,
    turn: Turn,
    depth: u8,
    all: bool,
) -> bool {
    let below = if turn == Turn::Opens { depth } else { tree.below(depth, turn == Turn::Defends) };
    let mut best: Option<(Points, usize)> = None;
    let mut finished = true;
    for (index, root) in roots.iter_mut().enumerate() {
        let so_far = best.map_or(LEAST, |(worth, _)| worth);
        let worth = if all || index == 0 {
            worth_of(tree, root, turn, below, LEAST, MOST)
        } else {
            let worth = worth_of(tree, root, turn, below, so_far, so_far + 1);
            if worth > so_far { worth_of(tree, root, turn, below, so_far, MOST) } else { worth }
        };
        if tree.watch.is_over() {
            finished = false;
            break;
        }
        root.worth = worth;
        if worth > so_far {
            best = Some((worth, index));
        }
    }
    if let Some((_, index)) = best {
        let root = roots.remove(index);
        roots.insert(0, root);
    }
    if all && finished {
        roots[1..].sort_by_key(|root| std::cmp::Reverse(root.worth));
    }
    finished
}

/// What a ply is worth for whoever plays it.
fn worth_of<P, V: DuelValue + ?Sized>(
    tree: &mut Tree<'_, V>,
    root: &Root<P>,
    turn: Turn,
    below: u8,
    alpha: Points,
    beta: Points,
) -> Points {
    match turn {
        Turn::Defends => {
            let (a, b) = (alpha - root.reward, beta - root.reward);
            root.reward + tree.attacked(root.grid.into(), below, a, b)
        }
        Turn::Attacks => -tree.defended(root.grid.into(), below, -beta, -alpha),
        Turn::Opens => -tree.attacked(root.grid.into(), below, -beta, -alpha),
    }
}
