//! The search tree below a position: one thread's part of it.
//!
//! The value of a chance node is a function of its afterstate and of the effort alone. That holds
//! to the last bit, because a node is searched in its canonical form wherever the value function
//! allows it.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use maxtile_game::Afterstate;

use crate::clock::Deadline;
use crate::effort::{Effort, TreeShape};
use crate::expansion::Expansion;
use crate::table::Table;
use crate::value::Value;

impl TreeShape {
    /// The expectation over cells and tiles; 0 on a full board, from which no game goes on.
    #[inline]
    pub(crate) fn mean(
        &self,
        twos: impl Iterator<Item = f32>,
        fours: impl Iterator<Item = f32>,
    ) -> f32 {
        let (mut count, mut two, mut four) = (0u32, 0.0, 0.0);
        for value in twos {
            count += 1;
            two += value as f64;
        }
        fours.for_each(|value| four += value as f64);
        let p4 = self.law.p4();
        (((1.0 - p4) * two + p4 * four) / count.max(1) as f64) as f32
    }
}

/// What a search may spend, watched by all its threads.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    pub(crate) deadline: Option<Deadline>,
    /// At most so many leaves.
    pub(crate) leaves: Option<u64>,
    pub(crate) used: AtomicU64,
    pub(crate) over: AtomicBool,
    /// Somebody who may say at any time that the result is not wanted any more.
    pub(crate) stop: Option<Arc<AtomicBool>>,
    /// Is nothing wanted but a move to play? Then there is no more to do once that is decided.
    pub(crate) plays: bool,
}

impl Watch {
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Relaxed))
    }

    /// Is the search to end now?
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Compares what is spent with what may be.
    pub(crate) fn look(&self) {
        let late = self.deadline.is_some_and(|deadline| deadline.is_past());
        let spent = self.leaves.is_some_and(|most| self.used.load(Relaxed) >= most);
        if late || spent || self.is_stopped() {
            self.over.store(true, Relaxed);
        }
    }
}

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Afterstates judged by the value function.
    pub leaves: u64,
    /// Chance nodes whose children were looked at.
    pub nodes: u64,
    /// Questions to the table.
    pub lookups: u64,
    /// Answers of the table.
    pub hits: u64,
}

impl Counts {
    /// Adds what another part of the search did.
    pub fn add(&mut self, other: Counts) {
        self.leaves += other.leaves;
        self.nodes += other.nodes;
        self.lookups += other.lookups;
        self.hits += other.hits;
    }
}

/// Memory of one level of the recursion, kept for the next node.
#[derive(Debug, Default)]
struct Level {
    forms: Vec<Afterstate>,
    /// Nodes that the table does not know, by their number.
    open: Vec<u32>,
    /// Nodes equal to an earlier open one: their number and its place in `open`.
    again: Vec<(u32, u32)>,
    expansion: Expansion,
    fours: Expansion,
    /// Those of the open ones whose children are leaves, and where the boards of each stand, with a 2 and with a 4.
    last: Vec<u32>,
    ranges: Vec<[Range<usize>; 2]>,
}

/// One thread's search.
#[derive(Debug)]
pub(crate) struct Tree<'a, V: ?Sized> {
    value: &'a V,
    table: Option<&'a Table>,
    watch: &'a Watch,
    shape: TreeShape,
    symmetric: bool,
    levels: &'a mut Levels,
    pub(crate) counts: Counts,
    reported: u64,
    /// Leaves until the next look at the watch.
    patience: u64,
}

/// The memory of all levels, kept between searches.
#[derive(Debug, Default)]
pub(crate) struct Levels(Vec<Level>);

/// Leaves between two looks at the watch, at most. Where judged positions are limited there is a look after every batch.
const LOOK: u64 = 512;
/// Leaves judged at once, and a node's more: many, so that a value can overlap its accesses to memory, and few enough to look at
/// the watch in between.
const BATCH: usize = 512;
/// Before the first one: fewer, because there are values that take long.
const FIRST_LOOK: u64 = 32;

