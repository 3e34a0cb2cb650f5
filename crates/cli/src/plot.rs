//! `maxtile plot`: the learning curves of runs as a figure.

use std::path::{Path, PathBuf};

use maxtile_lab::{CurvePoint, Figure, Metrics, Progressed, Series, png, svg};
use serde::Serialize;

use crate::Verdict;
use crate::args::{Plot, PlotX, PlotY};
use crate::error::{Stop, error};
use crate::files::{read_bytes, write_bytes};
use crate::output::Output;

#[derive(Serialize)]
struct Line {
    r#type: &'static str,
    file: String,
    curves: Vec<CurveLine>,
}

#[derive(Serialize)]
struct CurveLine {
    label: String,
    /// Which lines of the metrics are drawn: `eval`, or `train` where those are too few.
    kind: &'static str,
    points: usize,
    last: f64,
}

pub(crate) fn run(args: &Plot, out: &mut Output) -> Result<Verdict, Stop> {
    let labels = labels(&args.runs);
    let mut curves = Vec::new();
    let mut series = Vec::new();
    for (path, label) in args.runs.iter().zip(labels) {
        let (kind, points) = curve(path)?;
        let points = shown(path, &points, args)?;
        let last = points.last().map_or(0.0, |point| point.mean);
        curves.push(CurveLine { label: label.clone(), kind, points: points.len(), last });
        series.push(Series { label, points });
    }
    let mut figure = Figure {
        title: args.title.clone().unwrap_or_default(),
        x_label: args.x.label().to_owned(),
        y_label: args.y.label().to_owned(),
        log_x: args.log,
        log_y: args.log_y,
        series,
        marks: args.mark.clone(),
    };
    figure.thousands();
    let pixels = args.out.extension().is_some_and(|end| end.eq_ignore_ascii_case("png"));
    let bytes = if pixels { png(&figure) } else { svg(&figure).map(String::into_bytes) };
    write_bytes(&args.out, &bytes.map_err(error)?, args.force, out)?;
    let file = args.out.display().to_string();
    if file != "-" {
        out.text(&file)?;
        out.object(&Line { r#type: "summary", file, curves })?;
    }
    Ok(Verdict::Done)
}

/// The points of a run: its evaluations, or the training games where those are too few.
fn curve(run: &Path) -> Result<(&'static str, Vec<Progressed>), Stop> {
    let path = if run.is_dir() { run.join("metrics.jsonl") } else { run.to_owned() };
    let bytes = read_bytes(&path)?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| error(format!("{} is not a text file", path.display())))?;
    let metrics = Metrics::read(text).map_err(|e| error(format!("{}: {e}", path.display())))?;
    let (kind, points) = match metrics {
        // One evaluation at the end makes no curve.
        Metrics { eval, train } if eval.len() < 2.min(train.len()) => ("train", train),
        Metrics { eval, .. } => ("eval", eval),
    };
    if points.is_empty() {
        return Err(error(format!("{} has no points to draw yet", path.display()))
            .hint("lines of the types eval and train are drawn"));
    }
    Ok((kind, points))
}

/// The points that have what is asked for; a run that has none is refused.
fn shown(run: &Path, points: &[Progressed], args: &Plot) -> Result<Vec<CurvePoint>, Stop> {
    let found: Vec<CurvePoint> =
        points.iter().filter_map(|progressed| point(progressed, args.x, args.y)).collect();
    if found.is_empty() {
        return Err(error(format!("{} has not counted what is to be drawn", run.display()))
            .hint("positions and estimates are in the metrics of recipes that ask for them"));
    }
    Ok(found)
}

fn point(progressed: &Progressed, x: PlotX, y: PlotY) -> Option<CurvePoint> {
    let Progressed { games, moves, seconds, mean, ci95, positions, estimates } = *progressed;
    let x = match x {
        PlotX::Games => games as f64,
        PlotX::Moves => moves as f64,
        PlotX::Seconds => seconds,
        PlotX::Positions if positions == 0 => return None,
        PlotX::Positions => positions as f64,
    };
    let (mean, half) = match y {
        PlotY::Score => (mean, ci95.unwrap_or(0.0)),
        PlotY::Estimate => (estimates?.estimate, 0.0),
        PlotY::Realised => (estimates?.realised, 0.0),
        PlotY::Ratio => (estimates?.ratio(), 0.0),
        PlotY::Bias => (estimates?.exact?.bias, 0.0),
    };
    Some(CurvePoint { x, mean, low: mean - half, high: mean + half })
}

/// A run is called by its folder, or by its whole path where two folders are called the same.
fn labels(runs: &[PathBuf]) -> Vec<String> {
    let short = |path: &PathBuf| {
        let folder = if path.ends_with("metrics.jsonl") { path.parent() } else { Some(&**path) };
        let name = folder.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| path.display().to_string())
    };
    let all: Vec<String> = runs.iter().map(short).collect();
    let unique = |label: &String| all.iter().filter(|other| *other == label).count() == 1;
    let labels = runs.iter().zip(&all).map(|(path, label)| {
        if unique(label) { label.clone() } else { path.display().to_string() }
    });
    labels.collect()
}
