//! The metrics of runs: lines that were written, and lines as they are written.

use std::fmt::Write as _;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path as FsPath;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Shared;
use super::refuse::Refused;
use super::route::{Options, Path};
use super::runs::blocking;

/// Lines in one answer.
const MOST: usize = 2_000;
/// How often a run's file is looked at.
const PULSE: Duration = Duration::from_millis(500);
/// Silence for so many pulses is broken by a remark, so that a dead connection is noticed.
const SILENCE: u32 = 30;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct After {
    after: Option<usize>,
}

pub(super) async fn get(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    Options(After { after }): Options<After>,
) -> Result<Json<Value>, Refused> {
    blocking(move || {
        let path = shared.runs.find(&name)?.0.metrics_path();
        let lines = lines(&path);
        let after = after.unwrap_or(0);
        // A run that goes on from a checkpoint writes part of its lines again.
        let restart = after > lines.len();
        let from = if restart { 0 } else { after };
        let next = (from + MOST).min(lines.len());
        let more = next < lines.len();
        let part = &lines[from..next];
        Ok(Json(json!({"lines": part, "next": next, "restart": restart, "more": more})))
    })
    .await?
}

/// All whole lines of a file that are JSON; a file that is not there has none.
fn lines(path: &FsPath) -> Vec<Value> {
    let text = std::fs::read(path).unwrap_or_default();
    let end = text.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    let parsed = text[..end].split(|byte| *byte == b'\n').map(serde_json::from_slice);
    parsed.filter_map(Result::ok).collect()
}

/// The last whole line that is JSON, without reading all of the file.
pub(super) fn last_line(path: &FsPath) -> Option<Value> {
    const TAIL: u64 = 64 << 10;
    let mut file = std::fs::File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut text = Vec::new();
    file.take(TAIL).read_to_end(&mut text).ok()?;
    let end = text.iter().rposition(|byte| *byte == b'\n')?;
    text[..end].rsplit(|byte| *byte == b'\n').find_map(|line| serde_json::from_slice(line).ok())
}

/// What the stream of a run has told so far.
struct Told {
    lines: usize,
    state: Option<(&'static str, Option<u64>)>,
    silent: u32,
}

pub(super) async fn live(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    Options(After { after }): Options<After>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    shared.runs.find(&name)?;
    let place = Arc::clone(&shared.streams).try_acquire_owned();
    let place = place.map_err(|_| Refused::busy("too many streams at once"))?;
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let told = Told { lines: last.or(after).unwrap_or(0), state: None, silent: SILENCE };
    let state = (told, shared.halt.clone(), place);
    let body = futures_util::stream::unfold(state, move |(mut told, mut halt, place)| {
        let (shared, name) = (Arc::clone(&shared), name.clone());
        async move {
            loop {
                let (text, now) = {
                    let (shared, name) = (Arc::clone(&shared), name.clone());
                    blocking(move || news(&shared, &name, told)).await.ok()??
                };
                told = now;
                if !text.is_empty() {
                    let text = Bytes::from(text);
                    return Some((Ok::<_, std::convert::Infallible>(text), (told, halt, place)));
                }
                tokio::select! {
                    () = tokio::time::sleep(PULSE) => {}
                    () = halt.wait() => return None,
                }
            }
        }
    });
    let media = [(header::CONTENT_TYPE, "text/event-stream")];
    Ok((media, Body::from_stream(body)).into_response())
}

/// The events since the last look; `None` when the run is gone.
fn news(shared: &Shared, name: &str, mut told: Told) -> Option<(String, Told)> {
    let path = shared.runs.find(name).ok()?.0.metrics_path();
    let lines = lines(&path);
    if lines.len() < told.lines {
        told.lines = 0;
    }
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate().skip(told.lines).take(MOST) {
        // Writing into a string cannot fail.
        let _ = write!(text, "event: metrics\nid: {}\ndata: {line}\n\n", index + 1);
        told.lines = index + 1;
    }
    let state = shared.runs.summary(name).ok()?.state();
    if told.state != Some(state) {
        let object = json!({"state": state.0, "games": state.1});
        let _ = write!(text, "event: state\ndata: {object}\n\n");
        told.state = Some(state);
    }
    told.silent = if text.is_empty() { told.silent + 1 } else { 0 };
    if told.silent >= SILENCE {
        text += ": still here\n\n";
        told.silent = 0;
    }
    Some((text, told))
}
