//! What can be wrong with a file of records, and where.

use std::fmt;

use maxtile_game::ReplayError;

/// A record that was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadError {
    /// Its number in the file, counted from 1.
    pub record: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// The bytes are no record at all.
    NotARecord,
    /// A version this program does not know.
    Version(u32),
    /// The file ends within the head of the record.
    HeadCut,
    /// The file ends within the plies.
    Truncated {
        /// The first ply that is missing, counted from 1.
        ply: usize,
        /// The plies there should be.
        of: usize,
    },
    /// The file ends after the last ply.
    TailCut {
        /// The plies there are.
        plies: usize,
    },
    /// A field of the head that cannot be.
    Field {
        /// Its name in docs/formats.md.
        name: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// A ply whose byte was altered.
    Altered {
        /// The ply, counted from 1.
        ply: usize,
    },
    /// A ply that cannot be played.
    Replay(ReplayError),
    /// The game replays, but not to the end the record claims.
    End {
        /// The plies there are.
        plies: usize,
        /// What differs.
        what: &'static str,
    },
    /// The game replays, but something in the record was altered.
    Checksum {
        /// The plies there are.
        plies: usize,
    },
    /// The line is not the JSON of a record.
    Json(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {}: {}", self.record, self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NotARecord => f.write_str("these bytes are no game record"),
            Problem::Version(version) => write!(f, "version {version} is not known here"),
            Problem::HeadCut => f.write_str("the file ends before ply 1"),
            Problem::Truncated { ply, of } => write!(f, "the file ends at ply {ply} of {of}"),
            Problem::TailCut { plies } => write!(f, "the file ends right after ply {plies}"),
            Problem::Field { name, why } => write!(f, "{name}: {why}"),
            Problem::Altered { ply } => write!(f, "ply {ply}: the byte was altered"),
            Problem::Replay(error) => error.fmt(f),
            Problem::End { plies, what } => {
                write!(f, "after ply {plies} the {what} is not the one the record claims")
            }
            Problem::Checksum { plies } => {
                write!(f, "the checksum over the head and plies 1 to {plies} does not match")
            }
            Problem::Json(why) => write!(f, "not the JSON of a game: {why}"),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<ReplayError> for Problem {
    fn from(error: ReplayError) -> Problem {
        Problem::Replay(error)
    }
}

/// A record that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// It does not replay.
    Replay(ReplayError),
    /// A player's name is longer than 255 bytes.
    NameTooLong,
    /// More plies than the format counts.
    TooLong,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Replay(error) => error.fmt(f),
            WriteError::NameTooLong => f.write_str("a player's name has at most 255 bytes"),
            WriteError::TooLong => f.write_str("a record has at most 4,294,967,295 plies"),
        }
    }
}

impl std::error::Error for WriteError {}
