//! `maxtile review`: recorded games looked at again.

mod judge;
mod show;

use std::ops::ControlFlow;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use maxtile_game::Record;
use maxtile_lab::review::{GameLine, Line, Reviewed, Setting, TurnLine, page, review};
use maxtile_records::{Imported, import};

use self::judge::Judges;
use crate::Verdict;
use crate::args::{Common, Review};
use crate::error::{Stop, error};
use crate::files::{read_bytes, write_bytes};
use crate::interrupt;
use crate::output::Output;

pub(crate) fn run(args: &Review, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    if let Some(path) = args.html.as_ref().filter(|path| path.exists() && !args.force) {
        // Better now than after an hour of work.
        return Err(error(format!("{} exists already", path.display())).hint("--force replaces it"));
    }
    // Everything is read before anything is judged: a bad file is not found out late.
    let mut games = Vec::new();
    for file in &args.files {
        games.extend(read(file, args.record)?);
    }
    let mut judges = Judges::new(args, common.threads());
    let mut reviews = Vec::new();
    for (name, record, format) in games {
        let reviewed = one(&name, &record, format, &mut judges, common.threads(), out)?;
        show::show(&reviewed, out)?;
        if args.html.is_some() {
            reviews.push(reviewed);
        }
    }
    if let Some(path) = &args.html {
        write_bytes(path, page(&reviews).as_bytes(), args.force, out)?;
    }
    Ok(Verdict::Done)
}

/// The games of a file with their names and the form they were found in.
fn read(file: &Path, only: Option<usize>) -> Result<Vec<(String, Record, &'static str)>, Stop> {
    let shown = file.display();
    let Imported { records, format } =
        import(&read_bytes(file)?).map_err(|cause| error(format!("{shown}: {cause}")))?;
    let count = records.len();
    let wanted = |number: usize| only.is_none_or(|only| only == number);
    if let Some(only) = only.filter(|only| !(1..=count).contains(only)) {
        return Err(error(format!("there is no game {only} in {shown}, it holds {count}")));
    }
    let named = records.into_iter().zip(1..).filter(|(_, number)| wanted(*number));
    let named = named.map(|(record, number)| {
        let name = if count == 1 { shown.to_string() } else { format!("{shown}, game {number}") };
        (name, record, format)
    });
    Ok(named.collect())
}

fn one(
    name: &str,
    record: &Record,
    format: &str,
    judges: &mut Judges<'_>,
    threads: usize,
    out: &mut Output,
) -> Result<Reviewed, Stop> {
    let judge = judges.judge(record)?;
    let bar = bar(out, record.plies.len() as u64 + 1);
    let setting = Setting { threads, stop: interrupt::flag() };
    let mut game: Option<GameLine> = None;
    let mut turns: Vec<TurnLine> = Vec::new();
    let mut failed = None;
    let result = review(record, format, &judge, setting, &mut |line| {
        if let Err(stop) = out.object(&line).and_then(|()| out.flush()) {
            failed = Some(stop);
            return ControlFlow::Break(());
        }
        match line {
            Line::Game(found) => game = Some(found),
            Line::Turn(turn) => turns.push(*turn),
            Line::Progress(progress) => bar.set_position(progress.done as u64),
            Line::Summary(_) => {}
        }
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    if let Some(stop) = failed {
        return Err(stop);
    }
    let summary = result.map_err(|cause| error(format!("{name}: {cause}")))?;
    let (Some(game), Some(summary)) = (game, summary) else {
        let (done, all) = (turns.len(), record.plies.len());
        return Err(error(format!("stopped after {done} of {all} moves of {name}")));
    };
    Ok(Reviewed { name: name.to_owned(), game, turns, summary })
}

fn bar(out: &Output, length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} positions  ({eta} left)");
    out.progress(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
