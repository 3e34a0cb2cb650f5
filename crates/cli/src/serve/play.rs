//! `POST /api/play`: an agent plays a game, a line for each move.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::Response;
use maxtile_game::{Afterstate, Board, GameSeed, Random, Rules, Shape, Spawn};
use maxtile_lab::{Agent, player_random};
use maxtile_search::{Limits, Policy, Query as Ask, Report};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Shared;
use super::analyse;
use super::input::{Input, SHORT};
use super::lines::{Gone, Lines, stream};
use super::players::bounded;
use super::refuse::Refused;

/// More numbers than any game draws.
const DRAWS: u64 = 1_000_000;
/// The longest pause between two moves, in milliseconds.
const PAUSE: f64 = 60_000.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    agent: Option<Value>,
    limits: Option<Value>,
    #[serde(default)]
    rules: RulesWish,
    seed: Option<String>,
    position: Option<Value>,
    score: Option<u32>,
    hostility: Option<f64>,
    draws: Option<u64>,
    pace_ms: Option<f64>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesWish {
    size: Option<String>,
    p4: Option<Value>,
}

#[derive(Serialize)]
struct MoveLine {
    r#type: &'static str,
    r#move: &'static str,
    cell: u8,
    exponent: u8,
    score: u32,
    value: Option<f64>,
    depth: Option<u8>,
    nodes: Option<u64>,
    ms: f64,
}

/// A game under way.
struct Play {
    agent: Agent,
    policy: Box<dyn Policy>,
    limits: Option<Limits>,
    rules: Rules,
    seed: GameSeed,
    board: Board,
    score: u32,
    random: Random,
    /// The share of spawns that are placed to the player's harm.
    hostility: f64,
    /// Who is hostile when has numbers of its own: chance draws as it would without.
    malice: Random,
    pace: Duration,
}

pub(super) async fn post(
    State(shared): State<Arc<Shared>>,
    input: Input<SHORT>,
) -> Result<Response, Refused> {
    let wish: Wish = input.read()?;
    // Opening an agent may read a network.
    let home = Arc::clone(&shared);
    let play = tokio::task::spawn_blocking(move || prepare(&home, wish)).await;
    let play = play.map_err(|_| Refused::ours("the game could not begin"))??;
    stream(&shared, move |lines| play.run(lines))
}

fn prepare(shared: &Shared, wish: Wish) -> Result<Play, Refused> {
    let run = match &wish.seed {
        None => crate::watch::fresh(),
        Some(text) => {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let seed = if digits { text.parse().ok() } else { None };
            seed.ok_or_else(|| {
                Refused::field("seed", "a seed is the digits of a number below 2^64")
            })?
        }
    };
    let seed = GameSeed { run, index: 0 };
    let within = |field: &'static str, value: Option<f64>, most: f64| match value.unwrap_or(0.0) {
        value if (0.0..=most).contains(&value) => Ok(value),
        _ => Err(Refused::field(field, format!("{field} lies between 0 and {most}"))),
    };
    let hostility = within("hostility", wish.hostility, 1.0)?;
    let pace = within("pace_ms", wish.pace_ms, PAUSE)?;
    let draws = wish.draws.unwrap_or(0);
    if draws > DRAWS || (draws > 0 && wish.position.is_none()) {
        let why = format!("draws go with a position and are at most {DRAWS}");
        return Err(Refused::field("draws", why));
    }
    let size = wish.rules.size.as_deref().map(str::parse).transpose();
    let size = size.map_err(|cause| Refused::field("rules", cause))?;
    let own = wish.position.is_some();
    // The rest is read as the protocol reads it, from a position of that size.
    let mut fields = Map::new();
    let dummy = || Rules::of(size.unwrap_or(Shape::CLASSIC)).start(&mut Random::new(0)).to_string();
    fields.insert("position".to_owned(), wish.position.unwrap_or_else(|| dummy().into()));
    let mut rules = Map::new();
    rules.extend(wish.rules.p4.map(|p4| ("p4".to_owned(), p4)));
    rules.extend(wish.rules.size.map(|size| ("size".to_owned(), size.into())));
    fields.insert("rules".to_owned(), rules.into());
    fields.insert("agent".to_owned(), wish.agent.unwrap_or_default());
    fields.insert("limits".to_owned(), wish.limits.unwrap_or_default());
    let query = analyse::read(&fields)?;
    let desk = &shared.searches.desk;
    let agent = desk.agent(desk.agent_of(&query), query.rules);
    let agent = agent.map_err(|why| Refused::field("agent", why))?;
    let policy = agent.policy();
    // What is said beyond the values may take as long as the search.
    let most = desk.most() / 2;
    let limits = bounded(policy.limits(), query.limits.limits(most), most);
    let mut random = seed.random();
    let board = if own {
        for _ in 0..draws {
            random.next_u64();
        }
        query.turns[0].1
    } else {
        query.rules.start(&mut random)
    };
    Ok(Play {
        agent,
        policy,
        limits,
        rules: query.rules,
        seed,
        board,
        score: wish.score.unwrap_or(0),
        random,
        hostility,
        malice: Random::stream(run, 1),
        pace: Duration::from_secs_f64(pace / 1000.0),
    })
}

