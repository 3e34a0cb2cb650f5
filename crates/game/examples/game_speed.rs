//! Speed of the two hot loops of the crate, to be set beside another program's.
//!
//! `game_speed random N` plays N random legal moves; `game_speed four N` computes all slides of N positions
//! out of 65,536; `game_speed boards FILE` writes those positions as little-endian words.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use maxtile_game::{Afterstate, Board, Random, Rules};

fn random_play(moves: u64) {
    let rules = Rules::default();
    let mut random = Random::new(1);
    let (mut played, mut games, mut points) = (0, 0u64, 0u64);
    let clock = Instant::now();
    while played < moves {
        let mut board = rules.start(&mut random);
        loop {
            let legal = board.legal_moves();
            let Some(mv) = legal.nth(random.below(legal.len() as u64) as usize) else { break };
            let Some((afterstate, reward)) = board.slide(mv) else { break };
            points += reward as u64;
            played += 1;
            board = rules.law.spawn(afterstate, &mut random);
        }
        games += 1;
    }
    let rate = played as f64 / clock.elapsed().as_secs_f64() / 1e6;
    println!("random {rate:.3} Mmoves/s mean {:.1}", points as f64 / games as f64);
}

/// Positions of a player that looks two plies ahead for a sorted snake of tiles: like those that
/// learning and search meet, unlike those of random play, which are all small.
fn sample_boards() -> Vec<Board> {
    const SNAKE: [i32; 16] = [15, 14, 13, 12, 8, 9, 10, 11, 7, 6, 5, 4, 0, 1, 2, 3];
    let order = |a: Afterstate| -> f64 {
        (0..16).map(|cell| a.tile(cell) as f64 * 4f64.powi(SNAKE[cell])).sum()
    };
    let best =
        |board: Board| board.afterstates().iter().map(|(_, a, _)| order(a)).fold(0.0, f64::max);
    let rules = Rules::default();
    let outlook = |a: Afterstate| -> f64 {
        let worth = |(spawn, p)| a.spawn(spawn).map_or(0.0, |board| p * best(board));
        rules.law.outcomes(a).map(worth).sum()
    };
    let mut boards = Vec::new();
    for game in 0.. {
        let mut random = Random::stream(2, game);
        let mut board = rules.start(&mut random);
        loop {
            boards.push(board);
            let slides = board.afterstates();
            let choice = slides.iter().max_by(|a, b| outlook(a.1).total_cmp(&outlook(b.1)));
            let Some((_, afterstate, _)) = choice else { break };
            board = rules.law.spawn(afterstate, &mut random);
        }
        if boards.len() >= 1 << 16 {
            break;
        }
    }
    boards.truncate(1 << 16);
    boards
}

fn four(rounds: u64, boards: &[Board]) {
    let clock = Instant::now();
    let mut sum = 0u64;
    for i in 0..rounds {
        let slides = boards[i as usize & 65535].afterstates();
        let n = slides.nibbles();
        sum = sum.wrapping_add(n[0] ^ n[1].wrapping_mul(3) ^ n[2].wrapping_mul(5) ^ n[3]);
        sum += slides.rewards().iter().sum::<u32>() as u64 + slides.legal().bits() as u64;
    }
    black_box(sum);
    let rate = rounds as f64 / clock.elapsed().as_secs_f64() / 1e6;
    println!("four {rate:.3} Mboards/s");
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |i: usize| args.get(i).and_then(|n| n.parse().ok()).unwrap_or(30_000_000);
    match args.get(1).map(String::as_str) {
        Some("random") => random_play(number(2)),
        Some("boards") => {
            let words: Vec<u8> =
                sample_boards().iter().flat_map(|b| b.nibbles().to_le_bytes()).collect();
            std::fs::write(&args[2], words).expect("writable");
        }
        Some("four") => {
            four(number(2), &sample_boards());
        }
        _ => println!("game_speed random|four|boards"),
    }
}
