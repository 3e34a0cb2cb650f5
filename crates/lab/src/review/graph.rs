//! The graph of a game: the score, the score to be expected, and where moves cost much.

use std::fmt::Write as _;

use super::grade::Grade;
use super::line::{Summary, TurnLine};
use crate::figure::Axis;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 34.0;
/// A line has at most so many stretches; of each the highest and the lowest point are drawn.
const STRETCHES: usize = 800;
/// Lines stand where a tile of at least this exponent was new.
const PHASE: u8 = 7;

struct Frame {
    x: Axis,
    y: Axis,
}

impl Frame {
    fn x(&self, turn: f64) -> f64 {
        LEFT + (turn - self.x.from) / (self.x.to - self.x.from) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, points: f64) -> f64 {
        let share = (points - self.y.from) / (self.y.to - self.y.from);
        HEIGHT - BOTTOM - share.clamp(0.0, 1.0) * (HEIGHT - TOP - BOTTOM)
    }
}

/// The graph as an SVG element whose classes the page colours.
pub(super) fn graph(turns: &[TurnLine], summary: &Summary) -> String {
    let mut scores: Vec<f64> = turns.iter().map(|turn| f64::from(turn.score)).collect();
    let mut expected: Vec<f64> =
        turns.iter().map(|turn| f64::from(turn.score) + turn.value).collect();
    scores.push(f64::from(summary.score));
    expected.push(f64::from(summary.score) + summary.remaining);
    let x = Axis::over([turns.len() as f64].into_iter(), false);
    let y = Axis::over(scores.iter().chain(&expected).copied(), false);
    let frame = Frame { x, y };
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Score, and score to be \
         expected, by move\">\n"
    );
    axes(&frame, &mut svg);
    phases(&frame, turns, &mut svg);
    for (class, points) in [("expected", &expected), ("score", &scores)] {
        let _ = writeln!(svg, "<polyline class=\"{class}\" points=\"{}\"/>", line(&frame, points));
    }
    for turn in turns.iter().filter(|turn| turn.grade >= Grade::Mistake) {
        let (x, y) = (frame.x(turn.turn as f64), frame.y(expected[turn.turn]));
        let _ = writeln!(
            svg,
            "<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"><title>move {}: {} instead \
             of {}, {:.0} points</title></circle>",
            turn.grade.name(),
            turn.turn + 1,
            turn.played,
            turn.best,
            turn.error,
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn axes(frame: &Frame, svg: &mut String) {
    let bottom = HEIGHT - BOTTOM;
    for (place, label) in &frame.y.ticks {
        let y = frame.y(*place);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0,
        );
    }
    for (place, label) in &frame.x.ticks {
        let x = frame.x(*place);
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            bottom + 16.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">move</text>",
        WIDTH - RIGHT,
        HEIGHT - 3.0
    );
}

/// A line for each new largest tile.
fn phases(frame: &Frame, turns: &[TurnLine], svg: &mut String) {
    let mut largest = PHASE;
    for turn in turns {
        let Ok(board) = turn.position.parse::<maxtile_game::Board>() else { continue };
        if board.max_exponent() <= largest {
            continue;
        }
        largest = board.max_exponent();
        let x = frame.x(turn.turn as f64);
        let _ = writeln!(
            svg,
            "<line class=\"phase\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{}\"><title>the \
             first {}</title></line>",
            HEIGHT - BOTTOM,
            board.max_tile(),
        );
    }
}

/// The points of a line. Where there are too many for the eye, each stretch keeps its extremes.
fn line(frame: &Frame, points: &[f64]) -> String {
    let step = points.len().div_ceil(STRETCHES).max(1);
    let mut text = String::new();
    for (index, stretch) in points.chunks(step).enumerate() {
        let places = (index * step..).zip(stretch.iter().copied());
        let by_height = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
        let ends = [places.clone().min_by(by_height), places.max_by(by_height)];
        let mut ends: Vec<(usize, f64)> = ends.into_iter().flatten().collect();
        ends.sort_by_key(|end| end.0);
        ends.dedup_by_key(|end| end.0);
        for (turn, points) in ends {
            let _ = write!(text, "{:.1},{:.1} ", frame.x(turn as f64), frame.y(points));
        }
    }
    text.pop();
    text
}
