//! `maxtile solve`: every state of a small board, counted and valued.

mod by_games;
mod census;
mod judged;
mod play;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use maxtile_lab::{Figure, svg};
use maxtile_solve::{
    Aim, Analysis, Header, LayerCount, Pass, Problem, Progress, Region, Table, TableError, Totals,
    Watch, build,
};
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, Solve};
use crate::error::{Stop, error};
use crate::files::{cannot_write, replace};
use crate::output::Output;
use crate::{data, interrupt};

/// Boards of at most this many free cells are kept in the data folder without being asked.
const KEPT: usize = 9;
/// Boards of at most this many are solved whenever they are asked about.
pub(crate) const AT_ONCE: usize = 6;
/// The seed of games when none is given.
const SEED: u64 = 1;
/// Files of at most this many bytes are read into memory where many questions are to come.
const LOADED: u64 = 2 << 30;

#[derive(Serialize)]
struct LayerLine {
    r#type: &'static str,
    sum: u32,
    states: u64,
    afterstates: u64,
    terminal: u64,
    states_crc: String,
    afterstates_crc: String,
}

#[derive(Serialize)]
struct ObjectiveLine {
    r#type: &'static str,
    objective: String,
    value: f64,
    seconds: f64,
}

/// The last line. What does not apply to the objective is left out.
#[derive(Serialize, Default)]
struct Summary {
    r#type: &'static str,
    board: String,
    objective: String,
    states: u64,
    afterstates: u64,
    terminal: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    std: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forced_tile: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tiles: Vec<TileLine>,
    last_sum: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    seconds: f64,
}

/// The chance of a tile when playing for the score.
#[derive(Serialize)]
struct TileLine {
    tile: u32,
    chance: f64,
}

#[derive(Serialize)]
struct Verified {
    r#type: &'static str,
    file: String,
    good: bool,
    reason: Option<String>,
    seconds: f64,
}

pub(crate) fn run(args: &Solve, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    let clock = Instant::now();
    let problem = problem(args)?;
    if args.verify {
        return verify(args, &problem, clock, out);
    }
    let bar = out.progress(2 * u64::from(1u32 << (problem.region.free_count() + 1)));
    let progress = |p: Progress| {
        let half = u64::from(p.layers);
        bar.set_length(2 * half);
        bar.set_position(u64::from(p.done) + if p.pass == Pass::Value { half } else { 0 });
    };
    let watch = Watch { progress: &progress, stop: interrupt::flag() };
    if let Some(agents) = &args.judge {
        return match args.games {
            Some(games) => by_games::run(args, &problem, agents, games, common, watch, out),
            None => judged::run(args, agents, common.threads(), watch, out),
        };
    }
    if args.census {
        return census::run(args, &problem, common.threads(), watch, out);
    }
    if args.scores {
        return census::scores(args, &problem, common.threads(), watch, out);
    }
    if let Some(games) = args.play {
        return play::run(args, &problem, games, common, watch, out);
    }
    let mut summary = match file(args, &problem)? {
        Some(path) => match in_file(args, &problem, &path, common.threads(), watch, out)? {
            Some(summary) => summary,
            None => {
                bar.finish_and_clear();
                out.talk("stopped; what is done is kept, and the same command goes on");
                return Ok(Verdict::Done);
            }
        },
        None => in_memory(args, &problem, common.threads(), watch, out)?,
    };
    bar.finish_and_clear();
    summary.r#type = "summary";
    summary.board = problem.region.to_string();
    summary.objective = problem.aim.to_string();
    summary.seconds = round(clock.elapsed());
    print(&summary, out)?;
    out.object(&summary)?;
    Ok(Verdict::Done)
}

fn problem(args: &Solve) -> Result<Problem, Stop> {
    let goal = match (args.until, args.objective) {
        (false, _) => None,
        (true, Aim::Reach(tile)) => Some(tile),
        (true, _) => return Err(error("--until-tile goes with --objective reach=TILE")),
    };
    let (region, aim, p4) = (args.board.clone(), args.objective, args.p4.p4());
    Ok(Problem { region, goal, aim, p4, values: !args.no_values })
}

/// Where the solved board is kept, if it is.
fn file(args: &Solve, problem: &Problem) -> Result<Option<PathBuf>, Stop> {
    let cells = problem.region.free_count();
    match &args.out {
        _ if args.no_file || args.all => Ok(None),
        Some(path) => Ok(Some(path.clone())),
        None if cells > AT_ONCE && cells <= KEPT => Ok(Some(data_file(problem)?)),
        None => Ok(None),
    }
}

/// The place of a solved board in the data folder.
pub(crate) fn data_file(problem: &Problem) -> Result<PathBuf, Stop> {
    let folder = data::folder()?.join("solved");
    std::fs::create_dir_all(&folder)
        .map_err(|cause| error(format!("cannot make the folder {}: {cause}", folder.display())))?;
    let mut name =
        format!("{}-{}", problem.region, problem.aim).replace('/', "_").replace('=', "-");
    if problem.p4 != 0.1 && problem.aim.is_chance() {
        name.push_str("-p4-");
        name.push_str(&problem.p4.to_string());
    }
    if problem.goal.is_some() {
        name += "-until";
    }
    Ok(folder.join(name + ".mts"))
}

