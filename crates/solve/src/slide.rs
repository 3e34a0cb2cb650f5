//! Sliding a region's boards: words of nibbles, no rewards (see [`crate::potential`]).
//!
//! As in the rules' own slide, closing gaps and finding pairs are shifts under masks. The masks know
//! walls (a line ends there) and fixed tiles (they stop others and never merge).

use crate::region::{Cell, Region};
use crate::space::BATCH;

/// A one in every nibble.
pub(crate) const ONES: u64 = 0x1111_1111_1111_1111;

/// What stands in the nibble of a fixed tile.
const FIXED: u64 = 15;

/// Masks of a region's lines, for each move.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    /// A one in the nibble of each cell where tiles move.
    pub(crate) free: u64,
    /// The cells that are no walls.
    open: u64,
    /// Whole nibbles of the fixed tiles.
    pub(crate) fixed: u64,
    /// How far apart neighbours are.
    shift: [u32; 4],
    /// The longest line.
    longest: [usize; 4],
    /// `behind[mv][d]`: cells with a cell of their line `d` steps nearer to the side slid to.
    behind: [[u64; 6]; 4],
    /// Free cells whose next one, farther from that side, is free and in their line.
    pairs: [u64; 4],
}

impl Geometry {
    pub(crate) fn of(region: &Region) -> Geometry {
        let (rows, cols) = (region.shape().rows(), region.shape().cols());
        let mut geometry = Geometry {
            free: 0,
            open: 0,
            fixed: 0,
            shift: [4 * cols as u32, 4, 4 * cols as u32, 4],
            longest: [1; 4],
            behind: [[0; 6]; 4],
            pairs: [0; 4],
        };
        for cell in 0..rows * cols {
            let one = 1 << (4 * cell);
            match region.cell(cell) {
                Cell::Wall => continue,
                Cell::Free => geometry.free |= one,
                Cell::Fixed => geometry.fixed |= FIXED << (4 * cell),
            }
            geometry.open |= one;
            for mv in 0..4 {
                geometry.enter(region, cell, mv);
            }
        }
        geometry
    }

    fn enter(&mut self, region: &Region, cell: usize, mv: usize) {
        let cols = region.shape().cols();
        // Steps towards the side slid to: up, right, down, left.
        let nearer = |cell: usize| match mv {
            0 => cell.checked_sub(cols),
            1 => (cell % cols + 1 < cols).then_some(cell + 1),
            2 => (cell + cols < region.shape().cells()).then_some(cell + cols),
            _ => (!cell.is_multiple_of(cols)).then(|| cell - 1),
        };
        let mut at = cell;
        let mut distance = 0;
        while let Some(next) = nearer(at).filter(|&c| region.cell(c) != Cell::Wall) {
            distance += 1;
            self.behind[mv][distance] |= 1 << (4 * cell);
            if distance == 1 && region.cell(cell) == Cell::Free && region.cell(next) == Cell::Free {
                self.pairs[mv] |= 1 << (4 * next);
            }
            at = next;
        }
        self.longest[mv] = self.longest[mv].max(distance + 1);
    }

    /// The board after a slide; the same board when the move is not legal.
    pub(crate) fn slide(&self, x: u64, mv: usize) -> u64 {
        let mut boards = [0; BATCH];
        boards[0] = x;
        let mut slid = [0; BATCH];
        self.slide_all(&boards, mv, &mut slid);
        slid[0]
    }

    /// The same for a batch, in loops that the compiler turns into vector code.
    #[inline(always)]
    pub(crate) fn slide_all(&self, boards: &[u64; BATCH], mv: usize, slid: &mut [u64; BATCH]) {
        match mv {
            0 => self.towards::<false>(boards, 0, slid),
            1 => self.towards::<true>(boards, 1, slid),
            2 => self.towards::<true>(boards, 2, slid),
            _ => self.towards::<false>(boards, 3, slid),
        }
    }

