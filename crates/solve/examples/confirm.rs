//! The second way: 2×C boards counted by sorted lists, and hostile values by alpha-beta. Nothing here
//! shares ranking code with the solver.
//!
//! ```text
//! confirm plain 2x5 4092    counts of all layers up to this tile sum, by sorting
//! confirm duel 2x5 2048     a hostile value from each layer above this tile sum, by alpha-beta
//! ```
#![allow(clippy::print_stdout)]

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
    let mut random = Random::new(1);
    let sums = from..=u32::MAX;
    let sample = analysis.sample(Aim::Hostile, sums, 1, &mut random, watch).expect("not stopped");
    drop(analysis);
    let clock = Instant::now();
    let wrong =
        sample.iter().filter(|(board, value)| f64::from(defend(*board, 0, u32::MAX)) != *value);
    let wrong = wrong.count();
    let seconds = clock.elapsed().as_secs_f64();
    println!("{} states, {wrong} with another value, {seconds:.1} s", sample.len());
}

/// The points still to be had against the worst spawns, by alpha-beta.
fn defend(board: Board, mut alpha: u32, beta: u32) -> u32 {
    let mut best = 0;
    let mut moves: Vec<_> = board.afterstates().iter().collect();
    moves.sort_by_key(|&(_, _, reward)| std::cmp::Reverse(reward));
    for (_, afterstate, reward) in moves {
        let mut worst = beta.saturating_sub(reward);
        let floor = alpha.max(best).saturating_sub(reward);
        for spawn in afterstate.spawns() {
            let Ok(next) = afterstate.spawn(spawn) else { continue };
            worst = worst.min(defend(next, floor, worst));
            if worst <= floor {
                break;
            }
        }
        best = best.max(reward + worst);
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}
