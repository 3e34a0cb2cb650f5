//! What is computed backwards: for each aim the value of a dead state, of an afterstate from the
//! states behind it, and of a state from its afterstates.
//!
//! Rewards vanish: with the potential φ(board) = Σ (e - 1)·2^e every merge raises φ by exactly its
//! reward, and so does nothing else but a spawned 4, which brings 4. So W = V + φ is handed on
//! unchanged by slides, loses 4 by a 4, and is φ where the game ends.

use crate::slide::{ONES, fill, occupied};

/// Σ (e - 1)·2^e over the tiles of a word without fixed ones.
#[inline]
pub(crate) fn potential(word: u64) -> f64 {
    f64::from(word.to_le_bytes().iter().map(|&two| POTENTIAL[two as usize]).sum::<u32>())
}

/// Half the tile sum of a word without fixed tiles.
#[inline]
pub(crate) fn half_sum(word: u64) -> u32 {
    word.to_le_bytes().iter().map(|&two| HALF_SUM[two as usize]).sum()
}

/// By two cells at once.
static POTENTIAL: [u32; 256] = {
    let mut table = [0; 256];
    let mut two = 0;
    while two < 256 {
        let (a, b) = (two as u32 & 15, two as u32 >> 4);
        table[two] =
            (if a > 0 { (a - 1) << a } else { 0 }) + (if b > 0 { (b - 1) << b } else { 0 });
        two += 1;
    }
    table
};

static HALF_SUM: [u32; 256] = {
    let mut table = [0; 256];
    let mut two = 0;
    while two < 256 {
        table[two] = ((1 << (two & 15)) >> 1) + ((1 << (two >> 4)) >> 1);
        two += 1;
    }
    table
};

/// An aim.
pub(crate) trait Objective: Sync {
    /// What is known of a state or an afterstate.
    type Value: Copy + Default + Send + Sync;
    /// Spawns added up.
    type Sum: Copy;

    /// Does a board on which the goal stands need no more play?
    const SETTLES: bool = false;
    /// Is more handed on than what the player maximises, so that ties must be broken by a rule?
    const FOLLOWS: bool = false;

    /// Before the first spawn.
    fn nothing(&self) -> Self::Sum;
    /// One more empty cell: what a 2 and what a 4 there would lead to.
    fn cell(&self, sum: &mut Self::Sum, two: Self::Value, four: Self::Value);
    /// The afterstate.
    fn afterstate(&self, sum: Self::Sum, cells: u32, word: u64) -> Self::Value;
    /// A state without a move.
    fn dead(&self, word: u64) -> Self::Value;
    /// A board on which the goal stands.
    fn settled(&self, word: u64) -> Option<Self::Value> {
        let _ = word;
        None
    }
    /// What the player maximises.
    fn worth(&self, value: Self::Value) -> f64;
    /// The value that is worth so much, where the worth is all there is.
    fn of_worth(&self, worth: f64) -> Self::Value;
}

/// The largest expected score, as W.
pub(crate) struct Score {
    pub(crate) p4: f64,
}

impl Objective for Score {
    type Value = f64;
    type Sum = f64;

    #[inline(always)]
    fn nothing(&self) -> f64 {
        0.0
    }
    #[inline(always)]
    fn cell(&self, sum: &mut f64, two: f64, four: f64) {
        *sum += (1.0 - self.p4) * two + self.p4 * (four - 4.0);
    }
    #[inline(always)]
    fn afterstate(&self, sum: f64, cells: u32, _: u64) -> f64 {
        sum / f64::from(cells)
    }
    #[inline(always)]
    fn dead(&self, word: u64) -> f64 {
        potential(word)
    }
    #[inline(always)]
    fn worth(&self, value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn of_worth(&self, worth: f64) -> f64 {
        worth
    }
}

/// The largest chance of ever seeing a tile.
pub(crate) struct Reach {
    pub(crate) p4: f64,
    /// The tile's exponent.
    pub(crate) goal: u8,
}

impl Objective for Reach {
    type Value = f64;
    type Sum = f64;
    const SETTLES: bool = true;

