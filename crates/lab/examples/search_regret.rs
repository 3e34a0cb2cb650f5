//! What searches lose against a much deeper one, on the same positions: far less noise than in scores of games.
//!
//! ```sh
//! cargo run --release -p maxtile-lab --example search_regret -- 500 'depth=6' 'depth=4' 'depth=5, cut=8' 'nodes=20000'
//! ```
//!
//! Arguments: how many positions, the settings of the deep search, settings to be compared. Positions come from games of three plies
//! over the default network. The regret of a move is what the deep search gives for its own choice and for this one, in points;
//! beside the mean stands the mean of regrets of at most 100 points, since single positions may cost thousands.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::time::Instant;

use maxtile_game::{Board, Game, GameSeed, Rules};
use maxtile_lab::{Agent, default_network, player_random};
use maxtile_search::{Expectimax, Limits, Policy, Query, Settings};

/// Moves of a game between two positions.
const APART: u64 = 40;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some(count), Some(deep)) =
        (arguments.first().and_then(|text| text.parse::<usize>().ok()), arguments.get(1))
    else {
        return Err("POSITIONS DEEP SETTINGS…".into());
    };
    let network = default_network().map_err(|cause| cause.to_string())?;
    let mut player = Expectimax::new(&*network, Settings::new(Limits::depth(3)))?;
    let mut boards: Vec<Board> = Vec::new();
    let mut index = 0;
    while boards.len() < count {
        let mut game = Game::new(Rules::default(), GameSeed { run: 4242, index });
        index += 1;
        let mut moves = 0;
        while let Some(found) = player.search(game.board()) {
            moves += 1;
            if moves % APART == 0 && game.board().afterstates().iter().count() > 1 {
                boards.push(game.board());
            }
            game.play(found.best);
        }
    }
    // Spread over the games, so that all stages of them count.
    let boards: Vec<Board> = (0..count).map(|i| boards[i * boards.len() / count]).collect();
    let clock = Instant::now();
    let policy = |settings: &str| -> Result<_, Box<dyn std::error::Error>> {
        Ok(Agent::parse(&format!("expectimax({settings})"), Rules::default())?.policy())
    };
    let mut judge = policy(&format!("{deep}, table=512"))?;
    let truth: Vec<[Option<f32>; 4]> =
        boards.iter().map(|&board| judge.worths(board).unwrap_or_default()).collect();
    println!(
        "{count} positions of {index} games, judged by {deep} in {:.1} s",
        clock.elapsed().as_secs_f64()
    );
    for settings in &arguments[2..] {
        let mut policy = policy(settings)?;
        let (mut regrets, mut leaves, mut differ) = (Vec::new(), 0, 0);
        let clock = Instant::now();
        for (&board, worths) in boards.iter().zip(&truth) {
            let mut query = [Query::new(board, player_random(1, 0))];
            policy.choose(&mut query);
            leaves += policy.searched().map_or(0, |searched| searched.leaves);
            let Some(choice) = query[0].answer else { continue };
            let best = worths.iter().flatten().copied().fold(f32::MIN, f32::max);
            let regret = f64::from(best - worths[choice.index()].unwrap_or(best));
            differ += usize::from(regret > 0.0);
            regrets.push(regret);
        }
        let seconds = clock.elapsed().as_secs_f64();
        let n = regrets.len() as f64;
        let mean = regrets.iter().sum::<f64>() / n;
        let spread =
            (regrets.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
        let capped = regrets.iter().map(|regret| regret.min(100.0)).sum::<f64>() / n;
        println!(
            "{settings:32} regret {mean:7.2} ± {:5.2}  at most 100 each {capped:6.2}  other moves {:5.1} %  {:8.0} leaves  {:7.3} ms",
            1.96 * spread,
            100.0 * differ as f64 / n,
            leaves as f64 / n,
            1e3 * seconds / n
        );
    }
    Ok(())
}
