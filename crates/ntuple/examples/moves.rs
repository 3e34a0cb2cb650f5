//! The greedy move of a network for every position of a file of 64-bit words, one a line with its
//! worth: `moves NETWORK.w POSITIONS`. With a depth behind it the move of a search, and what each
//! move is worth. For comparing an imported network with its source.
#![allow(clippy::print_stdout)]

use std::path::Path;

use maxtile_game::{Board, Random, Shape};
use maxtile_ntuple::tdl;
use maxtile_search::{Expectimax, Greedy, Limits, Policy, Query, Settings, Value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let (network, _) = tdl::import(Path::new(&args[1]), "imported")?;
    let depth = args.get(3).map(|depth| depth.parse()).transpose()?;
    let mut search = depth
        .map(|depth| Expectimax::new(&network, Settings::new(Limits::depth(depth))))
        .transpose()?;
    let mut greedy = Greedy::new(&network);
    for word in std::fs::read(&args[2])?.as_chunks::<8>().0 {
        let word = u64::from_le_bytes(*word);
        let cells: Vec<u8> = (0..16).map(|cell| (word >> (4 * cell) & 15) as u8).collect();
        let board = Board::from_exponents(Shape::CLASSIC, &cells)?;
        if let Some(search) = &mut search {
            match search.search(board) {
                Some(found) => {
                    let worths = found.worths.map(|worth| worth.unwrap_or(f32::NEG_INFINITY));
                    let [a, b, c, d] = worths;
                    println!("{} {a:.3} {b:.3} {c:.3} {d:.3}", found.best.index());
                }
                None => println!("-1"),
            }
            continue;
        }
        let mut query = [Query::new(board, Random::new(0))];
        greedy.choose(&mut query);
        match query[0].answer.and_then(|mv| Some((mv, board.slide(mv)?))) {
            Some((mv, (afterstate, reward))) => {
                println!("{} {:.3}", mv.index(), reward as f32 + network.value(afterstate));
            }
            None => println!("-1 0.000"),
        }
    }
    Ok(())
}
