//! The layouts of all layers at once, small enough to stay in the caches: what a question needs that
//! may be about any layer.
//!
//! Where a class begins follows from what the cell between the halves leaves to them, whichever layer
//! that is: `base[t][c][s] = first[t][c] + below[t - c][s]`.

use crate::rank::{Layout, Rank, WithRank, with_rank};
use crate::space::{Class, Space};
use crate::sweep::FIRST;

/// The layouts of all layers of a space.
pub(crate) struct Layouts {
    last: u32,
    centres: usize,
    /// By layer, then by the exponent between the halves: where its boards begin, and where in
    /// `below` the rest of the sum is.
    first: Vec<(u32, u32)>,
    /// By what the halves have together, then by the sum of A.
    below: Vec<u32>,
    /// How many halves B have a sum.
    columns: Vec<u32>,
}

impl Layouts {
    pub(crate) fn new(space: &Space) -> Layouts {
        let (swap, centres) = (space.form.swaps(), space.centres());
        let (a, b) = space.tables();
        let last = space.last() as usize;
        let columns: Vec<u32> = (0..=last).map(|sum| b.all().count(sum) as u32).collect();
        let mut below = Vec::new();
        let mut rests = Vec::new();
        for rest in 0..=last {
            let start = below.len() as u32;
            let mut base = 0u64;
            let most = if swap { rest / 2 } else { rest };
            for sum in 0..=most.min(a.largest_sum()) {
                below.push(base as u32);
                base += a.canonical().count(sum) as u64 * u64::from(columns[rest - sum]);
            }
            rests.push((start, base));
        }
        let mut first = Vec::new();
        for t in 0..=last {
            let mut base = 0;
            for c in 0..centres {
                let own = if c == 0 { 0 } else { 1 << (c - 1) };
                // An exponent that the sum has no room for is asked about by nobody.
                let (start, size) = t.checked_sub(own).map_or((0, 0), |rest| rests[rest]);
                first.push((base as u32, start));
                base += size;
            }
        }
        Layouts { last: space.last(), centres, first, below, columns }
    }

    /// Which layer a board is in, counted from the first, and its number there; `None` where there is
    /// no such layer.
    #[inline]
    pub(crate) fn find(&self, space: &Space, word: u64) -> Option<(usize, u32)> {
        struct Find<'a>(&'a Layouts, u64);
        impl WithRank for Find<'_> {
            type Out = Option<(usize, u32)>;
            #[inline]
            fn run<R: Rank>(self, rank: R) -> Option<(usize, u32)> {
                let Find(all, word) = self;
                let prepared = rank.prepare(word);
                // The tables of the halves are read anyway, so the sum costs two additions.
                let t = rank.half_sum(prepared);
                let index = t.checked_sub(FIRST).filter(|_| t <= all.last)?;
                let layer = OneLayout { all, t: t as usize };
                Some((index as usize, rank.number(&layer, prepared)))
            }
        }
        with_rank(space, Find(self, word))
    }
}

#[derive(Clone, Copy)]
struct OneLayout<'a> {
    all: &'a Layouts,
    t: usize,
}

impl Layout for OneLayout<'_> {
    #[inline(always)]
    fn class(&self, centre: usize, sum: usize) -> Class {
        let OneLayout { all, t } = *self;
        let (first, start) = all.first[t * all.centres + centre];
        let own = (1 << centre) >> 1;
        let width = all.columns[t - own - sum];
        Class { base: first + all.below[start as usize + sum], width }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_the_layouts_of_the_layers() {
        for (board, symmetric) in [("3x3", true), ("2x3", true), ("2x3", false), ("1x5", true)] {
            let space = Space::new(&board.parse().unwrap(), None, symmetric).unwrap();
            let layouts = Layouts::new(&space);
            for t in (FIRST..=space.last()).step_by(7) {
                let (layer, ours) = (space.layer(t), OneLayout { all: &layouts, t: t as usize });
                for c in 0..space.centres() {
                    let own = (1 << c) >> 1;
                    let Some(rest) = (t as usize).checked_sub(own) else { continue };
                    let most = if space.form.swaps() { rest / 2 } else { rest };
                    for sum in 0..layer.stride.min(most + 1) {
                        let (theirs, ours) = (layer.class(c, sum), ours.class(c, sum));
                        if theirs.width > 0 {
                            assert_eq!((ours.base, ours.width), (theirs.base, theirs.width));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn boards_are_found_where_their_layers_have_them() {
        for board in ["3x3", "2x3", "1x5", "#.#/.../#.#"] {
            let space = Space::new(&board.parse().unwrap(), None, true).unwrap();
            let layouts = Layouts::new(&space);
            for t in (FIRST..=space.last()).step_by(5) {
                let layer = space.layer(t);
                for rank in (0..layer.slots as u32).step_by(97) {
                    let word = space.board(&layer, rank);
                    let number = crate::sweep::number(&space, &layer, word);
                    let found = layouts.find(&space, word);
                    assert_eq!(found, Some(((t - FIRST) as usize, number)), "{board} {word:x}");
                }
            }
            // Too little on the board, and a tile that no game has.
            assert_eq!(layouts.find(&space, space.geometry.fixed), None);
            let first = space.region().free_cells().next().unwrap();
            for exponent in space.region().max_exponent() as u64 + 1..16 {
                let word = space.geometry.fixed | exponent << (4 * first);
                assert_eq!(layouts.find(&space, word), None, "{board} {exponent}");
            }
        }
    }
}
