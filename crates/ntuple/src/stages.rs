//! Stages: several sets of weights for one game, and the rule that says which one judges a board.
//!
//! Two rules of the literature. Wu and Yeh split a game at the first time that certain tiles stand
//! together: a property of the game's history, since later merges hide it. Jaśkowski numbers the
//! stages by the large tiles a board holds: a property of the board alone.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How the weights of a network are divided over a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Stages {
    /// One set for the whole game.
    #[default]
    One,
    /// 2^bits stages by the tiles from the exponent `top` downwards (Jaśkowski 2017).
    Tiles {
        /// How many tiles are looked at.
        bits: u8,
        /// The exponent of the largest of them.
        top: u8,
    },
    /// A new stage when all tiles of the next list (exponents, the largest first) have stood
    /// together for the first time (Wu et al. 2014, Yeh et al. 2016).
    History(Vec<Vec<u8>>),
    /// One set for each move: Q-learning (Szubert & Jaśkowski 2014).
    Moves,
    /// One set for each side of a duel: after slides, after placements.
    Sides,
}

/// Texts that stand for lists of split times.
const NAMED: [(&str, &str); 5] = [
    ("wu", "16384 16384+8192"),
    ("yeh-1", "8192 16384 16384+8192"),
    ("yeh-2", "16384 16384+8192 16384+8192+4096"),
    ("yeh-3", "16384 16384+8192 16384+8192+4096 16384+8192+4096+2048"),
    ("yeh-4", "16384 16384+8192 16384+8192+4096 16384+8192+4096+2048 16384+8192+4096+2048+1024"),
];

/// The largest number of stages.
pub const MAX_STAGES: usize = 32;

impl Stages {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Stages::One => 1,
            Stages::Tiles { bits, .. } => 1 << bits,
            Stages::History(splits) => splits.len() + 1,
            Stages::Moves => 4,
            Stages::Sides => 2,
        }
    }

    /// The stage of a board of nibbles in a game that has been in stage `before`.
    pub fn of(&self, word: u64, before: usize) -> usize {
        match self {
            Stages::One | Stages::Moves | Stages::Sides => 0,
            Stages::Tiles { bits, top } => tile_stage(word, *bits, *top),
            Stages::History(splits) => {
                let later = splits.iter().skip(before).rposition(|split| stand(word, split));
                later.map_or(before, |place| before + place + 1)
            }
        }
    }
}

impl Stages {
    /// Can a board of this stage have these among its cells? Where not, nobody ever asks for what
    /// such cells are worth in it.
    pub fn may_hold(&self, stage: usize, cells: u64) -> bool {
        match self {
            // Of a later stage for the part is of a later stage for the whole.
            Stages::History(_) => self.of(cells, stage) == stage,
            _ => true,
        }
    }
}

/// From the top down, every copy of a tile beyond the first counts as one of half its value. The
/// stage is the binary number of which tiles there then are.
fn tile_stage(word: u64, bits: u8, top: u8) -> usize {
    let mut counts = [0u32; 16];
    for cell in 0..16 {
        let exponent = (word >> (4 * cell) & 15) as usize;
        // Tiles above the top are present in it.
        counts[exponent.min(top as usize)] += 1;
    }
    let (mut stage, mut carried) = (0, 0);
    for exponent in (0..=top as usize).rev().take(bits as usize) {
        let count = counts[exponent] + carried;
        stage = 2 * stage + usize::from(count > 0);
        carried = count.saturating_sub(1);
    }
    stage
}

/// Have these tiles stood together, as far as the board tells? Play from the usual start reaches the
/// tiles themselves first, so this happens at the same time, and it also holds of later boards.
#[inline]
fn stand(word: u64, split: &[u8]) -> bool {
    // The n-th largest tile is at least this large where n tiles are. A tile above the largest was
    // made of two of them, the second of two of the next, and so on down: all stood there, one each
    // (but for two of them made by one slide), and a search, which sees no history, must know it.
    split.iter().zip(1..).all(|(&wanted, count)| at_least(word, wanted).count_ones() >= count)
        || split[0] < 15 && at_least(word, split[0] + 1) != 0
}

/// 1 in every nibble, and the top bit of every nibble.
pub(crate) const EACH: u64 = 0x1111_1111_1111_1111;
pub(crate) const TOP: u64 = 8 * EACH;

