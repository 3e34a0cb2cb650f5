//! Errors for people: one sentence, and a hint where one helps.

use std::fmt::Display;
use std::io;

/// One sentence about what went wrong, and what to do.
#[derive(Debug)]
pub(crate) struct Error {
    pub(crate) sentence: String,
    pub(crate) hint: Option<String>,
}

/// Why a verb ended early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Something is wrong: exit code 2.
    Error(Error),
    /// Nobody reads the output any more, which is nobody's fault.
    PipeClosed,
}

/// Ends the verb with this sentence.
pub(crate) fn error(sentence: impl Display) -> Stop {
    Stop::Error(Error { sentence: sentence.to_string(), hint: None })
}

impl Stop {
    /// Adds what to do about it.
    pub(crate) fn hint(self, hint: impl Display) -> Stop {
        match self {
            Stop::Error(error) => Stop::Error(Error { hint: Some(hint.to_string()), ..error }),
            Stop::PipeClosed => self,
        }
    }
}

/// The system's words for an error without its number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |c| c.to_lowercase().chain(chars).collect())
}
