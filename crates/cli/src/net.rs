//! `maxtile net`: list, info, import, export, pack, diff.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use maxtile_game::Rules;
use maxtile_lab::training::newest_network;
use maxtile_lab::{
    AnyNetwork, DEFAULT_NETWORK, Setting, ask, default_about, default_network, open_network,
};
use maxtile_ntuple::{
    About, Asked, FileError, NAMES, Network, Packing, Spec, about, named, pack, packed_about, tdl,
};
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, Net, Pack};
use crate::error::{Stop, error, reason};
use crate::eval::{bar, watched};
use crate::files::{cannot_write, keep, replace};
use crate::interrupt;
use crate::neural_info::{neural_info, neural_list};
use crate::output::Output;

/// Slow to write, small for ever.
const PACK_LEVEL: i32 = 19;

pub(crate) fn run(verb: &Net, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    match verb {
        Net::List => list(out),
        Net::Info { net } => info(net, out),
        Net::Import { file, out: target, name, force } => import(file, target, name, *force, out),
        Net::Export { net, out: target, force } => export(net, target, *force, out),
        Net::Pack(pack) => pack_file(pack, common, out),
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
    neural_list(out)
}

#[derive(Serialize)]
struct Info<'a> {
    r#type: &'static str,
    file: String,
    bytes: u64,
    weights: u64,
    active: usize,
    /// Of packed networks.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<f32>,
    #[serde(flatten)]
    about: &'a About,
}

