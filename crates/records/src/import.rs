//! Games from anywhere: our own files, text of other programs, text that was pasted.

use std::fmt;

use maxtile_game::{Record, ReplayError};

use crate::error::ReadError;
use crate::{Form, form_of, pasted, read, verse};

/// Games, and the form they were found in.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The games, at least one.
    pub records: Vec<Record>,
    /// The form: `json`, `binary`, `2048verse`, `2048verse-old`, `moves` or `positions`.
    pub format: &'static str,
}

/// Why something is no game.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportError {
    /// A record of ours that is not right.
    Record(ReadError),
    /// A text whose game cannot be played.
    Replay(ReplayError),
    /// What is wrong with a text.
    Text(String),
    /// Nothing that is known here.
    Unknown {
        /// What is wrong with it when it is read as the oldest of the forms, which has no mark.
        old: Box<ImportError>,
    },
    /// Nothing at all.
    Empty,
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Record(error) => error.fmt(f),
            ImportError::Replay(error) => error.fmt(f),
            ImportError::Text(why) => f.write_str(why),
            ImportError::Unknown { old } => write!(
                f,
                "this is no game record, and as 2048verse text it does not replay ({old})"
            ),
            ImportError::Empty => f.write_str("there is no game in it"),
        }
    }
}

impl std::error::Error for ImportError {}

/// Reads games in any form; each is replayed, and what does not replay is refused.
///
/// ```
/// use maxtile_records::import;
///
/// let found = import(b"2x2:1100 left 2@1 down 2@0")?;
/// assert_eq!((found.format, found.records[0].plies.len()), ("moves", 2));
/// let found = import(b"2x2:1100\n2x2:2100\n")?;
/// assert_eq!((found.format, found.records[0].plies.len()), ("positions", 1));
/// let error = import(b"2x2:1100 up 2@1").unwrap_err();
/// assert_eq!(error.to_string(), "ply 1: up is not a legal move");
/// # Ok::<(), maxtile_records::ImportError>(())
/// ```
pub fn import(bytes: &[u8]) -> Result<Imported, ImportError> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let first = bytes.iter().find(|b| !b.is_ascii_whitespace());
    if first.is_none() {
        return Err(ImportError::Empty);
    }
    let binary = form_of(bytes) == Form::Binary && bytes.starts_with(b"mtg");
    if binary || first == Some(&b'{') {
        let records: Result<Vec<Record>, ReadError> = read(bytes).collect();
        let records = records.map_err(ImportError::Record)?;
        return Ok(Imported { records, format: if binary { "binary" } else { "json" } });
    }
    let text = str::from_utf8(bytes)
        .map_err(|_| ImportError::Text("this is neither a game record nor text".to_owned()))?;
    let (record, format) = read_text(text)?;
    Ok(Imported { records: vec![record], format })
}

fn read_text(text: &str) -> Result<(Record, &'static str), ImportError> {
    // A blank is a character like others in the old form of 2048verse: only line ends go.
    let line = text.trim_matches(['\r', '\n']);
    if let Some((size, items)) = verse::split_new(line.trim_end()) {
        return Ok((verse::read_new(size, items)?, "2048verse"));
    }
    if pasted::begins_with_position(text) {
        if pasted::is_positions(text) {
            return Ok((pasted::read_positions(text)?, "positions"));
        }
        return Ok((pasted::read_moves(text)?, "moves"));
    }
    match verse::read_old(line) {
        Ok(record) => Ok((record, "2048verse-old")),
        Err(old) => Err(ImportError::Unknown { old: Box::new(old) }),
    }
}

#[cfg(test)]
mod tests {
    use maxtile_game::{Game, GameSeed, Random, Rules, Shape};
    use proptest::prelude::*;

    use super::*;
    use crate::verse::tests::{write_new, write_old};
    use crate::{to_binary, to_json};

    /// A game of chance, as another program would know it: without seed and player.
    fn game(size: &str, run: u64) -> Record {
        let rules = Rules::of(size.parse::<Shape>().unwrap());
        let mut game = Game::new(rules, GameSeed { run, index: 0 });
        let mut random = Random::new(run);
        loop {
            let legal = game.board().legal_moves();
            let Some(mv) = legal.nth(random.below(legal.len() as u64) as usize) else { break };
            game.play(mv);
        }
        Record { seed: None, ..game.record().clone() }
    }

    fn as_moves(record: &Record) -> String {
        let plies = record
            .plies
            .iter()
            .map(|ply| format!("{} {}@{}\n", ply.mv, 1 << ply.spawn.exponent, ply.spawn.cell));
        format!("{}\n{}", record.start, plies.collect::<String>())
    }

    fn as_positions(record: &Record) -> String {
        record.turns().map(|turn| format!("{}\n", turn.unwrap().board)).collect()
    }

