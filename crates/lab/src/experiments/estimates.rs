//! What values promised against what came of it, over the judged positions of runs: tables and figures, one
//! for each group of arms.

use std::fmt::Write;

use super::describe::{Arm, Experiment, ExperimentError};
use super::judge::{mean_and_ci95, runs};
use super::results::{Point, Results, RunResult};
use crate::figure::{CurvePoint, Figure, Mark, Series};
use crate::training::EstimateReport;

/// What is drawn of a group.
type Height = fn(&Point) -> Option<f64>;

fn ratio(point: &Point) -> Option<f64> {
    point.estimates.map(|estimates| estimates.ratio())
}

/// In the games of the player that the values are about: of TD the greedy one.
fn own_ratio(point: &Point) -> Option<f64> {
    point.learning.or(point.estimates).map(|estimates| estimates.ratio())
}

fn rms(point: &Point) -> Option<f64> {
    point.estimates?.exact.map(|exact| exact.rms)
}

/// The figures of an experiment with groups and the ends of their names: promises over returns, scores, and where
/// the board is solved the error against the truth.
pub(super) fn figures(
    experiment: &Experiment,
    scale: &str,
    results: &Results,
) -> Result<Vec<(String, Figure)>, ExperimentError> {
    let kinds: [(&str, &str, bool, Height); 4] = [
        ("promises", "estimate over realised return, learning games", true, own_ratio),
        ("greedy-promises", "estimate over realised return, greedy games", true, ratio),
        ("scores", "mean score", false, |point| Some(point.mean)),
        ("errors", "root mean square error against the truth", true, rms),
    ];
    let mut figures = Vec::new();
    for group in experiment.groups() {
        for (kind, y_label, log_y, height) in kinds {
            let mut series = Vec::new();
            for arm in of_group(experiment, scale, group) {
                let runs = runs(experiment, scale, results, &arm.name)?;
                let points = curve(&runs, height);
                series.push(Series { label: short(arm, group).to_owned(), points });
            }
            let drawn = || series.iter().flat_map(|series| &series.points);
            let Some(longest) = drawn().map(|point| point.x).max_by(f64::total_cmp) else {
                continue;
            };
            let label = "what was made".to_owned();
            let promises = kind.ends_with("promises");
            let marks = vec![Mark { x: longest, y: 1.0, label }];
            let mut figure = Figure {
                title: format!("{group} ({scale} scale)"),
                x_label: "positions judged in learning".to_owned(),
                y_label: y_label.to_owned(),
                log_y,
                series,
                marks: if promises { marks } else { Vec::new() },
                ..Figure::default()
            };
            if !log_y {
                figure.thousands();
            }
            figures.push((format!("-{}-{kind}", file_name(group)), figure));
        }
    }
    Ok(figures)
}

/// A group as part of a file's name.
fn file_name(group: &str) -> String {
    group.replace('×', "x").replace(' ', "-").to_lowercase()
}

/// The arms of a group that run at a scale.
fn of_group<'a>(
    experiment: &'a Experiment,
    scale: &'a str,
    group: &'a str,
) -> impl Iterator<Item = &'a Arm> {
    experiment.arms(scale).filter(move |arm| arm.group.as_deref() == Some(group))
}

/// The name of an arm without that of its group.
fn short<'a>(arm: &'a Arm, group: &str) -> &'a str {
    arm.name.strip_suffix(group).map_or(arm.name.as_str(), str::trim_end)
}

/// The mean over the runs at each evaluation that all of them have. Runs count positions in whole blocks, so
/// that they stand at the mean of their counts.
fn curve(runs: &[&RunResult], height: Height) -> Vec<CurvePoint> {
    let length = runs.iter().map(|run| run.curve.len()).min().unwrap_or(0);
    let point = |at: usize| {
        let heights: Option<Vec<f64>> = runs.iter().map(|run| height(&run.curve[at])).collect();
        let (mean, half) = mean_and_ci95(&heights?)?;
        let x = runs.iter().map(|run| run.curve[at].positions as f64).sum::<f64>();
        let half = half.unwrap_or(0.0);
        Some(CurvePoint { x: x / runs.len() as f64, mean, low: mean - half, high: mean + half })
    };
    (0..length).filter_map(point).collect()
}

