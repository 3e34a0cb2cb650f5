//! `/api/duel/{size}/{variant}`: how a duel ends when both sides play best, where that is known.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use maxtile_game::{DuelRules, Shape, Variant};
use maxtile_solve::Aim;
use serde::Serialize;

use super::Shared;
use super::duel_question::usual_duelist;
use super::explore::{effort, solve};
use super::refuse::Refused;
use super::route::Path;
use super::tables::{Readiness, Tables};

#[derive(Serialize)]
pub(super) struct Verdict {
    size: String,
    variant: String,
    /// `none` where no complete analysis can be had here.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<u64>,
    /// What solving takes on two cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    /// The score from the empty board.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// The tile that can be forced; known on boards up to six cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    tile: Option<u32>,
    /// Who is asked when nobody says.
    default_agent: &'static str,
}

pub(super) async fn get(
    State(shared): State<Arc<Shared>>,
    Path((size, variant)): Path<(String, String)>,
) -> Result<Json<Verdict>, Refused> {
    let rules = read(&size, &variant)?;
    // Small boards are solved now, and whoever comes meanwhile waits.
    let _place = shared.lookups.acquire().await;
    let home = Arc::clone(&shared);
    let found = tokio::task::spawn_blocking(move || verdict(&home, rules)).await;
    found.unwrap_or_else(|_| Err(Refused::ours("the duel could not be looked at"))).map(Json)
}

pub(super) async fn build(
    State(shared): State<Arc<Shared>>,
    Path((size, variant)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let rules = read(&size, &variant)?;
    solve(&shared, Tables::shape(&size)?, Aim::duel(rules.variant))
}

fn read(size: &str, variant: &str) -> Result<DuelRules, Refused> {
    let shape: Shape = size.parse().map_err(Refused::not_found)?;
    let variant: Variant = variant.parse().map_err(Refused::not_found)?;
    Ok(DuelRules { shape, variant, ..DuelRules::default() })
}

fn verdict(shared: &Shared, rules: DuelRules) -> Result<Verdict, Refused> {
    let DuelRules { shape, variant, .. } = rules;
    let mut verdict = Verdict {
        size: shape.to_string(),
        variant: variant.to_string(),
        state: "none",
        states: None,
        seconds: None,
        score: None,
        tile: None,
        default_agent: usual_duelist(rules, &shared.tables),
    };
    if Tables::shape(&verdict.size).is_err() {
        return Ok(verdict);
    }
    let readiness = shared.tables.readiness(shape, Aim::duel(variant));
    let (states, seconds) = effort(shape);
    (verdict.state, verdict.states) = (readiness.name(), Some(states));
    verdict.seconds = Some(seconds);
    if readiness == Readiness::Ready {
        verdict.score = shared.tables.duel(rules)?.header().value;
        verdict.tile = shared.tables.forced(rules);
    }
    Ok(verdict)
}
