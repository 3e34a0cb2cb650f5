//! Replays of 2048verse: two forms of text, both known by their structure only (docs/review.md).
//!
//! In both the first two items are the tiles of the start, their moves mean nothing; every other
//! item is a move and the tile after it.
//!
//! | form | begins with | an item | bits from the lowest |
//! |---|---|---|---|
//! | old | 7 characters that mean nothing here, 10 where the size is among them | 1 character | row 2, column 2, value 1, move 2 |
//! | new | `RxC-…_` | 3 characters of 7 bits, the highest first | move 2, value 2, column 3, row 3; the rest is not looked at |

use maxtile_game::{Afterstate, Move, Ply, Record, Shape, Spawn, SpawnLaw};

use crate::import::ImportError;

/// The characters of the old form beyond the printable ones of ASCII.
const OLD_BEYOND: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒá";
/// The moves of the new form by their number.
const NEW_MOVES: [Move; 4] = [Move::Up, Move::Down, Move::Left, Move::Right];
/// The head of the old form without and with a size in it.
const OLD_HEADS: [usize; 2] = [7, 10];
/// Shorter games are not believed: the old form has no mark, and a few characters replay by chance.
const OLD_LEAST: usize = 10;

/// A move and the tile after it.
struct Item {
    mv: Move,
    row: usize,
    col: usize,
    exponent: u8,
}

/// The size and the items of a text in the new form; `None` when it has not even its head.
pub(crate) fn split_new(text: &str) -> Option<(&str, &str)> {
    // No item has this character, but a name in the head may.
    let (head, items) = text.rsplit_once('_')?;
    let (size, _) = head.split_once('-')?;
    let digits = |side: &str| !side.is_empty() && side.bytes().all(|b| b.is_ascii_digit());
    let (rows, cols) = size.split_once('x')?;
    (digits(rows) && digits(cols)).then_some((size, items))
}

/// Reads the new form.
pub(crate) fn read_new(size: &str, items: &str) -> Result<Record, ImportError> {
    let shape: Shape = size.parse().map_err(|cause| ImportError::Text(format!("{cause}")))?;
    let bits: Vec<u32> = items
        .chars()
        .enumerate()
        .map(|(at, found)| new_digit(found).ok_or_else(|| stranger(at / 3, found)))
        .collect::<Result<_, _>>()?;
    if !bits.len().is_multiple_of(3) {
        let whole = bits.len() / 3;
        return Err(ImportError::Text(format!("the text ends within ply {}", ply_of(whole))));
    }
    let items = bits.chunks_exact(3).map(|three| {
        let all = three[0] << 14 | three[1] << 7 | three[2];
        Item {
            mv: NEW_MOVES[all as usize & 3],
            exponent: (all >> 2 & 3) as u8 + 1,
            col: (all >> 4 & 7) as usize,
            row: (all >> 7 & 7) as usize,
        }
    });
    assemble(shape, items)
}

/// Reads the old form.
pub(crate) fn read_old(text: &str) -> Result<Record, ImportError> {
    let head: String = text.chars().take(OLD_HEADS[1]).collect();
    let sized = ["2x4", "3x3", "3x4"].into_iter().find(|size| head.contains(size));
    let shape = sized.and_then(|size| size.parse().ok()).unwrap_or(Shape::CLASSIC);
    let items = text.chars().skip(OLD_HEADS[usize::from(sized.is_some())]);
    let items: Vec<Item> = items
        .enumerate()
        .map(|(at, found)| {
            let bits = old_digit(found).ok_or_else(|| stranger(at, found))?;
            Ok(Item {
                row: bits & 3,
                col: bits >> 2 & 3,
                exponent: (bits >> 4 & 1) as u8 + 1,
                mv: Move::from_index(bits >> 5),
            })
        })
        .collect::<Result<_, ImportError>>()?;
    let record = assemble(shape, items.into_iter())?;
    if record.plies.len() < OLD_LEAST {
        let why = format!("a text without a mark needs at least {OLD_LEAST} plies");
        return Err(ImportError::Text(why));
    }
    Ok(record)
}

/// The ply that an item stands for: the first two are the start, ply 0.
fn ply_of(item: usize) -> usize {
    (item + 1).saturating_sub(2)
}

fn stranger(item: usize, found: char) -> ImportError {
    ImportError::Text(format!("ply {}: {found:?} does not belong there", ply_of(item)))
}

fn old_digit(found: char) -> Option<usize> {
    match found {
        ' '..='~' => Some(found as usize - ' ' as usize),
        _ => OLD_BEYOND.chars().position(|c| c == found).map(|place| 95 + place),
    }
}

