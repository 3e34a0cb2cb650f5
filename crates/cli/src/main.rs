//! The program: one verb per module, one place that prints, errors as one sentence.

mod args;
mod bench;
mod data;
mod error;
mod files;
mod manual;
mod output;
mod perft;
mod play;
mod record;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Verb};
use error::Stop;
use output::Output;

/// What a verb found: exit code 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Done,
    /// The check that was asked for said no.
    No,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let mut out = Output::new(&args.common);
    let result = match args.verb {
        Verb::Play(play) => play::run(&play, &args.common, &mut out),
        Verb::Perft(perft) => perft::run(&perft, &args.common, &mut out),
        Verb::Record(record) => record::run(record, &mut out),
        Verb::Bench(bench) => bench::run(&bench, &mut out),
        Verb::Completions { shell } => manual::completions(shell, &mut out),
        Verb::Man { dir } => manual::pages(dir.as_deref(), &mut out),
    };
    let result = result.and_then(|verdict| out.flush().map(|()| verdict));
    match result {
        Ok(Verdict::Done) | Err(Stop::PipeClosed) => ExitCode::SUCCESS,
        Ok(Verdict::No) => ExitCode::from(1),
        Err(Stop::Error(error)) => {
            out.error(&error);
            ExitCode::from(2)
        }
    }
}
