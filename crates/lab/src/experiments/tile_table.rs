//! How often each tile was the largest, for experiments that ask for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::describe::{Experiment, ExperimentError};
use super::judge::runs;
use super::results::Results;

/// The shares of games that reached at least each tile.
type Shares = BTreeMap<String, f64>;

/// A table of the last test games of all seeds, and of what else was measured; nothing where the experiment does not ask for it.
pub(super) fn tile_table(
    experiment: &Experiment,
    scale: &str,
    results: &Results,
) -> Result<String, ExperimentError> {
    let mut text = String::new();
    if !experiment.tiles {
        return Ok(text);
    }
    let mut arms = Vec::new();
    for arm in experiment.arms(scale) {
        let runs = runs(experiment, scale, results, &arm.name)?;
        let last = runs.iter().filter_map(|run| run.curve.last()).map(|point| &point.tiles);
        arms.push((arm.name.clone(), last.collect::<Vec<&Shares>>()));
        for measure in arm.measures(scale) {
            let measured = runs.iter().flat_map(|run| &run.measured);
            let own = measured.filter(|measured| measured.name == measure.name);
            let name = format!("{}, {}", arm.name, measure.name);
            arms.push((name, own.map(|measured| &measured.tiles).collect()));
        }
    }
    arms.retain(|(_, games)| !games.is_empty());
    let tiles: BTreeSet<u32> = arms
        .iter()
        .flat_map(|(_, games)| games.iter().flat_map(|shares| shares.iter()))
        .filter(|(_, share)| **share > 0.0)
        .filter_map(|(tile, _)| tile.parse().ok())
        .collect();
    // Writing to a string does not fail.
    let _ = write!(text, "\nThe largest tile of the last test games, all seeds:\n\n| arm |");
    for tile in &tiles {
        let _ = write!(text, " {tile} |");
    }
    let _ = writeln!(text, "\n|---|{}", "---:|".repeat(tiles.len()));
    for (name, games) in arms {
        let _ = write!(text, "| {name} |");
        for &tile in &tiles {
            let share = |shares: &&Shares| reached(shares, tile) - reached(shares, 2 * tile);
            let mean = games.iter().map(share).sum::<f64>() / games.len() as f64;
            let _ = write!(text, " {:.1} % |", 100.0 * mean);
        }
        text.push('\n');
    }
    Ok(text)
}

/// The share of games that reached a tile. Those that all reached, but for the largest, are not named.
fn reached(shares: &Shares, tile: u32) -> f64 {
    let named = |(tile, share): (&String, &f64)| Some((tile.parse::<u32>().ok()?, *share));
    let mut above = shares.iter().filter_map(named).filter(|(other, _)| *other >= tile);
    let Some(first) = above.next() else { return 0.0 };
    above.fold(first, |a, b| if b.0 < a.0 { b } else { a }).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::results::{Point, RunResult};

    #[test]
    fn shares_of_the_largest_tile() {
        let text = r#"
            name = "test"
            title = "A test"
            about = "Nothing."
            tiles = true
            scale.full = { seeds = 2, recipe = { games = 1000 } }
            arm = [{ name = "a" }, { name = "b" }]
        "#;
        let experiment = Experiment::parse(text).unwrap();
        let mut results = Results::open(std::path::Path::new("none")).unwrap();
        let shares: [&[(&str, f64)]; 2] =
            [&[("128", 1.0), ("256", 0.5), ("512", 0.25)], &[("256", 1.0), ("2048", 0.0)]];
        for (seed, shares) in (1..).zip(shares) {
            let tiles = shares.iter().map(|(tile, share)| ((*tile).to_owned(), *share)).collect();
            let recipe = experiment.recipe(&experiment.arm[0], "full", seed).unwrap();
            let curve = vec![Point { tiles, ..Point::default() }];
            let (arm, measured) = ("a".to_owned(), vec![]);
            results.runs.push(RunResult { arm, seed, recipe, curve, measured, seconds: 1.0 });
        }
        let table = tile_table(&experiment, "full", &results).unwrap();
        assert!(table.contains("| arm | 128 | 256 | 512 |"), "{table}");
        assert!(table.contains("| a | 25.0 % | 62.5 % | 12.5 % |"), "{table}");
        assert!(!table.contains("| b |"), "{table}");
    }
}
