//! Features that are not tuples: counts over the whole 4×4 board (Yeh et al. 2016).
//!
//! Each is one lookup in one table, the same for all symmetric images. The indices are those of
//! the program that the authors published.

use serde::{Deserialize, Serialize};

/// A count over the board that a network looks up beside its tuples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feature {
    /// How many tiles of 2048, 4096, … 32768 there are, two bits for each.
    LargeTiles,
    /// How many cells are empty.
    Empty,
    /// How many different tiles there are.
    Distinct,
    /// How many neighbours are equal; two empty neighbours count.
    Mergeable,
    /// How many neighbours are a tile and its double; an empty cell beside a 2 counts.
    Doubles,
    /// Large tiles, empty cells, equal neighbours (here without the empty ones) and doubles in
    /// one index: what the early stages of the published program use.
    Combined,
}

/// The cells of the 24 neighbours: beside each other, then above each other.
const NEIGHBOURS: [(u32, u32); 24] = {
    let (mut all, mut n, mut cell) = ([(0, 0); 24], 0, 0);
    while cell < 16 {
        if cell % 4 < 3 {
            all[n] = (4 * cell, 4 * cell + 4);
            n += 1;
        }
        if cell < 12 {
            all[n] = (4 * cell, 4 * cell + 16);
            n += 1;
        }
        cell += 1;
    }
    all
};

impl Feature {
    /// How many weights its table has.
    pub const fn weights(self) -> u32 {
        match self {
            Feature::LargeTiles => 1 << 10,
            Feature::Empty | Feature::Distinct => 16,
            Feature::Mergeable | Feature::Doubles => 24,
            Feature::Combined => 1 << 24,
        }
    }

    /// Its index on a board of nibbles. A count beyond the table is the table's last one.
    pub(crate) fn index(self, word: u64) -> u32 {
        let index = match self {
            Feature::LargeTiles => large_tiles(word),
            Feature::Empty => empty(word),
            Feature::Distinct => {
                let set = (0..16).fold(0u32, |set, cell| set | 1 << (word >> (4 * cell) & 15));
                (set >> 1).count_ones()
            }
            Feature::Mergeable => count(word, |a, b| a == b),
            Feature::Doubles => count(word, |a, b| a.abs_diff(b) == 1),
            Feature::Combined => {
                let mergeable = count(word, |a, b| a == b && a != 0);
                let doubles = count(word, |a, b| a.abs_diff(b) == 1);
                large_tiles(word) << 14 | empty(word).min(15) << 10 | mergeable << 5 | doubles
            }
        };
        index.min(self.weights() - 1)
    }
}

fn large_tiles(word: u64) -> u32 {
    let exponents = (0..16).map(|cell| (word >> (4 * cell) & 15) as u32);
    let sum: u32 = exponents.filter(|&e| e >= 11).map(|e| 1 << (2 * (e - 11))).sum();
    sum.min(1023)
}

fn empty(word: u64) -> u32 {
    (0..16).map(|cell| word >> (4 * cell) & 15).filter(|&exponent| exponent == 0).count() as u32
}

fn count(word: u64, good: impl Fn(u64, u64) -> bool) -> u32 {
    let pair = |&&(a, b): &&(u32, u32)| good(word >> a & 15, word >> b & 15);
    NEIGHBOURS.iter().filter(pair).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use maxtile_game::{Afterstate, Symmetry};

    fn afterstate(text: &str) -> Afterstate {
        text.parse().unwrap()
    }

    const ALL: [Feature; 6] = [
        Feature::LargeTiles,
        Feature::Empty,
        Feature::Distinct,
        Feature::Mergeable,
        Feature::Doubles,
        Feature::Combined,
    ];

    /// By hand:
    /// ```text
    /// 32768  2048  2048     4
    ///     2     2     4     .
    ///     .     .     .     .
    ///     .     .     .     .
    /// ```
    #[test]
    fn indices_by_hand() {
        let word = afterstate("fbb2112000000000").nibbles();
        let index = |feature: Feature| feature.index(word);
        // Two of 2048 and one of 32768: 2 + 4^4.
        assert_eq!(index(Feature::LargeTiles), 2 + 256);
        assert_eq!(index(Feature::Empty), 9);
        // 2, 4, 2048, 32768.
        assert_eq!(index(Feature::Distinct), 4);
        // 2048 beside 2048, 2 beside 2. Below, of two rows of empty cells: 3 + 3 beside each
        // other, 4 above each other, and the empty cell at the end of the second row.
        assert_eq!(index(Feature::Mergeable), 2 + 10 + 1);
        // 2 beside 4 in the second row; under the two 2s there are empty cells.
        assert_eq!(index(Feature::Doubles), 1 + 2);
        assert_eq!(index(Feature::Combined), 258 << 14 | 9 << 10 | 2 << 5 | 3);
    }

    #[test]
    fn every_index_is_within_its_table_and_the_same_for_all_images() {
        let boards = [
            "0000000000000000",
            "1111111111111111",
            "fedcba9876543210",
            "ffff000011112222",
            "1212212112122121",
        ];
        for feature in ALL {
            for text in boards {
                let board = afterstate(text);
                let index = feature.index(board.nibbles());
                assert!(index < feature.weights(), "{feature:?} of {text}");
                for symmetry in Symmetry::ALL {
                    let image = board.transformed(symmetry).nibbles();
                    assert_eq!(feature.index(image), index, "{feature:?} of {text}");
                }
            }
        }
    }
}
