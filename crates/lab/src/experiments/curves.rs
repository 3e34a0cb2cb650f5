//! The learning curves of an experiment as a figure.

use super::describe::{Experiment, ExperimentError, Published};
use super::judge::{mean_and_ci95, runs};
use super::results::{Results, RunResult};
use crate::figure::{CurvePoint, Figure, Mark, Series};

/// What is published may stand this much above the curves; beyond that it would flatten them.
const ROOM_ABOVE: f64 = 1.3;

/// The figures of an experiment with the ends of their names: the learning curves, or where arms have groups what
/// these are about.
pub fn figures(
    experiment: &Experiment,
    scale: &str,
    results: &Results,
) -> Result<Vec<(String, Figure)>, ExperimentError> {
    if !experiment.groups().is_empty() {
        return super::estimates::figures(experiment, scale, results);
    }
    Ok(vec![(String::new(), figure(experiment, scale, results)?)])
}

/// The learning curves of all arms, the mean over the seeds with its interval, and what was
/// published as marks; in thousands where scores are large.
fn figure(
    experiment: &Experiment,
    scale: &str,
    results: &Results,
) -> Result<Figure, ExperimentError> {
    let mut series = Vec::new();
    let (mut longest, mut highest) = (0.0f64, 0.0f64);
    for arm in experiment.arms(scale) {
        let runs = runs(experiment, scale, results, &arm.name)?;
        let points = curve(&runs);
        longest = points.last().map_or(longest, |point| longest.max(point.x));
        highest = points.iter().fold(highest, |highest, point| highest.max(point.high));
        series.push(Series { label: arm.name.clone(), points });
    }
    let here = |known: &&Published| {
        known.measure.is_none()
            && known.only.as_deref().is_none_or(|only| only == scale)
            && experiment.arms(scale).any(|arm| arm.name == known.arm)
    };
    let published = experiment.published.iter().filter(here);
    let mut marks: Vec<Mark> = published.map(|known| mark(known, longest, highest)).collect();
    if let Some(optimum) = &experiment.optimum {
        marks.push(Mark { x: longest, y: optimum.mean, label: "optimum".to_owned() });
    }
    spread(&mut marks, highest);
    let mut figure = Figure {
        title: format!("{} ({scale} scale)", experiment.title),
        x_label: "games".to_owned(),
        y_label: "mean score".to_owned(),
        series,
        marks,
        ..Figure::default()
    };
    figure.thousands();
    Ok(figure)
}

/// A published number. A longer run than ours stands at the right edge; a number far above our
/// curves at the upper edge.
fn mark(known: &Published, longest: f64, highest: f64) -> Mark {
    let longer = known.games.filter(|games| *games as f64 > longest);
    let after = longer.map_or(String::new(), |games| format!(" after {} games", grouped(games)));
    let x = known.games.map_or(longest, |games| longest.min(games as f64));
    let edge = highest * ROOM_ABOVE;
    let (arm, mean) = (&known.arm, known.mean);
    if mean <= edge || highest == 0.0 {
        return Mark { x, y: mean, label: format!("{arm}, published{after}") };
    }
    let label = format!("↑ {arm}, published: {}{after}", grouped(mean.round() as u64));
    Mark { x, y: edge, label }
}

/// Marks at the same place are moved down, one line each.
fn spread(marks: &mut [Mark], highest: f64) {
    let line = highest * ROOM_ABOVE * 0.06;
    for place in 1..marks.len() {
        let (before, after) = marks.split_at_mut(place);
        let mark = &mut after[0];
        while before.iter().any(|other| other.x == mark.x && (other.y - mark.y).abs() < line) {
            mark.y -= line;
        }
    }
}

/// A number with a comma after each three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The mean over the runs at each evaluation that all of them have.
fn curve(runs: &[&RunResult]) -> Vec<CurvePoint> {
    let length = runs.iter().map(|run| run.curve.len()).min().unwrap_or(0);
    let point = |at: usize| {
        let means: Vec<f64> = runs.iter().map(|run| run.curve[at].mean).collect();
        let (mean, half) = mean_and_ci95(&means)?;
        let half = half.unwrap_or(runs[0].curve[at].ci95);
        let x = runs[0].curve[at].games as f64;
        Some(CurvePoint { x, mean, low: mean - half, high: mean + half })
    };
    (0..length).filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_far_above_stand_at_the_edge_and_not_on_each_other() {
        let known = |mean, games| Published {
            only: None,
            arm: "a".to_owned(),
            measure: None,
            games,
            moves: None,
            mean,
            ci95: 0.0,
            source: String::new(),
        };
        let near = mark(&known(110.0, Some(500)), 1000.0, 100.0);
        assert_eq!((near.x, near.y, near.label.as_str()), (500.0, 110.0, "a, published"));
        let far = mark(&known(12_345.6, Some(4_000_000)), 1000.0, 100.0);
        assert_eq!((far.x, far.y), (1000.0, 130.0));
        assert_eq!(far.label, "↑ a, published: 12,346 after 4,000,000 games");
        let mut marks = vec![far.clone(), far.clone(), far];
        spread(&mut marks, 100.0);
        assert!(marks[0].y > marks[1].y + 7.0 && marks[1].y > marks[2].y + 7.0);
    }
}
