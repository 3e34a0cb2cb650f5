//! The page of an experiment: table, figure, every arm, the command.

use std::fmt::Write;

use super::corner_tables::corner_tables;
use super::describe::{Experiment, ExperimentError};
use super::estimates::estimate_tables;
use super::judge::{Row, Verdict, mean_and_ci95, rows, runs};
use super::results::{Results, RunResult};
use super::tile_table::tile_table;

/// The name of page and figure without their ends. The small scale, which every machine can run,
/// bears the experiment's own.
pub fn page_name(experiment: &Experiment, scale: &str) -> String {
    let name = &experiment.name;
    if scale == "small" { name.clone() } else { format!("{name}-{scale}") }
}

/// The page as Markdown.
pub fn page(
    experiment: &Experiment,
    scale: &str,
    results: &Results,
) -> Result<String, ExperimentError> {
    let (name, own) = (&experiment.name, page_name(experiment, scale));
    let mut text = String::new();
    let chosen = experiment.scale(scale)?;
    let rows = rows(experiment, scale, results)?;
    // Writing to a string does not fail.
    let _ = writeln!(text, "# {}\n\n{}\n", experiment.title, experiment.about.trim());
    let note =
        format!("**Scale `{scale}`**, {}. {}", seeds(experiment, scale)?, chosen.note.trim());
    let _ = writeln!(text, "{}\n", note.trim());
    let _ = writeln!(text, "```sh\nmaxtile reproduce {name} --scale {scale}\n```\n");
    if !rows.is_empty() {
        let _ = writeln!(text, "**Verdict.** {}\n", verdict(&rows));
    }
    if !chosen.remark.is_empty() {
        let _ = writeln!(text, "{}\n", chosen.remark.trim());
    }
    if !rows.is_empty() {
        let _ = writeln!(
            text,
            "| | paper | ours | 95 % interval | seeds | verdict |\n|---|---|---|---|---|---|"
        );
        for row in &rows {
            let (ours, interval) = numbers(row);
            let Row { what, paper, seeds, verdict, .. } = row;
            let _ =
                writeln!(text, "| {what} | {paper} | {ours} | {interval} | {seeds} | {verdict} |");
        }
        let _ = writeln!(
            text,
            "\nIntervals are over the seeds (Student's t), of a single seed over its games. A difference \
             is that of runs with the same seed{}.\n",
            if experiment.claim.iter().any(|claim| claim.over_the_run) {
                "; over the run means the mean of all evaluations: who learns faster"
            } else {
                ""
            }
        );
    }
    optimum(&mut text, experiment, scale, results)?;
    if experiment.groups().is_empty() {
        let _ = writeln!(text, "![learning curves]({own}.svg)\n");
    }
    text.push_str(&estimate_tables(experiment, scale, results, &own)?);
    arms(&mut text, experiment, scale, results)?;
    text.push_str(&tile_table(experiment, scale, results)?);
    text.push_str(&corner_tables(experiment, scale, results)?);
    let _ = writeln!(
        text,
        "\nRaw results: [{name}-{scale}.jsonl]({name}-{scale}.jsonl); the command writes page and figure \
         from them and runs only what is missing."
    );
    Ok(text)
}

/// How many seeds there are, and of which arms other numbers.
fn seeds(experiment: &Experiment, scale: &str) -> Result<String, ExperimentError> {
    let mut text = match experiment.scale(scale)?.seeds {
        1 => "one seed".to_owned(),
        seeds => format!("{seeds} seeds"),
    };
    for arm in experiment.arms(scale) {
        if let Some(own) = arm.seeds.get(scale) {
            let _ = write!(text, ", of {} {own}", arm.name);
        }
    }
    Ok(text)
}

