//! The transposition table of alpha-beta: what is known of a position, as a value or a bound, and
//! the best ply.
//!
//! An entry holds the whole position, so there are no false hits, and it cuts only where the
//! remaining depth is the same: the value of a node is a function of the node and the depth, and
//! what the table holds changes the speed of a search but never its result. The best ply is used at
//! any depth. Positions with tiles of 65536 and more are not kept.
//!
//! An entry is two words as in the table of the ordinary search: the nibbles, combined with the
//! second word by exclusive or; and value, depth, kind of bound, ply, side and generation.

use std::io;
use std::sync::atomic::Ordering::Relaxed;

use maxtile_game::Grid;

use super::points::Points;
use crate::unsafe_buckets::{Bucket, Buckets};

/// What a value says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    /// The node is worth at least so much.
    AtLeast,
    /// The node is worth at most so much.
    AtMost,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) value: Points,
    pub(super) bound: Bound,
    pub(super) depth: u8,
    /// The best ply as a small number, whoever plays it.
    pub(super) ply: u8,
}

impl Known {
    /// Does this answer a question with the same depth and this window?
    pub(super) fn answers(&self, depth: u8, alpha: Points, beta: Points) -> bool {
        self.depth == depth
            && match self.bound {
                Bound::Exact => true,
                Bound::AtLeast => self.value >= beta,
                Bound::AtMost => self.value <= alpha,
            }
    }
}

const GENERATIONS: u8 = 64;
/// Values that fit: 43 bits with the sign.
const LARGEST: Points = (1 << 42) - 1;

pub(super) struct Memory {
    buckets: Buckets,
    shift: u32,
    generation: u8,
}

impl Memory {
    /// About so many bytes.
    pub(super) fn new(bytes: usize) -> io::Result<Memory> {
        let bits = (bytes / size_of::<Bucket>()).max(1).ilog2();
        Ok(Memory { buckets: Buckets::zeroed(bits)?, shift: 64 - bits, generation: 0 })
    }

    pub(super) fn clear(&mut self) {
        for index in 0..self.buckets.len() {
            self.buckets.at(index).0.iter().flatten().for_each(|word| word.store(0, Relaxed));
        }
    }

    /// Entries of older searches give way first.
    pub(super) fn next_generation(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    fn index(&self, grid: Grid, attacks: bool) -> usize {
        let word = grid.nibbles() ^ (u64::from(attacks) << 63);
        let mixed = (word ^ word >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed.checked_shr(self.shift).unwrap_or(0) as usize
    }

    pub(super) fn get(&self, grid: Grid, attacks: bool) -> Option<Known> {
        if grid.high() != 0 {
            return None;
        }
        for [check, data] in &self.buckets.at(self.index(grid, attacks)).0 {
            let data = data.load(Relaxed);
            if holds(data, attacks) && check.load(Relaxed) ^ data == grid.nibbles() {
                return Some(unpacked(data));
            }
        }
        None
    }

    pub(super) fn put(&self, grid: Grid, attacks: bool, known: Known) {
        if grid.high() != 0 || known.value.abs() > LARGEST {
            return;
        }
        let entries = &self.buckets.at(self.index(grid, attacks)).0;
        let mut place = &entries[0];
        let mut least = u32::MAX;
        for entry in entries {
            let data = entry[1].load(Relaxed);
            let same = holds(data, attacks) && entry[0].load(Relaxed) ^ data == grid.nibbles();
            if data == 0 || same {
                place = entry;
                break;
            }
            let age = (GENERATIONS + self.generation - (data >> 58) as u8) % GENERATIONS;
            let worth = ((GENERATIONS - age) as u32) << 8 | (data >> 43) as u32 & 63;
            if worth < least {
                (place, least) = (entry, worth);
            }
        }
        let data = packed(known) | u64::from(attacks) << 57 | u64::from(self.generation) << 58;
        place[0].store(grid.nibbles() ^ data, Relaxed);
        place[1].store(data, Relaxed);
    }
}

/// Is this an entry of that side? Empty ones have no kind of bound.
fn holds(data: u64, attacks: bool) -> bool {
    data >> 49 & 3 != 0 && (data >> 57 & 1 == 1) == attacks
}

/// Bits 0..43 value, 43..49 depth, 49..51 bound, 51..57 ply, 57 side, 58..64 generation.
fn packed(known: Known) -> u64 {
    let bound = match known.bound {
        Bound::Exact => 1,
        Bound::AtLeast => 2,
        Bound::AtMost => 3,
    };
    let value = known.value as u64 & ((1 << 43) - 1);
    value | u64::from(known.depth) << 43 | bound << 49 | u64::from(known.ply) << 51
}

fn unpacked(data: u64) -> Known {
    let bound = match data >> 49 & 3 {
        1 => Bound::Exact,
        2 => Bound::AtLeast,
        _ => Bound::AtMost,
    };
    // The sign is the highest of 43 bits.
    let value = ((data << 21) as i64) >> 21;
    Known { value, bound, depth: (data >> 43 & 63) as u8, ply: (data >> 51 & 63) as u8 }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({} buckets)", self.buckets.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maxtile_game::{Random, Shape};

    #[test]
    fn finds_what_was_put_and_nothing_else() {
        let memory = Memory::new(1 << 14).unwrap();
        let mut random = Random::new(3);
        let bounds = [Bound::Exact, Bound::AtLeast, Bound::AtMost];
        let mut put = std::collections::HashMap::new();
        for _ in 0..5_000 {
            let cells: Vec<u8> = (0..16).map(|_| random.below(4) as u8 * 3).collect();
            let grid = Grid::from_exponents(Shape::CLASSIC, &cells).unwrap();
            let attacks = random.below(2) == 1;
            let known = Known {
                value: random.below(1 << 43) as Points - (1 << 42),
                bound: bounds[random.below(3) as usize],
                depth: random.below(64) as u8,
                ply: random.below(64) as u8,
            };
            memory.put(grid, attacks, known);
            if known.value.abs() <= LARGEST {
                assert_eq!(memory.get(grid, attacks), Some(known));
                put.insert((grid, attacks), known);
            }
        }
        for ((grid, attacks), known) in &put {
            assert!(memory.get(*grid, *attacks).is_none_or(|found| found == *known));
            let other = memory.get(*grid, !*attacks);
            assert_eq!(other, put.get(&(*grid, !*attacks)).copied().filter(|_| other.is_some()));
        }
    }

    #[test]
    fn bounds_answer_only_what_they_decide() {
        let known = |bound| Known { value: 10, bound, depth: 3, ply: 0 };
        assert!(known(Bound::Exact).answers(3, 0, 100));
        assert!(!known(Bound::Exact).answers(2, 0, 100), "another depth");
        assert!(
            known(Bound::AtLeast).answers(3, 0, 10) && !known(Bound::AtLeast).answers(3, 0, 11)
        );
        assert!(known(Bound::AtMost).answers(3, 10, 20) && !known(Bound::AtMost).answers(3, 9, 20));
    }
}
