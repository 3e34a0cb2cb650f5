//! A network: its description, the plan of its indices, and its weights.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fmt, io};

use maxtile_game::{Afterstate, Grid, Shape};
use maxtile_search::Value;

use crate::downgrade::downgraded;
use crate::plan::{Pair, Plan};
use crate::spec::{Judges, Spec, SpecError};
use crate::td::Active;
#[cfg(target_arch = "x86_64")]
use crate::unsafe_gather::{sum_board, sum_boards};
use crate::unsafe_memory::Memory;

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
        self.learned.fetch_or(1 << stage, Ordering::Relaxed);
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

    /// Sets the weights of a tuple from natural order.
    pub fn set_table(&self, table: usize, weights: &[f32]) -> Result<(), NetworkError> {
        let want = self.table_len(table);
        if weights.len() != want {
            return Err(NetworkError::TableLength { table, want, got: weights.len() });
        }
        for (place, &weight) in self.places(table).zip(weights) {
            self.weights.set(place, weight);
        }
        // Equal weights are those of the start, optimistic or not.
        if weights.iter().any(|weight| *weight != weights[0]) {
            self.set_learned(table / self.spec.tables());
        }
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

    /// The sums of the weights of four boards. The order of the additions is fixed.
    #[inline]
    pub(crate) fn sums(&self, pairs: &[Pair]) -> [f32; 4] {
        #[cfg(target_arch = "x86_64")]
        if let Some(sums) = sum_boards(&self.weights, pairs) {
            return sums;
        }
        std::array::from_fn(|board| self.sum(pairs, board))
    }

    fn sum(&self, pairs: &[Pair], board: usize) -> f32 {
        let mut sums = [0.0f32; 4];
        let mut chunks = pairs.chunks_exact(2);
        for two in &mut chunks {
            sums[0] += self.weights.get(two[0][2 * board]);
            sums[1] += self.weights.get(two[0][2 * board + 1]);
            sums[2] += self.weights.get(two[1][2 * board]);
            sums[3] += self.weights.get(two[1][2 * board + 1]);
        }
        for pair in chunks.remainder() {
            sums[0] += self.weights.get(pair[2 * board]);
            sums[1] += self.weights.get(pair[2 * board + 1]);
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// The sum of the weights of one of four boards, in the order of [`Network::sums`].
    #[inline]
    pub(crate) fn sum_active(&self, active: Active<'_>) -> f32 {
        #[cfg(target_arch = "x86_64")]
        if let Some(sum) = sum_board(&self.weights, active.pairs, active.board) {
            return sum;
        }
        self.sum(active.pairs, active.board)
    }

    /// Calls `learn` with the index of each active weight; the missing partner of an odd lookup is
    /// none.
    #[inline(always)]
    pub(crate) fn each_active(&self, active: Active<'_>, mut learn: impl FnMut(u32)) {
        let at = 2 * (active.board & 3);
        let even = self.plan.active.is_multiple_of(2);
        let whole = if even { active.pairs.len() } else { active.pairs.len() - 1 };
        for pair in &active.pairs[..whole] {
            learn(pair[at]);
            learn(pair[at + 1]);
        }
        for pair in &active.pairs[whole..] {
            learn(pair[at]);
        }
    }

    /// Asks for the weights of four boards.
    #[inline(always)]
    pub(crate) fn prefetch(&self, pairs: &[Pair]) {
        for pair in pairs {
            pair.iter().copied().for_each(|index| self.weights.prefetch(index));
        }
    }
}

impl Value for Network {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        if self.stages() > 1 || self.spec.judges != Judges::Afterstates {
            for (value, afterstate) in out.iter_mut().zip(afterstates) {
                *value = self.other_value(*afterstate);
            }
            return;
        }
        thread_local! {
            static INDICES: RefCell<[Vec<Pair>; 2]> = const { RefCell::new([const { Vec::new() }; 2]) };
        }
        INDICES.with_borrow_mut(|indices| {
            for buffer in &mut *indices {
                buffer.resize(self.plan.pairs(), [0; 8]);
            }
            let [mut ahead, mut here] = indices.each_mut().map(|buffer| &mut buffer[..]);
            let prepare = |four: &[Afterstate], pairs: &mut [Pair]| {
                let mut words = [0; 4];
                for (word, afterstate) in words.iter_mut().zip(four) {
                    *word = self.word(afterstate.grid());
                }
                self.plan.indices(&words, pairs);
                self.prefetch(pairs);
            };
            // The weights of the next four boards are on their way while these are summed.
            let mut fours = afterstates.chunks(4);
            if let Some(four) = fours.next() {
                prepare(four, here);
            }
            for results in out.chunks_mut(4) {
                if let Some(four) = fours.next() {
                    prepare(four, ahead);
                }
                results.copy_from_slice(&self.sums(here)[..results.len()]);
                std::mem::swap(&mut ahead, &mut here);
            }
        });
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
                let boards = [(); 4].map(|()| random.next_u64() & 0x7777_7777_7777_7777);
                let mut pairs = vec![[0; 8]; network.plan.pairs()];
                network.plan.indices(&boards, &mut pairs);
                for pair in &pairs {
                    for &index in pair.iter().filter(|i| (**i as usize) < network.plan.memory - 1) {
                        network.weights.set(index, random.unit() as f32 * 1000.0);
                    }
                }
                let sums = network.sums(&pairs);
                for (board, sum) in sums.iter().enumerate() {
                    assert_eq!(sum.to_bits(), network.sum(&pairs, board).to_bits(), "{name}");
                    let active = Active { pairs: &pairs, board };
                    assert_eq!(sum.to_bits(), network.sum_active(active).to_bits(), "{name}");
                    let mut count = 0;
                    network.each_active(active, |_| count += 1);
                    assert_eq!(count, network.active());
                }
            }
        }
    }
}
