//! Complete analyses as they were published, against ours.

use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use maxtile_solve::{Aim, Analysis, LAYERS_4X3, Progress, Region, Watch};

use crate::figure::{CurvePoint, Figure, Mark, Series};

/// A published complete analysis.
pub struct Complete {
    /// Its name for `maxtile reproduce`.
    pub name: &'static str,
    /// Who and what.
    pub title: &'static str,
    /// Its scales: a name, and the largest tile sum that is counted.
    pub scales: &'static [(&'static str, u32)],
    run: fn(u32, usize, Watch<'_>) -> Option<(Vec<Against>, Figure)>,
}

/// All of them.
pub const COMPLETE: &[Complete] = &[
    Complete {
        name: "yamashita-2022",
        title: "Yamashita 2022: complete analysis of 3×3",
        scales: &[("full", 2044)],
        run: yamashita_2022,
    },
    Complete {
        name: "yamashita-2023",
        title: "Yamashita 2023: layers of 4×3",
        scales: &[("full", 120), ("small", 60), ("large", 200)],
        run: yamashita_2023,
    },
];

/// What came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Published numbers and ours.
    pub rows: Vec<Against>,
    /// The layers, drawn.
    pub figure: Figure,
}

impl Complete {
    /// Does the analysis again, as far as the scale goes; `None` when it was stopped or there is no
    /// such scale.
    pub fn run(&self, scale: &str, threads: usize, watch: Watch<'_>) -> Option<Found> {
        let &(_, most) = self.scales.iter().find(|known| known.0 == scale)?;
        let (rows, figure) = (self.run)(most, threads, watch)?;
        Some(Found { rows, figure })
    }

    /// The page about it, beside the picture of this name.
    pub fn page(&self, scale: &str, found: &Found, picture: &str) -> String {
        let mut text = format!("# {}\n\n", self.title);
        let scale = if scale == "full" { String::new() } else { format!(" --scale {scale}") };
        let _ = writeln!(text, "`maxtile reproduce {}{scale}`\n", self.name);
        text.push_str("| | paper | ours | verdict |\n|---|---:|---:|---|\n");
        for row in &found.rows {
            let ours = row.ours.as_deref().unwrap_or("-");
            let Against { what, published, .. } = row;
            let _ = writeln!(text, "| {what} | {published} | {ours} | {} |", row.verdict());
        }
        let _ = writeln!(text, "\n![{}]({picture})", found.figure.title);
        text
    }
}

/// One published number and ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Against {
    /// What is counted or computed.
    pub what: String,
    /// As it was printed.
    pub published: String,
    /// As we find it, to as many digits as ours are good for; nothing if it was not computed.
    pub ours: Option<String>,
    /// Do they agree to the printed digits?
    pub agrees: Option<bool>,
}

impl Against {
    fn count(what: &str, published: u64, ours: u64) -> Against {
        let agrees = Some(published == ours);
        let (published, ours) = (published.to_string(), Some(ours.to_string()));
        Against { what: what.to_owned(), published, ours, agrees }
    }

    /// A number that was printed rounded to so much.
    fn about(what: &str, published: f64, rounded: f64, ours: f64) -> Against {
        let agrees = Some((published - ours).abs() <= rounded / 2.0);
        let (published, ours) = (format!("{published}"), Some(format!("{ours:.6}")));
        Against { what: what.to_owned(), published, ours, agrees }
    }

    /// A number beyond what was computed.
    fn beyond(what: &str, published: &str) -> Against {
        let (what, published) = (what.to_owned(), published.to_owned());
        Against { what, published, ours: None, agrees: None }
    }

    /// The verdict in words.
    pub fn verdict(&self) -> &'static str {
        match self.agrees {
            Some(true) => "agrees",
            Some(false) => "differs",
            None => "not run",
        }
    }
}

/// The complete analysis of 3×3: its counts, and the value of the start, printed as about 5,470.
fn yamashita_2022(_: u32, threads: usize, watch: Watch<'_>) -> Option<(Vec<Against>, Figure)> {
    let region: Region = "3x3".parse().ok()?;
    let analysis = Analysis::new(&region, None, true, threads, watch)?;
    let totals = analysis.totals();
    let score = analysis.value(Aim::Score, 0.1, watch)?;
    let rows = vec![
        Against::count("3×3 states", 48_713_519, totals.states),
        Against::count("3×3 afterstates", 31_431_374, totals.afterstates),
        Against::count("3×3 last tile sum", 2044, totals.last_sum.into()),
        Against::about("3×3 expected score", 5470.0, 10.0, score),
    ];
    let layers = analysis.layers();
    let states = curve("states", layers.iter().map(|layer| (layer.sum, layer.states)));
    let after = curve("afterstates", layers.iter().map(|layer| (layer.sum, layer.afterstates)));
    let dead = curve("without a move", layers.iter().map(|layer| (layer.sum, layer.terminal)));
    Some((rows, layers_figure("Layers of 3×3", vec![states, after, dead], Vec::new())))
}

fn curve(label: &str, points: impl Iterator<Item = (u32, u64)>) -> Series {
    let point = |(sum, count): (u32, u64)| {
        let mean = count as f64;
        CurvePoint { x: sum.into(), mean, low: mean, high: mean }
    };
    Series { label: label.to_owned(), points: points.map(point).collect() }
}

fn layers_figure(title: &str, series: Vec<Series>, marks: Vec<Mark>) -> Figure {
    let (x_label, y_label) = ("tile sum".to_owned(), "boards up to symmetry".to_owned());
    let title = title.to_owned();
    let mut figure = Figure { title, x_label, y_label, series, marks, ..Figure::default() };
    figure.thousands();
    figure
}

/// The layers of 4×3 up to a tile sum.
fn yamashita_2023(most: u32, threads: usize, watch: Watch<'_>) -> Option<(Vec<Against>, Figure)> {
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
    let row = |&(sum, published): &(u32, u64)| {
        let what = format!("4×3 states of tile sum {sum}");
        if sum > most {
            return Some(Against::beyond(&what, &published.to_string()));
        }
        let ours = found.iter().find(|layer| layer.0 == sum)?.1;
        Some(Against::count(&what, published, ours))
    };
    let mut rows: Vec<Against> = LAYERS_4X3.iter().map(row).collect::<Option<_>>()?;
    rows.push(Against::beyond("4×3 states", "1152817492752"));
    rows.push(Against::beyond("4×3 afterstates", "739648886170"));
    rows.push(Against::beyond("4×3 value of a start with two 2s", "50724.26"));
    let marks = LAYERS_4X3.iter().filter(|layer| (40..=most).contains(&layer.0));
    let mark = |&(sum, states): &(u32, u64)| Mark {
        x: sum.into(),
        y: states as f64,
        label: format!("paper, {sum}"),
    };
    let marks = marks.map(mark).collect();
    let ours = curve("states, ours", found.iter().copied());
    Some((rows, layers_figure("First layers of 4×3", vec![ours], marks)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_layers_of_4x3_agree() {
        let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let (rows, figure) = yamashita_2023(20, 2, watch).unwrap();
        assert_eq!(rows.iter().filter(|row| row.agrees == Some(true)).count(), 9);
        assert!(rows[9..].iter().all(|row| row.agrees.is_none()), "{rows:?}");
        assert_eq!(figure.series[0].points.len(), 9);
    }

    #[test]
    fn digits_that_were_not_printed_do_not_count() {
        assert_eq!(Against::about("x", 5470.0, 10.0, 5468.487).verdict(), "agrees");
        assert_eq!(Against::about("x", 5470.0, 1.0, 5468.487).verdict(), "differs");
    }
}
