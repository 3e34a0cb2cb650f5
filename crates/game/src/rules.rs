//! The rules as data: the shape of the board and the law of the spawns.

use std::fmt;

use crate::board::{Afterstate, Board, Spawn};
use crate::random::Random;
use crate::shape::Shape;

/// How new tiles appear: uniformly on the empty cells, a 4 with some probability, else a 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpawnLaw {
    p4: f64,
}

impl Default for SpawnLaw {
    /// A 4 with probability 0.1.
    fn default() -> SpawnLaw {
        SpawnLaw { p4: 0.1 }
    }
}

impl SpawnLaw {
    /// The law with this probability of a 4; it must lie between 0 and 1.
    pub fn new(p4: f64) -> Result<SpawnLaw, LawError> {
        // Negative zero would be a second way to write the same law.
        if (0.0..=1.0).contains(&p4) { Ok(SpawnLaw { p4: p4 + 0.0 }) } else { Err(LawError) }
    }

    /// The probability of a 4.
    pub const fn p4(self) -> f64 {
        self.p4
    }

    /// Draws a spawn with one random number r: the high word of r × (number of empty cells)
    /// picks the cell, the low word, halved, is compared with p4 · 2^63 for the tile.
    ///
    /// # Panics
    /// On a full board. No legal slide leaves one.
    #[inline]
    pub fn draw(self, afterstate: Afterstate, random: &mut Random) -> Spawn {
        let empties = afterstate.empties();
        assert!(empties.count() > 0, "a full board has no room for a spawn");
        let wide = random.next_u64() as u128 * empties.count() as u128;
        let four = (wide as u64) >> 1 < (self.p4 * (1u64 << 63) as f64) as u64;
        let cell = empties.nth((wide >> 64) as usize) as u8;
        Spawn { cell, exponent: 1 + four as u8 }
    }

    /// Draws a spawn and puts it on the board.
    #[inline]
    pub fn spawn(self, afterstate: Afterstate, random: &mut Random) -> Board {
        afterstate.spawn_unchecked(self.draw(afterstate, random))
    }

    /// Every spawn the law allows on this afterstate with its probability.
    pub fn outcomes(self, afterstate: Afterstate) -> impl Iterator<Item = (Spawn, f64)> {
        let cells = afterstate.empty_count() as f64;
        let weights = [1.0 - self.p4, self.p4];
        afterstate
            .spawns()
            .map(move |spawn| (spawn, weights[spawn.exponent as usize - 1] / cells))
            .filter(|(_, p)| *p > 0.0)
    }
}

/// A probability of a 4 that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LawError;

impl fmt::Display for LawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the probability of a 4 lies between 0 and 1")
    }
}

impl std::error::Error for LawError {}

/// Board shape and spawn law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// The shape of the board.
    pub shape: Shape,
    /// How tiles appear.
    pub law: SpawnLaw,
}

impl Default for Rules {
    /// The ordinary game.
    fn default() -> Rules {
        Rules { shape: Shape::CLASSIC, law: SpawnLaw::default() }
    }
}

impl Rules {
    /// The ordinary law on a board of this shape.
    pub fn of(shape: Shape) -> Rules {
        Rules { shape, ..Rules::default() }
    }

    /// Draws a start: two spawns on the empty board (one where there is a single cell).
    pub fn start(self, random: &mut Random) -> Board {
        let first = self.law.spawn(Afterstate::empty(self.shape), random);
        match first.empty_count() {
            0 => first,
            _ => self.law.spawn(first.grid().into(), random),
        }
    }

    /// All boards a game can start from, each once, whatever their probability.
    pub fn starts(self) -> Vec<Board> {
        let empty = Afterstate::empty(self.shape);
        let firsts = empty.spawns().map(|s| empty.spawn_unchecked(s));
        if self.shape.cells() == 1 {
            return firsts.collect();
        }
        let mut starts: Vec<Board> = firsts
            .flat_map(|board| {
                let half = Afterstate::from(board.grid());
                half.spawns().map(move |s| half.spawn_unchecked(s))
            })
            .collect();
        starts.sort_unstable();
        starts.dedup();
        starts
    }
}