/// How many rows say what, in one sentence.
fn verdict(rows: &[Row]) -> String {
    let count =
        |wanted: &[Verdict]| rows.iter().filter(|row| wanted.contains(&row.verdict)).count();
    let parts = [
        ("shown", &[Verdict::Shown][..]),
        ("not decided", &[Verdict::Undecided]),
        ("the other way round", &[Verdict::Contrary]),
        ("without a difference where none was said", &[Verdict::NoDifference]),
        ("with a difference where none was said", &[Verdict::Difference]),
        ("open questions answered", &[Verdict::First, Verdict::Second]),
        ("not run yet", &[Verdict::Missing]),
        ("numbers that agree", &[Verdict::Agrees]),
        ("numbers that do not agree", &[Verdict::Above, Verdict::Below]),
        ("numbers of longer runs than ours", &[Verdict::Shorter]),
    ];
    let said = parts.iter().map(|(what, wanted)| (what, count(wanted)));
    let said: Vec<String> = said
        .filter(|(_, count)| *count > 0)
        .map(|(what, count)| format!("{count} {what}"))
        .collect();
    format!("Of {} rows: {}.", rows.len(), said.join(", "))
}

/// How far every arm is from the optimum, at the same number of moves and at the end of its runs.
fn optimum(
    text: &mut String,
    experiment: &Experiment,
    scale: &str,
    results: &Results,
) -> Result<(), ExperimentError> {
    let Some(optimum) = &experiment.optimum else { return Ok(()) };
    let Some(&moves) = optimum.moves.get(scale) else { return Ok(()) };
    let _ = writeln!(text, "The optimum is {:.2}. After {moves} moves:\n", optimum.mean);
    gaps(text, experiment, scale, results, |run| run.mean_at_moves(moves))?;
    let _ = writeln!(text, "At the end of the runs, however long they were:\n");
    gaps(text, experiment, scale, results, |run| run.curve.last().map(|point| point.mean))
}

/// The distance of every arm from the optimum by what is read off its runs, the nearest first.
fn gaps(
    text: &mut String,
    experiment: &Experiment,
    scale: &str,
    results: &Results,
    read: impl Fn(&RunResult) -> Option<f64>,
) -> Result<(), ExperimentError> {
    let Some(optimum) = &experiment.optimum else { return Ok(()) };
    let (mut lines, mut without) = (Vec::new(), Vec::new());
    for arm in experiment.arms(scale) {
        let runs = runs(experiment, scale, results, &arm.name)?;
        let means: Vec<f64> = runs.iter().filter_map(|run| read(run)).collect();
        match mean_and_ci95(&means) {
            Some((mean, half)) => lines.push((mean, half, means.len(), &arm.name)),
            None => without.push(arm.name.as_str()),
        }
    }
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    let _ = writeln!(text, "| learner | seeds | mean score | ± | gap to the optimum | ± |");
    let _ = writeln!(text, "|---|---|---|---|---|---|");
    for (mean, half, seeds, name) in lines {
        let points = half.map_or("–".to_owned(), |half| format!("{half:.0}"));
        let share = |score: f64| 100.0 * score / optimum.mean;
        let percent = half.map_or("–".to_owned(), |half| format!("{:.1} %", share(half)));
        let gap = share(optimum.mean - mean);
        let _ =
            writeln!(text, "| {name} | {seeds} | {mean:.0} | {points} | {gap:.1} % | {percent} |");
    }
    if !without.is_empty() {
        let _ = writeln!(text, "\nWith fewer moves or not run yet: {}.", without.join(", "));
    }
    let _ = writeln!(text);
    Ok(())
}

/// Our number and its interval as text.
pub(super) fn numbers(row: &Row) -> (String, String) {
    let ours = row.ours.map_or("–".to_owned(), |mean| format!("{mean:.0}"));
    let interval = match (row.ours, row.ci95) {
        (Some(mean), Some(half)) => format!("{:.0} … {:.0}", mean - half, mean + half),
        _ => "–".to_owned(),
    };
    (ours, interval)
}

