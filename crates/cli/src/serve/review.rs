//! `POST /api/review`: a recorded game looked at again, turn by turn.

use std::ops::ControlFlow;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use maxtile_game::Record;
use maxtile_lab::review::{Judge, Setting, review};
use maxtile_lab::{Agent, protocol::usual_agent};
use maxtile_search::Limits;
use maxtile_solve::Table;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Shared;
use super::analyse;
use super::input::{Input, LONG};
use super::lines::{Gone, stream};
use super::players::{EXACT, bounded, weighs};
use super::records::Given;
use super::refuse::Refused;
use super::runs::blocking;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    record: Option<String>,
    record_base64: Option<String>,
    agent: Option<String>,
    limits: Option<Value>,
}

/// Who looks at the game.
enum Eye {
    Exact(Arc<Table>),
    Agent(Agent, Option<Limits>),
}

pub(super) async fn post(
    State(shared): State<Arc<Shared>>,
    input: Input<LONG>,
) -> Result<Response, Refused> {
    let wish: Wish = input.read()?;
    let home = Arc::clone(&shared);
    let (record, format, eye) = blocking(move || prepare(&home, wish)).await??;
    let threads = shared.searches.threads;
    let place = Arc::clone(&shared.reviews).try_acquire_owned();
    let place = place.map_err(|_| Refused::busy("too many reviews at once"))?;
    stream(&shared, move |lines| {
        let _place = place;
        let judge = match eye {
            Eye::Exact(table) => Judge::exact(table),
            Eye::Agent(agent, limits) => {
                // Not only between positions: a search ends when its client has gone.
                let (text, stop) = (agent.text().to_owned(), Arc::clone(&lines.stop));
                let listening = Agent::new(&text, move || {
                    let mut policy = agent.policy();
                    policy.stop_by(Arc::clone(&stop));
                    policy
                });
                Judge::agent(&listening, limits)
            }
        };
        let setting = Setting { threads, stop: &lines.stop };
        let done = review(&record, format, &judge, setting, &mut |line| match lines.send(&line) {
            Ok(()) => ControlFlow::Continue(()),
            Err(Gone) => ControlFlow::Break(()),
        });
        match done {
            Ok(_) => Ok(()),
            Err(cause) => lines.send(&json!({"type": "error", "error": cause.to_string()})),
        }
    })
}

fn prepare(shared: &Shared, wish: Wish) -> Result<(Record, &'static str, Eye), Refused> {
    let given = Given { record: wish.record, record_base64: wish.record_base64 };
    let (record, format) = given.read()?;
    let rules = record.rules();
    if record.plies.is_empty() {
        return Err(Refused::field("record", "the game has no moves to review"));
    }
    let agent = wish.agent.unwrap_or_else(|| usual(shared, &record).to_owned());
    if agent.trim() == EXACT {
        let table = shared.tables.score(rules);
        let table = table.map_err(|refused| Refused { field: "agent".into(), ..refused })?;
        return Ok((record, format, Eye::Exact(table)));
    }
    // Limits are read as the protocol reads them.
    let mut fields = Map::new();
    fields.insert("position".to_owned(), record.start.to_string().into());
    fields.insert("limits".to_owned(), wish.limits.unwrap_or_default());
    let desk = &shared.searches.desk;
    // What is said beyond the values may take as long as the search.
    let most = desk.most() / 2;
    let limits = analyse::read(&fields)?.limits.limits(most);
    let agent = desk.agent(&agent, rules).map_err(|why| Refused::field("agent", why))?;
    let mut policy = agent.policy();
    if !weighs(&mut *policy, rules.shape) {
        return Err(Refused::field("agent", format!("{} does not weigh moves", agent.text())));
    }
    let limits = bounded(policy.limits(), limits, most);
    Ok((record, format, Eye::Agent(agent, limits)))
}

/// The truth where it is known; nothing is known of games from positions that no game gets to.
fn usual(shared: &Shared, record: &Record) -> &'static str {
    let known = |table: Arc<Table>| table.contains(record.start).unwrap_or(false);
    let exact = shared.tables.score(record.rules()).is_ok_and(known);
    if exact { EXACT } else { usual_agent(record.rules().shape) }
}