/// `None` when it was stopped: what is done is kept.
fn in_file(
    args: &Solve,
    problem: &Problem,
    path: &Path,
    threads: usize,
    watch: Watch<'_>,
    out: &mut Output,
) -> Result<Option<Summary>, Stop> {
    let header = match build(problem, path, threads, watch) {
        Err(TableError::Stopped) => return Ok(None),
        built => built.map_err(|e| sentence(&e, path))?,
    };
    let table = Table::open(path).map_err(|e| sentence(&e, path))?;
    let layers: Vec<LayerCount> = table.layers().collect();
    print_layers(args, &layers, out)?;
    let mut summary = of_header(&header, problem.aim);
    summary.last_sum = Totals::of(&layers).last_sum;
    summary.file = Some(path.display().to_string());
    Ok(Some(summary))
}

/// The solved board itself, made if it is not there; every byte checked.
fn table(args: &Solve, problem: &Problem, threads: usize, watch: Watch<'_>) -> Result<Table, Stop> {
    let Some(path) = file(args, problem)? else {
        if problem.region.free_count() > KEPT {
            return Err(error("a board this large needs a file").hint("--out FILE keeps one"));
        }
        return Table::in_memory(problem, threads, watch).map_err(error);
    };
    let wrong = |cause: TableError| sentence(&cause, &path);
    build(problem, &path, threads, watch).map_err(wrong)?;
    let size = std::fs::metadata(&path).map_or(0, |data| data.len());
    if size <= LOADED {
        return Table::load(&path).map_err(wrong);
    }
    let table = Table::open(&path).map_err(wrong)?;
    table.verify().map_err(wrong)?;
    Ok(table)
}

/// The error of work that was stopped and cannot be continued.
fn stopped() -> Stop {
    error("stopped; nothing was kept")
}

/// Draws what a command found.
fn draw(path: &Path, figure: &Figure) -> Result<(), Stop> {
    let drawn = svg(figure).map_err(error)?;
    replace(path, drawn.as_bytes()).map_err(|cause| cannot_write(path, &cause))
}

fn of_header(header: &Header, aim: Aim) -> Summary {
    let mut summary = Summary {
        states: header.states,
        afterstates: header.afterstates,
        terminal: header.terminal,
        ..Summary::default()
    };
    set_value(&mut summary, aim, header.value);
    (summary.std, summary.moves) = (header.std, header.moves);
    let tile = |&(tile, chance): &(u32, f64)| TileLine { tile, chance };
    summary.tiles = header.tiles.iter().map(tile).collect();
    summary
}

fn set_value(summary: &mut Summary, aim: Aim, value: Option<f64>) {
    match aim {
        aim if aim.is_tile() => summary.forced_tile = value.map(|exponent| 1 << exponent as u32),
        _ => summary.value = value,
    }
}

fn in_memory(
    args: &Solve,
    problem: &Problem,
    threads: usize,
    watch: Watch<'_>,
    out: &mut Output,
) -> Result<Summary, Stop> {
    let stopped = || error("stopped; nothing was kept").hint("--out FILE keeps what is done");
    let Problem { region, goal, aim, p4, .. } = problem;
    if let Aim::Reach(tile) = aim
        && *tile > region.max_exponent()
    {
        let most = region.max_exponent();
        return Err(error(TableError::OutOfReach { most }));
    }
    let analysis = Analysis::new(region, *goal, true, threads, watch).ok_or_else(stopped)?;
    print_layers(args, analysis.layers(), out)?;
    let Totals { states, afterstates, terminal, last_sum } = analysis.totals();
    let mut summary = Summary { states, afterstates, terminal, last_sum, ..Summary::default() };
    if *aim == Aim::Score && !args.value_only {
        if args.all {
            all_objectives(region, &analysis, *p4, watch, out)?;
        }
        let play = analysis.score_play(*p4, watch).ok_or_else(stopped)?;
        summary.value = Some(play.mean);
        summary.std = Some(play.variance.sqrt());
        summary.moves = Some(play.moves);
        let tile = |&(exponent, chance): &(u8, f64)| TileLine { tile: 1 << exponent, chance };
        summary.tiles = play.reach.iter().map(tile).collect();
        return Ok(summary);
    }
    let value = analysis.value(*aim, *p4, watch).ok_or_else(stopped)?;
    set_value(&mut summary, *aim, Some(value));
    if let Some(variant) = aim.variant() {
        let forced = analysis.value(Aim::forced(variant), *p4, watch).ok_or_else(stopped)?;
        summary.forced_tile = Some(1 << forced as u32);
    }
    Ok(summary)
}

