//! Paper against ours: the rows of the table.
//!
//! The interval of an arm is over its seeds, by Student's t; of a single seed over its games. A
//! claim is judged by the differences of the seeds, each arm with the same seed.

use std::fmt;

use super::describe::{Claim, ClaimKind, Experiment, ExperimentError, Published};
use super::results::{Results, RunResult};
use crate::distributions::student_bound;

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What is compared.
    pub what: String,
    /// What the paper says.
    pub paper: String,
    /// Our mean, of the scores or of the differences.
    pub ours: Option<f64>,
    /// Half the width of its 95 % interval.
    pub ci95: Option<f64>,
    /// How many seeds it is of.
    pub seeds: usize,
    /// What follows.
    pub verdict: Verdict,
}

/// What a row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within the intervals.
    Agrees,
    /// Ours is larger.
    Above,
    /// Ours is smaller.
    Below,
    /// The ordering shows.
    Shown,
    /// The ordering is the other way round.
    Contrary,
    /// The interval holds 0.
    Undecided,
    /// None was expected, or nothing, and the interval holds 0.
    NoDifference,
    /// None was expected, but there is one.
    Difference,
    /// Nothing was expected; the first is better.
    First,
    /// Nothing was expected; the second is better.
    Second,
    /// The paper's number is of more games than this scale has.
    Shorter,
    /// The runs are not done.
    Missing,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Agrees => "agrees",
            Verdict::Above => "ours is above",
            Verdict::Below => "ours is below",
            Verdict::Shown => "shown",
            Verdict::Contrary => "the other way round",
            Verdict::Undecided => "not decided",
            Verdict::NoDifference => "no difference found",
            Verdict::Difference => "a difference",
            Verdict::First => "the first is better",
            Verdict::Second => "the second is better",
            Verdict::Shorter => "a shorter run",
            Verdict::Missing => "not run yet",
        })
    }
}

/// The rows of an experiment at a scale: published numbers, then claims.
pub fn rows(
    experiment: &Experiment,
    scale: &str,
    results: &Results,
) -> Result<Vec<Row>, ExperimentError> {
    let mut rows = Vec::new();
    let runs_here = |name: &str| experiment.arms(scale).any(|arm| arm.name == name);
    let told_here = |known: &&Published| {
        runs_here(&known.arm) && known.only.as_deref().is_none_or(|only| only == scale)
    };
    for known in experiment.published.iter().filter(told_here) {
        let runs = runs(experiment, scale, results, &known.arm)?;
        rows.push(against_paper(known, &runs));
    }
    let both = |claim: &&Claim| runs_here(&claim.better) && runs_here(&claim.worse);
    for claim in experiment.claim.iter().filter(both) {
        let better = runs(experiment, scale, results, &claim.better)?;
        let worse = runs(experiment, scale, results, &claim.worse)?;
        rows.push(ordering(claim, &better, &worse));
    }
    Ok(rows)
}

/// The runs of an arm that are done, in the order of the seeds.
pub(super) fn runs<'r>(
    experiment: &Experiment,
    scale: &str,
    results: &'r Results,
    arm: &str,
) -> Result<Vec<&'r RunResult>, ExperimentError> {
    let Some(arm) = experiment.arm.iter().find(|found| found.name == arm) else {
        return Ok(Vec::new());
    };
    let mut runs = Vec::new();
    for seed in 1..=experiment.seeds(arm, scale)? {
        let recipe = experiment.recipe(arm, scale, seed)?;
        runs.extend(results.find(&arm.name, seed, &recipe));
    }
    Ok(runs)
}

/// Mean and half the width of the 95 % interval; of one number there is no interval.
pub(super) fn mean_and_ci95(numbers: &[f64]) -> Option<(f64, Option<f64>)> {
    let count = numbers.len();
    let mean = numbers.iter().sum::<f64>() / count as f64;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    let half = (count > 1).then(|| {
        let error = (squares / (count - 1) as f64 / count as f64).sqrt();
        error * student_bound(0.05, count as u64 - 1)
    });
    (count > 0).then_some((mean, half))
}

