//! `maxtile train`: a recipe becomes a network.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use indicatif::ProgressStyle;
use maxtile_lab::nearest;
use maxtile_lab::training::{
    Event, Learner, NAMED_RECIPES, Origin, Recipe, Report, RunError, Session, named_recipe,
};
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, Train};
use crate::error::{Stop, error};
use crate::files::read_bytes;
use crate::interrupt;
use crate::output::Output;

#[derive(Serialize)]
struct Summary<'a> {
    r#type: &'static str,
    run: String,
    games: u64,
    moves: u64,
    seconds: f64,
    games_per_s: f64,
    moves_per_s: f64,
    mean: Option<f64>,
    ci95: Option<f64>,
    tiles: &'a std::collections::BTreeMap<String, f64>,
    finished: bool,
}

pub(crate) fn run(args: &Train, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    let mut session = match &args.resume {
        Some(folder) => resume(args, folder, common, out)?,
        None => begin(args, common, out)?,
    };
    let recipe = session.recipe();
    out.talk(format!(
        "{}: {} on {}, {}, {} of {} games learned",
        recipe.name,
        rule(recipe),
        recipe.network,
        session.describe(),
        session.counters().games,
        recipe.games
    ));

    let stop = interrupt::flag();
    let last = learn(&mut session, out, stop)?;
    let counters = session.counters();
    let folder = session.folder().path().display().to_string();
    let finished = session.finished();
    let none = std::collections::BTreeMap::new();
    out.text(format!(
        "{folder}: {} games, {} moves, {:.0} s{}",
        counters.games,
        counters.moves,
        counters.seconds,
        last.as_ref().map_or(String::new(), |l| format!(", mean {:.0} ± {:.0}", l.mean, l.ci95)),
    ))?;
    if !finished {
        out.talk(format!("stopped; go on with: maxtile train --resume {folder}"));
    }
    out.object(&Summary {
        r#type: "summary",
        run: folder,
        games: counters.games,
        moves: counters.moves,
        seconds: counters.seconds,
        games_per_s: counters.games as f64 / counters.seconds.max(1e-9),
        moves_per_s: counters.moves as f64 / counters.seconds.max(1e-9),
        mean: last.as_ref().map(|l| l.mean),
        ci95: last.as_ref().map(|l| l.ci95),
        tiles: last.as_ref().map_or(&none, |l| &l.tiles),
        finished,
    })?;
    Ok(Verdict::Done)
}

fn begin(args: &Train, common: &Common, out: &Output) -> Result<Session, Stop> {
    let Some(name) = &args.recipe else {
        let names: Vec<&str> = NAMED_RECIPES.iter().map(|(name, _)| *name).collect();
        return Err(error("which recipe?").hint(format!("a file, or one of {}", names.join(", "))));
    };
    let recipe = read_recipe(name, &args.changes(common))?;
    let folder = args.out.clone().unwrap_or_else(|| {
        PathBuf::from("runs").join(format!("{}-seed{}", recipe.name, recipe.seed))
    });
    out.talk(format!("run folder {}", folder.display()));
    Session::begin(recipe, &folder, &origin()).map_err(|cause| match &cause {
        RunError::Exists(path) => error(&cause).hint(format!(
            "go on with it by --resume {0}, or name another folder by --out",
            path.display()
        )),
        _ => error(cause),
    })
}

fn resume(args: &Train, folder: &Path, common: &Common, out: &Output) -> Result<Session, Stop> {
    if args.recipe.is_some() || args.out.is_some() {
        return Err(error("--resume takes the recipe from the run's folder")
            .hint("only --games and --threads can be changed"));
    }
    let (mut session, remarks) = Session::resume(folder).map_err(error)?;
    for remark in remarks {
        out.talk(remark);
    }
    let (mut games, mut threads) = (None, None);
    for (name, value) in args.changes(common) {
        let number = value.parse().ok().filter(|n| *n > 0);
        match (name.as_str(), number) {
            ("games", Some(number)) => games = Some(number),
            ("threads", Some(number)) => threads = Some(number),
            ("games" | "threads", None) => {
                return Err(error(format!("--{name} {value} is not a number above 0")));
            }
            _ => {
                return Err(error(format!("--{name} cannot be changed in the middle of a run"))
                    .hint("only --games and --threads can"));
            }
        }
    }
    session.change(games, threads);
    Ok(session)
}

/// A recipe by name, or from a file.
fn read_recipe(name: &str, changes: &[(String, String)]) -> Result<Recipe, Stop> {
    if let Some(recipe) = named_recipe(name, changes) {
        return recipe.map_err(error);
    }
    let path = Path::new(name);
    if !path.exists() {
        let names = NAMED_RECIPES.iter().map(|(name, _)| *name);
        let near = nearest(name, names.clone())
            .map_or_else(|| names.collect::<Vec<_>>().join(", "), str::to_owned);
        return Err(error(format!("there is no recipe {name:?}, by name or as a file"))
            .hint(format!("try {near}")));
    }
    let text = String::from_utf8(read_bytes(path)?)
        .map_err(|_| error(format!("{name} is not a text file")))?;
    Recipe::parse(&text, changes).map_err(|cause| error(format!("{name}: {cause}")))
}

