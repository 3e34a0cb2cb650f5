//! A study's page and figures.

use std::fmt::Write as _;

use super::describe::{Entry, Part, Study, StudyGames};
use super::results::{Blocks, Tally};
use crate::figure::{CurvePoint, Figure, Series};

/// The curve of a part, and those beside as lines across; `None` for a grid.
pub fn part_figure(part: &Part, games: StudyGames, blocks: &Blocks) -> Option<Figure> {
    let (first, last) = (*part.x.first()? as f64, *part.x.last()? as f64);
    let entries = part.entries(games);
    let height = |entry: &Entry| -> Option<CurvePoint> {
        let tally = blocks.tally(entry);
        let (mean, half) = match tally.truth() {
            Some((corrected, _)) => (corrected.score, corrected.half_width),
            None => (tally.moments().mean(), tally.moments().half_width()?),
        };
        let x = entry.x.map_or(first, |x| x as f64);
        Some(CurvePoint { x, mean, low: mean - half, high: mean + half })
    };
    let mut series = Vec::new();
    for (number, name) in part.curves().enumerate() {
        let of = |entry: &&Entry| entry.x.is_some() && entry.curve == number;
        let points = entries.iter().filter(of).filter_map(height).collect();
        series.push(Series { label: name.to_owned(), points });
    }
    for entry in entries.iter().filter(|entry| entry.x.is_none()) {
        if let Some(point) = height(entry) {
            let points = [first, last].map(|x| CurvePoint { x, ..point }).to_vec();
            series.push(Series { label: entry.name.clone(), points });
        }
    }
    let mut figure = Figure {
        title: part.name.clone(),
        x_label: part.x_label.clone(),
        y_label: "score".to_owned(),
        log_x: true,
        series,
        ..Figure::default()
    };
    figure.thousands();
    Some(figure)
}

/// The page. `pictures` has the name of each part's picture, if it has one.
pub fn study_page(
    study: &Study,
    name: &str,
    scale: &str,
    blocks: &Blocks,
    pictures: &[Option<String>],
) -> String {
    let Some(games) = study.games(scale) else { return String::new() };
    let over = if study.net == "default" { String::new() } else { format!(" --net {}", study.net) };
    let mut text = format!(
        "# {}\n\n`maxtile reproduce {name} --scale {scale}{over}`; games from seed {} on, the same for all players of a part. \
         ± is the 95 % interval of the mean.\n",
        study.title, study.seed
    );
    for (part, picture) in study.part.iter().zip(pictures) {
        let _ = write!(text, "\n## {}\n\n{}\n", part.name, part.about);
        if let Some(picture) = picture {
            let _ = write!(text, "\n![{}]({picture})\n", part.name);
        }
        text += "\n";
        let entries = part.entries(games);
        text += &grid(part, &entries, blocks);
        let grid = part.rows.len() * part.columns.len();
        text += &list(part, &entries[grid..], &entries, blocks);
    }
    text
}

fn number(mean: f64, half: Option<f64>) -> String {
    half.map_or_else(|| format!("{mean:.0}"), |half| format!("{mean:.0} ± {half:.0}"))
}

/// The grid twice: the scores, and what each lacks to the best of its row on the same games.
fn grid(part: &Part, entries: &[Entry], blocks: &Blocks) -> String {
    if part.rows.is_empty() {
        return String::new();
    }
    let head = || {
        let mut text = "| selection \\ backup".to_owned();
        for column in &part.columns {
            let _ = write!(text, " | {column}");
        }
        text + &format!(" |\n|---|{}\n", "---:|".repeat(part.columns.len()))
    };
    let cells = part.rows.len() * part.columns.len();
    let tallies: Vec<Tally> = entries[..cells].iter().map(|entry| blocks.tally(entry)).collect();
    let (mut scores, mut behind) = (head(), head());
    let mut wins = vec![0; part.columns.len()];
    for (row, tallies) in part.rows.iter().zip(tallies.chunks(part.columns.len())) {
        let mean = |column: &usize| tallies[*column].moments().mean();
        let best = (0..tallies.len()).max_by(|a, b| mean(a).total_cmp(&mean(b))).unwrap_or(0);
        wins[best] += 1;
        let _ = write!(scores, "| {row}");
        let _ = write!(behind, "| {row}");
        for (column, tally) in tallies.iter().enumerate() {
            let moments = tally.moments();
            let _ = write!(scores, " | {}", number(moments.mean(), moments.half_width()));
            let ahead = tallies[best].ahead_of(tally);
            let lacks = number(ahead.mean(), ahead.half_width());
            let text = if column == best { "best" } else { &lacks };
            let _ = write!(behind, " | {text}");
        }
        scores += " |\n";
        behind += " |\n";
    }
    let games = tallies.iter().map(|tally| tally.scores.len());
    let (fewest, most) = (games.clone().min().unwrap_or(0), games.max().unwrap_or(0));
    let games =
        if fewest == most { format!("{most} games") } else { format!("{fewest} to {most} games") };
    let wins = part.columns.iter().zip(wins).filter(|(_, rows)| *rows > 0);
    let wins: Vec<_> = wins.map(|(column, rows)| format!("`{column}` in {rows}")).collect();
    let rows = part.rows.len();
    format!(
        "{scores}\n{games} a cell. The best of a row is {} of {rows} rows. Behind the best of the row, on the same games:\n\n{behind}\n",
        wins.join(", ")
    )
}

fn list(part: &Part, listed: &[Entry], entries: &[Entry], blocks: &Blocks) -> String {
    if listed.is_empty() {
        return String::new();
    }
    let solved = part.train.is_some();
    let best = entries.iter().map(|entry| (entry, blocks.tally(entry)));
    let best = best.max_by(|a, b| a.1.moments().mean().total_cmp(&b.1.moments().mean()));
    let head = if solved {
        "| player | games | expected score | best moves | played | moves/s |\n\
         |---|---:|---:|---:|---:|---:|\n"
    } else {
        "| player | games | score | 8192 | 16384 | 32768 | 65536 | moves/s | behind the best |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
    };
    let mut text = head.to_owned();
    for entry in listed {
        let tally = blocks.tally(entry);
        let moments = tally.moments();
        let played = number(moments.mean(), moments.half_width());
        let speed = tally.moves as f64 / tally.seconds.max(1e-9);
        let (name, games) = (&entry.name, moments.count());
        if let Some((corrected, agreement)) = tally.truth() {
            let score = number(corrected.score, Some(corrected.half_width));
            let _ = writeln!(
                text,
                "| {name} | {games} | {score} | {:.1} % | {played} | {speed:.0} |",
                100.0 * agreement
            );
            continue;
        }
        let rates = [13, 14, 15, 16].map(|e| format!("{:.1} %", 100.0 * tally.reached(e)));
        let behind = best.as_ref().map_or_else(String::new, |(_, best)| {
            let ahead = best.ahead_of(&tally);
            number(ahead.mean(), ahead.half_width())
        });
        let _ = writeln!(
            text,
            "| {name} | {games} | {played} | {} | {speed:.0} | {behind} |",
            rates.join(" | ")
        );
    }
    text
}
