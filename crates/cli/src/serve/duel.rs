//! `/api/duel`: what the plies of a duel are worth, and what an agent plays in it.
//!
//! The client keeps the duel. A question is a position with whose turn it is, so that nothing has to
//! be remembered between two of them.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::Json;
use axum::extract::State;
use maxtile_game::{Board, Random, Spawn, Tiles};
use maxtile_lab::duel::DuelAgent;
use maxtile_search::{Chance, Choice, Duelist};
use serde::Serialize;

use super::Shared;
use super::duel_question::{Question, Turn, draw};
use super::input::{Input, SHORT};
use super::players::{EXACT, bounded, edition, open_duelist};
use super::refuse::Refused;

/// Agents that stay open.
const KEPT: usize = 8;

/// The agents of duels, opened once for all threads: by rules and text, with what the text named then.
#[derive(Default)]
pub(super) struct Duelists(Mutex<HashMap<String, (String, DuelAgent)>>);

impl Duelists {
    fn open(&self, shared: &Shared, question: &Question) -> Result<DuelAgent, Refused> {
        let (rules, text) = (question.rules, question.agent(&shared.tables));
        let key = format!("{} {} {} {text}", rules.shape, rules.variant, rules.law.p4());
        let now = edition(&text, &shared.data);
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, agent)) = open.get(&key).filter(|(then, _)| *then == now) {
            return Ok(agent.clone());
        }
        if text == EXACT {
            // Not solved yet is another matter than not known.
            let unsolved = |refused| Refused { field: "agent".into(), ..refused };
            shared.tables.duel(rules).map_err(unsolved)?;
        }
        let most = shared.searches.desk.most();
        let agent = open_duelist(&text, rules, &shared.data, &shared.tables, most)
            .map_err(|why| Refused::field("agent", why))?;
        if open.len() >= KEPT {
            open.clear();
        }
        open.insert(key, (now, agent.clone()));
        Ok(agent)
    }
}

#[derive(Serialize)]
struct SlideLine {
    r#move: &'static str,
    reward: u32,
    value: f64,
}

#[derive(Serialize)]
struct PlaceLine {
    cell: u8,
    exponent: u8,
    value: f64,
}

/// What the plies are worth, the best for whoever is to play first.
#[derive(Serialize)]
pub(super) struct Weighed {
    position: String,
    turn: &'static str,
    /// Points still to come.
    value: f64,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<SlideLine>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    placements: Option<Vec<PlaceLine>>,
    agent: String,
    depth: u8,
    nodes: u64,
    ms: f64,
}

/// What an agent plays.
#[derive(Serialize)]
pub(super) struct Played {
    turn: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#move: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exponent: Option<u8>,
    /// Where the dial of hostility leaves a tile to chance, that is said.
    by: &'static str,
    agent: String,
    ms: f64,
}

pub(super) async fn analyse(
    State(shared): State<Arc<Shared>>,
    Input(fields): Input<SHORT>,
) -> Result<Json<Weighed>, Refused> {
    let question = Question::read(fields)?;
    let home = Arc::clone(&shared);
    let work = move |stop: &Arc<AtomicBool>| weigh(&home, &question, stop);
    shared.searches.run(move |_, stop| work(stop)).await?.map(Json)
}

pub(super) async fn play(
    State(shared): State<Arc<Shared>>,
    Input(mut fields): Input<SHORT>,
) -> Result<Json<Played>, Refused> {
    let draw = draw(&mut fields)?;
    let question = Question::read(fields)?;
    let home = Arc::clone(&shared);
    let work = move |stop: &Arc<AtomicBool>| answer(&home, &question, draw, stop);
    shared.searches.run(move |_, stop| work(stop)).await?.map(Json)
}

/// A player who takes no longer than allowed and ends when nobody waits any more.
fn player(
    shared: &Shared,
    question: &Question,
    stop: &Arc<AtomicBool>,
) -> Result<(Box<dyn Duelist>, String), Refused> {
    let agent = shared.duelists.open(shared, question)?;
    let mut player = agent.player();
    let most = shared.searches.desk.most();
    if let Some(limits) = bounded(player.limits(), question.limits.limits(most), most) {
        player.set_limits(limits);
    }
    player.stop_by(Arc::clone(stop));
    Ok((player, agent.text().to_owned()))
}

