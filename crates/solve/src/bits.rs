//! Sets of boards: one bit for each number of a layer, and the directory that counts them.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::space::Words;

/// A set of boards of one layer that threads fill together.
pub(crate) struct Bits(Box<[AtomicU64]>);

impl Bits {
    pub(crate) fn new(words: usize) -> Bits {
        Bits((0..words).map(|_| AtomicU64::new(0)).collect())
    }

    pub(crate) fn of(words: Vec<u64>) -> Bits {
        Bits(words.into_iter().map(AtomicU64::new).collect())
    }

    pub(crate) fn words(&self) -> impl ExactSizeIterator<Item = u64> {
        self.0.iter().map(|word| word.load(Ordering::Relaxed))
    }

    /// Adds a board. Most are there already, so looking first saves the store, and with several
    /// threads the locked one.
    #[inline(always)]
    pub(crate) fn insert<const SHARED: bool>(&self, rank: u32) {
        let word = &self.0[rank as usize / 64];
        let bit = 1 << (rank % 64);
        let old = word.load(Ordering::Relaxed);
        if old & bit == 0 {
            if SHARED {
                word.fetch_or(bit, Ordering::Relaxed);
            } else {
                word.store(old | bit, Ordering::Relaxed);
            }
        }
    }

    /// Adds the boards of another set. No other thread may be adding any.
    pub(crate) fn join(&self, other: &Bits) {
        for (word, more) in self.0.iter().zip(other.words()) {
            word.store(word.load(Ordering::Relaxed) | more, Ordering::Relaxed);
        }
    }

    /// How many boards there are.
    pub(crate) fn count(&self) -> u64 {
        self.words().map(|word| u64::from(word.count_ones())).sum()
    }
}

impl Words for Bits {
    #[inline(always)]
    fn word(&self, index: usize) -> u64 {
        self.0[index].load(Ordering::Relaxed)
    }
}

/// A finished set that knows how many of its boards come before each.
pub(crate) struct Directory(Vec<[u64; 2]>);

impl Directory {
    pub(crate) fn new(words: impl Iterator<Item = u64>) -> Directory {
        let mut before = 0;
        let entry = |bits: u64| {
            let entry = [bits, before];
            before += u64::from(bits.count_ones());
            entry
        };
        Directory(words.map(entry).collect())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// How many boards there are.
    pub(crate) fn count(&self) -> usize {
        self.0.last().map_or(0, |&[bits, before]| before as usize + bits.count_ones() as usize)
    }

    /// How many boards come before the 64-bit word number `index`.
    pub(crate) fn before(&self, index: usize) -> usize {
        self.0.get(index).map_or_else(|| self.count(), |entry| entry[1] as usize)
    }

    /// The place of a board of the set among its boards.
    #[inline(always)]
    pub(crate) fn index(&self, rank: u32) -> usize {
        let [bits, before] = self.0[rank as usize / 64];
        debug_assert!(bits >> (rank % 64) & 1 == 1, "a board that was not enumerated");
        before as usize + (bits & ((1 << (rank % 64)) - 1)).count_ones() as usize
    }

    /// The number of the board at a place.
    pub(crate) fn rank(&self, place: usize) -> u32 {
        let index = self.0.partition_point(|&[_, before]| before as usize <= place) - 1;
        let [mut bits, before] = self.0[index];
        for _ in before as usize..place {
            bits &= bits - 1;
        }
        64 * index as u32 + bits.trailing_zeros()
    }

    pub(crate) fn entries(&self) -> &[[u64; 2]] {
        &self.0
    }

    pub(crate) fn from_entries(entries: Vec<[u64; 2]>) -> Directory {
        Directory(entries)
    }
}

impl Words for Directory {
    #[inline(always)]
    fn word(&self, index: usize) -> u64 {
        self.0[index][0]
    }
}
