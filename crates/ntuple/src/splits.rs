//! Split times as masks, for those who ask of every leaf of a search which set of weights judges it: a search of three
//! plies takes a tenth less time than with [`Stages::of`] (docs/diary.md).

use crate::stages::{EACH, Stages, TOP};

/// What [`Stages::of`] says of a board without a history, in a few instructions.
#[derive(Debug)]
pub(crate) struct Splits(Vec<Split>);

/// Tiles that must have stood together: one at least as large as the first, `count` at least as large as the last; or one
/// larger than the first. Each tile as what leaves the top bit of a nibble when it is taken from 8 and more.
#[derive(Debug)]
struct Split {
    first: u64,
    last: u64,
    count: u32,
    larger: u64,
    /// 0 where there is no larger tile.
    any_larger: u64,
}

impl Splits {
    /// `None` where the stages are of another kind, or their tiles are small or more than two.
    pub(crate) fn of(stages: &Stages) -> Option<Splits> {
        let Stages::History(splits) = stages else { return None };
        let split = |tiles: &Vec<u8>| {
            let (&first, &last) = (tiles.first()?, tiles.last()?);
            let taken = |tile: u8| u64::from(tile & 7) * EACH;
            (tiles.len() <= 2 && last >= 8).then(|| Split {
                first: taken(first),
                last: taken(last),
                count: tiles.len() as u32,
                larger: taken(first + 1),
                any_larger: if first < 15 { TOP } else { 0 },
            })
        };
        splits.iter().map(split).collect::<Option<_>>().map(Splits)
    }

    /// The stage of a board.
    #[inline(always)]
    pub(crate) fn stage(&self, word: u64) -> usize {
        // No nibble borrows from the next: 8 and more less 7 and less. What was below 8 does not count.
        let (high, lifted) = (word & TOP, word | TOP);
        let at_least = |taken: u64| high & (lifted - taken);
        let stands = |split: &Split| {
            at_least(split.first) != 0 && at_least(split.last).count_ones() >= split.count
                || at_least(split.larger) & split.any_larger != 0
        };
        self.0.iter().rposition(stands).map_or(0, |place| place + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maxtile_game::Random;

    #[test]
    fn masks_say_what_the_description_says() {
        let mut random = Random::new(3);
        for text in ["wu", "16384 16384+8192", "32768", "2048 2048+1024 4096", "256 32768+16384"] {
            let stages: Stages = text.parse().unwrap();
            let splits = Splits::of(&stages).unwrap();
            let mut seen = vec![0; stages.count()];
            for _ in 0..20_000 {
                // Few large tiles among small ones.
                let (mut word, large) =
                    (random.next_u64() & 0x7777_7777_7777_7777, random.below(4));
                for _ in 0..large {
                    let shift = 4 * random.below(16);
                    word = word & !(15 << shift) | (8 + random.below(8)) << shift;
                }
                let stage = splits.stage(word);
                assert_eq!(stage, stages.of(word, 0), "{text} {word:016x}");
                seen[stage] += 1;
            }
            assert!(seen.iter().all(|&count| count > 0), "{text} {seen:?}");
        }
        for text in ["one", "tiles-4", "128", "16384+8192+4096"] {
            assert!(Splits::of(&text.parse().unwrap()).is_none(), "{text}");
        }
    }
}
