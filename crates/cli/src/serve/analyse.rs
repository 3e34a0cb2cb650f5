//! `POST /api/analyse`: one question of the protocol, one answer.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use maxtile_lab::protocol::{Answer, BAD_ID, Query, good_id};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Shared;
use super::input::{Input, SHORT};
use super::players::EXACT;
use super::refuse::Refused;

/// The longest text of a position: a drawn board has some 300 characters.
const POSITION: usize = 1000;

/// An answer and who gave it.
#[derive(Serialize)]
pub(super) struct Answered {
    #[serde(flatten)]
    answer: Answer,
    agent: String,
}

pub(super) async fn post(
    State(shared): State<Arc<Shared>>,
    Input(fields): Input<SHORT>,
) -> Result<Json<Answered>, Refused> {
    let query = read(&fields)?;
    let agent = shared.searches.desk.agent_of(&query).to_owned();
    let answer = if agent.trim() == EXACT {
        tokio::task::spawn_blocking(move || exact(&shared, &query))
            .await
            .map_err(|_| Refused::ours("the solved board could not be asked"))??
    } else {
        shared.searches.ask(query).await?
    };
    Ok(Json(Answered { answer, agent }))
}

/// A query about one position, with an id or without.
pub(super) fn read(fields: &Map<String, Value>) -> Result<Query, Refused> {
    for name in ["position", "start"] {
        let text = fields.get(name).and_then(Value::as_str).unwrap_or_default();
        if text.len() > POSITION {
            return Err(Refused::field(name, format!("a position has at most {POSITION} bytes")));
        }
    }
    let id = match fields.get("id") {
        None | Some(Value::Null) => Value::Null,
        Some(id) if good_id(id) => id.clone(),
        Some(_) => return Err(Refused::field("id", BAD_ID)),
    };
    let mut query = Query::of(fields, id)?;
    if query.turns.len() != 1 {
        return Err(Refused::field("turns", "one turn at a time"));
    }
    // There is one answer and no place for others.
    query.report_every = None;
    Ok(query)
}

fn exact(shared: &Shared, query: &Query) -> Result<Answer, Refused> {
    let table = shared.tables.score(query.rules);
    let table = table.map_err(|refused| Refused { field: "agent".into(), ..refused })?;
    let (turn, board) = query.turns[0];
    let mut answer = Answer::exact(&table.query(board)?);
    (answer.id, answer.turn) = (query.id.clone(), Some(turn));
    answer.partial = Some(false);
    answer.warnings.clone_from(&query.warnings);
    Ok(answer)
}
