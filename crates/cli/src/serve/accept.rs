//! Connections: how many, how long a client may take over its headers, and how they end.
//!
//! The loop is our own because the library's keeps a half-sent request for ever.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::Halt;

/// Connections at once; more wait until one ends.
const CONNECTIONS: usize = 1024;
/// The headers of a request, and the next request on an idle connection, come within this time.
const HEADERS: Duration = Duration::from_secs(5);
/// The longest head of a request.
const HEAD: usize = 32 << 10;
/// How long answers under way may take after the server was asked to stop.
const FAREWELL: Duration = Duration::from_secs(2);

/// Serves until asked to stop.
pub(super) async fn accept(listener: TcpListener, router: Router, mut halt: Halt) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    loop {
        let next = async {
            let permit = Arc::clone(&room).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            next = next => next,
            () = halt.wait() => break,
        };
        let (Ok(permit), Ok((stream, _))) = (permit, accepted) else {
            // Too many open files, or a client that went away while it came: try again soon.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADERS)
            .max_buf_size(HEAD)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router.clone()));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // What goes wrong on a connection is its client's affair.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(FAREWELL, graceful.shutdown()).await;
}
