//! `/api/runs`: training runs in the data folder, each a process of its own.
//!
//! A run is `maxtile train` with its lines going into a pipe that this server reads. Training saves and
//! ends when nobody reads its lines any more, so letting go of the pipe stops it, and the end of the
//! server, however it comes, does the same. What a run is, its folder says; only whether it runs is
//! known here alone.

use std::collections::BTreeMap;
use std::path::{Path as FsPath, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use maxtile_lab::training::{NAMED_RECIPES, Recipe, RunFolder, latest_network, named_recipe};
use maxtile_ntuple::{about, named};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::Notify;

use super::Shared;
use super::input::{Input, SHORT};
use super::metrics::last_line;
use super::players::is_name;
use super::refuse::Refused;
use super::route::Path;

/// Runs at once: each takes a thread at least, and much memory.
const AT_ONCE: usize = 2;
/// How long a run may take to save and end before its client is told that it is still at it.
const PATIENCE: Duration = Duration::from_secs(15);

/// How long a run may take to save and end before it is ended.
const FAREWELL: Duration = Duration::from_mins(2);

/// The runs that this server started.
pub(super) struct Runs {
    pub(super) folder: PathBuf,
    /// With what tells each to stop.
    active: Mutex<BTreeMap<String, Arc<Notify>>>,
    /// The last words of runs that failed.
    failed: Mutex<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    preset: String,
    name: Option<String>,
    #[serde(default)]
    set: BTreeMap<String, Value>,
}

#[derive(Serialize)]
pub(super) struct Summary {
    name: String,
    /// The board; `None` where only a file outside of the run says it.
    size: Option<String>,
    state: &'static str,
    recipe: Recipe,
    games: Option<u64>,
    total: u64,
    mean: Option<f64>,
    /// When the metrics last changed, seconds since 1970.
    updated: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Details {
    #[serde(flatten)]
    summary: Summary,
    origin: Value,
    checkpoints: Vec<CheckpointLine>,
}

#[derive(Serialize)]
struct CheckpointLine {
    games: u64,
    agent: String,
}

impl Runs {
    pub(super) fn new(data: &FsPath) -> Runs {
        let (active, failed) = Default::default();
        Runs { folder: data.join("runs"), active, failed }
    }

    fn is_active(&self, name: &str) -> bool {
        lock(&self.active).contains_key(name)
    }

    /// The folder of an existing run.
    pub(super) fn find(&self, name: &str) -> Result<(RunFolder, Recipe), Refused> {
        let unknown = || Refused::not_found("there is no such run");
        if !is_name(name) {
            return Err(unknown());
        }
        RunFolder::open(&self.folder.join(name)).map_err(|_| unknown())
    }

    pub(super) fn summary(&self, name: &str) -> Result<Summary, Refused> {
        let (folder, recipe) = self.find(name)?;
        let last = last_line(&folder.metrics_path());
        let number = |field: &str| last.as_ref().and_then(|line| line[field].as_f64());
        let games = number("games").map(|games| games as u64);
        let judged = number("positions").unwrap_or(0.0) as u64;
        let state = match games {
            _ if self.is_active(name) => "running",
            Some(games) if games >= recipe.games => "done",
            Some(_) if recipe.positions > 0 && judged >= recipe.positions => "done",
            _ => "stopped",
        };
        let updated = std::fs::metadata(folder.metrics_path()).and_then(|found| found.modified());
        let updated = updated.ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        Ok(Summary {
            name: name.to_owned(),
            size: recipe.board().or_else(|| learned_board(folder.path())),
            state,
            games,
            total: recipe.games,
            mean: number("mean"),
            updated: updated.map(|at| at.as_secs()),
            error: lock(&self.failed).get(name).cloned(),
            recipe,
        })
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten();
        let name =
            |entry: std::io::Result<std::fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
        let mut names: Vec<String> =
            entries.filter_map(name).filter(|name| is_name(name)).collect();
        names.sort();
        names
    }

    /// Starts `maxtile train` with these arguments and looks after it.
    fn start(self: &Arc<Self>, name: &str, arguments: &[String]) -> Result<(), Refused> {
        let mut active = lock(&self.active);
        if active.contains_key(name) {
            return Err(Refused::conflict(format!("{name} is running")));
        }
        if active.len() >= AT_ONCE {
            return Err(Refused::conflict(format!("{AT_ONCE} runs at once are enough")));
        }
        let failed = |cause: std::io::Error| {
            Refused::ours(format!("the run could not start: {}", crate::error::reason(&cause)))
        };
        let child = Command::new(std::env::current_exe().map_err(failed)?)
            .args(["train", "--json", "--quiet", "--color=never"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let stop = Arc::new(Notify::new());
        active.insert(name.to_owned(), Arc::clone(&stop));
        lock(&self.failed).remove(name);
        let (runs, name) = (Arc::clone(self), name.to_owned());
        tokio::spawn(async move {
            if let Some(words) = attend(child, &stop).await {
                lock(&runs.failed).insert(name.clone(), words);
            }
            lock(&runs.active).remove(&name);
        });
        Ok(())
    }

    async fn ended(&self, name: &str) {
        let clock = tokio::time::Instant::now();
        while self.is_active(name) && clock.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// The board of a run as its newest checkpoint has it.
fn learned_board(run: &FsPath) -> Option<String> {
    let (file, _) = latest_network(run).ok()??;
    Some(about(&file).ok()?.spec.board)
}

/// Reads the lines of a run until it ends or is to end; its last words if it failed.
async fn attend(mut child: Child, stop: &Notify) -> Option<String> {
    let (stdout, stderr) = (child.stdout.take()?, child.stderr.take()?);
    // All of it is read, or the run would wait for us; only the sentence at the end is kept.
    let words = tokio::spawn(async move {
        let (mut lines, mut last) = (BufReader::new(stderr).lines(), None);
        while let Ok(Some(line)) = lines.next_line().await {
            last = line.strip_prefix("error: ").map(str::to_owned).or(last);
        }
        last
    });
    let mut lines = BufReader::new(stdout).lines();
    let read = async { while let Ok(Some(_)) = lines.next_line().await {} };
    let stopped = tokio::select! {
        () = read => false,
        () = stop.notified() => true,
    };
    drop(lines);
    if stopped && tokio::time::timeout(FAREWELL, child.wait()).await.is_err() {
        // In the middle of something long that it does not talk about. Its last checkpoint is whole.
        let _ = child.start_kill();
    }
    let ended = child.wait().await;
    let words = words.await.ok().flatten();
    if stopped || ended.is_ok_and(|status| status.success()) {
        return None;
    }
    Some(words.unwrap_or_else(|| "the run ended without a word".to_owned()))
}

pub(super) async fn presets() -> Json<Value> {
    let preset = |(name, text): &(&str, &str)| {
        let recipe = Recipe::parse(text, &[]).ok()?;
        // The remark at the head of the recipe says what it is.
        let remark = text.lines().map_while(|line| line.strip_prefix('#'));
        let summary: Vec<&str> = remark.map(str::trim).collect();
        Some(json!({"name": name, "summary": summary.join(" "), "recipe": recipe}))
    };
    Json(NAMED_RECIPES.iter().filter_map(preset).collect())
}

pub(super) async fn list(State(shared): State<Arc<Shared>>) -> Result<Json<Vec<Summary>>, Refused> {
    let runs = Arc::clone(&shared.runs);
    let all = move || runs.names().iter().filter_map(|name| runs.summary(name).ok()).collect();
    blocking(all).await.map(Json)
}

pub(super) async fn get(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Json<Details>, Refused> {
    let runs = Arc::clone(&shared.runs);
    blocking(move || {
        let summary = runs.summary(&name)?;
        let folder = runs.folder.join(&name);
        let origin = std::fs::read(folder.join("origin.json")).ok();
        let origin = origin.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
        let games = |entry: std::io::Result<std::fs::DirEntry>| {
            let file = entry.ok()?.file_name().into_string().ok()?;
            let games = file.strip_prefix("checkpoint-")?.parse().ok()?;
            Some(CheckpointLine { games, agent: format!("greedy(net=runs/{name}/{file})") })
        };
        let entries = std::fs::read_dir(&folder).into_iter().flatten();
        let mut checkpoints: Vec<CheckpointLine> = entries.filter_map(games).collect();
        checkpoints.sort_by_key(|checkpoint| checkpoint.games);
        Ok(Json(Details { summary, origin, checkpoints }))
    })
    .await?
}

pub(super) async fn post(
    State(shared): State<Arc<Shared>>,
    input: Input<SHORT>,
) -> Result<Json<Value>, Refused> {
    let wish: Wish = input.read()?;
    let runs = Arc::clone(&shared.runs);
    let name = blocking(move || -> Result<String, Refused> {
        let changes = changes(&wish.set)?;
        let recipe = named_recipe(&wish.preset, &changes)
            .ok_or_else(|| {
                Refused::field("preset", format!("there is no recipe {:?}", wish.preset))
            })?
            .map_err(|cause| Refused::field("set", cause))?;
        recipe.rules().map_err(|cause| Refused::field("set", cause))?;
        let free = |name: &String| !runs.folder.join(name).exists();
        let name = match wish.name {
            Some(name) if !is_name(&name) => {
                let why = "a name has at most 64 letters, digits, and . - _ between them";
                return Err(Refused::field("name", why));
            }
            Some(name) if free(&name) => name,
            Some(name) => return Err(Refused::conflict(format!("there is a run {name} already"))),
            None => {
                let mut names = (1..10_000).map(|n| format!("{}-{n}", wish.preset));
                names.find(free).ok_or_else(|| Refused::conflict("there are too many runs"))?
            }
        };
        let folder = runs.folder.join(&name);
        std::fs::create_dir_all(&runs.folder).map_err(|cause| {
            Refused::ours(format!(
                "the folder of runs cannot be made: {}",
                crate::error::reason(&cause)
            ))
        })?;
        // The value stands in the same word as the flag: none can be taken for another flag.
        let mut arguments: Vec<String> = changes
            .iter()
            .map(|(key, value)| format!("--{}={value}", key.replace('_', "-")))
            .collect();
        arguments.push(format!("--out={}", folder.display()));
        arguments.push(wish.preset);
        runs.start(&name, &arguments)?;
        // A run that cannot begin says so at once; one that can has its folder soon.
        for _ in 0..100 {
            if folder.join("recipe.toml").exists() || !runs.is_active(&name) {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut failed = lock(&runs.failed);
        // One that failed later keeps its words: its summary tells them.
        match failed.get(&name).filter(|_| !folder.exists()).cloned() {
            Some(words) => {
                failed.remove(&name);
                Err(Refused::conflict(words))
            }
            None => Ok(name),
        }
    });
    Ok(Json(json!({"name": name.await??})))
}

/// The fields to change, as flags would give them.
fn changes(set: &BTreeMap<String, Value>) -> Result<Vec<(String, String)>, Refused> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut changes = Vec::new();
    for (key, value) in set {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return Err(Refused::field("set", format!("{key} is a text or a number"))),
        };
        if text.len() > 1000 || text.contains('\0') {
            return Err(Refused::field("set", format!("{key} is too long")));
        }
        match key.as_str() {
            // By name or as words of cells: no file is read.
            "network" if named(&text).is_none() && !is_words(&text) => {
                let why = "a network is a name, or tuples as words of hexadecimal cells";
                return Err(Refused::field("set", why));
            }
            "threads" if text.parse().is_ok_and(|count: usize| count > threads) => {
                return Err(Refused::field("set", format!("threads is at most {threads} here")));
            }
            _ => changes.push((key.clone(), text)),
        }
    }
    Ok(changes)
}

fn is_words(text: &str) -> bool {
    let cells = |word: &str| word.bytes().all(|byte| byte.is_ascii_hexdigit());
    !text.trim().is_empty() && text.split(' ').all(cells) && !FsPath::new(text).exists()
}

pub(super) async fn stop(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Refused> {
    shared.runs.find(&name)?;
    match lock(&shared.runs.active).get(&name) {
        Some(stop) => stop.notify_one(),
        None => return Err(Refused::conflict(format!("{name} is not running"))),
    }
    shared.runs.ended(&name).await;
    state(&shared, &name)
}

pub(super) async fn resume(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Refused> {
    let runs = Arc::clone(&shared.runs);
    let again = name.clone();
    blocking(move || -> Result<(), Refused> {
        let summary = runs.summary(&again)?;
        if summary.state == "done" {
            return Err(Refused::conflict(format!("{again} has learned all its games")));
        }
        runs.start(&again, &[format!("--resume={}", runs.folder.join(&again).display())])
    })
    .await??;
    state(&shared, &name)
}

fn state(shared: &Shared, name: &str) -> Result<Json<Value>, Refused> {
    let summary = shared.runs.summary(name)?;
    Ok(Json(json!({"name": name, "state": summary.state})))
}

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Refused> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Refused::ours("the work broke off"))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Summary {
    pub(super) fn state(&self) -> (&'static str, Option<u64>) {
        (self.state, self.games)
    }
}
