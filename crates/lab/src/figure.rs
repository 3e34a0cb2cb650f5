//! A figure as data: curves with bands, published marks, axes and their ticks.

/// Learning curves and what they are compared with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The title; may be empty.
    pub title: String,
    /// What runs to the right.
    pub x_label: String,
    /// What runs upwards.
    pub y_label: String,
    /// Is each step to the right a multiplication?
    pub log_x: bool,
    /// Is each step upwards a multiplication?
    pub log_y: bool,
    /// The curves.
    pub series: Vec<Series>,
    /// Single points with a name, for instance published results.
    pub marks: Vec<Mark>,
}

/// One curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub label: String,
    /// Its points, from left to right.
    pub points: Vec<CurvePoint>,
}

/// A point of a curve with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Where.
    pub x: f64,
    /// How high.
    pub mean: f64,
    /// The lower end of the interval; the mean itself where there is none.
    pub low: f64,
    /// The upper end of the interval; the mean itself where there is none.
    pub high: f64,
}

/// A point with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where.
    pub x: f64,
    /// How high.
    pub y: f64,
    /// Its name.
    pub label: String,
}

/// From here on scores are counted in thousands.
const THOUSANDS: f64 = 10_000.0;

impl Figure {
    /// Large scores are drawn in thousands.
    pub fn thousands(&mut self) {
        let means = self.series.iter().flat_map(|series| series.points.iter().map(|p| p.mean));
        let marks = self.marks.iter().map(|mark| mark.y);
        if means.chain(marks).fold(0.0, f64::max) < THOUSANDS {
            return;
        }
        self.y_label.push_str(", thousands");
        for point in self.series.iter_mut().flat_map(|series| &mut series.points) {
            for number in [&mut point.mean, &mut point.low, &mut point.high] {
                *number /= 1000.0;
            }
        }
        for mark in &mut self.marks {
            mark.y /= 1000.0;
        }
    }
}

/// One axis: what part of it is seen, and where its ticks are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) log: bool,
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// Ticks with their labels.
    pub(crate) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// The axis on which all these numbers are seen; a linear one begins at 0.
    pub(crate) fn over(numbers: impl Iterator<Item = f64>, log: bool) -> Axis {
        let numbers: Vec<f64> = numbers.filter(|n| n.is_finite() && (!log || *n > 0.0)).collect();
        let largest = numbers.iter().copied().fold(0.0, f64::max);
        let largest = if largest > 0.0 { largest } else { 1.0 };
        if log {
            let smallest = numbers.iter().copied().fold(largest, f64::min);
            // At least one power of ten is seen.
            let (from, to) = (smallest.log10().min(largest.log10() - 1.0), largest.log10());
            return Axis { log, from, to: to + 0.02 * (to - from), ticks: powers(from, to) };
        }
        let step = step_for(largest);
        let count = (largest * 1.03 / step).floor() as u32;
        let ticks = (0..=count).map(|k| (f64::from(k) * step, short(f64::from(k) * step)));
        Axis { log, from: 0.0, to: largest * 1.03, ticks: ticks.collect() }
    }

    /// Where on the axis a number stands.
    pub(crate) fn place(&self, number: f64) -> f64 {
        if self.log { number.max(f64::MIN_POSITIVE).log10() } else { number }
    }
}

/// The powers of ten between two logarithms, and twice and five times them where they are few.
fn powers(from: f64, to: f64) -> Vec<(f64, String)> {
    let factors: &[f64] = if to - from > 3.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let numbers = (from.floor() as i32..=to.floor() as i32)
        .flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)));
    let placed = numbers.map(|number| (number.log10(), short(number)));
    placed.filter(|(place, _)| (from - 1e-9..=to + 1e-9).contains(place)).collect()
}

/// A round step that gives four to nine ticks up to `largest`.
fn step_for(largest: f64) -> f64 {
    let power = 10f64.powi((largest / 5.0).log10().floor() as i32);
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| largest / step <= 6.0).unwrap_or(10.0 * power)
}

/// A number as short as people write it: 500, 20k, 1.5M.
fn short(number: f64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (unit, name) = units.into_iter().find(|(unit, _)| number >= *unit).unwrap_or((1.0, ""));
    let digits = format!("{:.4}", number / unit);
    format!("{}{name}", digits.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(largest: f64, log: bool) -> Vec<String> {
        let axis = Axis::over([largest / 5000.0, largest].into_iter(), log);
        axis.ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(1_000_000.0, false), ["0", "200k", "400k", "600k", "800k", "1M"]);
        assert_eq!(labels(340.0, false), ["0", "100", "200", "300"]);
        assert_eq!(labels(7.0, false), ["0", "2", "4", "6"]);
        assert_eq!(labels(1_250_000.0, false), ["0", "250k", "500k", "750k", "1M", "1.25M"]);
        assert_eq!(labels(0.3, false), ["0", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3"]);
        assert_eq!(labels(2_000_000.0, true), ["1k", "10k", "100k", "1M"]);
        let axis = Axis::over([150.0, 2000.0].into_iter(), true);
        let labels: Vec<&str> = axis.ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["200", "500", "1k", "2k"]);
    }

    #[test]
    fn nothing_to_see_is_no_reason_to_fail() {
        assert_eq!(Axis::over(std::iter::empty(), false).ticks.len(), 6);
        let log = Axis::over([0.0, -5.0, f64::NAN].into_iter(), true);
        assert!(log.from < log.to && log.place(0.0).is_finite());
    }
}
