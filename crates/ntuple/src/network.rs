//! A network: its description, the plan of its indices, and its weights.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fmt, io};

use maxtile_game::{Afterstate, Grid, Shape};
use maxtile_search::Value;

use crate::downgrade::downgraded;
use crate::plan::{Octet, Plan};
use crate::spec::{Judges, Spec, SpecError};
#[cfg(target_arch = "x86_64")]
use crate::unsafe_gather;
use crate::unsafe_memory::Memory;
use crate::with_avx2;

/// An n-tuple network. Its weights can be read and changed by several threads at once.
pub struct Network {
    spec: Spec,
    shape: Shape,
    pub(crate) plan: Plan,
    pub(crate) weights: Memory,
    /// A bit for each stage that has learned something.
    learned: AtomicU32,
}

impl Network {
    /// A network with all weights 0.
    pub fn new(spec: Spec) -> Result<Network, NetworkError> {
        let shape = spec.check().map_err(NetworkError::Spec)?;
        let plan = Plan::new(&spec).map_err(NetworkError::Spec)?;
        let bytes = plan.memory as u64 * 4;
        let weights = Memory::zeroed(plan.memory)
            .map_err(|cause| NetworkError::Memory { bytes, why: cause.to_string() })?;
        Ok(Network { spec, shape, plan, weights, learned: AtomicU32::new(0) })
    }

    /// What the network looks like.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The board it judges.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The number of weights active for a board (m in the literature).
    pub fn active(&self) -> usize {
        self.plan.active
    }

    /// Do the weights lie on huge pages, as far as the system told?
    pub fn huge_pages(&self) -> bool {
        self.weights.huge()
    }

    /// Sets every weight so that every board is worth `value`: optimistic initial values.
    pub fn set_all(&self, value: f32) {
        let each = value / self.plan.active as f32;
        for table in 0..self.tables() {
            self.places(table).for_each(|place| self.weights.set(place, each));
        }
    }

    /// The number of tables in all stages: those of the tuples and then those of the features of
    /// the first stage, and so on.
    pub fn tables(&self) -> usize {
        self.spec.tables() * self.spec.stages.count()
    }

    /// Has a stage learned something?
    pub fn has_learned(&self, stage: usize) -> bool {
        self.learned.load(Ordering::Relaxed) >> stage & 1 == 1
    }

    /// A stage has learned something.
    pub(crate) fn set_learned(&self, stage: usize) {
        // Written once: all threads read this line all the time.
        if !self.has_learned(stage) {
            self.learned.fetch_or(1 << stage, Ordering::Relaxed);
        }
    }

    /// How many weights a table has.
    pub(crate) fn table_len(&self, table: usize) -> usize {
        self.plan.table_len(table % self.spec.tables()) as usize
    }

    /// The weights of a tuple in natural order: the first cell is the lowest digit.
    pub fn table(&self, table: usize) -> Vec<f32> {
        let mut weights = Vec::with_capacity(self.table_len(table));
        weights.extend(self.places(table).map(|place| self.weights.get(place)));
        weights
    }

    /// Has the stage of this table learned? Equal weights are those of the start, optimistic or
    /// not.
    pub(crate) fn look_whether_learned(&self, table: usize) {
        let mut weights = self.places(table).map(|place| self.weights.get(place));
        let first = weights.next();
        if weights.any(|weight| Some(weight) != first) {
            self.set_learned(table / self.spec.tables());
        }
    }

    /// Sets the weights of a tuple from natural order.
    pub fn set_table(&self, table: usize, weights: &[f32]) -> Result<(), NetworkError> {
        let want = self.table_len(table);
        if weights.len() != want {
            return Err(NetworkError::TableLength { table, want, got: weights.len() });
        }
        for (place, &weight) in self.places(table).zip(weights) {
            self.weights.set(place, weight);
        }
        self.look_whether_learned(table);
        Ok(())
    }

    /// The cells of a position as the network reads them: within its alphabet.
    #[inline]
    pub(crate) fn word(&self, grid: Grid) -> u64 {
        let largest = self.spec.values - 1;
        if grid.high() != 0 || largest < 15 && grid.max_exponent() > largest {
            return downgraded(grid, largest);
        }
        grid.nibbles()
    }

    /// The sum of the weights of a board. The order of the additions is fixed.
    #[inline(always)]
    pub(crate) fn sum(&self, octets: &[Octet]) -> f32 {
        #[cfg(target_arch = "x86_64")]
        if let Some(sum) = unsafe_gather::sum(&self.weights, octets) {
            return sum;
        }
        self.sum_portable(octets)
    }

    fn sum_portable(&self, octets: &[Octet]) -> f32 {
        let mut sums = [0.0f32; 8];
        for octet in octets {
            for (sum, &index) in sums.iter_mut().zip(octet) {
                *sum += self.weights.get(index);
            }
        }
        let four: [f32; 4] = std::array::from_fn(|i| sums[i] + sums[i + 4]);
        (four[0] + four[1]) + (four[2] + four[3])
    }

