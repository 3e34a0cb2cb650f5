//! Recorded games as files.
//!
//! ```
//! use maxtile_game::{Game, GameSeed, Rules};
//! use maxtile_records::{read, to_binary, to_json};
//!
//! let mut game = Game::new(Rules::default(), GameSeed { run: 7, index: 0 });
//! while let Some(mv) = game.board().legal_moves().nth(0) {
//!     game.play(mv);
//! }
//! // Two forms of one content; a file may hold many records, one after the other.
//! let mut file = to_binary(game.record())?;
//! file.extend(to_binary(game.record())?);
//! assert!(file.len() < 2 * (game.record().plies.len() + 80));
//! for record in read(&file) {
//!     assert_eq!(&record?, game.record());
//! }
//! let line = to_json(game.record())?;
//! assert_eq!(&read(line.as_bytes()).next().expect("one")?, game.record());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Both forms carry a version and a checksum, and every record is replayed when it is read: what
//! comes out could have been played. docs/formats.md describes them to the byte.

mod binary;
mod error;
mod import;
mod json;
mod pasted;
mod verse;

use maxtile_game::Record;

pub use binary::to_binary;
pub use error::{Problem, ReadError, WriteError};
pub use import::{ImportError, Imported, import};
pub use json::to_json;

/// How a record is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One byte a ply.
    Binary,
    /// One line of JSON.
    Json,
}

/// The record in this form; JSON lines end with a line break.
pub fn write(record: &Record, form: Form) -> Result<Vec<u8>, WriteError> {
    match form {
        Form::Binary => to_binary(record),
        Form::Json => to_json(record).map(String::into_bytes),
    }
}

/// The form of a file, by its first byte.
pub fn form_of(file: &[u8]) -> Form {
    if file.first() == Some(&binary::MAGIC[0]) { Form::Binary } else { Form::Json }
}

/// The records of a file, each checked by replay. The first bad one ends the reading: where a
/// broken record ends cannot be trusted.
pub fn read(file: &[u8]) -> impl Iterator<Item = Result<Record, ReadError>> {
    let form = form_of(file);
    let mut rest = file;
    let mut index = 0;
    std::iter::from_fn(move || {
        let (record, behind) = match form {
            Form::Binary => binary::split_record(rest)?,
            Form::Json => json::split_record(rest)?,
        };
        rest = if record.is_ok() { behind } else { &[] };
        index += 1;
        Some(record.map_err(|problem| ReadError { record: index, problem }))
    })
}
