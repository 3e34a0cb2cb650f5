//! The layouts of all layers at once, small enough to stay in the caches: what a question needs that
//! may be about any layer.
//!
//! Where a class begins follows from what the cell between the halves leaves to them, whichever layer
//! that is: `base[t][c][s] = first[t][c] + below[t - c][s]`.

use crate::rank::Layout;
use crate::space::{Class, Space};

/// The layouts of all layers of a space.
pub(crate) struct Layouts {
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
        Layouts { centres, first, below, columns }
    }

    /// The layout of the layer with tile sum 2t.
    #[inline]
    pub(crate) fn layer(&self, t: u32) -> impl Layout {
        OneLayout { all: self, t: t as usize }
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
    use crate::sweep::FIRST;

    #[test]
    fn they_are_the_layouts_of_the_layers() {
        for (board, symmetric) in [("3x3", true), ("2x3", true), ("2x3", false), ("1x5", true)] {
            let space = Space::new(&board.parse().unwrap(), None, symmetric).unwrap();
            let layouts = Layouts::new(&space);
            for t in (FIRST..=space.last()).step_by(7) {
                let (layer, ours) = (space.layer(t), layouts.layer(t));
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
}