    #[inline(always)]
    fn nothing(&self) -> f64 {
        0.0
    }
    #[inline(always)]
    fn cell(&self, sum: &mut f64, two: f64, four: f64) {
        *sum += (1.0 - self.p4) * two + self.p4 * four;
    }
    #[inline(always)]
    fn afterstate(&self, sum: f64, cells: u32, _: u64) -> f64 {
        sum / f64::from(cells)
    }
    #[inline(always)]
    fn dead(&self, _: u64) -> f64 {
        0.0
    }
    #[inline(always)]
    fn settled(&self, word: u64) -> Option<f64> {
        reaches(word, self.goal).then_some(1.0)
    }
    #[inline(always)]
    fn worth(&self, value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn of_worth(&self, worth: f64) -> f64 {
        worth
    }
}

/// What is had when someone chooses every spawn: the score, as W, or the largest exponent at the end.
pub(crate) struct Duel {
    /// Does the one who spawns want much?
    pub(crate) friendly: bool,
    /// What a spawned 4 takes from the value; no enemy chooses one that takes minus infinity.
    four: f64,
    /// Is the largest exponent the value?
    tile: bool,
}

impl Duel {
    /// The score against the worst spawns.
    pub(crate) const HOSTILE: Duel = Duel { friendly: false, four: 4.0, tile: false };
    /// The score with the best spawns.
    pub(crate) const FRIENDLY: Duel = Duel { friendly: true, four: 4.0, tile: false };
    /// The largest exponent that can be forced against the worst spawns.
    pub(crate) const FORCED: Duel = Duel { friendly: false, four: 0.0, tile: true };
    /// The score against the worst 2s.
    pub(crate) const TWOS: Duel = Duel { four: NO_FOURS, ..Duel::HOSTILE };
    /// The largest exponent that can be forced against the worst 2s.
    pub(crate) const FORCED_TWOS: Duel = Duel { four: NO_FOURS, ..Duel::FORCED };
}

/// Taken from its value, this makes a 4 something no enemy would choose.
const NO_FOURS: f64 = f64::NEG_INFINITY;

impl Objective for Duel {
    type Value = f64;
    type Sum = f64;

    #[inline(always)]
    fn nothing(&self) -> f64 {
        if self.friendly { f64::NEG_INFINITY } else { f64::INFINITY }
    }
    #[inline(always)]
    fn cell(&self, sum: &mut f64, two: f64, four: f64) {
        let four = four - self.four;
        *sum = if self.friendly { sum.max(two).max(four) } else { sum.min(two).min(four) };
    }
    #[inline(always)]
    fn afterstate(&self, sum: f64, _: u32, _: u64) -> f64 {
        sum
    }
    #[inline(always)]
    fn dead(&self, word: u64) -> f64 {
        if self.tile { f64::from(largest(word)) } else { potential(word) }
    }
    #[inline(always)]
    fn worth(&self, value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn of_worth(&self, worth: f64) -> f64 {
        worth
    }
}

/// The score, as W, when the tile is drawn and an enemy chooses its cell.
pub(crate) struct Drawn {
    pub(crate) p4: f64,
}

impl Objective for Drawn {
    type Value = f64;
    /// The worst 2 and the worst 4 so far.
    type Sum = [f64; 2];

    #[inline(always)]
    fn nothing(&self) -> [f64; 2] {
        [f64::INFINITY; 2]
    }
    #[inline(always)]
    fn cell(&self, sum: &mut [f64; 2], two: f64, four: f64) {
        *sum = [sum[0].min(two), sum[1].min(four - 4.0)];
    }
    #[inline(always)]
    fn afterstate(&self, [two, four]: [f64; 2], _: u32, _: u64) -> f64 {
        (1.0 - self.p4) * two + self.p4 * four
    }
    #[inline(always)]
    fn dead(&self, word: u64) -> f64 {
        potential(word)
    }
    #[inline(always)]
    fn worth(&self, value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn of_worth(&self, worth: f64) -> f64 {
        worth
    }
}

/// How many tiles' chances are followed at once.
pub(crate) const FOLLOWED: usize = 6;

/// Play for the score, and what comes with it.
pub(crate) struct Follow {
    pub(crate) p4: f64,
    /// The smallest of the tiles whose chances are followed.
    pub(crate) first: u8,
}

/// The score's moments, the length of the game, and the chances of tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Followed {
    pub(crate) w: f64,
    pub(crate) variance: f64,
    pub(crate) moves: f64,
    pub(crate) reach: [f64; FOLLOWED],
}

/// Sums relative to the first spawn's W, so that no digits are lost in the variance.
#[derive(Clone, Copy)]
pub(crate) struct FollowedSum {
    first: Option<f64>,
    /// Of the difference to the first W, and of its square.
    first_moment: f64,
    second_moment: f64,
    rest: Followed,
}

impl Objective for Follow {
    type Value = Followed;
    type Sum = FollowedSum;
    const FOLLOWS: bool = true;

