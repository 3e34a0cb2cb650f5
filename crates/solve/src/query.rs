//! Exact answers: a state, its moves, the spawns behind them, the line of best play.

use maxtile_game::{Afterstate, Board, Move, Ply, Random, Spawn, SpawnLaw, Tiles, Variant};

use crate::aim::Aim;
use crate::backward::TIE;
use crate::error::TableError;
use crate::table::Table;

/// What is known of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The state.
    pub board: Board,
    /// What best play gets from here: points, a chance, or an exponent.
    pub value: f64,
    /// The legal moves, best first; those of equal value in the order up, right, down, left.
    pub moves: Vec<MoveAnswer>,
}

/// What is known of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveAnswer {
    /// The move.
    pub mv: Move,
    /// What best play gets by it, its own reward included where points are played for.
    pub value: f64,
    /// The reward of the slide itself.
    pub reward: u32,
    /// Where it leads.
    pub afterstate: Afterstate,
}

/// What is known of a spawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpawnAnswer {
    /// The spawn.
    pub spawn: Spawn,
    /// How likely it is where chance decides.
    pub probability: f64,
    /// The value of the state it makes.
    pub value: f64,
}

impl Table {
    /// The value of a state and of each of its moves.
    pub fn query(&self, board: Board) -> Result<Answer, TableError> {
        if self.goal_stands(board.grid()) {
            return Ok(Answer { board, value: 1.0, moves: Vec::new() });
        }
        if !self.contains(board)? {
            return Err(TableError::Unreachable);
        }
        self.answer(board)
    }

    /// As [`Self::query`] for a board that is known to be a state of some game.
    fn answer(&self, board: Board) -> Result<Answer, TableError> {
        let mut moves = Vec::with_capacity(4);
        for (mv, afterstate, reward) in self.slides(board) {
            let value = self.move_value(afterstate, reward)?;
            moves.push(MoveAnswer { mv, value, reward, afterstate });
        }
        moves.sort_by(|a, b| b.value.total_cmp(&a.value));
        let value = match (moves.first(), self.aim()) {
            (_, Aim::Reach(goal)) if board.max_exponent() >= goal => 1.0,
            (Some(best), _) => best.value,
            (None, aim) if aim.is_tile() => f64::from(board.max_exponent()),
            (None, _) => 0.0,
        };
        Ok(Answer { board, value, moves })
    }

    /// The move that best play makes; `None` where there is none. Of equal moves it is the one whose
    /// afterstate has the smaller number, as in what [`crate::ScorePlay`] says of that play.
    pub fn best(&self, board: Board) -> Result<Option<MoveAnswer>, TableError> {
        let mut best: Option<(u64, f64, MoveAnswer)> = None;
        for (mv, afterstate, reward) in self.slides(board) {
            if self.goal_stands(afterstate.grid()) {
                return Ok(Some(MoveAnswer { mv, value: 1.0, reward, afterstate }));
            }
            let found = self.find(self.word(afterstate.grid())?)?;
            let (rank, worth) = found.ok_or(TableError::Unreachable)?;
            let better = best.is_none_or(|(least, most, _)| {
                if (worth - most).abs() <= TIE * worth.abs() { rank < least } else { worth > most }
            });
            if better {
                best = Some((rank, worth, MoveAnswer { mv, value: worth, reward, afterstate }));
            }
        }
        let Some((_, worth, mut answer)) = best else { return Ok(None) };
        if self.aim().is_score() {
            answer.value = worth - self.own(board);
        }
        Ok(Some(answer))
    }

    fn move_value(&self, afterstate: Afterstate, reward: u32) -> Result<f64, TableError> {
        if self.goal_stands(afterstate.grid()) {
            return Ok(1.0);
        }
        let later = self.afterstate(afterstate)?;
        Ok(if self.aim().is_score() { later + f64::from(reward) } else { later })
    }

    /// The value of a state that is known to be one, without the list of its moves.
    #[inline]
    pub fn value(&self, board: Board) -> Result<f64, TableError> {
        Ok(self.answer(board)?.value)
    }

    /// What each spawn after a slide would lead to.
    pub fn spawns(&self, afterstate: Afterstate) -> Result<Vec<SpawnAnswer>, TableError> {
        let law = SpawnLaw::new(self.header().p4).unwrap_or_default();
        let free: Vec<usize> = self.region().free_cells().collect();
        let empty = free.iter().filter(|&&cell| afterstate.exponent(cell) == 0).count() as f64;
        let mut answers = Vec::new();
        for spawn in afterstate.spawns().filter(|s| free.contains(&(s.cell as usize))) {
            let p = if spawn.exponent == 1 { 1.0 - law.p4() } else { law.p4() };
            let Ok(board) = afterstate.spawn(spawn) else { continue };
            let value = self.query(board)?.value;
            answers.push(SpawnAnswer { spawn, probability: p / empty, value });
        }
        Ok(answers)
    }

    /// The line of best play from a state, at most `plies` long. Where chance places the tiles they
    /// are drawn; where someone does, he plays as well as the player.
    pub fn line(
        &self,
        board: Board,
        plies: usize,
        random: &mut Random,
    ) -> Result<Vec<Ply>, TableError> {
        let mut line = Vec::new();
        let mut board = board;
        while line.len() < plies {
            let answer = self.query(board)?;
            let Some(best) = answer.moves.first() else { break };
            if self.goal_stands(best.afterstate.grid()) {
                break;
            }
            let spawns = self.spawns(best.afterstate)?;
            let worst = |tiles: Tiles| {
                let allowed =
                    spawns.iter().filter(|s| tiles.exponents().contains(&s.spawn.exponent));
                allowed.min_by(|a, b| a.value.total_cmp(&b.value)).copied()
            };
            let chosen = match self.aim() {
                Aim::Score | Aim::Reach(_) => draw(&spawns, random),
                Aim::Hostile | Aim::ForcedTile => worst(Tiles::Any),
                Aim::HostileTwos | Aim::ForcedTileTwos => worst(Tiles::Two),
                Aim::HostileDrawn => {
                    let law = SpawnLaw::new(self.header().p4).unwrap_or_default();
                    worst(Variant::Drawn.tiles(law, random))
                }
                Aim::Friendly => spawns.iter().max_by(|a, b| a.value.total_cmp(&b.value)).copied(),
            };
            let Some(chosen) = chosen else { break };
            let Ok(next) = best.afterstate.spawn(chosen.spawn) else { break };
            line.push(Ply { mv: best.mv, spawn: chosen.spawn });
            board = next;
        }
        Ok(line)
    }

    /// The slides that the region allows.
    fn slides(&self, board: Board) -> Vec<(Move, Afterstate, u32)> {
        if self.region().is_full() {
            return board.afterstates().iter().collect();
        }
        self.region_slides(board)
    }
}

fn draw(spawns: &[SpawnAnswer], random: &mut Random) -> Option<SpawnAnswer> {
    let mut rest = random.unit();
    for spawn in spawns {
        rest -= spawn.probability;
        if rest < 0.0 {
            return Some(*spawn);
        }
    }
    spawns.last().copied()
}
