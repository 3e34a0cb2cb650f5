//! Games as people paste them: a start and moves, or one position after the other.

use maxtile_game::{Board, Move, Ply, Record, Spawn, SpawnLaw};

use crate::import::ImportError;

/// Is the word a position in the short form?
fn position(word: &str) -> Option<Board> {
    let long = word.len() > 4 && (word.len() == 16 || word.contains(':'));
    long.then(|| word.parse().ok()).flatten()
}

/// Does the text begin with a position? Then it is one of ours.
pub(crate) fn begins_with_position(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(|word| position(word).is_some())
}

/// Is the second word a position too?
pub(crate) fn is_positions(text: &str) -> bool {
    text.split_whitespace().nth(1).is_some_and(|word| position(word).is_some())
}

fn start(text: &str) -> Result<Board, ImportError> {
    let first = text.split_whitespace().next().and_then(position);
    first.ok_or_else(|| ImportError::Text("the first word is not a position".to_owned()))
}

/// Reads `POSITION MOVE TILE@CELL MOVE TILE@CELL …`, in any number of lines.
pub(crate) fn read_moves(text: &str) -> Result<Record, ImportError> {
    let mut record = Record::new(SpawnLaw::default(), start(text)?);
    let words: Vec<&str> = text.split_whitespace().skip(1).collect();
    for (index, pair) in words.chunks(2).enumerate() {
        let wrong = |why: String| ImportError::Text(format!("ply {}: {why}", index + 1));
        let mv: Move = parse_move(pair[0])
            .ok_or_else(|| wrong(format!("{:?} is not up, right, down or left", clip(pair[0]))))?;
        let tile = pair.get(1).ok_or_else(|| wrong("the tile after the move is missing".into()))?;
        let spawn = parse_spawn(tile).ok_or_else(|| {
            wrong(format!("{:?} is not a tile and its cell, such as 2@7", clip(tile)))
        })?;
        record.plies.push(Ply { mv, spawn });
    }
    record.replay().map_err(ImportError::Replay)?;
    Ok(record)
}

/// Reads positions that follow one another. Where two moves lead from one to the next, the first in
/// the order up, right, down, left is taken.
pub(crate) fn read_positions(text: &str) -> Result<Record, ImportError> {
    let mut board = start(text)?;
    let mut record = Record::new(SpawnLaw::default(), board);
    for (index, word) in text.split_whitespace().skip(1).enumerate() {
        let wrong = |why: &str| ImportError::Text(format!("ply {}: {why}", index + 1));
        let next = position(word).ok_or_else(|| wrong("this is not a position"))?;
        let ply = between(board, next)
            .ok_or_else(|| wrong("no move and tile lead from the position before to this one"))?;
        record.plies.push(ply);
        board = next;
    }
    record.replay().map_err(ImportError::Replay)?;
    Ok(record)
}

/// The move and the tile that lead from one position to the next.
fn between(board: Board, next: Board) -> Option<Ply> {
    if board.shape() != next.shape() {
        return None;
    }
    board.afterstates().iter().find_map(|(mv, afterstate, _)| {
        let mut new = (0..board.shape().cells())
            .filter(|&cell| afterstate.exponent(cell) != next.exponent(cell));
        let (cell, None) = (new.next()?, new.next()) else { return None };
        let spawn = Spawn { cell: cell as u8, exponent: next.exponent(cell) };
        (afterstate.spawn(spawn) == Ok(next)).then_some(Ply { mv, spawn })
    })
}

fn parse_move(word: &str) -> Option<Move> {
    let initial = |mv: &Move| word.len() == 1 && mv.name().starts_with(&word.to_lowercase());
    word.to_lowercase().parse().ok().or_else(|| Move::ALL.into_iter().find(initial))
}

fn parse_spawn(word: &str) -> Option<Spawn> {
    let (tile, cell) = word.split_once('@')?;
    let exponent = match tile {
        "2" => 1,
        "4" => 2,
        _ => return None,
    };
    Some(Spawn { cell: cell.parse().ok()?, exponent })
}

/// As much of a word as a sentence can bear.
fn clip(word: &str) -> String {
    word.chars().take(20).collect()
}
