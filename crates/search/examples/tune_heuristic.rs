//! How the weights of the heuristic were found: `tune_heuristic [generations] [games]`.
//!
//! The cross-entropy method: draw weights around a mean (in logarithms, so that none changes sign),
//! let each play the same games by two plies of search, and move mean and spread towards the best
//! quarter. The games of a generation are new ones, or luck with them would be learned. Afterwards
//! the found weights and the present ones play games that neither has seen.
#![allow(clippy::print_stdout, reason = "an example prints")]

use maxtile_game::{Game, GameSeed, Random, Rules};
use maxtile_search::{Expectimax, Heuristic, Limits, Settings, WEIGHTS, Weights};

const DRAWS: usize = 24;
const BEST: usize = 6;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let mut number = |usual| numbers.next().and_then(Result::ok).unwrap_or(usual);
    let (generations, games) = (number(12), number(60));
    let mut random = Random::new(1);
    let mut mean = logarithms(WEIGHTS);
    let mut spread = [0.7, 0.7, 0.7, 0.7, 0.7, 0.2];
    for generation in 0..generations {
        let draw =
            |random: &mut Random| std::array::from_fn(|i| mean[i] + spread[i] * normal(random));
        let mut drawn: Vec<[f64; 6]> = (0..DRAWS).map(|_| draw(&mut random)).collect();
        // The mean itself is always among them.
        drawn[0] = mean;
        let mut judged: Vec<(f64, [f64; 6])> =
            drawn.into_iter().map(|x| (scores(weights(x), generation, games).0, x)).collect();
        judged.sort_by(|a, b| b.0.total_cmp(&a.0));
        for i in 0..6 {
            let best = || judged[..BEST].iter().map(|(_, x)| x[i]);
            mean[i] = best().sum::<f64>() / BEST as f64;
            let variance = best().map(|x| (x - mean[i]).powi(2)).sum::<f64>() / BEST as f64;
            // Never so narrow that a lucky generation decides for ever.
            spread[i] = variance.sqrt().max(0.03);
        }
        println!("{generation}: best {:.0}, now {:?}", judged[0].0, weights(mean));
    }
    for (name, weights) in [("present", WEIGHTS), ("found", weights(mean))] {
        let (mean, error) = scores(weights, 1 << 32, 10 * games);
        println!("{name}: {mean:.0} ± {:.0}, {weights:?}", 1.96 * error);
    }
}

/// The mean score of some games by two plies, and its standard error.
fn scores(weights: Weights, run: u64, games: u64) -> (f64, f64) {
    let value = Heuristic::new(weights);
    let mut search = Expectimax::new(&value, Settings::new(Limits::depth(2))).expect("settings");
    let played: Vec<f64> = (0..games)
        .map(|index| {
            let mut game = Game::new(Rules::default(), GameSeed { run, index });
            while let Some(found) = search.search(game.board()) {
                game.play(found.best);
            }
            f64::from(game.score())
        })
        .collect();
    let mean = played.iter().sum::<f64>() / games as f64;
    let variance = played.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / games as f64;
    (mean, (variance / games as f64).sqrt())
}

fn logarithms(w: Weights) -> [f64; 6] {
    [w.empty, w.merge, w.order, w.step, w.edge, w.growth].map(|x| f64::from(x).ln())
}

fn weights(x: [f64; 6]) -> Weights {
    let [empty, merge, order, step, edge, growth] = x.map(|x| x.exp() as f32);
    Weights { empty, merge, order, step, edge, growth }
}

/// A normal number, as the sum of twelve even ones.
fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.next_u64() as f64 / u64::MAX as f64).sum::<f64>() - 6.0
}
