//! `maxtile duel`: matches in both roles, squares of all against all, a human on either side.

mod human;
pub(crate) mod reproduce;

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use maxtile_game::DuelRules;
use maxtile_lab::duel::{
    Cell, DuelAgent, DuelJob, DuelResults, DuelSetting, ResultsError, exact_verdict, play_jobs,
    role_difference,
};
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, Duel};
use crate::error::{Stop, error};
use crate::eval::{bar, estimate, grouped, nothing_played, rounded};
use crate::interrupt;
use crate::output::Output;

#[derive(Serialize)]
struct CellLine<'a> {
    r#type: &'static str,
    attacker: &'a str,
    defender: &'a str,
    games: u64,
    mean: f64,
    ci95: Option<f64>,
    max: u32,
    tile: u32,
}

#[derive(Serialize)]
struct Summary<'a> {
    r#type: &'static str,
    variant: String,
    size: String,
    p4: f64,
    seed: u64,
    opening: u32,
    games: u64,
    agents: Vec<&'a str>,
    /// Of a match: what A makes as defender less what it concedes as attacker.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ci95: Option<f64>,
    /// The exact score and forced tile from the empty board, where they are known at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<(f64, u32)>,
    interrupted: bool,
}

pub(crate) fn run(args: &Duel, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    let (shape, law) = (args.board.rules().shape, args.board.rules().law);
    let rules = DuelRules { shape, variant: args.variant, law };
    let seed = common.seed.unwrap_or(1);
    let setting = DuelSetting { rules, seed, opening: args.opening };
    let agent = |text: &String| {
        DuelAgent::parse(text, rules).map_err(|cause| {
            error(format!("agent {text:?}: {cause}"))
                .hint("maxtile agents lists the agents and their parameters")
        })
    };
    if args.agents.iter().any(|text| text == "human") {
        let others: Vec<&String> = args.agents.iter().filter(|text| *text != "human").collect();
        let [other] = others[..] else {
            return Err(error("human plays against one agent"));
        };
        return human::play(&agent(other)?, args.side == "attacker", &setting, out);
    }
    let agents = args.agents.iter().map(agent).collect::<Result<Vec<_>, Stop>>()?;
    let names: Vec<&str> = agents.iter().map(DuelAgent::text).collect();
    if let Some(twice) = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)) {
        return Err(error(format!("{} is there twice", twice.1)));
    }
    let square = args.square || agents.len() > 2;
    let jobs = jobs(agents.len(), args.games, square);
    let results =
        play(args.out.as_deref(), &agents, &names, &jobs, &setting, common.threads(), out)?;
    if jobs.iter().all(|job| !results.has(job)) {
        return Err(nothing_played());
    }
    let interrupted = jobs.iter().any(|job| !results.has(job));
    if interrupted {
        let kept = if args.out.is_some() { "; the same command goes on" } else { "" };
        out.talk(format!("stopped early: these are the duels that were complete{kept}"));
    }
    let difference = (!square).then(|| role_difference(&results, 0, 1, args.games));
    show(&names, &results, args.games, square, out)?;
    if let Some(difference) = &difference {
        let text = estimate(difference.mean(), difference.half_width());
        out.text(format!("  difference  {text}  (A defends less A concedes, 95 %)"))?;
    }
    let random = format!("{} random placements first", args.opening);
    let games = grouped(args.games as f64);
    out.text(format!("  openings    {games}, {random}; {}, {shape}, seed {seed}", args.variant))?;
    let exact = exact_verdict(rules);
    if let Some((score, tile)) = exact {
        let score = grouped(rounded(score));
        out.text(format!(
            "  exact       {score} points from the empty board, {tile} can be forced"
        ))?;
    }
    out.object(&Summary {
        r#type: "summary",
        variant: args.variant.to_string(),
        size: shape.to_string(),
        p4: law.p4(),
        seed,
        opening: args.opening,
        games: args.games,
        agents: names,
        difference: difference.map(|difference| rounded(difference.mean())),
        ci95: difference.and_then(|difference| difference.half_width()).map(rounded),
        exact: exact.map(|(score, tile)| (rounded(score), tile)),
        interrupted,
    })?;
    Ok(Verdict::Done)
}

