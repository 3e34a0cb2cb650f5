//! Enumeration: from the states of a layer to its afterstates, from those to the next two layers.

use crate::bits::Bits;
use crate::rank::{Rank, WithRank, with_rank};
use crate::slide::{holds, occupied};
use crate::space::{Layer, Space};
use crate::threads::{ranges, share};
use crate::unsafe_cpu::{Work, run};

/// Boards are collected before they are numbered, so that the loads of many overlap.
const BATCH: usize = 512;

/// The afterstates of a layer's states; also how many states have no move.
pub(crate) fn slides(space: &Space, layer: &Layer, states: &Bits, threads: usize) -> (Bits, u64) {
    struct All<'a>(&'a Space, &'a Layer, &'a Bits, usize);
    impl WithRank for All<'_> {
        type Out = (Bits, u64);
        fn run<R: Rank>(self, rank: R) -> (Bits, u64) {
            let All(space, layer, states, threads) = self;
            let found = Bits::new(layer.words());
            let ranges = ranges(layer.words(), threads);
            let shared = ranges.len() > 1;
            let dead = share(ranges, threads, |range| {
                let job = Slides { space, rank, layer, states, found: &found, range };
                if shared { run(Shared(job)) } else { run(Alone(job)) }
            });
            (found, dead.iter().sum())
        }
    }
    with_rank(space, All(space, layer, states, threads))
}

struct Slides<'a, R> {
    space: &'a Space,
    rank: R,
    layer: &'a Layer,
    states: &'a Bits,
    found: &'a Bits,
    range: (usize, usize),
}

struct Shared<J>(J);
struct Alone<J>(J);

impl<R: Rank> Work for Shared<Slides<'_, R>> {
    type Out = u64;
    #[inline(always)]
    fn run(self) -> u64 {
        self.0.run::<true>()
    }
}

impl<R: Rank> Work for Alone<Slides<'_, R>> {
    type Out = u64;
    #[inline(always)]
    fn run(self) -> u64 {
        self.0.run::<false>()
    }
}

impl<R: Rank> Slides<'_, R> {
    #[inline(always)]
    fn run<const SHARED: bool>(self) -> u64 {
        let Slides { space, rank, layer, states, found, range: (from, to) } = self;
        let goal = space.goal.map_or(0, u64::from);
        let mut batch = [0; BATCH];
        let mut filled = 0;
        let mut dead = 0;
        space.scan(layer, from, to, |index| states.word(index), |board| {
            let mut stuck = true;
            for mv in 0..4 {
                let slid = space.geometry.slide(board, mv);
                let legal = slid != board;
                stuck &= !legal;
                batch[filled] = slid;
                filled += usize::from(legal && (goal == 0 || !holds(slid, goal)));
            }
            dead += u64::from(stuck);
            if filled > BATCH - 5 {
                for &slid in &batch[..filled] {
                    found.insert::<SHARED>(rank.rank(layer, slid));
                }
                filled = 0;
            }
        });
        for &slid in &batch[..filled] {
            found.insert::<SHARED>(rank.rank(layer, slid));
        }
        dead
    }
}

/// Puts a 2 and a 4 into every empty cell of every afterstate: adds to the states of the next two
/// layers.
pub(crate) fn spawns(
    space: &Space,
    layer: &Layer,
    afterstates: &Bits,
    next: [(&Layer, &Bits); 2],
    threads: usize,
) {
    struct All<'a>(&'a Space, &'a Layer, &'a Bits, [(&'a Layer, &'a Bits); 2], usize);
    impl WithRank for All<'_> {
        type Out = ();
        fn run<R: Rank>(self, rank: R) {
            let All(space, layer, afterstates, next, threads) = self;
            let ranges = ranges(layer.words(), threads);
            let shared = ranges.len() > 1;
            share(ranges, threads, |range| {
                let job = Spawns { space, rank, layer, afterstates, next, range };
                if shared { run(Shared(job)) } else { run(Alone(job)) }
            });
        }
    }
    with_rank(space, All(space, layer, afterstates, next, threads));
}

struct Spawns<'a, R> {
    space: &'a Space,
    rank: R,
    layer: &'a Layer,
    afterstates: &'a Bits,
    next: [(&'a Layer, &'a Bits); 2],
    range: (usize, usize),
}

impl<R: Rank> Work for Shared<Spawns<'_, R>> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        self.0.run::<true>();
    }
}

impl<R: Rank> Work for Alone<Spawns<'_, R>> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        self.0.run::<false>();
    }
}

impl<R: Rank> Spawns<'_, R> {
    #[inline(always)]
    fn run<const SHARED: bool>(self) {
        let Spawns { space, rank, layer, afterstates, next, range: (from, to) } = self;
        let mut batch = [(0, 0); BATCH];
        let mut filled = 0;
        let flush = |batch: &[(u64, u64)]| {
            for &(board, one) in batch {
                next[0].1.insert::<SHARED>(rank.rank(next[0].0, board | one));
            }
            for &(board, one) in batch {
                next[1].1.insert::<SHARED>(rank.rank(next[1].0, board | one << 1));
            }
        };
        space.scan(
            layer,
            from,
            to,
            |index| afterstates.word(index),
            |board| {
                let mut empty = space.geometry.free & !occupied(board);
                while empty != 0 {
                    let one = empty & empty.wrapping_neg();
                    empty ^= one;
                    batch[filled] = (board, one);
                    filled += 1;
                }
                if filled > BATCH - 17 {
                    flush(&batch[..filled]);
                    filled = 0;
                }
            },
        );
        flush(&batch[..filled]);
    }
}
