//! `maxtile serve`: the page and the interface for programs, over HTTP.
//!
//! | module | what it is |
//! |---|---|
//! | `accept` | connections: bounds, timeouts, the end |
//! | `guard` | Host and Origin, security headers, the time of a request |
//! | `input`, `route`, `refuse` | bodies, paths and queries; the sentence for what is wrong with them |
//! | `pages` | the files of the page, out of the program |
//! | `searches`, `lines` | threads that search, with a queue; answers in many lines |
//! | `players` | which agents a client may name |
//! | `about`, `analyse`, `play`, `review`, `records`, `duel`, `explore`, `runs`, `metrics`, `weights` | the interface, a file each |
//! | `duel_question`, `verdicts` | what is asked about a duel; how it ends, where that is known |
//! | `tables`, `chances`, `scores` | solved boards; how likely tiles and scores are |

#![allow(clippy::unused_async, reason = "whoever answers requests is asynchronous by its type")]

mod about;
mod accept;
mod analyse;
mod chances;
mod duel;
mod duel_question;
mod explore;
mod guard;
mod input;
mod lines;
mod metrics;
mod pages;
mod play;
mod players;
mod records;
mod refuse;
mod review;
mod route;
mod runs;
mod scores;
mod searches;
mod tables;
mod verdicts;
mod weights;

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use maxtile_lab::protocol::Desk;
use serde::Serialize;
use tokio::sync::{Semaphore, watch};

use crate::Verdict;
use crate::args::{Common, Serve};
use crate::error::{Stop, error, reason};
use crate::output::Output;
use crate::{data, interrupt};
use duel::Duelists;
use guard::Hosts;
use runs::Runs;
use scores::Scores;
use searches::Searches;
use tables::Tables;
use weights::Weights;

/// The port that is tried first.
const PORT: u16 = 2048;
/// How many ports after it are tried.
const TRIED: u16 = 50;
/// Streams at once: games, reviews, live metrics.
const STREAMS: usize = 64;
/// Reviews at once.
const REVIEWS: usize = 4;
/// Questions to solved boards at once; others wait.
const LOOKUPS: usize = 8;

/// What all requests share.
struct Shared {
    data: PathBuf,
    hosts: Hosts,
    searches: Searches,
    streams: Arc<Semaphore>,
    /// Reviews at once: each searches on all threads.
    reviews: Arc<Semaphore>,
    /// Questions to solved boards at once.
    lookups: Semaphore,
    tables: Arc<Tables>,
    duelists: Duelists,
    scores: Scores,
    runs: Arc<Runs>,
    weights: Arc<Weights>,
    halt: Halt,
}

/// Tells when the server is to stop.
#[derive(Clone)]
struct Halt(watch::Receiver<bool>);

impl Halt {
    async fn wait(&mut self) {
        // An error means that the sender is gone, and then so is the server.
        let _ = self.0.wait_for(|stop| *stop).await;
    }
}

/// The routes, as a router and as a list: the test of `openapi.json` compares it with the list.
macro_rules! routes {
    ($($method:ident $path:literal $handler:expr;)+) => {
        #[cfg(test)]
        const ROUTES: &[(&str, &str)] = &[$((stringify!($method), $path)),+];

        fn router(shared: &Arc<Shared>) -> Router {
            let router = Router::new();
            $(let router = router.route($path, $method($handler));)+
            let guarded = axum::middleware::from_fn_with_state(Arc::clone(shared), guard::guard);
            router
                .method_not_allowed_fallback(pages::not_allowed)
                .fallback(pages::get)
                .layer(guarded)
                .with_state(Arc::clone(shared))
        }
    };
}

routes! {
    get "/api/about" about::get;
    get "/api/openapi.json" about::openapi;
    get "/api/published" about::published;
    post "/api/analyse" analyse::post;
    post "/api/play" play::post;
    post "/api/review" review::post;
    post "/api/records" records::post;
    get "/api/records/{id}" records::get;
    post "/api/duel/analyse" duel::analyse;
    post "/api/duel/play" duel::play;
    get "/api/duel/{size}/{variant}" verdicts::get;
    post "/api/duel/{size}/{variant}/build" verdicts::build;
    get "/api/explore" explore::boards;
    post "/api/explore/{size}/build" explore::build;
    get "/api/explore/{size}/random" explore::random;
    get "/api/explore/{size}/disagreement" explore::disagreement;
    get "/api/explore/{size}/scores" scores::get;
    post "/api/explore/{size}/scores" scores::post;
    get "/api/explore/{size}/{position}" explore::state;
    get "/api/presets" runs::presets;
    get "/api/runs" runs::list;
    post "/api/runs" runs::post;
    get "/api/runs/{name}" runs::get;
    post "/api/runs/{name}/stop" runs::stop;
    post "/api/runs/{name}/resume" runs::resume;
    get "/api/runs/{name}/metrics" metrics::get;
    get "/api/runs/{name}/live" metrics::live;
    get "/api/runs/{name}/weights" weights::get;
}

#[derive(Serialize)]
struct Serving<'a> {
    r#type: &'static str,
    url: &'a str,
}