    #[test]
    fn every_form_gives_the_game_back() {
        let sizes = ["4x4", "3x4", "3x3", "2x4"];
        for (run, size) in (0..40).flat_map(|run| sizes.map(|size| (run, size))) {
            let record = game(size, run);
            let forms = [
                ("json", to_json(&record).unwrap().into_bytes()),
                ("binary", to_binary(&record).unwrap()),
                ("moves", as_moves(&record).into_bytes()),
                ("2048verse", (write_new(&record, 0) + "\r\n").into_bytes()),
                ("2048verse", write_new(&record, 0x5a5).into_bytes()),
                ("2048verse-old", (write_old(&record) + "\n").into_bytes()),
            ];
            for (format, bytes) in forms {
                if format == "2048verse-old" && record.plies.len() < 10 {
                    continue;
                }
                let found = import(&bytes);
                assert_eq!(found, Ok(Imported { records: vec![record.clone()], format }));
            }
            // Another move may lead to the same next position, but to no other positions.
            let found = import(as_positions(&record).as_bytes()).unwrap();
            assert_eq!(found.format, "positions");
            assert_eq!(as_positions(&found.records[0]), as_positions(&record));
        }
    }

    #[test]
    fn larger_boards_than_the_sites_are_read_in_the_new_form() {
        let record = game("2x6", 3);
        assert_eq!(import(write_new(&record, 0).as_bytes()).unwrap().records, [record]);
    }

    #[test]
    fn what_is_no_game_gets_one_sentence() {
        let cases: [(&[u8], &str); 12] = [
            (b"", "there is no game in it"),
            (b" \n\t", "there is no game in it"),
            (b"{}", "record 1: not the JSON of a game: missing field `type` (column 2)"),
            (b"mtg1", "record 1: the file ends before ply 1"),
            (b"\xff\xfe", "this is neither a game record nor text"),
            (b"2x2:1100 sideways 2@1", "ply 1: \"sideways\" is not up, right, down or left"),
            (b"2x2:1100 left", "ply 1: the tile after the move is missing"),
            (b"2x2:1100 l 8@1", "ply 1: \"8@1\" is not a tile and its cell, such as 2@7"),
            (b"2x2:1100 l 2@0", "ply 1: cell 0 is not empty"),
            (
                b"2x2:1100 2x2:1110",
                "ply 1: no move and tile lead from the position before to this one",
            ),
            (b"9x9-a_000", "a board's sides go from 1 to 6"),
            (b"4x4-a_00", "the text ends within ply 0"),
        ];
        for (bytes, sentence) in cases {
            assert_eq!(import(bytes).unwrap_err().to_string(), sentence);
        }
        // A sentence is one line, whatever names stand in the text.
        let error = import(b"{\"\\nn\\u0007\":1}").unwrap_err().to_string();
        assert!(error.contains("unknown field ` n `"), "{error}");
        let long = "To be, or not to be, that is the question";
        let error = import(long.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("this is no game record, and as 2048verse text"), "{error}");
    }

    #[test]
    fn a_wrong_ply_is_named() {
        let record = game("4x4", 5);
        let refused = |change: &dyn Fn(&mut Record)| {
            let mut altered = record.clone();
            change(&mut altered);
            import(write_new(&altered, 0).as_bytes()).unwrap_err().to_string()
        };
        let eight = refused(&|record| record.plies[6].spawn.exponent = 3);
        assert_eq!(eight, "ply 7: a new tile is a 2 or a 4, not exponent 3");
        // After the last ply of a finished game no move is legal.
        let last = record.plies.len();
        let more = refused(&|record| record.plies.push(record.plies[0]));
        assert!(more.starts_with(&format!("ply {}: ", last + 1)), "{more}");
        // The old form names the ply too.
        let mut altered = record.clone();
        altered.plies.push(record.plies[0]);
        let error = import(write_old(&altered).as_bytes()).unwrap_err().to_string();
        assert!(error.contains(&format!("(ply {}: ", last + 1)), "{error}");
    }

    proptest! {
        /// Bytes flipped, cut out, doubled: a game comes out that replays, or a sentence.
        #[test]
        fn mutations_are_games_or_sentences(
            run in 0u64..1000,
            form in 0usize..6,
            changes in prop::collection::vec((any::<u16>(), any::<u8>(), 0u8..4), 1..6),
        ) {
            let size = ["4x4", "3x4", "3x3", "2x4"][run as usize % 4];
            let record = game(size, run);
            let mut bytes = match form {
                0 => to_json(&record).unwrap().into_bytes(),
                1 => to_binary(&record).unwrap(),
                2 => as_moves(&record).into_bytes(),
                3 => as_positions(&record).into_bytes(),
                4 => write_new(&record, run as u32 & 0x7ff).into_bytes(),
                _ => write_old(&record).into_bytes(),
            };
            for (at, byte, kind) in changes {
                let at = at as usize % bytes.len().max(1);
                match kind {
                    _ if bytes.is_empty() => {}
                    0 => bytes[at] = byte,
                    1 => bytes.truncate(at),
                    2 => bytes.insert(at, byte),
                    _ => drop(bytes.remove(at)),
                }
            }
            match import(&bytes) {
                Ok(found) => {
                    prop_assert!(!found.records.is_empty());
                    for record in found.records {
                        prop_assert!(record.replay().is_ok());
                    }
                }
                Err(error) => {
                    let sentence = error.to_string();
                    prop_assert!(!sentence.is_empty() && !sentence.contains('\n'), "{}", sentence);
                }
            }
        }

        #[test]
        fn any_text_is_a_game_or_a_sentence(text in "\\PC{0,80}|[0-9]x[0-9]-[a-z]?_[ -ÿ]{0,60}|[ -~]{0,80}") {
            if let Ok(found) = import(text.as_bytes()) {
                prop_assert!(found.records.iter().all(|record| record.replay().is_ok()));
            }
        }
    }
}
