//! A game in progress: play, undo, and the record of it.

use crate::board::Board;
use crate::direction::Move;
use crate::random::Random;
use crate::record::{GameSeed, Ply, Record, ReplayError, Turn};
use crate::rules::{Rules, SpawnLaw};

/// A game whose spawns are drawn from a seed.
///
/// Undoing a move also undoes its draw: the same move brings the same tile again, so a seed and a
/// list of moves always make one game.
///
/// ```
/// use maxtile_game::{Game, GameSeed, Rules};
///
/// let mut game = Game::new(Rules::default(), GameSeed { run: 7, index: 0 });
/// while let Some(mv) = game.board().legal_moves().nth(0) {
///     game.play(mv);
/// }
/// let last = game.record().replay()?;
/// assert_eq!((last.board, last.score), (game.board(), game.score()));
/// # Ok::<(), maxtile_game::ReplayError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    record: Record,
    turns: Vec<Turn>,
    // One generator per turn, so that undo finds the one it had.
    randoms: Vec<Random>,
}

impl Game {
    /// A new game.
    pub fn new(rules: Rules, seed: GameSeed) -> Game {
        let mut random = seed.random();
        let start = rules.start(&mut random);
        let record = Record { seed: Some(seed), ..Record::new(rules.law, start) };
        Game::begun(record, random)
    }

    /// A game from a position of one's own: the seed draws the spawns, and the record claims no
    /// seed, since none draws its start.
    pub fn from_position(law: SpawnLaw, start: Board, seed: GameSeed) -> Game {
        Game::begun(Record::new(law, start), seed.random())
    }

    fn begun(record: Record, random: Random) -> Game {
        let turns = vec![Turn { ply: 0, board: record.start, score: 0 }];
        Game { record, turns, randoms: vec![random] }
    }

    /// Goes on with a recorded game that was drawn from its seed. A record without a seed, or
    /// with tiles its seed does not draw, is continued from `fallback` instead: from there on its
    /// spawns are new, and the record claims no seed.
    pub fn resume(record: Record, fallback: GameSeed) -> Result<Game, ReplayError> {
        let of_seed = record.seed.is_some() && record.check_seed().is_ok();
        let turns = record.turns().collect::<Result<Vec<_>, _>>()?;
        let mut random = match record.seed {
            Some(seed) if of_seed => {
                let mut random = seed.random();
                record.rules().start(&mut random);
                random
            }
            _ => fallback.random(),
        };
        let mut randoms = vec![random.clone()];
        for _ in &record.plies {
            random.next_u64();
            randoms.push(random.clone());
        }
        let seed = record.seed.filter(|_| of_seed);
        Ok(Game { record: Record { seed, ..record }, turns, randoms })
    }

    /// The position.
    pub fn board(&self) -> Board {
        self.turn().board
    }

    /// The score.
    pub fn score(&self) -> u32 {
        self.turn().score
    }

    /// The game so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Names the player in the record.
    pub fn set_player(&mut self, player: &str) {
        self.record.player = Some(player.to_owned());
    }

    /// Plays a move and draws the spawn; `None` and no change when the move is not legal.
    pub fn play(&mut self, mv: Move) -> Option<Ply> {
        let (afterstate, reward) = self.board().slide(mv)?;
        let mut random = self.randoms.last()?.clone();
        let spawn = self.record.law.draw(afterstate, &mut random);
        let board = afterstate.spawn_unchecked(spawn);
        let ply = Ply { mv, spawn };
        let turn = self.turn();
        self.turns.push(Turn { ply: turn.ply + 1, board, score: turn.score + reward });
        self.randoms.push(random);
        self.record.plies.push(ply);
        Some(ply)
    }

    /// Takes the last move back; `false` at the start.
    pub fn undo(&mut self) -> bool {
        let undone = self.record.plies.pop().is_some();
        if undone {
            self.turns.pop();
            self.randoms.pop();
        }
        undone
    }

    fn turn(&self) -> Turn {
        // There is always the start.
        self.turns[self.turns.len() - 1]
    }
}
