//! How boards become indices: the program that a network's description is compiled to.
//!
//! Indices are computed for four boards at once, the four afterstates of a move or any others.
//! They come in pairs of lookups: `[board 0 first, board 0 second, board 1 first, …]`, which is how
//! the vector form produces them.

use maxtile_game::Shape;

use crate::features::Feature;
use crate::spec::{Spec, SpecError};

/// Two lookups of four boards.
pub(crate) type Pair = [u32; 8];

/// What turns boards into indices, and natural indices into places in memory.
pub(crate) struct Plan {
    /// Number of active weights of a board.
    pub(crate) active: usize,
    /// Length of the memory that is indexed, all stages.
    pub(crate) memory: usize,
    /// Length of the memory of one stage.
    pub(crate) stage: u32,
    kind: Kind,
    tables: Vec<Table>,
}

enum Kind {
    /// 4×4, 16 values, shared by symmetry: tuples as bit fields of the eight transformed boards.
    Words(Words),
    /// Anything else: cell by cell.
    Cells(Vec<Lookup>),
    /// Tuples, and behind them features: each with the offset of its table.
    Featured { tuples: Box<Plan>, features: Vec<(Feature, u32)> },
}

/// Where a tuple's weights lie.
struct Table {
    offset: u32,
    values: u32,
    /// For each digit of the natural index, its weight in the index in memory.
    strides: Vec<u32>,
    swizzled: bool,
}

struct Lookup {
    offset: u32,
    /// Shift of the cell's nibble, and the weight of the digit.
    digits: Vec<(u32, u32)>,
}

/// Bit fields of the transformed boards: `(board >> shift) & mask`, summed over the runs.
pub(crate) struct Words {
    pub(crate) tuples: Vec<WordTuple>,
}

/// Aligned so that no thread's own data shares its cache lines: all threads read it all the time.
#[repr(align(128))]
pub(crate) struct WordTuple {
    pub(crate) offset: u32,
    /// How many runs of neighbouring cells there are.
    pub(crate) count: usize,
    /// Shift and mask of each, padded with empty ones.
    pub(crate) runs: [(u64, u64); 8],
}

/// Cache lines apart that tables get extra, so that equal indices of different tables do not
/// compete for the same cache set.
const TABLE_GAP: u32 = 16 * 37;

impl Plan {
    pub(crate) fn new(spec: &Spec) -> Result<Plan, SpecError> {
        let shape = spec.check()?;
        if !spec.features.is_empty() {
            return Plan::featured(spec);
        }
        let words = shape == Shape::CLASSIC && spec.values == 16 && spec.symmetric;
        let mut tables = Vec::new();
        let mut offset = 0;
        for tuple in &spec.tuples {
            let values = spec.values as u32;
            let strides = (0..tuple.len() as u32).map(|k| values.pow(k)).collect();
            tables.push(Table { offset, values, strides, swizzled: words });
            offset += values.pow(tuple.len() as u32) + if words { TABLE_GAP } else { 0 };
        }
        let lookups = spec.lookups();
        let kind = if words {
            let tuples = spec.tuples.iter().zip(&mut tables);
            let tuples = tuples.map(|(t, table)| word_tuple(t, table)).collect();
            Kind::Words(Words { tuples })
        } else {
            let lookup = |(table, cells): &(usize, Vec<u8>)| {
                let Table { offset, strides, .. } = &tables[*table];
                let digits = cells.iter().zip(strides).map(|(&c, &s)| (4 * c as u32, s));
                Lookup { offset: *offset, digits: digits.collect() }
            };
            Kind::Cells(lookups.iter().map(lookup).collect())
        };
        // One cell more, always zero, for the odd lookup's missing partner.
        let stage = offset + 1;
        let memory = stage as usize * spec.stages.count();
        Ok(Plan { active: lookups.len(), memory, stage, kind, tables })
    }

    /// The plan of the tuples alone, with the tables of the features behind theirs.
    fn featured(spec: &Spec) -> Result<Plan, SpecError> {
        let mut tuples = Plan::new(&Spec { features: Vec::new(), ..spec.clone() })?;
        let mut tables = std::mem::take(&mut tuples.tables);
        let mut features = Vec::new();
        let mut stage = tuples.stage;
        for &feature in &spec.features {
            features.push((feature, stage));
            let values = feature.weights();
            tables.push(Table { offset: stage, values, strides: vec![1], swizzled: false });
            stage += values;
        }
        let memory = stage as usize * spec.stages.count();
        let active = tuples.active + features.len();
        let kind = Kind::Featured { tuples: Box::new(tuples), features };
        Ok(Plan { active, memory, stage, kind, tables })
    }

