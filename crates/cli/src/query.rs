//! `maxtile query`: the exact value of a position and of its moves.

use std::path::PathBuf;

use maxtile_game::{Board, Random, Rules, Spawn};
use maxtile_solve::{Aim, Problem, Region, Table, TableError, Watch};
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, Query};
use crate::error::{Stop, error};
use crate::interrupt;
use crate::output::Output;
use crate::solve::{AT_ONCE, data_file, sentence};

/// The seed of drawn spawns when none is given.
const SEED: u64 = 1;

#[derive(Serialize)]
struct Line {
    r#type: &'static str,
    position: String,
    value: f64,
    exact: bool,
    moves: Vec<MoveLine>,
    objective: String,
}

#[derive(Serialize)]
struct MoveLine {
    r#move: &'static str,
    value: f64,
    reward: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    spawns: Option<Vec<SpawnLine>>,
}

#[derive(Serialize)]
struct SpawnLine {
    cell: u8,
    tile: u32,
    probability: f64,
    value: f64,
}

#[derive(Serialize)]
struct Ply {
    r#type: &'static str,
    r#move: &'static str,
    cell: u8,
    tile: u32,
    position: String,
}

pub(crate) fn run(args: &Query, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    let mut random = Random::stream(common.seed.unwrap_or(SEED), 0);
    let (table, path) = open(args, common.threads())?;
    let wrong = |cause: TableError| sentence(&cause, &path);
    let board =
        if args.random { table.random_state(&mut random).map_err(wrong)? } else { args.position };
    if args.line > 0 {
        line(&table, board, args.line, &mut random, &path, out)?;
    }
    let answer = table.query(board).map_err(wrong)?;
    out.text(format!("{board} for {}: {}", table.aim(), number(table.aim(), answer.value)))?;
    let mut moves = Vec::new();
    for found in &answer.moves {
        let (mv, value) = (found.mv, number(table.aim(), found.value));
        out.text(format!("{mv:>5} {value:>16} reward {}", found.reward))?;
        let mut spawns = None;
        if args.spawns {
            let mut lines = Vec::new();
            for spawn in table.spawns(found.afterstate).map_err(wrong)? {
                let Spawn { cell, exponent } = spawn.spawn;
                let (tile, value) = (1 << exponent, number(table.aim(), spawn.value));
                let p = spawn.probability;
                out.text(format!("      {tile} in cell {cell:>2} ({p:.4}) {value:>16}"))?;
                lines.push(SpawnLine { cell, tile, probability: p, value: spawn.value });
            }
            spawns = Some(lines);
        }
        let (value, reward) = (found.value, found.reward);
        moves.push(MoveLine { r#move: mv.name(), value, reward, spawns });
    }
    let (position, objective) = (board.to_string(), table.aim().to_string());
    let (r#type, value, exact) = ("query", answer.value, true);
    out.object(&Line { r#type, position, value, exact, moves, objective })?;
    Ok(Verdict::Done)
}

fn number(aim: Aim, value: f64) -> String {
    match aim {
        Aim::Score | Aim::HostileDrawn => format!("{value:.6}"),
        Aim::Reach(_) => format!("{value:.12}"),
        Aim::Hostile | Aim::HostileTwos | Aim::Friendly => format!("{value}"),
        Aim::ForcedTile | Aim::ForcedTileTwos => format!("{}", 1u32 << value as u32),
    }
}

fn open(args: &Query, threads: usize) -> Result<(Table, PathBuf), Stop> {
    if let Some(path) = &args.table {
        let table = Table::open(path).map_err(|cause| sentence(&cause, path))?;
        return Ok((table, path.clone()));
    }
    let rules = Rules { shape: args.position.shape(), law: args.p4 };
    solved(rules, args.objective, threads)
}

/// The solved board: made at once if it is small, else its file in the data folder.
pub(crate) fn solved(rules: Rules, aim: Aim, threads: usize) -> Result<(Table, PathBuf), Stop> {
    let region = Region::full(rules.shape).map_err(error)?;
    let problem = Problem { region, goal: None, aim, p4: rules.law.p4(), values: true };
    if problem.region.free_count() <= AT_ONCE {
        let watch = Watch { progress: &|_| (), stop: interrupt::flag() };
        let table = Table::in_memory(&problem, threads.min(2), watch).map_err(error)?;
        return Ok((table, PathBuf::new()));
    }
    let path = data_file(&problem)?;
    if !path.exists() {
        let board = &problem.region;
        return Err(error(format!("{board} is not solved for {aim} yet"))
            .hint(format!("maxtile solve {board} --objective {aim} does it once")));
    }
    let table = Table::open(&path).map_err(|cause| sentence(&cause, &path))?;
    Ok((table, path))
}

fn line(
    table: &Table,
    board: Board,
    plies: usize,
    random: &mut Random,
    path: &std::path::Path,
    out: &mut Output,
) -> Result<(), Stop> {
    let mut board = board;
    for ply in table.line(board, plies, random).map_err(|cause| sentence(&cause, path))? {
        let Some((afterstate, _)) = board.slide(ply.mv) else { break };
        let Ok(next) = afterstate.spawn(ply.spawn) else { break };
        board = next;
        let Spawn { cell, exponent } = ply.spawn;
        let tile = 1 << exponent;
        out.text(format!("{:>5} {tile} in cell {cell:>2} {board}", ply.mv))?;
        let position = board.to_string();
        out.object(&Ply { r#type: "ply", r#move: ply.mv.name(), cell, tile, position })?;
    }
    Ok(())
}
