//! A study of players as its file describes it: no training, only games.

use std::collections::BTreeMap;

use maxtile_game::{Rules, Shape};
use serde::Deserialize;

/// A study.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Study {
    /// Its title.
    pub title: String,
    /// The seed of its games: those of block b have seed + b, for every player.
    pub seed: u64,
    scale: BTreeMap<String, StudyGames>,
    /// Its parts.
    pub part: Vec<Part>,
}

/// How many games each player plays.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StudyGames {
    games: u64,
    slow_games: u64,
}

/// Players that are compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Part {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub about: String,
    #[serde(default = "classic")]
    size: String,
    /// A recipe whose network is `RUN` in the agents.
    pub train: Option<String>,
    agent: String,
    /// What `ROW` stands for.
    #[serde(default)]
    pub rows: Vec<String>,
    /// What `COLUMN` stands for.
    #[serde(default)]
    pub columns: Vec<String>,
    /// What `X` stands for.
    #[serde(default)]
    pub x: Vec<u64>,
    /// From this x on players are slow.
    slow_from: Option<u64>,
    #[serde(default)]
    beside: Vec<Beside>,
}

/// A player beside the others.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Beside {
    name: String,
    agent: String,
    #[serde(default)]
    slow: bool,
}

fn classic() -> String {
    "4x4".to_owned()
}

/// A player of a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name in the part.
    pub name: String,
    /// Its text; `RUN` stands for a run's folder.
    pub agent: String,
    /// The games it is to play.
    pub games: u64,
    /// Where it stands on the curve.
    pub x: Option<u64>,
}

impl Study {
    /// Reads a study.
    pub fn parse(text: &str) -> Result<Study, String> {
        let study: Study = toml::from_str(text).map_err(|cause| cause.message().to_owned())?;
        for part in &study.part {
            part.shape()?;
            if part.x.is_empty() && (part.rows.is_empty() || part.columns.is_empty()) {
                return Err(format!("part {:?} has neither x nor rows and columns", part.name));
            }
        }
        Ok(study)
    }

    /// Its scales.
    pub fn scales(&self) -> impl Iterator<Item = &str> {
        self.scale.keys().map(String::as_str)
    }

    /// How many games at a scale.
    pub fn games(&self, scale: &str) -> Option<StudyGames> {
        self.scale.get(scale).copied()
    }
}

impl Part {
    /// Its board.
    pub fn shape(&self) -> Result<Shape, String> {
        self.size.parse().map_err(|_| format!("{:?} is no size of a board", self.size))
    }

    /// Its rules.
    pub fn rules(&self) -> Rules {
        Rules { shape: self.shape().unwrap_or(Shape::CLASSIC), ..Rules::default() }
    }

    /// Its players: the grid row by row, or the curve, then those beside.
    pub fn entries(&self, games: StudyGames) -> Vec<Entry> {
        let StudyGames { games, slow_games } = games;
        let mut entries = Vec::new();
        for row in &self.rows {
            for column in &self.columns {
                let agent = self.agent.replace("ROW", row).replace("COLUMN", column);
                entries.push(Entry { name: format!("{row}, {column}"), agent, games, x: None });
            }
        }
        for &x in &self.x {
            let slow = self.slow_from.is_some_and(|from| x >= from);
            let games = if slow { slow_games } else { games };
            let agent = self.agent.replace('X', &x.to_string());
            entries.push(Entry { name: x.to_string(), agent, games, x: Some(x) });
        }
        for Beside { name, agent, slow } in &self.beside {
            let games = if *slow { slow_games } else { games };
            entries.push(Entry { name: name.clone(), agent: agent.clone(), games, x: None });
        }
        entries
    }
}
