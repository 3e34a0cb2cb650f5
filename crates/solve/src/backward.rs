//! Values, from the last layer to the first: afterstates from the states of the next two layers,
//! states from their afterstates.

use crate::bits::Directory;
use crate::objective::{Objective, empty_cells, movable};
use crate::rank::{Rank, WithRank, with_rank};
use crate::region::MAX_FREE;
use crate::slide::holds;
use crate::space::{BATCH, Layer, Space};
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
    const HOT: bool = R::HOT;
    #[inline(always)]
    fn run(self) {
        let Afterstates { space, rank, objective, layer, boards: set, next, range, out } = self;
        let free = space.geometry.free;
        let mut scan = space.scan(layer, set, range);
        let mut boards = [0; BATCH];
        let mut twos = [0; MAX_FREE * BATCH];
        let mut fours = [0; MAX_FREE * BATCH];
        let mut out = out.iter_mut();
        loop {
            let count = scan.fill(&mut boards);
            let mut filled = 0;
            for &board in &boards[..count] {
                if O::SETTLES && objective.settled(movable(board, free)).is_some() {
                    continue;
                }
                let mut empty = empty_cells(board, free);
                while empty != 0 {
                    let one = empty & empty.wrapping_neg();
                    empty ^= one;
                    twos[filled] = board | one;
                    fours[filled] = board | one << 1;
                    filled += 1;
                }
            }
            // Loops of their own, so that the compiler can turn them into vector code.
            for spawned in &mut twos[..filled] {
                *spawned = rank.prepare(*spawned);
            }
            for spawned in &mut fours[..filled] {
                *spawned = rank.prepare(*spawned);
            }
            for spawned in &mut twos[..filled] {
                *spawned = next[0].boards.index(rank.number(&next[0].layer, *spawned)) as u64;
            }
            for spawned in &mut fours[..filled] {
                *spawned = next[1].boards.index(rank.number(&next[1].layer, *spawned)) as u64;
            }
            let mut spawned = twos[..filled].iter().zip(&fours[..filled]);
            for (&board, out) in boards[..count].iter().zip(&mut out) {
                let word = movable(board, free);
                if O::SETTLES
                    && let Some(value) = objective.settled(word)
                {
                    *out = value;
                    continue;
                }
                let cells = empty_cells(board, free).count_ones();
                let mut sum = objective.nothing();
                for (&two, &four) in spawned.by_ref().take(cells as usize) {
                    let two = next[0].values[two as usize];
                    let four = next[1].values[four as usize];
                    objective.cell(&mut sum, two, four);
                }
                *out = objective.afterstate(sum, cells, word);
            }
            if count < BATCH {
                return;
            }
        }
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

/// The best move of a state so far.
#[derive(Clone, Copy)]
struct Best<V> {
    worth: f64,
    /// The number of its afterstate, which decides between equals.
    number: u32,
    value: V,
}

impl<R: Rank, O: Objective> Work for States<'_, R, O> {
    type Out = ();
    const HOT: bool = R::HOT;
    #[inline(always)]
    fn run(self) {
        let States { space, rank, objective, layer, boards: set, after, range, out } = self;
        let (directory, values) = after;
        let free = space.geometry.free;
        let goal = space.goal.map_or(0, u64::from);
        let mut scan = space.scan(layer, set, range);
        let mut boards = [0; BATCH];
        let mut slid = [0; BATCH];
        let mut moved = [0; 4 * BATCH];
        let mut owners = [0u8; 4 * BATCH];
        let mut out = out.iter_mut();
        let none = Best { worth: f64::NEG_INFINITY, number: u32::MAX, value: O::Value::default() };
        loop {
            let count = scan.fill(&mut boards);
            let mut best = [none; BATCH];
            let mut filled = 0;
            for mv in 0..4 {
                space.geometry.slide_all(&boards, mv, &mut slid);
                for i in 0..count {
                    if goal != 0 && slid[i] != boards[i] && holds(slid[i], goal) {
                        // The goal stands: this afterstate was not enumerated.
                        if let Some(value) = objective.settled(movable(slid[i], free)) {
                            best[i] = Best { worth: objective.worth(value), number: 0, value };
                        }
                        continue;
                    }
                    moved[filled] = slid[i];
                    owners[filled] = i as u8;
                    filled += usize::from(slid[i] != boards[i]);
                }
            }
            for board in &mut moved[..filled] {
                *board = rank.prepare(*board);
            }
            for board in &mut moved[..filled] {
                let number = rank.number(layer, *board);
                *board = (directory.index(number) as u64) << 32 | u64::from(number);
            }
            for (&packed, &owner) in moved[..filled].iter().zip(&owners) {
                let value = values[(packed >> 32) as usize];
                let (worth, number) = (objective.worth(value), packed as u32);
                let best = &mut best[owner as usize];
                if !O::FOLLOWS {
                    // Without a branch: which move is best is what no predictor can know.
                    *best = Best { worth: best.worth.max(worth), number: 0, value };
                    continue;
                }
                let better = if (worth - best.worth).abs() <= TIE * worth.abs() {
                    number < best.number
                } else {
                    worth > best.worth
                };
                if better {
                    *best = Best { worth, number, value };
                }
            }
            for ((&board, best), out) in boards[..count].iter().zip(&best).zip(&mut out) {
                let word = movable(board, free);
                let settled = if O::SETTLES { objective.settled(word) } else { None };
                *out = match settled {
                    Some(value) => value,
                    None if best.number == u32::MAX => objective.dead(word),
                    None if O::FOLLOWS => best.value,
                    None => objective.of_worth(best.worth),
                };
            }
            if count < BATCH {
                return;
            }
        }
    }
}
