//! Iterative deepening: one ply more and again, as long as it pays.

use crate::clock::Stopwatch;
use crate::expectimax::{Expectimax, Root};
use crate::tree::{Counts, Watch};
use crate::value::Value;

/// One ply more costs so many times the last one, at least and at most: what was measured on one
/// position is a rough guide to the next ply.
const GROWTH: (f64, f64) = (4.0, 40.0);
/// A move is out of reach when its distance is this many times what the values still move.
const DOMINANT: f32 = 4.0;
/// No verdict of dominance before this depth.
const SETTLED: u8 = 3;

impl<V: Value> Expectimax<V> {
    /// Searches deeper and deeper, the best move of the last iteration first. The finished moves
    /// of an unfinished iteration count: its first move was the best so far.
    pub(crate) fn deepen(&mut self, roots: &mut [Root], plies: u8, watch: &Watch) -> Counts {
        let mut counts = Counts::default();
        let (mut last_cost, mut last_move) = (0.0, f32::INFINITY);
        for depth in 1..=plies {
            let (clock, before) = (Stopwatch::start(self.clock()), roots.to_vec());
            let mut step = Counts::default();
            if depth == 1 {
                // However little time there is, there is an answer.
                step.add(self.search_roots(roots, 1, &Watch::default()));
            } else {
                for root in roots.iter_mut() {
                    step.add(self.search_roots(std::slice::from_mut(root), depth, watch));
                    if watch.is_over() {
                        break;
                    }
                }
            }
            counts.add(step);
            if watch.is_over() {
                break;
            }
            let moved = roots.iter().zip(&before).map(|(now, then)| (now.worth - then.worth).abs());
            let moved = moved.fold(0.0, f32::max);
            roots.sort_by(|a, b| b.worth.total_cmp(&a.worth));
            let dominant = roots.len() < 2
                || roots[0].worth - roots[1].worth > DOMINANT * moved.max(last_move)
                    && depth >= SETTLED;
            let whole_game = depth > 1 && step.leaves == 0 && step.hits == 0;
            if dominant || whole_game {
                break;
            }
            let cost = clock.elapsed().as_secs_f64();
            if let Some(deadline) = watch.deadline {
                let growth = if last_cost > 0.0 { cost / last_cost } else { GROWTH.1 };
                let next = cost * growth.clamp(GROWTH.0, GROWTH.1);
                let left = deadline.left().as_secs_f64();
                // Not even its first move would be finished.
                if next / roots.len() as f64 > left {
                    break;
                }
            }
            (last_cost, last_move) = (cost, moved);
        }
        counts
    }
}