fn against_paper(known: &Published, runs: &[&RunResult]) -> Row {
    let measure = known.measure.as_deref();
    let number = |run: &&RunResult| match known.moves {
        Some(moves) => run.mean_at_moves(moves),
        None => run.mean(measure),
    };
    let numbers: Vec<f64> = runs.iter().filter_map(number).collect();
    let found = mean_and_ci95(&numbers);
    let ours = found.map(|(mean, _)| mean);
    let of_games = || runs.first().and_then(|run| run.ci95(measure));
    let ci95 = found.and_then(|(_, half)| half.or_else(of_games));
    let shorter = |games: u64| runs.iter().any(|run| run.recipe.games < games);
    let verdict = match (ours, ci95) {
        (Some(_), _) if known.games.is_some_and(shorter) => Verdict::Shorter,
        (Some(ours), half) => {
            let room = half.unwrap_or(0.0) + known.ci95;
            match ours - known.mean {
                gap if gap.abs() <= room => Verdict::Agrees,
                gap if gap > 0.0 => Verdict::Above,
                _ => Verdict::Below,
            }
        }
        (None, _) => Verdict::Missing,
    };
    let at = match (known.moves, known.games) {
        (Some(moves), _) => format!(" at {moves} moves"),
        (None, Some(games)) => format!(" after {games} games"),
        (None, None) => String::new(),
    };
    let measure = measure.map_or(String::new(), |name| format!(", {name}"));
    let interval = if known.ci95 > 0.0 { format!(" ± {:.0}", known.ci95) } else { String::new() };
    Row {
        what: format!("{}{measure}", known.arm),
        paper: format!("{:.0}{interval}{at} ({})", known.mean, known.source),
        ours,
        ci95,
        seeds: numbers.len(),
        verdict,
    }
}