pub(crate) fn run(args: &Serve, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    let data = data::folder()?;
    let (listener, address) = bind(args, out)?;
    let open = !address.ip().is_loopback();
    if open {
        out.talk(format!(
            "warning: everybody who reaches {address} can use this server, its searches and its runs"
        ));
    }
    let stop = interrupt::flag();
    let (halt, halted) = watch::channel(false);
    let tables = Arc::new(Tables::new(&data));
    let most = Duration::from_millis(args.max_ms.into());
    let (folder, solved) = (data.clone(), Arc::clone(&tables));
    let home = data.clone();
    let desk = Desk::new(None, most)
        .opening(Box::new(move |text, rules| players::open(text, rules, &folder, &solved, most)))
        .renewing(Box::new(move |text| players::edition(text, &home)));
    let shared = Arc::new(Shared {
        hosts: Hosts::new(&args.host, open),
        searches: Searches::new(desk, common.threads()),
        streams: Arc::new(Semaphore::new(STREAMS)),
        reviews: Arc::new(Semaphore::new(REVIEWS)),
        lookups: Semaphore::new(LOOKUPS),
        tables,
        duelists: Duelists::default(),
        scores: Scores::new(&data),
        runs: Arc::new(Runs::new(&data)),
        weights: Arc::default(),
        halt: Halt(halted),
        data,
    });
    let failed = |cause: io::Error| error(format!("cannot serve: {}", reason(&cause)));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(failed)?;
    let url = url(&args.host, address);
    out.text(&url)?;
    out.object(&Serving { r#type: "serving", url: &url })?;
    out.flush()?;
    if args.open {
        show(&url, out);
    }
    runtime
        .block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                let _ = halt.send(true);
            });
            accept::accept(listener, router(&shared), shared.halt.clone()).await;
            io::Result::Ok(())
        })
        .map_err(failed)?;
    // Work that nobody waits for any more is not waited for either.
    runtime.shutdown_background();
    Ok(Verdict::Done)
}

/// Listens on the port that was asked for, or on the first free one.
fn bind(args: &Serve, out: &Output) -> Result<(TcpListener, SocketAddr), Stop> {
    let host = args.host.trim_matches(['[', ']']);
    let listen = |port: u16| -> io::Result<(TcpListener, SocketAddr)> {
        let addresses: Vec<SocketAddr> = (host, port).to_socket_addrs()?.collect();
        let listener = TcpListener::bind(&addresses[..])?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    let failed = |port: u16, cause: &io::Error| {
        let stop = error(format!("cannot listen on {host}:{port}: {}", reason(cause)));
        match cause.kind() {
            io::ErrorKind::AddrInUse => stop.hint("--port 0 takes any free port"),
            _ => stop,
        }
    };
    if let Some(port) = args.port {
        return listen(port).map_err(|cause| failed(port, &cause));
    }
    let mut first = None;
    for port in PORT..=PORT + TRIED {
        match listen(port) {
            Ok(found) => {
                if port != PORT {
                    out.talk(format!("port {PORT} is taken, {port} is free"));
                }
                return Ok(found);
            }
            Err(cause) if cause.kind() == io::ErrorKind::AddrInUse => first = first.or(Some(cause)),
            Err(cause) => return Err(failed(port, &cause)),
        }
    }
    Err(failed(PORT, &first.unwrap_or_else(|| io::ErrorKind::AddrInUse.into())))
}

/// The address to type. Where the server listens on all addresses, this machine's own is one of them.
fn url(host: &str, address: SocketAddr) -> String {
    let port = address.port();
    let host = host.trim_matches(['[', ']']);
    match host.parse::<std::net::IpAddr>() {
        Ok(ip) if ip.is_unspecified() => format!("http://localhost:{port}/"),
        Ok(std::net::IpAddr::V6(ip)) => format!("http://[{ip}]:{port}/"),
        _ => format!("http://{host}:{port}/"),
    }
}

/// Opens the page in the browser, if the system knows how.
fn show(url: &str, out: &Output) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[url])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", "", url])
    } else {
        ("xdg-open", &[url])
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        out.talk(format!("no browser could be opened; go to {url}"));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::{ROUTES, about, url};

    #[test]
    fn the_description_names_every_route_and_no_other() {
        let described: Value = serde_json::from_str(about::OPENAPI).unwrap();
        let paths = described["paths"].as_object().unwrap().iter();
        let described: BTreeSet<(String, String)> = paths
            .flat_map(|(path, methods)| {
                let methods = methods.as_object().unwrap().keys();
                methods.map(|method| (method.clone(), path.clone()))
            })
            .collect();
        let owned = |(method, path): &(&str, &str)| ((*method).to_owned(), (*path).to_owned());
        assert_eq!(described, ROUTES.iter().map(owned).collect());
    }

    #[test]
    fn every_reference_of_the_description_leads_somewhere() {
        let described: Value = serde_json::from_str(about::OPENAPI).unwrap();
        for part in about::OPENAPI.split("\"#").skip(1) {
            let pointer = part.split('"').next().unwrap();
            assert!(described.pointer(pointer).is_some(), "{pointer}");
        }
    }

    #[test]
    fn addresses_to_type() {
        let shown = |host: &str, address: &str| url(host, address.parse().unwrap());
        assert_eq!(shown("127.0.0.1", "127.0.0.1:80"), "http://127.0.0.1:80/");
        assert_eq!(shown("0.0.0.0", "0.0.0.0:80"), "http://localhost:80/");
        assert_eq!(shown("[::1]", "[::1]:80"), "http://[::1]:80/");
        assert_eq!(shown("box.lan", "10.0.0.1:80"), "http://box.lan:80/");
    }
}