fn arms(
    text: &mut String,
    experiment: &Experiment,
    scale: &str,
    results: &Results,
) -> Result<(), ExperimentError> {
    let _ = writeln!(text, "| arm | mean score, each seed | mean | ± | 2048 | CPU minutes |");
    let _ = writeln!(text, "|---|---|---|---|---|---|");
    let (mut hours, mut neural) = (0.0, false);
    for arm in experiment.arms(scale) {
        let runs = runs(experiment, scale, results, &arm.name)?;
        neural |= runs.iter().any(|run| matches!(run.recipe.neural(), Ok(Some(_))));
        hours += runs.iter().map(|run| run.seconds).sum::<f64>() / 3600.0;
        let measures = arm.measures(scale).map(|measure| Some(measure.name.as_str()));
        for measure in std::iter::once(None).chain(measures) {
            let means: Vec<f64> = runs.iter().filter_map(|run| run.mean(measure)).collect();
            let Some((mean, half)) = mean_and_ci95(&means) else { continue };
            let half = half.or_else(|| runs[0].ci95(measure)).unwrap_or(0.0);
            let each: Vec<String> = means.iter().map(|mean| format!("{mean:.0}")).collect();
            let reached = |run: &&RunResult| run.curve.last()?.tiles.get("2048").copied();
            let wins: Vec<f64> = runs.iter().filter_map(reached).collect();
            // Where nobody got there, as on small boards, the evaluations do not name the tile.
            let win = wins.iter().sum::<f64>() / wins.len() as f64;
            let told = measure.is_none() && !wins.is_empty();
            let win = if told { format!("{:.1} %", 100.0 * win) } else { "–".to_owned() };
            let minutes = runs.iter().map(|run| run.seconds).sum::<f64>() / 60.0;
            let minutes = measure.map_or(format!("{minutes:.1}"), |_| "–".to_owned());
            let name = measure.map_or(arm.name.clone(), |m| format!("{}, {m}", arm.name));
            let each = each.join(" · ");
            let _ =
                writeln!(text, "| {name} | {each} | {mean:.0} | {half:.0} | {win} | {minutes} |");
        }
    }
    let wall = if neural {
        " Of neural networks it is the time by the wall while they learned."
    } else {
        ""
    };
    let _ = writeln!(text, "\nAll runs together: {hours:.2} CPU hours.{wall}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::results::Point;

    const TEXT: &str = r#"
        name = "test"
        title = "A test"
        about = "Nothing."
        scale.full = { seeds = 2, recipe = { games = 1000 } }
        scale.small = { seeds = 2, recipe = { games = 100 }, remark = "So it is." }
        arm = [{ name = "a" }, { name = "b" }, { name = "c", only = "full" }]
        optimum = { mean = 200, moves = { full = 50, small = 50 } }
        claim = [
            { text = "a is better", better = "a", worse = "b" },
            { text = "c is better", better = "c", worse = "b" },
        ]
    "#;

    #[test]
    fn a_page_of_its_scale_with_verdict_and_gaps() {
        let experiment = Experiment::parse(TEXT).unwrap();
        let mut results = Results::open(std::path::Path::new("none")).unwrap();
        for (arm, seed, mean) in [(0, 1, 100.0), (0, 2, 120.0), (1, 1, 40.0), (1, 2, 60.0)] {
            let found = &experiment.arm[arm];
            let recipe = experiment.recipe(found, "small", seed).unwrap();
            // Runs go on beyond the moves at which they are compared.
            let point = |moves, mean| Point { games: 100, moves, mean, ..Point::default() };
            let curve = vec![point(50, mean), point(60, mean + 20.0)];
            let (arm, measured) = (found.name.clone(), vec![]);
            results.runs.push(RunResult { arm, seed, recipe, curve, measured, seconds: 30.0 });
        }
        let page = page(&experiment, "small", &results).unwrap();
        for line in [
            "**Scale `small`**, 2 seeds.",
            "**Verdict.** Of 1 rows: 1 shown.",
            "So it is.",
            "maxtile reproduce test --scale small",
            "| a − b | a is better | 60 | 60 … 60 | 2 | shown |",
            // Half of 110 and 50: Student's 12.706 times 10.
            "| a | 2 | 110 | 127 | 45.0 % | 63.5 % |",
            "| b | 2 | 50 | 127 | 75.0 % | 63.5 % |",
            "| a | 2 | 130 | 127 | 35.0 % | 63.5 % |",
            "| b | 2 | 70 | 127 | 65.0 % | 63.5 % |",
            "![learning curves](test.svg)",
            "All runs together: 0.03 CPU hours.",
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
        assert!(!page.contains("| c "), "{page}");
        assert_eq!(page_name(&experiment, "full"), "test-full");
    }
}
