//! `maxtile record`: show, verify, convert, cut.

use std::path::{Path, PathBuf};

use maxtile_game::{Record as Game, Turn};
use maxtile_records::{Form, read, write};
use serde::Serialize;

use crate::Verdict;
use crate::args::{self, Record};
use crate::error::{Stop, error};
use crate::files::{form_by_name, read_bytes, read_records, write_bytes};
use crate::output::Output;

pub(crate) fn run(verb: Record, out: &mut Output) -> Result<Verdict, Stop> {
    match verb {
        Record::Show { file, record, ply, all } => show(&file, record, ply, all, out),
        Record::Verify { files } => verify(&files, out),
        Record::Convert { file, out: to, to: form, force } => {
            let records = read_records(&file)?;
            write_records(&records, &to, form, force, out)
        }
        Record::Cut { file, out: target, record, from, to, form, force } => {
            let games = read_records(&file)?;
            let game = pick(&games, record)?;
            let to = to.unwrap_or(game.plies.len());
            let part = game.cut(from, to).map_err(error)?.ok_or_else(|| {
                error(format!("the game has {} plies, no part {from} to {to}", game.plies.len()))
            })?;
            write_records(&[part], &target, form, force, out)
        }
    }
}

#[derive(Serialize)]
struct ShownTurn {
    r#type: &'static str,
    record: usize,
    ply: usize,
    position: String,
    score: u32,
}

#[derive(Serialize)]
struct ShownGame {
    r#type: &'static str,
    record: usize,
    size: String,
    p4: f64,
    seed: Option<String>,
    player: Option<String>,
    attacker: Option<String>,
    plies: usize,
    score: u32,
    max_tile: u32,
    over: bool,
    start: String,
    r#final: String,
}

#[derive(Serialize)]
struct ShownAll {
    r#type: &'static str,
    games: usize,
    positions: usize,
}

fn show(
    file: &Path,
    only: Option<usize>,
    ply: Option<usize>,
    all: bool,
    out: &mut Output,
) -> Result<Verdict, Stop> {
    let games = read_records(file)?;
    if let Some(number) = only {
        pick(&games, number)?;
    }
    let mut shown = 0;
    for (index, game) in games.iter().enumerate() {
        let number = index + 1;
        if only.is_some_and(|only| only != number) {
            continue;
        }
        let last = game.replay().map_err(error)?;
        describe(number, game, last, out)?;
        for turn in game.turns() {
            let turn = turn.map_err(error)?;
            if all || turn.ply == ply.unwrap_or(game.plies.len()) {
                shown += 1;
                let position = turn.board.to_string();
                let Turn { ply, score, .. } = turn;
                out.text(format!("ply {ply}, score {score}, {position}"))?;
                out.text(turn.board.drawn())?;
                out.object(&ShownTurn { r#type: "turn", record: number, ply, position, score })?;
            }
        }
    }
    match ply {
        Some(ply) if shown == 0 => Err(error(format!("no game here has {ply} plies"))),
        _ => {
            out.object(&ShownAll { r#type: "summary", games: games.len(), positions: shown })?;
            Ok(Verdict::Done)
        }
    }
}

fn describe(number: usize, game: &Game, last: Turn, out: &mut Output) -> Result<(), Stop> {
    let by = |who: &Option<String>, label: &str| {
        who.as_ref().map_or(String::new(), |who| format!(", {label} {who:?}"))
    };
    let seed = game.seed.map_or(String::new(), |seed| format!(", seed {seed}"));
    out.text(format!(
        "game {number}: {}, 4s {}{seed}{}{}, {} plies, score {}, largest tile {}{}",
        game.start.shape(),
        game.law.p4(),
        by(&game.player, "player"),
        by(&game.attacker, "attacker"),
        game.plies.len(),
        last.score,
        last.board.max_tile(),
        if last.board.is_over() { ", over" } else { ", not over" },
    ))?;
    out.object(&ShownGame {
        r#type: "game",
        record: number,
        size: game.start.shape().to_string(),
        p4: game.law.p4(),
        seed: game.seed.map(|seed| seed.to_string()),
        player: game.player.clone(),
        attacker: game.attacker.clone(),
        plies: game.plies.len(),
        score: last.score,
        max_tile: last.board.max_tile(),
        over: last.board.is_over(),
        start: game.start.to_string(),
        r#final: last.board.to_string(),
    })
}

#[derive(Serialize)]
struct Verified {
    r#type: &'static str,
    file: String,
    good: usize,
    seeded: usize,
    error: Option<String>,
}

#[derive(Serialize)]
struct VerifiedAll {
    r#type: &'static str,
    files: usize,
    games: usize,
    bad_files: usize,
}

/// Replays everything; where a game names its seed, the seed must draw its tiles.
fn verify(files: &[PathBuf], out: &mut Output) -> Result<Verdict, Stop> {
    let (mut games, mut bad_files) = (0, 0);
    for file in files {
        let bytes = read_bytes(file)?;
        let (mut good, mut seeded, mut problem) = (0, 0, None);
        for record in read(&bytes) {
            match record.map_err(|e| e.to_string()).and_then(|game| {
                let checked = game.check_seed().map(|()| game.seed.is_some());
                checked.map_err(|e| format!("record {}: {e}", good + 1))
            }) {
                Ok(of_seed) => {
                    good += 1;
                    seeded += usize::from(of_seed);
                }
                Err(text) => {
                    problem = Some(text);
                    break;
                }
            }
        }
        if good == 0 && problem.is_none() {
            problem = Some("no game in it".to_owned());
        }
        games += good;
        let name = file.display();
        match &problem {
            None => out.text(format!("{name}: {good} good, {seeded} drawn from their seed"))?,
            Some(text) => {
                bad_files += 1;
                out.text(format!("{name}: {text} ({good} good before it)"))?;
            }
        }
        let file = name.to_string();
        out.object(&Verified { r#type: "file", file, good, seeded, error: problem })?;
    }
    out.object(&VerifiedAll { r#type: "summary", files: files.len(), games, bad_files })?;
    Ok(if bad_files == 0 { Verdict::Done } else { Verdict::No })
}

fn pick(games: &[Game], number: usize) -> Result<&Game, Stop> {
    number.checked_sub(1).and_then(|index| games.get(index)).ok_or_else(|| {
        error(format!("there is no game {number} in the file, it holds {}", games.len()))
    })
}

fn write_records(
    records: &[Game],
    path: &Path,
    form: Option<args::Form>,
    force: bool,
    out: &mut Output,
) -> Result<Verdict, Stop> {
    let form = match form {
        Some(args::Form::Binary) => Form::Binary,
        Some(args::Form::Json) => Form::Json,
        None => form_by_name(path)?,
    };
    let mut bytes = Vec::new();
    for record in records {
        bytes.extend(write(record, form).map_err(error)?);
    }
    write_bytes(path, &bytes, force, out)?;
    Ok(Verdict::Done)
}
