//! How boards become indices: the program that a network's description is compiled to.
//!
//! The lookups of a board come in eights, the width of a vector, the last eight filled up with
//! lookups of a weight that is always zero.

use crate::spec::{Spec, SpecError};

/// The places of eight weights.
pub(crate) type Octet = [u32; 8];

/// What turns boards into indices, and natural indices into places in memory.
pub(crate) struct Plan {
    /// Number of active weights of a board.
    pub(crate) active: usize,
    /// Length of the memory that is indexed. Its last weight belongs to no table.
    pub(crate) memory: usize,
    pub(crate) layout: Layout,
    tables: Vec<Table>,
    lookups: Vec<Lookup>,
    /// The same lookups for the vector form; none where cells have fewer than 16 values.
    pub(crate) shuffles: Vec<Shuffle>,
}

/// Where a tuple's weights lie.
struct Table {
    offset: u32,
    values: u32,
    /// For each digit of the natural index, what its values add to the index in memory.
    digits: Vec<Digit>,
    swizzled: bool,
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
            tables.push(Table { offset, values, digits, swizzled: bytes });
            offset += values.pow(len) + if bytes { TABLE_GAP } else { 0 };
        }
        let spec_lookups = spec.lookups();
        let lookup = |(table, cells): &(usize, Vec<u8>)| {
            let Table { offset, digits, swizzled, .. } = &tables[*table];
            let digits = cells.iter().zip(digits).map(|(&c, &digit)| (4 * c as u32, digit));
            Lookup { offset: *offset, digits: digits.collect(), swizzled: *swizzled }
        };
        let lookups: Vec<Lookup> = spec_lookups.iter().map(lookup).collect();
        let shuffle = |eight: &[Lookup]| shuffle(eight, offset);
        let shuffles = lookups.chunks(8).filter(|_| bytes).map(shuffle).collect();
        let (active, memory) = (lookups.len(), offset as usize + 1);
        Ok(Plan { active, memory, layout, tables, lookups, shuffles })
    }

    /// Number of octets of a board.
    #[inline(always)]
    pub(crate) fn octets(&self) -> usize {
        self.active.div_ceil(8)
    }

    /// The indices of boards, one after the other.
    #[inline(always)]
    pub(crate) fn indices(&self, boards: &[u64], out: &mut [Octet]) {
        #[cfg(target_arch = "x86_64")]
        if crate::unsafe_avx2::indices(self, boards, out) {
            return;
        }
        self.indices_portable(boards, out);
    }

    fn indices_portable(&self, boards: &[u64], out: &mut [Octet]) {
        for (&board, out) in boards.iter().zip(out.chunks_mut(self.octets())) {
            let out = out.as_flattened_mut();
            out[self.active..].fill(self.memory as u32 - 1);
            for (index, lookup) in out.iter_mut().zip(&self.lookups) {
                *index = lookup.index(board);
            }
        }
    }

    /// Where the weights of a table lie in memory, in natural order: the first cell is the lowest
    /// digit. Millions of them, so the contributions of the lower and of the higher digits are
    /// worked out once each.
    pub(crate) fn places(&self, table: usize) -> impl Iterator<Item = u32> {
        let &Table { offset, values, ref digits, swizzled } = &self.tables[table];
        let (low, high) = digits.split_at(digits.len() / 2);
        let (low, high) = (contributions(values, low), contributions(values, high));
        let sums = high.into_iter().flat_map(move |h| low.clone().into_iter().map(move |l| h + l));
        sums.map(move |index| offset + if swizzled { swizzle(index) } else { index })
    }

    /// How many weights a table has.
    pub(crate) fn table_len(&self, table: usize) -> u32 {
        let table = &self.tables[table];
        table.values.pow(table.digits.len() as u32)
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
                    assert!(filling.iter().all(|&i| i as usize == plan.memory - 1));
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