    #[inline(always)]
    fn nothing(&self) -> FollowedSum {
        let rest = Followed::default();
        FollowedSum { first: None, first_moment: 0.0, second_moment: 0.0, rest }
    }
    #[inline(always)]
    fn cell(&self, sum: &mut FollowedSum, two: Followed, four: Followed) {
        let first = *sum.first.get_or_insert(two.w);
        for (p, value, w) in [(1.0 - self.p4, two, two.w), (self.p4, four, four.w - 4.0)] {
            let difference = w - first;
            sum.first_moment += p * difference;
            sum.second_moment += p * difference * difference;
            sum.rest.variance += p * value.variance;
            sum.rest.moves += p * value.moves;
            for (all, one) in sum.rest.reach.iter_mut().zip(value.reach) {
                *all += p * one;
            }
        }
    }
    #[inline(always)]
    fn afterstate(&self, sum: FollowedSum, cells: u32, word: u64) -> Followed {
        let n = f64::from(cells);
        let mean = sum.first_moment / n;
        let between = sum.second_moment / n - mean * mean;
        let mut value = Followed {
            w: sum.first.unwrap_or(0.0) + mean,
            variance: sum.rest.variance / n + between.max(0.0),
            moves: sum.rest.moves / n + 1.0,
            reach: sum.rest.reach.map(|r| r / n),
        };
        self.mark(&mut value, word);
        value
    }
    #[inline(always)]
    fn dead(&self, word: u64) -> Followed {
        let mut value = Followed { w: potential(word), ..Followed::default() };
        self.mark(&mut value, word);
        value
    }
    #[inline(always)]
    fn worth(&self, value: Followed) -> f64 {
        value.w
    }
    #[inline(always)]
    fn of_worth(&self, worth: f64) -> Followed {
        Followed { w: worth, ..Followed::default() }
    }
}

impl Follow {
    /// What stands on the board has been reached.
    #[inline(always)]
    fn mark(&self, value: &mut Followed, word: u64) {
        let most = largest(word);
        for (i, chance) in value.reach.iter_mut().enumerate() {
            if most as usize >= self.first as usize + i {
                *chance = 1.0;
            }
        }
    }
}

/// The largest nibble.
#[inline(always)]
pub(crate) fn largest(word: u64) -> u8 {
    let mut nibbles = ONES;
    let mut most = 0;
    for bit in [8, 4, 2, 1] {
        // Those among the largest so far that have this bit.
        let with = (word / bit) & nibbles;
        if with != 0 {
            nibbles = with;
            most |= bit as u8;
        }
    }
    most
}

/// Is there a tile of at least this exponent?
#[inline(always)]
pub(crate) fn reaches(word: u64, goal: u8) -> bool {
    // Adding 16 - goal to a nibble of at least goal carries; even and odd nibbles apart.
    let apart = 0x0f0f_0f0f_0f0f_0f0f_u64;
    let add = 0x0101_0101_0101_0101_u64 * (16 - u64::from(goal));
    let carries = ((word & apart) + add) | ((word >> 4 & apart) + add);
    carries & 0x1010_1010_1010_1010 != 0
}

/// The word without the fixed tiles.
#[inline(always)]
pub(crate) fn movable(word: u64, free: u64) -> u64 {
    word & fill(free)
}

/// How many free cells are empty.
#[inline(always)]
pub(crate) fn empty_cells(word: u64, free: u64) -> u64 {
    free & !occupied(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_by_nibble() {
        for word in [0u64, 0x1, 0xf000_0000_0000_0000, 0x0123_4567_89ab_cde0, 0x3333_3333_3333_3333]
        {
            let nibbles: Vec<u8> = (0..16).map(|i| (word >> (4 * i) & 15) as u8).collect();
            let most = nibbles.iter().copied().max().unwrap_or(0);
            assert_eq!(largest(word), most, "{word:x}");
            for goal in 1..16 {
                assert_eq!(reaches(word, goal), most >= goal, "{word:x} {goal}");
            }
        }
        assert_eq!(potential(0x0201), 4.0);
        assert_eq!(potential(0x3), 16.0);
        assert_eq!((half_sum(0x0210_0003), half_sum(0)), (7, 0));
    }
}
