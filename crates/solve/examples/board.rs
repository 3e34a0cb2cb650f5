//! `cargo run --release -p maxtile-solve --example board 3x3 [threads]`: counts and values, timed.
#![allow(clippy::print_stdout)]

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use maxtile_solve::{Aim, Analysis, Region, Watch};

fn main() {
    let mut args = std::env::args().skip(1);
    let region: Region = args.next().and_then(|a| a.parse().ok()).expect("a board such as 3x3");
    let threads = args.next().and_then(|a| a.parse().ok()).unwrap_or(1);
    let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
    let clock = Instant::now();
    let analysis = Analysis::new(&region, None, true, threads, watch).expect("not stopped");
    println!("{:?} {:.2} s", analysis.totals(), clock.elapsed().as_secs_f64());
    let more = args.next().is_some();
    let aims = if more {
        vec![Aim::Score, Aim::Hostile, Aim::Friendly, Aim::ForcedTile]
    } else {
        vec![Aim::Score]
    };
    for aim in aims {
        let clock = Instant::now();
        let value = analysis.value(aim, 0.1, watch).expect("not stopped");
        println!("{aim} {value} {:.2} s", clock.elapsed().as_secs_f64());
    }
    if more {
        let clock = Instant::now();
        println!("{:?}", analysis.score_play(0.1, watch));
        println!("{:.2} s", clock.elapsed().as_secs_f64());
    }
}
