//! Who plays a duel.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use maxtile_game::{Afterstate, Board, Move, Random, Spawn, SpawnLaw, Tiles};

use super::search::DuelSearch;
use super::values::DuelValue;
use crate::limits::Limits;
use crate::policy::{Policy, Query, Worths};
use crate::report::{MoveReport, Report, Step};

/// Plays either side. The random numbers belong to the game, so that it comes out the same
/// whichever others are played beside it.
pub trait Duelist: Send {
    /// The defender's move; `None` when the game is over.
    fn slide(&mut self, board: Board, random: &mut Random) -> Option<Move>;

    /// The attacker's tile, one of these; `None` when the board is full.
    fn place(&mut self, afterstate: Afterstate, tiles: Tiles, random: &mut Random)
    -> Option<Spawn>;
}

impl<D: Duelist + ?Sized> Duelist for Box<D> {
    fn slide(&mut self, board: Board, random: &mut Random) -> Option<Move> {
        (**self).slide(board, random)
    }

    fn place(
        &mut self,
        afterstate: Afterstate,
        tiles: Tiles,
        random: &mut Random,
    ) -> Option<Spawn> {
        (**self).place(afterstate, tiles, random)
    }
}

impl<V: DuelValue> Duelist for DuelSearch<V> {
    fn slide(&mut self, board: Board, _: &mut Random) -> Option<Move> {
        self.defend(board, false).map(|choice| choice.best)
    }

    fn place(&mut self, afterstate: Afterstate, tiles: Tiles, _: &mut Random) -> Option<Spawn> {
        self.attack(afterstate, tiles, false).map(|choice| choice.best)
    }
}

/// In the ordinary game: plays as if every tile were placed by an enemy.
impl<V: DuelValue> Policy for DuelSearch<V> {
    fn choose(&mut self, queries: &mut [Query]) {
        for query in queries {
            query.answer = self.defend(query.board, false).map(|choice| choice.best);
        }
    }

    fn worths(&mut self, board: Board) -> Option<Worths> {
        let mut worths = Worths::default();
        for (mv, worth) in self.defend(board, true).map_or_else(Vec::new, |choice| choice.worths) {
            worths[mv.index()] = Some(worth as f32);
        }
        Some(worths)
    }

    fn limits(&self) -> Option<Limits> {
        Some(self.settings().limits)
    }

    fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        DuelSearch::stop_by(self, stop);
    }

    /// What each slide is worth against an enemy; no estimate of the ordinary game, and never exact.
    fn explain(&mut self, board: Board, limits: Option<Limits>) -> Option<Report> {
        let own = self.settings().limits;
        self.set_limits(limits.unwrap_or(own));
        let choice = self.defend(board, true);
        self.set_limits(own);
        let mut report = Report::empty(board);
        let Some(choice) = choice else { return Some(report) };
        for &(mv, worth) in &choice.worths {
            let reward = board.slide(mv).map_or(0, |(_, reward)| reward);
            let (value, line) = (worth as f32, vec![Step { mv, spawn: None }]);
            let depth = choice.depth;
            report.moves.push(MoveReport { mv, reward, value, spread: None, depth, line });
        }
        (report.depth, report.counts, report.time) = (choice.depth, choice.counts, choice.time);
        Some(report)
    }
}

/// Places as the ordinary game does, the tile by its law where it is free; slides at random.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chance(pub SpawnLaw);

impl Duelist for Chance {
    fn slide(&mut self, board: Board, random: &mut Random) -> Option<Move> {
        let legal = board.legal_moves();
        if legal.is_empty() { None } else { legal.nth(random.below(legal.len() as u64) as usize) }
    }

    fn place(
        &mut self,
        afterstate: Afterstate,
        tiles: Tiles,
        random: &mut Random,
    ) -> Option<Spawn> {
        if afterstate.empty_count() == 0 {
            return None;
        }
        let drawn = self.0.draw(afterstate, random);
        let exponent = match tiles {
            Tiles::Any => drawn.exponent,
            Tiles::Two => 1,
            Tiles::Four => 2,
        };
        Some(Spawn { exponent, ..drawn })
    }
}

/// From chance to enemy: each tile is placed by the player with probability `hostility`, else by
/// chance. Slides are the player's.
#[derive(Clone, Debug)]
pub struct Dial<D> {
    /// How often a tile is hostile, from 0 to 1.
    pub hostility: f64,
    /// How the other tiles fall.
    pub chance: Chance,
    /// The player.
    pub player: D,
}

impl<D: Duelist> Duelist for Dial<D> {
    fn slide(&mut self, board: Board, random: &mut Random) -> Option<Move> {
        self.player.slide(board, random)
    }

    fn place(
        &mut self,
        afterstate: Afterstate,
        tiles: Tiles,
        random: &mut Random,
    ) -> Option<Spawn> {
        if random.unit() < self.hostility {
            self.player.place(afterstate, tiles, random)
        } else {
            self.chance.place(afterstate, tiles, random)
        }
    }
}

/// A player of the ordinary game in a duel: defends as he plays, and attacks where his own best
/// answer would be worth least. One who does not weigh moves places by chance.
#[derive(Clone, Debug)]
pub struct Judging<P>(pub P);

impl<P: Policy> Duelist for Judging<P> {
    fn slide(&mut self, board: Board, random: &mut Random) -> Option<Move> {
        let mut query = Query::new(board, random.clone());
        self.0.choose(std::slice::from_mut(&mut query));
        *random = query.random;
        query.answer
    }

    fn place(
        &mut self,
        afterstate: Afterstate,
        tiles: Tiles,
        random: &mut Random,
    ) -> Option<Spawn> {
        let mut least: Option<(f32, Spawn)> = None;
        for spawn in tiles.placements(afterstate) {
            let Ok(board) = afterstate.spawn(spawn) else { continue };
            let Some(worths) = self.0.worths(board) else {
                return Chance::default().place(afterstate, tiles, random);
            };
            // A position without moves is worth nothing more.
            let value = worths.into_iter().flatten().reduce(f32::max).unwrap_or(0.0);
            if least.is_none_or(|(so_far, _)| value < so_far) {
                least = Some((value, spawn));
            }
        }
        least.map(|(_, spawn)| spawn)
    }
}
