//! A network to play with: 16-bit weights, half the memory, sums that are exact.
//!
//! A weight is a whole number of steps; the value of a board is the sum of its numbers times the
//! step. It does not learn.

use std::fmt;

use maxtile_game::{Afterstate, Grid, Shape};
use maxtile_search::Value;

use crate::downgrade::downgraded;
use crate::later::Later;
use crate::network::{Network, NetworkError};
use crate::plan::{Octet, Plan};
use crate::spec::Spec;
use crate::splits::Splits;
use crate::stages::Stages;
#[cfg(target_arch = "x86_64")]
use crate::unsafe_gather16;
use crate::unsafe_shorts::Shorts;
#[cfg(target_arch = "x86_64")]
use crate::unsafe_sum512;
use crate::with_avx2;

/// A network of 16-bit weights.
pub struct Compact {
    spec: Spec,
    shape: Shape,
    step: f32,
    pub(crate) plan: Plan,
    pub(crate) numbers: Shorts,
    splits: Option<Splits>,
    /// Sets that are still packed.
    pub(crate) later: Option<Later>,
}

/// How many afterstates are summed while the weights of as many others are on their way.
const AHEAD: usize = 4;

/// Octets of a board that need no memory from the heap; larger networks take it.
const USUAL: usize = 16;

impl Compact {
    /// A network with all weights 0.
    pub(crate) fn empty(spec: Spec, step: f32) -> Result<Compact, NetworkError> {
        let shape = spec.check().map_err(NetworkError::Spec)?;
        let plan = Plan::new(&spec).map_err(NetworkError::Spec)?;
        let bytes = plan.memory as u64 * 2;
        let numbers = Shorts::zeroed(plan.memory)
            .map_err(|cause| NetworkError::Memory { bytes, why: cause.to_string() })?;
        let splits = Splits::of(&spec.stages);
        Ok(Compact { spec, shape, step, plan, numbers, splits, later: None })
    }

    /// The network in steps: each weight is rounded, and held to what 16 bits can say.
    pub fn of(network: &Network, step: f32) -> Result<Compact, NetworkError> {
        // What would be promoted is written down as such.
        let spec = Spec { promotion: false, ..network.spec().clone() };
        let compact = Compact::empty(spec, step)?;
        for stage in 0..network.stages() {
            for table in 0..network.spec().tuples.len() {
                for place in compact.plan.places(table) {
                    let number = rounded(network.judging_weight(stage, place), step);
                    compact.numbers.set(compact.offset(stage) + place, number);
                }
            }
        }
        Ok(compact)
    }

    /// The same network with 32-bit weights, to be exported or trained on.
    pub fn to_network(&self) -> Result<Network, NetworkError> {
        let network = Network::new(self.spec.clone())?;
        self.later.iter().for_each(|later| later.ask_all(self));
        for stage in 0..self.spec.stages.count() {
            let number =
                |place| f32::from(self.numbers.get(self.offset(stage) + place)) * self.step;
            for table in 0..self.spec.tuples.len() {
                let weights: Vec<f32> = self.plan.places(table).map(number).collect();
                network.set_table(stage * self.spec.tables() + table, &weights)?;
            }
        }
        Ok(network)
    }

    /// What the network looks like.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The board it judges.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The points that a weight of 1 stands for.
    pub fn step(&self) -> f32 {
        self.step
    }

    /// The cells of a position as the network reads them: within its alphabet.
    #[inline]
    fn word(&self, grid: Grid) -> u64 {
        let largest = self.spec.values - 1;
        if grid.high() != 0 || largest < 15 && grid.max_exponent() > largest {
            return downgraded(grid, largest);
        }
        grid.nibbles()
    }

    /// The stage that judges a board, by the board alone; its weights are there.
    #[inline]
    fn stage(&self, word: u64) -> usize {
        match &self.spec.stages {
            Stages::One => 0,
            stages => {
                let stage = match &self.splits {
                    Some(splits) => splits.stage(word),
                    None => stages.of(word, 0),
                };
                if let Some(later) = &self.later {
                    later.ask(self, stage);
                }
                stage
            }
        }
    }

