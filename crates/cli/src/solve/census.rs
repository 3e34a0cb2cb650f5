//! What the best player does with his choices, over all states and over those that games get to; the
//! distribution of his score.

use maxtile_lab::{CurvePoint, Figure, Series};
use maxtile_solve::{
    Analysis, Asked, Bars, Choice, Chooser, Decisions, Distribution, Problem, TableError, Visited,
    Visits, Watch,
};
use serde::Serialize;

use super::{KEPT, draw, stopped, table};
use crate::Verdict;
use crate::args::Solve;
use crate::error::{Stop, error};
use crate::output::Output;

/// What the best player does, counted over states up to symmetry.
#[derive(Serialize)]
struct CensusLine {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum: Option<u32>,
    states: u64,
    choices: u64,
    unique: u64,
    cornered: u64,
    corner_kept: u64,
    corner_lost: u64,
}

impl CensusLine {
    fn new(sum: Option<u32>, d: &Decisions) -> CensusLine {
        CensusLine {
            r#type: if sum.is_some() { "census" } else { "summary" },
            sum,
            states: d.states,
            choices: d.choices as u64,
            unique: d.unique as u64,
            cornered: d.cornered as u64,
            corner_kept: d.kept as u64,
            corner_lost: d.lost as u64,
        }
    }
}

/// The same as it comes in one game of best play.
#[derive(Serialize)]
struct VisitedLine {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum: Option<u32>,
    visits: f64,
    ended: f64,
    /// The points still to be had, on average over the visits.
    value: f64,
    choices: f64,
    unique: f64,
    cornered: f64,
    corner_kept: f64,
    corner_lost: f64,
}

impl VisitedLine {
    fn new(v: &Visited) -> VisitedLine {
        VisitedLine {
            r#type: if v.sum > 0 { "visited" } else { "visits" },
            sum: (v.sum > 0).then_some(v.sum),
            visits: v.visits,
            ended: v.ended,
            value: v.value / v.visits,
            choices: v.choices,
            unique: v.unique,
            cornered: v.cornered,
            corner_kept: v.kept,
            corner_lost: v.lost,
        }
    }
}

#[derive(Serialize)]
struct ScoreLine {
    r#type: &'static str,
    score: u32,
    probability: f64,
}

#[derive(Serialize)]
struct ScoresLine {
    r#type: &'static str,
    board: String,
    scores: usize,
    mean: f64,
    std: f64,
    quantiles: Vec<(f64, u32)>,
}

pub(super) fn run(
    args: &Solve,
    problem: &Problem,
    threads: usize,
    watch: Watch<'_>,
    out: &mut Output,
) -> Result<Verdict, Stop> {
    if !args.board.is_full() {
        return Err(error("players are judged on whole rectangles"));
    }
    let analysis = Analysis::new(&args.board, None, true, threads, watch).ok_or_else(stopped)?;
    let nobody =
        || -> Chooser<'static> { Box::new(|boards| vec![Choice::default(); boards.len()]) };
    let found =
        analysis.judge(args.p4.p4(), Asked::Everywhere, &nobody, watch).ok_or_else(stopped)?;
    drop(analysis);
    if args.layers {
        for (sum, decisions) in &found.layers {
            out.object(&CensusLine::new(Some(*sum), decisions))?;
        }
    }
    let total = found.total;
    let small = problem.region.free_count() <= KEPT;
    let visits = small.then(|| follow(args, problem, false, threads, watch)).transpose()?;
    let seen = visits.as_ref().map(Visits::total);
    let [a, b] = ["states", "in a game"];
    let second = if seen.is_some() { format!(" {b:>14} {:>9}", "share") } else { String::new() };
    out.text(format!("{:<27} {a:>14} {:>9}{second}", "", "share"))?;
    let mut row = |what: &str, states: [f64; 2], games: Option<[f64; 2]>| {
        let share = |[part, whole]: [f64; 2]| part / whole;
        let games = games
            .map_or(String::new(), |games| format!(" {:>14.6} {:>9.6}", games[0], share(games)));
        out.text(format!("{what:<27} {:>14} {:>9.6}{games}", states[0], share(states)))
    };
    let moves = seen.map(|v| v.visits - v.ended);
    row("with a move", [total.weight; 2], moves.map(|moves| [moves; 2]))?;
    let of = |part: fn(&Visited) -> f64, whole: fn(&Visited) -> f64| {
        seen.as_ref().map(|v| [part(v), whole(v)])
    };
    let chosen = of(|v| v.choices, |v| v.visits - v.ended);
    row("with a choice", [total.choices, total.weight], chosen)?;
    row("one best move", [total.unique, total.choices], of(|v| v.unique, |v| v.choices))?;
    let cornered = of(|v| v.cornered, |v| v.choices);
    row("largest tile in a corner", [total.cornered, total.choices], cornered)?;
    let kept = of(|v| v.kept, |v| v.cornered);
    row("best move leaves it in one", [total.kept, total.cornered], kept)?;
    row("no move would", [total.lost, total.cornered], of(|v| v.lost, |v| v.cornered))?;
    if let Some(visits) = &visits {
        if args.layers {
            for layer in &visits.layers {
                out.object(&VisitedLine::new(layer))?;
            }
        }
        out.object(&VisitedLine::new(&visits.total()))?;
        if let Some(path) = &args.figure {
            draw(path, &over_time(args, visits))?;
        }
    }
    out.object(&CensusLine::new(None, &total))?;
    Ok(Verdict::Done)
}