/// The top bit of every nibble that is at least `least`.
#[inline]
fn at_least(word: u64, least: u8) -> u64 {
    // No nibble borrows from the next: 8 and more less 7 and less.
    let rest = (word | TOP) - u64::from(least & 7) * EACH;
    if least < 8 { (word | rest) & TOP } else { word & rest & TOP }
}

impl fmt::Display for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stages::One => f.write_str("one"),
            Stages::Tiles { bits, top: 15 } => write!(f, "tiles-{bits}"),
            Stages::Tiles { bits, top } => write!(f, "tiles-{bits}@{}", 1u32 << top),
            Stages::Moves => f.write_str("moves"),
            Stages::Sides => f.write_str("sides"),
            Stages::History(splits) => {
                let tiles = |split: &Vec<u8>| {
                    let tiles: Vec<String> =
                        split.iter().map(|e| (1u32 << e).to_string()).collect();
                    tiles.join("+")
                };
                let splits: Vec<String> = splits.iter().map(tiles).collect();
                f.write_str(&splits.join(" "))
            }
        }
    }
}

impl FromStr for Stages {
    type Err = StagesError;

    fn from_str(text: &str) -> Result<Stages, StagesError> {
        let text = NAMED.iter().find(|(name, _)| *name == text).map_or(text, |(_, splits)| splits);
        match text {
            "one" => return Ok(Stages::One),
            "moves" => return Ok(Stages::Moves),
            "sides" => return Ok(Stages::Sides),
            _ => {}
        }
        if let Some(rest) = text.strip_prefix("tiles-") {
            let (bits, top) = rest.split_once('@').unwrap_or((rest, "32768"));
            let bits = bits.parse().ok().filter(|bits| (1..=5).contains(bits));
            let stages = bits.zip(exponent(top)).map(|(bits, top)| Stages::Tiles { bits, top });
            let room =
                |stages: &Stages| matches!(stages, Stages::Tiles { bits, top } if bits <= top);
            return stages.filter(room).ok_or(StagesError);
        }
        let split = |text: &str| -> Option<Vec<u8>> {
            let tiles: Vec<u8> = text.split('+').map(exponent).collect::<Option<_>>()?;
            tiles.is_sorted_by(|a, b| a > b).then_some(tiles)
        };
        let splits: Option<Vec<Vec<u8>>> = text.split_whitespace().map(split).collect();
        let splits = splits.filter(|s| !s.is_empty() && s.len() < MAX_STAGES);
        splits.map(Stages::History).ok_or(StagesError)
    }
}

/// The exponent of a tile from 4 to 32768.
fn exponent(tile: &str) -> Option<u8> {
    let tile: u32 = tile.parse().ok()?;
    (tile.is_power_of_two() && (4..=32768).contains(&tile)).then(|| tile.ilog2() as u8)
}

impl From<Stages> for String {
    fn from(stages: Stages) -> String {
        stages.to_string()
    }
}

impl TryFrom<String> for Stages {
    type Error = StagesError;

    fn try_from(text: String) -> Result<Stages, StagesError> {
        text.parse()
    }
}

/// A text that names no stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StagesError;

impl fmt::Display for StagesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "stages are one, wu, yeh-1 to yeh-4, tiles-BITS, tiles-BITS@TILE, or split times like \
             \"2048 2048+1024\"",
        )
    }
}

impl std::error::Error for StagesError {}

#[cfg(test)]
mod tests {
    use super::*;
    use maxtile_game::Grid;

    #[test]
    fn nibbles_are_compared_all_at_once() {
        let mut random = maxtile_game::Random::new(3);
        for _ in 0..2000 {
            let word = random.next_u64();
            for least in 0..16 {
                let large = (0..16).filter(|cell| word >> (4 * cell) & 15 >= least).count();
                assert_eq!(
                    at_least(word, least as u8).count_ones() as usize,
                    large,
                    "{word:x} {least}"
                );
            }
        }
    }

    fn word(text: &str) -> u64 {
        text.parse::<Grid>().unwrap().nibbles()
    }

