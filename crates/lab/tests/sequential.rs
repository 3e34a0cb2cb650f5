//! Simulated matches: a winner is claimed of ties no more often than designed, differences are
//! found as often as designed, and the intervals cover the truth.

use maxtile_game::Random;
use maxtile_lab::{Design, PairJudge, Verdict};

const MATCHES: u64 = 4000;

/// A score as a trained network makes them: games end near the completion of a tile, so the
/// scores lie in clusters that double, and the best games are far out.
fn score(random: &mut Random) -> i64 {
    let tile = match random.below(1000) {
        0..30 => 1024.0,
        30..120 => 2048.0,
        120..350 => 4096.0,
        350..750 => 8192.0,
        750..985 => 16384.0,
        _ => 32768.0,
    };
    // Ten to twenty points for each point of the largest tile.
    (tile * (10.0 + 10.0 * random.unit())) as i64
}

/// The mean of `score`.
fn mean_score() -> f64 {
    let shares = [0.030, 0.090, 0.230, 0.400, 0.235, 0.015];
    let tiles = [1024.0, 2048.0, 4096.0, 8192.0, 16384.0, 32768.0];
    shares.iter().zip(tiles).map(|(share, tile)| share * tile * 15.0).sum()
}

/// A difference between such scores and those of a steady agent with the same mean.
fn skewed(random: &mut Random) -> i64 {
    score(random) - (mean_score() * (0.8 + 0.4 * random.unit())) as i64
}

/// Nearly always nothing, sometimes a lot: worse than two agents can be.
fn jackpot(random: &mut Random) -> i64 {
    if random.below(10) == 0 { 90_000 } else { -10_000 }
}

struct Simulated {
    a: f64,
    b: f64,
    covered: f64,
    pairs: f64,
}

/// Plays matches whose true mean difference is `truth`.
fn simulate(most: u64, truth: f64, mut pair: impl FnMut(&mut Random) -> i64) -> Simulated {
    let design = Design::new(most);
    let (mut wins, mut covered, mut pairs) = ([0u64; 2], 0u64, 0);
    for index in 0..MATCHES {
        let mut random = Random::stream(2048, index);
        let mut judge = PairJudge::by(design.clone());
        while !judge.pair(pair(&mut random)) {}
        match judge.verdict() {
            Verdict::ABetter => wins[0] += 1,
            Verdict::BBetter => wins[1] += 1,
            Verdict::Undecided => (),
        }
        let half = judge.half_width().unwrap();
        covered += u64::from((judge.differences().mean() - truth).abs() <= half);
        pairs += judge.differences().count();
    }
    let share = |count: u64| count as f64 / MATCHES as f64;
    let [a, b] = wins.map(share);
    Simulated { a, b, covered: share(covered), pairs: share(pairs) }
}

/// Three standard deviations of a share that is measured by so many matches.
fn noise(share: f64) -> f64 {
    3.0 * (share * (1.0 - share) / MATCHES as f64).sqrt()
}

#[test]
fn ties_are_claimed_no_more_often_than_designed() {
    for most in [50, 200, 2000] {
        let tie = simulate(most, 0.0, |random| score(random) - score(random));
        assert!(tie.a + tie.b <= 0.05 + noise(0.05), "{most}: {} {}", tie.a, tie.b);
        assert!(tie.a + tie.b >= 0.05 - 2.0 * noise(0.05), "{most}: the error is not used");
        assert!(tie.covered >= 0.95 - noise(0.05), "{most}: {}", tie.covered);
    }
}

#[test]
fn skewed_ties_do_not_fool_the_match() {
    let tie = simulate(2000, 0.0, skewed);
    assert!(tie.a + tie.b <= 0.05 + noise(0.05), "{} {}", tie.a, tie.b);
    // The t statistic has its limits; docs/measuring.md says where.
    let tie = simulate(2000, 0.0, jackpot);
    assert!(tie.a + tie.b <= 0.067 + noise(0.067), "{} {}", tie.a, tie.b);
}

#[test]
fn differences_are_found_as_often_as_designed() {
    let most = 2000;
    // The spread of the difference of two scores, measured once more.
    let mut random = Random::new(1);
    let squares: f64 = (0..200_000)
        .map(|_| (score(&mut random) - score(&mut random)) as f64)
        .map(|difference| difference * difference)
        .sum();
    let spread = (squares / 200_000.0).sqrt();
    assert!((mean_score() / spread - 0.99).abs() < 0.1, "{spread}");
    let design = Design::new(most);
    for power in [0.5, 0.8, 0.95] {
        let truth = (design.effect_of_power(power) * spread).round();
        let found = simulate(most, truth, |random| score(random) - score(random) + truth as i64);
        assert!((found.a - power).abs() <= 0.01 + noise(power), "{power}: {}", found.a);
        assert!(found.b < 0.005, "{power}: {}", found.b);
        assert!(found.covered >= 0.95 - noise(0.05), "{power}: {}", found.covered);
    }
}

#[test]
fn clear_differences_end_early() {
    let truth = 120_000;
    let clear = simulate(10_000, truth as f64, |random| score(random) - score(random) + truth);
    assert!(clear.a >= 1.0 && clear.pairs < 120.0, "{} {}", clear.a, clear.pairs);
}
