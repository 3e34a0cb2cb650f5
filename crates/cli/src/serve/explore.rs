//! `/api/explore`: what is known exactly about small boards.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use maxtile_game::{Board, Random, Rules, Shape};
use maxtile_lab::protocol::{LimitFields, Query};
use maxtile_solve::{Aim, Pass, Progress, Table, TableError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Shared;
use super::chances::{Chances, chances};
use super::lines::stream;
use super::players::EXACT;
use super::refuse::Refused;
use super::route::{Options, Path};
use super::tables::{BOARDS, Readiness, Tables};

/// How long the largest disagreement is looked for.
const SEARCH: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Draw {
    seed: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Model {
    agent: Option<String>,
    seed: Option<u64>,
}

#[derive(Serialize)]
struct MoveLine {
    r#move: &'static str,
    reward: u32,
    value: f64,
}

#[derive(Serialize)]
struct SpawnLine {
    r#move: &'static str,
    cell: u8,
    exponent: u8,
    probability: f64,
    value: f64,
    position: String,
}

#[derive(Serialize)]
pub(super) struct Known {
    position: String,
    value: f64,
    exact: bool,
    best: Option<&'static str>,
    moves: Vec<MoveLine>,
    spawns: Vec<SpawnLine>,
    #[serde(flatten)]
    chances: Chances,
    layer: Layer,
    /// What is left when every spawn is placed to the player's harm.
    #[serde(skip_serializing_if = "Option::is_none")]
    worst: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<Value>,
}

#[derive(Serialize)]
struct Layer {
    sum: u32,
    states: u64,
}

pub(super) async fn boards(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let board = |name: &&str| {
        let shape = Tables::shape(name).ok()?;
        let state = shared.tables.readiness(shape, Aim::Score).name();
        let (states, seconds) = effort(shape);
        Some(json!({"size": name, "state": state, "states": states, "seconds": seconds}))
    };
    Json(json!({"boards": BOARDS.iter().filter_map(board).collect::<Vec<Value>>()}))
}

/// States of a board up to symmetry, and what it takes to solve it on two cores.
pub(super) fn effort(shape: Shape) -> (u64, f64) {
    match shape.cells() {
        ..=4 => (110, 0.0),
        5..=6 => (21_752, 0.1),
        7..=8 => (4_980_767, 4.0),
        _ => (48_713_519, 40.0),
    }
}

pub(super) async fn build(
    State(shared): State<Arc<Shared>>,
    Path(size): Path<String>,
) -> Result<Response, Refused> {
    solve(&shared, Tables::shape(&size)?, Aim::Score)
}

/// Solves a board into the data folder, with lines of progress.
pub(super) fn solve(shared: &Arc<Shared>, shape: Shape, aim: Aim) -> Result<Response, Refused> {
    let tables = Arc::clone(&shared.tables);
    let size = shape.to_string();
    if tables.readiness(shape, aim) == Readiness::Building {
        return Err(Refused::conflict(format!("{size} is being solved already")));
    }
    stream(shared, move |lines| {
        let clock = Instant::now();
        if tables.readiness(shape, aim) == Readiness::Ready {
            return lines.send(&json!({"type": "done", "size": size, "seconds": 0.0}));
        }
        let built = tables.begin(shape, aim).map_err(|refused| refused.error).and_then(|_claim| {
            let progress = |progress: Progress| {
                let half = if progress.pass == Pass::Value { 0.5 } else { 0.0 };
                let done = f64::from(progress.done) / f64::from(progress.layers.max(1));
                // Nobody there: the flag is set, and the work sees it.
                let _ = lines.send(&json!({"type": "progress", "fraction": half + done / 2.0}));
            };
            tables.build(shape, aim, &progress, &lines.stop)
        });
        match built {
            Ok(header) => lines.send(&json!({
                "type": "done",
                "size": size,
                "states": header.states,
                "seconds": clock.elapsed().as_secs_f64(),
            })),
            Err(why) => lines.send(&json!({"type": "error", "error": why})),
        }
    })
}

pub(super) async fn state(
    State(shared): State<Arc<Shared>>,
    Path((size, position)): Path<(String, String)>,
    Options(model): Options<Model>,
) -> Result<Json<Known>, Refused> {
    let shape = Tables::shape(&size)?;
    let board = read(shape, &position)?;
    let mut state = on_table(&shared, shape, move |shared, table| {
        look(table, board, shared.tables.hostile(shape).as_deref())
    })
    .await?;
    let query = ask(shape, board, model.agent.clone());
    let agent = shared.searches.desk.agent_of(&query).to_owned();
    if agent != EXACT && !board.is_over() {
        match shared.searches.ask(query).await {
            Ok(answer) => {
                state.model =
                    Some(json!({"agent": agent, "value": answer.value, "moves": answer.moves}));
            }
            // An agent that was asked for must answer, a usual one may have nothing to say.
            Err(refused) if model.agent.is_some() => return Err(refused),
            Err(_) => {}
        }
    }
    Ok(Json(state))
}

pub(super) async fn random(
    State(shared): State<Arc<Shared>>,
    Path(size): Path<String>,
    Options(draw): Options<Draw>,
) -> Result<Json<Value>, Refused> {
    let seed = draw.seed.unwrap_or_else(crate::watch::fresh);
    let drawn = move |_: &Shared, table: &Table| table.random_state(&mut Random::stream(seed, 0));
    let board = on_table(&shared, Tables::shape(&size)?, drawn).await?;
    Ok(Json(json!({"position": board.to_string()})))
}

pub(super) async fn disagreement(
    State(shared): State<Arc<Shared>>,
    Path(size): Path<String>,
    Options(model): Options<Model>,
) -> Result<Json<Value>, Refused> {
    let shape = Tables::shape(&size)?;
    let seed = model.seed.unwrap_or(1);
    let drawn = move |_: &Shared, table: &Table| {
        let mut random = Random::stream(seed, 0);
        let mut pairs = Vec::new();
        for _ in 0..2000 {
            let board = table.random_state(&mut random)?;
            pairs.push((board, table.query(board)?.value));
        }
        Ok(pairs)
    };
    let pairs: Vec<(Board, f64)> = on_table(&shared, shape, drawn).await?;
    let clock = Instant::now();
    let (mut looked, mut largest) = (0, None::<(f64, Board, f64, f64)>);
    for (board, exact) in pairs.into_iter().filter(|(board, _)| !board.is_over()) {
        let answer = shared.searches.ask(ask(shape, board, model.agent.clone())).await?;
        let gap = (answer.value - exact).abs();
        if largest.is_none_or(|(most, ..)| gap > most) {
            largest = Some((gap, board, exact, answer.value));
        }
        looked += 1;
        if clock.elapsed() > SEARCH {
            break;
        }
    }
    let (_, board, exact, model) = largest.ok_or_else(|| Refused::ours("no state was found"))?;
    let position = board.to_string();
    Ok(Json(json!({"position": position, "exact": exact, "model": model, "looked": looked})))
}

/// The position of a path, with its size in front or without.
fn read(shape: Shape, text: &str) -> Result<Board, Refused> {
    let wrong = |cause: &dyn std::fmt::Display| Refused::field("position", cause);
    if text.len() > 100 {
        return Err(wrong(&"the position is too long"));
    }
    let full = if text.contains(':') { text.to_owned() } else { format!("{shape}:{text}") };
    let board: Board = full.parse().map_err(|cause| wrong(&cause))?;
    if board.shape() == shape { Ok(board) } else { Err(wrong(&format!("the board is {shape}"))) }
}

fn ask(shape: Shape, board: Board, agent: Option<String>) -> Query {
    Query {
        id: Value::Null,
        rules: Rules::of(shape),
        turns: vec![(0, board)],
        agent,
        limits: LimitFields::default(),
        report_every: None,
        spawns: false,
        warnings: Vec::new(),
    }
}

/// Asks a solved board on a thread that may wait for the disk.
async fn on_table<T: Send + 'static>(
    shared: &Arc<Shared>,
    shape: Shape,
    work: impl FnOnce(&Shared, &Table) -> Result<T, TableError> + Send + 'static,
) -> Result<T, Refused> {
    // Who leaves while waiting is not asked for; what is asked for takes some seconds at most.
    let _place = shared.lookups.acquire().await;
    let shared = Arc::clone(shared);
    let done = tokio::task::spawn_blocking(move || {
        let table = shared.tables.score(Rules::of(shape))?;
        Ok(work(&shared, &table)?)
    });
    done.await.unwrap_or_else(|_| Err(Refused::ours("the solved board could not be asked")))
}

fn look(table: &Table, board: Board, hostile: Option<&Table>) -> Result<Known, TableError> {
    let answer = table.query(board)?;
    let mut spawns = Vec::new();
    for found in &answer.moves {
        for spawn in table.spawns(found.afterstate)? {
            let Ok(next) = found.afterstate.spawn(spawn.spawn) else { continue };
            spawns.push(SpawnLine {
                r#move: found.mv.name(),
                cell: spawn.spawn.cell,
                exponent: spawn.spawn.exponent,
                probability: spawn.probability,
                value: spawn.value,
                position: next.to_string(),
            });
        }
    }
    let sum = board.tile_sum();
    let states = table.layers().find(|layer| layer.sum == sum).map_or(0, |layer| layer.states);
    let line = |found: &maxtile_solve::MoveAnswer| MoveLine {
        r#move: found.mv.name(),
        reward: found.reward,
        value: found.value,
    };
    Ok(Known {
        position: board.to_string(),
        value: answer.value,
        exact: true,
        best: answer.moves.first().map(|best| best.mv.name()),
        moves: answer.moves.iter().map(line).collect(),
        spawns,
        chances: chances(table, board)?,
        layer: Layer { sum, states },
        worst: hostile.and_then(|table| Some(table.query(board).ok()?.value)),
        model: None,
    })
}
