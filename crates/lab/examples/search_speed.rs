//! How fast the default network is searched, and whether the table ever lies.
//!
//! ```sh
//! cargo run --release -p maxtile-lab --example search_speed -- speed 3 0     # depth, fours
//! cargo run --release -p maxtile-lab --example search_speed -- compare 3 10  # depth, million leaves
//! ```
//!
//! `speed` plays for some seconds on one thread, after a while that does not count, and prints moves, leaves and table hits. `compare`
//! searches every position of a game with and without the table until so many leaves were judged
//! without it, and counts values that differ in a single bit.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::time::{Duration, Instant};

use maxtile_game::{Game, GameSeed, Rules};
use maxtile_lab::default_network;
use maxtile_search::{Expectimax, Limits, Settings, TreeShape};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).and_then(|text| text.parse::<u64>().ok());
    let (Some(mode), Some(depth), Some(third)) = (arguments.first(), number(1), number(2)) else {
        return Err("speed DEPTH FOURS, or compare DEPTH MILLIONS".into());
    };
    let network = default_network().map_err(|cause| cause.to_string())?;
    let wide = Settings::new(Limits::depth(depth as u8));
    if mode == "compare" {
        let mut with = Expectimax::new(&*network, wide)?;
        let mut without = Expectimax::new(&*network, Settings { table: 0, ..wide })?;
        let (mut leaves, mut nodes, mut hits, mut different, mut index) = (0u64, 0, 0, 0, 0);
        while leaves < third * 1_000_000 {
            let mut game = Game::new(Rules::default(), GameSeed { run: 77, index });
            index += 1;
            while let (Some(a), Some(b)) = (with.search(game.board()), without.search(game.board()))
            {
                let bits = |worths: [Option<f32>; 4]| worths.map(|worth| worth.map(f32::to_bits));
                different += u64::from(bits(a.worths) != bits(b.worths));
                leaves += b.counts.leaves;
                nodes += b.counts.nodes;
                hits += a.counts.hits;
                if leaves >= third * 1_000_000 {
                    break;
                }
                game.play(a.best);
            }
        }
        println!(
            "{leaves} leaves, {nodes} nodes without the table, {hits} hits with it, {different} positions differ"
        );
        return Ok(());
    }
    let shape = TreeShape { fours: third as u8, ..wide.shape };
    let mut search = Expectimax::new(&*network, Settings { shape, ..wide })?;
    // All three sets of weights unpacked, and the table's memory there.
    for position in ["3300200010000000", "fe00200010000000", "e300200010000000"] {
        search.search(position.parse()?);
    }
    let mut game = Game::new(Rules::default(), GameSeed { run: 77, index: 0 });
    let clock = Instant::now();
    while clock.elapsed() < Duration::from_secs(2) {
        let Some(found) = search.search(game.board()) else { break };
        game.play(found.best);
    }
    let mut game = Game::new(Rules::default(), GameSeed { run: 78, index: 0 });
    let (mut moves, mut leaves, mut lookups, mut hits) = (0u64, 0, 0, 0);
    let clock = Instant::now();
    while clock.elapsed() < Duration::from_secs(5) {
        let Some(found) = search.search(game.board()) else {
            game = Game::new(Rules::default(), GameSeed { run: 78, index: moves });
            continue;
        };
        moves += 1;
        leaves += found.counts.leaves;
        lookups += found.counts.lookups;
        hits += found.counts.hits;
        game.play(found.best);
    }
    let seconds = clock.elapsed().as_secs_f64();
    let rate = |count: u64| count as f64 / seconds;
    println!(
        "depth {depth}, fours {third}: {:.0} moves/s, {:.2} million leaves/s, {:.0} leaves a move, {:.1} % table hits",
        rate(moves),
        rate(leaves) / 1e6,
        leaves as f64 / moves as f64,
        100.0 * hits as f64 / lookups.max(1) as f64
    );
    Ok(())
}
