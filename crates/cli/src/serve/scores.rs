//! `/api/explore/{size}/scores`: which scores the best player makes on a solved board, and how often.
//!
//! On boards of eight cells it takes seconds at most and is done when somebody asks; on larger ones it
//! is done on request, with progress. What takes more than a moment is kept in the data folder.

use std::collections::HashMap;
use std::path::{Path as FsPath, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use maxtile_game::{Rules, Shape};
use maxtile_solve::{Aim, Bars, Distribution, Progress, Watch};
use serde::Serialize;
use serde_json::json;

use super::Shared;
use super::lines::stream;
use super::refuse::Refused;
use super::route::Path;
use super::tables::Tables;
use crate::files::replace;
use crate::solve::AT_ONCE;

/// Boards of at most this many cells are followed when somebody asks.
const SOON: usize = 8;
/// The most bars of an answer.
const BARS: u32 = 100;
/// What is left out at either end of the bars.
const TAIL: f64 = 0.001;
/// The parts of games that the quantiles are about.
const PARTS: [f64; 7] = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99];

/// The distributions that are known.
pub(super) struct Scores {
    folder: PathBuf,
    known: Mutex<HashMap<Shape, Arc<Distribution>>>,
    /// Held while a board is followed for somebody who waits: others who want it wait and find it done,
    /// those who want another board do not.
    soon: Mutex<HashMap<Shape, Arc<tokio::sync::Mutex<()>>>>,
}

#[derive(Serialize)]
pub(super) struct Answer {
    size: String,
    exact: bool,
    mean: f64,
    std: f64,
    /// How many different scores there are, the smallest and the largest.
    scores: usize,
    least: u32,
    most: u32,
    /// A part of games, and the score it does not exceed.
    quantiles: Vec<(f64, u32)>,
    /// Where the first bar begins, how wide bars are, the probability of each and of what they leave out.
    from: u32,
    width: u32,
    shares: Vec<f64>,
    below: f64,
    above: f64,
}

impl Scores {
    pub(super) fn new(data: &FsPath) -> Scores {
        let (known, soon) = Default::default();
        Scores { folder: data.join("solved"), known, soon }
    }

    fn turn(&self, shape: Shape) -> Arc<tokio::sync::Mutex<()>> {
        let mut soon = self.soon.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(soon.entry(shape).or_default())
    }

    fn file(&self, shape: Shape) -> PathBuf {
        self.folder.join(format!("{shape}-scores.json"))
    }

    /// The distribution, if it was worked out before. A file that is not a distribution is none.
    fn known(&self, shape: Shape) -> Option<Arc<Distribution>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&shape) {
            return Some(Arc::clone(found));
        }
        let scores = serde_json::from_slice(&std::fs::read(self.file(shape)).ok()?).ok()?;
        let found = Arc::new(Distribution::new(scores)?);
        known.insert(shape, Arc::clone(&found));
        Some(found)
    }

    /// Works the distribution out and keeps it.
    fn follow(
        &self,
        tables: &Tables,
        shape: Shape,
        watch: Watch<'_>,
    ) -> Result<Arc<Distribution>, Refused> {
        let visits = tables.score(Rules::of(shape))?.visits(true, watch)?;
        let found = Distribution::new(visits.scores);
        let found = Arc::new(found.ok_or_else(|| Refused::ours("no game ever ends"))?);
        if shape.cells() > AT_ONCE {
            let kept = serde_json::to_vec(found.scores()).map_err(std::io::Error::other);
            let kept = kept.and_then(|text| replace(&self.file(shape), &text));
            kept.map_err(|cause| {
                Refused::ours(format!("it cannot be kept: {}", crate::error::reason(&cause)))
            })?;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(shape, Arc::clone(&found));
        Ok(found)
    }
}

