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
         ± is the 95 % interval of the mean. The network has the checksum {:08x}.\n",
        study.title,
        study.seed,
        blocks.networks().net
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

/// The grid three times: the scores, and what each lacks, on the same games, to the best of its row and of its column.
fn grid(part: &Part, entries: &[Entry], blocks: &Blocks) -> String {
    if part.rows.is_empty() {
        return String::new();
    }
    let (rows, columns) = (part.rows.len(), part.columns.len());
    let tallies: Vec<Tally> =
        entries[..rows * columns].iter().map(|entry| blocks.tally(entry)).collect();
    let best = |cells: &mut dyn Iterator<Item = usize>| {
        let mean = |cell: usize| tallies[cell].moments().mean();
        cells.max_by(|a, b| mean(*a).total_cmp(&mean(*b))).unwrap_or(0)
    };
    let of_rows: Vec<usize> =
        (0..rows).map(|row| best(&mut (row * columns..(row + 1) * columns))).collect();
    let of_columns: Vec<usize> =
        (0..columns).map(|column| best(&mut (0..rows).map(|row| row * columns + column))).collect();
    let scores = cells(part, |cell| {
        let moments = tallies[cell].moments();
        number(moments.mean(), moments.half_width())
    });
    let behind = |best: usize, cell: usize| {
        let ahead = tallies[best].ahead_of(&tallies[cell]);
        if best == cell { "best".to_owned() } else { number(ahead.mean(), ahead.half_width()) }
    };
    let in_row = cells(part, |cell| behind(of_rows[cell / columns], cell));
    let in_column = cells(part, |cell| behind(of_columns[cell % columns], cell));
    let games = tallies.iter().map(|tally| tally.scores.len());
    let (fewest, most) = (games.clone().min().unwrap_or(0), games.max().unwrap_or(0));
    let games =
        if fewest == most { format!("{most} games") } else { format!("{fewest} to {most} games") };
    let wins = part.columns.iter().enumerate().map(|(column, name)| {
        (name, of_rows.iter().filter(|best| **best % columns == column).count())
    });
    let wins: Vec<_> = wins
        .filter(|(_, rows)| *rows > 0)
        .map(|(name, rows)| format!("`{name}` in {rows}"))
        .collect();
    format!(
        "{scores}\n{games} a cell. The best of a row is {} of {rows} rows. Behind the best of the row, on the same games:\n\n\
         {in_row}\nBehind the best of the column:\n\n{in_column}\n",
        wins.join(", ")
    )
}

/// A table with the text of each cell of a grid.
fn cells(part: &Part, cell: impl Fn(usize) -> String) -> String {
    let columns = part.columns.len();
    let mut text = format!("| selection \\ backup | {} |\n", part.columns.join(" | "));
    let _ = writeln!(text, "|---|{}", "---:|".repeat(columns));
    for (row, name) in part.rows.iter().enumerate() {
        let texts: Vec<String> = (row * columns..(row + 1) * columns).map(&cell).collect();
        let _ = writeln!(text, "| {name} | {} |", texts.join(" | "));
    }
    text
}

fn list(part: &Part, listed: &[Entry], entries: &[Entry], blocks: &Blocks) -> String {
    if listed.is_empty() {
        return String::new();
    }
    let solved = part.train.is_some();
    let best = entries.iter().map(|entry| (entry, blocks.tally(entry)));
    let best = best.max_by(|a, b| a.1.moments().mean().total_cmp(&b.1.moments().mean()));
    // Up to the first tile that nobody reached.
    let largest = entries.iter().filter_map(|entry| blocks.tally(entry).tiles.into_keys().max());
    let last = largest.max().unwrap_or(0).clamp(10, 16) + 1;
    let shown = [last - 3, last - 2, last - 1, last];
    let mut text = if solved {
        "| player | games | expected score | best moves | played | moves/s |\n\
         |---|---:|---:|---:|---:|---:|\n"
            .to_owned()
    } else {
        let tiles = shown.map(|exponent| (1_u32 << exponent).to_string()).join(" | ");
        format!(
            "| player | games | score | {tiles} | moves/s | behind the best |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
        )
    };
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
        let rates = shown.map(|e| format!("{:.1} %", 100.0 * tally.reached(e)));
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
