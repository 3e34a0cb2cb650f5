//! Sliding and merging a whole board at once in two machine words.
//!
//! A board is a word of 16 nibbles plus a plane of ones that marks the cells whose exponent is
//! 16 more than their nibble says (65536 and 131072). There are no row tables: closing the gaps,
//! finding the pairs and closing the gaps again are each a few shifts under masks, the same for
//! every shape, and leave the cache to those who need it.

use crate::geometry::{Geometry, ONES, reverse_nibbles};

/// A slid board: nibbles, plane of high cells, reward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slid {
    pub(crate) nibbles: u64,
    pub(crate) high: u64,
    pub(crate) reward: u32,
}

/// Slides a board towards the side that move number `mv` names.
#[inline]
pub(crate) fn slide(nibbles: u64, high: u64, geometry: &Geometry, mv: usize) -> Slid {
    if geometry.long {
        return slide_in_place::<true, true>(nibbles, high, geometry, mv);
    }
    if high == 0 {
        let slid = slide_in_place::<false, false>(nibbles, 0, geometry, mv);
        // Only a merge of two 32768 leaves the nibbles, and it alone brings this reward.
        if slid.reward < 1 << 16 {
            return slid;
        }
    }
    slide_in_place::<true, false>(nibbles, high, geometry, mv)
}

/// Turns the board so that the wall is at the low end, slides, turns it back.
#[inline(always)]
fn slide_in_place<const HIGH: bool, const LONG: bool>(
    nibbles: u64,
    high: u64,
    geometry: &Geometry,
    mv: usize,
) -> Slid {
    let turned = mv == 1 || mv == 2;
    let turn = |x: u64| if turned { reverse_nibbles(x) } else { x };
    // Reversing nibbles leaves the bit inside the nibble, so a plane of ones stays one.
    let slid = slide_low::<HIGH, LONG>(turn(nibbles), turn(high), geometry, mv);
    Slid { nibbles: turn(slid.nibbles), high: turn(slid.high), reward: slid.reward }
}

#[inline(always)]
fn slide_low<const HIGH: bool, const LONG: bool>(
    x: u64,
    high: u64,
    geometry: &Geometry,
    mv: usize,
) -> Slid {
    let s = geometry.shift[mv];
    let behind = |d: usize| geometry.behind[d - 1][mv];

    // 1. Close the gaps: each tile moves by the number of empty cells before it in its line.
    let full = occupied(x) | high;
    let empty = geometry.cells[mv] & !full;
    let mut gaps = shl::<LONG>(empty, s) & behind(1);
    gaps += shl::<LONG>(empty, 2 * s) & behind(2);
    gaps += shl::<LONG>(empty, 3 * s) & behind(3);
    if LONG {
        gaps += shl::<LONG>(empty, 4 * s) & behind(4);
        gaps += shl::<LONG>(empty, 5 * s) & behind(5);
    }
    let digits = if LONG { 3 } else { 2 };
    let (x, high) = close::<HIGH, LONG>(x, high, gaps & fill(full), s, digits);

    // 2. Pairs: equal neighbours, resolved from the wall. In a run of equal tiles every second
    //    one is the head of a pair.
    let mut equal = !differing(x ^ x >> s) & geometry.not_last[mv];
    equal &= if HIGH { (occupied(x) | high) & !(high ^ high >> s) } else { occupied(x) };
    let mut heads = equal & !(equal << s);
    heads = equal & !(heads << s);
    if LONG {
        heads = equal & !(heads << s);
        heads = equal & !(heads << s);
    }
    let merged = x & fill(heads);
    let tails = heads << s;

    // 3. The head of a pair grows by one, the tail goes.
    let (x, high, reward) = if HIGH {
        let beyond = heads & ones_where_15(x) & !high;
        let reward = rewards(merged & !fill(high)) + ((heads & high).count_ones() << 17);
        let x = (x & !fill(beyond)) + (heads ^ beyond);
        (x & !fill(tails), (high | beyond) & !tails, reward)
    } else {
        (x.wrapping_add(heads) & !fill(tails), 0, rewards(merged))
    };

    // 4. Close the gaps the tails left: at most one in four cells, two in six.
    let mut gaps = shl::<LONG>(tails, s) & behind(2);
    gaps += shl::<LONG>(tails, 2 * s) & behind(3);
    if LONG {
        gaps += shl::<LONG>(tails, 3 * s) & behind(4);
        gaps += shl::<LONG>(tails, 4 * s) & behind(5);
        gaps &= fill(occupied(x) | high);
    }
    let digits = if LONG { 2 } else { 1 };
    let (nibbles, high) = close::<HIGH, LONG>(x, high, gaps, s, digits);
    Slid { nibbles, high, reward }
}

/// Moves every nibble down by its count in `gaps` steps of `s` bits, one binary digit of the
/// counts after the other. Tiles keep their order, so none runs into another.
#[inline(always)]
fn close<const HIGH: bool, const LONG: bool>(
    mut x: u64,
    mut high: u64,
    mut gaps: u64,
    s: u64,
    digits: u32,
) -> (u64, u64) {
    for digit in 0..digits {
        let moving = gaps >> digit & ONES;
        let by = s << digit;
        let tiles = x & fill(moving);
        x = (x ^ tiles) | shr::<LONG>(tiles, by);
        if HIGH {
            let tiles = high & moving;
            high = (high ^ tiles) | shr::<LONG>(tiles, by);
        }
        let counts = gaps & fill(moving);
        gaps = (gaps ^ counts) | shr::<LONG>(counts, by);
    }
    (x, high)
}

/// Shifts that may pass the word's end on long boards, where the result is 0.
#[inline(always)]
const fn shl<const LONG: bool>(x: u64, by: u64) -> u64 {
    if LONG && by >= 64 { 0 } else { x << by }
}

#[inline(always)]
const fn shr<const LONG: bool>(x: u64, by: u64) -> u64 {
    if LONG && by >= 64 { 0 } else { x >> by }
}

/// The plane of nibbles that are not 0.
#[inline(always)]
pub(crate) const fn occupied(x: u64) -> u64 {
    differing(x) & ONES
}

/// As [`occupied`], with noise in the other bits.
#[inline(always)]
const fn differing(x: u64) -> u64 {
    let t = x | x >> 1;
    t | t >> 2
}

/// Widens a plane of ones to whole nibbles.
#[inline(always)]
pub(crate) const fn fill(plane: u64) -> u64 {
    (plane << 4).wrapping_sub(plane)
}

#[inline(always)]
const fn ones_where_15(x: u64) -> u64 {
    let t = x & x >> 1;
    t & t >> 2 & ONES
}

/// The sum of 2^(e+1) over the nibbles e > 0.
#[inline(always)]
fn rewards(merged: u64) -> u32 {
    let b = merged.to_le_bytes();
    let pair = |i: usize| PAIR_REWARD[b[i] as usize];
    (pair(0) + pair(1)) + (pair(2) + pair(3)) + ((pair(4) + pair(5)) + (pair(6) + pair(7)))
}

static PAIR_REWARD: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (low, high) = (byte & 15, byte >> 4);
        table[byte] = (if low > 0 { 2 << low } else { 0 }) + (if high > 0 { 2 << high } else { 0 });
        byte += 1;
    }
    table
};