    /// Where the weights of a stage begin.
    pub(crate) fn offset(&self, stage: usize) -> u32 {
        self.plan.stage * stage as u32
    }

    /// Where the weights lie that judge an afterstate.
    pub(crate) fn each_index(&self, afterstate: Afterstate, mut look: impl FnMut(u32)) {
        let (word, count) = (self.word(afterstate.grid()), self.plan.octets());
        let (mut few, mut many) = ([[0; 8]; USUAL], Vec::new());
        let octets = if count <= USUAL {
            &mut few[..count]
        } else {
            many.resize(count, [0; 8]);
            &mut many[..]
        };
        self.plan.indices(&[word], octets);
        Network::shift(octets, self.offset(self.stage(word)));
        octets.as_flattened().iter().for_each(|&index| look(index));
    }

    #[inline(always)]
    fn sum(&self, octets: &[Octet]) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if let Some(sum) = unsafe_gather16::sum(&self.numbers, octets) {
            return sum;
        }
        self.sum_portable(octets)
    }

    fn sum_portable(&self, octets: &[Octet]) -> i32 {
        octets.as_flattened().iter().map(|&index| i32::from(self.numbers.get(index))).sum()
    }

    #[cfg(target_arch = "x86_64")]
    fn values_by_sixteen(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        const BATCH: usize = 16;
        for (some, results) in afterstates.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let (mut boards, mut sums) = ([0; BATCH], [0; BATCH]);
            for (board, afterstate) in boards.iter_mut().zip(some) {
                *board = self.word(afterstate.grid());
            }
            // Boards of one search are nearly always in one stage.
            let (mut rest, mut left) = (&boards[..some.len()], &mut sums[..some.len()]);
            while let Some(&first) = rest.first() {
                let stage = self.stage(first);
                let alike = rest.iter().take_while(|&&board| self.stage(board) == stage).count();
                let (now, later) = left.split_at_mut(alike);
                unsafe_sum512::sums(&self.plan, &self.numbers, stage, &rest[..alike], now);
                (rest, left) = (&rest[alike..], later);
            }
            for (result, sum) in results.iter_mut().zip(sums) {
                *result = sum as f32 * self.step;
            }
        }
    }

    #[inline(always)]
    fn values_with(&self, afterstates: &[Afterstate], out: &mut [f32], buffer: &mut [Octet]) {
        let octets = self.plan.octets();
        let (mut here, mut ahead) = buffer.split_at_mut(AHEAD * octets);
        let prepare = |some: &[Afterstate], indices: &mut [Octet]| {
            let mut words = [0; AHEAD];
            for (word, afterstate) in words.iter_mut().zip(some) {
                *word = self.word(afterstate.grid());
            }
            self.plan.indices(&words[..some.len()], indices);
            if self.spec.stages != Stages::One {
                for (&word, octets) in words.iter().zip(indices.chunks_exact_mut(octets)) {
                    Network::shift(octets, self.offset(self.stage(word)));
                }
            }
            indices.as_flattened().iter().for_each(|&index| self.numbers.prefetch(index));
        };
        let mut chunks = afterstates.chunks(AHEAD);
        if let Some(first) = chunks.next() {
            prepare(first, here);
        }
        for results in out.chunks_mut(AHEAD) {
            if let Some(next) = chunks.next() {
                prepare(next, ahead);
            }
            for (result, octets) in results.iter_mut().zip(here.chunks_exact(octets)) {
                *result = self.sum(octets) as f32 * self.step;
            }
            std::mem::swap(&mut ahead, &mut here);
        }
    }
}

/// The tiles of a board some moves later with everything joined that can be: a stage that begins with a tile is not far.
fn soon(tile_sum: u32) -> u64 {
    let sum = tile_sum + 64;
    let tiles = (1..=15).filter(|exponent| sum >> exponent & 1 == 1);
    let joined = tiles.fold(0, |word, exponent| word << 4 | exponent);
    // What is larger than a nibble says.
    if sum >> 16 > 0 { joined << 4 | 15 } else { joined }
}

