//! What came of the runs: one line of JSON each, kept beside the page.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::write_atomically;
use crate::training::{EstimateReport, Recipe};

/// An evaluation in the course of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Games learned.
    pub games: u64,
    /// Moves learned.
    pub moves: u64,
    /// Seconds spent learning.
    pub seconds: f64,
    /// Mean score.
    pub mean: f64,
    /// Half the width of its interval over the games.
    pub ci95: f64,
    /// Share of the games that reached at least this tile.
    #[serde(default)]
    pub tiles: std::collections::BTreeMap<String, f64>,
    /// Habits by the largest tile, where they were counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub habits: Vec<serde_json::Value>,
    /// Moves under the corner rule, those it changed, and those of them that a deeper search would not
    /// have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallacy: Option<[u64; 3]>,
    /// Corner ratios by the largest tile, where the run looked for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratios: Vec<(u32, f32)>,
    /// Positions judged in learning, where they were counted.
    #[serde(default)]
    pub positions: u64,
    /// What values promised and what came of it, where it was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimates: Option<EstimateReport>,
    /// The same of the learning games since the evaluation before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning: Option<EstimateReport>,
}

/// An agent that was evaluated with what a run learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The name of the measure.
    pub name: String,
    /// Mean score.
    pub mean: f64,
    /// Half the width of its interval over the games.
    pub ci95: f64,
    /// Games played.
    pub games: u64,
    /// Share of the games that reached at least this tile.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub tiles: std::collections::BTreeMap<String, f64>,
}

/// A run that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// The arm.
    pub arm: String,
    /// The seed.
    pub seed: u64,
    /// The recipe, every field.
    pub recipe: Recipe,
    /// Its evaluations.
    pub curve: Vec<Point>,
    /// What else was measured.
    #[serde(default)]
    pub measured: Vec<Measured>,
    /// Seconds of processor time, evaluations included; a run that serves several arms is shared
    /// out among them.
    pub seconds: f64,
}

impl RunResult {
    /// The mean score at the end, or of a measure.
    pub fn mean(&self, measure: Option<&str>) -> Option<f64> {
        match measure {
            None => self.curve.last().map(|point| point.mean),
            Some(name) => self.measured.iter().find(|m| m.name == name).map(|m| m.mean),
        }
    }

    /// Half the width of the interval over the games that the mean is of.
    pub fn ci95(&self, measure: Option<&str>) -> Option<f64> {
        match measure {
            None => self.curve.last().map(|point| point.ci95),
            Some(name) => self.measured.iter().find(|m| m.name == name).map(|m| m.ci95),
        }
    }

    /// The mean of all evaluations: who learns faster has more.
    pub fn mean_over_the_run(&self) -> Option<f64> {
        let sum: f64 = self.curve.iter().map(|point| point.mean).sum();
        (!self.curve.is_empty()).then(|| sum / self.curve.len() as f64)
    }

    /// The mean score after so many moves, between two evaluations in proportion.
    pub fn mean_at_moves(&self, moves: u64) -> Option<f64> {
        let after = self.curve.iter().position(|point| point.moves >= moves)?;
        let b = &self.curve[after];
        let Some(a) = after.checked_sub(1).map(|before| &self.curve[before]) else {
            return Some(b.mean);
        };
        let share = (moves - a.moves) as f64 / (b.moves - a.moves).max(1) as f64;
        Some(a.mean + share * (b.mean - a.mean))
    }
}

/// The file of an experiment's runs at a scale.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    /// What is done.
    pub runs: Vec<RunResult>,
}

impl Results {
    /// Reads what is done; a file that is not there yet holds nothing. A last line that was cut off
    /// is left out.
    pub fn open(path: &Path) -> io::Result<Results> {
        let text = match std::fs::read_to_string(path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => String::new(),
            other => other?,
        };
        let whole = text.rsplit_once('\n').map_or("", |(lines, _)| lines);
        let mut runs = Vec::new();
        for line in whole.lines() {
            runs.push(serde_json::from_str(line).map_err(io::Error::other)?);
        }
        if whole.len() + 1 < text.len() {
            write_atomically(path, format!("{whole}\n").as_bytes())?;
        }
        Ok(Results { path: path.to_owned(), runs })
    }

    /// One run more, on the disk before anything else happens.
    pub fn add(&mut self, run: RunResult) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut line = serde_json::to_string(&run).map_err(io::Error::other)?;
        line.push('\n');
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.path)?;
        file.write_all(line.as_bytes())?;
        file.sync_all()?;
        self.runs.push(run);
        Ok(())
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run of an arm with a seed and exactly this recipe.
    pub fn find(&self, arm: &str, seed: u64, recipe: &Recipe) -> Option<&RunResult> {
        self.runs.iter().find(|run| run.arm == arm && run.seed == seed && run.recipe == *recipe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(games: u64, mean: f64) -> Point {
        let (moves, tiles) = (games * 10, std::collections::BTreeMap::new());
        Point { games, moves, mean, tiles, seconds: 1.0, ci95: 2.0, ..Point::default() }
    }

    fn run(arm: &str) -> RunResult {
        let curve = vec![point(10, 100.0), point(20, 200.0), point(30, 260.0)];
        let (name, tiles) = ("deep".to_owned(), std::collections::BTreeMap::new());
        let measured = vec![Measured { name, mean: 900.0, ci95: 9.0, games: 5, tiles }];
        let recipe = Recipe::default();
        RunResult { arm: arm.to_owned(), seed: 1, recipe, curve, measured, seconds: 3.0 }
    }

    #[test]
    fn numbers_of_a_run() {
        let run = run("a");
        assert_eq!((run.mean(None), run.mean(Some("deep"))), (Some(260.0), Some(900.0)));
        assert_eq!((run.ci95(None), run.mean(Some("other"))), (Some(2.0), None));
        assert!((run.mean_over_the_run().unwrap() - 560.0 / 3.0).abs() < 1e-9);
        let at = |moves| run.mean_at_moves(moves);
        assert_eq!((at(50), at(100), at(150)), (Some(100.0), Some(100.0), Some(150.0)));
        assert_eq!((at(275), at(300), at(301)), (Some(245.0), Some(260.0), None));
    }

    #[test]
    fn a_file_survives_a_kill_in_the_middle_of_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/results.jsonl");
        let mut results = Results::open(&path).unwrap();
        results.add(run("a")).unwrap();
        results.add(run("b")).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 20]).unwrap();
        let mut results = Results::open(&path).unwrap();
        assert_eq!(results.runs, [run("a")]);
        results.add(run("c")).unwrap();
        let results = Results::open(&path).unwrap();
        assert_eq!(results.runs, [run("a"), run("c")]);
        assert!(results.find("c", 1, &Recipe::default()).is_some());
        let other = Recipe { rate: 0.3, ..Recipe::default() };
        assert!(results.find("c", 1, &other).is_none() && results.find("c", 2, &other).is_none());
    }
}
