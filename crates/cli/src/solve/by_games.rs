//! Players judged by games, the luck taken out by the truth.

use maxtile_lab::{Losses, Setting, Until, evaluate};
use maxtile_solve::{Problem, Watch};
use serde::Serialize;

use super::judged::parse;
use super::{SEED, stopped, table};
use crate::Verdict;
use crate::args::{Common, Solve};
use crate::error::{Stop, error};
use crate::output::Output;

/// A player as his games show him. The names are those of players judged everywhere.
#[derive(Serialize)]
struct Line<'a> {
    r#type: &'static str,
    agent: &'a str,
    score: f64,
    half_width: f64,
    best: f64,
    agreement: f64,
    mean_loss: f64,
    /// The moves of one game.
    moves: f64,
    /// The mean of the scores themselves, luck and all.
    played: f64,
    played_half_width: f64,
    games: usize,
    seed: u64,
    seconds: f64,
}

pub(super) fn run(
    args: &Solve,
    problem: &Problem,
    agents: &[String],
    games: u64,
    common: &Common,
    watch: Watch<'_>,
    out: &mut Output,
) -> Result<Verdict, Stop> {
    let (rules, agents) = parse(args, agents)?;
    let threads = common.threads();
    let table = table(args, problem, threads, watch)?;
    let best = table.header().value.ok_or_else(|| error("the solved board keeps no values"))?;
    let seed = common.seed.unwrap_or(SEED);
    let [a, b, c, d, e] = ["score", "±", "of best", "agreement", "mean loss"];
    out.text(format!("{a:>12} {b:>8} {c:>9} {d:>10} {e:>10}  agent"))?;
    for agent in &agents {
        let bar = out.progress(games);
        let told = |progress: &maxtile_lab::Progress| bar.set_position(progress.games);
        let watch = maxtile_lab::Watch { progress: &told, stop: watch.stop };
        let setting = Setting { rules, seed, threads };
        let played = evaluate(agent, &setting, Until::Games(games), true, &watch);
        bar.finish_and_clear();
        let losses = Losses::of(&table, best, &played.records).map_err(error)?;
        let scores = played.summary.map(|summary| summary.scores);
        let (Some(corrected), Some(scores)) = (losses.corrected(), scores) else {
            return Err(stopped());
        };
        let games = played.games.len();
        let line = Line {
            r#type: "judged",
            agent: agent.text(),
            score: corrected.score,
            half_width: corrected.half_width,
            best,
            agreement: losses.agreed as f64 / losses.choices as f64,
            mean_loss: losses.loss / losses.moves as f64,
            moves: losses.moves as f64 / games as f64,
            played: scores.mean(),
            played_half_width: scores.half_width().unwrap_or(0.0),
            games,
            seed,
            seconds: played.seconds,
        };
        out.text(format!(
            "{:>12.3} {:>8.3} {:>9.6} {:>10.6} {:>10.4}  {}",
            line.score,
            line.half_width,
            line.score / best,
            line.agreement,
            line.mean_loss,
            line.agent
        ))?;
        out.object(&line)?;
        out.flush()?;
        if played.interrupted {
            return Err(error("stopped; the last line is of the games that were finished"));
        }
    }
    Ok(Verdict::Done)
}
