//! Backward TD(λ) and TC(λ) (Matsuzaki 2017): the whole game is learned after its end, from the
//! last afterstate to the first.
//!
//! The last one's target is 0. Every earlier one's is z = r + λ z₊ + (1 − λ) V₊, where r is the
//! reward of the next move, z₊ the target of the next afterstate and V₊ its value after it has
//! learned: news travels through the whole game at once.

use super::{Active, Chosen, Credit, Step};
use crate::network::Network;
use crate::plan::Pair;

/// Backward learning with this λ.
#[derive(Clone, Copy, Debug)]
pub struct Backward {
    lambda: f32,
}

impl Backward {
    /// With λ between 0 and 1.
    pub fn new(lambda: f64) -> Backward {
        Backward { lambda: lambda as f32 }
    }
}

/// The afterstates of a game with the rewards that led to them, and room to work.
#[derive(Default)]
pub struct History {
    chosen: Vec<(u64, f32)>,
    indices: [Vec<Pair>; 2],
}

impl Credit for Backward {
    type Trace = History;

    #[inline]
    fn chosen<S: Step>(&self, history: &mut History, _: &Network, _: &S, chosen: Chosen<'_>) {
        history.chosen.push((chosen.word, chosen.reward));
    }

    fn over<S: Step>(&self, history: &mut History, network: &Network, step: &S) {
        let History { chosen, indices } = history;
        for buffer in &mut *indices {
            buffer.resize(network.plan.pairs(), [0; 8]);
        }
        let [ahead, here] = indices;
        let (mut ahead, mut here) = (&mut ahead[..], &mut here[..]);
        let prepare = |four: &[(u64, f32)], pairs: &mut [Pair]| {
            let mut words = [0; 4];
            for (word, (cells, _)) in words.iter_mut().zip(four) {
                *word = *cells;
            }
            network.plan.indices(&words, pairs);
            network.prefetch(pairs);
            for board in 0..four.len() {
                step.prefetch(Active { pairs, board });
            }
        };
        // Four afterstates at a time, the next four being fetched meanwhile.
        let mut fours = chosen.rchunks(4);
        if let Some(four) = fours.next() {
            prepare(four, here);
        }
        let mut target = 0.0;
        for four in chosen.rchunks(4) {
            if let Some(next) = fours.next() {
                prepare(next, ahead);
            }
            for (board, (_, reward)) in four.iter().enumerate().rev() {
                let active = Active { pairs: here, board };
                step.learn(network, active, target - network.sum_active(active));
                let value = network.sum_active(active);
                target = reward + self.lambda * target + (1.0 - self.lambda) * value;
            }
            std::mem::swap(&mut ahead, &mut here);
        }
        chosen.clear();
    }
}