/// The digits, both cases of the letters, the letters of Latin-1 from À to ÿ, and two signs.
fn new_digit(found: char) -> Option<u32> {
    let from = |first: char, digit: u32| Some(found as u32 - first as u32 + digit);
    match found {
        '0'..='9' => from('0', 0),
        'a'..='z' => from('a', 10),
        'A'..='Z' => from('A', 36),
        'À'..='ÿ' => from('À', 62),
        '¤' => Some(126),
        '¾' => Some(127),
        _ => None,
    }
}

/// Plays the items: what cannot have been played is refused.
fn assemble(shape: Shape, items: impl Iterator<Item = Item>) -> Result<Record, ImportError> {
    let spawn = |item: &Item, ply: usize| {
        if item.row < shape.rows() && item.col < shape.cols() {
            let cell = (item.row * shape.cols() + item.col) as u8;
            return Ok(Spawn { cell, exponent: item.exponent });
        }
        let (row, col) = (item.row + 1, item.col + 1);
        let why = format!("ply {ply}: a {shape} board has no row {row}, column {col}");
        Err(ImportError::Text(why))
    };
    let mut items = items;
    let mut start = Afterstate::empty(shape);
    for _ in 0..2 {
        let item = items.next().ok_or_else(|| {
            ImportError::Text("the text ends before the first two tiles".to_owned())
        })?;
        let placed = start.spawn(spawn(&item, 0)?);
        let placed = placed.map_err(|cause| ImportError::Text(format!("ply 0: {cause}")))?;
        start = placed.grid().into();
    }
    let mut record = Record::new(SpawnLaw::default(), start.grid().into());
    for (index, item) in items.enumerate() {
        record.plies.push(Ply { mv: item.mv, spawn: spawn(&item, index + 1)? });
    }
    record.replay().map_err(ImportError::Replay)?;
    Ok(record)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The text of a game in the old form.
    pub(crate) fn write_old(record: &Record) -> String {
        let shape = record.start.shape();
        let head =
            if shape == Shape::CLASSIC { "replay ".to_owned() } else { format!("replay_{shape}") };
        let digit = |mv: Move, spawn: Spawn| {
            let (row, col) =
                (spawn.cell as usize / shape.cols(), spawn.cell as usize % shape.cols());
            let bits = row | col << 2 | (spawn.exponent as usize - 1) << 4 | (mv as usize) << 5;
            let beyond = || OLD_BEYOND.chars().nth(bits - 95).unwrap();
            char::from_u32(bits as u32 + 32).filter(|_| bits < 95).unwrap_or_else(beyond)
        };
        head + &items(record).map(|(mv, spawn)| digit(mv, spawn)).collect::<String>()
    }

    /// The text of a game in the new form; `above` are bits that nobody looks at.
    pub(crate) fn write_new(record: &Record, above: u32) -> String {
        let shape = record.start.shape();
        let alphabet: Vec<char> =
            (0..=0x2fff).filter_map(char::from_u32).filter(|c| new_digit(*c).is_some()).collect();
        let digit =
            |wanted: u32| *alphabet.iter().find(|c| new_digit(**c) == Some(wanted & 127)).unwrap();
        let three = |(mv, spawn): (Move, Spawn)| {
            let (row, col) =
                (spawn.cell as usize / shape.cols(), spawn.cell as usize % shape.cols());
            let number = NEW_MOVES.iter().position(|m| *m == mv).unwrap();
            let bits = number | (spawn.exponent as usize - 1) << 2 | col << 4 | row << 7;
            let all = bits as u32 | above << 10;
            [digit(all >> 14), digit(all >> 7), digit(all)]
        };
        format!("{shape}-somebody_{}", items(record).flat_map(three).collect::<String>())
    }

    fn items(record: &Record) -> impl Iterator<Item = (Move, Spawn)> {
        let tiles = record.start.exponents().enumerate().filter(|(_, e)| *e > 0);
        let start: Vec<_> = tiles
            .map(|(cell, exponent)| (Move::Up, Spawn { cell: cell as u8, exponent }))
            .collect();
        start.into_iter().chain(record.plies.iter().map(|ply| (ply.mv, ply.spawn)))
    }

    #[test]
    fn both_alphabets_have_128_different_digits() {
        let olds: Vec<usize> =
            (0..=0x2fff).filter_map(char::from_u32).filter_map(old_digit).collect();
        let news: Vec<u32> =
            (0..=0x2fff).filter_map(char::from_u32).filter_map(new_digit).collect();
        assert_eq!((olds.len(), news.len()), (128, 128));
        for digit in 0..128 {
            assert!(olds.contains(&(digit as usize)) && news.contains(&digit), "{digit}");
        }
    }
}
