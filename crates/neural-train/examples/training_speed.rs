//! Positions learned per second: batches of 1024, squared loss, Adam.
//!
//! `training_speed [NETWORK] [THREADS] [SECONDS]`; the counterpart in `PyTorch` is `examples/training_speed.py`.
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use maxtile_game::{Grid, Random, Shape};
use maxtile_neural::{Weights, named};
use maxtile_neural_train::{Loss, Optimizer, Place, Trainer};

const BATCH: usize = 1024;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |place: usize, default| arguments.get(place).map_or(default, String::as_str);
    let name = word(0, "cnn22");
    let threads = word(1, "1").parse().expect("a number of threads");
    let time = Duration::from_secs_f64(word(2, "10").parse().expect("seconds"));
    let weights = Weights::new(named(name).expect("a network"), 1).expect("a network");
    let mut trainer =
        Trainer::new(&weights, Optimizer::Adam, Place::Cpu, threads).expect("a device");
    let mut random = Random::new(1);
    let mut board = || {
        let cells: Vec<u8> = (0..16).map(|_| random.below(8) as u8).collect();
        Grid::from_exponents(Shape::CLASSIC, &cells).expect("small tiles")
    };
    let boards: Vec<Grid> = (0..BATCH).map(|_| board()).collect();
    let targets: Vec<f32> = (0..BATCH).map(|number| (number % 7) as f32).collect();
    let mut step = || {
        trainer.learn_values(&boards, &targets, Loss::Squared, 1e-4).expect("a step");
    };
    step();
    let (start, mut steps) = (Instant::now(), 0);
    while start.elapsed() < time {
        step();
        steps += 1;
    }
    let rate = (steps * BATCH) as f64 / start.elapsed().as_secs_f64();
    println!("{name} training on {threads} threads: {rate:.0}/s ({steps} steps)");
}
