//! Training speed by rule, to be set beside another program's: `learning_speed NETWORK RULE BLOCKS [THREADS]`
//! learns blocks of 1,000 games from zero and prints the speed of each.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use maxtile_game::Rules;
use maxtile_ntuple::td::{Backward, Coherence, Delayed, OneStep, Rate, Tc, Td};
use maxtile_ntuple::{Block, Network, named, train};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let network = Network::new(named(&args[1]).expect("a named network")).expect("memory");
    let coherence = Coherence::new(&network).expect("memory");
    let blocks: u64 = args[3].parse().expect("a number of blocks");
    let threads: usize = args.get(4).map_or(1, |t| t.parse().expect("threads"));
    for block in 0..blocks {
        let block = Block {
            rules: Rules::default(),
            seed: 1,
            first: block * 1000,
            games: 1000,
            threads,
            restart: None,
        };
        let clock = Instant::now();
        let (d, t) = (Rate::Distributed(0.1), Rate::Distributed(1.0));
        let played = match args[2].as_str() {
            "td" => train(&network, &Td::new(d, &network), &OneStep, &block),
            "tc" => train(&network, &Tc::new(t, &network, &coherence), &OneStep, &block),
            "tdl" => train(&network, &Td::new(d, &network), &Delayed::new(0.5), &block),
            "tcl" => train(&network, &Tc::new(t, &network, &coherence), &Delayed::new(0.5), &block),
            "tcb" => {
                train(&network, &Tc::new(t, &network, &coherence), &Backward::new(0.5), &block)
            }
            "tcr" => train(
                &network,
                &Tc::new(t, &network, &coherence),
                &Backward::new(0.5),
                &Block { restart: Some(10), ..block },
            ),
            _ => panic!("td, tc, tdl, tcl, tcb or tcr"),
        };
        let seconds = clock.elapsed().as_secs_f64();
        let moves: u64 = played.iter().map(|p| p.all_moves).sum();
        let mean = played.iter().map(|p| p.score as f64).sum::<f64>() / played.len() as f64;
        println!(
            "{} {:.0} games {:.2} s {:.3} M/s mean {mean:.0} huge {}",
            args[2],
            block.first + 1000,
            seconds,
            moves as f64 / seconds / 1e6,
            network.huge_pages()
        );
    }
}
