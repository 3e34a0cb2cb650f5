//! The page of an experiment: table, figure, every arm, the command.

use std::fmt::Write;

use super::describe::{Experiment, ExperimentError};
use super::judge::{Row, mean_and_ci95, rows, runs};
use super::results::{Results, RunResult};
use crate::figure::{CurvePoint, Figure, Mark, Series};

/// The learning curves of all arms, the mean over the seeds with its interval, and what was
/// published as marks; in thousands where scores are large.
pub fn figure(
    experiment: &Experiment,
    scale: &str,
    results: &Results,
) -> Result<Figure, ExperimentError> {
    let mut series = Vec::new();
    let mut longest = 0.0f64;
    for arm in &experiment.arm {
        let runs = runs(experiment, scale, results, &arm.name)?;
        let points = curve(&runs);
        longest = points.last().map_or(longest, |point| longest.max(point.x));
        series.push(Series { label: arm.name.clone(), points });
    }
    let marks = experiment.published.iter().filter(|known| known.measure.is_none());
    let mark = |known: &super::describe::Published| {
        // A longer run than ours stands at the right edge.
        let x = known.games.map_or(longest, |games| longest.min(games as f64));
        let later = known.games.filter(|games| *games as f64 > longest);
        let later = later.map_or(String::new(), |games| format!(" after {games} games"));
        Mark { x, y: known.mean, label: format!("{} ({}){later}", known.arm, known.source) }
    };
    let mut figure = Figure {
        title: experiment.title.clone(),
        x_label: "games".to_owned(),
        y_label: "mean score".to_owned(),
        log_x: false,
        series,
        marks: marks.map(mark).collect(),
    };
    figure.thousands();
    Ok(figure)
}

/// The mean over the runs at each evaluation that all of them have.
fn curve(runs: &[&RunResult]) -> Vec<CurvePoint> {
    let length = runs.iter().map(|run| run.curve.len()).min().unwrap_or(0);
    let point = |at: usize| {
        let means: Vec<f64> = runs.iter().map(|run| run.curve[at].mean).collect();
        let (mean, half) = mean_and_ci95(&means)?;
        let half = half.unwrap_or(runs[0].curve[at].ci95);
        let x = runs[0].curve[at].games as f64;
        Some(CurvePoint { x, mean, low: mean - half, high: mean + half })
    };
    (0..length).filter_map(point).collect()
}

/// The page as Markdown.
pub fn page(
    experiment: &Experiment,
    scale: &str,
    results: &Results,
) -> Result<String, ExperimentError> {
    let name = &experiment.name;
    let mut text = String::new();
    let chosen = experiment.scale(scale)?;
    let rows = rows(experiment, scale, results)?;
    // Writing to a string does not fail.
    let _ = writeln!(text, "# {}\n\n{}\n", experiment.title, experiment.about.trim());
    let note = format!("Scale `{scale}`, {} seeds. {}", chosen.seeds, chosen.note);
    let _ = writeln!(text, "{}\n", note.trim());
    let _ = writeln!(text, "```sh\nmaxtile reproduce {name} --scale {scale}\n```\n");
    if !rows.is_empty() {
        let _ =
            writeln!(text, "| | paper | ours | 95 % interval | verdict |\n|---|---|---|---|---|");
        for row in &rows {
            let (ours, interval) = numbers(row);
            let Row { what, paper, verdict, .. } = row;
            let _ = writeln!(text, "| {what} | {paper} | {ours} | {interval} | {verdict} |");
        }
        let _ = writeln!(
            text,
            "\nIntervals are over the seeds (Student's t), of a single seed over its games. A difference \
             is that of runs with the same seed.\n"
        );
    }
    let _ = writeln!(text, "![learning curves]({name}.svg)\n");
    arms(&mut text, experiment, scale, results)?;
    habits(&mut text, experiment, scale, results)?;
    let _ = writeln!(
        text,
        "\nRaw results: [{name}-{scale}.jsonl]({name}-{scale}.jsonl); the command writes page and figure \
         from them and runs only what is missing."
    );
    Ok(text)
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
    let mut hours = 0.0;
    for arm in &experiment.arm {
        let runs = runs(experiment, scale, results, &arm.name)?;
        hours += runs.iter().map(|run| run.seconds).sum::<f64>() / 3600.0;
        let measures = arm.measure.iter().map(|measure| Some(measure.name.as_str()));
        for measure in std::iter::once(None).chain(measures) {
            let means: Vec<f64> = runs.iter().filter_map(|run| run.mean(measure)).collect();
            let Some((mean, half)) = mean_and_ci95(&means) else { continue };
            let half = half.or_else(|| runs[0].ci95(measure)).unwrap_or(0.0);
            let each: Vec<String> = means.iter().map(|mean| format!("{mean:.0}")).collect();
            let reached = |run: &&RunResult| run.curve.last()?.tiles.get("2048").copied();
            let wins: Vec<f64> = runs.iter().filter_map(reached).collect();
            let win = wins.iter().sum::<f64>() / wins.len().max(1) as f64;
            let win =
                if measure.is_none() { format!("{:.1} %", 100.0 * win) } else { "–".to_owned() };
            let minutes = runs.iter().map(|run| run.seconds).sum::<f64>() / 60.0;
            let minutes = measure.map_or(format!("{minutes:.1}"), |_| "–".to_owned());
            let name = measure.map_or(arm.name.clone(), |m| format!("{}, {m}", arm.name));
            let each = each.join(" · ");
            let _ =
                writeln!(text, "| {name} | {each} | {mean:.0} | {half:.0} | {win} | {minutes} |");
        }
    }
    let _ = writeln!(text, "\nAll runs together: {hours:.2} CPU hours.");
    Ok(())
}