    /// Number of pairs of lookups.
    pub(crate) fn pairs(&self) -> usize {
        self.active.div_ceil(2)
    }

    /// The indices of four boards.
    #[inline]
    pub(crate) fn indices(&self, boards: &[u64; 4], out: &mut [Pair]) {
        match &self.kind {
            Kind::Words(words) => {
                #[cfg(target_arch = "x86_64")]
                if crate::unsafe_avx2::indices(words, boards, out) {
                    return;
                }
                words.indices_portable(boards, out);
            }
            Kind::Cells(lookups) => {
                let nothing = self.stage - 1;
                for (pair, two) in out.iter_mut().zip(lookups.chunks(2)) {
                    for (board, word) in boards.iter().enumerate() {
                        pair[2 * board] = two[0].index(*word);
                        pair[2 * board + 1] = two.get(1).map_or(nothing, |l| l.index(*word));
                    }
                }
            }
            Kind::Featured { tuples, features } => {
                tuples.indices(boards, &mut out[..tuples.pairs()]);
                let nothing = tuples.stage - 1;
                for (place, &(feature, offset)) in (tuples.active..).zip(features) {
                    for (board, &word) in boards.iter().enumerate() {
                        let lane = 2 * board + place % 2;
                        out[place / 2][lane] = offset + feature.index(word);
                    }
                }
                if !self.active.is_multiple_of(2) {
                    (0..4).for_each(|board| out[self.active / 2][2 * board + 1] = nothing);
                }
            }
        }
    }

    /// The plan of 4×4 networks with 16 values and shared symmetries.
    pub(crate) fn words(&self) -> Option<&Words> {
        match &self.kind {
            Kind::Words(words) => Some(words),
            _ => None,
        }
    }

    /// Where the weights of a table lie in the memory of a stage, in natural order: the first cell is the lowest
    /// digit. Millions of them, so the contributions of the lower and of the higher digits are
    /// worked out once each.
    pub(crate) fn places(&self, table: usize) -> impl Iterator<Item = u32> {
        let &Table { offset, values, ref strides, swizzled } = &self.tables[table];
        let (low, high) = strides.split_at(strides.len() / 2);
        let (low, high) = (contributions(values, low), contributions(values, high));
        let sums = high.into_iter().flat_map(move |h| low.clone().into_iter().map(move |l| h + l));
        sums.map(move |index| offset + if swizzled { swizzle(index) } else { index })
    }

    /// Where the weights of a table lie in memory, by the index whose lowest digit is the last cell.
    pub(crate) fn by_last_cell(&self, table: usize) -> LastCellFirst {
        let &Table { offset, values, ref strides, swizzled } = &self.tables[table];
        let reversed: Vec<u32> = strides.iter().rev().copied().collect();
        let (low, high) = reversed.split_at(reversed.len() / 2);
        let (low, high) = (contributions(values, low), contributions(values, high));
        LastCellFirst { offset, low, high, swizzled }
    }

    /// How many weights a table has.
    pub(crate) fn table_len(&self, table: usize) -> u32 {
        let table = &self.tables[table];
        table.values.pow(table.strides.len() as u32)
    }
}

/// The places of a table's weights in the order of packed files.
pub(crate) struct LastCellFirst {
    offset: u32,
    low: Vec<u32>,
    high: Vec<u32>,
    swizzled: bool,
}

impl LastCellFirst {
    /// The places of the weights from `first` on.
    pub(crate) fn from(&self, first: usize) -> impl Fn(usize) -> u32 {
        let length = self.low.len();
        // Powers of two, as all fast networks have, cost no division.
        let shift = length.is_power_of_two().then(|| length.trailing_zeros());
        move |index| {
            let index = first + index;
            let (high, low) = match shift {
                Some(shift) => (index >> shift, index & (length - 1)),
                None => (index / length, index % length),
            };
            let place = self.high[high] + self.low[low];
            self.offset + if self.swizzled { swizzle(place) } else { place }
        }
    }
}

/// The index in memory of every combination of digits with these strides, in natural order.
fn contributions(values: u32, strides: &[u32]) -> Vec<u32> {
    strides.iter().fold(vec![0], |sums, stride| {
        (0..values).flat_map(|digit| sums.iter().map(move |sum| sum + digit * stride)).collect()
    })
}

