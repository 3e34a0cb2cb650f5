//! Values, from the last layer to the first: afterstates from the states of the next two layers,
//! states from their afterstates.

use crate::bits::Directory;
use crate::objective::{Objective, empty_cells, movable};
use crate::rank::{Rank, WithRank, with_rank};
use crate::space::{Layer, Space};
use crate::threads::{ranges, share};
use crate::unsafe_cpu::{Work, run};

/// A layer with its boards and what is known of them.
pub(crate) struct Valued<V> {
    pub(crate) layer: Layer,
    pub(crate) boards: Directory,
    pub(crate) values: Vec<V>,
}

impl<V: Copy + Default> Valued<V> {
    pub(crate) fn empty(layer: Layer) -> Valued<V> {
        let boards = Directory::new(std::iter::repeat_n(0, layer.words()));
        Valued { layer, boards, values: Vec::new() }
    }

    #[inline(always)]
    fn value(&self, rank: u32) -> V {
        self.values[self.boards.index(rank)]
    }
}

/// Ties closer than this share of the value are ties: sums of thousands of spawns carry no more
/// digits than that.
pub(crate) const TIE: f64 = 1e-12;

/// The values of a layer's afterstates. `next` are the states of the two layers above.
pub(crate) fn afterstates<O: Objective>(
    space: &Space,
    objective: &O,
    layer: &Layer,
    boards: &Directory,
    next: [&Valued<O::Value>; 2],
    threads: usize,
) -> Vec<O::Value> {
    struct All<'a, O: Objective>(
        &'a Space,
        &'a O,
        &'a Layer,
        &'a Directory,
        [&'a Valued<O::Value>; 2],
        usize,
    );
    impl<O: Objective> WithRank for All<'_, O> {
        type Out = Vec<O::Value>;
        fn run<R: Rank>(self, rank: R) -> Vec<O::Value> {
            let All(space, objective, layer, boards, next, threads) = self;
            in_pieces(boards, threads, |range, out| {
                run(Afterstates { space, rank, objective, layer, boards, next, range, out });
            })
        }
    }
    with_rank(space, All(space, objective, layer, boards, next, threads))
}

/// The values of a layer's states from those of its afterstates.
pub(crate) fn states<O: Objective>(
    space: &Space,
    objective: &O,
    layer: &Layer,
    boards: &Directory,
    after: (&Directory, &[O::Value]),
    threads: usize,
) -> Vec<O::Value> {
    struct All<'a, O: Objective>(
        &'a Space,
        &'a O,
        &'a Layer,
        &'a Directory,
        (&'a Directory, &'a [O::Value]),
        usize,
    );
    impl<O: Objective> WithRank for All<'_, O> {
        type Out = Vec<O::Value>;
        fn run<R: Rank>(self, rank: R) -> Vec<O::Value> {
            let All(space, objective, layer, boards, after, threads) = self;
            in_pieces(boards, threads, |range, out| {
                run(States { space, rank, objective, layer, boards, after, range, out });
            })
        }
    }
    with_rank(space, All(space, objective, layer, boards, after, threads))
}

/// Fills the values of a set piece by piece.
fn in_pieces<V: Copy + Default + Send>(
    boards: &Directory,
    threads: usize,
    work: impl Fn((usize, usize), &mut [V]) + Sync,
) -> Vec<V> {
    let mut values = vec![V::default(); boards.count()];
    let mut rest = values.as_mut_slice();
    let mut jobs = Vec::new();
    for (from, to) in ranges(boards.len(), threads) {
        let (piece, after) = rest.split_at_mut(boards.before(to) - boards.before(from));
        rest = after;
        jobs.push(((from, to), piece));
    }
    share(jobs, threads, |(range, piece)| work(range, piece));
    values
}

struct Afterstates<'a, R, O: Objective> {
    space: &'a Space,
    rank: R,
    objective: &'a O,
    layer: &'a Layer,
    boards: &'a Directory,
    next: [&'a Valued<O::Value>; 2],
    range: (usize, usize),
    out: &'a mut [O::Value],
}

impl<R: Rank, O: Objective> Work for Afterstates<'_, R, O> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        let Afterstates { space, rank, objective, layer, boards, next, range: (from, to), out } =
            self;
        let free = space.geometry.free;
        let mut out = out.iter_mut();
        space.scan(
            layer,
            from,
            to,
            |index| boards.word(index),
            |board| {
                let Some(out) = out.next() else { return };
                if O::SETTLES {
                    if let Some(value) = objective.settled(movable(board, free)) {
                        *out = value;
                        return;
                    }
                }
                let mut empty = empty_cells(board, free);
                let cells = empty.count_ones();
                let mut sum = objective.nothing();
                while empty != 0 {
                    let one = empty & empty.wrapping_neg();
                    empty ^= one;
                    let two = next[0].value(rank.rank(&next[0].layer, board | one));
                    let four = next[1].value(rank.rank(&next[1].layer, board | one << 1));
                    objective.cell(&mut sum, two, four);
                }
                *out = objective.afterstate(sum, cells, movable(board, free));
            },
        );
    }
}

struct States<'a, R, O: Objective> {
    space: &'a Space,
    rank: R,
    objective: &'a O,
    layer: &'a Layer,
    boards: &'a Directory,
    after: (&'a Directory, &'a [O::Value]),
    range: (usize, usize),
    out: &'a mut [O::Value],
}

impl<R: Rank, O: Objective> Work for States<'_, R, O> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        let States { space, rank, objective, layer, boards, after, range: (from, to), out } = self;
        let (directory, values) = after;
        let free = space.geometry.free;
        let goal = space.goal.map_or(0, u64::from);
        let mut out = out.iter_mut();
        space.scan(
            layer,
            from,
            to,
            |index| boards.word(index),
            |board| {
                let Some(out) = out.next() else { return };
                let word = movable(board, free);
                if O::SETTLES {
                    if let Some(value) = objective.settled(word) {
                        *out = value;
                        return;
                    }
                }
                let mut best: Option<(f64, u32, O::Value)> = None;
                for mv in 0..4 {
                    let slid = space.geometry.slide(board, mv);
                    if slid == board {
                        continue;
                    }
                    if goal != 0 && crate::slide::holds(slid, goal) {
                        // Not enumerated: the goal stands, and only aims that settle get here.
                        if let Some(value) = objective.settled(movable(slid, free)) {
                            best = Some((objective.worth(value), 0, value));
                            break;
                        }
                    }
                    let number = rank.rank(layer, slid);
                    let value = values[directory.index(number)];
                    let worth = objective.worth(value);
                    let better = match best {
                        None => true,
                        Some((most, first, _)) if O::FOLLOWS => {
                            let close = (worth - most).abs() <= TIE * most.abs();
                            if close { number < first } else { worth > most }
                        }
                        Some((most, ..)) => worth > most,
                    };
                    if better {
                        best = Some((worth, number, value));
                    }
                }
                *out = match best {
                    None => objective.dead(word),
                    Some((_, _, value)) => objective.state(value, word),
                };
            },
        );
    }
}
