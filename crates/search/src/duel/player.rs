//! Who plays a duel.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use maxtile_game::{Afterstate, Board, Move, Random, Spawn, SpawnLaw, Tiles};

use super::search::{Choice, DuelSearch};
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

    /// What each slide is worth, best first; nothing from one who does not weigh, or in a position
    /// that he knows nothing of.
    fn weigh_slides(&mut self, board: Board) -> Option<Choice<Move>> {
        let _ = board;
        None
    }

    /// What each placement of these tiles leaves the defender, the least first.
    fn weigh_placements(&mut self, afterstate: Afterstate, tiles: Tiles) -> Option<Choice<Spawn>> {
        let _ = (afterstate, tiles);
        None
    }

    /// The limits of his search for a ply; nothing from one who does not search.
    fn limits(&self) -> Option<Limits> {
        None
    }

    /// Other limits from now on.
    fn set_limits(&mut self, limits: Limits) {
        let _ = limits;
    }

    /// Lets somebody else end the searches from now on; what they then say means nothing.
    fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        let _ = stop;
    }
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

    fn weigh_slides(&mut self, board: Board) -> Option<Choice<Move>> {
        (**self).weigh_slides(board)
    }

    fn weigh_placements(&mut self, afterstate: Afterstate, tiles: Tiles) -> Option<Choice<Spawn>> {
        (**self).weigh_placements(afterstate, tiles)
    }

    fn limits(&self) -> Option<Limits> {
        (**self).limits()
    }

    fn set_limits(&mut self, limits: Limits) {
        (**self).set_limits(limits);
    }

    fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        (**self).stop_by(stop);
    }
}

impl<V: DuelValue> Duelist for DuelSearch<V> {
    fn slide(&mut self, board: Board, _: &mut Random) -> Option<Move> {
        self.defend(board, false).map(|choice| choice.best)
    }

    fn place(&mut self, afterstate: Afterstate, tiles: Tiles, _: &mut Random) -> Option<Spawn> {
        self.attack(afterstate, tiles, false).map(|choice| choice.best)
    }

    fn weigh_slides(&mut self, board: Board) -> Option<Choice<Move>> {
        self.defend(board, true)
    }

    fn weigh_placements(&mut self, afterstate: Afterstate, tiles: Tiles) -> Option<Choice<Spawn>> {
        self.attack(afterstate, tiles, true)
    }

    fn limits(&self) -> Option<Limits> {
        Some(self.settings().limits)
    }

    fn set_limits(&mut self, limits: Limits) {
        DuelSearch::set_limits(self, limits);
    }

    fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        DuelSearch::stop_by(self, stop);
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
            report.moves.push(MoveReport {
                mv,
                reward,
                value,
                spread: None,
                depth,
                compared: true,
                line,
            });
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

    fn weigh_slides(&mut self, board: Board) -> Option<Choice<Move>> {
        self.player.weigh_slides(board)
    }

    fn weigh_placements(&mut self, afterstate: Afterstate, tiles: Tiles) -> Option<Choice<Spawn>> {
        self.player.weigh_placements(afterstate, tiles)
    }

    fn limits(&self) -> Option<Limits> {
        self.player.limits()
    }

    fn set_limits(&mut self, limits: Limits) {
        self.player.set_limits(limits);
    }

    fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        self.player.stop_by(stop);
    }
}
