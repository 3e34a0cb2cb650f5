//! A recorded game: where it started and what happened, enough to replay it exactly.

use std::fmt;

use crate::board::{Board, Spawn, SpawnError};
use crate::direction::Move;
use crate::random::Random;
use crate::rules::{Rules, SpawnLaw};

/// One turn: the player's move and the tile that appeared after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ply {
    /// The player's move.
    pub mv: Move,
    /// The tile that appeared.
    pub spawn: Spawn,
}

/// The name of a game: game `index` of the run with seed `run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameSeed {
    /// The seed of the run.
    pub run: u64,
    /// The number of the game in the run.
    pub index: u64,
}

impl GameSeed {
    /// The stream of random numbers from which this game's spawns are drawn.
    pub fn random(self) -> Random {
        Random::stream(self.run, self.index)
    }
}

impl fmt::Display for GameSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.run, self.index)
    }
}

/// A game as it was played. Nothing says that it could have been: [`Record::replay`] does.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The law of the spawns.
    pub law: SpawnLaw,
    /// The first position with the player to move; it says the shape.
    pub start: Board,
    /// The turns.
    pub plies: Vec<Ply>,
    /// The seed that drew start and spawns, if one did.
    pub seed: Option<GameSeed>,
    /// Who moved, if known.
    pub player: Option<String>,
    /// Who placed the tiles, if it was not chance.
    pub attacker: Option<String>,
}

/// A position of a replayed game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// How many plies were played before.
    pub ply: usize,
    /// The position, with the player to move.
    pub board: Board,
    /// The score so far.
    pub score: u32,
}

impl Record {
    /// A record without plies.
    pub fn new(law: SpawnLaw, start: Board) -> Record {
        Record { law, start, plies: Vec::new(), seed: None, player: None, attacker: None }
    }

    /// Shape and law.
    pub fn rules(&self) -> Rules {
        Rules { shape: self.start.shape(), law: self.law }
    }

    /// Every position from the start on. Ends with an error at the first ply that cannot be.
    pub fn turns(&self) -> impl Iterator<Item = Result<Turn, ReplayError>> {
        let start = Turn { ply: 0, board: self.start, score: 0 };
        let mut next = Some(Ok(start));
        std::iter::from_fn(move || {
            let current = next.take()?;
            if let Ok(turn) = &current {
                next = self.plies.get(turn.ply).map(|&ply| turn.play(ply));
            }
            Some(current)
        })
    }

    /// Plays the record through and gives the last position.
    pub fn replay(&self) -> Result<Turn, ReplayError> {
        let mut turn = Turn { ply: 0, board: self.start, score: 0 };
        for &ply in &self.plies {
            turn = turn.play(ply)?;
        }
        Ok(turn)
    }

    /// Are start and spawns those that the record's seed draws? `Ok` when no seed is given.
    pub fn check_seed(&self) -> Result<(), ReplayError> {
        let Some(seed) = self.seed else { return Ok(()) };
        let mut random = seed.random();
        if self.rules().start(&mut random) != self.start {
            return Err(ReplayError { ply: 0, reason: ReplayReason::StartNotOfSeed });
        }
        let mut board = self.start;
        for (index, ply) in self.plies.iter().enumerate() {
            let at = |reason| ReplayError { ply: index + 1, reason };
            let (afterstate, _) =
                board.slide(ply.mv).ok_or(at(ReplayReason::IllegalMove(ply.mv)))?;
            if self.law.draw(afterstate, &mut random) != ply.spawn {
                return Err(at(ReplayReason::SpawnNotOfSeed));
            }
            board = afterstate.spawn(ply.spawn).map_err(|e| at(ReplayReason::Spawn(e)))?;
        }
        Ok(())
    }

    /// The part of the game from position `from` to position `to` (plies played before them).
    /// The seed is kept only when the part begins with the game. `None` when `from` > `to` or the
    /// game is shorter.
    pub fn cut(&self, from: usize, to: usize) -> Result<Option<Record>, ReplayError> {
        if from > to || to > self.plies.len() {
            return Ok(None);
        }
        let head = Record { plies: self.plies[..from].to_vec(), ..self.clone() };
        let start = head.replay()?.board;
        let plies = self.plies[from..to].to_vec();
        let seed = self.seed.filter(|_| from == 0);
        Ok(Some(Record { start, plies, seed, ..self.clone() }))
    }
}

impl Turn {
    /// The position after one more ply.
    pub fn play(self, ply: Ply) -> Result<Turn, ReplayError> {
        let at = |reason| ReplayError { ply: self.ply + 1, reason };
        let (afterstate, reward) =
            self.board.slide(ply.mv).ok_or(at(ReplayReason::IllegalMove(ply.mv)))?;
        let board = afterstate.spawn(ply.spawn).map_err(|e| at(ReplayReason::Spawn(e)))?;
        Ok(Turn { ply: self.ply + 1, board, score: self.score + reward })
    }
}

/// The first ply that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// Its number, counted from 1; 0 is the start.
    pub ply: usize,
    /// What is wrong with it.
    pub reason: ReplayReason,
}

/// Why a ply cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayReason {
    /// The move changes nothing.
    IllegalMove(Move),
    /// The tile cannot appear there.
    Spawn(SpawnError),
    /// The seed draws another start.
    StartNotOfSeed,
    /// The seed draws another tile.
    SpawnNotOfSeed,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ply = self.ply;
        match self.reason {
            ReplayReason::IllegalMove(mv) => write!(f, "ply {ply}: {mv} is not a legal move"),
            ReplayReason::Spawn(error) => write!(f, "ply {ply}: {error}"),
            ReplayReason::StartNotOfSeed => f.write_str("ply 0: the seed draws another start"),
            ReplayReason::SpawnNotOfSeed => write!(f, "ply {ply}: the seed draws another tile"),
        }
    }
}

impl std::error::Error for ReplayError {}