fn info(net: &Path, out: &mut Output) -> Result<Verdict, Stop> {
    if !is_default(net) {
        let file = network_file(net)?;
        let neural = maxtile_neural::about(&file).map_err(|cause| cannot_open(&file, &cause))?;
        if let Some(about) = neural {
            return neural_info(&file, &about, out);
        }
    }
    let (file, bytes, about, step) = if is_default(net) {
        let (about, step) = default_about().map_err(error)?;
        (PathBuf::from("inside the program"), DEFAULT_NETWORK.len() as u64, about, Some(step))
    } else {
        let file = network_file(net)?;
        let (about, step) = about_of(&file)?;
        let bytes = std::fs::metadata(&file).map_or(0, |m| m.len());
        (file, bytes, about, step)
    };
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
    if let Some(step) = step {
        out.text(format!("packed    16-bit weights in steps of {step} points"))?;
    }
    for (key, value) in &about.notes {
        out.text(format!("{key:<9} {value}"))?;
    }
    let (weights, active) = (spec.weights(), spec.active());
    let file = file.display().to_string();
    out.object(&Info { r#type: "summary", file, bytes, weights, active, step, about: &about })?;
    Ok(Verdict::Done)
}

/// What a file says, and the step of a packed one.
fn about_of(file: &Path) -> Result<(About, Option<f32>), Stop> {
    let packed = packed_about(file).map_err(|cause| cannot_open(file, &cause))?;
    if let Some((about, step)) = packed {
        return Ok((about, Some(step)));
    }
    let about = about(file).map_err(|cause| cannot_open(file, &cause))?;
    Ok((about, None))
}

/// Files are written chunk by chunk, so a network larger than the memory left can be packed.
fn pack_file(flags: &Pack, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    let Pack { net, out: target, step, games, plies, least, within, note, force } = flags;
    refuse_existing(target, *force)?;
    let network = open(net)?;
    let about = if is_default(net) {
        default_about().map_err(error)?.0
    } else {
        about_of(&network_file(net)?)?.0
    };
    if within.is_some() && *games == 0 {
        return Err(error(
            "--within needs --games above 0: it leaves out what they rarely ask for",
        ));
    }
    let asked = (*games > 0).then(|| asked_for(&network, *step, *games, *plies, common, out));
    let asked = asked.transpose()?;
    let failed = |cause: &std::io::Error| cannot_write(target, cause);
    // Packs what was asked for so often, and says how many bytes that takes.
    let attempt = |least: u8| -> Result<(tempfile::NamedTempFile, u64), Stop> {
        if interrupt::flag().load(Ordering::SeqCst) {
            return Err(error("stopped, nothing was written"));
        }
        let mut notes = about.notes.clone();
        if asked.is_some() {
            let times = if least == 1 { "once".to_owned() } else { format!("{least} times") };
            let what = format!(
                "weights asked for at least {times} in {games} games of {plies} plies and four times as \
                 many of each ply less"
            );
            notes.insert("kept".to_owned(), what.into());
        }
        notes.extend(note.iter().map(|(key, text)| (key.clone(), text.as_str().into())));
        let mut file = std::io::BufWriter::new(temporary_beside(target)?);
        let asked = asked.as_ref().map(|asked| (asked, least));
        let packing = Packing { step: *step, level: PACK_LEVEL, asked };
        pack(&network, packing, notes, &mut file).map_err(|cause| match cause {
            FileError::Io(cause) => failed(&cause),
            other => error(other),
        })?;
        let file = file.into_inner().map_err(|cause| failed(cause.error()))?;
        let bytes = file.as_file().metadata().map_or(0, |m| m.len());
        Ok((file, bytes))
    };
    let most = within.map_or(u64::MAX, |megabytes| (megabytes * 1e6) as u64);
    let (file, bytes) = fitting(*least, most, attempt, out)?;
    keep(file, target).map_err(|cause| failed(&cause))?;
    out.talk(format!("{} weights packed into {}", network.spec().weights(), megabytes(bytes)));
    Ok(Verdict::Done)
}

/// The largest of these files that is within so many bytes: a file without what was asked for less often is smaller.
fn fitting<F>(
    least: u8,
    most: u64,
    attempt: impl Fn(u8) -> Result<(F, u64), Stop>,
    out: &Output,
) -> Result<(F, u64), Stop> {
    let (file, bytes) = attempt(least)?;
    if bytes <= most {
        return Ok((file, bytes));
    }
    out.talk(format!("{} is too much", megabytes(bytes)));
    // Twice as often until it fits, then the least that does.
    let (mut too_few, mut fits): (u8, Option<(u8, (F, u64))>) = (least, None);
    loop {
        let next = match fits.take() {
            Some((enough, file)) if enough - too_few == 1 => return Ok(file),
            Some((enough, file)) => {
                fits = Some((enough, file));
                too_few + (enough - too_few) / 2
            }
            // Nothing was asked for more often than a count can say.
            None if too_few == u8::MAX => {
                let what = "what was asked for most does not fit either, nothing was written";
                return Err(error(what));
            }
            None => too_few.saturating_mul(2),
        };
        let (file, bytes) = attempt(next)?;
        out.talk(format!("{} with what was asked for {next} times or more", megabytes(bytes)));
        if bytes > most {
            too_few = next;
        } else {
            fits = Some((next, (file, bytes)));
        }
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Plays games to see what is asked for.
fn asked_for(
    network: &Network,
    step: f32,
    games: u64,
    plies: u8,
    common: &Common,
    out: &Output,
) -> Result<Asked, Stop> {
    let asked = Asked::of(network, step).map_err(error)?;
    let rules = Rules { shape: network.shape(), ..Rules::default() };
    // Other games than `eval` plays, or what it measures would be what was kept for it.
    let setting = Setting { rules, seed: common.seed.unwrap_or(!1), threads: common.threads() };
    // Weaker play asks for other boards, and is played faster.
    let kinds =
        (1..=plies).map(|depth| (depth, games.saturating_mul(4u64.pow(u32::from(plies - depth)))));
    for (depth, games) in kinds {
        let bar = bar(out, true);
        let played = watched(&bar, |watch| ask(&asked, &setting, depth, games, watch));
        let played = played.map_err(error)?;
        if played < games {
            let what = format!("stopped after {played} of {games} games, nothing was written");
            return Err(error(what));
        }
    }
    Ok(asked)
}

/// A file without a name of its own yet, in the folder where it shall have one.
fn temporary_beside(target: &Path) -> Result<tempfile::NamedTempFile, Stop> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")));
    file.map_err(|cause| cannot_write(target, &cause))
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
    let temporary = temporary_beside(target)?;
    let memory = coherence.as_ref().map(|sums| sums as &dyn maxtile_ntuple::td::PerWeight);
    let saved = network.save(temporary.path(), memory, notes);
    saved.map_err(|cause| error(format!("cannot write {}: {cause}", target.display())))?;
    keep(temporary, target).map_err(|cause| cannot_write(target, &cause))?;
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

/// Is the network inside the program meant, and not a file of that name?
fn is_default(net: &Path) -> bool {
    net.as_os_str() == "default" && !net.exists()
}

fn open(net: &Path) -> Result<Network, Stop> {
    if is_default(net) {
        let network = default_network().map_err(error)?;
        return network.to_network().map_err(error);
    }
    let file = network_file(net)?;
    match open_network(&file).map_err(|cause| cannot_open(&file, &cause))? {
        AnyNetwork::Learned(network) => Ok(network),
        AnyNetwork::Packed(packed, _) => {
            packed.to_network().map_err(|cause| cannot_open(&file, &cause))
        }
        AnyNetwork::Neural(_) => {
            Err(cannot_open(&file, &"it is a neural network, not one of n-tuples"))
        }
    }
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
