//! Games of the best player against the exact numbers: a check by other means.

use std::sync::Arc;

use maxtile_game::Rules;
use maxtile_lab::{Agent, ExactPlayer, Setting, Until, against_exact, evaluate};
use maxtile_solve::{Aim, Analysis, Header, Problem, ScorePlay, Watch};
use serde::Serialize;

use super::{SEED, stopped, table};
use crate::Verdict;
use crate::args::{Common, Solve};
use crate::error::{Stop, error};
use crate::output::Output;

#[derive(Serialize)]
struct ComparedLine {
    r#type: &'static str,
    what: String,
    exact: f64,
    played: f64,
    low: f64,
    high: f64,
    agrees: bool,
}

#[derive(Serialize)]
struct Summary {
    r#type: &'static str,
    board: String,
    games: usize,
    seed: u64,
    agrees: bool,
    seconds: f64,
}

pub(super) fn run(
    args: &Solve,
    problem: &Problem,
    games: u64,
    common: &Common,
    watch: Watch<'_>,
    out: &mut Output,
) -> Result<Verdict, Stop> {
    if problem.aim != Aim::Score || !problem.region.is_full() {
        return Err(error("games are played for the score, on whole rectangles"));
    }
    let threads = common.threads();
    let table = Arc::new(table(args, problem, threads, watch)?);
    let exact = match of_header(table.header()) {
        Some(exact) => exact,
        None => {
            out.talk("the file does not say deviation and tile chances: they are swept for");
            let analysis = Analysis::new(&problem.region, None, true, threads, watch);
            let play = analysis.and_then(|analysis| analysis.score_play(problem.p4, watch));
            play.ok_or_else(stopped)?
        }
    };
    let player = ExactPlayer::new(table);
    let agent = Agent::new("exact", move || player.clone());
    let rules = Rules { shape: args.board.shape(), law: args.p4 };
    let seed = common.seed.unwrap_or(SEED);
    let bar = out.progress(games);
    let told = |progress: &maxtile_lab::Progress| bar.set_position(progress.games);
    let watch = maxtile_lab::Watch { progress: &told, stop: watch.stop };
    let setting = Setting { rules, seed, threads };
    let played = evaluate(&agent, &setting, Until::Games(games), false, &watch);
    bar.finish_and_clear();
    if played.games.len() < 2 {
        return Err(stopped());
    }
    let rows = against_exact(&exact, &played.games);
    let heads = ["exact", "played", "from", "to"];
    let [a, b, c, d] = heads;
    out.text(format!("{:<22} {a:>16} {b:>16} {c:>16} {d:>16}", ""))?;
    for row in &rows {
        let [low, high] = row.interval;
        let digits = if row.exact < 2.0 { 9 } else { 4 };
        let word = if row.agrees() { "agrees" } else { "differs" };
        out.text(format!(
            "{:<22} {:>16.digits$} {:>16.digits$} {low:>16.digits$} {high:>16.digits$}  {word}",
            row.what, row.exact, row.played
        ))?;
        out.object(&ComparedLine {
            r#type: "compared",
            what: row.what.clone(),
            exact: row.exact,
            played: row.played,
            low,
            high,
            agrees: row.agrees(),
        })?;
    }
    let agrees = rows.iter().all(maxtile_lab::Compared::agrees);
    let games = played.games.len();
    out.text(format!("{games} games from seed {seed}; all intervals together hold in 95 of 100"))?;
    out.object(&Summary {
        r#type: "summary",
        board: args.board.to_string(),
        games,
        seed,
        agrees,
        seconds: played.seconds,
    })?;
    Ok(if agrees { Verdict::Done } else { Verdict::No })
}

/// What the file says of best play, if it does.
fn of_header(header: &Header) -> Option<ScorePlay> {
    let (mean, std, moves) = (header.value?, header.std?, header.moves?);
    let reach = header.tiles.iter().map(|&(tile, chance)| (tile.ilog2() as u8, chance)).collect();
    Some(ScorePlay { mean, variance: std * std, moves, reach })
}