/// A weight in steps.
pub(crate) fn rounded(weight: f32, step: f32) -> i16 {
    // As from float to integer saturates, and takes what is not a number for 0.
    (weight / step).round() as i16
}

impl Value for Compact {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        #[cfg(target_arch = "x86_64")]
        if unsafe_sum512::available(&self.plan) {
            return self.values_by_sixteen(afterstates, out);
        }
        // A tree asks for the moves of one position: to clear what two rounds need would take as long as a tenth of it.
        let rounds = if afterstates.len() <= AHEAD { 1 } else { 2 };
        let length = rounds * AHEAD * self.plan.octets();
        with_avx2(|| {
            if length <= AHEAD * USUAL / 2 {
                let mut buffer = [[0; 8]; AHEAD * USUAL / 2];
                self.values_with(afterstates, out, &mut buffer[..length]);
            } else if length <= 2 * AHEAD * USUAL {
                let mut buffer = [[0; 8]; 2 * AHEAD * USUAL];
                self.values_with(afterstates, out, &mut buffer[..length]);
            } else {
                self.values_with(afterstates, out, &mut vec![[0; 8]; length]);
            }
        });
    }

    fn symmetric(&self) -> bool {
        self.spec.symmetric
    }

    fn wake(&self, afterstates: &[Afterstate]) {
        for &afterstate in afterstates {
            let grid = afterstate.grid();
            self.stage(self.word(grid));
            self.stage(soon(grid.tile_sum()));
        }
    }
}