/// Every other objective, over the same sets.
fn all_objectives(
    region: &Region,
    analysis: &Analysis,
    p4: f64,
    watch: Watch<'_>,
    out: &mut Output,
) -> Result<(), Stop> {
    let tiles = (3..=region.max_exponent()).map(Aim::Reach);
    let duels = [
        Aim::Hostile,
        Aim::ForcedTile,
        Aim::HostileDrawn,
        Aim::HostileTwos,
        Aim::ForcedTileTwos,
        Aim::Friendly,
    ];
    for aim in duels.into_iter().chain(tiles) {
        let clock = Instant::now();
        let value = analysis.value(aim, p4, watch);
        let value = value.ok_or_else(|| error("stopped; nothing was kept"))?;
        let value = if aim.is_tile() { f64::exp2(value) } else { value };
        out.text(format!("{:<16} {value:>16}", aim.to_string()))?;
        let (r#type, objective) = ("objective", aim.to_string());
        out.object(&ObjectiveLine { r#type, objective, value, seconds: round(clock.elapsed()) })?;
        out.flush()?;
    }
    Ok(())
}

fn print_layers(args: &Solve, layers: &[LayerCount], out: &mut Output) -> Result<(), Stop> {
    if !args.layers {
        return Ok(());
    }
    let heads = ["sum", "states", "afterstates", "terminal", "crc states", "crc after"];
    let [a, b, c, d, e, f] = heads;
    out.text(format!("{a:>6} {b:>12} {c:>12} {d:>12} {e:>11} {f:>11}"))?;
    for layer in layers.iter().filter(|layer| layer.states > 0) {
        let LayerCount { sum, states, afterstates, terminal, .. } = *layer;
        let crcs = [layer.states_crc, layer.afterstates_crc].map(|crc| format!("{crc:08x}"));
        let [states_crc, afterstates_crc] = crcs;
        out.text(format!(
            "{sum:>6} {states:>12} {afterstates:>12} {terminal:>12} {states_crc:>11} {afterstates_crc:>11}"
        ))?;
        let r#type = "layer";
        out.object(&LayerLine {
            r#type,
            sum,
            states,
            afterstates,
            terminal,
            states_crc,
            afterstates_crc,
        })?;
    }
    Ok(())
}

fn print(summary: &Summary, out: &mut Output) -> Result<(), Stop> {
    out.text(format!("{} for {}", summary.board, summary.objective))?;
    out.text(format!("states       {:>16}", summary.states))?;
    out.text(format!("afterstates  {:>16}", summary.afterstates))?;
    out.text(format!("terminal     {:>16}", summary.terminal))?;
    out.text(format!("last sum     {:>16}", summary.last_sum))?;
    let lines = [("value", summary.value), ("deviation", summary.std), ("moves", summary.moves)];
    for (name, number) in lines {
        if let Some(number) = number {
            out.text(format!("{name:<12} {number:>16.9}"))?;
        }
    }
    if let Some(tile) = summary.forced_tile {
        out.text(format!("forced tile  {tile:>16}"))?;
    }
    for TileLine { tile, chance } in &summary.tiles {
        out.text(format!("reaches {tile:>4} {chance:>16.12}"))?;
    }
    if let Some(file) = &summary.file {
        out.text(format!("file         {file}"))?;
    }
    out.talk(format!("{:.2} s", summary.seconds));
    Ok(())
}

fn verify(
    args: &Solve,
    problem: &Problem,
    clock: Instant,
    out: &mut Output,
) -> Result<Verdict, Stop> {
    let Some(path) = file(args, problem)? else {
        return Err(error("there is no file to verify").hint("--out FILE says which"));
    };
    let reason = match Table::open(&path).and_then(|table| table.verify()) {
        Ok(()) => None,
        Err(cause @ TableError::Io(_)) => return Err(sentence(&cause, &path)),
        Err(cause) => Some(cause.to_string()),
    };
    let (file, good) = (path.display().to_string(), reason.is_none());
    let text = reason.clone().unwrap_or_else(|| "every byte is right".to_owned());
    out.text(format!("{file}: {text}"))?;
    let seconds = round(clock.elapsed());
    out.object(&Verified { r#type: "summary", file, good, reason, seconds })?;
    Ok(if good { Verdict::Done } else { Verdict::No })
}

/// The sentence for a solved board that cannot be made or used.
pub(crate) fn sentence(cause: &TableError, path: &Path) -> Stop {
    let stop = match cause {
        TableError::OutOfReach { .. } | TableError::GoalWithoutAim | TableError::Unreachable => {
            error(cause)
        }
        _ => error(format!("{}: {cause}", path.display())),
    };
    match cause {
        TableError::OtherPart | TableError::OtherFile => stop.hint("--out names another file"),
        TableError::Damaged(_) => stop.hint("remove the file and solve again"),
        _ => stop,
    }
}

fn round(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}

/// A region from the command line.
pub(crate) fn parse_region(text: &str) -> Result<Region, String> {
    text.parse::<Region>().map_err(|e| e.to_string())
}
