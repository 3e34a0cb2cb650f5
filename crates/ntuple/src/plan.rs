//! How boards become indices: the program that a network's description is compiled to.
//!
//! The lookups of a board come in eights, the width of a vector, the last eight filled up with
//! lookups of a weight that is always zero.

use crate::features::Feature;
use crate::spec::{Spec, SpecError};

/// The places of eight weights.
pub(crate) type Octet = [u32; 8];

/// What turns boards into indices, and natural indices into places in memory.
pub(crate) struct Plan {
    /// Number of active weights of a board.
    pub(crate) active: usize,
    /// Length of the memory that is indexed, all stages.
    pub(crate) memory: usize,
    /// Length of the memory of one stage.
    pub(crate) stage: u32,
    /// The place of a weight that belongs to no table and stays zero.
    pub(crate) nothing: u32,
    pub(crate) layout: Layout,
    tables: Vec<Table>,
    lookups: Vec<Lookup>,
    /// The same lookups for the vector form; none where cells have fewer than 16 values.
    pub(crate) shuffles: Vec<Shuffle>,
    /// Features, looked up behind the tuples: each with the offset of its table.
    features: Vec<(Feature, u32)>,
}

/// Where the weights of a tuple or of a feature lie.
struct Table {
    offset: u32,
    order: Order,
    swizzled: bool,
}

/// How the natural index of a weight becomes its index in memory.
enum Order {
    /// For each digit of this many values, what it adds.
    Digits { values: u32, digits: Vec<Digit> },
    /// As it is: a feature of this many values.
    Same(u32),
}

/// What each value of a cell adds to an index.
type Digit = [u32; 16];

struct Lookup {
    offset: u32,
    /// Shift of the cell's nibble, and its digit.
    digits: Vec<(u32, Digit)>,
    swizzled: bool,
}

/// Eight lookups by bytes: which cell makes up the first and which the second half of each byte of
/// the indices, in little-endian order; `NO_CELL` where there is none.
///
/// Aligned so that no thread's own data shares its cache lines: all threads read it all the time.
#[repr(align(128))]
pub(crate) struct Shuffle {
    pub(crate) first: [u8; 32],
    pub(crate) second: [u8; 32],
    pub(crate) offsets: Octet,
}

/// What a byte shuffle takes for zero.
const NO_CELL: u8 = 0x80;

/// How two cells share a byte of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// The lower halves of both cells, then the upper halves. A cache line then holds four values
    /// of two cells instead of sixteen of one, most of which would never be met: a quarter fewer
    /// misses of the second-level cache than with nibbles.
    Paired,
    /// One nibble each, for networks with tuples of odd length, whose last byte would have holes.
    Nibbles,
    /// Any number of values, a digit each.
    Digits,
}

/// Cache lines apart that tables get extra, so that equal indices of different tables do not
/// compete for the same cache set.
const TABLE_GAP: u32 = 16 * 37;