impl<'a, V: Value + ?Sized> Tree<'a, V> {
    pub(crate) fn new(
        value: &'a V,
        table: Option<&'a Table>,
        watch: &'a Watch,
        shape: TreeShape,
        levels: &'a mut Levels,
    ) -> Tree<'a, V> {
        let symmetric = value.symmetric();
        Tree {
            value,
            table,
            watch,
            shape,
            symmetric,
            levels,
            counts: Counts::default(),
            reported: 0,
            patience: FIRST_LOOK,
        }
    }

    /// The values of chance nodes, each searched with this effort; the values of the afterstates
    /// themselves when there are no plies left. When the watch says stop, the values are not to be
    /// used.
    pub(crate) fn chances(&mut self, nodes: &[Afterstate], effort: Effort, out: &mut [f32]) {
        if effort.plies == 0 {
            self.counts.leaves += nodes.len() as u64;
            self.value.values(nodes, out);
            return;
        }
        let depth = effort.level();
        if self.levels.0.len() <= depth {
            self.levels.0.resize_with(depth + 1, Level::default);
        }
        // Taken out for the time of the recursion, which uses the lower levels only.
        let mut level = std::mem::take(&mut self.levels.0[depth]);
        self.look_up(nodes, effort, &mut level, out);
        self.inner_nodes(effort, &mut level, out);
        if !self.watch.is_over() && !level.last.is_empty() {
            self.last_nodes(effort, &mut level, out);
        }
        for &(node, place) in &level.again {
            out[node as usize] = out[level.open[place as usize] as usize];
        }
        self.levels.0[depth] = level;
    }

    /// Asks the table; what it does not know is left open.
    fn look_up(
        &mut self,
        nodes: &[Afterstate],
        effort: Effort,
        level: &mut Level,
        out: &mut [f32],
    ) {
        level.forms.clear();
        level.open.clear();
        level.again.clear();
        for &node in nodes {
            let form = if self.symmetric { node.canonical() } else { node };
            if let Some(table) = self.table {
                table.prefetch(form);
            }
            level.forms.push(form);
        }
        for (index, &form) in level.forms.iter().enumerate() {
            if let Some(value) = self.table.and_then(|table| table.get(form, effort)) {
                self.counts.hits += 1;
                out[index] = value;
                continue;
            }
            let same = level.open.iter().position(|&open| level.forms[open as usize] == form);
            match same {
                Some(place) => level.again.push((index as u32, place as u32)),
                None => level.open.push(index as u32),
            }
        }
        if self.table.is_some() {
            self.counts.lookups += nodes.len() as u64;
        }
    }

    /// Nodes whose children are leaves: those of many of them are judged at once.
    fn last_nodes(&mut self, effort: Effort, level: &mut Level, out: &mut [f32]) {
        let Level { forms, last, expansion, ranges, .. } = level;
        let mut rest = last.as_slice();
        while !rest.is_empty() {
            expansion.clear();
            ranges.clear();
            for &node in rest {
                let form = forms[node as usize];
                ranges.push([expansion.add(form, 1), expansion.add(form, 2)]);
                if expansion.children.len() >= BATCH {
                    break;
                }
            }
            self.judge(expansion);
            if self.watch.is_over() {
                return;
            }
            let (now, later) = rest.split_at(ranges.len());
            for (&node, [twos, fours]) in now.iter().zip(ranges.iter()) {
                let value =
                    self.shape.mean(expansion.bests(twos.clone()), expansion.bests(fours.clone()));
                self.keep(forms[node as usize], effort, value);
                out[node as usize] = value;
            }
            rest = later;
        }
    }

    /// Nodes with chance nodes below them, one after the other; the others are put aside.
    fn inner_nodes(&mut self, effort: Effort, level: &mut Level, out: &mut [f32]) {
        let Level { forms, open, expansion, fours, last, .. } = level;
        last.clear();
        for &node in open.iter() {
            let form = forms[node as usize];
            let [below_two, below_four] = self.shape.below(effort, form.empty_count());
            if below_two.plies == 0 && below_four.plies == 0 {
                last.push(node);
                continue;
            }
            expansion.clear();
            let twos_at = expansion.add(form, 1);
            let value = if below_two == below_four {
                let fours_at = expansion.add(form, 2);
                self.solve(expansion, below_two);
                self.shape.mean(expansion.bests(twos_at), expansion.bests(fours_at))
            } else {
                fours.clear();
                let fours_at = fours.add(form, 2);
                self.solve(expansion, below_two);
                self.solve(fours, below_four);
                self.shape.mean(expansion.bests(twos_at), fours.bests(fours_at))
            };
            if self.watch.is_over() {
                return;
            }
            self.keep(form, effort, value);
            out[node as usize] = value;
        }
    }

    /// The values of the children of an expansion.
    pub(crate) fn solve(&mut self, expansion: &mut Expansion, effort: Effort) {
        let mut values = std::mem::take(&mut expansion.values);
        values.resize(expansion.children.len(), 0.0);
        self.chances(&expansion.children, effort, &mut values);
        expansion.values = values;
        expansion.add_up();
    }

    fn judge(&mut self, expansion: &mut Expansion) {
        expansion.values.resize(expansion.children.len(), 0.0);
        self.value.values(&expansion.children, &mut expansion.values);
        expansion.add_up();
        self.counts.leaves += expansion.children.len() as u64;
        if self.counts.leaves - self.reported >= self.patience {
            self.tell_the_watch();
            self.watch.look();
            self.patience =
                if self.watch.leaves.is_some() { 0 } else { LOOK.min(2 * self.patience) };
        }
    }

    /// What was done, the watch told of all of it.
    pub(crate) fn finish(mut self) -> Counts {
        self.tell_the_watch();
        self.counts
    }

    fn tell_the_watch(&mut self) {
        self.watch.used.fetch_add(self.counts.leaves - self.reported, Relaxed);
        self.reported = self.counts.leaves;
    }

    fn keep(&mut self, form: Afterstate, effort: Effort, value: f32) {
        self.counts.nodes += 1;
        if let Some(table) = self.table {
            table.put(form, effort, value);
        }
    }
}
