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

/// How many times the last iteration the next one costs: what was measured on one position is a rough guide, so there are bounds.
struct Growth {
    least: f64,
    most: f64,
    /// Before anything was measured.
    usual: f64,
}

/// Of one ply more.
const PLY: Growth = Growth { least: 4.0, most: 40.0, usual: 40.0 };
/// Of one bit more.
const BIT: Growth = Growth { least: 1.5, most: 3.0, usual: 2.1 };
/// The first search by probability: it costs as much as three plies.
const FIRST: u8 = 4;
/// With judged positions as the limit it is begun if so many times what a whole ply took is left.
const BEGIN: f64 = 8.0;
/// The largest step, in bits: what is far ahead cannot be foreseen.
const STRIDE: f64 = 4.0;
/// A move is out of reach when its distance is this many times what the values still move.
const DOMINANT: f32 = 4.0;
/// No verdict of dominance before this depth.
const SETTLED: u8 = 3;

/// What an iteration took of a limit, and what is left.
#[derive(Clone, Copy)]
struct Spent {
    cost: f64,
    left: f64,
}

/// A finished iteration.
struct Iteration {
    effort: Effort,
    /// Of the time and of the judged positions, where these are limits.
    spent: [Option<Spent>; 2],
    /// Did the table not know all of it?
    new: bool,
}

impl Iteration {
    /// How many steps more there seems to be room for; `None` when not even the first move of the next iteration would be finished.
    fn room(&self, last: Option<&Iteration>, growth: &Growth, moves: usize) -> Option<f64> {
        let last = last.filter(|last| last.effort.is_open() == self.effort.is_open());
        let mut room = f64::INFINITY;
        for (limit, spent) in self.spent.iter().enumerate() {
            let Some(Spent { cost, left }) = *spent else { continue };
            let measured = last.and_then(|last| {
                let before = last.spent[limit].filter(|before| before.cost > 0.0)?;
                let steps = f64::from(self.effort.rank() - last.effort.rank());
                Some((cost / before.cost).powf(1.0 / steps).clamp(growth.least, growth.most))
            });
            let times = measured.unwrap_or(growth.usual);
            if cost * times / moves as f64 > left {
                return None;
            }
            room = room.min((left / cost.max(f64::MIN_POSITIVE)).ln() / times.ln());
        }
        Some(room)
    }
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
                    watch.look();
                }
            }
            counts.add(step);
            if watch.is_over() {
                break;
            }
            let moved = roots.iter().zip(&before).map(|(now, then)| (now.worth - then.worth).abs());
            let moved = moved.fold(0.0, f32::max);
            roots.sort_by(|a, b| self.weight(b).total_cmp(&self.weight(a)));
            let dominant = effort.plies + 1 >= SETTLED
                && (roots.len() < 2
                    || self.weight(&roots[0]) - self.weight(&roots[1])
                        > DOMINANT * moved.max(last_move));
            // Who asks what moves are worth at a depth gets that depth, also where the decision is clear.
            let decided = dominant && (watch.plays || self.settings.limits.is_open());
            let whole_game = effort.plies > 0 && step.leaves == 0 && step.hits == 0;
            if decided || whole_game {
                break;
            }
            let seconds = watch.deadline.map(|deadline| Spent {
                cost: clock.elapsed().as_secs_f64(),
                left: deadline.left().as_secs_f64(),
            });
            let leaves = watch.leaves.map(|most| Spent {
                cost: step.leaves as f64,
                left: most.saturating_sub(counts.leaves) as f64,
            });
            let now = Iteration { effort, spent: [seconds, leaves], new: step.nodes > 0 };
            let next = if self.settings.limits.is_open() {
                self.more(&now, last.as_ref(), roots.len())
            } else {
                let next = Effort { plies: effort.plies + 1, ..effort };
                let room = now.room(last.as_ref(), &PLY, roots.len());
                room.map(|_| next).filter(|next| next.plies < plies)
            };
            let Some(next) = next else { break };
            if now.new {
                last = Some(now);
            }
            (effort, last_move) = (next, moved);
        }
        counts
    }

    /// The next effort where only time or judged positions are the limit.
    fn more(&self, now: &Iteration, last: Option<&Iteration>, moves: usize) -> Option<Effort> {
        let most = match self.settings.shape.cut {
            0 => LEAST,
            cut => cut.min(LEAST),
        };
        if !now.effort.is_open() {
            // By time it is always begun: whole plies are so short that a thread which had to wait measured that.
            if now.spent[1].is_some_and(|spent| BEGIN * spent.cost > spent.left) {
                return None;
            }
            let whole = now.effort.plies == 0;
            return Some(if whole { Effort::plies(1) } else { Effort::open(FIRST.min(most)) });
        }
        let room = now.room(last, &BIT, moves)?;
        // Where the table knew everything, nothing is known about the cost of what it does not know.
        let stride = if now.new { room.clamp(1.0, STRIDE) as u8 } else { 1 };
        (now.effort.bits < most).then(|| Effort::open((now.effort.bits + stride).min(most)))
    }
}
