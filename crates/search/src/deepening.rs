//! Iterative deepening: more of the tree and again, as long as it pays.
//!
//! Where plies are the limit, one ply more at a time. Where only time or judged positions are, every branch that is
//! probable enough is looked into, however many plies that makes: after one and two whole plies the first such search leaves
//! what is less probable than 2 to the minus [`FIRST`], and the next goes as far as what is left seems to allow. One ply more costs
//! twenty times as much, one bit twice, so little is left over; and the same time sees more where it matters (docs/diary.md).

use crate::clock::Stopwatch;
use crate::effort::{Effort, LEAST};
use crate::expectimax::{Expectimax, Root};
use crate::tree::{Counts, Watch};
use crate::value::Value;

/// One ply more costs so many times the last one, at least and at most: what was measured on one
/// position is a rough guide to the next ply.
const GROWTH: (f64, f64) = (4.0, 40.0);
/// The same of one bit, and what is taken before anything was measured.
const BIT_GROWTH: (f64, f64) = (1.5, 3.0);
const USUAL_BIT_GROWTH: f64 = 2.1;
/// The first search by probability: it costs as much as three plies.
const FIRST: u8 = 4;
/// The largest step, in bits: what is far ahead cannot be foreseen.
const STRIDE: u8 = 4;
/// A move is out of reach when its distance is this many times what the values still move.
const DOMINANT: f32 = 4.0;
/// No verdict of dominance before this depth.
const SETTLED: u8 = 3;

/// What an iteration cost, in seconds or in leaves.
#[derive(Clone, Copy)]
struct Cost {
    effort: Effort,
    cost: f64,
}

impl<V: Value> Expectimax<V> {
    /// Searches deeper and deeper, the best move of the last iteration first. The finished moves
    /// of an unfinished iteration count: its first move was the best so far.
    pub(crate) fn deepen(&mut self, roots: &mut [Root], plies: u8, watch: &Watch) -> Counts {
        let mut counts = Counts::default();
        let (mut effort, mut last, mut last_move) =
            (self.settings.shape.effort(0), None, f32::INFINITY);
        loop {
            let (clock, before) = (Stopwatch::start(self.clock()), roots.to_vec());
            let mut step = Counts::default();
            if effort.plies == 0 {
                // However little time there is, there is an answer.
                step.add(self.search_roots(roots, effort, &Watch::default()));
            } else {
                for root in roots.iter_mut() {
                    step.add(self.search_roots(std::slice::from_mut(root), effort, watch));
                    if watch.is_over() {
                        break;
                    }
                }
            }
            counts.add(step);
            // A forced line makes one move's longest; what was looked into was the same for all.
            let depth = roots
                .iter()
                .filter(|root| root.effort == effort)
                .map(|root| root.depth)
                .max()
                .unwrap_or(0);
            roots
                .iter_mut()
                .filter(|root| root.effort == effort)
                .for_each(|root| root.depth = depth);
            if watch.is_over() {
                break;
            }
            let moved = roots.iter().zip(&before).map(|(now, then)| (now.worth - then.worth).abs());
            let moved = moved.fold(0.0, f32::max);
            roots.sort_by(|a, b| b.worth.total_cmp(&a.worth));
            let dominant = roots.len() < 2
                || roots[0].worth - roots[1].worth > DOMINANT * moved.max(last_move)
                    && effort.plies + 1 >= SETTLED;
            let whole_game = effort.plies > 0 && step.leaves == 0 && step.hits == 0;
            if dominant || whole_game {
                break;
            }
            let (cost, left) = match (watch.deadline, watch.leaves) {
                (Some(deadline), _) => {
                    (clock.elapsed().as_secs_f64(), deadline.left().as_secs_f64())
                }
                (None, Some(most)) => {
                    (step.leaves as f64, most.saturating_sub(counts.leaves) as f64)
                }
                (None, None) => (0.0, f64::INFINITY),
            };
            let now = Cost { effort, cost };
            let next = if self.settings.limits.is_open() {
                self.more(now, last, left, roots.len())
            } else {
                one_ply_more(now, last, left, roots.len()).filter(|next| next.plies < plies)
            };
            let Some(next) = next else { break };
            (effort, last, last_move) = (next, Some(now), moved);
        }
        counts
    }

    /// The next effort where only time or judged positions are the limit.
    fn more(&self, now: Cost, last: Option<Cost>, left: f64, moves: usize) -> Option<Effort> {
        if !now.effort.is_open() {
            return match now.effort.plies {
                0 => Some(Effort::plies(1)),
                _ => Some(Effort::open(FIRST)),
            };
        }
        let bits = now.effort.bits;
        let growth = match last {
            Some(last) if last.effort.is_open() && last.cost > 0.0 => {
                let step = 1.0 / f64::from(bits - last.effort.bits);
                (now.cost / last.cost).powf(step).clamp(BIT_GROWTH.0, BIT_GROWTH.1)
            }
            _ => USUAL_BIT_GROWTH,
        };
        let fits = (left / now.cost.max(f64::MIN_POSITIVE)).ln() / growth.ln();
        // Not even its first move would be finished.
        if now.cost * growth / moves as f64 > left {
            return None;
        }
        let stride = fits.clamp(1.0, f64::from(STRIDE)) as u8;
        let most = match self.settings.shape.cut {
            0 => LEAST,
            cut => cut.min(LEAST),
        };
        (bits < most).then(|| Effort::open((bits + stride).min(most)))
    }
}

fn one_ply_more(now: Cost, last: Option<Cost>, left: f64, moves: usize) -> Option<Effort> {
    let growth = match last {
        Some(last) if last.cost > 0.0 => now.cost / last.cost,
        _ => GROWTH.1,
    };
    let next = now.cost * growth.clamp(GROWTH.0, GROWTH.1);
    // Not even its first move would be finished.
    (next / moves as f64 <= left).then_some(Effort { plies: now.effort.plies + 1, ..now.effort })
}
