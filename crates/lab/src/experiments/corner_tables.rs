//! What the corner rule does to its players: habits by phase and over training, fallacies, the
//! ratios that runs found for themselves.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::describe::{Experiment, ExperimentError};
use super::judge::{mean_and_ci95, runs};
use super::results::{Point, Results, RunResult};
use crate::training::Switch;

/// Phases with fewer moves than this say nothing.
const FEWEST_MOVES: u64 = 1000;

/// All tables that an experiment's runs have something for.
pub(super) fn corner_tables(
    experiment: &Experiment,
    scale: &str,
    results: &Results,
) -> Result<String, ExperimentError> {
    let (mut phases, mut training) = (String::new(), String::new());
    let (mut fallacies, mut ratios) = (String::new(), String::new());
    for arm in experiment.arms(scale) {
        let runs = runs(experiment, scale, results, &arm.name)?;
        let last: Vec<&Point> = runs.iter().filter_map(|run| run.curve.last()).collect();
        // Evaluations may have counted habits that nobody asked for.
        if runs.first().is_some_and(|run| run.recipe.habits == Switch::On) {
            by_phase(&mut phases, &arm.name, &last);
            over_training(&mut training, &arm.name, &runs);
        }
        fallacy(&mut fallacies, &arm.name, &last);
        found_ratios(&mut ratios, &arm.name, &last);
    }
    let mut text = String::new();
    let mut section = |head: &str, rows: &str| {
        if !rows.is_empty() {
            let _ = writeln!(text, "\n{head}\n{}", rows.trim_end());
        }
    };
    section(
        "## Corner fallacies\n\nIn the last test games: moves that the rule changed, and those of them \
         where a search one move deeper prefers the move without the rule. Intervals are over the \
         seeds.\n\n| arm | moves | changed by the rule | fallacies among the changed |\n|---|---|---|---|",
        &fallacies,
    );
    section(
        "## Corner ratios that the runs found for themselves\n\nBy the largest tile, one number for each \
         seed.\n\n| arm | largest tile | ρ |\n|---|---|---|",
        &ratios,
    );
    section(
        "## Habits by phase\n\nIn the last test games, all seeds, by the largest tile: the four largest \
         tiles fill one edge (base), that edge is sorted (array), a largest tile stands in a corner.\n\n\
         | arm | largest tile | moves | base | array | maximum in corner |\n|---|---|---|---|---|---|",
        &phases,
    );
    section(
        "## Habits over training\n\nAll phases together, means over the seeds with their intervals.\n\n\
         | arm | games learned | base | array | maximum in corner |\n|---|---|---|---|---|",
        &training,
    );
    Ok(text)
}

const HABITS: [&str; 3] = ["base", "array", "corner"];

/// Moves, and how many of them had each habit.
#[derive(Clone, Copy, Default)]
struct Counts {
    moves: u64,
    had: [f64; 3],
}

impl Counts {
    fn add(&mut self, habit: &serde_json::Value) {
        let moves = habit["moves"].as_u64().unwrap_or(0);
        self.moves += moves;
        for (had, key) in self.had.iter_mut().zip(HABITS) {
            *had += moves as f64 * habit[key].as_f64().unwrap_or(0.0);
        }
    }

    fn percent(&self, habit: usize) -> f64 {
        100.0 * self.had[habit] / self.moves.max(1) as f64
    }
}

fn by_phase(text: &mut String, arm: &str, last: &[&Point]) {
    let mut phases: BTreeMap<u64, Counts> = BTreeMap::new();
    for habit in last.iter().flat_map(|point| &point.habits) {
        phases.entry(habit["tile"].as_u64().unwrap_or(0)).or_default().add(habit);
    }
    for (tile, counts) in phases.iter().filter(|(_, counts)| counts.moves >= FEWEST_MOVES) {
        let [base, array, corner] = [0, 1, 2].map(|habit| counts.percent(habit));
        let moves = counts.moves;
        let _ = writeln!(
            text,
            "| {arm} | {tile} | {moves} | {base:.1} % | {array:.1} % | {corner:.1} % |"
        );
    }
}