/// Follows best play, on a solved board that is made if it is not there.
fn follow(
    args: &Solve,
    problem: &Problem,
    scores: bool,
    threads: usize,
    watch: Watch<'_>,
) -> Result<Visits, Stop> {
    table(args, problem, threads, watch)?.visits(scores, watch).map_err(|cause| match cause {
        TableError::Stopped => stopped(),
        cause => error(cause),
    })
}

/// What is still to be had, and what has been had, by tile sum.
fn over_time(args: &Solve, visits: &Visits) -> Figure {
    let curve = |label: &str, value: &dyn Fn(&Visited) -> f64| {
        let point = |layer: &Visited| {
            let mean = value(layer);
            CurvePoint { x: f64::from(layer.sum), mean, low: mean, high: mean }
        };
        Series { label: label.to_owned(), points: visits.layers.iter().map(point).collect() }
    };
    // Later layers are seen in less than one of a million games.
    let most = visits.layers.iter().map(|layer| layer.value / layer.visits).fold(0.0, f64::max);
    Figure {
        title: format!("Value over time, {}, best play", args.board),
        x_label: "tile sum".to_owned(),
        y_label: "points".to_owned(),
        series: vec![
            curve("still to be had where games get to", &|layer| layer.value / layer.visits),
            curve("chance to get there, of the largest value", &|layer| most * layer.visits),
        ],
        ..Figure::default()
    }
}

/// The distribution of the score.
pub(super) fn scores(
    args: &Solve,
    problem: &Problem,
    threads: usize,
    watch: Watch<'_>,
    out: &mut Output,
) -> Result<Verdict, Stop> {
    if problem.region.free_count() > KEPT {
        return Err(error("the distribution of the score is known on at most nine cells"));
    }
    let scores = follow(args, problem, true, threads, watch)?.scores;
    for &(score, probability) in &scores {
        out.object(&ScoreLine { r#type: "score", score, probability })?;
    }
    let known = Distribution::new(scores).ok_or_else(|| {
        error("the probabilities of the scores do not make one: please report it")
    })?;
    let (mean, std) = (known.mean(), known.deviation());
    let parts = [0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999];
    let quantiles: Vec<(f64, u32)> =
        parts.iter().map(|&part| (part, known.quantile(part))).collect();
    out.text(format!(
        "{} different scores, mean {mean:.6}, deviation {:.6}",
        known.scores().len(),
        std
    ))?;
    for (part, score) in &quantiles {
        out.text(format!("{:>6.1} % have at most {score:>8}", 100.0 * part))?;
    }
    if let Some(path) = &args.figure {
        draw(path, &distribution(args, &known))?;
    }
    let (r#type, board) = ("summary", args.board.to_string());
    let scores = known.scores().len();
    out.object(&ScoresLine { r#type, board, scores, mean, std, quantiles })?;
    Ok(Verdict::Done)
}

/// The distribution in bars of a hundredth of the range.
fn distribution(args: &Solve, known: &Distribution) -> Figure {
    let most = known.scores().last().map_or(0, |last| last.0);
    let Bars { width, shares, .. } = known.bars(0, most, 100);
    let point = |(i, &p): (usize, &f64)| {
        let mean = 100.0 * p;
        let x = (f64::from(width) * (i as f64 + 0.5)).round();
        CurvePoint { x, mean, low: mean, high: mean }
    };
    Figure {
        title: format!("Scores of best play, {}", args.board),
        x_label: "score".to_owned(),
        y_label: format!("% of games in {width} points"),
        series: vec![Series {
            label: "best play".to_owned(),
            points: shares.iter().enumerate().map(point).collect(),
        }],
        ..Figure::default()
    }
}
