//! Solved boards: small ones worked out when they are asked about, larger ones in the data folder.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use maxtile_game::{DuelRules, Rules, Shape};
use maxtile_solve::{Aim, Header, Problem, Progress, Region, Table, TableError, Watch, build};

use super::refuse::Refused;
use crate::solve::AT_ONCE;

/// The boards that can be explored.
pub(super) const BOARDS: [&str; 6] = ["2x2", "2x3", "3x2", "2x4", "4x2", "3x3"];
/// Boards that stay open.
const KEPT: usize = 16;

/// The solved boards of this server.
pub(super) struct Tables {
    folder: PathBuf,
    open: Mutex<HashMap<String, Arc<Table>>>,
    building: Mutex<HashSet<(Shape, Aim)>>,
}

/// Marks a board as being built for as long as it lives.
pub(super) struct Building<'a>(&'a Tables, (Shape, Aim));

impl Drop for Building<'_> {
    fn drop(&mut self) {
        lock(&self.0.building).remove(&self.1);
    }
}

/// How far a board is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Readiness {
    Ready,
    Buildable,
    Building,
}

impl Readiness {
    /// As clients are told.
    pub(super) fn name(self) -> &'static str {
        match self {
            Readiness::Ready => "ready",
            Readiness::Building => "building",
            Readiness::Buildable => "buildable",
        }
    }
}

impl Tables {
    pub(super) fn new(data: &Path) -> Tables {
        let (open, building) = Default::default();
        Tables { folder: data.join("solved"), open, building }
    }

    /// A board that can be explored, by its name.
    pub(super) fn shape(name: &str) -> Result<Shape, Refused> {
        let unknown = || {
            Refused::not_found(format!(
                "the boards to explore are {}, not {name:?}",
                BOARDS.join(", ")
            ))
        };
        if BOARDS.contains(&name) { name.parse().map_err(|_| unknown()) } else { Err(unknown()) }
    }

    pub(super) fn readiness(&self, shape: Shape, aim: Aim) -> Readiness {
        if shape.cells() <= AT_ONCE || self.file(shape, aim).exists() {
            Readiness::Ready
        } else if lock(&self.building).contains(&(shape, aim)) {
            Readiness::Building
        } else {
            Readiness::Buildable
        }
    }

    /// The board solved for the score.
    pub(super) fn score(&self, rules: Rules) -> Result<Arc<Table>, Refused> {
        self.table(rules, Aim::Score)
    }

    /// The board solved against hostile spawns, where that takes no time.
    pub(super) fn hostile(&self, shape: Shape) -> Option<Arc<Table>> {
        self.table(Rules::of(shape), Aim::Hostile).ok()
    }

    /// The board solved for the score of a duel.
    pub(super) fn duel(&self, rules: DuelRules) -> Result<Arc<Table>, Refused> {
        let DuelRules { shape, variant, law } = rules;
        self.table(Rules { shape, law }, Aim::duel(variant))
    }

    /// The tile that the defender of a duel can force, where finding it takes no time.
    pub(super) fn forced(&self, rules: DuelRules) -> Option<u32> {
        let DuelRules { shape, variant, law } = rules;
        if shape.cells() > AT_ONCE {
            return None;
        }
        let table = self.table(Rules { shape, law }, Aim::forced(variant)).ok()?;
        Some(1 << table.header().value? as u32)
    }

    fn table(&self, rules: Rules, aim: Aim) -> Result<Arc<Table>, Refused> {
        let (shape, p4) = (rules.shape, rules.law.p4());
        Tables::shape(&shape.to_string()).map_err(|refused| Refused::conflict(refused.error))?;
        let key = format!("{shape} {aim} {p4}");
        // Whoever asks for the same board waits for it rather than making it twice.
        let mut open = lock(&self.open);
        if let Some(table) = open.get(&key) {
            return Ok(Arc::clone(table));
        }
        let table = if shape.cells() <= AT_ONCE {
            let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
            Table::in_memory(&problem(shape, aim, p4)?, 1, watch)?
        } else {
            let path = self.file(shape, aim);
            if rules.law != Rules::default().law {
                return Err(Refused::conflict(format!("{shape} is solved for p4 0.1 only")));
            }
            if !path.exists() {
                let (page, flag) = match aim.variant() {
                    Some(_) => ("Duel", format!(" --objective {aim}")),
                    None => ("Explore", String::new()),
                };
                return Err(Refused::conflict(format!(
                    "{shape} is not solved yet; the page {page} or maxtile solve {shape}{flag} does it once"
                )));
            }
            Table::open(&path)?
        };
        if open.len() >= KEPT {
            open.clear();
        }
        let table = Arc::new(table);
        open.insert(key, Arc::clone(&table));
        Ok(table)
    }

    /// Claims the building of a board.
    pub(super) fn begin(&self, shape: Shape, aim: Aim) -> Result<Building<'_>, Refused> {
        let mut building = lock(&self.building);
        if building.is_empty() {
            building.insert((shape, aim));
            return Ok(Building(self, (shape, aim)));
        }
        Err(Refused::conflict("a board is being solved already"))
    }

    /// Solves a board into the data folder; what was stopped is continued.
    pub(super) fn build(
        &self,
        shape: Shape,
        aim: Aim,
        progress: &(dyn Fn(Progress) + Sync),
        stop: &AtomicBool,
    ) -> Result<Header, String> {
        let problem = problem(shape, aim, Rules::default().law.p4());
        let problem = problem.map_err(|refused| refused.error)?;
        std::fs::create_dir_all(&self.folder).map_err(|cause| crate::error::reason(&cause))?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let watch = Watch { progress, stop };
        build(&problem, &self.file(shape, aim), threads, watch)
            .map_err(|cause: TableError| cause.to_string())
    }

    /// As `maxtile solve` names it.
    fn file(&self, shape: Shape, aim: Aim) -> PathBuf {
        self.folder.join(format!("{shape}-{aim}.mts"))
    }
}

fn problem(shape: Shape, aim: Aim, p4: f64) -> Result<Problem, Refused> {
    let region = Region::full(shape).map_err(Refused::conflict)?;
    Ok(Problem { region, goal: None, aim, p4, values: true })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