    /// The places of the active weights, without those that only fill the last octet.
    #[inline(always)]
    pub(crate) fn active_of<'a>(&self, octets: &'a [Octet]) -> &'a [u32] {
        &octets.as_flattened()[..self.plan.active]
    }

    /// Asks for the weights of a board.
    #[inline(always)]
    pub(crate) fn prefetch(&self, octets: &[Octet]) {
        octets.as_flattened().iter().for_each(|&index| self.weights.prefetch(index));
    }

    /// The values of positions by a set of weights, whatever kind of position it judges.
    pub(crate) fn set_values(&self, set: usize, positions: &[Afterstate], out: &mut [f32]) {
        let offset = self.offset(set);
        with_avx2(|| self.all_values(offset, positions, out));
    }

    #[inline(always)]
    fn all_values(&self, offset: u32, afterstates: &[Afterstate], out: &mut [f32]) {
        thread_local! {
            static INDICES: RefCell<Vec<Octet>> = const { RefCell::new(Vec::new()) };
        }
        let out = &mut out[..afterstates.len()];
        INDICES.with_borrow_mut(|indices| {
            let octets = self.plan.octets();
            indices.resize(2 * AHEAD * octets, [0; 8]);
            let (mut ahead, mut here) = indices.split_at_mut(AHEAD * octets);
            let prepare = |some: &[Afterstate], indices: &mut [Octet]| {
                let mut words = [0; AHEAD];
                for (word, afterstate) in words.iter_mut().zip(some) {
                    *word = self.word(afterstate.grid());
                }
                self.plan.indices(&words[..some.len()], indices);
                if offset > 0 {
                    Network::shift(&mut indices[..some.len() * octets], offset);
                }
            };
            let mut chunks = afterstates.chunks(AHEAD);
            if let Some(first) = chunks.next() {
                prepare(first, here);
            }
            for results in out.chunks_mut(AHEAD) {
                let next = chunks.next().unwrap_or_default();
                prepare(next, ahead);
                let boards = here.chunks_exact(octets).zip(ahead.chunks_exact(octets));
                for (place, (result, (here, ahead))) in results.iter_mut().zip(boards).enumerate() {
                    // Asked for one board at a time: all at once would wait for each other.
                    if place < next.len() {
                        self.prefetch(ahead);
                    }
                    *result = self.sum(here);
                }
                std::mem::swap(&mut ahead, &mut here);
            }
        });
    }
}

/// How many afterstates are summed while the weights of as many others are on their way.
const AHEAD: usize = 4;

impl Value for Network {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        let one = self.stages() == 1 && self.spec.judges == Judges::Afterstates;
        // Of a duel, what is judged after slides.
        if !one && self.spec.judges != Judges::Duel {
            for (value, afterstate) in out.iter_mut().zip(afterstates) {
                *value = self.other_value(*afterstate);
            }
            return;
        }
        self.set_values(0, afterstates, out);
    }

    fn symmetric(&self) -> bool {
        self.spec.symmetric
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network({}, {} weights)", self.spec.name, self.spec.weights())
    }
}

/// Why there is no such network.
#[derive(Debug)]
pub enum NetworkError {
    /// The description is wrong.
    Spec(SpecError),
    /// The weights do not fit into memory.
    Memory {
        /// The bytes that were asked for.
        bytes: u64,
        /// The system's words.
        why: String,
    },
    /// A table of another size than the description says.
    TableLength {
        /// The tuple, from 0.
        table: usize,
        /// Its number of weights.
        want: usize,
        /// The number given.
        got: usize,
    },
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::Spec(error) => error.fmt(f),
            NetworkError::Memory { bytes, why } => {
                write!(f, "no memory for {} MB of weights: {why}", bytes >> 20)
            }
            NetworkError::TableLength { table, want, got } => {
                write!(f, "tuple {table} has {want} weights, not {got}")
            }
        }
    }
}

impl std::error::Error for NetworkError {}

impl From<NetworkError> for io::Error {
    fn from(error: NetworkError) -> io::Error {
        io::Error::other(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maxtile_game::Random;

    /// Gathered and portable sums are the same to the bit, for odd and even numbers of lookups.
    #[test]
    fn sums_are_the_same_by_every_path() {
        let mut random = Random::new(2);
        for name in ["wu-4x6", "szubert-17x4", "matsuzaki-5x6", "yeh-5x6-features"] {
            let network = Network::new(crate::named(name).unwrap()).unwrap();
            for _ in 0..2_000 {
                let board = random.next_u64() & 0x7777_7777_7777_7777;
                let mut octets = vec![[0; 8]; network.plan.octets()];
                network.plan.indices(&[board], &mut octets);
                let active = network.active_of(&octets);
                assert_eq!(active.len(), network.active());
                for &index in active {
                    network.weights.set(index, random.unit() as f32 * 1000.0);
                }
                let (sum, portable) = (network.sum(&octets), network.sum_portable(&octets));
                assert_eq!(sum.to_bits(), portable.to_bits(), "{name}");
            }
        }
    }
}