fn over_training(text: &mut String, arm: &str, runs: &[&RunResult]) {
    let length = runs.iter().map(|run| run.curve.len()).min().unwrap_or(0);
    for at in 0..length {
        let points: Vec<&Point> = runs.iter().map(|run| &run.curve[at]).collect();
        if points.iter().all(|point| point.habits.is_empty()) {
            continue;
        }
        let _ = write!(text, "| {arm} | {} ", points[0].games);
        for habit in 0..HABITS.len() {
            let shares: Vec<f64> = points.iter().map(|point| whole(point).percent(habit)).collect();
            let _ = write!(text, "| {} ", percent(&shares));
        }
        let _ = writeln!(text, "|");
    }
}

fn whole(point: &Point) -> Counts {
    let mut counts = Counts::default();
    point.habits.iter().for_each(|habit| counts.add(habit));
    counts
}

fn fallacy(text: &mut String, arm: &str, last: &[&Point]) {
    let counts: Vec<[u64; 3]> = last.iter().filter_map(|point| point.fallacy).collect();
    if counts.is_empty() {
        return;
    }
    let share = |part: usize, of: usize| {
        let shares = counts.iter().map(|c| 100.0 * c[part] as f64 / c[of].max(1) as f64);
        percent(&shares.collect::<Vec<_>>())
    };
    let moves: u64 = counts.iter().map(|count| count[0]).sum();
    let _ = writeln!(text, "| {arm} | {moves} | {} | {} |", share(1, 0), share(2, 1));
}

fn found_ratios(text: &mut String, arm: &str, last: &[&Point]) {
    let mut found: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (tile, ratio) in last.iter().flat_map(|point| &point.ratios) {
        found.entry(*tile).or_default().push(ratio.to_string());
    }
    for (tile, ratios) in found {
        let _ = writeln!(text, "| {arm} | {tile} | {} |", ratios.join(" · "));
    }
}

/// The mean of some percentages with its interval.
fn percent(shares: &[f64]) -> String {
    match mean_and_ci95(shares) {
        Some((mean, Some(half))) => format!("{mean:.1} ± {half:.1} %"),
        Some((mean, None)) => format!("{mean:.1} %"),
        None => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_are_weighed_by_moves() {
        let habit = |tile: u64, moves: u64, base: f64| {
            serde_json::json!({
                "tile": tile, "moves": moves, "base": base, "array": 0, "corner": 1
            })
        };
        let point = |base| Point {
            habits: vec![habit(8, 3000, base), habit(16, 1000, 0.0), habit(32, 10, 1.0)],
            ..Point::default()
        };
        let (one, other) = (point(0.2), point(0.4));
        let mut text = String::new();
        by_phase(&mut text, "a", &[&one, &other]);
        assert_eq!(
            text,
            "| a | 8 | 6000 | 30.0 % | 0.0 % | 100.0 % |\n| a | 16 | 2000 | 0.0 % | 0.0 % | 100.0 % |\n"
        );
        // 600 + 10 of 4010.
        assert!((whole(&one).percent(0) - 15.21).abs() < 0.01);
        assert_eq!(percent(&[10.0]), "10.0 %");
        // Deviation √2, over √2, times Student's 12.706.
        assert_eq!(percent(&[9.0, 11.0]), "10.0 ± 12.7 %");
    }

    #[test]
    fn fallacies_are_counted_over_the_seeds() {
        let point = Point { fallacy: Some([1000, 50, 20]), ..Point::default() };
        let mut text = String::new();
        fallacy(&mut text, "a", &[&point]);
        assert_eq!(text, "| a | 1000 | 5.0 % | 40.0 % |\n");
    }
}
