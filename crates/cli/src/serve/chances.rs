//! How likely each tile is from a state on, when the best player plays for the score.

use std::collections::BTreeMap;

use maxtile_game::{Board, Random};
use maxtile_solve::{Table, TableError};
use serde::Serialize;

/// States followed before the chances are sampled instead.
const MOST: usize = 40_000;
/// Games that are played then.
const GAMES: u64 = 1_000;
/// Longer than any game on nine cells.
const PLIES: usize = 2_000;

#[derive(Debug, Serialize)]
pub(super) struct Chances {
    tiles: Vec<Chance>,
    tiles_exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tiles_games: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Chance {
    exponent: u8,
    chance: f64,
}

/// The chances from this state on.
pub(super) fn chances(table: &Table, board: Board) -> Result<Chances, TableError> {
    if let Some(ends) = followed(table, board)? {
        return Ok(Chances { tiles: at_least(&ends, board), tiles_exact: true, tiles_games: None });
    }
    let ends = sampled(table, board)?;
    let tiles = at_least(&ends, board);
    Ok(Chances { tiles, tiles_exact: false, tiles_games: Some(GAMES) })
}

/// How likely each largest tile is at the end, by its exponent: every state that best play can get
/// to, by its tile sum, which only grows. `None` when there are too many.
fn followed(table: &Table, board: Board) -> Result<Option<[f64; 18]>, TableError> {
    let mut ends = [0.0; 18];
    // In order, so that sums come out the same to the last bit.
    let mut open: BTreeMap<u32, BTreeMap<Board, f64>> = BTreeMap::new();
    open.entry(board.tile_sum()).or_default().insert(board, 1.0);
    let mut seen = 0;
    while let Some((_, layer)) = open.pop_first() {
        seen += layer.len();
        if seen > MOST {
            return Ok(None);
        }
        for (board, chance) in layer {
            let Some(best) = table.query(board)?.moves.first().copied() else {
                ends[board.max_exponent() as usize] += chance;
                continue;
            };
            for spawn in table.spawns(best.afterstate)? {
                let Ok(next) = best.afterstate.spawn(spawn.spawn) else { continue };
                let layer = open.entry(next.tile_sum()).or_default();
                // Positions that differ by symmetry only end alike.
                *layer.entry(next.canonical()).or_default() += chance * spawn.probability;
            }
        }
    }
    Ok(Some(ends))
}

fn sampled(table: &Table, board: Board) -> Result<[f64; 18], TableError> {
    let mut ends = [0.0; 18];
    for game in 0..GAMES {
        let mut random = Random::stream(1, game);
        let law = maxtile_game::SpawnLaw::new(table.header().p4).unwrap_or_default();
        let mut at = board;
        for _ in 0..PLIES {
            let Some(best) = table.query(at)?.moves.first().copied() else { break };
            at = law.spawn(best.afterstate, &mut random);
        }
        ends[at.max_exponent() as usize] += 1.0 / GAMES as f64;
    }
    Ok(ends)
}

/// Tiles never grow smaller: one is reached when the largest at the end is at least as large.
fn at_least(ends: &[f64; 18], board: Board) -> Vec<Chance> {
    let mut tiles = Vec::new();
    for exponent in board.max_exponent()..18 {
        let chance: f64 = ends[exponent as usize..].iter().sum();
        if chance > 0.0 {
            tiles.push(Chance { exponent, chance: chance.min(1.0) });
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use maxtile_solve::{Problem, Watch};

    use super::*;

    #[test]
    fn following_agrees_with_the_solver_and_with_games() {
        let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let table = Table::in_memory(&Problem::score("2x3".parse().unwrap()), 1, watch).unwrap();
        // The mean over the starts is what the solver says of the whole game.
        let rules = maxtile_game::Rules::of("2x3".parse().unwrap());
        let mut whole = [0.0; 18];
        for start in rules.starts() {
            let fours = start.exponents().filter(|&exponent| exponent == 2).count();
            // Fifteen pairs of cells, and each tile is a 4 once in ten.
            let chance = [0.81, 0.09, 0.01][fours] / 15.0;
            let ends = followed(&table, start).unwrap().unwrap();
            for (sum, end) in whole.iter_mut().zip(ends) {
                *sum += chance * end;
            }
        }
        for &(tile, chance) in &table.header().tiles {
            let ours: f64 = whole[tile.ilog2() as usize..].iter().sum();
            assert!((ours - chance).abs() < 1e-9, "{tile}: {ours} and {chance}");
        }
        let start = "2x3:110000".parse().unwrap();
        let (exact, games) =
            (followed(&table, start).unwrap().unwrap(), sampled(&table, start).unwrap());
        for (one, other) in exact.iter().zip(games) {
            assert!((one - other).abs() < 0.06, "{one} and {other}");
        }
    }
}
