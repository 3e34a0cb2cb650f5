//! `maxtile reproduce` of studies of players: the games that are missing, and the page.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use maxtile_lab::players::{Block, Blocks, Entry, Part, Study, part_figure, study_page};
use maxtile_lab::{Agent, Losses, Setting, Until, evaluate, svg};
use maxtile_solve::{Problem, Region, Table, build};
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, Reproduce};
use crate::error::{Stop, error, reason};
use crate::files::{cannot_write, replace};
use crate::interrupt;
use crate::output::Output;
use crate::solve::{data_file, sentence};
use crate::train;

#[derive(Serialize)]
struct Line<'a> {
    r#type: &'static str,
    part: &'a str,
    player: &'a str,
    agent: &'a str,
    games: u64,
    mean: f64,
    half_width: Option<f64>,
    /// With the luck taken out, where the board is solved.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_half_width: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agreement: Option<f64>,
    moves_per_second: f64,
}

#[derive(Serialize)]
struct Summary<'a> {
    r#type: &'static str,
    experiment: &'a str,
    scale: &'a str,
    missing: u64,
    page: String,
}

/// A block of games that is not there.
struct Missing<'a> {
    part: &'a Part,
    entry: Entry,
    block: u64,
}

pub(crate) fn run(
    name: &str,
    text: &str,
    args: &Reproduce,
    common: &Common,
    out: &mut Output,
) -> Result<Verdict, Stop> {
    let study = Study::parse(text, args.net.as_deref());
    let study = study.map_err(|why| error(format!("{name}: {why}")))?;
    // Results over another network have files of their own.
    let own = match args.net.as_deref().map(Path::new).and_then(Path::file_stem) {
        Some(stem) => format!("{name}-{}", stem.to_string_lossy()),
        None => name.to_owned(),
    };
    let Some(games) = study.games(&args.scale) else {
        let known: Vec<&str> = study.scales().collect();
        let scale = &args.scale;
        return Err(error(format!("{name} has no scale {scale:?}, only {}", known.join(", "))));
    };
    let raw = args.out.join(format!("{own}-{}.jsonl", args.scale));
    let unread = |cause| error(format!("cannot read {}: {}", raw.display(), reason(&cause)));
    let mut blocks = Blocks::open(&raw, study.fingerprints()).map_err(unread)?;
    if blocks.aside() > 0 {
        let aside = blocks.aside();
        out.talk(format!("{aside} blocks over another network stay in the file and do not count"));
    }
    let mut missing = Vec::new();
    for part in &study.part {
        for entry in part.entries(games) {
            for block in 0..entry.blocks() {
                if !blocks.has(&entry.agent, block) {
                    missing.push(Missing { part, entry: entry.clone(), block });
                }
            }
        }
    }
    // Block by block over all players, so that what is there when it is stopped is even.
    missing.sort_by_key(|missing| missing.block);
    if args.dry_run {
        let games: u64 = missing.iter().map(|missing| missing.entry.block).sum();
        out.text(format!("{games} games in {} blocks are missing", missing.len()))?;
        return Ok(Verdict::Done);
    }
    std::fs::create_dir_all(&args.out).map_err(|cause| cannot_write(&args.out, &cause))?;
    let left = play(&study, &missing, &args.work.join(name), &mut blocks, &raw, common, out)?;
    for part in &study.part {
        out.text(&part.name)?;
        for entry in part.entries(games) {
            show(part, &entry, &blocks, out)?;
        }
    }
    let page = args.out.join(format!("{own}.md"));
    let mut pictures = Vec::new();
    for (number, part) in study.part.iter().enumerate() {
        let picture = format!("{own}-{}.svg", number + 1);
        let figure = part_figure(part, games, &blocks);
        pictures.push(figure.is_some().then(|| picture.clone()));
        if let Some(figure) = figure {
            let path = args.out.join(&picture);
            let drawn = svg(&figure).map_err(error)?;
            replace(&path, drawn.as_bytes()).map_err(|cause| cannot_write(&path, &cause))?;
        }
    }
    let text = study_page(&study, name, &args.scale, &blocks, &pictures);
    replace(&page, text.as_bytes()).map_err(|cause| cannot_write(&page, &cause))?;
    out.text(page.display())?;
    if left > 0 {
        out.talk(format!("{left} blocks are missing; the same command goes on"));
    }
    let (page, scale) = (page.display().to_string(), args.scale.as_str());
    out.object(&Summary { r#type: "summary", experiment: name, scale, missing: left, page })?;
    Ok(Verdict::Done)
}

/// Plays what is missing; how many blocks are missing still, because somebody stopped it.
fn play(
    study: &Study,
    missing: &[Missing<'_>],
    work: &Path,
    blocks: &mut Blocks,
    raw: &Path,
    common: &Common,
    out: &mut Output,
) -> Result<u64, Stop> {
    let stop = interrupt::flag();
    let mut truths: Vec<(String, Truth)> = Vec::new();
    let bar = out.progress(missing.len() as u64);
    for (done, Missing { part, entry, block }) in missing.iter().enumerate() {
        let mut text = entry.agent.clone();
        if let Some(recipe) = &part.train
            && truths.iter().all(|(name, _)| name != recipe)
        {
            let run = work.join(recipe);
            let changes = [("threads".to_owned(), "1".to_owned())];
            if !train::to_its_end(recipe, &changes, &run, out)? {
                return Ok((missing.len() - done) as u64);
            }
            let table = table(part, common)?;
            truths.push((recipe.clone(), Truth { run, table }));
        }
        let truth = part.train.as_ref().and_then(|recipe| {
            truths.iter().find(|(name, _)| name == recipe).map(|(_, truth)| truth)
        });
        if let Some(truth) = truth {
            let run = truth.run.display().to_string();
            text = text.replace("RUN", &format!("{run:?}"));
        }
        let agent = Agent::parse(&text, part.rules())
            .map_err(|cause| error(format!("agent {text}: {cause}")))?;
        let seed = study.seed + block;
        let setting = Setting { rules: part.rules(), seed, threads: common.threads() };
        let watch = maxtile_lab::Watch { progress: &|_| (), stop };
        let played = evaluate(&agent, &setting, Until::Games(entry.block), truth.is_some(), &watch);
        if played.interrupted || stop.load(Ordering::Relaxed) {
            bar.finish_and_clear();
            return Ok((missing.len() - done) as u64);
        }
        let losses = truth.map(|truth| {
            let best = truth.table.header().value.unwrap_or(0.0);
            Losses::of(&truth.table, best, &played.records).map_err(error)
        });
        let losses = losses.transpose()?;
        let block =
            Block::new(&entry.agent, *block, &played.games, played.seconds, losses.as_ref());
        blocks.add(block).map_err(|cause| cannot_write(raw, &cause))?;
        bar.set_position(done as u64 + 1);
    }
    bar.finish_and_clear();
    Ok(0)
}

/// What a part on a solved board needs.
struct Truth {
    run: PathBuf,
    table: Table,
}

/// The solved board of a part, made if it is not there; every byte checked.
fn table(part: &Part, common: &Common) -> Result<Table, Stop> {
    let region = Region::full(part.rules().shape).map_err(error)?;
    let problem = Problem::score(region);
    let path = data_file(&problem)?;
    let watch = maxtile_solve::Watch { progress: &|_| (), stop: interrupt::flag() };
    build(&problem, &path, common.threads(), watch).map_err(|e| sentence(&e, &path))?;
    Table::load(&path).map_err(|e| sentence(&e, &path))
}

fn show(part: &Part, entry: &Entry, blocks: &Blocks, out: &mut Output) -> Result<(), Stop> {
    let tally = blocks.tally(entry);
    let moments = tally.moments();
    if moments.count() == 0 {
        return Ok(());
    }
    let truth = tally.truth();
    let more = truth.map_or_else(String::new, |(corrected, agreement)| {
        let expected = crate::eval::estimate(corrected.score, Some(corrected.half_width));
        format!("  expected {expected}, best moves {:.1} %", 100.0 * agreement)
    });
    let played = crate::eval::estimate(moments.mean(), moments.half_width());
    out.text(format!("  {:<32} {played}{more}", entry.name))?;
    out.object(&Line {
        r#type: "player",
        part: &part.name,
        player: &entry.name,
        agent: &entry.agent,
        games: moments.count(),
        mean: moments.mean(),
        half_width: moments.half_width(),
        expected: truth.map(|(corrected, _)| corrected.score),
        expected_half_width: truth.map(|(corrected, _)| corrected.half_width),
        agreement: truth.map(|(_, agreement)| agreement),
        moves_per_second: tally.moves as f64 / tally.seconds.max(1e-9),
    })
}
