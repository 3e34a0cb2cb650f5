//! `maxtile tuples`: count, draw and rank them.

use std::fs;
use std::path::Path;

use maxtile_game::Shape;
use maxtile_lab::experiments::{read_trials, run_study};
use maxtile_lab::training::fits;
use maxtile_lab::{DrawnTuple, Judged, Study, Trial, tuple_rows, tuples_svg};
use maxtile_ntuple::{MAX_TUPLE, enumerate};
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, StudyFlags, Tuples};
use crate::error::{Stop, error};
use crate::files::{cannot_write, read_bytes, replace, write_bytes};
use crate::output::Output;

pub(crate) fn run(verb: &Tuples, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    match verb {
        Tuples::Count { size } => count(*size, out),
        Tuples::List { cells, all, size, svg, force } => {
            list(*cells as usize, *all, *size, svg.as_deref(), *force, out)
        }
        Tuples::Study(flags) => study(flags, common, out),
    }
}

#[derive(Serialize)]
struct Count {
    r#type: &'static str,
    cells: usize,
    all: usize,
    connected: usize,
}

fn count(shape: Shape, out: &mut Output) -> Result<Verdict, Stop> {
    out.text(format!("{:>5} {:>6} {:>10}", "cells", "all", "connected"))?;
    for cells in 1..=shape.cells() {
        let of = |connected| enumerate(shape, cells, connected).len();
        let (all, connected) = (of(false), of(true));
        out.text(format!("{cells:>5} {all:>6} {connected:>10}"))?;
        out.object(&Count { r#type: "count", cells, all, connected })?;
    }
    Ok(Verdict::Done)
}

#[derive(Serialize)]
struct Listed<'a> {
    r#type: &'static str,
    cells: &'a [u8],
}

fn list(
    cells: usize,
    all: bool,
    shape: Shape,
    svg: Option<&Path>,
    force: bool,
    out: &mut Output,
) -> Result<Verdict, Stop> {
    if cells > shape.cells() {
        return Err(error(format!("a {shape} board has no {cells} cells")));
    }
    let tuples = enumerate(shape, cells, !all);
    if let Some(file) = svg {
        let drawn = tuples.iter().map(|t| DrawnTuple { cells: t.clone(), label: String::new() });
        let text = tuples_svg(shape, &drawn.collect::<Vec<_>>()).map_err(error)?;
        write_bytes(file, text.as_bytes(), force, out)?;
    }
    draw(shape, &tuples, out)?;
    for cells in &tuples {
        out.object(&Listed { r#type: "tuple", cells })?;
    }
    Ok(Verdict::Done)
}

/// As many boards beside each other as a line of eighty characters holds.
fn draw(shape: Shape, tuples: &[Vec<u8>], out: &mut Output) -> Result<(), Stop> {
    let across = 80 / (shape.cols() + 2);
    for some in tuples.chunks(across) {
        let boards: Vec<Vec<String>> = some.iter().map(|t| tuple_rows(shape, t)).collect();
        for row in 0..shape.rows() {
            let parts: Vec<&str> = boards.iter().map(|board| board[row].as_str()).collect();
            out.text(parts.join("  "))?;
        }
        out.text("")?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Ranked<'a> {
    r#type: &'static str,
    rank: usize,
    cells: &'a [u8],
    networks: u64,
    score: f64,
    ci95: Option<f64>,
    part: f64,
}

#[derive(Serialize)]
struct Summary {
    r#type: &'static str,
    folder: String,
    networks: u64,
    finished: bool,
}

fn study(flags: &StudyFlags, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    let cells = flags.cells as usize;
    let study = Study {
        pool: enumerate(Shape::CLASSIC, cells, true),
        networks: flags.networks,
        choose: flags.choose as usize,
        games: flags.games,
        eval_games: flags.eval_games,
        rate: flags.rate,
        seed: common.seed.unwrap_or(1),
    };
    if study.choose == 0 || study.choose > study.pool.len() {
        let count = study.pool.len();
        return Err(error(format!("choose 1 to {count} of the {count} tuples of {cells} cells")));
    }
    if cells > MAX_TUPLE {
        return Err(error(format!("networks have tuples of at most {MAX_TUPLE} cells")));
    }
    if !(study.rate > 0.0 && study.rate <= 10.0) {
        return Err(error("the rate lies above 0 and not above 10"));
    }
    // Every thread learns a network of its own.
    let threads = (common.threads() as u64).min(study.networks);
    let bytes = 4 * threads * study.choose as u64 * 16u64.pow(cells as u32);
    fits(bytes, "this study").map_err(error)?;
    let folder = flags.out.clone().unwrap_or_else(|| format!("runs/tuples-{cells}").into());
    open(&study, &folder)?;
    let trials = learn(&study, &folder, common.threads(), out)?;
    let finished = trials.len() as u64 >= study.networks;
    let ranked = study.rank(&trials);
    show(&study, &ranked, out)?;
    let label = |j: &Judged| DrawnTuple {
        cells: study.pool[j.tuple].clone(),
        label: format!("{:.0}", j.score),
    };
    let svg = tuples_svg(Shape::CLASSIC, &ranked.iter().map(label).collect::<Vec<_>>());
    let file = folder.join("ranking.svg");
    replace(&file, svg.map_err(error)?.as_bytes()).map_err(|cause| cannot_write(&file, &cause))?;
    if !finished {
        out.talk(format!(
            "{} of {} networks; the same command goes on",
            trials.len(),
            study.networks
        ));
    }
    let (folder, networks) = (folder.display().to_string(), trials.len() as u64);
    out.object(&Summary { r#type: "summary", folder, networks, finished })?;
    Ok(Verdict::Done)
}

/// Makes a folder for this study, or finds that it holds this study and no other.
fn open(study: &Study, folder: &Path) -> Result<(), Stop> {
    let plan = folder.join("study.json");
    let text = serde_json::to_string(study).map_err(error)?;
    if plan.exists() {
        if read_bytes(&plan)? != text.as_bytes() {
            return Err(error(format!("{} holds another study", folder.display()))
                .hint("name another folder by --out"));
        }
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(|cause| cannot_write(folder, &cause))?;
    replace(&plan, text.as_bytes()).map_err(|cause| cannot_write(&plan, &cause))
}

/// Learns what is missing.
fn learn(study: &Study, folder: &Path, threads: usize, out: &Output) -> Result<Vec<Trial>, Stop> {
    let path = folder.join("trials.jsonl");
    let failed = |cause: std::io::Error| cannot_write(&path, &cause);
    let bar = out.progress(study.networks);
    bar.set_position(read_trials(study, &path).map_err(failed)?.len() as u64);
    bar.reset_eta();
    let mut told = |done| bar.set_position(done);
    let trials = run_study(study, &path, threads, crate::interrupt::flag(), &mut told);
    bar.finish_and_clear();
    trials.map_err(failed)
}

fn show(study: &Study, ranked: &[Judged], out: &mut Output) -> Result<(), Stop> {
    out.text(format!(
        "{:>4} {:>8} {:>8} {:>7} {:>8}  cells",
        "rank", "networks", "score", "±", "part"
    ))?;
    for (place, judged) in ranked.iter().enumerate() {
        let cells = &study.pool[judged.tuple];
        let names: Vec<String> = cells.iter().map(u8::to_string).collect();
        let ci95 = judged.ci95.map_or("-".to_owned(), |half| format!("{half:.0}"));
        out.text(format!(
            "{:>4} {:>8} {:>8.0} {ci95:>7} {:>8.0}  {}",
            place + 1,
            judged.networks,
            judged.score,
            judged.part,
            names.join(",")
        ))?;
        out.object(&Ranked {
            r#type: "tuple",
            rank: place + 1,
            cells,
            networks: judged.networks,
            score: judged.score,
            ci95: judged.ci95,
            part: judged.part,
        })?;
    }
    Ok(())
}