/// Opening by opening, so that a contest that is stopped has played all pairs equally often.
fn jobs(agents: usize, games: u64, square: bool) -> Vec<DuelJob> {
    let mut jobs = Vec::new();
    for game in 0..games {
        for attacker in 0..agents {
            for defender in 0..agents {
                if square || attacker != defender {
                    jobs.push(DuelJob { attacker, defender, game });
                }
            }
        }
    }
    jobs
}

fn play(
    file: Option<&Path>,
    agents: &[DuelAgent],
    names: &[&str],
    jobs: &[DuelJob],
    setting: &DuelSetting,
    threads: usize,
    out: &Output,
) -> Result<DuelResults, Stop> {
    let wrong = |cause: ResultsError| {
        let path = file.map_or_else(String::new, |path| path.display().to_string());
        error(format!("{path}: {cause}"))
    };
    let mut results = match file {
        Some(path) => DuelResults::read(path, setting, names).map_err(wrong)?,
        None => DuelResults::default(),
    };
    let open: Vec<DuelJob> = jobs.iter().filter(|job| !results.has(job)).copied().collect();
    if open.len() < jobs.len() {
        out.talk(format!("{} of {} duels are done", jobs.len() - open.len(), jobs.len()));
    }
    let bar = bar(out, true);
    bar.set_length(open.len() as u64);
    let mut failed = None;
    let stop = interrupt::flag();
    let clock = Instant::now();
    let mut slides = 0;
    play_jobs(agents, &open, setting, threads, stop, |job, game| {
        if let Some(path) = file
            && let Err(cause) = DuelResults::append(path, setting, names, job, game)
        {
            // Results that cannot be kept are not worth the time.
            stop.store(true, std::sync::atomic::Ordering::SeqCst);
            failed = Some(cause);
        }
        results.add(job, game);
        slides += u64::from(game.slides);
        bar.inc(1);
        let speed = slides as f64 / clock.elapsed().as_secs_f64().max(1e-9);
        bar.set_message(format!("{} slides/s", grouped(speed.round())));
    });
    bar.finish_and_clear();
    match failed {
        Some(cause) => Err(wrong(cause)),
        None => Ok(results),
    }
}

fn letter(index: usize) -> String {
    char::from_u32('A' as u32 + index as u32 % 26).map_or_else(String::new, |c| c.to_string())
        + &"'".repeat(index / 26)
}

/// A match as two lines, a square as a table: attackers down, defenders across.
fn show(
    names: &[&str],
    results: &DuelResults,
    games: u64,
    square: bool,
    out: &mut Output,
) -> Result<(), Stop> {
    let mean = |cell: &Cell| estimate(cell.scores.mean(), cell.scores.half_width());
    for (index, name) in names.iter().enumerate() {
        let line = if square {
            format!("{}  {name}", letter(index))
        } else {
            let (defends, concedes) =
                (results.cell(1 - index, index, games), results.cell(index, 1 - index, games));
            let (made, lost) = (mean(&defends), mean(&concedes));
            format!("{}  {name}: defends {made}, concedes {lost}", letter(index))
        };
        out.text(line)?;
    }
    let all = 0..names.len();
    if square {
        let head: String =
            all.clone().map(|d| format!(" {:>28}", format!("defends {}", letter(d)))).collect();
        out.text(format!("{:<10}{head}", ""))?;
    }
    for attacker in all.clone() {
        let mut line = format!("{:<10}", format!("attacks {}", letter(attacker)));
        for defender in all.clone() {
            let cell = results.cell(attacker, defender, games);
            if cell.scores.count() == 0 {
                continue;
            }
            let tile = 1 << cell.largest;
            let _ = write!(line, " {:>28}", format!("{} ({tile})", mean(&cell)));
            out.object(&CellLine {
                r#type: "cell",
                attacker: names[attacker],
                defender: names[defender],
                games: cell.scores.count(),
                mean: rounded(cell.scores.mean()),
                ci95: cell.scores.half_width().map(rounded),
                max: cell.most,
                tile,
            })?;
        }
        if square {
            out.text(line.trim_end())?;
        }
    }
    Ok(())
}
