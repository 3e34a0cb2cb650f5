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

/// An afterstate of the game: its cells, its stage's offset, the reward that led to it.
#[derive(Clone, Copy)]
pub(super) struct Past {
    pub(super) word: u64,
    pub(super) offset: u32,
    pub(super) reward: f32,
}

impl Past {
    pub(super) fn of(network: &Network, chosen: &Chosen<'_>) -> Past {
        let staged = network.stages() > 1;
        let offset = if staged { network.offset_of(chosen.pairs, chosen.board) } else { 0 };
        Past { word: chosen.word, offset, reward: chosen.reward }
    }

    /// The indices of up to four afterstates, and what they lead to on its way from memory.
    pub(super) fn prepare<S: Step>(four: &[Past], network: &Network, step: &S, pairs: &mut [Pair]) {
        let mut words = [0; 4];
        for (word, past) in words.iter_mut().zip(four) {
            *word = past.word;
        }
        network.plan.indices(&words, pairs);
        for (board, past) in four.iter().enumerate().filter(|(_, past)| past.offset > 0) {
            Network::shift(pairs, board, past.offset);
        }
        network.prefetch(pairs);
        for board in 0..four.len() {
            step.prefetch(Active { pairs, board });
        }
    }
}

/// The afterstates of a game with the rewards that led to them, and room to work.
#[derive(Default)]
pub struct History {
    chosen: Vec<Past>,
    indices: [Vec<Pair>; 2],
}

impl Credit for Backward {
    type Trace = History;

    #[inline]
    fn chosen<S: Step>(&self, history: &mut History, network: &Network, _: &S, chosen: Chosen<'_>) {
        history.chosen.push(Past::of(network, &chosen));
    }

    fn over<S: Step>(&self, history: &mut History, network: &Network, step: &S) {
        let History { chosen, indices } = history;
        for buffer in &mut *indices {
            buffer.resize(network.plan.pairs(), [0; 8]);
        }
        let [ahead, here] = indices;
        let (mut ahead, mut here) = (&mut ahead[..], &mut here[..]);
        // Four afterstates at a time, the next four being fetched meanwhile.
        let mut fours = chosen.rchunks(4);
        if let Some(four) = fours.next() {
            Past::prepare(four, network, step, here);
        }
        let mut target = 0.0;
        for four in chosen.rchunks(4) {
            if let Some(next) = fours.next() {
                Past::prepare(next, network, step, ahead);
            }
            for (board, past) in four.iter().enumerate().rev() {
                let active = Active { pairs: here, board };
                step.learn(network, active, target - network.sum_active(active));
                let value = network.sum_active(active);
                target = past.reward + self.lambda * target + (1.0 - self.lambda) * value;
            }
            std::mem::swap(&mut ahead, &mut here);
        }
        chosen.clear();
    }
}
