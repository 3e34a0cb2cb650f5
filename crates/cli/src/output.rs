//! The one place that prints: data on stdout, talk on stderr.
#![allow(clippy::print_stderr)]

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use indicatif::ProgressBar;
use serde::Serialize;

use crate::args::{Color, Common};
use crate::error::{Error, Stop, error, reason};

/// Where a verb's results and remarks go.
pub(crate) struct Output {
    stdout: BufWriter<Stdout>,
    json: bool,
    quiet: bool,
    color: bool,
}

impl Output {
    pub(crate) fn new(common: &Common) -> Output {
        Output {
            stdout: BufWriter::new(io::stdout()),
            json: common.json,
            quiet: common.quiet,
            color: use_color(common.color, io::stderr().is_terminal()),
        }
    }

    /// A line of text for people; left out when JSON is wanted.
    pub(crate) fn text(&mut self, line: impl Display) -> Result<(), Stop> {
        if self.json { Ok(()) } else { self.raw(format!("{line}\n").as_bytes()) }
    }

    /// An object for programs; left out unless JSON is wanted.
    pub(crate) fn object(&mut self, object: &impl Serialize) -> Result<(), Stop> {
        if !self.json {
            return Ok(());
        }
        let mut line = serde_json::to_vec(object).map_err(error)?;
        line.push(b'\n');
        self.raw(&line)
    }

    /// A line of a conversation: an object that must arrive now.
    pub(crate) fn line(&mut self, object: &impl Serialize) -> Result<(), Stop> {
        let mut line = serde_json::to_vec(object).map_err(error)?;
        line.push(b'\n');
        self.raw(&line)?;
        self.flush()
    }

    /// Bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.stdout.write_all(bytes).map_err(|e| stop(&e))
    }

    /// Everything printed so far leaves the program.
    pub(crate) fn flush(&mut self) -> Result<(), Stop> {
        self.stdout.flush().map_err(|e| stop(&e))
    }

    /// A progress bar on stderr; an invisible one where nobody would see it.
    pub(crate) fn progress(&self, length: u64) -> ProgressBar {
        if self.quiet || !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        ProgressBar::new(length)
    }

    /// A remark for people.
    pub(crate) fn talk(&self, line: impl Display) {
        if !self.quiet {
            eprintln!("{line}");
        }
    }

    /// The sentence that a failed verb ends with.
    pub(crate) fn error(&self, error: &Error) {
        let (red, dim, plain) =
            if self.color { ("\x1b[31m", "\x1b[2m", "\x1b[0m") } else { ("", "", "") };
        eprintln!("{red}error:{plain} {}", error.sentence);
        if let Some(hint) = &error.hint {
            eprintln!("{dim}hint:{plain} {hint}");
        }
    }
}

/// Colour is for terminals that can, unless the user says otherwise.
pub(crate) fn use_color(choice: Color, terminal: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            terminal && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
        }
    }
}

fn stop(cause: &io::Error) -> Stop {
    match cause.kind() {
        io::ErrorKind::BrokenPipe => Stop::PipeClosed,
        _ => error(format!("cannot write the output: {}", reason(cause))),
    }
}
