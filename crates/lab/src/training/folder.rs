//! A run's folder: the resolved recipe, where it came from, its metrics, its checkpoints.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::estimates::EstimateReport;
use super::recipe::{Recipe, RecipeError};
use super::report::{Report, ReportKind};
use crate::files::write_atomically;

/// Where a run came from: what somebody needs to run it again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The command line.
    pub command: Vec<String>,
    /// The version of the program.
    pub version: String,
    /// The commit it was built from, if known.
    pub commit: Option<String>,
    /// The machine: processor, threads, system.
    pub machine: String,
    /// When the run began, seconds since 1970.
    pub started: u64,
}

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Makes the folder of a new run. A folder that holds a run already is refused.
    pub fn create(path: &Path, recipe: &Recipe, origin: &Origin) -> Result<RunFolder, RunError> {
        let run = RunFolder { path: path.to_owned() };
        if run.recipe_path().exists() {
            return Err(RunError::Exists(path.to_owned()));
        }
        let failed = |cause| RunError::Io(path.to_owned(), cause);
        fs::create_dir_all(path).map_err(failed)?;
        let origin = serde_json::to_string_pretty(origin).map_err(io::Error::other);
        write_atomically(&path.join("origin.json"), origin.map_err(failed)?.as_bytes())
            .map_err(failed)?;
        write_atomically(&run.recipe_path(), recipe.to_toml().as_bytes()).map_err(failed)?;
        Ok(run)
    }

    /// The folder of an existing run with its recipe.
    pub fn open(path: &Path) -> Result<(RunFolder, Recipe), RunError> {
        let run = RunFolder { path: path.to_owned() };
        let text = fs::read_to_string(run.recipe_path()).map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                RunError::NotARun(path.to_owned())
            }
            _ => RunError::Io(run.recipe_path(), cause),
        })?;
        let recipe =
            Recipe::parse(&text, &[]).map_err(|e| RunError::Recipe(run.recipe_path(), e))?;
        Ok((run, recipe))
    }

    /// Claims the run for this process until the claim is dropped or the process ends, however it ends. Reading
    /// needs no claim.
    pub fn claim(&self) -> Result<File, RunError> {
        let path = self.path.join("lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|cause| RunError::Io(path, cause))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(RunError::Busy(self.path.clone())),
            // Some file systems have no locks: better no claim than no run.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn recipe_path(&self) -> PathBuf {
        self.path.join("recipe.toml")
    }

    /// The file of the metrics, JSON lines.
    pub fn metrics_path(&self) -> PathBuf {
        self.path.join("metrics.jsonl")
    }

    /// Appends lines to the metrics and gives the new length of the file.
    pub(super) fn append_metrics(&self, lines: &str) -> io::Result<u64> {
        let mut file = OpenOptions::new().create(true).append(true).open(self.metrics_path())?;
        file.write_all(lines.as_bytes())?;
        Ok(file.metadata()?.len())
    }

    fn metrics(&self) -> io::Result<String> {
        match std::fs::read_to_string(self.metrics_path()) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            other => other,
        }
    }

    /// The last line of the metrics, if there is one.
    pub(super) fn last_report(&self) -> io::Result<Option<Report>> {
        Ok(self.metrics()?.lines().last().and_then(|line| serde_json::from_str(line).ok()))
    }

    /// The last line about test games, if there is one.
    pub fn last_tested(&self) -> io::Result<Option<Report>> {
        let text = self.metrics()?;
        let reports = text.lines().rev().filter_map(|line| serde_json::from_str(line).ok());
        Ok(reports.into_iter().find(|report: &Report| report.r#type == ReportKind::Eval))
    }

    /// What values promised in the learning games since the last test games. From the file, so that a run that
    /// was stopped in between says the same.
    pub(super) fn estimates_since_test(&self) -> io::Result<Option<EstimateReport>> {
        let text = self.metrics()?;
        let reports = text.lines().rev().filter_map(|line| serde_json::from_str(line).ok());
        let blocks = reports.take_while(|report: &Report| report.r#type == ReportKind::Train);
        let (mut moves, mut estimate, mut realised) = (0, 0.0, 0.0);
        for block in blocks.filter_map(|report| report.estimates) {
            moves += block.moves;
            estimate += block.moves as f64 * block.estimate;
            realised += block.moves as f64 * block.realised;
        }
        Ok((moves > 0).then(|| EstimateReport::of_sums(moves, estimate, realised)))
    }

    /// Cuts off what was written after a checkpoint: it will be written again.
    pub(super) fn cut_metrics(&self, length: u64) -> io::Result<()> {
        match OpenOptions::new().write(true).open(self.metrics_path()) {
            Ok(file) if file.metadata()?.len() > length => file.set_len(length),
            Ok(_) => Ok(()),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound && length == 0 => Ok(()),
            Err(cause) => Err(cause),
        }
    }
}

/// Why a run cannot begin or go on.
#[derive(Debug)]
pub enum RunError {
    /// The folder holds a run already.
    Exists(PathBuf),
    /// The folder holds no run.
    NotARun(PathBuf),
    /// Another process is at it.
    Busy(PathBuf),
    /// The recipe in the folder is wrong.
    Recipe(PathBuf, RecipeError),
    /// A file could not be read or written.
    Io(PathBuf, io::Error),
    /// The network cannot be made or read.
    Network(String),
    /// There is no checkpoint to go on from, with what is wrong with those there are.
    NoCheckpoint(PathBuf, Vec<String>),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Exists(path) => write!(f, "{} holds a run already", path.display()),
            RunError::NotARun(path) => write!(f, "{} holds no run", path.display()),
            RunError::Busy(path) => {
                write!(f, "another process is training in {}", path.display())
            }
            RunError::Recipe(path, error) => write!(f, "{}: {error}", path.display()),
            RunError::Io(path, cause) => {
                let text = cause.to_string();
                let text = text.split(" (os error").next().unwrap_or(&text);
                write!(f, "{}: {}", path.display(), text.to_lowercase())
            }
            RunError::Network(why) => f.write_str(why),
            RunError::NoCheckpoint(path, reasons) => {
                write!(f, "{} holds no good checkpoint", path.display())?;
                reasons.iter().try_for_each(|reason| write!(f, "; {reason}"))
            }
        }
    }
}

impl std::error::Error for RunError {}
