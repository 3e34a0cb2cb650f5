//! What players made, a line for each block of games, so that a study can be continued.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::describe::{Entry, Fingerprints};
use crate::exact_losses::{Corrected, Losses};
use crate::stats::{Moments, Played};

/// A block of games of one player.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// The player: its text, with `RUN` for a run's folder.
    pub agent: String,
    /// The number of the block.
    pub block: u64,
    /// Which network it was: `Study::fingerprints`.
    #[serde(default)]
    pub network: u32,
    /// Score, moves and largest exponent of each game.
    pub games: Vec<(u32, u32, u8)>,
    /// How long they took.
    pub seconds: f64,
    /// The luck of each game, choices and best moves among them, where the board is solved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<(Vec<f64>, u64, u64)>,
    /// CRC-32 of the line without it.
    #[serde(default)]
    crc32: u32,
}

impl Block {
    /// Games that were played.
    pub fn new(
        agent: &str,
        block: u64,
        games: &[Played],
        seconds: f64,
        losses: Option<&Losses>,
    ) -> Block {
        let game = |game: &Played| (game.score, game.moves, game.max_exponent);
        let truth = losses.map(|l| (l.luck().collect(), l.choices, l.agreed));
        let games = games.iter().map(game).collect();
        Block { agent: agent.to_owned(), block, network: 0, games, seconds, truth, crc32: 0 }
    }

    fn checksum(&self) -> u32 {
        let bare = Block { crc32: 0, ..self.clone() };
        crc32fast::hash(serde_json::to_string(&bare).unwrap_or_default().as_bytes())
    }
}

/// All blocks of a study.
#[derive(Debug)]
pub struct Blocks {
    path: PathBuf,
    networks: Fingerprints,
    blocks: BTreeMap<(String, u64), Block>,
    /// How many whole ones are over networks that have been replaced since.
    aside: usize,
    /// Does the file end in the middle of a line?
    torn: bool,
}

impl Blocks {
    /// The blocks in a file; none if there is no file. Lines that are not whole count for nothing, and neither
    /// do games over a network that has been replaced since.
    pub fn open(path: &Path, networks: Fingerprints) -> io::Result<Blocks> {
        let text = match fs::read_to_string(path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => String::new(),
            other => other?,
        };
        let read = text.lines().filter_map(|line| serde_json::from_str::<Block>(line).ok());
        let whole = read.filter(|block| block.crc32 == block.checksum());
        let (valid, aside): (Vec<_>, Vec<_>) =
            whole.partition(|block| block.network == networks.of(&block.agent));
        let blocks = valid.into_iter().map(|block| ((block.agent.clone(), block.block), block));
        let (blocks, aside) = (blocks.collect(), aside.len());
        let torn = !text.is_empty() && !text.ends_with('\n');
        Ok(Blocks { path: path.to_owned(), networks, blocks, aside, torn })
    }

    /// Which networks its games are over.
    pub fn networks(&self) -> Fingerprints {
        self.networks
    }

    /// How many whole blocks of the file do not count, being over another network.
    pub fn aside(&self) -> usize {
        self.aside
    }

    /// Is this block there?
    pub fn has(&self, agent: &str, block: u64) -> bool {
        self.blocks.contains_key(&(agent.to_owned(), block))
    }

    /// Keeps a block.
    pub fn add(&mut self, mut block: Block) -> io::Result<()> {
        block.network = self.networks.of(&block.agent);
        block.crc32 = block.checksum();
        let line = serde_json::to_string(&block).map_err(io::Error::other)?;
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        let start = if std::mem::take(&mut self.torn) { "\n" } else { "" };
        file.write_all(format!("{start}{line}\n").as_bytes())?;
        file.sync_data()?;
        self.blocks.insert((block.agent.clone(), block.block), block);
        Ok(())
    }

    /// What a player made in his first blocks.
    pub fn tally(&self, entry: &Entry) -> Tally {
        let mut tally = Tally::default();
        for number in 0..entry.blocks() {
            let Some(block) = self.blocks.get(&(entry.agent.clone(), number)) else { continue };
            tally.seconds += block.seconds;
            for (index, &(score, moves, exponent)) in block.games.iter().enumerate() {
                tally.scores.insert((number, index), score);
                tally.moves += u64::from(moves);
                *tally.tiles.entry(exponent).or_default() += 1;
            }
            if let Some((luck, choices, agreed)) = &block.truth {
                let scores = block.games.iter().map(|game| f64::from(game.0));
                tally.pairs.extend(scores.zip(luck.iter().copied()).map(|(s, l)| [s, l]));
                tally.choices += choices;
                tally.agreed += agreed;
            }
        }
        tally
    }
}

/// What a player made.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By block and place in it: the same for all players are the same game.
    pub scores: BTreeMap<(u64, usize), u32>,
    /// All moves.
    pub moves: u64,
    /// All time.
    pub seconds: f64,
    /// Games by the exponent of their largest tile.
    pub tiles: BTreeMap<u8, u64>,
    pairs: Vec<[f64; 2]>,
    choices: u64,
    agreed: u64,
}

impl Tally {
    /// The scores.
    pub fn moments(&self) -> Moments {
        self.scores.values().map(|&score| i64::from(score)).collect()
    }

    /// The share of games that reached a tile.
    pub fn reached(&self, exponent: u8) -> f64 {
        let games: u64 = self.tiles.range(exponent..).map(|(_, games)| games).sum();
        games as f64 / self.scores.len().max(1) as f64
    }

    /// By how much it is ahead of another in the games that both played.
    pub fn ahead_of(&self, other: &Tally) -> Moments {
        let both = self.scores.iter().filter_map(|(game, &score)| {
            Some(i64::from(score) - i64::from(*other.scores.get(game)?))
        });
        both.collect()
    }

    /// The expected score with the luck taken out, and the share of choices in which a best move was
    /// taken, where the board is solved.
    pub fn truth(&self) -> Option<(Corrected, f64)> {
        let corrected = Losses::correct(&self.pairs)?;
        Some((corrected, self.agreed as f64 / self.choices as f64))
    }
}
