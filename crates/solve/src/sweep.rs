//! The two passes over all layers, wherever the layers are kept.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::backward::{self, Valued};
use crate::bits::{Bits, Directory};
use crate::forward;
use crate::objective::Objective;
use crate::rank::{Layout, Rank, WithRank, with_rank};
use crate::space::{Layer, Space};
use crate::starts::starts;

/// Half the tile sum of the first layer: two 2s.
pub(crate) const FIRST: u32 = 2;

/// What a long analysis tells, and asks.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Told after each layer.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Set to stop after the layer at hand.
    pub stop: &'a AtomicBool,
}

/// What both passes need.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) space: &'a Space,
    pub(crate) threads: usize,
    pub(crate) watch: Watch<'a>,
}

/// How far an analysis is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Counting, or valuing?
    pub pass: Pass,
    /// The tile sum of the layer that was done.
    pub sum: u32,
    /// Layers done in this pass.
    pub done: u32,
    /// Layers there are at most.
    pub layers: u32,
    /// Its states.
    pub states: u64,
}

/// The passes of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Forward: which states there are.
    Enumerate,
    /// Backward: what they are worth.
    Value,
}

/// What is counted in a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayerCount {
    /// The tile sum.
    pub sum: u32,
    /// States up to symmetry.
    pub states: u64,
    /// Afterstates up to symmetry.
    pub afterstates: u64,
    /// States without a move.
    pub terminal: u64,
    /// Checksum of the set of states: CRC-32 of the bitmap.
    pub states_crc: u32,
    /// Checksum of the set of afterstates.
    pub afterstates_crc: u32,
}

/// A board's number in its layer.
#[inline]
pub(crate) fn number(space: &Space, layer: &impl Layout, word: u64) -> u32 {
    struct One<'a, L>(&'a L, u64);
    impl<L: Layout> WithRank for One<'_, L> {
        type Out = u32;
        #[inline]
        fn run<R: Rank>(self, rank: R) -> u32 {
            rank.number(self.0, rank.prepare(self.1))
        }
    }
    with_rank(space, One(layer, word))
}

/// A layer that is being filled: empty but for the boards games begin with.
pub(crate) fn begun(space: &Space, t: u32) -> (Layer, Bits) {
    let layer = space.layer(t);
    let bits = Bits::new(layer.words());
    if (FIRST..=FIRST + 2).contains(&t) {
        for start in starts(&space.outer_region(), 0.5) {
            let word = space.word(start.grid);
            if space.sum(word) == t {
                bits.insert::<false>(number(space, &layer, word));
            }
        }
    }
    (layer, bits)
}

/// Counts all states, layer by layer from `from` on, given the afterstates of the two layers below.
/// `keep` gets each layer when it is complete.
pub(crate) fn enumerate(
    Run { space, threads, watch }: Run<'_>,
    from: u32,
    below: Vec<Bits>,
    mut keep: impl FnMut(LayerCount, &Bits, &Bits) -> io::Result<()>,
) -> io::Result<()> {
    let mut open: VecDeque<(Layer, Bits)> = VecDeque::new();
    let first = from - below.len() as u32;
    for t in first..from + 2 {
        open.push_back(begun(space, t));
    }
    for afterstates in below {
        let Some((layer, _)) = open.pop_front() else { break };
        let next = [0, 1].map(|i| (&open[i].0, &open[i].1));
        forward::spawns(space, &layer, &afterstates, next, threads);
    }
    for t in from..=space.last() {
        open.push_back(begun(space, t + 2));
        let Some((layer, states)) = open.pop_front() else { break };
        let (afterstates, terminal) = forward::slides(space, &layer, &states, threads);
        let next = [0, 1].map(|i| (&open[i].0, &open[i].1));
        forward::spawns(space, &layer, &afterstates, next, threads);
        let count = LayerCount {
            sum: 2 * t,
            states: states.count(),
            afterstates: afterstates.count(),
            terminal,
            states_crc: crc(&states),
            afterstates_crc: crc(&afterstates),
        };
        keep(count, &states, &afterstates)?;
        let (done, layers) = (t - FIRST + 1, space.last() - FIRST + 1);
        let pass = Pass::Enumerate;
        (watch.progress)(Progress { pass, sum: 2 * t, done, layers, states: count.states });
        stopped(watch)?;
    }
    Ok(())
}

/// The error of an analysis that was asked to stop.
fn stopped(watch: Watch<'_>) -> io::Result<()> {
    if watch.stop.load(Ordering::Relaxed) { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
}

/// Where finished layers are.
pub(crate) trait Sets {
    /// The states of the layer with tile sum 2t.
    fn states(&self, t: u32) -> io::Result<Directory>;
    /// Its afterstates.
    fn afterstates(&self, t: u32) -> io::Result<Directory>;
}

/// A layer that has been valued.
pub(crate) struct Swept<'a, V> {
    pub(crate) layer: &'a Layer,
    pub(crate) states: &'a Directory,
    pub(crate) state_values: &'a [V],
    pub(crate) afterstate_values: &'a [V],
}

/// Values all layers from `from` down to the first, given the valued states of the two above.
pub(crate) fn sweep<O: Objective>(
    Run { space, threads, watch }: Run<'_>,
    objective: &O,
    sets: &impl Sets,
    from: u32,
    mut above: [Valued<O::Value>; 2],
    mut each: impl FnMut(Swept<'_, O::Value>) -> io::Result<()>,
) -> io::Result<()> {
    for t in (FIRST..=from).rev() {
        let layer = space.layer(t);
        let after = sets.afterstates(t)?;
        let [one, two] = &above;
        let afterstate_values =
            backward::afterstates(space, objective, &layer, &after, [one, two], threads);
        let states = sets.states(t)?;
        let state_values = backward::states(
            space,
            objective,
            &layer,
            &states,
            (&after, &afterstate_values),
            threads,
        );
        each(Swept {
            layer: &layer,
            states: &states,
            state_values: &state_values,
            afterstate_values: &afterstate_values,
        })?;
        let (done, layers) = (space.last() - t + 1, space.last() - FIRST + 1);
        let states_here = states.count() as u64;
        let pass = Pass::Value;
        (watch.progress)(Progress { pass, sum: 2 * t, done, layers, states: states_here });
        let [one, _] = above;
        above = [Valued { layer, boards: states, values: state_values }, one];
        stopped(watch)?;
    }
    Ok(())
}

/// What lies above the last layer: nothing.
pub(crate) fn nothing_above<V: Copy + Default>(space: &Space) -> [Valued<V>; 2] {
    [1, 2].map(|up| Valued::empty(space.layer(space.last() + up)))
}

/// CRC-32 of a bitmap's words, little end first.
pub(crate) fn crc(bits: &Bits) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = Vec::with_capacity(1 << 15);
    for word in bits.words() {
        buffer.extend_from_slice(&word.to_le_bytes());
        if buffer.len() == 1 << 15 {
            hasher.update(&buffer);
            buffer.clear();
        }
    }
    hasher.update(&buffer);
    hasher.finalize()
}
