//! A study of players as its file describes it: no training, only games.

use std::collections::BTreeMap;
use std::path::Path;

use maxtile_game::{Rules, Shape};
use serde::Deserialize;

use crate::default_network::DEFAULT_NETWORK;
use crate::training::NAMED_RECIPES;
use crate::value::network_file;

/// A study.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Study {
    /// Its title.
    pub title: String,
    /// The seed of its games: those of block b have seed + b, for every player.
    pub seed: u64,
    /// The network that `NET` stands for in the agents.
    #[serde(default = "inside")]
    pub net: String,
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

/// Which networks players have: games over others count for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprints {
    /// The checksum of the file that `NET` stands for, 0 where there is none.
    pub net: u32,
    /// That of the recipes whose networks are `RUN`, but for what they remark.
    pub run: u32,
}

impl Fingerprints {
    /// That of the network of this player.
    pub fn of(&self, agent: &str) -> u32 {
        if agent.contains("net=RUN") { self.run } else { self.net }
    }
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
    #[serde(default)]
    agent: String,
    /// More curves over the same x.
    #[serde(default)]
    curve: Vec<Beside>,
    /// What runs to the right.
    #[serde(default = "simulations")]
    pub x_label: String,
    /// What `NET` stands for.
    #[serde(skip)]
    net: String,
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
    /// At most so many games of each player, at any scale.
    games: Option<u64>,
    #[serde(default)]
    beside: Vec<Beside>,
}

/// A player beside the others, or one curve of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Beside {
    name: String,
    agent: String,
    #[serde(default)]
    slow: bool,
    /// At most so many games, at any scale.
    games: Option<u64>,
    /// The games of a block, where ten would take too long to lose.
    block: Option<u64>,
}

/// The games of a block.
const BLOCK: u64 = 10;

fn inside() -> String {
    "default".to_owned()
}

fn simulations() -> String {
    "simulations a move".to_owned()
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
    /// The games that are kept at once.
    pub block: u64,
    /// Where it stands on its curve.
    pub x: Option<u64>,
    /// Which curve.
    pub curve: usize,
}

impl Entry {
    /// How many blocks its games are.
    pub fn blocks(&self) -> u64 {
        self.games.div_ceil(self.block)
    }
}

impl Study {
    /// Is this text a study of players, and not an experiment of learners?
    pub fn is_one(text: &str) -> bool {
        text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("part"))
    }

    /// Reads a study. With a network of one's own, by name or as a file, it is over that one, and parts that do
    /// not ask for a network are left out.
    pub fn parse(text: &str, net: Option<&str>) -> Result<Study, String> {
        let mut study: Study = toml::from_str(text).map_err(|cause| cause.message().to_owned())?;
        if let Some(net) = net {
            // In quotes, as a file may be called anything.
            study.net = format!("{net:?}");
            study.part.retain(Part::uses_net);
        }
        for part in &mut study.part {
            part.net.clone_from(&study.net);
            part.shape()?;
            if part.entries(StudyGames { games: 1, slow_games: 1 }).is_empty() {
                return Err(format!("part {:?} has no players", part.name));
            }
            if part.beside.iter().any(|beside| beside.block == Some(0)) {
                return Err(format!("part {:?} has blocks of no games", part.name));
            }
        }
        Ok(study)
    }

    /// What tells its networks from those that were there before.
    pub fn fingerprints(&self) -> Fingerprints {
        let of = |bytes: &[u8]| crc32fast::hash(bytes);
        let file = || network_file(Path::new(self.net.trim_matches('"'))).ok();
        let net = if self.net == inside() {
            of(DEFAULT_NETWORK)
        } else {
            file().and_then(|path| std::fs::read(path).ok()).map_or(0, |bytes| of(&bytes))
        };
        let recipes = self.part.iter().filter_map(|part| part.train.as_deref());
        let named = |name| NAMED_RECIPES.iter().find(|(known, _)| *known == name);
        let said = |text: &'static str| text.lines().filter(|line| !line.starts_with('#'));
        let lines = recipes.filter_map(named).flat_map(|(_, text)| said(text));
        Fingerprints { net, run: of(lines.collect::<Vec<_>>().join("\n").as_bytes()) }
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

    fn uses_net(&self) -> bool {
        let others = self.beside.iter().chain(&self.curve).map(|player| &player.agent);
        std::iter::once(&self.agent).chain(others).any(|agent| agent.contains("NET"))
    }

    /// The names of its curves.
    pub fn curves(&self) -> impl Iterator<Item = &str> {
        let own = self.agent.split('(').next().unwrap_or_default();
        std::iter::once(own).chain(self.curve.iter().map(|curve| curve.name.as_str()))
    }

    /// Its rules.
    pub fn rules(&self) -> Rules {
        Rules { shape: self.shape().unwrap_or(Shape::CLASSIC), ..Rules::default() }
    }

    /// Its players: the grid row by row, or the curve, then those beside.
    pub fn entries(&self, games: StudyGames) -> Vec<Entry> {
        let most = self.games.unwrap_or(u64::MAX);
        let (games, slow_games) = (games.games.min(most), games.slow_games.min(most));
        let mut entries = Vec::new();
        for row in &self.rows {
            for column in &self.columns {
                let agent = self.agent.replace("ROW", row).replace("COLUMN", column);
                let name = format!("{row}, {column}");
                entries.push(Entry { name, agent, games, block: BLOCK, x: None, curve: 0 });
            }
        }
        let agent = self.agent.clone();
        let own = Beside { name: String::new(), agent, slow: false, games: None, block: None };
        for (curve, Beside { name, agent, .. }) in
            std::iter::once(&own).chain(&self.curve).enumerate()
        {
            for &x in &self.x {
                let slow = self.slow_from.is_some_and(|from| x >= from);
                let games = if slow { slow_games } else { games };
                let agent = agent.replace('X', &x.to_string());
                let name = format!("{name} {x}").trim_start().to_owned();
                entries.push(Entry { name, agent, games, block: BLOCK, x: Some(x), curve });
            }
        }
        for beside in &self.beside {
            let games = if beside.slow { slow_games } else { games };
            let games = games.min(beside.games.unwrap_or(games));
            let (name, agent) = (beside.name.clone(), beside.agent.clone());
            let block = beside.block.unwrap_or(BLOCK);
            entries.push(Entry { name, agent, games, block, x: None, curve: 0 });
        }
        // Last, so that nothing in the name of a file is taken for a place.
        for entry in &mut entries {
            entry.agent = entry.agent.replace("NET", &self.net);
        }
        entries
    }
}
