//! What the learning games of both methods have in common: starts, rewards, results, bounds.

use maxtile_game::{Board, Random, Rules, Shape};

/// Tells the player's random numbers from the spawns': "neural" in ASCII.
const OWN: u64 = 0x0000_6e65_7572_616c;

/// The player's random numbers in game `index` of the run with this seed.
pub(crate) fn player_random(seed: u64, index: u64) -> Random {
    Random::stream(seed ^ OWN, index)
}

/// What a move is rewarded with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reward {
    /// The points it scores.
    #[default]
    Score,
    /// One for each move.
    Step,
}

impl Reward {
    pub(crate) fn of(self, points: u32) -> f32 {
        match self {
            Reward::Score => points as f32,
            Reward::Step => 1.0,
        }
    }

    /// What no value on this board has any business to exceed: what the best of all games is worth.
    pub(crate) fn bound(self, shape: Shape) -> f64 {
        let most = match self {
            Reward::Score => shape.max_score(),
            // A move comes with a spawn of 2 at least.
            Reward::Step => shape.max_tile_sum() / 2,
        };
        f64::from(most)
    }
}

/// Where learning games start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Starts {
    /// Where the rules say.
    #[default]
    Usual,
    /// Two tiles on random cells, by the number of the game in turn: as usual; 2048 and a small one;
    /// 4096 and a small one; 2048 and 4096; 8192 and a small one.
    SmallJump,
    /// As usual; 4096 and a small one; 8192 and a small one; 4096 and 8192; 16384 and a small one.
    LargeJump,
}

/// A small tile, by the law of spawns.
const SMALL: u8 = 0;

impl Starts {
    /// The board that game `index` starts from.
    pub fn draw(self, rules: Rules, index: u64, random: &mut Random) -> Board {
        let kinds = match self {
            Starts::Usual => return rules.start(random),
            Starts::SmallJump => [[SMALL, SMALL], [11, SMALL], [12, SMALL], [11, 12], [13, SMALL]],
            Starts::LargeJump => [[SMALL, SMALL], [12, SMALL], [13, SMALL], [12, 13], [14, SMALL]],
        };
        let tiles = kinds[(index % 5) as usize];
        if tiles == [SMALL, SMALL] {
            return rules.start(random);
        }
        let cells = rules.shape.cells() as u64;
        let first = random.below(cells);
        let second = (first + 1 + random.below(cells - 1)) % cells;
        let mut exponents = vec![0; rules.shape.cells()];
        for (cell, tile) in [first, second].into_iter().zip(tiles) {
            let small = 1 + u8::from(random.unit() < rules.law.p4());
            exponents[cell as usize] = if tile == SMALL { small } else { tile };
        }
        // Tiles that a small board cannot hold are none to start from.
        Board::from_exponents(rules.shape, &exponents).unwrap_or_else(|_| rules.start(random))
    }
}

/// How a learning game went. Play after a restart is counted in `all_moves` only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayedGame {
    /// The number of the game.
    pub game: u64,
    /// Its score.
    pub score: u32,
    /// Its moves.
    pub moves: u32,
    /// Its moves and those after restarts.
    pub all_moves: u64,
    /// The exponent of its largest tile.
    pub largest: u8,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jump_starts_have_the_tiles_they_are_named_for() {
        let rules = Rules::default();
        let mut seen = std::collections::BTreeSet::new();
        for index in 0..2000 {
            let mut random = Random::stream(5, index);
            let board = Starts::LargeJump.draw(rules, index, &mut random);
            let mut tiles: Vec<u8> = board.grid().exponents().filter(|e| *e > 0).collect();
            tiles.sort_unstable();
            assert_eq!(tiles.len(), 2);
            let small = |tile| (1..=2).contains(&tile);
            match index % 5 {
                0 => assert!(small(tiles[0]) && small(tiles[1])),
                1 => assert!(small(tiles[0]) && tiles[1] == 12),
                2 => assert!(small(tiles[0]) && tiles[1] == 13),
                3 => assert_eq!(tiles, [12, 13]),
                _ => assert!(small(tiles[0]) && tiles[1] == 14),
            }
            seen.extend(board.grid().exponents().enumerate().filter(|(_, e)| *e > 11));
        }
        // Each of three large tiles on each of sixteen cells.
        assert_eq!(seen.len(), 48);
    }

    #[test]
    fn small_boards_start_as_usual() {
        let rules = Rules::of(Shape::new(3, 3).unwrap());
        for index in 0..50 {
            let board = Starts::SmallJump.draw(rules, index, &mut Random::stream(1, index));
            assert!(board.max_exponent() <= 2);
        }
    }
}
