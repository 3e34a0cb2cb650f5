//! Enumeration: from the states of a layer to its afterstates, from those to the next two layers.

use crate::bits::Bits;
use crate::objective::empty_cells;
use crate::rank::{Rank, WithRank, with_rank};
use crate::region::MAX_FREE;
use crate::slide::holds;
use crate::space::{BATCH, Layer, Space};
use crate::threads::{ranges, share, share_with};
use crate::unsafe_cpu::{Work, run};

/// Sets up to this many words are filled by each thread for itself and then joined: a locked
/// instruction for each new board costs a fifth of the pass, and a copy that stays in the cache
/// nothing. Larger ones are filled together.
const OWN_WORDS: usize = 1 << 20;

/// The sets that threads fill: together, or each its own.
fn fill<const N: usize, T: Send>(
    sets: [&Bits; N],
    ranges: Vec<(usize, usize)>,
    threads: usize,
    work: impl Fn([&Bits; N], (usize, usize), Sharing) -> T + Sync,
) -> Vec<T> {
    let lengths = sets.map(|set| set.words().len());
    if ranges.len() == 1 || lengths.into_iter().any(|words| words > OWN_WORDS) {
        let sharing = if ranges.len() == 1 { Sharing::Alone } else { Sharing::Together };
        return share(ranges, threads, |range| work(sets, range, sharing));
    }
    let (results, own) = share_with(
        ranges,
        threads,
        || lengths.map(Bits::new),
        |own, range| work(own.each_ref(), range, Sharing::Alone),
    );
    for own in own {
        sets.iter().zip(&own).for_each(|(set, own)| set.join(own));
    }
    results
}

/// Does anybody else fill the same set?
#[derive(Clone, Copy, PartialEq)]
enum Sharing {
    Alone,
    Together,
}

/// The afterstates of a layer's states; also how many states have no move.
pub(crate) fn slides(space: &Space, layer: &Layer, states: &Bits, threads: usize) -> (Bits, u64) {
    struct All<'a>(&'a Space, &'a Layer, &'a Bits, usize);
    impl WithRank for All<'_> {
        type Out = (Bits, u64);
        fn run<R: Rank>(self, rank: R) -> (Bits, u64) {
            let All(space, layer, states, threads) = self;
            let found = Bits::new(layer.words());
            let ranges = ranges(layer.words(), threads);
            let dead = fill([&found], ranges, threads, |[found], range, sharing| {
                let job = Slides { space, rank, layer, states, found, range };
                if sharing == Sharing::Together { run(Shared(job)) } else { run(Alone(job)) }
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
    const HOT: bool = R::HOT;
    #[inline(always)]
    fn run(self) -> u64 {
        self.0.run::<true>()
    }
}

impl<R: Rank> Work for Alone<Slides<'_, R>> {
    type Out = u64;
    const HOT: bool = R::HOT;
    #[inline(always)]
    fn run(self) -> u64 {
        self.0.run::<false>()
    }
}

impl<R: Rank> Slides<'_, R> {
    #[inline(always)]
    fn run<const SHARED: bool>(self) -> u64 {
        let Slides { space, rank, layer, states, found, range } = self;
        let goal = space.goal.map_or(0, u64::from);
        let mut scan = space.scan(layer, states, range);
        let mut boards = [0; BATCH];
        let mut slid = [0; BATCH];
        let mut moved = [0; 4 * BATCH];
        let mut dead = 0;
        loop {
            let count = scan.fill(&mut boards);
            let mut stuck = [true; BATCH];
            let mut filled = 0;
            for mv in 0..4 {
                space.geometry.slide_all(&boards, mv, &mut slid);
                for i in 0..count {
                    let legal = slid[i] != boards[i];
                    stuck[i] &= !legal;
                    moved[filled] = slid[i];
                    filled += usize::from(legal && (goal == 0 || !holds(slid[i], goal)));
                }
            }
            dead += stuck[..count].iter().map(|&stuck| u64::from(stuck)).sum::<u64>();
            insert::<R, SHARED>(rank, layer, &mut moved[..filled], found);
            if count < BATCH {
                return dead;
            }
        }
    }
}

/// Numbers boards, which are overwritten, and adds them to a set.
#[inline(always)]
fn insert<R: Rank, const SHARED: bool>(rank: R, layer: &Layer, boards: &mut [u64], found: &Bits) {
    for board in &mut *boards {
        *board = rank.prepare(*board);
    }
    for &prepared in &*boards {
        found.insert::<SHARED>(rank.number(layer, prepared));
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
            fill([next[0].1, next[1].1], ranges, threads, |[two, four], range, sharing| {
                let next = [(next[0].0, two), (next[1].0, four)];
                let job = Spawns { space, rank, layer, afterstates, next, range };
                if sharing == Sharing::Together { run(Shared(job)) } else { run(Alone(job)) }
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
    const HOT: bool = R::HOT;
    #[inline(always)]
    fn run(self) {
        self.0.run::<true>();
    }
}

impl<R: Rank> Work for Alone<Spawns<'_, R>> {
    type Out = ();
    const HOT: bool = R::HOT;
    #[inline(always)]
    fn run(self) {
        self.0.run::<false>();
    }
}

impl<R: Rank> Spawns<'_, R> {
    #[inline(always)]
    fn run<const SHARED: bool>(self) {
        let Spawns { space, rank, layer, afterstates, next: [two, four], range } = self;
        let free = space.geometry.free;
        let mut scan = space.scan(layer, afterstates, range);
        let mut boards = [0; BATCH];
        let mut twos = [0; MAX_FREE * BATCH];
        let mut fours = [0; MAX_FREE * BATCH];
        loop {
            let count = scan.fill(&mut boards);
            let mut filled = 0;
            for &board in &boards[..count] {
                let mut empty = empty_cells(board, free);
                while empty != 0 {
                    let one = empty & empty.wrapping_neg();
                    empty ^= one;
                    twos[filled] = board | one;
                    fours[filled] = board | one << 1;
                    filled += 1;
                }
            }
            insert::<R, SHARED>(rank, two.0, &mut twos[..filled], two.1);
            insert::<R, SHARED>(rank, four.0, &mut fours[..filled], four.1);
            if count < BATCH {
                return;
            }
        }
    }
}