    /// Jaśkowski's rule with g = 4: 32768, 16384, 8192, 4096.
    #[test]
    fn tile_stages_by_hand() {
        let stages: Stages = "tiles-4".parse().unwrap();
        let of = |text| stages.of(word(text), 0);
        assert_eq!(stages.count(), 16);
        assert_eq!(of("b000000000000000"), 0b0000);
        assert_eq!(of("c000000000000000"), 0b0001);
        assert_eq!(of("ec00000000000000"), 0b0101);
        assert_eq!(of("fdc0000000000000"), 0b1011);
        // The second 16384 counts as an 8192.
        assert_eq!(of("ee00000000000000"), 0b0110);
        // Three of 8192: one, and two of 4096, of which one goes below what is looked at.
        assert_eq!(of("ddd0000000000000"), 0b0011);
        // Two of 16384 and one of 8192: the copy makes a second 8192, which counts as a 4096.
        assert_eq!(of("eed0000000000000"), 0b0111);
        // 2048s are not looked at, however many.
        assert_eq!(of("bbbb000000000000"), 0b0000);
        // It is a property of the board: history does not matter.
        assert_eq!(stages.of(word("b000000000000000"), 7), 0);
        let small: Stages = "tiles-2@1024".parse().unwrap();
        assert_eq!(small.of(word("a900000000000000"), 0), 0b11);
        assert_eq!(small.of(word("b000000000000000"), 0), 0b10, "a 2048 stands for a 1024");
        assert_eq!(small.of(word("bb00000000000000"), 0), 0b11);
    }

    /// Wu's rule: T16k and T16+8k.
    #[test]
    fn history_stages_by_hand() {
        let stages: Stages = "wu".parse().unwrap();
        assert_eq!(stages.count(), 3);
        let game = [
            ("ddc0000000000000", 0),
            ("ec00000000000000", 1),
            ("ecba000000000000", 1),
            ("ed00000000000000", 2),
            // The 8192s have merged: by the board alone this were stage 1.
            ("ee00000000000000", 2),
            ("f000000000000000", 2),
            ("fc00000000000000", 2),
        ];
        let mut stage = 0;
        for (board, expected) in game {
            stage = stages.of(word(board), stage);
            assert_eq!(stage, expected, "{board}");
        }
        // A lone 32768 tells its history: it was two of 16384, and the second was two of 8192.
        assert_eq!(stages.of(word("f000000000000000"), 0), 2);
        assert_eq!(stages.of(word("fcb0000000000000"), 0), 2);
        // Two splits can be passed at once.
        assert_eq!(stages.of(word("ed00000000000000"), 0), 2);
    }

    #[test]
    fn what_a_stage_cannot_hold() {
        let stages: Stages = "wu".parse().unwrap();
        let may = |cells| [0, 1, 2].map(|stage| stages.may_hold(stage, word(cells)));
        assert_eq!(may("ddcba90000000000"), [true; 3]);
        assert_eq!(may("00e0000000000000"), [false, true, true]);
        assert_eq!(may("0d0000000000000e"), [false, false, true]);
        assert_eq!(may("f000000000000000"), [false, false, true]);
        assert!("tiles-2".parse::<Stages>().unwrap().may_hold(0, word("f000000000000000")));
        // No part of a board says more than the whole.
        let mut random = maxtile_game::Random::new(5);
        for _ in 0..20_000 {
            let board = random.next_u64() | random.next_u64() & random.next_u64();
            let part = board & 0x0fff_0000_0fff_0000;
            let stage = stages.of(board, 0);
            assert!(stages.may_hold(stage, part), "{board:x}");
        }
    }

    #[test]
    fn strategies_of_yeh() {
        let count = |name: &str| name.parse::<Stages>().unwrap().count();
        assert_eq!(["yeh-1", "yeh-2", "yeh-3", "yeh-4"].map(count), [4, 4, 5, 6]);
        let stages: Stages = "yeh-3".parse().unwrap();
        assert_eq!(stages.of(word("edc0000000000000"), 0), 3);
        assert_eq!(stages.of(word("edcb000000000000"), 3), 4);
        let stages: Stages = "yeh-1".parse().unwrap();
        assert_eq!(stages.of(word("d000000000000000"), 0), 1);
        assert_eq!(stages.of(word("e000000000000000"), 1), 2);
    }

    #[test]
    fn texts_read_back() {
        for text in ["one", "moves", "tiles-4", "tiles-3@2048", "2048 2048+1024"] {
            assert_eq!(text.parse::<Stages>().unwrap().to_string(), text);
        }
        let bad = ["", "two", "tiles-0", "tiles-6", "tiles-2@3000", "2048+4096", "2048 x", "65536"];
        for text in bad {
            assert_eq!(text.parse::<Stages>(), Err(StagesError), "{text}");
        }
    }
}