/// Habits at the end of the runs, where they were counted, and the ratios that were found.
fn habits(
    text: &mut String,
    experiment: &Experiment,
    scale: &str,
    results: &Results,
) -> Result<(), ExperimentError> {
    let mut lines = String::new();
    let (mut ratios, mut fallacies) = (String::new(), String::new());
    for arm in &experiment.arm {
        let runs = runs(experiment, scale, results, &arm.name)?;
        let Some(last) = runs.first().and_then(|run| run.curve.last()) else { continue };
        for habit in &last.habits {
            let share = |key: &str| 100.0 * habit[key].as_f64().unwrap_or(0.0);
            if habit["moves"].as_u64().unwrap_or(0) < 1000 {
                continue;
            }
            let _ = writeln!(
                lines,
                "| {} | {} | {} | {:.1} % | {:.1} % | {:.1} % |",
                arm.name,
                habit["tile"],
                habit["moves"],
                share("base"),
                share("array"),
                share("corner")
            );
        }
        if let Some([moves, changed, wrong]) = last.fallacy {
            let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
            let _ = writeln!(
                fallacies,
                "| {} | {moves} | {changed} ({:.1} %) | {wrong} ({:.1} %) |",
                arm.name,
                share(changed, moves),
                share(wrong, changed)
            );
        }
        for (tile, ratio) in &last.ratios {
            let _ = writeln!(ratios, "| {} | {tile} | {ratio} |", arm.name);
        }
    }
    if !lines.is_empty() {
        let _ = writeln!(
            text,
            "\nHabits of the players in the last evaluation of seed 1, by the largest tile: the four \
             largest tiles fill one edge (base), that edge is sorted (array), a largest tile stands in a \
             corner.\n\n| arm | largest tile | moves | base | array | maximum in corner |\n\
             |---|---|---|---|---|---|\n{lines}"
        );
    }
    if !fallacies.is_empty() {
        let _ = writeln!(
            text,
            "\nThe corner fallacy in the last evaluation of seed 1: moves that the rule changed, and those of \
             them where a search one move deeper prefers the move without the rule.\n\n| arm | moves | \
             changed | fallacies |\n|---|---|---|---|\n{fallacies}"
        );
    }
    if !ratios.is_empty() {
        let _ = writeln!(
            text,
            "\nCorner ratios that the run of seed 1 found for itself:\n\n| arm | largest tile | ρ |\n\
             |---|---|---|\n{ratios}"
        );
    }
    Ok(())
}
