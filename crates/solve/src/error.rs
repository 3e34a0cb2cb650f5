//! What can go wrong with a solved board.

use std::fmt;
use std::io;

/// Why a board cannot be solved, or a solved one not be asked.
#[derive(Debug)]
pub enum TableError {
    /// The system says no.
    Io(io::Error),
    /// Not a file of ours, or one of another version.
    NotATable(&'static str),
    /// Bytes are not what they were.
    Damaged(&'static str),
    /// The file is not finished.
    Incomplete,
    /// Another process writes the file.
    InUse,
    /// The half-finished file solves something else.
    OtherPart,
    /// The file solves something else.
    OtherFile,
    /// The work was asked to stop; it can be continued.
    Stopped,
    /// No tile of this size can ever stand on the board.
    OutOfReach {
        /// The largest exponent that can.
        most: u8,
    },
    /// A game that ends at a tile is played for that tile.
    GoalWithoutAim,
    /// The position belongs to another board.
    OtherBoard {
        /// The board of the file.
        board: String,
    },
    /// No game gets to this position.
    Unreachable,
    /// The file keeps no values.
    NoValues,
    /// The file is solved for something else than the expected score.
    NotForScore,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::Io(cause) if cause.kind() == io::ErrorKind::StorageFull => f.write_str(
                "the disk is full; what is done is kept, and the same command continues it",
            ),
            TableError::Io(cause) => {
                let text = cause.to_string();
                let text = text.split(" (os error").next().unwrap_or_default();
                write!(f, "{}{}", text[..1].to_lowercase(), &text[1..])
            }
            TableError::NotATable(why) => f.write_str(why),
            TableError::Damaged(what) => write!(f, "the file is damaged: {what}"),
            TableError::Incomplete => f.write_str("the file is not finished"),
            TableError::InUse => f.write_str("another process is solving into this file"),
            TableError::OtherPart => {
                f.write_str("the half-finished file beside it solves something else")
            }
            TableError::OtherFile => f.write_str("the file there solves something else"),
            TableError::Stopped => f.write_str("stopped; the same command continues"),
            TableError::OutOfReach { most } => {
                write!(f, "no tile larger than {} can stand on this board", 1u32 << most)
            }
            TableError::GoalWithoutAim => {
                f.write_str("a game that ends at a tile is played for that tile")
            }
            TableError::OtherBoard { board } => write!(f, "the solved board is {board}"),
            TableError::Unreachable => f.write_str("no game gets to this position"),
            TableError::NotForScore => f.write_str("the file is not solved for the score"),
            TableError::NoValues => f.write_str("the file keeps no values"),
        }
    }
}

impl std::error::Error for TableError {}
