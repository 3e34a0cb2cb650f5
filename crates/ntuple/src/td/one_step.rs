//! TD(0) and TC(0): each afterstate learns from the next one, as soon as that is chosen.

use super::{Chosen, Credit, Step};
use crate::network::Network;
use crate::plan::Octet;

/// Reward and value of the next choice are compared with the value of the afterstate before it;
/// the last one with 0. That value is summed anew, because the lesson in between has changed
/// weights that neighbours share: with the high rates of TC a value kept from the choice diverges.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneStep;

/// The afterstate that waits for its successor, if there is one.
#[derive(Default)]
pub struct Waiting {
    octets: Vec<Octet>,
}

impl Waiting {
    #[inline(always)]
    fn learn<S: Step>(&self, network: &Network, step: &S, target: f32) {
        if !self.octets.is_empty() {
            let error = target - network.sum(&self.octets);
            step.learn(network, network.active_of(&self.octets), error);
        }
    }
}

impl Credit for OneStep {
    type Trace = Waiting;

    #[inline(always)]
    fn chosen<S: Step>(
        &self,
        waiting: &mut Waiting,
        network: &Network,
        step: &S,
        chosen: Chosen<'_>,
    ) {
        waiting.learn(network, step, chosen.reward + chosen.value);
        waiting.octets.clear();
        waiting.octets.extend_from_slice(chosen.octets);
        step.prefetch(network.active_of(&waiting.octets));
    }

    fn over<S: Step>(&self, waiting: &mut Waiting, network: &Network, step: &S) {
        waiting.learn(network, step, 0.0);
        waiting.octets.clear();
    }
}
