//! `maxtile net`: list, info, import, export, diff.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use maxtile_lab::training::newest_network;
use maxtile_ntuple::{About, NAMES, Network, Spec, about, named, tdl};
use serde::Serialize;

use crate::Verdict;
use crate::args::Net;
use crate::error::{Stop, error, reason};
use crate::files::{cannot_write, replace};
use crate::output::Output;

pub(crate) fn run(verb: &Net, out: &mut Output) -> Result<Verdict, Stop> {
    match verb {
        Net::List => list(out),
        Net::Info { net } => info(net, out),
        Net::Import { file, out: target, name, force } => import(file, target, name, *force, out),
        Net::Export { net, out: target, force } => export(net, target, *force, out),
        Net::Diff { a, b } => diff(a, b, out),
    }
}

#[derive(Serialize)]
struct Listed {
    r#type: &'static str,
    name: &'static str,
    meaning: &'static str,
    weights: Option<u64>,
    active: Option<usize>,
}

fn list(out: &mut Output) -> Result<Verdict, Stop> {
    for (name, meaning) in NAMES {
        let spec = named(name);
        let (weights, active) = (spec.as_ref().map(Spec::weights), spec.as_ref().map(Spec::active));
        let count = weights.map_or(String::new(), |w| format!("{w} weights"));
        out.text(format!("{name:<23} {count:>18}  {meaning}"))?;
        out.object(&Listed { r#type: "network", name, meaning, weights, active })?;
    }
    Ok(Verdict::Done)
}

#[derive(Serialize)]
struct Info<'a> {
    r#type: &'static str,
    file: String,
    bytes: u64,
    weights: u64,
    active: usize,
    #[serde(flatten)]
    about: &'a About,
}

fn info(net: &Path, out: &mut Output) -> Result<Verdict, Stop> {
    let file = network_file(net)?;
    let about = about(&file).map_err(|cause| cannot_open(&file, &cause))?;
    let bytes = std::fs::metadata(&file).map_or(0, |m| m.len());
    let spec = &about.spec;
    out.text(format!("file      {} ({} MB)", file.display(), bytes >> 20))?;
    out.text(format!("network   {} on {}", spec.name, spec.board))?;
    let sharing = if spec.symmetric { "shared by symmetry" } else { "each on its own" };
    out.text(format!(
        "tuples    {} of {} values a cell, {sharing}",
        spec.tuples.len(),
        spec.values
    ))?;
    for tuple in &spec.tuples {
        let cells: Vec<String> = tuple.iter().map(u8::to_string).collect();
        out.text(format!("          {{{}}}", cells.join(",")))?;
    }
    for feature in &spec.features {
        out.text(format!("feature   {feature:?}"))?;
    }
    if spec.stages.count() > 1 {
        let promotion = if spec.promotion { ", with weight promotion" } else { "" };
        out.text(format!("stages    {} ({}){promotion}", spec.stages.count(), spec.stages))?;
    }
    out.text(format!("weights   {}, {} active for a board", spec.weights(), spec.active()))?;
    for (key, value) in &about.notes {
        out.text(format!("{key:<9} {value}"))?;
    }
    let (weights, active) = (spec.weights(), spec.active());
    let file = file.display().to_string();
    out.object(&Info { r#type: "summary", file, bytes, weights, active, about: &about })?;
    Ok(Verdict::Done)
}

fn import(
    file: &Path,
    target: &Path,
    name: &str,
    force: bool,
    out: &mut Output,
) -> Result<Verdict, Stop> {
    refuse_existing(target, force)?;
    let (network, coherence) =
        tdl::import(file, name).map_err(|cause| cannot_open(file, &cause))?;
    let source = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let notes = BTreeMap::from([("imported".to_owned(), source.into())]);
    // Under another name first: a file that exists is whole.
    let temporary = target.with_extension("tmp");
    let memory = coherence.as_ref().map(|sums| sums as &dyn maxtile_ntuple::td::PerWeight);
    network.save(&temporary, memory, notes).map_err(|cause| {
        let _ = std::fs::remove_file(&temporary);
        error(format!("cannot write {}: {cause}", target.display()))
    })?;
    std::fs::rename(&temporary, target).map_err(|cause| cannot_write(target, &cause))?;
    out.talk(format!("{} weights read", network.spec().weights()));
    Ok(Verdict::Done)
}

fn export(net: &Path, target: &Path, force: bool, out: &mut Output) -> Result<Verdict, Stop> {
    refuse_existing(target, force)?;
    let network = open(net)?;
    let bytes = tdl::export(&network).map_err(error)?;
    replace(target, &bytes).map_err(|cause| cannot_write(target, &cause))?;
    out.talk(format!("{} weights written", network.spec().weights()));
    Ok(Verdict::Done)
}

#[derive(Serialize)]
struct Difference {
    r#type: &'static str,
    same_shape: bool,
    weights: u64,
    different: u64,
    largest: f32,
    mean: f64,
}

/// Exit code 1 when the networks differ.
fn diff(a: &Path, b: &Path, out: &mut Output) -> Result<Verdict, Stop> {
    let (one, two) = (open(a)?, open(b)?);
    let unnamed = |net: &Network| Spec { name: String::new(), ..net.spec().clone() };
    let same_shape = unnamed(&one) == unnamed(&two);
    let (mut different, mut largest, mut sum, mut weights) = (0, 0.0f32, 0.0, 0);
    if same_shape {
        for table in 0..one.tables() {
            for (x, y) in one.table(table).iter().zip(two.table(table)) {
                weights += 1;
                let gap = (x - y).abs();
                different += u64::from(x.to_bits() != y.to_bits());
                largest = largest.max(gap);
                sum += f64::from(gap);
            }
        }
        let mean = sum / weights.max(1) as f64;
        out.text(format!(
            "{different} of {weights} weights differ, by {largest} at most, {mean:.6} on average"
        ))?;
    } else {
        out.text("the networks look different: other tuples, values, board or sharing")?;
    }
    let mean = sum / weights.max(1) as f64;
    out.object(&Difference { r#type: "summary", same_shape, weights, different, largest, mean })?;
    Ok(if same_shape && different == 0 { Verdict::Done } else { Verdict::No })
}

fn open(net: &Path) -> Result<Network, Stop> {
    let file = network_file(net)?;
    Network::open(&file).map_err(|cause| cannot_open(&file, &cause))
}

/// A network file, or that of a run's newest checkpoint.
fn network_file(net: &Path) -> Result<PathBuf, Stop> {
    if !net.is_dir() {
        return Ok(net.to_owned());
    }
    let found = newest_network(net);
    let found = found
        .map_err(|cause| error(format!("cannot read {}: {}", net.display(), reason(&cause))))?;
    found.ok_or_else(|| error(format!("{} holds no good checkpoint", net.display())))
}

fn cannot_open(file: &Path, cause: &impl std::fmt::Display) -> Stop {
    let text = cause.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    error(format!("cannot open {}: {}", file.display(), text.replace("No such", "no such")))
}

fn refuse_existing(target: &Path, force: bool) -> Result<(), Stop> {
    if target.exists() && !force {
        return Err(
            error(format!("{} exists already", target.display())).hint("--force replaces it")
        );
    }
    Ok(())
}
