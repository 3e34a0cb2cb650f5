//! Players against the truth.

use std::time::Instant;

use maxtile_game::Rules;
use maxtile_lab::{Agent, CurvePoint, Figure, Series, judge};
use maxtile_solve::{Analysis, Asked, Decisions, Judgement, Watch};
use serde::Serialize;

use super::{draw, round, stopped};
use crate::Verdict;
use crate::args::Solve;
use crate::error::{Stop, error};
use crate::output::Output;

/// A player against the truth, in all layers or in one.
#[derive(Serialize)]
struct JudgedLine<'a> {
    r#type: &'static str,
    agent: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<f64>,
    agreement: f64,
    mean_loss: f64,
    /// What the player expects beyond what his own play gets, and beyond what best play gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    bias_own: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bias_best: Option<f64>,
    mean_best: f64,
    /// The states in which the player was asked.
    states: u64,
    /// The moves of one game, when the means are over these and not over the states.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

impl<'a> JudgedLine<'a> {
    fn new(agent: &'a str, asked: Asked, decided: &Decisions) -> JudgedLine<'a> {
        let weight = decided.weight;
        let bias = |over: f64| (decided.valued > 0.0).then(|| over / decided.valued);
        JudgedLine {
            r#type: "judged",
            agent,
            sum: None,
            score: None,
            best: None,
            agreement: decided.agreed / decided.choices,
            mean_loss: decided.loss / weight,
            bias_own: bias(decided.over_own),
            bias_best: bias(decided.over_best),
            mean_best: decided.best / weight,
            states: decided.states,
            moves: (asked == Asked::OwnPlay).then_some(weight),
            seconds: None,
        }
    }
}

/// The agents to be judged, and the rules they play by.
pub(super) fn parse(args: &Solve, agents: &[String]) -> Result<(Rules, Vec<Agent>), Stop> {
    if !args.board.is_full() {
        return Err(error("players are judged on whole rectangles"));
    }
    let rules = Rules { shape: args.board.shape(), law: args.p4 };
    let agents = agents.iter().map(|text| Agent::parse(text, rules));
    Ok((rules, agents.collect::<Result<_, _>>().map_err(error)?))
}

pub(super) fn run(
    args: &Solve,
    agents: &[String],
    threads: usize,
    watch: Watch<'_>,
    out: &mut Output,
) -> Result<Verdict, Stop> {
    let (rules, agents) = parse(args, agents)?;
    // A player may treat a board and its mirror image differently, so every board counts unless
    // the user says otherwise.
    let analysis = Analysis::new(&args.board, None, args.up_to_symmetry, threads, watch);
    let analysis = analysis.ok_or_else(stopped)?;
    let [a, b, c, d, e, f] = ["score", "of best", "agreement", "mean loss", "bias own", "bias"];
    let values = args.layers || args.figure.is_some();
    let more = if values { format!(" {e:>10} {f:>10}") } else { String::new() };
    out.text(format!("{a:>12} {b:>9} {c:>10} {d:>10}{more}  agent"))?;
    let asked = if args.own_play { Asked::OwnPlay } else { Asked::Everywhere };
    let mut series = Vec::new();
    for agent in &agents {
        let clock = Instant::now();
        let found = judge(agent, rules, &analysis, asked, values, watch).ok_or_else(stopped)?;
        if args.layers {
            for (sum, decided) in found.layers.iter().filter(|layer| layer.1.choices > 0.0) {
                out.object(&JudgedLine {
                    r#type: "layer",
                    sum: Some(*sum),
                    ..JudgedLine::new(agent.text(), asked, decided)
                })?;
            }
        }
        let line = JudgedLine {
            score: Some(found.score),
            best: Some(found.best),
            seconds: Some(round(clock.elapsed())),
            ..JudgedLine::new(agent.text(), asked, &found.total)
        };
        let number = |bias: Option<f64>| bias.map_or("-".to_owned(), |bias| format!("{bias:.2}"));
        let [own, best] = [line.bias_own, line.bias_best].map(number);
        let more = if values { format!(" {own:>10} {best:>10}") } else { String::new() };
        out.text(format!(
            "{:>12.6} {:>9.6} {:>10.6} {:>10.4}{more}  {}",
            found.score,
            found.score / found.best,
            line.agreement,
            line.mean_loss,
            line.agent
        ))?;
        out.object(&line)?;
        out.flush()?;
        series.push(biases(agent.text(), &found));
    }
    if let Some(path) = &args.figure {
        let (x_label, y_label) = ("tile sum", "expected less had by the same play");
        let series = series.into_iter().filter(|series| !series.points.is_empty()).collect();
        draw(
            path,
            &Figure {
                title: format!("Value bias by layer, {}", args.board),
                x_label: x_label.to_owned(),
                y_label: y_label.to_owned(),
                series,
                ..Figure::default()
            },
        )?;
    }
    Ok(Verdict::Done)
}

/// By how much a player is wrong about his own play, layer by layer.
fn biases(agent: &str, found: &Judgement) -> Series {
    let valued = found.layers.iter().filter(|layer| layer.1.valued > 0.0);
    let point = |(sum, decided): &(u32, Decisions)| {
        let mean = decided.over_own / decided.valued;
        CurvePoint { x: f64::from(*sum), mean, low: mean, high: mean }
    };
    Series { label: agent.to_owned(), points: valued.map(point).collect() }
}
