//! The second way: 2×C boards counted by sorted lists, and hostile values by alpha-beta. Nothing here
//! shares ranking code with the solver.
//!
//! ```text
//! confirm plain 2x5 4092    counts of all layers up to this tile sum, by sorting
//! confirm duel 2x5 3600     hostile values of 1,000 states from this tile sum on, by alpha-beta
//! ```
#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use maxtile_game::{Board, Random, Shape};
use maxtile_solve::{Aim, Analysis, Region, Watch};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [what, board, sum] = args.as_slice() else { return println!("confirm plain|duel 2xC SUM") };
    let shape: Shape = board.parse().expect("a board such as 2x5");
    let sum: u32 = sum.parse().expect("a tile sum");
    match what.as_str() {
        "plain" if shape.rows() == 2 => plain(shape.cols(), sum),
        "duel" => duel(shape, sum),
        _ => println!("confirm plain|duel 2xC SUM"),
    }
}

/// Rows as numbers of four bits a cell, boards as two rows.
struct Rows {
    cols: usize,
    left: Vec<u32>,
    right: Vec<u32>,
    mirror: Vec<u32>,
}

impl Rows {
    fn new(cols: usize) -> Rows {
        let all = 0..1u32 << (4 * cols);
        let cell = |row: u32, c: usize| row >> (4 * c) & 15;
        let mirror = |row: u32| (0..cols).fold(0, |m, c| m | cell(row, c) << (4 * (cols - 1 - c)));
        let left = |row: u32| {
            let mut tiles: Vec<(u32, bool)> = Vec::new();
            for tile in (0..cols).map(|c| cell(row, c)).filter(|&tile| tile > 0) {
                match tiles.last_mut() {
                    // A merge to exponent 16 does not fit; no board gets there.
                    Some((last, merged)) if *last == tile && !*merged && tile < 15 => {
                        *last += 1;
                        *merged = true;
                    }
                    _ => tiles.push((tile, false)),
                }
            }
            tiles.iter().enumerate().fold(0, |row, (c, &(tile, _))| row | tile << (4 * c))
        };
        Rows {
            cols,
            left: all.clone().map(left).collect(),
            right: all.clone().map(|row| mirror(left(mirror(row)))).collect(),
            mirror: all.map(mirror).collect(),
        }
    }

    fn canonical(&self, board: u64) -> u64 {
        let bits = 4 * self.cols;
        let (a, b) = (board & ((1 << bits) - 1), board >> bits);
        let (ma, mb) = (self.mirror[a as usize] as u64, self.mirror[b as usize] as u64);
        (a | b << bits).min(b | a << bits).min(ma | mb << bits).min(mb | ma << bits)
    }

    fn slides(&self, board: u64, mut each: impl FnMut(u64)) -> bool {
        let bits = 4 * self.cols;
        let (a, b) = (board & ((1 << bits) - 1), board >> bits);
        let rows = |table: &[u32]| table[a as usize] as u64 | (table[b as usize] as u64) << bits;
        let (mut up, mut down) = (0u64, 0u64);
        for c in 0..self.cols {
            let (x, y) = (a >> (4 * c) & 15, b >> (4 * c) & 15);
            let (near, far) = match (x, y) {
                (x, y) if x == y && x > 0 => (x + 1, 0),
                (0, y) => (y, 0),
                (x, 0) => (x, 0),
                _ => (0, 0),
            };
            let (top, bottom) =
                if near == 0 { ((x, y), (x, y)) } else { ((near, far), (far, near)) };
            up |= top.0 << (4 * c) | top.1 << (4 * c + bits);
            down |= bottom.0 << (4 * c) | bottom.1 << (4 * c + bits);
        }
        let mut any = false;
        for slid in [up, rows(&self.right), down, rows(&self.left)] {
            if slid != board {
                any = true;
                each(self.canonical(slid));
            }
        }
        any
    }
}

