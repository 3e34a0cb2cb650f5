//! The transposition table: values of chance nodes that were searched before.
//!
//! One table serves all root moves, all iterations, all threads and the moves that follow.
//!
//! An entry holds the whole afterstate, 64 bits of nibbles and 16 bits for tiles of 65536 and more,
//! so there are no false hits. It also holds the effort its value was computed with, remaining
//! plies and remaining probability, and is used for exactly that effort: the value of a node is a
//! function of afterstate and effort alone, and what the table holds changes the speed of a search
//! but never its result.
//!
//! The two words of an entry are written without a lock. The first is the nibbles combined by
//! exclusive or with the second, so halves of two different entries do not pass for a third: they
//! would have to agree in 64 bits by accident.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use maxtile_game::Afterstate;

use crate::effort::Effort;
use crate::unsafe_buckets::{Bucket, Buckets};

const GENERATIONS: u8 = 32;

/// A transposition table of fixed size, shared by the threads of a search.
pub struct Table {
    buckets: Buckets,
    shift: u32,
    generation: AtomicU8,
}

impl Table {
    /// A table of about this many bytes, rounded down to a power of two, at least a cache line.
    pub fn new(bytes: usize) -> io::Result<Table> {
        let bits = (bytes / size_of::<Bucket>()).max(1).ilog2();
        let buckets = Buckets::zeroed(bits)?;
        Ok(Table { buckets, shift: 64 - bits, generation: AtomicU8::new(0) })
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>()
    }

    /// A new search begins: entries of older ones give way first. Nothing is cleared.
    pub fn next_generation(&self) {
        self.generation.store((self.generation.load(Relaxed) + 1) % GENERATIONS, Relaxed);
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for index in 0..self.buckets.len() {
            self.buckets.at(index).0.iter().flatten().for_each(|word| word.store(0, Relaxed));
        }
    }

    #[inline(always)]
    fn index(&self, afterstate: Afterstate) -> usize {
        let word = afterstate.nibbles() ^ (afterstate.high() as u64) << 40;
        let mixed = (word ^ word >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // A table of one bucket shifts by 64.
        mixed.checked_shr(self.shift).unwrap_or(0) as usize
    }

    /// Asks for the place of an afterstate that will be looked up soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, afterstate: Afterstate) {
        self.buckets.prefetch(self.index(afterstate));
    }

    /// The value of a node searched with this effort.
    #[inline(always)]
    pub(crate) fn get(&self, afterstate: Afterstate, effort: Effort) -> Option<f32> {
        let want = meta(afterstate, effort);
        for [check, data] in &self.buckets.at(self.index(afterstate)).0 {
            let data = data.load(Relaxed);
            if data & META == want && check.load(Relaxed) ^ data == afterstate.nibbles() {
                return Some(f32::from_bits(data as u32));
            }
        }
        None
    }

    /// Keeps a value: in the place of the same node, else in an empty one, else in that of the
    /// oldest generation, and of these in that of the least effort.
    pub(crate) fn put(&self, afterstate: Afterstate, effort: Effort, value: f32) {
        let now = self.generation.load(Relaxed);
        let want = meta(afterstate, effort);
        let entries = &self.buckets.at(self.index(afterstate)).0;
        let mut place = &entries[0];
        let mut least = u32::MAX;
        for entry in entries {
            let data = entry[1].load(Relaxed);
            let same = data & META == want && entry[0].load(Relaxed) ^ data == afterstate.nibbles();
            if data == 0 || same {
                place = entry;
                break;
            }
            let age = (GENERATIONS + now - (data >> 59) as u8) % GENERATIONS;
            let worth = ((GENERATIONS - age) as u32) << 8 | u32::from(effort_of(data).rank());
            if worth < least {
                (place, least) = (entry, worth);
            }
        }
        let data = value.to_bits() as u64 | want | (now as u64) << 59;
        place[0].store(afterstate.nibbles() ^ data, Relaxed);
        place[1].store(data, Relaxed);
    }
}

/// Bits 32..59 of an entry's second word: tiles beyond the nibbles, plies, bits.
const META: u64 = 0x07ff_ffff_0000_0000;

#[inline(always)]
fn effort_of(data: u64) -> Effort {
    Effort { plies: (data >> 48) as u8 & 31, bits: (data >> 53) as u8 & 63 }
}

#[inline(always)]
fn meta(afterstate: Afterstate, effort: Effort) -> u64 {
    debug_assert!(effort.plies < 32 && effort.bits < 64);
    (afterstate.high() as u64) << 32 | (effort.plies as u64) << 48 | (effort.bits as u64) << 53
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} bytes)", self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maxtile_game::{Random, Shape};

    #[test]
    fn finds_what_was_put_and_nothing_else() {
        let table = Table::new(1 << 16).unwrap();
        let mut random = Random::new(5);
        let mut draw = || {
            let cells: Vec<u8> = (0..16).map(|_| random.below(12) as u8).collect();
            let plies = 1 + random.below(4) as u8;
            let bits = [63, 9][random.below(2) as usize];
            (Afterstate::from_exponents(Shape::CLASSIC, &cells).unwrap(), Effort { plies, bits })
        };
        for _ in 0..20_000 {
            let (node, effort) = draw();
            let value = (node.nibbles() % 100_003) as f32 + f32::from(effort.plies);
            table.put(node, effort, value);
            assert_eq!(table.get(node, effort), Some(value));
            let other = Effort { plies: effort.plies + 4, ..effort };
            assert_eq!(table.get(node, other), None);
            assert_eq!(table.get(node, Effort { bits: 3, ..effort }), None);
            let (other, effort) = draw();
            let expected = (other.nibbles() % 100_003) as f32 + f32::from(effort.plies);
            assert!(table.get(other, effort).is_none_or(|value| value == expected));
        }
    }

    #[test]
    fn large_tiles_are_told_from_their_nibbles() {
        let table = Table::new(64).unwrap();
        let effort = Effort::plies(1);
        let node = |text: &str| text.parse::<Afterstate>().unwrap();
        table.put(node("g100000000000000"), effort, 7.0);
        assert_eq!(table.get(node("0100000000000000"), effort), None);
        assert_eq!(table.get(node("g100000000000000"), effort), Some(7.0));
    }

    #[test]
    fn older_searches_and_lesser_efforts_give_way() {
        let table = Table::new(64).unwrap();
        let node = |i: u64| {
            let cells: Vec<u8> = (0..16).map(|cell| u8::from(cell as u64 == i)).collect();
            Afterstate::from_exponents(Shape::CLASSIC, &cells).unwrap()
        };
        let effort = Effort::plies;
        for i in 0..4 {
            table.put(node(i), effort(4 - i as u8), 1.0);
        }
        // The fourth has the least effort.
        table.put(node(4), effort(2), 1.0);
        assert_eq!(table.get(node(3), effort(1)), None);
        assert!(table.get(node(4), effort(2)).is_some());
        table.next_generation();
        // Of those of the older search, two have the least effort: the first of them goes.
        table.put(node(5), effort(1), 1.0);
        table.put(node(6), effort(1), 1.0);
        assert!(table.get(node(5), effort(1)).is_some(), "the newest stay");
        assert!(table.get(node(0), effort(4)).is_some(), "the deepest stay");
        assert_eq!(table.get(node(2), effort(2)).or(table.get(node(4), effort(2))), None);
    }
}