impl fmt::Debug for Compact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Compact({}, steps of {})", self.spec.name, self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maxtile_game::Random;

    fn trained(name: &str) -> Network {
        let network = Network::new(crate::named(name).unwrap()).unwrap();
        let mut random = Random::new(8);
        for table in 0..network.spec().tuples.len() {
            let length = network.plan.table_len(table) as usize;
            let weight = |_| (random.unit() as f32 - 0.5) * 4000.0;
            let weights: Vec<f32> = (0..length).map(weight).collect();
            network.set_table(table, &weights).unwrap();
        }
        network
    }

    #[test]
    fn a_stage_is_asked_for_before_its_tiles_are_joined() {
        let stages: Stages = "wu".parse().unwrap();
        let stage = |tile_sum| stages.of(soon(tile_sum), 0);
        assert_eq!((stage(16_000), stage(16_330), stage(20_000)), (0, 1, 1));
        assert_eq!((stage(24_520), stage(32_710), stage(131_068)), (2, 2, 2));
    }

    #[test]
    fn values_are_those_of_the_rounded_network() {
        let mut random = Random::new(6);
        for name in ["szubert-17x4", "lines-3x3"] {
            let network = trained(name);
            let compact = Compact::of(&network, 0.5).unwrap();
            let rounded = compact.to_network().unwrap();
            let shape = network.shape();
            let nodes: Vec<Afterstate> = (0..301)
                .map(|_| {
                    let cells: Vec<u8> =
                        (0..shape.cells()).map(|_| random.below(9) as u8).collect();
                    Afterstate::from_exponents(shape, &cells).unwrap()
                })
                .collect();
            let (mut some, mut others) = (vec![0.0; 301], vec![0.0; 301]);
            compact.values(&nodes, &mut some);
            rounded.values(&nodes, &mut others);
            for ((node, one), two) in nodes.iter().zip(&some).zip(&others) {
                assert!((one - two).abs() < 0.02, "{name} {node}: {one} {two}");
                assert_eq!(*one, compact.value(*node));
            }
            let exact: f32 = network.value(nodes[0]);
            assert!((exact - some[0]).abs() <= 0.25 * network.active() as f32 + 0.1);
        }
    }

    /// Stages by the board, promoted weights among them, in the vector loop and beside it.
    #[test]
    fn stages_are_judged_by_their_own_weights() {
        let mut random = Random::new(4);
        for (tuples, promotion) in
            [(&[&[0u8, 1, 2, 3][..], &[4, 5]][..], true), (&[&[0, 1, 2]], false)]
        {
            let spec = Spec {
                stages: "tiles-1@64".parse().unwrap(),
                promotion,
                ..Spec::classic("test", tuples, 16, true)
            };
            let network = Network::new(spec).unwrap();
            for table in 0..network.tables() {
                let weight = |_| match random.below(3) {
                    0 => 0.0,
                    _ => (random.below(2000) as f32 - 1000.0) * 0.5,
                };
                let weights: Vec<f32> = (0..network.table_len(table)).map(weight).collect();
                network.set_table(table, &weights).unwrap();
            }
            let compact = Compact::of(&network, 0.5).unwrap();
            let nodes: Vec<Afterstate> = (0..300)
                .map(|_| {
                    let cells: Vec<u8> = (0..16).map(|_| random.below(8) as u8 / 2 * 2).collect();
                    Afterstate::from_exponents(network.shape(), &cells).unwrap()
                })
                .collect();
            let mut values = vec![0.0; nodes.len()];
            compact.values(&nodes, &mut values);
            let again = compact.to_network().unwrap();
            for (node, value) in nodes.iter().zip(values) {
                assert_eq!(value, network.value(*node), "{node}");
                assert_eq!((value, value), (compact.value(*node), again.value(*node)));
            }
        }
    }

    #[test]
    fn gathered_and_portable_sums_agree() {
        let network = trained("szubert-17x4");
        let compact = Compact::of(&network, 0.1).unwrap();
        let mut random = Random::new(1);
        for _ in 0..2000 {
            let board = random.next_u64() & 0x7777_7777_7777_7777;
            let mut octets = vec![[0; 8]; compact.plan.octets()];
            compact.plan.indices(&[board], &mut octets);
            assert_eq!(compact.sum(&octets), compact.sum_portable(&octets));
        }
    }

    /// Tuples of even lengths and of odd ones, an even and an odd number of octets.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn sixteen_lookups_at_once_agree_with_one() {
        let specs: [&[&[u8]]; 2] = [
            &[&[0, 1, 2, 3], &[4, 5], &[1, 3, 6, 12], &[0, 2]],
            &[&[0, 1, 2, 3], &[4, 5, 8, 9, 10], &[1, 3, 6]],
        ];
        for tuples in specs {
            let network = Network::new(Spec::classic("test", tuples, 16, true)).unwrap();
            let mut random = Random::new(8);
            for (table, tuple) in tuples.iter().enumerate() {
                let weight = |_| (random.unit() as f32 - 0.5) * 60_000.0;
                let weights: Vec<f32> = (0..1 << (4 * tuple.len())).map(weight).collect();
                network.set_table(table, &weights).unwrap();
            }
            let compact = Compact::of(&network, 1.0).unwrap();
            if !unsafe_sum512::available(&compact.plan) {
                return;
            }
            for _ in 0..2000 {
                let boards = [(); 3].map(|()| random.next_u64());
                let mut sums = [0; 3];
                unsafe_sum512::sums(&compact.plan, &compact.numbers, 0, &boards, &mut sums);
                let mut octets = vec![[0; 8]; 3 * compact.plan.octets()];
                compact.plan.indices(&boards, &mut octets);
                for (octets, sum) in octets.chunks(compact.plan.octets()).zip(sums) {
                    assert_eq!(compact.sum_portable(octets), sum);
                }
            }
        }
    }

    #[test]
    fn weights_beyond_sixteen_bits_are_held() {
        assert_eq!(rounded(1e9, 1.0), i16::MAX);
        assert_eq!(rounded(-1e9, 1.0), i16::MIN);
        assert_eq!(rounded(f32::NAN, 1.0), 0);
        assert_eq!((rounded(2.6, 1.0), rounded(-2.6, 2.0)), (3, -1));
    }
}
