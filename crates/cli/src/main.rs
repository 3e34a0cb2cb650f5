//! The program: one verb per module, one place that prints, errors as one sentence.

mod agents;
mod args;
mod bench;
mod complete;
mod data;
mod duel;
mod engine;
mod error;
mod eval;
mod files;
mod hint;
mod interrupt;
mod manual;
mod matching;
mod net;
mod neural_info;
mod output;
mod perft;
mod play;
mod players;
mod plot;
mod query;
mod record;
mod reproduce;
mod review;
mod serve;
mod solve;
mod train;
mod tuples;
mod watch;

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
        Verb::Hint(hint) => hint::run(&hint, &mut out),
        Verb::Watch(watch) => watch::run(&watch, &args.common, &mut out),
        Verb::Serve(serve) => serve::run(&serve, &args.common, &mut out),
        Verb::Engine(engine) => engine::run(&engine, &args.common, &mut out),
        Verb::Perft(perft) => perft::run(&perft, &args.common, &mut out),
        Verb::Solve(solve) => solve::run(&solve, &args.common, &mut out),
        Verb::Query(query) => query::run(&query, &args.common, &mut out),
        Verb::Review(flags) => review::run(&flags, &args.common, &mut out),
        Verb::Record(record) => record::run(record, &mut out),
        Verb::Train(train) => train::run(&train, &args.common, &mut out),
        Verb::Net(net) => net::run(&net, &args.common, &mut out),
        Verb::Eval(eval) => eval::run(&eval, &args.common, &mut out),
        Verb::Match(pair) => matching::run(&pair, &args.common, &mut out),
        Verb::Duel(duel) => duel::run(&duel, &args.common, &mut out),
        Verb::Agents => agents::run(&mut out),
        Verb::Plot(plot) => plot::run(&plot, &mut out),
        Verb::Reproduce(paper) => reproduce::run(&paper, &args.common, &mut out),
        Verb::Tuples(tuples) => tuples::run(&tuples, &args.common, &mut out),
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
