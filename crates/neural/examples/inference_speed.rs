//! Positions per second of wall time and of CPU time, one thread.
//!
//! `inference_speed [cnn22|ppo] [full|half|leaves] [KERNELS] [SECONDS]`; `leaves` is the memory of patches on the
//! leaves of 2-ply searches. The counterpart in `PyTorch` is `examples/inference_speed.py`.
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use maxtile_game::{Grid, Random, Rules};
use maxtile_neural::{Kernels, Network, Precision, Weights, named};

const BATCHES: [usize; 4] = [1, 4, 64, 1024];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |place: usize, default| arguments.get(place).map_or(default, String::as_str);
    let name = if word(0, "cnn22") == "ppo" { "ppo-afterstate" } else { word(0, "cnn22") };
    let precision = if word(1, "full") == "half" { Precision::Half } else { Precision::Full };
    let kernels = Kernels::available().into_iter().find(|kernels| kernels.name() == word(2, ""));
    let kernels = kernels.unwrap_or(Kernels::best());
    let time = Duration::from_secs_f64(word(3, "1").parse().expect("seconds"));
    let weights = Weights::new(named(name).expect("a network"), 1).expect("a network");
    let network = || Network::with_kernels(&weights, precision, kernels);
    if word(1, "full") == "leaves" {
        for (how, network) in [("with", network()), ("without", network().without_patches())] {
            for side_by_side in [1, 64] {
                let (rate, cpu) = leaves(&network, time, side_by_side);
                println!(
                    "{name} {} leaves {how} patches, b{side_by_side}: {rate:.0}/s, {cpu:.0}/cpu-s",
                    kernels.name()
                );
            }
        }
        return;
    }
    let network = network().without_patches();
    let boards = positions(1024);
    for batch in BATCHES {
        let (rate, cpu) = measure(&network, &boards, batch, time);
        println!("{name} {} {precision:?} b{batch}: {rate:.0}/s, {cpu:.0}/cpu-s", kernels.name());
    }
}

/// Positions of random games.
fn positions(count: usize) -> Vec<Grid> {
    let rules = Rules::default();
    let mut random = Random::stream(1, 0);
    let mut board = rules.start(&mut random);
    let mut all = Vec::new();
    while all.len() < count {
        let slides = board.afterstates();
        let moves: Vec<_> = slides.iter().collect();
        if moves.is_empty() {
            board = rules.start(&mut random);
            continue;
        }
        let (_, afterstate, _) = moves[random.below(moves.len() as u64) as usize];
        all.push(afterstate.grid());
        board = rules.law.spawn(afterstate, &mut random);
    }
    all
}

fn measure(network: &Network, boards: &[Grid], batch: usize, time: Duration) -> (f64, f64) {
    let mut context = network.context();
    let mut sum = 0.0;
    let mut run = |chunk: &[Grid]| {
        network.run(&mut context, chunk.iter().copied(), |_, outputs| sum += outputs[0]);
    };
    boards.chunks(batch).take(20).for_each(&mut run);
    let (start, cpu, mut count) = (Instant::now(), cpu_seconds(), 0);
    while start.elapsed() < time {
        for chunk in boards.chunks(batch) {
            run(chunk);
            count += chunk.len();
            if start.elapsed() >= time {
                break;
            }
        }
    }
    assert!(sum.is_finite());
    (count as f64 / start.elapsed().as_secs_f64(), count as f64 / (cpu_seconds() - cpu))
}

/// The leaves of the 2-ply searches of one game of a player that likes empty cells.
fn leaves(network: &Network, time: Duration, batch: usize) -> (f64, f64) {
    let rules = Rules::default();
    let mut random = Random::stream(1, 0);
    let mut board = rules.start(&mut random);
    let mut sets = Vec::new();
    loop {
        let slides = board.afterstates();
        let best =
            slides.iter().max_by_key(|(_, after, reward)| after.empty_count() as u32 * 8 + reward);
        let Some((_, afterstate, _)) = best else { break };
        let mut set: Vec<Grid> = Vec::new();
        for (_, after, _) in slides.iter() {
            for spawn in after.spawns() {
                let next = after.spawn(spawn).expect("a spawn of its own");
                set.extend(next.afterstates().iter().map(|(_, leaf, _)| leaf.grid()));
            }
        }
        // The search looks at each different leaf of a node once.
        set.sort_unstable_by_key(|grid| (grid.nibbles(), grid.high()));
        set.dedup();
        sets.push(set);
        board = rules.law.spawn(afterstate, &mut random);
    }
    let all: Vec<Grid> = sets.into_iter().flatten().collect();
    measure(network, &all, batch, time)
}

/// User and system time of this process.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2).flat_map(str::parse::<f64>).sum::<f64>();
    ticks / 100.0
}
