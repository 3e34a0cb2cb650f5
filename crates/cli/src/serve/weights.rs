//! `GET /api/runs/{name}/weights`: what the weights of a run's newest checkpoint look like.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use maxtile_lab::training::latest_network;
use maxtile_ntuple::{TableStatistics, statistics, statistics_of};
use serde::Serialize;

use super::Shared;
use super::refuse::Refused;
use super::route::Path;

/// Parts of a histogram.
const PARTS: usize = 32;
/// Answers that are kept: a network is read once for all who ask.
const KEPT: usize = 16;

/// The answers that are kept as they are sent, and the place of the one who reads weights.
#[derive(Default)]
pub(super) struct Weights {
    kept: Mutex<Vec<(Checkpoint, Bytes)>>,
    /// A file may be gigabytes: one at a time is read.
    reading: Arc<tokio::sync::Mutex<()>>,
}

/// The file of a checkpoint and when it was written.
type Checkpoint = (PathBuf, SystemTime);

#[derive(Serialize)]
struct Answer {
    games: u64,
    tables: Vec<TableLine>,
}

/// One table. Mean and the rest are about weights that are not 0.
#[derive(Serialize)]
struct TableLine {
    table: String,
    stage: usize,
    cells: Option<String>,
    count: u64,
    nonzero: u64,
    /// Weights that are no numbers.
    wild: u64,
    mean: Option<f64>,
    std: Option<f64>,
    min: Option<f32>,
    max: Option<f32>,
    histogram: Vec<u64>,
}

impl From<TableStatistics> for TableLine {
    fn from(found: TableStatistics) -> TableLine {
        let TableStatistics { name, stage, cells, count, nonzero, wild, learned } = found;
        let number = |of: fn(&maxtile_ntuple::Learned) -> f64| learned.as_ref().map(of);
        TableLine {
            table: name,
            stage,
            cells,
            count,
            nonzero,
            wild,
            mean: number(|learned| learned.mean),
            std: number(|learned| learned.std),
            min: learned.as_ref().map(|learned| learned.min),
            max: learned.as_ref().map(|learned| learned.max),
            histogram: learned.map(|learned| learned.histogram).unwrap_or_default(),
        }
    }
}

impl Weights {
    fn of(&self, checkpoint: &Checkpoint) -> Option<Bytes> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|(other, _)| other == checkpoint);
        found.map(|(_, answer)| answer.clone())
    }

    fn keep(&self, checkpoint: Checkpoint, answer: Bytes) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((checkpoint, answer));
    }
}

/// The tables of a network of tuples, the tensors of a neural one.
fn tables(file: &std::path::Path) -> Option<Vec<TableStatistics>> {
    if maxtile_neural::about(file).ok()?.is_none() {
        return statistics(file, PARTS).ok();
    }
    let (weights, _) = maxtile_neural::Weights::load(file).ok()?;
    let table = |tensor: &maxtile_neural::Tensor| {
        statistics_of(tensor.spec.name.clone(), &tensor.numbers, PARTS)
    };
    Some(weights.tensors().iter().map(table).collect())
}

pub(super) async fn get(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Response, Refused> {
    // The place goes with the work, which goes on when the client does not.
    let place = Arc::clone(&shared.weights.reading).lock_owned().await;
    let work = move || -> Result<Bytes, Refused> {
        let _place = place;
        let (folder, _) = shared.runs.find(&name)?;
        let none = || Refused::conflict(format!("{name} has no checkpoint yet"));
        let checkpoint = latest_network(folder.path()).ok().flatten().ok_or_else(none)?;
        if let Some(answer) = shared.weights.of(&checkpoint) {
            return Ok(answer);
        }
        // A checkpoint may be damaged, or gone by now; another follows.
        let tables = tables(&checkpoint.0).ok_or_else(|| {
            Refused::conflict(format!("the newest checkpoint of {name} is damaged"))
        })?;
        let folder = checkpoint.0.parent().and_then(|folder| folder.file_name()?.to_str());
        let games = folder.and_then(|folder| folder.strip_prefix("checkpoint-")?.parse().ok());
        let tables = tables.into_iter().map(TableLine::from).collect();
        let answer = serde_json::to_vec(&Answer { games: games.unwrap_or(0), tables });
        let answer = Bytes::from(answer.map_err(Refused::ours)?);
        shared.weights.keep(checkpoint, answer.clone());
        Ok(answer)
    };
    let done = tokio::task::spawn_blocking(work).await;
    let answer = done.map_err(|_| Refused::ours("the weights could not be read"))??;
    Ok(([(header::CONTENT_TYPE, "application/json")], answer).into_response())
}