    #[inline(always)]
    fn towards<const HIGH: bool>(&self, boards: &[u64; BATCH], mv: usize, slid: &mut [u64; BATCH]) {
        match self.longest[mv] {
            1 => *slid = *boards,
            2 => self.lines::<HIGH, 2>(boards, mv, slid),
            3 => self.lines::<HIGH, 3>(boards, mv, slid),
            4 => self.lines::<HIGH, 4>(boards, mv, slid),
            5 => self.lines::<HIGH, 5>(boards, mv, slid),
            _ => self.lines::<HIGH, 6>(boards, mv, slid),
        }
    }

    #[inline(always)]
    fn lines<const HIGH: bool, const LEN: usize>(
        &self,
        boards: &[u64; BATCH],
        mv: usize,
        slid: &mut [u64; BATCH],
    ) {
        for (board, out) in boards.iter().zip(slid) {
            let moved = self.line::<HIGH, LEN>(*board, mv);
            *out = if moved & self.fixed == self.fixed { moved } else { *board };
        }
    }

    /// Slides lines of at most `LEN` cells to the low or the high end.
    #[inline(always)]
    fn line<const HIGH: bool, const LEN: usize>(&self, x: u64, mv: usize) -> u64 {
        let s = self.shift[mv];
        let behind = &self.behind[mv];
        let full = occupied(x);
        let empty = self.open & !full;
        let mut gaps = 0;
        for (d, behind) in (1..).zip(&behind[1..LEN]) {
            gaps += away::<HIGH>(empty, d * s) & behind;
        }
        let digits = if LEN == 2 { 1 } else { 2 + u32::from(LEN > 4) };
        let x = close::<HIGH>(x, gaps & fill(full), s, digits);

        // In a run of equal tiles every second one, counted from the side, is the head of a pair.
        let next = nearer::<HIGH>(x, s);
        let equal = !differing(x ^ next) & self.pairs[mv] & occupied(x);
        let mut heads = equal;
        for _ in 2..LEN {
            heads = equal & !away::<HIGH>(heads, s);
        }
        let tails = away::<HIGH>(heads, s);
        let x = (x + heads) & !fill(tails);

        let mut gaps = 0;
        for (d, behind) in (1..).zip(&behind[1..LEN - 1]) {
            gaps += away::<HIGH>(tails, d * s) & behind;
        }
        if LEN == 2 {
            return x;
        }
        // At most one pair of four cells, two of six, lie before a tile.
        let digits = 1 + u32::from(LEN > 4);
        close::<HIGH>(x, gaps & fill(occupied(x)), s, digits)
    }
}

/// Moves every nibble towards the side by its count in `gaps`, one binary digit after the other.
#[inline(always)]
fn close<const HIGH: bool>(mut x: u64, mut gaps: u64, s: u32, digits: u32) -> u64 {
    for digit in 0..digits {
        let moving = fill(gaps >> digit & ONES);
        let by = s << digit;
        let tiles = x & moving;
        x = (x ^ tiles) | nearer::<HIGH>(tiles, by);
        let counts = gaps & moving;
        gaps = (gaps ^ counts) | nearer::<HIGH>(counts, by);
    }
    x
}

/// Everything `by` bits nearer to the side slid to; no line is longer than the word.
#[inline(always)]
fn nearer<const HIGH: bool>(x: u64, by: u32) -> u64 {
    if HIGH { x << by } else { x >> by }
}

#[inline(always)]
fn away<const HIGH: bool>(x: u64, by: u32) -> u64 {
    if HIGH { x >> by } else { x << by }
}

/// A one for each nibble that is not 0.
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

/// Widens ones to whole nibbles.
#[inline(always)]
pub(crate) const fn fill(ones: u64) -> u64 {
    (ones << 4).wrapping_sub(ones)
}

/// Is there a nibble of exactly this value?
#[inline(always)]
pub(crate) const fn holds(x: u64, nibble: u64) -> bool {
    occupied(x ^ (ONES * nibble)) != ONES
}