impl Play {
    fn run(mut self, lines: &Lines) -> Result<(), Gone> {
        self.policy.stop_by(Arc::clone(&lines.stop));
        lines.send(&json!({
            "type": "start",
            "position": self.board.to_string(),
            "seed": self.seed.run.to_string(),
            "score": self.score,
            "agent": self.agent.text(),
        }))?;
        let mut ask = Ask::new(self.board, player_random(self.seed.run, self.seed.index));
        let mut moves = 0;
        while !self.board.is_over() {
            let clock = Instant::now();
            let Some((line, board)) = self.ply(&mut ask, clock) else { break };
            lines.send(&line)?;
            (self.board, self.score) = (board, line.score);
            moves += 1;
            lines.pause(self.pace.saturating_sub(clock.elapsed()))?;
        }
        lines.send(&json!({
            "type": "over",
            "score": self.score,
            "max_tile": self.board.max_tile(),
            "moves": moves,
        }))
    }

    fn ply(&mut self, ask: &mut Ask, clock: Instant) -> Option<(MoveLine, Board)> {
        let report = self.policy.explain(self.board, self.limits);
        let mv = match &report {
            Some(report) => report.best(),
            None => {
                ask.board = self.board;
                self.policy.choose(std::slice::from_mut(ask));
                ask.answer
            }
        };
        let ms = (clock.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        let (mv, (afterstate, reward)) = mv.and_then(|mv| Some((mv, self.board.slide(mv)?)))?;
        let spawn = self.spawn(afterstate);
        let board = afterstate.spawn(spawn).ok()?;
        let line = MoveLine {
            r#type: "move",
            r#move: mv.name(),
            cell: spawn.cell,
            exponent: spawn.exponent,
            score: self.score.saturating_add(reward),
            value: report.as_ref().map(|report| (f64::from(report.value()) * 1e3).round() / 1e3),
            depth: report.as_ref().map(|report| report.depth),
            nodes: report.as_ref().map(|report| report.counts.leaves),
            ms,
        };
        Some((line, board))
    }

    /// Chance draws in any case; malice may then do worse.
    fn spawn(&mut self, afterstate: Afterstate) -> Spawn {
        let drawn = self.rules.law.draw(afterstate, &mut self.random);
        if self.hostility == 0.0 || self.malice.unit() >= self.hostility {
            return drawn;
        }
        let quick = Limits { time: Some(Duration::from_millis(50)), ..Limits::depth(1) };
        let mut worst: Option<(f32, Spawn)> = None;
        for (spawn, _) in self.rules.law.outcomes(afterstate) {
            let Ok(board) = afterstate.spawn(spawn) else { continue };
            // Who does not weigh moves is harmed by having few of them.
            let value = self.policy.explain(board, Some(quick)).as_ref().map(Report::value);
            let value = value.unwrap_or_else(|| board.legal_moves().len() as f32);
            if worst.is_none_or(|(least, _)| value < least) {
                worst = Some((value, spawn));
            }
        }
        worst.map_or(drawn, |(_, spawn)| spawn)
    }
}
