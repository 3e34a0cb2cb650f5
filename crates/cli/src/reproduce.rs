//! `maxtile reproduce`: a paper's experiment, what is missing of it, and its page.

use std::path::Path;
use std::sync::atomic::Ordering;

use indicatif::ProgressStyle;
use maxtile_lab::duel::DuelExperiment;
use maxtile_lab::experiments::{
    Experiment, NAMED_EXPERIMENTS, Results, Row, RunProgress, Runner, Verdict as Judged, figures,
    page, page_name, ranking_section, ranking_svg, read_trials, rows, run_study,
};
use maxtile_lab::players::{NAMED_STUDIES, Study};
use maxtile_lab::{COMPLETE, Complete, nearest, svg};
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, Reproduce};
use crate::complete;
use crate::error::{Stop, error, reason};
use crate::files::{cannot_write, read_bytes, replace};
use crate::output::Output;

#[derive(Serialize)]
struct RowLine<'a> {
    r#type: &'static str,
    what: &'a str,
    paper: &'a str,
    ours: Option<f64>,
    ci95: Option<f64>,
    seeds: usize,
    verdict: String,
}

#[derive(Serialize)]
struct Listed {
    r#type: &'static str,
    name: &'static str,
    title: String,
    arms: usize,
    scales: Vec<String>,
}

#[derive(Serialize)]
struct Summary<'a> {
    r#type: &'static str,
    experiment: &'a str,
    scale: &'a str,
    runs: usize,
    missing: usize,
    page: String,
    finished: bool,
}

pub(crate) fn run(args: &Reproduce, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    let Some(name) = &args.name else { return list(out) };
    let file = own_file(name)?;
    if let Some(text) = file.as_deref().filter(|text| Study::is_one(text)) {
        let name = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
        return crate::players::run(&name, text, args, common, out);
    }
    if args.net.is_some() && NAMED_STUDIES.iter().all(|study| study.0 != name) {
        return Err(error(format!("{name} is not a study of players, so it takes no --net"))
            .hint("mcss-2022 is one"));
    }
    if let Some(found) = COMPLETE.iter().find(|complete| complete.name == name) {
        return complete::run(found, args, common, out);
    }
    if let Some((name, text)) = NAMED_STUDIES.iter().find(|study| study.0 == name) {
        return crate::players::run(name, text, args, common, out);
    }
    if name == crate::duel::reproduce::NAME {
        return crate::duel::reproduce::run(args, common, out);
    }
    let mut experiment = match file {
        Some(text) => Experiment::parse(&text),
        None if names().any(|known| known == name) => Experiment::named(name),
        None => return Err(unknown(name)),
    }
    .map_err(error)?;
    let raw = args.out.join(format!("{}-{}.jsonl", experiment.name, args.scale));
    experiment.scale(&args.scale).map_err(error)?;
    let mut results = Results::open(&raw)
        .map_err(|cause| error(format!("cannot read {}: {}", raw.display(), reason(&cause))))?;
    let tuples = args.out.join(format!("{}-{}-tuples.jsonl", experiment.name, args.scale));
    rank(&mut experiment, args, &tuples, common.threads(), out)?;
    let origin = crate::train::origin();
    let runner = Runner::new(&experiment, &args.scale, &results, &args.work, &origin);
    let runner = runner.map_err(error)?;
    let (missing, games) = runner.missing();
    let unit = if runner.by_positions() { "positions" } else { "games" };
    if args.dry_run {
        out.text(format!("{missing} runs of {games} {unit} are missing"))?;
    } else if missing > 0 {
        out.talk(format!("{missing} runs of {games} {unit} are missing; Ctrl-C saves"));
        learn(&runner, &mut results, common.threads(), out)?;
    }
    let left = Runner::new(&experiment, &args.scale, &results, &args.work, &origin);
    let left = left.map_err(error)?.missing().0;
    let rows = rows(&experiment, &args.scale, &results).map_err(error)?;
    show(&rows, out)?;
    let file = args.out.join(format!("{}.md", page_name(&experiment, &args.scale)));
    if !args.dry_run && !results.runs.is_empty() {
        write(&experiment, args, &results, &tuples, &file)?;
        out.text(file.display())?;
    }
    if left > 0 && !args.dry_run {
        out.talk(format!("{left} runs are missing; the same command goes on"));
    }
    out.object(&Summary {
        r#type: "summary",
        experiment: &experiment.name,
        scale: &args.scale,
        runs: results.runs.len(),
        missing: left,
        page: file.display().to_string(),
        finished: left == 0,
    })?;
    Ok(Verdict::Done)
}

