//! `maxtile reproduce oda-2022`: the networks are trained, the square is played, the paper's numbers
//! and conclusions stand beside ours.

use std::fmt::Write as _;
use std::path::Path;

use maxtile_lab::duel::{
    DuelAgent, DuelExperiment, DuelResults, DuelRow, DuelScale, duel_figure, duel_rows,
};
use maxtile_lab::svg;
use maxtile_lab::training::RunFolder;
use serde::Serialize;

use super::play;
use crate::Verdict;
use crate::args::{Common, Reproduce};
use crate::error::{Stop, error, reason};
use crate::eval::{estimate, grouped, rounded};
use crate::files::{cannot_write, replace};
use crate::output::Output;
use crate::train;

/// Its name.
pub(crate) const NAME: &str = "oda-2022";

#[derive(Serialize)]
struct RowLine<'a> {
    r#type: &'static str,
    what: &'a str,
    paper: &'a str,
    ours: Option<f64>,
    ci95: Option<f64>,
    verdict: &'static str,
}

#[derive(Serialize)]
struct Summary<'a> {
    r#type: &'static str,
    experiment: &'static str,
    scale: &'a str,
    missing: usize,
    page: String,
}

pub(crate) fn run(args: &Reproduce, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    let experiment = DuelExperiment::oda_2022().map_err(error)?;
    let Some(scale) = experiment.scale(&args.scale) else {
        let known: Vec<&str> = experiment.scales().collect();
        let scale = &args.scale;
        return Err(error(format!("{NAME} has no scale {scale:?}, only {}", known.join(", "))));
    };
    let folder = args.work.join(format!("{NAME}-{}", args.scale));
    let setting = experiment.setting();
    let jobs = scale.jobs();
    let raw = args.out.join(format!("{NAME}-{}.jsonl", args.scale));
    if args.dry_run {
        out.text(format!(
            "{} games to learn from and {} duels, as far as they are not there yet",
            scale.games_learned,
            jobs.len()
        ))?;
        return Ok(Verdict::Done);
    }
    if !learn(scale, &folder, common, out)? {
        out.talk("stopped; what is learned is kept, and the same command goes on");
        return Ok(Verdict::Done);
    }
    std::fs::create_dir_all(&args.out).map_err(|cause| cannot_write(&args.out, &cause))?;
    let agents = agents(scale, &folder, &experiment)?;
    // Under their depths alone: where the run's folder is does not matter to the results.
    let depths: Vec<String> = scale.depths().iter().map(|depth| format!("depth {depth}")).collect();
    let names: Vec<&str> = depths.iter().map(String::as_str).collect();
    let results = play(Some(&raw), &agents, &names, &jobs, &setting, common.threads(), out)?;
    let missing = jobs.iter().filter(|job| !results.has(job)).count();
    let rows = duel_rows(scale, &results);
    show(&rows, out)?;
    let page = args.out.join(format!("{}.md", page_name(scale)));
    if missing == 0 {
        let learned = learned(scale, &folder)?;
        write(&experiment, args, scale, &learned, &results, &rows, &page)?;
        out.text(page.display())?;
    } else {
        out.talk(format!("{missing} duels are missing; the same command goes on"));
    }
    let page = page.display().to_string();
    let scale = args.scale.as_str();
    out.object(&Summary { r#type: "summary", experiment: NAME, scale, missing, page })?;
    Ok(Verdict::Done)
}

/// Trains the networks, or goes on with it; `false` when it was stopped.
fn learn(scale: &DuelScale, folder: &Path, common: &Common, out: &Output) -> Result<bool, Stop> {
    let mut changes = vec![
        ("games".to_owned(), scale.games_learned.to_string()),
        ("threads".to_owned(), "1".to_owned()),
    ];
    if let Some(seed) = common.seed {
        changes.push(("seed".to_owned(), seed.to_string()));
    }
    train::to_its_end(&scale.recipe, &changes, folder, out)
}

fn agents(
    scale: &DuelScale,
    folder: &Path,
    experiment: &DuelExperiment,
) -> Result<Vec<DuelAgent>, Stop> {
    let rules = experiment.setting().rules;
    let net = folder.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    let agent = |depth: &u8| {
        let text = format!("alphabeta(net=\"{net}\", depth={depth})");
        DuelAgent::parse(&text, rules).map_err(|cause| error(format!("agent {text}: {cause}")))
    };
    scale.depths().iter().map(agent).collect()
}

/// The name of a scale's page and picture.
fn page_name(scale: &DuelScale) -> &str {
    scale.page.as_deref().unwrap_or(NAME)
}

/// How far the networks were trained, by the run's own last test games.
fn learned(scale: &DuelScale, folder: &Path) -> Result<String, Stop> {
    let (run, _) = RunFolder::open(folder).map_err(error)?;
    let last = run.last_tested().map_err(|cause| error(reason(&cause)))?;
    let mut text =
        format!("recipe `{}`, {} games", scale.recipe, grouped(scale.games_learned as f64));
    if let Some(report) = last {
        let (moves, greedy) = (grouped(report.moves as f64), grouped(report.mean.round()));
        let _ = write!(text, " ({moves} slides; greedy against greedy {greedy} points)");
    }
    Ok(text)
}

fn ours(row: &DuelRow) -> String {
    row.ours.map_or_else(|| "-".to_owned(), |(mean, half)| estimate(mean, half))
}

fn show(rows: &[DuelRow], out: &mut Output) -> Result<(), Stop> {
    let width = |text: &dyn Fn(&DuelRow) -> usize| rows.iter().map(text).max().unwrap_or(0).max(5);
    let a = width(&|row| row.what.chars().count());
    let b = width(&|row| row.paper.chars().count());
    let c = width(&|row| ours(row).chars().count());
    out.text(format!("{:<a$} │ {:<b$} │ {:<c$} │ verdict", "", "paper", "ours"))?;
    for row in rows {
        let (what, paper, verdict) = (&row.what, &row.paper, row.verdict());
        out.text(format!("{what:<a$} │ {paper:<b$} │ {:<c$} │ {verdict}", ours(row)))?;
        out.object(&RowLine {
            r#type: "row",
            what,
            paper,
            ours: row.ours.map(|(mean, _)| rounded(mean)),
            ci95: row.ours.and_then(|(_, half)| half).map(rounded),
            verdict,
        })?;
    }
    Ok(())
}

fn write(
    experiment: &DuelExperiment,
    args: &Reproduce,
    scale: &DuelScale,
    learned: &str,
    results: &DuelResults,
    rows: &[DuelRow],
    page: &Path,
) -> Result<(), Stop> {
    let name = page_name(scale);
    let picture = args.out.join(format!("{name}.svg"));
    let drawn = svg(&duel_figure(scale, results)).map_err(error)?;
    replace(&picture, drawn.as_bytes()).map_err(|cause| cannot_write(&picture, &cause))?;
    let mut text = format!("# {}\n\n", experiment.title);
    let _ = write!(
        text,
        "`maxtile reproduce {NAME} --scale {}`: {} by {learned}; openings of {} random \
         placements; {} duels for a pair of odd depths, {} with an even one. Scores of other values need not be \
         the paper's; its conclusions can be tested. A conclusion agrees or differs where the interval of 95 % of \
         the paired differences is on one side of 0.\n\n![Mean score]({name}.svg)\n\n",
        args.scale,
        scale.values,
        experiment.setting().opening,
        scale.games,
        scale.even_games
    );
    text += "| | paper | ours | verdict |\n|---|---|---|---|\n";
    for row in rows {
        let (what, paper, verdict) = (&row.what, &row.paper, row.verdict());
        let _ = writeln!(text, "| {what} | {paper} | {} | {verdict} |", ours(row));
    }
    let depths = scale.depths();
    text +=
        "\nMean score, and the largest tile of all duels; attackers down, defenders across.\n\n|";
    for depth in &depths {
        let _ = write!(text, " | def{depth}");
    }
    let _ = writeln!(text, " |\n|{}", "---|".repeat(depths.len() + 1));
    for (attacker, a) in depths.iter().enumerate() {
        let _ = write!(text, "| atk{a}");
        for (defender, d) in depths.iter().enumerate() {
            let cell = results.cell(attacker, defender, scale.games_of(*a, *d));
            let mean = estimate(cell.scores.mean(), cell.scores.half_width());
            let _ = write!(text, " | {mean} ({})", 1u32 << cell.largest);
        }
        text += " |\n";
    }
    replace(page, text.as_bytes()).map_err(|cause| cannot_write(page, &cause))
}