impl Lookup {
    fn index(&self, board: u64) -> u32 {
        let digit = |(shift, stride): &(u32, u32)| (board >> shift & 15) as u32 * stride;
        self.offset + self.digits.iter().map(digit).sum::<u32>()
    }
}

/// Spreads the lines of a table over the cache sets, which would otherwise be chosen by two or
/// three cells of very uneven values. The 16 weights of a line stay together; the map is one to
/// one because each bit is changed by higher bits only.
pub(crate) const fn swizzle(index: u32) -> u32 {
    index ^ (index >> 10 ^ index >> 17) & !15
}

/// The tuple turned by 180°, which reverses the order of its cells: its last cell is then the
/// lowest digit, the one inside a cache line. Which symmetric image is looked up makes no
/// difference when all are.
fn word_tuple(tuple: &[u8], table: &mut Table) -> WordTuple {
    let turned: Vec<u8> = tuple.iter().map(|&cell| 15 - cell).collect();
    let mut sorted = turned.clone();
    sorted.sort_unstable();
    for (stride, cell) in table.strides.iter_mut().zip(&turned) {
        let place = sorted.iter().position(|c| c == cell).unwrap_or(0);
        *stride = 1 << (4 * place);
    }
    let (mut runs, mut count) = ([(0, 0); 8], 0);
    for (place, &cell) in sorted.iter().enumerate() {
        let (shift, nibble) = (4 * (cell as u64 - place as u64), 15 << (4 * place));
        if count == 0 || runs[count - 1].0 != shift {
            count += 1;
        }
        runs[count - 1] = (shift, runs[count - 1].1 | nibble);
    }
    WordTuple { offset: table.offset, count, runs }
}

impl Words {
    pub(crate) fn indices_portable(&self, boards: &[u64; 4], out: &mut [Pair]) {
        for (board, &word) in boards.iter().enumerate() {
            let images = images(word);
            let mut pairs = out.iter_mut();
            for tuple in &self.tuples {
                let index = |image: u64| {
                    let run = |&(shift, mask): &(u64, u64)| image >> shift & mask;
                    let index = tuple.runs.iter().map(run).sum::<u64>();
                    tuple.offset + swizzle(index as u32)
                };
                for (two, pair) in images.chunks_exact(2).zip(&mut pairs) {
                    pair[2 * board] = index(two[0]);
                    pair[2 * board + 1] = index(two[1]);
                }
            }
        }
    }
}

