//! How long a warm question takes: `ask FILE` draws afterstates of a solved board and looks each up.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::Instant;

use maxtile_game::{Afterstate, Board, Random};
use maxtile_solve::Table;

const QUESTIONS: usize = 1 << 20;

fn main() {
    let file = std::env::args().nth(1).expect("a solved board");
    let table = Table::open(Path::new(&file)).expect("a solved board");
    table.verify().expect("an undamaged one");
    let mut random = Random::new(1);
    let mut boards: Vec<Board> = Vec::new();
    let mut afterstates: Vec<Afterstate> = Vec::new();
    while afterstates.len() < QUESTIONS {
        let board = table.random_state(&mut random).expect("a state");
        if let Some((_, afterstate, _)) = board.afterstates().iter().next() {
            boards.push(board);
            afterstates.push(afterstate);
        }
    }
    for round in 0..5 {
        let clock = Instant::now();
        let sum: f64 = afterstates.iter().map(|&a| table.afterstate(a).expect("a value")).sum();
        let one = clock.elapsed().as_nanos() as f64 / QUESTIONS as f64;
        let clock = Instant::now();
        let states: f64 = boards.iter().map(|&b| table.value(b).expect("a value")).sum();
        let all = clock.elapsed().as_nanos() as f64 / QUESTIONS as f64;
        println!(
            "round {round}: afterstate {one:.0} ns, state with its moves {all:.0} ns ({sum} {states})"
        );
    }
}
