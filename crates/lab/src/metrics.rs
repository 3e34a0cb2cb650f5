//! Reads the `metrics.jsonl` of a run.
//!
//! The lines that matter here are `{"type":"eval",…}`, a measured strength with its interval, and
//! `{"type":"train",…}`, the mean score while learning. Lines of other types and fields of other
//! names are left to whoever knows them.

use std::fmt;

use serde::Deserialize;

use crate::training::EstimateReport;

/// What a run has learned by when.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Measured strength.
    pub eval: Vec<Progressed>,
    /// Mean score of the training games.
    pub train: Vec<Progressed>,
}

/// One line of the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Progressed {
    /// Games learned from so far.
    pub games: u64,
    /// Moves made so far.
    pub moves: u64,
    /// Time spent so far.
    pub seconds: f64,
    /// The mean score.
    pub mean: f64,
    /// Half the width of its 95 % interval.
    #[serde(default)]
    pub ci95: Option<f64>,
    /// Positions judged so far, where they were counted.
    #[serde(default)]
    pub positions: u64,
    /// What values promised and what came of it.
    #[serde(default)]
    pub estimates: Option<EstimateReport>,
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricsError {
    /// Its number, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for MetricsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for MetricsError {}

impl Metrics {
    /// The metrics in this text.
    ///
    /// A last line without its line break is still being written and does not count. Where a
    /// run was resumed and repeats part of itself, the repetition counts.
    pub fn read(text: &str) -> Result<Metrics, MetricsError> {
        let mut metrics = Metrics::default();
        let complete = text.rfind('\n').map_or("", |end| &text[..end]);
        for (index, line) in complete.lines().enumerate() {
            let wrong = |cause: serde_json::Error| {
                // The place is in the sentence already, and its line would always be 1.
                let why = cause.to_string();
                let why = why.split(" at line ").next().unwrap_or(&why).to_owned();
                MetricsError { line: index + 1, why }
            };
            if line.trim().is_empty() {
                continue;
            }
            let head: Head<'_> = serde_json::from_str(line).map_err(wrong)?;
            let list = match head.r#type {
                "eval" => &mut metrics.eval,
                "train" => &mut metrics.train,
                _ => continue,
            };
            let point: Progressed = serde_json::from_str(line).map_err(wrong)?;
            list.retain(|earlier| earlier.games < point.games);
            list.push(point);
        }
        Ok(metrics)
    }
}

#[derive(Deserialize)]
struct Head<'a> {
    r#type: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = r#"{"type":"start","recipe":"x"}
{"type":"train","games":100,"moves":5000,"seconds":1.5,"mean":900.5,"max":3000}
{"type":"eval","games":100,"moves":5000,"seconds":1.5,"mean":1000,"ci95":20.5,"tiles":{"64":1}}
{"type":"eval","games":200,"moves":11000,"seconds":3.5,"mean":1500,"ci95":30}
{"type":"eval","games":150,"moves":8000,"seconds":4,"mean":1300,"ci95":25}
{"type":"eval","games":300,"mo"#;

    const DONE: Progressed = Progressed {
        games: 0,
        moves: 0,
        seconds: 0.0,
        mean: 0.0,
        ci95: None,
        positions: 0,
        estimates: None,
    };

    #[test]
    fn reads_what_matters() {
        let metrics = Metrics::read(LINES).unwrap();
        let train =
            Progressed { games: 100, moves: 5000, seconds: 1.5, mean: 900.5, ci95: None, ..DONE };
        assert_eq!(metrics.train, [train]);
        let eval: Vec<_> = metrics.eval.iter().map(|p| (p.games, p.mean, p.ci95)).collect();
        assert_eq!(eval, [(100, 1000.0, Some(20.5)), (150, 1300.0, Some(25.0))]);
        assert_eq!(Metrics::read("").unwrap(), Metrics::default());
    }

    #[test]
    fn bad_lines_are_named() {
        let error = |text| Metrics::read(text).unwrap_err().to_string();
        assert_eq!(error("\n{\"type\":\"eval\"}\n"), "line 2: missing field `games`");
        assert_eq!(error("hello\n"), "line 1: expected value");
    }
}