impl Plan {
    pub(crate) fn new(spec: &Spec) -> Result<Plan, SpecError> {
        spec.check()?;
        let values = spec.values as u32;
        let layout = match values {
            16 if spec.tuples.iter().all(|t| t.len().is_multiple_of(2)) => Layout::Paired,
            16 => Layout::Nibbles,
            _ => Layout::Digits,
        };
        let bytes = layout != Layout::Digits;
        let mut tables = Vec::new();
        let mut offset = 0;
        for tuple in &spec.tuples {
            let len = tuple.len() as u32;
            // The last cells are the lowest digits in memory, those inside a cache line.
            let digits = (0..len).rev().map(|place| digit(layout, values, place)).collect();
            let order = Order::Digits { values, digits };
            tables.push(Table { offset, order, swizzled: bytes });
            offset += values.pow(len) + if bytes { TABLE_GAP } else { 0 };
        }
        let lookup = |(table, cells): (usize, Vec<u8>)| {
            let Table { offset, order, swizzled } = &tables[table];
            let digits = match order {
                Order::Digits { digits, .. } => &digits[..],
                Order::Same(_) => &[],
            };
            let digits = cells.iter().zip(digits).map(|(&c, &digit)| (4 * c as u32, digit));
            Lookup { offset: *offset, digits: digits.collect(), swizzled: *swizzled }
        };
        let lookups: Vec<Lookup> = spec.lookups().into_iter().map(lookup).collect();
        let nothing = offset;
        let shuffle = |eight: &[Lookup]| shuffle(eight, nothing);
        let shuffles = lookups.chunks(8).filter(|_| bytes).map(shuffle).collect();
        let mut stage = nothing + 1;
        let mut features = Vec::new();
        for &feature in &spec.features {
            features.push((feature, stage));
            let order = Order::Same(feature.weights());
            tables.push(Table { offset: stage, order, swizzled: false });
            stage += feature.weights();
        }
        // Every stage begins with a cache line, as the first does.
        if spec.stages.count() > 1 {
            stage = stage.next_multiple_of(16);
        }
        let active = lookups.len() + features.len();
        let memory = stage as usize * spec.stages.count();
        Ok(Plan { active, memory, stage, nothing, layout, tables, lookups, shuffles, features })
    }

    /// Number of octets of a board.
    #[inline(always)]
    pub(crate) fn octets(&self) -> usize {
        self.active.div_ceil(8)
    }

    /// The indices of boards, one after the other, in the first stage.
    #[inline(always)]
    pub(crate) fn indices(&self, boards: &[u64], out: &mut [Octet]) {
        if self.features.is_empty() {
            self.tuple_indices(boards, out);
        } else {
            self.indices_with_features(boards, out);
        }
    }

    #[inline(always)]
    fn tuple_indices(&self, boards: &[u64], out: &mut [Octet]) {
        #[cfg(target_arch = "x86_64")]
        if crate::unsafe_avx2::indices(self, boards, out) {
            return;
        }
        self.indices_portable(boards, out);
    }

    fn indices_portable(&self, boards: &[u64], out: &mut [Octet]) {
        let octets = self.lookups.len().div_ceil(8);
        for (&board, out) in boards.iter().zip(out.chunks_mut(octets)) {
            let out = out.as_flattened_mut();
            out[self.lookups.len()..].fill(self.nothing);
            for (index, lookup) in out.iter_mut().zip(&self.lookups) {
                *index = lookup.index(board);
            }
        }
    }

    fn indices_with_features(&self, boards: &[u64], out: &mut [Octet]) {
        let tuples = self.lookups.len();
        for (&board, out) in boards.iter().zip(out.chunks_mut(self.octets())) {
            self.tuple_indices(&[board], &mut out[..tuples.div_ceil(8)]);
            let out = &mut out.as_flattened_mut()[tuples..];
            out.fill(self.nothing);
            for (index, &(feature, offset)) in out.iter_mut().zip(&self.features) {
                *index = offset + feature.index(board);
            }
        }
    }

    /// Where the weights of a table lie in the memory of a stage, in natural order: the first cell
    /// is the lowest digit.
    pub(crate) fn places(&self, table: usize) -> impl Iterator<Item = u32> {
        let &Table { offset, ref order, swizzled } = &self.tables[table];
        let (low, high) = order.halves();
        let sums = high.into_iter().flat_map(move |h| low.clone().into_iter().map(move |l| h + l));
        sums.map(move |index| offset + if swizzled { swizzle(index) } else { index })
    }

    /// Where the weights of a table lie in memory, by the index whose lowest digit is the last cell.
    pub(crate) fn by_last_cell(&self, table: usize) -> LastCellFirst {
        let &Table { offset, ref order, swizzled } = &self.tables[table];
        let (low, high) = order.halves_reversed();
        LastCellFirst { offset, low, high, swizzled }
    }

