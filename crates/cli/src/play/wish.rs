//! Which game the flags ask for.

use std::hash::{BuildHasher, RandomState};
use std::time::SystemTime;

use maxtile_game::{Board, Game, GameSeed, Record, Rules, Shape, SpawnLaw};

use super::state::{game_from, new_game};
use crate::args::{Common, Play};

/// Seeds that nobody asked for have six digits: short enough to tell a friend.
const SEEDS: u64 = 1_000_000;

/// What the flags say; what they leave open, a saved game may answer.
pub(super) struct Wish {
    new: bool,
    seed: Option<u64>,
    position: Option<Board>,
    size: Option<Shape>,
    law: Option<SpawnLaw>,
}

impl Wish {
    pub(super) fn of(args: &Play, common: &Common) -> Wish {
        let Play { new, position, size, p4: law, .. } = *args;
        Wish { new, seed: common.seed, position, size, law }
    }

    /// The size of the board, when no saved game says another.
    pub(super) fn shape(&self) -> Shape {
        let given = self.position.map(|board| board.shape());
        given.or(self.size).unwrap_or(Shape::CLASSIC)
    }

    /// The flag that asks for another game than this one, if there is such a flag.
    pub(super) fn flag_against(&self, record: &Record) -> Option<&'static str> {
        let Rules { shape, law } = record.rules();
        let seed = self.seed.map(first_game);
        let of_position = |start| record.start == start && record.seed.is_none();
        let flags = [
            ("--new", self.new),
            ("--seed", seed.is_some() && seed != record.seed),
            ("--position", self.position.is_some_and(|start| !of_position(start))),
            ("--size", self.size.is_some_and(|size| size != shape)),
            ("--p4", self.law.is_some_and(|wanted| wanted != law)),
        ];
        flags.into_iter().find(|(_, against)| *against).map(|(flag, _)| flag)
    }

    /// A new game as the flags want it.
    pub(super) fn game(&self) -> Game {
        let rules = Rules { shape: self.shape(), law: self.law.unwrap_or_default() };
        let seed = self.seed.map_or_else(fresh_seed, first_game);
        match self.position {
            Some(start) => game_from(rules, start, seed),
            None => new_game(rules, seed),
        }
    }
}

/// A seed that has nothing to do with any other.
pub(super) fn fresh_seed() -> GameSeed {
    // The standard library asks the system for the keys of its hasher.
    let hash = RandomState::new().hash_one((SystemTime::now(), std::process::id()));
    first_game(hash % SEEDS)
}

fn first_game(run: u64) -> GameSeed {
    GameSeed { run, index: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Wish = Wish { new: false, seed: None, position: None, size: None, law: None };

    #[test]
    fn flags_that_fit_the_saved_game_go_on_with_it() {
        let record = Wish { seed: Some(7), ..OPEN }.game().record().clone();
        assert_eq!(OPEN.flag_against(&record), None);
        let same = Wish { seed: Some(7), size: Some(Shape::CLASSIC), ..OPEN };
        assert_eq!(same.flag_against(&record), None);
    }

    #[test]
    fn flags_that_do_not_are_named() {
        let record = Wish { seed: Some(7), ..OPEN }.game().record().clone();
        let against = |wish: Wish| wish.flag_against(&record);
        assert_eq!(against(Wish { new: true, seed: Some(7), ..OPEN }), Some("--new"));
        assert_eq!(against(Wish { seed: Some(8), ..OPEN }), Some("--seed"));
        assert_eq!(against(Wish { position: Some(record.start), ..OPEN }), Some("--position"));
        assert_eq!(against(Wish { size: "3x3".parse().ok(), ..OPEN }), Some("--size"));
        assert_eq!(against(Wish { law: SpawnLaw::new(0.5).ok(), ..OPEN }), Some("--p4"));
    }

    #[test]
    fn a_position_goes_on_where_it_began_unless_a_seed_is_named() {
        let start = "3x3:120000000".parse().ok();
        let record = Wish { position: start, seed: Some(7), ..OPEN }.game().record().clone();
        assert_eq!((record.seed, record.rules().shape.cells()), (None, 9));
        assert_eq!(Wish { position: start, ..OPEN }.flag_against(&record), None);
        // The record does not say which seed drew its tiles.
        let seeded = Wish { position: start, seed: Some(7), ..OPEN };
        assert_eq!(seeded.flag_against(&record), Some("--seed"));
    }

    #[test]
    fn fresh_seeds_are_short() {
        assert!((0..1000).all(|_| fresh_seed().run < SEEDS));
    }
}
