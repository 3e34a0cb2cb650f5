//! `maxtile match`: which of two agents plays better.

use maxtile_lab::{ALPHA, Comparison, Setting, Verdict as Better, compare};
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, Match};
use crate::error::Stop;
use crate::eval::{
    agent, bar, conditions, estimate, grouped, moves_per_s, nothing_played, rounded, setting,
    watched,
};
use crate::output::Output;

#[derive(Serialize)]
struct Line<'a> {
    r#type: &'static str,
    games: u64,
    difference: f64,
    ci95: Option<f64>,
    verdict: String,
    /// The probability that a match of equal agents names a winner, by design.
    error: f64,
    /// The true difference that would be found with a probability of 80 %, by design.
    found80: Option<f64>,
    a: &'a str,
    b: &'a str,
    mean_a: f64,
    mean_b: f64,
    at_most: u64,
    moves_per_s: f64,
    seed: u64,
    size: String,
    p4: f64,
    interrupted: bool,
}

pub(crate) fn run(args: &Match, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    let setting = setting(args.board.rules(), common);
    let a = agent(&args.a, setting.rules)?;
    let b = agent(&args.b, setting.rules)?;
    let bar = bar(out, true);
    let result = watched(&bar, |watch| compare([&a, &b], &setting, args.games, watch));
    if result.differences.count() == 0 {
        return Err(nothing_played());
    }
    let names = [a.text(), b.text()];
    show(names, &setting, args.games, &result, out)?;
    advise(args.games, &result, out);
    let [mean_a, mean_b] = result.scores.map(|scores| rounded(scores.mean()));
    out.object(&Line {
        r#type: "summary",
        games: result.differences.count(),
        difference: rounded(result.differences.mean()),
        ci95: result.half_width.filter(|half| half.is_finite()).map(rounded),
        verdict: result.verdict.to_string(),
        error: ALPHA,
        found80: result
            .differences
            .deviation()
            .map(|spread| rounded(result.design.effect_of_power(0.8) * spread)),
        a: names[0],
        b: names[1],
        mean_a,
        mean_b,
        at_most: args.games,
        moves_per_s: moves_per_s(result.moves, result.seconds),
        seed: setting.seed,
        size: setting.rules.shape.to_string(),
        p4: setting.rules.law.p4(),
        interrupted: result.interrupted,
    })?;
    Ok(Verdict::Done)
}

fn show(
    names: [&str; 2],
    setting: &Setting,
    most: u64,
    result: &Comparison,
    out: &mut Output,
) -> Result<(), Stop> {
    for (letter, (name, scores)) in ["A", "B"].iter().zip(names.iter().zip(&result.scores)) {
        out.text(format!("{letter}  {name}: mean {}", grouped(scores.mean())))?;
    }
    let half = result.half_width.filter(|half| half.is_finite());
    let sure = if half.is_some() { "  (95 %, early end allowed for)" } else { "" };
    let difference = estimate(result.differences.mean(), half);
    out.text(format!("  difference  {difference}{sure}"))?;
    let pairs = grouped(result.differences.count() as f64);
    let most = grouped(most as f64);
    out.text(format!("  games       {pairs} each, of at most {most}; {}", conditions(setting)))?;
    if let Some(spread) = result.differences.deviation().filter(|spread| *spread > 0.0) {
        let found = grouped((result.design.effect_of_power(0.8) * spread).round());
        let design = format!("a tie is called a win in 5 %, a difference of {found} found in 80 %");
        out.text(format!("  design      {design}"))?;
    }
    out.text(format!(
        "  speed       {} moves/s",
        grouped(moves_per_s(result.moves, result.seconds))
    ))?;
    out.text(format!("  verdict     {}", result.verdict))
}

/// What an undecided match means.
fn advise(most: u64, result: &Comparison, out: &Output) {
    if result.interrupted {
        out.talk("stopped early: these are the games that were complete");
    } else if result.verdict == Better::Undecided {
        let spread = result.differences.deviation().unwrap_or(0.0);
        if spread > 0.0 {
            out.talk(format!(
                "{} games each find a difference of {} four times in five, smaller ones less often",
                grouped(most as f64),
                grouped((result.design.effect_of_power(0.8) * spread).round())
            ));
        }
    }
}
