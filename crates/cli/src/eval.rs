//! `maxtile eval`: how well an agent plays.

use std::collections::BTreeMap;

use indicatif::{ProgressBar, ProgressStyle};
use maxtile_game::Rules;
use maxtile_lab::{Agent, Evaluation, Progress, Setting, Summary, Until, Watch, evaluate};
use maxtile_records::{Form, write};
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, Eval};
use crate::error::{Stop, error};
use crate::files::{form_by_name, write_bytes};
use crate::interrupt;
use crate::output::Output;

/// Games when nobody says how many.
const GAMES: u64 = 1000;
/// Few games know their own spread badly; many more than this would take for ever.
const UNTIL_GAMES: (u64, u64) = (100, 10_000_000);
/// An interval wider than this share of the mean deserves a word.
const WIDE: f64 = 0.03;

#[derive(Serialize)]
struct Line<'a> {
    r#type: &'static str,
    agent: &'a str,
    games: u64,
    mean: f64,
    ci95: Option<f64>,
    median: f64,
    min: u32,
    max: u32,
    tiles: BTreeMap<u32, f64>,
    moves_per_s: f64,
    seed: u64,
    deviation: Option<f64>,
    moves: u64,
    size: String,
    p4: f64,
    interrupted: bool,
}

pub(crate) fn run(args: &Eval, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    let setting = setting(args.board.rules(), common);
    let agent = agent(&args.agent, setting.rules)?;
    let form = match &args.save {
        // Better now than after an hour of games.
        Some(path) if path.exists() && !args.force => {
            let sentence = format!("{} exists already", path.display());
            return Err(error(sentence).hint("--force replaces it"));
        }
        Some(path) => Some(form_by_name(path)?),
        None => None,
    };
    let until = match args.until {
        Some(half_width) => {
            let (at_least, at_most) = UNTIL_GAMES;
            Until::Relative { half_width, at_least, at_most }
        }
        None => Until::Games(args.games.unwrap_or(GAMES)),
    };
    let bar = bar(out, args.until.is_none());
    let result =
        watched(&bar, |watch| evaluate(&agent, &setting, until, args.save.is_some(), watch));
    let summary = result.summary.as_ref().ok_or_else(nothing_played)?;
    show(&agent, &setting, summary, &result, out)?;
    advise(args, summary, &result, out);
    out.object(&line(&agent, &setting, summary, &result))?;
    // After the results, which must not be lost with the file.
    if let (Some(path), Some(form)) = (&args.save, form) {
        write_bytes(path, &records(&result, form)?, args.force, out)?;
    }
    Ok(Verdict::Done)
}

/// Rules and common flags; the seed is 1 when none is given.
pub(crate) fn setting(rules: Rules, common: &Common) -> Setting {
    Setting { rules, seed: common.seed.unwrap_or(1), threads: common.threads() }
}

/// The agent that a text describes.
pub(crate) fn agent(text: &str, rules: Rules) -> Result<Agent, Stop> {
    Agent::parse(text, rules).map_err(|cause| {
        error(format!("agent {text:?}: {cause}"))
            .hint("maxtile agents lists the agents and their parameters")
    })
}

pub(crate) fn nothing_played() -> Stop {
    error("stopped before the first game was complete")
}

