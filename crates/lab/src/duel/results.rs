//! Results of duels in a file, a line for each, so that a contest can be continued.
//!
//! The first line says what all duels share, each line after it is a duel with a checksum of its
//! own. A line that is not whole was being written when the power went: it is played again.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::contest::{DuelGame, DuelJob, DuelSetting};
use crate::stats::Moments;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    r#type: String,
    variant: String,
    size: String,
    p4: f64,
    seed: u64,
    opening: u32,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    attacker: String,
    defender: String,
    game: u64,
    score: u32,
    largest: u8,
    slides: u32,
    /// CRC-32 of all that stands before it.
    #[serde(default)]
    crc32: String,
}

impl Line {
    fn checksum(&self) -> String {
        let Line { attacker, defender, game, score, largest, slides, .. } = self;
        let text = format!("{attacker}|{defender}|{game}|{score}|{largest}|{slides}");
        format!("{:08x}", crc32fast::hash(text.as_bytes()))
    }
}

/// What came of the duels so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DuelResults(BTreeMap<DuelJob, DuelGame>);

/// What all duels between an attacker and a defender say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// The scores.
    pub scores: Moments,
    /// The largest score.
    pub most: u32,
    /// The largest exponent.
    pub largest: u8,
    /// Slides of all duels.
    pub slides: u64,
}

impl DuelResults {
    /// Reads the results that a file holds of these agents under this setting. No file is no
    /// results.
    pub fn read(
        path: &Path,
        setting: &DuelSetting,
        agents: &[&str],
    ) -> Result<DuelResults, ResultsError> {
        let text = match fs::read_to_string(path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                return Ok(DuelResults::default());
            }
            other => other.map_err(ResultsError::Io)?,
        };
        let mut lines = text.lines();
        let Some(first) = lines.next() else { return Ok(DuelResults::default()) };
        let head: Head = serde_json::from_str(first).map_err(|_| ResultsError::NotResults)?;
        if head != head_of(setting) {
            return Err(ResultsError::OtherSetting);
        }
        let mut results = DuelResults::default();
        for line in lines {
            let Ok(line) = serde_json::from_str::<Line>(line) else { continue };
            let place = |name: &str| agents.iter().position(|agent| *agent == name);
            let (Some(attacker), Some(defender)) = (place(&line.attacker), place(&line.defender))
            else {
                continue;
            };
            if line.checksum() == line.crc32 {
                let Line { game, score, largest, slides, .. } = line;
                let job = DuelJob { attacker, defender, game };
                results.add(job, DuelGame { score, largest, slides });
            }
        }
        Ok(results)
    }

    /// Adds a duel to the file, which is made if need be.
    pub fn append(
        path: &Path,
        setting: &DuelSetting,
        agents: &[&str],
        job: DuelJob,
        game: DuelGame,
    ) -> Result<(), ResultsError> {
        let file = OpenOptions::new().create(true).read(true).append(true).open(path);
        let mut file = file.map_err(ResultsError::Io)?;
        let mut text = match last_byte(&mut file).map_err(ResultsError::Io)? {
            None => serde_json::to_string(&head_of(setting)).unwrap_or_default() + "\n",
            Some(b'\n') => String::new(),
            // What was being written when the last one ended stays a line that counts for nothing.
            Some(_) => "\n".to_owned(),
        };
        let mut line = Line {
            attacker: agents[job.attacker].to_owned(),
            defender: agents[job.defender].to_owned(),
            game: job.game,
            score: game.score,
            largest: game.largest,
            slides: game.slides,
            crc32: String::new(),
        };
        line.crc32 = line.checksum();
        text += &(serde_json::to_string(&line).unwrap_or_default() + "\n");
        file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).map_err(ResultsError::Io)
    }

    /// One more.
    pub fn add(&mut self, job: DuelJob, game: DuelGame) {
        self.0.insert(job, game);
    }

    /// Is this one known?
    pub fn has(&self, job: &DuelJob) -> bool {
        self.0.contains_key(job)
    }

    /// One duel.
    pub fn get(&self, job: &DuelJob) -> Option<DuelGame> {
        self.0.get(job).copied()
    }

    /// The first `games` duels between two.
    pub fn cell(&self, attacker: usize, defender: usize, games: u64) -> Cell {
        let mut cell = Cell::default();
        for game in 0..games {
            let Some(duel) = self.get(&DuelJob { attacker, defender, game }) else { continue };
            cell.scores.add(i64::from(duel.score));
            cell.most = cell.most.max(duel.score);
            cell.largest = cell.largest.max(duel.largest);
            cell.slides += u64::from(duel.slides);
        }
        cell
    }
}

/// What agent `a` makes as defender less what it concedes as attacker to `b`, opening by opening.
pub fn role_difference(results: &DuelResults, a: usize, b: usize, games: u64) -> Moments {
    let score = |attacker, defender, game| {
        let duel = results.get(&DuelJob { attacker, defender, game })?;
        Some(i64::from(duel.score))
    };
    (0..games).filter_map(|game| Some(score(b, a, game)? - score(a, b, game)?)).collect()
}

fn last_byte(file: &mut File) -> io::Result<Option<u8>> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(None);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut byte = [0];
    file.read_exact(&mut byte)?;
    Ok(Some(byte[0]))
}

fn head_of(setting: &DuelSetting) -> Head {
    Head {
        r#type: "duels".to_owned(),
        variant: setting.rules.variant.to_string(),
        size: setting.rules.shape.to_string(),
        p4: setting.rules.law.p4(),
        seed: setting.seed,
        opening: setting.opening,
    }
}

/// Why results cannot be read or kept.
#[derive(Debug)]
pub enum ResultsError {
    /// The file could not be read or written.
    Io(io::Error),
    /// The file holds something else.
    NotResults,
    /// The file holds duels of another board, variant, seed or opening.
    OtherSetting,
}

impl fmt::Display for ResultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResultsError::Io(cause) => write!(f, "{}", cause.kind()),
            ResultsError::NotResults => f.write_str("it holds no results of duels"),
            ResultsError::OtherSetting => {
                f.write_str("its duels have another board, variant, chance of a 4, seed or opening")
            }
        }
    }
}

impl std::error::Error for ResultsError {}