pub(super) async fn get(
    State(shared): State<Arc<Shared>>,
    Path(size): Path<String>,
) -> Result<Json<Answer>, Refused> {
    let shape = Tables::shape(&size)?;
    // The place goes with the work, which goes on when the client does not.
    let place = shared.scores.turn(shape).lock_owned().await;
    let done = tokio::task::spawn_blocking(move || {
        let _place = place;
        if let Some(found) = shared.scores.known(shape) {
            return Ok(found);
        }
        // A board that is not solved is refused in its own words.
        shared.tables.score(Rules::of(shape))?;
        if shape.cells() > SOON {
            let why = format!("the scores of {shape} are not worked out yet; POST does it once");
            return Err(Refused::conflict(why));
        }
        let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        shared.scores.follow(&shared.tables, shape, watch)
    });
    let found =
        done.await.map_err(|_| Refused::ours("the solved board could not be followed"))??;
    Ok(Json(answer(size, &found)))
}

pub(super) async fn post(
    State(shared): State<Arc<Shared>>,
    Path(size): Path<String>,
) -> Result<Response, Refused> {
    let shape = Tables::shape(&size)?;
    let home = Arc::clone(&shared);
    stream(&shared, move |lines| {
        let clock = Instant::now();
        let work = || -> Result<(), Refused> {
            if home.scores.known(shape).is_some() {
                return Ok(());
            }
            // One long work on solved boards at a time, whichever it is.
            let _claim = home.tables.begin(shape, Aim::Score)?;
            let progress = |progress: Progress| {
                let fraction = f64::from(progress.done) / f64::from(progress.layers.max(1));
                // Nobody there: the flag is set, and the work sees it.
                let _ = lines.send(&json!({"type": "progress", "fraction": fraction}));
            };
            let watch = Watch { progress: &progress, stop: &lines.stop };
            home.scores.follow(&home.tables, shape, watch).map(drop)
        };
        let seconds = || clock.elapsed().as_secs_f64();
        match work() {
            Ok(()) => lines.send(&json!({"type": "done", "size": size, "seconds": seconds()})),
            Err(refused) => lines.send(&json!({"type": "error", "error": refused.error})),
        }
    })
}

fn answer(size: String, known: &Distribution) -> Answer {
    let (low, high) = (known.quantile(TAIL), known.quantile(1.0 - TAIL));
    let Bars { from, width, shares } = known.bars(low, high, BARS);
    let end = u64::from(from) + u64::from(width) * shares.len() as u64;
    let sum = |outside: &dyn Fn(u32) -> bool| -> f64 {
        known.scores().iter().filter(|score| outside(score.0)).map(|score| score.1).sum()
    };
    Answer {
        size,
        exact: true,
        mean: known.mean(),
        std: known.deviation(),
        scores: known.scores().len(),
        least: known.scores().first().map_or(0, |first| first.0),
        most: known.scores().last().map_or(0, |last| last.0),
        quantiles: PARTS.iter().map(|&part| (part, known.quantile(part))).collect(),
        below: sum(&|score| score < from),
        above: sum(&|score| u64::from(score) >= end),
        from,
        width,
        shares,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_scores_are_believed_when_they_are_a_distribution() {
        let folder = tempfile::tempdir().unwrap();
        let shape: Shape = "3x3".parse().unwrap();
        std::fs::create_dir(folder.path().join("solved")).unwrap();
        let file = folder.path().join("solved/3x3-scores.json");
        for bad in ["", "[[0,0.5]]", "[[4,0.5],[0,0.5]]", "[[0,1.0]"] {
            std::fs::write(&file, bad).unwrap();
            assert!(Scores::new(folder.path()).known(shape).is_none(), "{bad}");
        }
        std::fs::write(&file, "[[0,0.25],[400,0.5],[4000,0.25]]").unwrap();
        let scores = Scores::new(folder.path());
        assert_eq!(scores.known(shape).unwrap().mean(), 1200.0);
        let all = answer("3x3".to_owned(), &scores.known(shape).unwrap());
        assert_eq!((all.least, all.most, all.scores), (0, 4000, 3));
        assert!((all.shares.iter().sum::<f64>() + all.below + all.above - 1.0).abs() < 1e-12);
    }
}
