//! `maxtile reproduce` of complete analyses: published numbers against ours, and the page.

use maxtile_lab::{Against, Complete, svg};
use maxtile_solve::{Progress, Watch};
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, Reproduce};
use crate::error::{Stop, error};
use crate::files::{cannot_write, replace};
use crate::interrupt;
use crate::output::Output;

#[derive(Serialize)]
struct RowLine<'a> {
    r#type: &'static str,
    what: &'a str,
    paper: &'a str,
    ours: Option<&'a str>,
    verdict: &'static str,
}

#[derive(Serialize)]
struct Summary<'a> {
    r#type: &'static str,
    experiment: &'a str,
    scale: &'a str,
    agrees: bool,
    page: String,
}

pub(crate) fn run(
    complete: &Complete,
    args: &Reproduce,
    common: &Common,
    out: &mut Output,
) -> Result<Verdict, Stop> {
    if !complete.scales.iter().any(|scale| scale.0 == args.scale) {
        let known: Vec<&str> = complete.scales.iter().map(|scale| scale.0).collect();
        let (name, scale) = (complete.name, &args.scale);
        return Err(error(format!("{name} has no scale {scale:?}, only {}", known.join(", "))));
    }
    if args.dry_run {
        out.text("one analysis of seconds to minutes is missing")?;
        return Ok(Verdict::Done);
    }
    let bar = out.progress(1);
    let told = |progress: Progress| {
        bar.set_length(progress.layers.into());
        bar.set_position(progress.done.into());
    };
    let watch = Watch { progress: &told, stop: interrupt::flag() };
    let found = complete.run(&args.scale, common.threads(), watch);
    bar.finish_and_clear();
    let found = found.ok_or_else(|| error("stopped; nothing was kept"))?;
    let width = |text: fn(&Against) -> &str, head: &str| {
        let all = found.rows.iter().map(|row| text(row).chars().count());
        all.chain([head.len()]).max().unwrap_or(0)
    };
    let a = width(|row| &row.what, "");
    let b = width(|row| &row.published, "paper");
    let c = width(|row| row.ours.as_deref().unwrap_or("-"), "ours");
    out.text(format!("{:<a$} │ {:<b$} │ {:<c$} │ verdict", "", "paper", "ours"))?;
    for row in &found.rows {
        let Against { what, published, .. } = row;
        let ours = row.ours.as_deref().unwrap_or("-");
        out.text(format!("{what:<a$} │ {published:<b$} │ {ours:<c$} │ {}", row.verdict()))?;
        let (r#type, paper, ours) = ("row", published.as_str(), row.ours.as_deref());
        out.object(&RowLine { r#type, what, paper, ours, verdict: row.verdict() })?;
    }
    let page = args.out.join(format!("{}.md", complete.name));
    let picture = format!("{}.svg", complete.name);
    let drawn = svg(&found.figure).map_err(error)?;
    let path = args.out.join(&picture);
    std::fs::create_dir_all(&args.out).map_err(|cause| cannot_write(&args.out, &cause))?;
    replace(&path, drawn.as_bytes()).map_err(|cause| cannot_write(&path, &cause))?;
    let text = complete.page(&args.scale, &found, &picture);
    replace(&page, text.as_bytes()).map_err(|cause| cannot_write(&page, &cause))?;
    out.text(page.display())?;
    let agrees = found.rows.iter().all(|row| row.agrees != Some(false));
    let (r#type, experiment, scale) = ("summary", complete.name, args.scale.as_str());
    out.object(&Summary { r#type, experiment, scale, agrees, page: page.display().to_string() })?;
    Ok(if agrees { Verdict::Done } else { Verdict::No })
}