/// A bar when it is known how many games there will be, else a wheel.
pub(crate) fn bar(out: &Output, known: bool) -> ProgressBar {
    let template = if known {
        "{bar:24} {pos}/{len} games  {msg}  ({eta} left)"
    } else {
        "{spinner} {pos} games  {msg}  ({elapsed})"
    };
    let style = ProgressStyle::with_template(template);
    out.progress(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Plays with the running mean on the bar, and Ctrl-C ending the play.
pub(crate) fn watched<T>(bar: &ProgressBar, play: impl FnOnce(&Watch<'_>) -> T) -> T {
    let progress = |progress: &Progress| {
        bar.set_length(progress.most);
        bar.set_position(progress.games);
        bar.set_message(estimate(progress.mean, progress.half_width));
    };
    let result = play(&Watch { progress: &progress, stop: interrupt::flag() });
    bar.finish_and_clear();
    result
}

fn records(result: &Evaluation, form: Form) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    for record in &result.records {
        bytes.extend(write(record, form).map_err(error)?);
    }
    Ok(bytes)
}

fn show(
    agent: &Agent,
    setting: &Setting,
    summary: &Summary,
    result: &Evaluation,
    out: &mut Output,
) -> Result<(), Stop> {
    let scores = &summary.scores;
    let games = scores.count();
    let half = scores.half_width();
    let share = half.map_or(String::new(), |half| {
        format!("  (95 %, {:.1} % of the mean)", 100.0 * half / scores.mean().max(1e-9))
    });
    out.text(agent.text())?;
    out.text(format!("  mean     {}{share}", estimate(scores.mean(), half)))?;
    out.text(format!("  median   {}", grouped(summary.median)))?;
    let (min, max) = (grouped(summary.min.into()), grouped(summary.max.into()));
    out.text(format!("  range    {min} … {max}"))?;
    out.text(format!("  games    {}, {}", grouped(games as f64), conditions(setting)))?;
    out.text(format!(
        "  moves    {} a game, {}/s",
        grouped(summary.moves as f64 / games as f64),
        grouped(moves_per_s(summary.moves, result.seconds)),
    ))?;
    out.text("  reached")?;
    for rate in summary.tiles.iter().filter(|rate| rate.share > 0.0) {
        out.text(format!("  {:>7}  {:>5.1} %", rate.tile, 100.0 * rate.share))?;
    }
    Ok(())
}

/// What limits the result, and what to do about it.
fn advise(args: &Eval, summary: &Summary, result: &Evaluation, out: &Output) {
    let scores = &summary.scores;
    if result.interrupted {
        out.talk("stopped early: these are the games that were complete");
    } else if args.until.is_some() && scores.count() >= UNTIL_GAMES.1 {
        out.talk("the interval is still wider than asked for, but that is enough games");
    }
    let wide = scores.half_width().is_none_or(|half| half > WIDE * scores.mean());
    if let Some(needed) = scores.needed(0.01).filter(|_| wide && args.until.is_none()) {
        out.talk(format!(
            "warning: the interval is wide, about {} games would bring it to ± 1 % (--until 1%)",
            grouped(two_digits_up(needed))
        ));
    }
}

fn line<'a>(
    agent: &'a Agent,
    setting: &Setting,
    summary: &Summary,
    result: &Evaluation,
) -> Line<'a> {
    let scores = &summary.scores;
    Line {
        r#type: "summary",
        agent: agent.text(),
        games: scores.count(),
        mean: rounded(scores.mean()),
        ci95: scores.half_width().map(rounded),
        median: summary.median,
        min: summary.min,
        max: summary.max,
        tiles: summary.tiles.iter().map(|rate| (rate.tile, rate.share)).collect(),
        moves_per_s: moves_per_s(summary.moves, result.seconds),
        seed: setting.seed,
        deviation: scores.deviation().map(rounded),
        moves: summary.moves,
        size: setting.rules.shape.to_string(),
        p4: setting.rules.law.p4(),
        interrupted: result.interrupted,
    }
}

/// Where and from which seed was played.
pub(crate) fn conditions(setting: &Setting) -> String {
    let Rules { shape, law } = setting.rules;
    let odd =
        if law == Rules::default().law { String::new() } else { format!(", p4 {}", law.p4()) };
    format!("seed {}, {shape}{odd}", setting.seed)
}

/// Whole moves a second.
pub(crate) fn moves_per_s(moves: u64, seconds: f64) -> f64 {
    (moves as f64 / seconds.max(1e-9)).round()
}

/// A mean with its interval.
pub(crate) fn estimate(mean: f64, half_width: Option<f64>) -> String {
    let interval = half_width.map_or(String::new(), |half| format!(" ± {}", grouped(half)));
    format!("{}{interval}", grouped(mean))
}

/// Four decimals: more than any interval deserves, few enough to be the same on all machines.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// A number for people: 1,234,567 or 1,234.5 or 0.12.
pub(crate) fn grouped(number: f64) -> String {
    let decimals = match number.abs() {
        _ if number.fract() == 0.0 => 0,
        size if size < 1.0 => 2,
        size if size < 100_000.0 => 1,
        _ => 0,
    };
    let text = format!("{:.decimals$}", number.abs());
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut groups = if number < 0.0 { "-".to_owned() } else { String::new() };
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            groups.push(',');
        }
        groups.push(digit);
    }
    groups + fraction
}

/// The next number with two digits and zeros behind them.
fn two_digits_up(number: u64) -> f64 {
    let unit = 10f64.powi((number.max(1) as f64).log10().floor() as i32 - 1).max(1.0);
    (number as f64 / unit).ceil() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        let cases = [
            (0.0, "0"),
            (0.125, "0.12"),
            (999.0, "999"),
            (-1000.0, "-1,000"),
            (1234.56, "1,234.6"),
            (1234567.8, "1,234,568"),
        ];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
        let ups: Vec<f64> = [1, 99, 100, 101, 98765].map(two_digits_up).to_vec();
        assert_eq!(ups, [1.0, 99.0, 100.0, 110.0, 99000.0]);
    }
}