    /// How many weights a table has.
    pub(crate) fn table_len(&self, table: usize) -> u32 {
        match &self.tables[table].order {
            Order::Digits { values, digits } => values.pow(digits.len() as u32),
            Order::Same(values) => *values,
        }
    }
}

impl Order {
    /// The indices in memory are the sums of one of the first and one of the second numbers, the
    /// first running fastest: of millions of weights, the contributions of the lower and of the
    /// higher digits are worked out once each.
    fn halves(&self) -> (Vec<u32>, Vec<u32>) {
        match self {
            Order::Digits { values, digits } => {
                let (low, high) = digits.split_at(digits.len() / 2);
                (contributions(*values, low), contributions(*values, high))
            }
            &Order::Same(values) => {
                let line = if values.is_multiple_of(1024) { 1024 } else { values };
                ((0..line).collect(), (0..values).step_by(line as usize).collect())
            }
        }
    }

    /// The same with the last digit first.
    fn halves_reversed(&self) -> (Vec<u32>, Vec<u32>) {
        match self {
            Order::Digits { values, digits } => {
                let digits = digits.iter().rev().copied().collect();
                Order::Digits { values: *values, digits }.halves()
            }
            Order::Same(_) => self.halves(),
        }
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

/// What the values of the cell at this place, counted from the lowest, add to an index.
fn digit(layout: Layout, values: u32, place: u32) -> Digit {
    let shift = 8 * (place / 2);
    std::array::from_fn(|value| {
        let value = value as u32;
        match layout {
            Layout::Paired => (value & 0b0011 | (value & 0b1100) << 2) << (shift + 2 * (place % 2)),
            Layout::Nibbles => value << (shift + 4 * (place % 2)),
            Layout::Digits if value < values => value * values.pow(place),
            Layout::Digits => 0,
        }
    })
}

/// The index in memory of every combination of these digits, in natural order.
fn contributions(values: u32, digits: &[Digit]) -> Vec<u32> {
    digits.iter().fold(vec![0], |sums, digit| {
        let digit = &digit[..values as usize];
        digit.iter().flat_map(|d| sums.iter().map(move |sum| sum + d)).collect()
    })
}

impl Lookup {
    fn index(&self, board: u64) -> u32 {
        let part = |(shift, digit): &(u32, Digit)| digit[(board >> shift & 15) as usize];
        let index = self.digits.iter().map(part).sum::<u32>();
        self.offset + if self.swizzled { swizzle(index) } else { index }
    }
}

/// Up to eight lookups as byte shuffles; missing ones look `nothing` up.
fn shuffle(lookups: &[Lookup], nothing: u32) -> Shuffle {
    let mut shuffle =
        Shuffle { first: [NO_CELL; 32], second: [NO_CELL; 32], offsets: [nothing; 8] };
    for (index, lookup) in lookups.iter().enumerate() {
        shuffle.offsets[index] = lookup.offset;
        for (place, (shift, _)) in lookup.digits.iter().rev().enumerate() {
            let half = if place % 2 == 0 { &mut shuffle.first } else { &mut shuffle.second };
            half[4 * index + place / 2] = (shift / 4) as u8;
        }
    }
    shuffle
}

/// Spreads the lines of a table over the cache sets, which would otherwise be chosen by two or
/// three cells of very uneven values. The 16 weights of a line stay together; the map is one to
/// one because each bit is changed by higher bits only.
pub(crate) const fn swizzle(index: u32) -> u32 {
    index ^ (index >> 6) & !15
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named::named;
    use maxtile_game::{Random, Shape};

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
        let names = ["wu-4x6", "matsuzaki-8x6", "jaskowski-42-33", "szubert-17x4", "whole-2x3"];
        for spec in names.map(|name| named(name).unwrap()).into_iter().chain([odd()]) {
            let name = &spec.name;
            let plan = Plan::new(&spec).unwrap();
            let shape: Shape = spec.board.parse().unwrap();
            let places: Vec<Vec<u32>> =
                (0..spec.tuples.len()).map(|table| plan.places(table).collect()).collect();
            for _ in 0..300 {
                let boards = [(); 3].map(|()| {
                    let cell = |_| random.below(spec.values as u64);
                    (0..shape.cells()).map(cell).fold(0, |word, e| word << 4 | e)
                });
                let mut out = vec![[0; 8]; boards.len() * plan.octets()];
                plan.indices(&boards, &mut out);
                for (&board, out) in boards.iter().zip(out.chunks(plan.octets())) {
                    let (found, filling) = out.as_flattened().split_at(plan.active);
                    let mut found = found.to_vec();
                    found.sort_unstable();
                    assert_eq!(found, by_definition(&spec, &places, board), "{name}");
                    assert!(filling.iter().all(|&i| i == plan.nothing));
                }
            }
        }
    }

    /// With tuples of odd length, and not a multiple of eight lookups.
    fn odd() -> Spec {
        Spec::classic("odd", &[&[0, 5, 10], &[3, 2, 1, 0, 7], &[15]], 16, false)
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vector_and_portable_indices_are_the_same() {
        let mut random = Random::new(9);
        let specs = ["wu-4x6", "matsuzaki-8x6", "jaskowski-42-33"].map(|n| named(n).unwrap());
        for (spec, layout) in
            specs.into_iter().zip([Layout::Paired; 3]).chain([(odd(), Layout::Nibbles)])
        {
            let plan = Plan::new(&spec).unwrap();
            assert_eq!((plan.layout, plan.shuffles.len()), (layout, plan.octets()));
            let mut one = vec![[0; 8]; 4 * plan.octets()];
            let mut two = one.clone();
            for _ in 0..10_000 {
                let boards = [(); 4].map(|()| random.next_u64());
                if !crate::unsafe_avx2::indices(&plan, &boards, &mut one) {
                    return;
                }
                plan.indices_portable(&boards, &mut two);
                assert_eq!(one, two, "{}", spec.name);
            }
        }
    }

    /// Features stand behind the tuples' lookups, before the filling.
    #[test]
    fn features_are_looked_up_behind_the_tuples() {
        let mut random = Random::new(6);
        for name in ["yeh-5x6-features", "yeh-5x6-combined", "wu-4x6-large"] {
            let spec = named(name).unwrap();
            let plan = Plan::new(&spec).unwrap();
            let tuples = Plan::new(&Spec { features: Vec::new(), ..spec.clone() }).unwrap();
            for _ in 0..200 {
                let boards = [(); 4].map(|()| random.next_u64());
                let mut all = vec![[0; 8]; 4 * plan.octets()];
                let mut some = vec![[0; 8]; 4 * tuples.octets()];
                plan.indices(&boards, &mut all);
                tuples.indices(&boards, &mut some);
                for (place, &board) in boards.iter().enumerate() {
                    let all = all[place * plan.octets()..][..plan.octets()].as_flattened();
                    let some = some[place * tuples.octets()..][..tuples.octets()].as_flattened();
                    assert_eq!(all[..tuples.active], some[..tuples.active]);
                    let mut offset = tuples.stage;
                    let mut expected = Vec::new();
                    for feature in &spec.features {
                        expected.push(offset + feature.index(board));
                        offset += feature.weights();
                    }
                    expected.resize(all.len() - tuples.active, tuples.stage - 1);
                    assert_eq!(all[tuples.active..], expected, "{name}");
                    assert_eq!(offset, plan.stage);
                }
            }
            let last = spec.tables() - 1;
            let length = spec.features.last().unwrap().weights();
            assert_eq!(plan.table_len(last), length);
            assert!(plan.places(last).eq(plan.stage - length..plan.stage));
        }
    }

    #[test]
    fn places_are_distinct_and_within_memory() {
        let names = ["szubert-2x4-2x6", "lines-3x3", "whole-2x2"];
        for spec in names.map(|name| named(name).unwrap()).into_iter().chain([odd()]) {
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
