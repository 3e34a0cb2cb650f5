//! What this server is: `/api/about`, `/api/published`, `/api/openapi.json`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use maxtile_game::Shape;
use maxtile_lab::experiments::{Experiment, NAMED_EXPERIMENTS};
use maxtile_lab::protocol::usual_agent;
use maxtile_lab::{AGENTS, BUILT_IN, DEFAULT_NETWORK, Kind, default_about};
use maxtile_solve::Aim;
use serde_json::{Map, Value, json};

use super::Shared;
use super::input::LONG;
use super::players::EXACT;
use super::tables::{Readiness, Tables};

/// The description of this interface for programs.
pub(super) const OPENAPI: &str = include_str!("../../openapi.json");
/// The boards that are offered to play on.
const BOARDS: [&str; 9] = ["2x2", "2x3", "3x2", "2x4", "4x2", "3x3", "3x4", "4x3", "4x4"];

pub(super) async fn get(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let ready = |name: &str| {
        let shape = Tables::shape(name);
        shape.is_ok_and(|shape| shared.tables.readiness(shape, Aim::Score) == Readiness::Ready)
    };
    let usual = |name: &&str| {
        let agent =
            if ready(name) { EXACT } else { usual_agent(name.parse().unwrap_or(Shape::CLASSIC)) };
        ((*name).to_owned(), Value::from(agent))
    };
    let default_agent: Map<String, Value> = BOARDS.iter().map(usual).collect();
    let notes = default_about().map(|(about, _)| about.notes).unwrap_or_default();
    let agents = AGENTS.iter().map(|agent| {
        // No file can be named over HTTP.
        let named = agent.parameters.iter().filter(|named| !matches!(named.kind, Kind::File));
        let parameters = named.map(|parameter| {
            let kind = parameter.kind.to_string();
            json!({"name": parameter.name, "meaning": parameter.meaning, "kind": kind,
                "default": parameter.default})
        });
        json!({"name": agent.name, "summary": agent.meaning,
            "parameters": parameters.collect::<Vec<Value>>()})
    });
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "commit": option_env!("MAXTILE_COMMIT"),
        "default_agent": default_agent,
        "agents": agents.collect::<Vec<Value>>(),
        "values": BUILT_IN.iter().map(|value| json!({"name": value.name, "meaning": value.meaning}))
            .collect::<Vec<Value>>(),
        "networks": [{"name": "default", "notes": notes, "bytes": DEFAULT_NETWORK.len()}],
        "boards": BOARDS,
        "solved": BOARDS.iter().filter(|name| ready(name)).collect::<Vec<_>>(),
        "limits": {
            "max_ms": shared.searches.desk.most().as_millis() as u64,
            "max_body": LONG,
            "max_searches": shared.searches.threads,
        },
    }))
}

/// What the papers say, arm by arm.
pub(super) async fn published() -> Json<Value> {
    let mut curves = Vec::new();
    for (name, _) in NAMED_EXPERIMENTS {
        let Ok(experiment) = Experiment::named(name) else { continue };
        for arm in &experiment.arm {
            let known = experiment.published.iter();
            let known: Vec<_> =
                known.filter(|known| known.arm == arm.name && known.measure.is_none()).collect();
            let mut points: Vec<(u64, f64)> =
                known.iter().filter_map(|known| Some((known.games?, known.mean))).collect();
            points.sort_by_key(|point| point.0);
            if let Some(first) = known.first().filter(|_| !points.is_empty()) {
                let label = format!("{}: {}", experiment.title, arm.name);
                curves.push(json!({"system": name, "label": label, "points": points,
                    "source": first.source}));
            }
        }
    }
    Json(Value::Array(curves))
}

pub(super) async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}