fn learn(
    session: &mut Session,
    out: &mut Output,
    stop: &AtomicBool,
) -> Result<Option<Report>, Stop> {
    let recipe = session.recipe().clone();
    let bar = out.progress(recipe.length());
    let unit = if recipe.positions > 0 { "positions" } else { "games" };
    let template = format!("{{bar:24}} {{pos}}/{{len}} {unit} {{msg}} ({{eta}} left)");
    bar.set_style(
        ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar.set_position(session.counters().done(&recipe));
    bar.reset_eta();
    let mut failed = None;
    let mut watch = |event: Event<'_>| {
        let result = match event {
            Event::Learned(report) => {
                bar.set_position(report.done(&recipe));
                let loss =
                    report.optimizer.map_or(String::new(), |o| format!(", loss {:.3}", o.loss));
                bar.set_message(format!(
                    "{:.2} M moves/s, {:.0} games/s, mean {:.0}{loss}",
                    report.moves_per_s / 1e6,
                    report.games_per_s,
                    report.mean
                ));
                if stop.load(Ordering::Relaxed) {
                    bar.println("stopping: writing a checkpoint");
                }
                out.object(report)
            }
            Event::Evaluated(report) => {
                bar.suspend(|| out.text(line(report))).and_then(|()| out.object(report))
            }
            Event::Saved(_) => Ok(()),
            Event::Remark(sentence) => {
                bar.suspend(|| out.talk(sentence));
                Ok(())
            }
        };
        let flushed = result.and_then(|()| out.flush());
        if let Err(cause) = flushed {
            // Nobody listens any more: save and end.
            stop.store(true, Ordering::Relaxed);
            failed = Some(cause);
        }
    };
    let last = session.run(&mut watch, stop).map_err(error);
    bar.finish_and_clear();
    failed.map_or(last, Err)
}

/// Trains a named recipe in a folder to its end, going on with what is there; `false` when it was
/// stopped.
pub(crate) fn to_its_end(
    recipe: &str,
    changes: &[(String, String)],
    folder: &Path,
    out: &Output,
) -> Result<bool, Stop> {
    let mut session = if folder.join("recipe.toml").exists() {
        Session::resume(folder).map_err(error)?.0
    } else {
        let found = named_recipe(recipe, changes);
        let found = found.ok_or_else(|| error(format!("there is no recipe {recipe}")))?;
        Session::begin(found.map_err(error)?, folder, &origin()).map_err(error)?
    };
    let games = session.recipe().games;
    if !session.finished() {
        let bar = out.progress(games);
        let mut watch = |event: Event<'_>| match event {
            Event::Learned(report) | Event::Evaluated(report) => {
                bar.set_position(report.games);
                bar.set_message(format!("mean {:.0}", report.mean));
            }
            Event::Saved(_) => {}
            Event::Remark(sentence) => out.talk(sentence),
        };
        let ran = session.run(&mut watch, interrupt::flag());
        bar.finish_and_clear();
        ran.map_err(error)?;
    }
    Ok(session.finished())
}

/// An evaluation in one line.
fn line(report: &Report) -> String {
    let tile =
        |name: &str| report.tiles.get(name).map(|share| format!("{name} {:.1} %", 100.0 * share));
    let tiles: Vec<String> =
        ["2048", "4096", "8192", "16384", "32768"].iter().filter_map(|t| tile(t)).collect();
    format!(
        "{:>9} games {:>12} moves {:>7.0} s   greedy {:>7.0} ± {:<5.0} {}",
        report.games,
        report.moves,
        report.seconds,
        report.mean,
        report.ci95,
        tiles.join("  ")
    )
}

fn rule(recipe: &Recipe) -> String {
    let name = |rule: serde_json::Result<serde_json::Value>| {
        rule.ok().and_then(|rule| rule.as_str().map(str::to_owned)).unwrap_or_default()
    };
    if recipe.neural().is_ok_and(|spec| spec.is_some()) {
        return if recipe.learner == Learner::Ppo { "ppo" } else { "td" }.to_owned();
    }
    if recipe.learner == Learner::Tree {
        let targets = name(serde_json::to_value(recipe.tree_targets));
        return format!("{} of {targets} trees", name(serde_json::to_value(recipe.step)));
    }
    let (step, credit) = (serde_json::to_value(recipe.step), serde_json::to_value(recipe.credit));
    format!("{} {}", name(step), name(credit))
}

pub(crate) fn origin() -> Origin {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    Origin {
        command: std::env::args().collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("MAXTILE_COMMIT").map(str::to_owned),
        machine: machine(),
        started: seconds,
    }
}

fn machine() -> String {
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{}, {threads} threads, {os} {arch}", model.unwrap_or_else(|| "unknown".to_owned()))
}
