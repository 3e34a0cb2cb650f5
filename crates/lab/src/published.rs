//! Complete analyses as they were published, against ours.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use maxtile_solve::{Aim, Analysis, Progress, Region, Watch};

/// One published number and ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Against {
    /// What is counted or computed.
    pub what: String,
    /// As it was printed.
    pub published: String,
    /// As we find it, to as many digits as ours are good for.
    pub ours: String,
    /// Do they agree to the printed digits?
    pub agrees: bool,
}

impl Against {
    fn count(what: &str, published: u64, ours: u64) -> Against {
        let (what, agrees) = (what.to_owned(), published == ours);
        Against { what, published: published.to_string(), ours: ours.to_string(), agrees }
    }

    /// A number that was printed rounded to so much.
    fn about(what: &str, published: f64, rounded: f64, ours: f64) -> Against {
        let agrees = (published - ours).abs() <= rounded / 2.0;
        let (published, ours) = (format!("{published}"), format!("{ours:.6}"));
        Against { what: what.to_owned(), published, ours, agrees }
    }
}

/// The complete analysis of 3×3 by Yamashita (2022): its counts, and the value of the start, printed
/// as about 5,470. `None` when it was stopped.
pub fn yamashita_2022(threads: usize, watch: Watch<'_>) -> Option<Vec<Against>> {
    let region: Region = "3x3".parse().ok()?;
    let analysis = Analysis::new(&region, None, true, threads, watch)?;
    let totals = analysis.totals();
    let score = analysis.value(Aim::Score, 0.1, watch)?;
    Some(vec![
        Against::count("3x3 states", 48_713_519, totals.states),
        Against::count("3x3 afterstates", 31_431_374, totals.afterstates),
        Against::count("3x3 last tile sum", 2044, totals.last_sum.into()),
        Against::about("3x3 expected score", 5470.0, 10.0, score),
    ])
}

/// Published sizes of layers of 4×3 by tile sum.
const LAYERS_4X3: [(u32, u64); 13] = [
    (4, 22),
    (6, 72),
    (8, 172),
    (10, 366),
    (12, 739),
    (14, 1_337),
    (16, 2_307),
    (18, 3_812),
    (20, 6_186),
    (40, 148_006),
    (60, 759_221),
    (100, 3_716_734),
    (120, 6_050_674),
];

/// The layers of 4×3 that Yamashita counted, up to a tile sum. `None` when it was stopped.
pub fn yamashita_2023(most: u32, threads: usize, watch: Watch<'_>) -> Option<Vec<Against>> {
    let region: Region = "4x3".parse().ok()?;
    let enough = AtomicBool::new(false);
    let found = Mutex::new(Vec::new());
    let progress = |progress: Progress| {
        (watch.progress)(progress);
        if let Ok(mut found) = found.lock() {
            found.push((progress.sum, progress.states));
        }
        let stop = progress.sum >= most || watch.stop.load(Ordering::Relaxed);
        enough.store(stop, Ordering::Relaxed);
    };
    let until = Watch { progress: &progress, stop: &enough };
    // Stopped by ourselves: what was found on the way is what was wanted.
    let _ = Analysis::new(&region, None, true, threads, until);
    let found = found.into_inner().ok()?;
    let wanted = LAYERS_4X3.iter().filter(|layer| layer.0 <= most);
    let row = |&(sum, published): &(u32, u64)| {
        let ours = found.iter().find(|layer| layer.0 == sum)?.1;
        Some(Against::count(&format!("4x3 states of tile sum {sum}"), published, ours))
    };
    wanted.map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_layers_of_4x3_agree() {
        let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let rows = yamashita_2023(20, 2, watch).unwrap();
        assert_eq!(rows.len(), 9);
        assert!(rows.iter().all(|row| row.agrees), "{rows:?}");
    }

    #[test]
    fn digits_that_were_not_printed_do_not_count() {
        assert!(Against::about("x", 5470.0, 10.0, 5468.487).agrees);
        assert!(!Against::about("x", 5470.0, 1.0, 5468.487).agrees);
    }
}
