//! Backward TD(λ) and TC(λ) (Matsuzaki 2017): the whole game is learned after its end, from the
//! last afterstate to the first.
//!
//! The last one's target is 0. Every earlier one's is z = r + λ z₊ + (1 − λ) V₊, where r is the
//! reward of the next move, z₊ the target of the next afterstate and V₊ its value after it has
//! learned: news travels through the whole game at once.

use super::{Chosen, Credit, Step};
use crate::network::Network;
use crate::plan::Octet;

/// How many afterstates learn while the weights of as many others are on their way.
pub(super) const AHEAD: usize = 4;

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
    #[inline(always)]
    pub(super) fn of(network: &Network, chosen: &Chosen<'_>) -> Past {
        let staged = network.stages() > 1;
        let offset = if staged { network.offset_of(chosen.octets) } else { 0 };
        Past { word: chosen.word, offset, reward: chosen.reward }
    }

    /// The indices of up to `AHEAD` afterstates, and what they lead to on its way from memory.
    #[inline(always)]
    pub(super) fn prepare<S: Step>(some: &[Past], network: &Network, step: &S, out: &mut [Octet]) {
        let mut words = [0; AHEAD];
        for (word, past) in words.iter_mut().zip(some) {
            *word = past.word;
        }
        network.plan.indices(&words[..some.len()], out);
        for (past, octets) in some.iter().zip(out.chunks_mut(network.plan.octets())) {
            if past.offset > 0 {
                Network::shift(octets, past.offset);
            }
            network.prefetch(octets);
            step.prefetch(network.active_of(octets));
        }
    }
}

/// The afterstates of a game with the rewards that led to them, and room to work.
#[derive(Default)]
pub struct History {
    chosen: Vec<Past>,
    indices: Vec<Octet>,
}

impl Credit for Backward {
    type Trace = History;

    #[inline]
    fn chosen<S: Step>(&self, history: &mut History, network: &Network, _: &S, chosen: Chosen<'_>) {
        history.chosen.push(Past::of(network, &chosen));
    }

    fn over<S: Step>(&self, history: &mut History, network: &Network, step: &S) {
        let History { chosen, indices } = history;
        let octets = network.plan.octets();
        indices.resize(2 * AHEAD * octets, [0; 8]);
        let (mut ahead, mut here) = indices.split_at_mut(AHEAD * octets);
        // A few afterstates at a time, the next few being fetched meanwhile.
        let mut chunks = chosen.rchunks(AHEAD);
        if let Some(last) = chunks.next() {
            Past::prepare(last, network, step, here);
        }
        let mut target = 0.0;
        for some in chosen.rchunks(AHEAD) {
            if let Some(next) = chunks.next() {
                Past::prepare(next, network, step, ahead);
            }
            for (past, octets) in some.iter().zip(here.chunks(octets)).rev() {
                let error = target - network.sum(octets);
                step.learn(network, network.active_of(octets), error);
                let value = network.sum(octets);
                target = past.reward + self.lambda * target + (1.0 - self.lambda) * value;
            }
            std::mem::swap(&mut ahead, &mut here);
        }
        chosen.clear();
    }
}