fn ordering(claim: &Claim, better: &[&RunResult], worse: &[&RunResult]) -> Row {
    let number = |run: &RunResult| {
        if claim.over_the_run {
            run.mean_over_the_run()
        } else {
            run.mean(claim.measure.as_deref())
        }
    };
    let pairs = better.iter().filter_map(|run| {
        let other = worse.iter().find(|other| other.seed == run.seed)?;
        Some(number(run)? - number(other)?)
    });
    let differences: Vec<f64> = pairs.collect();
    let found = mean_and_ci95(&differences);
    let shorter = |games: u64| better.iter().chain(worse).any(|run| run.recipe.games < games);
    let verdict = match (found, claim.kind) {
        (None, _) => Verdict::Missing,
        (Some(_), _) if claim.games.is_some_and(shorter) => Verdict::Shorter,
        // Of one seed nothing can be said.
        (Some((_, None)), _) => Verdict::Undecided,
        (Some((mean, Some(half))), kind) => match (mean > half, mean < -half, kind) {
            (true, _, ClaimKind::Better) => Verdict::Shown,
            (_, true, ClaimKind::Better) => Verdict::Contrary,
            (false, false, ClaimKind::Better) => Verdict::Undecided,
            (false, false, _) => Verdict::NoDifference,
            (_, _, ClaimKind::Equal) => Verdict::Difference,
            (true, _, ClaimKind::Open) => Verdict::First,
            (_, true, ClaimKind::Open) => Verdict::Second,
        },
    };
    let measure = claim.measure.as_deref().map_or(String::new(), |name| format!(", {name}"));
    let when = if claim.over_the_run { ", over the run" } else { "" };
    Row {
        what: format!("{} − {}{measure}{when}", claim.better, claim.worse),
        paper: claim.text.clone(),
        ours: found.map(|(mean, _)| mean),
        ci95: found.and_then(|(_, half)| half),
        seeds: differences.len(),
        verdict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::results::Point;

    const TEXT: &str = r#"
        name = "test"
        title = "A test"
        about = "Nothing."
        scale.full = { seeds = 3, recipe = { games = 1000 } }
        arm = [{ name = "a" }, { name = "b", recipe = { rate = 0.5 } }]
        [[published]]
        arm = "a"
        games = 1000
        mean = 112
        ci95 = 3
        source = "here"
        [[published]]
        arm = "a"
        games = 5000
        mean = 200
        source = "there"
        [[published]]
        arm = "b"
        moves = 50
        mean = 40
        source = "there"
        [[claim]]
        text = "a is better"
        better = "a"
        worse = "b"
    "#;

    /// Runs with one evaluation after 100 moves.
    fn results(experiment: &Experiment, means: &[(&str, u64, f64)]) -> Results {
        let run = |&(arm, seed, mean): &(&str, u64, f64)| {
            let found = experiment.arm.iter().find(|found| found.name == arm).unwrap();
            let recipe = experiment.recipe(found, "full", seed).unwrap();
            let point = Point { games: 1000, moves: 100, mean, ci95: 5.0, ..Point::default() };
            let (arm, curve, measured) = (arm.to_owned(), vec![point], vec![]);
            RunResult { arm, seed, recipe, curve, measured, seconds: 1.0 }
        };
        let mut results = Results::open(std::path::Path::new("none")).unwrap();
        results.runs = means.iter().map(run).collect();
        results
    }

    #[test]
    fn rows_by_hand() {
        let experiment = Experiment::parse(TEXT).unwrap();
        let means = [
            ("a", 1, 100.0),
            ("a", 2, 110.0),
            ("a", 3, 120.0),
            ("b", 1, 60.0),
            ("b", 2, 72.0),
            ("b", 3, 78.0),
        ];
        let rows = rows(&experiment, "full", &results(&experiment, &means)).unwrap();
        // Mean 110, deviation 10, over √3, times Student's 4.3027.
        let half = 4.302_652_7 * 10.0 / 3f64.sqrt();
        assert_eq!((rows[0].ours, rows[0].seeds), (Some(110.0), 3));
        assert!((rows[0].ci95.unwrap() - half).abs() < 1e-4);
        assert_eq!(rows[0].verdict, Verdict::Agrees);
        assert_eq!(rows[1].verdict, Verdict::Shorter);
        // 70 is 30 above 40, the interval ± 22.8.
        assert_eq!((rows[2].ours, rows[2].verdict.clone()), (Some(70.0), Verdict::Above));
        // Differences 40, 38, 42: mean 40, deviation 2.
        assert_eq!((rows[3].ours, rows[3].verdict.clone()), (Some(40.0), Verdict::Shown));
        assert!((rows[3].ci95.unwrap() - 4.302_652_7 * 2.0 / 3f64.sqrt()).abs() < 1e-4);
    }

    #[test]
    fn claims_of_no_difference_open_ones_and_those_of_longer_runs() {
        let verdict = |more: &str, a: [f64; 2], b: [f64; 2]| {
            let experiment = Experiment::parse(&format!("{TEXT}\n{more}")).unwrap();
            let means = [("a", 1, a[0]), ("a", 2, a[1]), ("b", 1, b[0]), ("b", 2, b[1])];
            rows(&experiment, "full", &results(&experiment, &means)).unwrap()[3].verdict.clone()
        };
        let (high, low) = ([50.0, 60.0], [10.0, 20.5]);
        let far = [[10.0, 90.0], [20.0, 40.0]];
        let equal = "kind = \"equal\"";
        assert_eq!(verdict(equal, high, low), Verdict::Difference);
        assert_eq!(verdict(equal, low, high), Verdict::Difference);
        assert_eq!(verdict(equal, far[0], far[1]), Verdict::NoDifference);
        let open = "kind = \"open\"";
        assert_eq!(verdict(open, high, low), Verdict::First);
        assert_eq!(verdict(open, low, high), Verdict::Second);
        assert_eq!(verdict(open, far[0], far[1]), Verdict::NoDifference);
        assert_eq!(verdict("games = 1001", high, low), Verdict::Shorter);
        assert_eq!(verdict("games = 1000", high, low), Verdict::Shown);
    }

    #[test]
    fn what_is_missing_or_unclear() {
        let experiment = Experiment::parse(TEXT).unwrap();
        let found = |means: &[(&str, u64, f64)]| {
            let rows = rows(&experiment, "full", &results(&experiment, means)).unwrap();
            (rows[0].verdict.clone(), rows[3].verdict.clone(), rows[0].ci95)
        };
        assert_eq!(found(&[]), (Verdict::Missing, Verdict::Missing, None));
        // One seed: the interval is that of its games; nothing can be said of differences.
        let one = found(&[("a", 1, 130.0), ("b", 1, 60.0)]);
        assert_eq!(one, (Verdict::Above, Verdict::Undecided, Some(5.0)));
        // Seeds that differ do not make a pair.
        assert_eq!(found(&[("a", 1, 100.0), ("b", 2, 60.0)]).1, Verdict::Missing);
        let other = [("a", 1, 50.0), ("a", 2, 51.0), ("b", 1, 60.0), ("b", 2, 61.5)];
        assert_eq!(found(&other).1, Verdict::Contrary);
    }
}
