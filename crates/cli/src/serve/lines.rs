//! Answers in many lines: JSON objects that are sent while the work goes on.
//!
//! The work runs on a thread of its own and waits when the client does not read. When the client goes
//! away, or the server stops, the work's flag is set and its next line is not taken any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::Shared;
use super::refuse::Refused;

/// Lines that wait for the client.
const AHEAD: usize = 16;
/// A client that takes no line for so long has forgotten us.
const PATIENCE: Duration = Duration::from_mins(10);

/// How soon a pause hears that nobody wants the rest.
const SLICE: Duration = Duration::from_millis(50);

/// Sets a flag when it goes away: held by whoever wants the result.
pub(super) struct StopOnDrop(pub(super) Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Where the lines of an answer go.
pub(super) struct Lines {
    sender: mpsc::Sender<Bytes>,
    runtime: Handle,
    /// Set when nobody wants the rest.
    pub(super) stop: Arc<AtomicBool>,
}

/// Nobody wants the rest.
pub(super) struct Gone;

impl Lines {
    /// Sends a line; waits while the client is behind.
    pub(super) fn send(&self, line: &impl Serialize) -> Result<(), Gone> {
        let mut text = serde_json::to_vec(line).map_err(|_| Gone)?;
        text.push(b'\n');
        let sent = tokio::time::timeout(PATIENCE, self.sender.send(text.into()));
        match self.runtime.block_on(sent) {
            Ok(Ok(())) if !self.stop.load(Ordering::Relaxed) => Ok(()),
            _ => Err(Gone),
        }
    }

    /// Does nothing for a while; less when nobody wants the rest.
    pub(super) fn pause(&self, time: Duration) -> Result<(), Gone> {
        let clock = Instant::now();
        while !self.stop.load(Ordering::Relaxed) {
            let left = time.saturating_sub(clock.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(SLICE));
        }
        Err(Gone)
    }
}

/// An answer of many lines by work that may take long.
pub(super) fn stream(
    shared: &Arc<Shared>,
    work: impl FnOnce(&Lines) -> Result<(), Gone> + Send + 'static,
) -> Result<Response, Refused> {
    let place = Arc::clone(&shared.streams).try_acquire_owned();
    let place = place.map_err(|_| Refused::busy("too many streams at once"))?;
    let (sender, receiver) = mpsc::channel(AHEAD);
    let stop = Arc::new(AtomicBool::new(false));
    let guard = StopOnDrop(Arc::clone(&stop));
    let lines = Lines { sender, runtime: Handle::current(), stop };
    tokio::task::spawn_blocking(move || {
        // A client that went away is no reason to complain.
        let _ = work(&lines);
        drop(place);
    });
    let state = (receiver, shared.halt.clone(), guard);
    let body = futures_util::stream::unfold(state, |(mut receiver, mut halt, guard)| async move {
        let line: Option<Bytes> = tokio::select! {
            line = receiver.recv() => line,
            () = halt.wait() => None,
        };
        Some((Ok::<_, std::convert::Infallible>(line?), (receiver, halt, guard)))
    });
    let media = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((media, Body::from_stream(body)).into_response())
}
