//! Path counts, the classic proof of a rules engine.

use crate::board::{Afterstate, Board};
use crate::direction::Move;
use crate::rules::Rules;

/// The number of ways to play `depth` plies from here, a ply being a legal move and a spawn of
/// a 2 or a 4 in an empty cell, whatever its probability.
///
/// ```
/// let board: maxtile_game::Board = "2x2:1100".parse()?;
/// // Left and right merge: 3 empty cells each; down does not: 2.
/// assert_eq!(maxtile_game::perft(board, 1), 2 * 3 + 2 * 3 + 2 * 2);
/// # Ok::<(), maxtile_game::PositionError>(())
/// ```
pub fn perft(board: Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    board.afterstates().iter().map(|(_, afterstate, _)| after_slide(afterstate, depth)).sum()
}

/// The counts of [`perft`] by first move.
pub fn perft_by_move(board: Board, depth: u32) -> Vec<(Move, u64)> {
    let depth = depth.max(1);
    board.afterstates().iter().map(|(mv, a, _)| (mv, after_slide(a, depth))).collect()
}

/// The sum of [`perft`] over all boards a game can start from.
pub fn perft_from_start(rules: Rules, depth: u32) -> u64 {
    rules.starts().into_iter().map(|board| perft(board, depth)).sum()
}

fn after_slide(afterstate: Afterstate, depth: u32) -> u64 {
    if depth == 1 {
        return 2 * afterstate.empty_count() as u64;
    }
    afterstate.spawns().map(|spawn| perft(afterstate.spawn_unchecked(spawn), depth - 1)).sum()
}