fn plain(cols: usize, last: u32) {
    let rows = Rows::new(cols);
    let cells = 2 * cols;
    let mut open = [Vec::new(), Vec::new(), Vec::new()];
    for a in 0..cells {
        for b in 0..a {
            for (x, y) in [(1u64, 1u64), (1, 2), (2, 1), (2, 2)] {
                let board = rows.canonical(x << (4 * a) | y << (4 * b));
                open[(x + y) as usize - 2].push(board);
            }
        }
    }
    let (mut states, mut afterstates, mut terminal) = (0, 0, 0);
    let mut after = Vec::new();
    for sum in (4..=last).step_by(2) {
        let mut layer = std::mem::take(&mut open[0]);
        open.rotate_left(1);
        layer.sort_unstable();
        layer.dedup();
        after.clear();
        let mut dead = 0;
        for &board in &layer {
            dead += u64::from(!rows.slides(board, |slid| after.push(slid)));
        }
        after.sort_unstable();
        after.dedup();
        for &board in &after {
            for cell in (0..cells).filter(|cell| board & 15 << (4 * cell) == 0) {
                open[0].push(rows.canonical(board | 1 << (4 * cell)));
                open[1].push(rows.canonical(board | 2 << (4 * cell)));
            }
        }
        for list in &mut open {
            list.sort_unstable();
            list.dedup();
        }
        println!("{sum} {} {} {dead}", layer.len(), after.len());
        states += layer.len() as u64;
        afterstates += after.len() as u64;
        terminal += dead;
    }
    println!("total {states} {afterstates} {terminal}");
}

fn duel(shape: Shape, from: u32) {
    let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
    let region = Region::full(shape).expect("a board that can be analysed");
    let analysis = Analysis::new(&region, None, true, 2, watch).expect("not stopped");
    let last = analysis.totals().last_sum;
    let each = 1000u64.div_ceil(u64::from((last - from) / 2 + 1));
    let mut random = Random::new(1);
    let sums = from..=last;
    let sample = analysis.sample(Aim::Hostile, sums, each, &mut random, watch);
    let sample = sample.expect("not stopped");
    drop(analysis);
    let clock = Instant::now();
    let mut known = Bounds::new();
    let (mut wrong, mut positive) = (0, 0);
    for (board, value) in &sample {
        let found = defend(*board, -1, i64::MAX / 2, &mut known);
        wrong += u32::from(found as f64 != *value);
        positive += u32::from(found > 0);
    }
    let seconds = clock.elapsed().as_secs_f64();
    let searched = known.len();
    println!(
        "{} states ({positive} not dead), {wrong} with another value; {searched} searched, {seconds:.1} s",
        sample.len()
    );
}

/// Bounds of hostile values that were found before.
type Bounds = HashMap<Board, (i64, i64)>;

/// The points still to be had against the worst spawns, by alpha-beta: the value if it lies between
/// alpha and beta, else a bound of it on the same side.
fn defend(board: Board, alpha: i64, beta: i64, known: &mut Bounds) -> i64 {
    let key = board.canonical();
    let (low, high) = known.get(&key).copied().unwrap_or((0, i64::MAX));
    if low >= beta || low == high {
        return low;
    }
    if high <= alpha {
        return high;
    }
    let mut moves: Vec<_> = key.afterstates().iter().collect();
    moves.sort_by_key(|&(_, _, reward)| std::cmp::Reverse(reward));
    let mut best = if moves.is_empty() { 0 } else { i64::MIN };
    for (_, afterstate, reward) in moves {
        let reward = i64::from(reward);
        let floor = alpha.max(best) - reward;
        let mut worst = i64::MAX;
        for spawn in afterstate.spawns() {
            let Ok(next) = afterstate.spawn(spawn) else { continue };
            worst = worst.min(defend(next, floor, worst.min(beta - reward), known));
            if worst <= floor {
                break;
            }
        }
        best = best.max(reward + worst);
        if best >= beta {
            break;
        }
    }
    let bounds = known.entry(key).or_insert((0, i64::MAX));
    if best <= alpha {
        bounds.1 = bounds.1.min(best);
    } else if best >= beta {
        bounds.0 = bounds.0.max(best);
    } else {
        *bounds = (best, best);
    }
    best
}