fn weigh(shared: &Shared, question: &Question, stop: &Arc<AtomicBool>) -> Result<Weighed, Refused> {
    let (mut player, agent) = player(shared, question, stop)?;
    let silent = || {
        if agent == EXACT {
            Refused::field("position", "no game gets to this position")
        } else {
            Refused::field("agent", format!("{agent} does not weigh moves"))
        }
    };
    let position = question.board.to_string();
    let board = question.board;
    match question.turn {
        Turn::Defender if board.is_over() => Ok(Weighed {
            position,
            turn: "defender",
            value: 0.0,
            exact: true,
            moves: Some(Vec::new()),
            placements: None,
            agent,
            depth: 0,
            nodes: 0,
            ms: 0.0,
        }),
        Turn::Defender => {
            let choice = player.weigh_slides(board).ok_or_else(silent)?;
            let line = |&(mv, value): &(maxtile_game::Move, f64)| SlideLine {
                r#move: mv.name(),
                reward: board.slide(mv).map_or(0, |(_, reward)| reward),
                value: rounded(value),
            };
            let moves = Some(choice.worths.iter().map(line).collect());
            Ok(Weighed { moves, ..weighed(position, "defender", &choice, agent) })
        }
        Turn::Attacker(tiles) => {
            let choice = player.weigh_placements(board.grid().into(), tiles).ok_or_else(silent)?;
            let line = |&(spawn, value): &(Spawn, f64)| PlaceLine {
                cell: spawn.cell,
                exponent: spawn.exponent,
                value: rounded(value),
            };
            let placements = Some(choice.worths.iter().map(line).collect());
            Ok(Weighed { placements, ..weighed(position, "attacker", &choice, agent) })
        }
    }
}

fn weighed<P>(position: String, turn: &'static str, choice: &Choice<P>, agent: String) -> Weighed {
    Weighed {
        position,
        turn,
        value: rounded(choice.value),
        exact: choice.exact,
        moves: None,
        placements: None,
        agent,
        depth: choice.depth,
        nodes: choice.counts.leaves,
        ms: milliseconds(choice.time),
    }
}

fn answer(
    shared: &Shared,
    question: &Question,
    draw: super::duel_question::Draw,
    stop: &Arc<AtomicBool>,
) -> Result<Played, Refused> {
    let clock = Instant::now();
    let (mut player, agent) = player(shared, question, stop)?;
    let mut random = Random::stream(draw.seed, draw.ply);
    let none = || Refused::ours(format!("{agent} has no answer"));
    let board: Board = question.board;
    let blank = |turn, agent, by| Played {
        turn,
        r#move: None,
        cell: None,
        exponent: None,
        by,
        agent,
        ms: milliseconds(clock.elapsed()),
    };
    match question.turn {
        Turn::Defender => {
            if board.is_over() {
                return Err(Refused::field("position", "the duel is over: no slide is possible"));
            }
            let mv = player.slide(board, &mut random).ok_or_else(none)?;
            Ok(Played { r#move: Some(mv.name()), ..blank("defender", agent, "agent") })
        }
        Turn::Attacker(tiles) => {
            let hostile = draw.hostility >= 1.0 || random.unit() < draw.hostility;
            let spawn = place(&mut *player, board, tiles, hostile, question, &mut random);
            let Spawn { cell, exponent } = spawn.ok_or_else(none)?;
            let by = if hostile { "agent" } else { "chance" };
            let blank = blank("attacker", agent, by);
            Ok(Played { cell: Some(cell), exponent: Some(exponent), ..blank })
        }
    }
}

fn place(
    player: &mut dyn Duelist,
    board: Board,
    tiles: Tiles,
    hostile: bool,
    question: &Question,
    random: &mut Random,
) -> Option<Spawn> {
    let afterstate = board.grid().into();
    if hostile {
        player.place(afterstate, tiles, random)
    } else {
        Chance(question.rules.law).place(afterstate, tiles, random)
    }
}

/// More decimals mean nothing to anybody, and take room.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

fn milliseconds(time: std::time::Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
