//! The boards a game begins with: two tiles on two free cells.

use maxtile_game::Grid;

use crate::aim::Aim;
use crate::objective::potential;
use crate::region::Region;

/// A board a game begins with, and how likely it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) grid: Grid,
    pub(crate) probability: f64,
}

/// All of them, each pair of cells once.
pub(crate) fn starts(region: &Region, p4: f64) -> Vec<Start> {
    let cells: Vec<usize> = region.free_cells().collect();
    let pairs = cells.len() * (cells.len() - 1) / 2;
    let mut starts = Vec::new();
    for (i, &first) in cells.iter().enumerate() {
        for &second in &cells[i + 1..] {
            for tiles in [[1u8, 1], [1, 2], [2, 1], [2, 2]] {
                let mut exponents = vec![0; region.shape().cells()];
                exponents[first] = tiles[0];
                exponents[second] = tiles[1];
                let law = |e: u8| if e == 1 { 1.0 - p4 } else { p4 };
                let probability = law(tiles[0]) * law(tiles[1]) / pairs as f64;
                let grid = Grid::from_exponents(region.shape(), &exponents);
                let grid = grid.unwrap_or(Grid::empty(region.shape()));
                starts.push(Start { grid, probability });
            }
        }
    }
    starts
}

/// The value of the game from those of its starts, given as they were swept.
pub(crate) fn value_of_game(aim: Aim, starts: &[(Start, f64)], p4: f64) -> f64 {
    let value = |&(start, swept): &(Start, f64)| {
        if aim.is_score() { swept - potential(start.grid.nibbles()) } else { swept }
    };
    let mean: f64 = starts.iter().map(|s| s.0.probability * value(s)).sum();
    match aim {
        Aim::Score => mean,
        // Probabilities add up to one but for the last digit.
        Aim::Reach(_) => mean.min(1.0),
        Aim::Hostile | Aim::ForcedTile => starts.iter().map(value).fold(f64::INFINITY, f64::min),
        Aim::HostileTwos | Aim::ForcedTileTwos => {
            let twos = starts.iter().filter(|(start, _)| start.grid.max_exponent() == 1);
            twos.map(value).fold(f64::INFINITY, f64::min)
        }
        Aim::HostileDrawn => drawn(starts, p4, value),
        Aim::Friendly => starts.iter().map(value).fold(f64::NEG_INFINITY, f64::max),
    }
}

/// The enemy puts a drawn tile into a cell and then another one into another.
fn drawn(starts: &[(Start, f64)], p4: f64, value: impl Fn(&(Start, f64)) -> f64) -> f64 {
    let Some((first, _)) = starts.first() else { return 0.0 };
    let cells = first.grid.shape().cells();
    let law = [(1u8, 1.0 - p4), (2, p4)];
    let tiles: f64 = law
        .map(|(tile, p)| {
            p * least(cells, |cell| {
                law.map(|(second, q)| {
                    q * least(cells, |other| {
                        let is = |start: &Start| {
                            let place = |at| match at {
                                _ if at == cell => tile,
                                _ if at == other => second,
                                _ => 0,
                            };
                            cell != other
                                && start.grid.exponents().enumerate().all(|(at, e)| e == place(at))
                        };
                        starts.iter().find(|(start, _)| is(start)).map_or(f64::INFINITY, &value)
                    })
                })
                .iter()
                .sum()
            })
        })
        .iter()
        .sum();
    tiles
}

/// The least over all cells.
fn least(cells: usize, of: impl Fn(usize) -> f64) -> f64 {
    (0..cells).map(of).fold(f64::INFINITY, f64::min)
}