/// The eight transformed boards, in the order of the vector form: mirrored, flipped, both; then
/// the same of the transposed board.
fn images(x: u64) -> [u64; 8] {
    let mirror = |x: u64| {
        let x = (x & 0x00ff_00ff_00ff_00ff) << 8 | x >> 8 & 0x00ff_00ff_00ff_00ff;
        (x & 0x0f0f_0f0f_0f0f_0f0f) << 4 | x >> 4 & 0x0f0f_0f0f_0f0f_0f0f
    };
    let flip = |x: u64| {
        let x = x.rotate_left(32);
        (x & 0x0000_ffff_0000_ffff) << 16 | x >> 16 & 0x0000_ffff_0000_ffff
    };
    let transpose = |x: u64| {
        let a = x & 0xf0f0_0f0f_f0f0_0f0f
            | (x & 0x0000_f0f0_0000_f0f0) << 12
            | x >> 12 & 0x0000_f0f0_0000_f0f0;
        a & 0xff00_ff00_00ff_00ff | a >> 24 & 0xff00_ff00 | (a & 0xff00_ff00) << 24
    };
    let t = transpose(x);
    let (m, mt) = (mirror(x), mirror(t));
    [x, m, flip(x), flip(m), t, mt, flip(t), flip(mt)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named::named;
    use maxtile_game::Random;

    /// The definition: the natural index of every lookup, put into its place.
    fn by_definition(spec: &Spec, plan: &[Vec<u32>], board: u64) -> Vec<u32> {
        let index = |(table, cells): (usize, Vec<u8>)| {
            let digits = cells.iter().rev().map(|&c| (board >> (4 * c) & 15) as u32);
            let natural = digits.fold(0, |index, d| index * spec.values as u32 + d);
            plan[table][natural as usize]
        };
        let mut indices: Vec<u32> = spec.lookups().into_iter().map(index).collect();
        indices.sort_unstable();
        indices
    }

    #[test]
    fn plans_compute_what_the_description_says() {
        let mut random = Random::new(4);
        for name in ["wu-4x6", "matsuzaki-8x6", "jaskowski-42-33", "szubert-17x4", "whole-2x3"] {
            let spec = named(name).unwrap();
            let plan = Plan::new(&spec).unwrap();
            let shape: Shape = spec.board.parse().unwrap();
            let places: Vec<Vec<u32>> =
                (0..spec.tuples.len()).map(|table| plan.places(table).collect()).collect();
            for _ in 0..300 {
                let boards = [(); 4].map(|()| {
                    let cell = |_| random.below(spec.values as u64);
                    (0..shape.cells()).map(cell).fold(0, |word, e| word << 4 | e)
                });
                let mut out = vec![[0; 8]; plan.pairs()];
                plan.indices(&boards, &mut out);
                for (i, &board) in boards.iter().enumerate() {
                    let flat = out.iter().flat_map(|p| [p[2 * i], p[2 * i + 1]]);
                    let mut found: Vec<u32> = flat.take(plan.active).collect();
                    found.sort_unstable();
                    assert_eq!(found, by_definition(&spec, &places, board), "{name}");
                }
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vector_and_portable_indices_are_the_same() {
        let mut random = Random::new(9);
        for name in ["wu-4x6", "matsuzaki-8x6", "jaskowski-42-33"] {
            let plan = Plan::new(&named(name).unwrap()).unwrap();
            let words = plan.words().unwrap();
            let (mut one, mut two) = (vec![[0; 8]; plan.pairs()], vec![[0; 8]; plan.pairs()]);
            for _ in 0..10_000 {
                let boards = [(); 4].map(|()| random.next_u64());
                if !crate::unsafe_avx2::indices(words, &boards, &mut one) {
                    return;
                }
                words.indices_portable(&boards, &mut two);
                assert_eq!(one, two, "{name}");
            }
        }
    }

    /// Features stand behind the tuples' lookups, an odd one beside the place that is always 0.
    #[test]
    fn features_are_looked_up_behind_the_tuples() {
        let mut random = Random::new(6);
        for name in ["yeh-5x6-features", "yeh-5x6-combined", "wu-4x6-large"] {
            let spec = named(name).unwrap();
            let plan = Plan::new(&spec).unwrap();
            let tuples = Plan::new(&Spec { features: Vec::new(), ..spec.clone() }).unwrap();
            for _ in 0..200 {
                let boards = [(); 4].map(|()| random.next_u64());
                let (mut all, mut some) =
                    (vec![[0; 8]; plan.pairs()], vec![[0; 8]; tuples.pairs()]);
                plan.indices(&boards, &mut all);
                tuples.indices(&boards, &mut some);
                assert_eq!(all[..some.len()], some[..]);
                for (board, &word) in boards.iter().enumerate() {
                    let flat =
                        all[some.len()..].iter().flat_map(|p| [p[2 * board], p[2 * board + 1]]);
                    let mut offset = tuples.stage;
                    let mut expected = Vec::new();
                    for feature in &spec.features {
                        expected.push(offset + feature.index(word));
                        offset += feature.weights();
                    }
                    expected.resize(expected.len().next_multiple_of(2), tuples.stage - 1);
                    assert_eq!(flat.collect::<Vec<_>>(), expected, "{name}");
                    assert_eq!(offset, plan.stage);
                }
            }
            let last = spec.tables() - 1;
            assert_eq!(plan.table_len(last), spec.features.last().unwrap().weights());
            assert_eq!(plan.places(last).last(), Some(plan.stage - 1));
        }
    }

    #[test]
    fn places_are_distinct_and_within_memory() {
        for name in ["szubert-2x4-2x6", "lines-3x3", "whole-2x2"] {
            let spec = named(name).unwrap();
            let plan = Plan::new(&spec).unwrap();
            let mut used = vec![false; plan.memory];
            for table in 0..spec.tuples.len() {
                assert_eq!(plan.places(table).count(), plan.table_len(table) as usize);
                for place in plan.places(table) {
                    assert!(!std::mem::replace(&mut used[place as usize], true));
                }
            }
            assert!(!used[plan.memory - 1]);
        }
        let mut used = vec![false; 1 << 24];
        (0..1 << 24).for_each(|i| used[swizzle(i) as usize] = true);
        assert!(used.into_iter().all(|u| u));
    }
}