/// The text of an experiment in a file of one's own; `None` for a name.
fn own_file(name: &str) -> Result<Option<String>, Stop> {
    let path = Path::new(name);
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Ok(None);
    }
    let text = String::from_utf8(read_bytes(path)?);
    text.map(Some).map_err(|_| error(format!("{name} is not a text file")))
}

/// All that can be reproduced, as [`list`] has it.
fn names() -> impl Iterator<Item = &'static str> {
    let learned = NAMED_EXPERIMENTS.iter().map(|(name, _)| *name);
    let exact = COMPLETE.iter().map(|complete| complete.name);
    let players = NAMED_STUDIES.iter().map(|(name, _)| *name);
    learned.chain(exact).chain(players).chain([crate::duel::reproduce::NAME])
}

fn unknown(name: &str) -> Stop {
    let near = nearest(name, names())
        .map_or_else(|| names().collect::<Vec<_>>().join(", "), str::to_owned);
    error(format!("there is no experiment {name:?}, try {near}"))
}

fn list(out: &mut Output) -> Result<Verdict, Stop> {
    for (name, text) in NAMED_EXPERIMENTS {
        let experiment = Experiment::parse(text).map_err(error)?;
        out.text(format!("{name:<16} {:>2} arms  {}", experiment.arm.len(), experiment.title))?;
        let scales = experiment.scale.keys().cloned().collect();
        let (title, arms) = (experiment.title, experiment.arm.len());
        out.object(&Listed { r#type: "experiment", name, title, arms, scales })?;
    }
    for Complete { name, title, scales, .. } in COMPLETE {
        out.text(format!("{name:<16}  exact   {title}"))?;
        let scales = scales.iter().map(|scale| scale.0.to_owned()).collect();
        let (title, arms) = ((*title).to_owned(), 0);
        out.object(&Listed { r#type: "experiment", name, title, arms, scales })?;
    }
    for (name, text) in NAMED_STUDIES {
        let study = Study::parse(text, None).map_err(error)?;
        out.text(format!("{name:<16} players   {}", study.title))?;
        let scales = study.scales().map(str::to_owned).collect();
        out.object(&Listed { r#type: "experiment", name, title: study.title, arms: 0, scales })?;
    }
    let duel = DuelExperiment::oda_2022().map_err(error)?;
    let (name, arms) = (crate::duel::reproduce::NAME, 0);
    out.text(format!("{name:<16}  duels   {}", duel.title))?;
    let scales = duel.scales().map(str::to_owned).collect();
    out.object(&Listed { r#type: "experiment", name, title: duel.title, arms, scales })?;
    Ok(Verdict::Done)
}

fn learn(
    runner: &Runner<'_>,
    results: &mut Results,
    threads: usize,
    out: &Output,
) -> Result<(), Stop> {
    let stop = crate::interrupt::flag();
    let (_, games) = runner.missing();
    let bar = out.progress(games);
    bar.set_style(
        ProgressStyle::with_template("{bar:24} {percent} % {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let watch = |progress: &RunProgress| {
        bar.set_position(progress.games);
        let left = progress.seconds_left().map_or(String::new(), |seconds| {
            format!(", about {:.0} min left", (seconds / 60.0).ceil())
        });
        bar.set_message(format!("run {} of {}{left}", progress.runs + 1, progress.of_runs));
        if !progress.event.is_empty() {
            bar.suspend(|| out.talk(format!("{}{left}", progress.event)));
        }
    };
    let done = runner.run(results, threads, stop, &watch).map_err(error);
    bar.finish_and_clear();
    if stop.load(Ordering::Relaxed) && done.is_ok() {
        out.talk("stopped; every run has saved where it is");
    }
    done
}

/// The study of tuples, where the experiment has one: what is missing of it runs, and the arms that
/// want its best tuples get them.
fn rank(
    experiment: &mut Experiment,
    args: &Reproduce,
    file: &Path,
    threads: usize,
    out: &mut Output,
) -> Result<(), Stop> {
    let Some(scale) = experiment.study.get(&args.scale) else { return Ok(()) };
    let stop = crate::interrupt::flag();
    let study = scale.study();
    let cannot = |cause| cannot_write(file, &cause);
    let done = read_trials(&study, file).map_err(cannot)?;
    if args.dry_run || done.len() as u64 == study.networks {
        if args.dry_run {
            let (done, all) = (done.len(), study.networks);
            out.text(format!("{done} of {all} networks of the study are done"))?;
        }
        experiment.choose_best(&study.best_first(&done));
        return Ok(());
    }
    let bar = out.progress(study.networks);
    bar.set_style(
        ProgressStyle::with_template("{bar:24} {pos}/{len} networks of the study ({eta} left)")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let done = run_study(&study, file, threads, stop, &mut |count| bar.set_position(count));
    bar.finish_and_clear();
    let trials = done.map_err(cannot)?;
    if trials.len() as u64 == study.networks {
        experiment.choose_best(&study.best_first(&trials));
    }
    Ok(())
}

fn show(rows: &[Row], out: &mut Output) -> Result<(), Stop> {
    let lines: Vec<[String; 5]> = rows
        .iter()
        .map(|row| {
            let number = |number: Option<f64>| number.map_or("-".to_owned(), |n| format!("{n:.0}"));
            let half = row.ci95.map_or("-".to_owned(), |half| format!("± {half:.0}"));
            [row.what.clone(), row.paper.clone(), number(row.ours), half, row.verdict.to_string()]
        })
        .collect();
    let heads = ["", "paper", "ours", "95 %", "verdict"].map(str::to_owned);
    let width = |column: usize| {
        let all = lines.iter().chain(std::iter::once(&heads));
        all.map(|line| line[column].chars().count()).max().unwrap_or(0)
    };
    let widths: [usize; 5] = std::array::from_fn(width);
    for line in std::iter::once(&heads).chain(&lines) {
        let cells: Vec<String> =
            line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        out.text(cells.join(" │ ").trim_end())?;
    }
    for row in rows {
        let Row { what, paper, ours, ci95, seeds, verdict } = row;
        let verdict = if *verdict == Judged::Missing { String::new() } else { verdict.to_string() };
        let (ours, ci95, seeds) = (*ours, *ci95, *seeds);
        out.object(&RowLine { r#type: "row", what, paper, ours, ci95, seeds, verdict })?;
    }
    Ok(())
}

fn write(
    experiment: &Experiment,
    args: &Reproduce,
    results: &Results,
    tuples: &Path,
    file: &Path,
) -> Result<(), Stop> {
    let own = page_name(experiment, &args.scale);
    let drawn = figures(experiment, &args.scale, results).map_err(error)?;
    let mut text = page(experiment, &args.scale, results).map_err(error)?;
    if let Some(scale) = experiment.study.get(&args.scale) {
        let study = scale.study();
        let trials = read_trials(&study, tuples).map_err(|cause| cannot_write(tuples, &cause))?;
        let name = format!("{own}-tuples.svg");
        let picture = args.out.join(&name);
        let drawn = ranking_svg(&study, &trials).map_err(error)?;
        replace(&picture, drawn.as_bytes()).map_err(|cause| cannot_write(&picture, &cause))?;
        text.push_str(&ranking_section(&study, &trials, &experiment.utility, &name));
    }
    for (end, figure) in drawn {
        let picture = args.out.join(format!("{own}{end}.svg"));
        let drawn = svg(&figure).map_err(error)?;
        replace(&picture, drawn.as_bytes()).map_err(|cause| cannot_write(&picture, &cause))?;
    }
    replace(file, text.as_bytes()).map_err(|cause| cannot_write(file, &cause))
}
