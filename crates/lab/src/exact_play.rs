//! Games of the best player against what is known of them exactly: mean and deviation of the score,
//! length, chances of tiles.

use maxtile_solve::ScorePlay;

use crate::distributions::normal_bound;
use crate::stats::Played;

/// One exact number and what the games say of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// What it is.
    pub what: String,
    /// As it is.
    pub exact: f64,
    /// As the games have it.
    pub played: f64,
    /// The interval of the games.
    pub interval: [f64; 2],
}

impl Compared {
    /// Is the exact number in the interval of the games?
    pub fn agrees(&self) -> bool {
        // Sums of a million numbers carry no more digits than this.
        let slack = 1e-9 * self.exact.abs();
        (self.interval[0] - slack..=self.interval[1] + slack).contains(&self.exact)
    }

    fn symmetric(what: &str, exact: f64, played: f64, half: f64) -> Compared {
        let interval = [played - half, played + half];
        Compared { what: what.to_owned(), exact, played, interval }
    }
}

/// How likely it is that any interval misses although everything is right.
const MISS: f64 = 0.05;

/// Compares games of the best player with the exact numbers. The intervals hold all together with a
/// probability of 95 %: each is wider than if it were alone.
pub fn against_exact(exact: &ScorePlay, games: &[Played]) -> Vec<Compared> {
    let n = games.len() as f64;
    let z = normal_bound(MISS / (3 + exact.reach.len()) as f64);
    let mean_of = |f: &dyn Fn(&Played) -> f64| games.iter().map(f).sum::<f64>() / n;
    let mean = mean_of(&|game| f64::from(game.score));
    let power = |p: i32| mean_of(&|game| (f64::from(game.score) - mean).powi(p));
    let (variance, fourth) = (power(2) * n / (n - 1.0), power(4));
    let moves = mean_of(&|game| f64::from(game.moves));
    let moves_spread = mean_of(&|game| (f64::from(game.moves) - moves).powi(2)).sqrt();
    let half = |spread: f64| z * spread / n.sqrt();
    let mut rows = vec![
        Compared::symmetric("mean score", exact.mean, mean, half(variance.sqrt())),
        Compared::symmetric(
            "variance of the score",
            exact.variance,
            variance,
            half((fourth - variance * variance).max(0.0).sqrt()),
        ),
        Compared::symmetric("moves", exact.moves, moves, half(moves_spread)),
    ];
    for &(exponent, chance) in &exact.reach {
        let reached = games.iter().filter(|game| game.max_exponent >= exponent).count() as f64;
        rows.push(Compared {
            what: format!("reaches {}", 1u32 << exponent),
            exact: chance,
            played: reached / n,
            interval: wilson(reached, n, z),
        });
    }
    rows
}

/// Wilson's interval of a share, which holds near 0 and 1 too.
fn wilson(reached: f64, n: f64, z: f64) -> [f64; 2] {
    let share = reached / n;
    let middle = share + z * z / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + z * z / n;
    [((middle - half) / whole).max(0.0), ((middle + half) / whole).min(1.0)]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use maxtile_game::Rules;
    use maxtile_solve::{Analysis, Problem, Table};

    use super::*;
    use crate::{Agent, ExactPlayer, Setting, Until, evaluate};

    #[test]
    fn games_on_2x3_agree_with_the_sweep_and_not_with_another() {
        let rules = Rules { shape: "2x3".parse().unwrap(), ..Rules::default() };
        let watch = maxtile_solve::Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let problem = Problem::score("2x3".parse().unwrap());
        let table = Arc::new(Table::in_memory(&problem, 1, watch).unwrap());
        let analysis = Analysis::new(&problem.region, None, true, 1, watch).unwrap();
        let mut exact = analysis.score_play(0.1, watch).unwrap();
        let player = ExactPlayer::new(table);
        let agent = Agent::new("exact", move || player.clone());
        let setting = Setting { rules, seed: 1, threads: 2 };
        let watch = crate::Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let games = evaluate(&agent, &setting, Until::Games(20_000), false, &watch).games;
        let rows = against_exact(&exact, &games);
        assert_eq!(rows.len(), 9);
        assert!(rows.iter().all(Compared::agrees), "{rows:?}");
        // The test can tell: five points more are noticed, and so is a tile that comes more often.
        exact.mean += 5.0;
        exact.reach[5].1 += 0.01;
        let rows = against_exact(&exact, &games);
        let wrong: Vec<&str> =
            rows.iter().filter(|row| !row.agrees()).map(|row| row.what.as_str()).collect();
        assert_eq!(wrong, ["mean score", "reaches 128"]);
    }

    #[test]
    fn shares_near_the_ends() {
        let [low, high] = wilson(0.0, 1e6, 3.0);
        assert!(low == 0.0 && (8e-6..1e-5).contains(&high));
        let [low, high] = wilson(1e6, 1e6, 3.0);
        assert!(high == 1.0 && (1.0 - 1e-5..1.0 - 8e-6).contains(&low));
    }
}