/// The table of each group at the end of its runs, with its figures.
pub(super) fn estimate_tables(
    experiment: &Experiment,
    scale: &str,
    results: &Results,
    own: &str,
) -> Result<String, ExperimentError> {
    let mut text = String::new();
    let figures = figures(experiment, scale, results)?;
    for group in experiment.groups() {
        // Writing to a string does not fail.
        let _ = writeln!(text, "## {group}\n");
        let begin = format!("-{}-", file_name(group));
        for (end, figure) in figures.iter().filter(|(end, _)| end.starts_with(&begin)) {
            let _ = writeln!(text, "![{}]({own}{end}.svg)\n", figure.y_label);
        }
        let _ = writeln!(
            text,
            "| | | | learning games | | | greedy games | | | | | | |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n\
             | learner | seeds | games | estimate | realised | ratio | estimate | realised | ratio | truth | \
             bias | RMS error | score |"
        );
        for arm in of_group(experiment, scale, group) {
            let runs = runs(experiment, scale, results, &arm.name)?;
            let last: Vec<&Point> = runs.iter().filter_map(|run| run.curve.last()).collect();
            let Some(first) = last.first() else { continue };
            let estimates: Vec<EstimateReport> = last.iter().filter_map(|p| p.estimates).collect();
            let learning: Vec<EstimateReport> = last.iter().filter_map(|p| p.learning).collect();
            let said =
                |all: &[EstimateReport], number: fn(&EstimateReport) -> Option<f64>, digits| {
                    let numbers: Option<Vec<f64>> = all.iter().map(number).collect();
                    interval(numbers.as_deref().unwrap_or_default(), digits)
                };
            let of = |number: fn(&EstimateReport) -> Option<f64>, digits| {
                said(&estimates, number, digits)
            };
            let own = |number: fn(&EstimateReport) -> Option<f64>, digits| {
                said(&learning, number, digits)
            };
            let scores: Vec<f64> = last.iter().map(|point| point.mean).collect();
            let score = match mean_and_ci95(&scores) {
                Some((mean, None)) => format!("{mean:.0} ± {:.0}", first.ci95),
                _ => interval(&scores, 0),
            };
            let mean = |count: fn(&Point) -> u64| {
                last.iter().map(|point| count(point)).sum::<u64>() / last.len() as u64
            };
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {score} |",
                short(arm, group),
                last.len(),
                mean(|point| point.games),
                own(|e| Some(e.estimate), 0),
                own(|e| Some(e.realised), 0),
                own(|e| Some(e.ratio()), 2),
                of(|e| Some(e.estimate), 0),
                of(|e| Some(e.realised), 0),
                of(|e| Some(e.ratio()), 2),
                of(|e| e.exact.map(|exact| exact.value), 0),
                of(|e| e.exact.map(|exact| exact.bias), 0),
                of(|e| e.exact.map(|exact| exact.rms), 0),
            );
        }
        let _ = writeln!(text);
    }
    if !text.is_empty() {
        let _ = writeln!(
            text,
            "Estimate, realised return and truth (best play) are means over all afterstates that were played: in \
             the last stretch of learning games, which trees play by their search and TD greedily, and in greedy test \
             games at the end of learning; ± is the 95 % interval over the seeds (Student's t). A position is \
             judged when a network is asked about it: two networks count twice.\n"
        );
    }
    Ok(text)
}

/// A mean with its interval, where there are several numbers.
fn interval(numbers: &[f64], digits: usize) -> String {
    let number = |number: f64| match number.abs() {
        large if large >= 1e6 => format!("{number:.1e}"),
        _ => format!("{number:.digits$}"),
    };
    match mean_and_ci95(numbers) {
        None => "–".to_owned(),
        Some((mean, None)) => number(mean),
        Some((mean, Some(half))) => format!("{} ± {}", number(mean), number(half)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::ExactReport;

    const TEXT: &str = r#"
        name = "test"
        title = "A test"
        about = "Nothing."
        scale.small = { seeds = 2, recipe = { games = 100 } }
        arm = [{ name = "plain 3×3", group = "3×3" }, { name = "plain 4×4", group = "4×4" }]
    "#;

    #[test]
    fn promises_are_tables_and_figures() {
        let experiment = Experiment::parse(TEXT).unwrap();
        let mut results = Results::open(std::path::Path::new("none")).unwrap();
        for (place, arm) in experiment.arm.iter().enumerate() {
            for seed in [1, 2] {
                let recipe = experiment.recipe(arm, "small", seed).unwrap();
                let exact = ExactReport { value: 90.0, bias: 110.0, rms: 120.0 };
                let exact = (place == 0).then_some(exact);
                let (estimate, realised) = (200.0 * seed as f64, 100.0);
                let estimates = Some(EstimateReport { moves: 9, estimate, realised, exact });
                let (positions, mean) = (2_000_000, 500.0);
                let learning = estimates.filter(|_| place == 0);
                let point = Point { games: 100, positions, mean, estimates, ..Point::default() };
                let point = Point { learning, ..point };
                let curve = vec![Point { positions: 1_000_000, ..point.clone() }, point];
                let (arm, measured) = (arm.name.clone(), vec![]);
                results.runs.push(RunResult { arm, seed, recipe, curve, measured, seconds: 1.0 });
            }
        }
        let text = estimate_tables(&experiment, "small", &results, "test").unwrap();
        // Student's 12.706 times half the difference.
        let line = "| plain | 2 | 100 | 300 ± 1271 | 100 ± 0 | 3.00 ± 12.71 | 300 ± 1271 | 100 ± 0 | \
                    3.00 ± 12.71 | 90 ± 0 | 110 ± 0 | 120 ± 0 | 500 ± 0 |";
        assert!(text.contains(line), "{text}");
        assert!(text.contains("| plain | 2 | 100 | – | – | – | 300 ± 1271 |"), "{text}");
        assert!(text.contains("learning games](test-3x3-promises.svg)"), "{text}");
        let figures = figures(&experiment, "small", &results).unwrap();
        let names: Vec<&str> = figures.iter().map(|(name, _)| name.as_str()).collect();
        let ends = ["promises", "greedy-promises", "scores", "errors"];
        let all = ["3x3", "4x4"].iter().flat_map(|group| ends.map(|end| format!("-{group}-{end}")));
        // 4×4 has no truth to be held against.
        assert_eq!(names, all.take(7).collect::<Vec<_>>());
        let points = &figures[0].1.series[0].points;
        assert_eq!((points[0].x, points[1].mean), (1e6, 3.0));
    }
}
