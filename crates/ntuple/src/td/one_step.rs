//! TD(0) and TC(0): each afterstate learns from the next one, as soon as that is chosen.

use super::{Chosen, Credit, Step};
use crate::network::Network;

/// Reward and value of the next choice are compared with the value of the afterstate before it;
/// the last one with 0. That value is summed anew, because the lesson in between has changed
/// weights that neighbours share: with the high rates of TC a value kept from the choice diverges.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneStep;

/// The active weights of the afterstate that waits for its successor.
#[derive(Default)]
pub struct Waiting(Vec<u32>);

impl Credit for OneStep {
    type Trace = Waiting;

    #[inline]
    fn chosen<S: Step>(
        &self,
        Waiting(active): &mut Waiting,
        network: &Network,
        step: &S,
        chosen: &Chosen<'_>,
    ) {
        step.learn(network, active, chosen.reward + chosen.value - network.sum_active(active));
        chosen.list_active(active);
        step.prefetch(active);
    }

    fn over<S: Step>(&self, Waiting(active): &mut Waiting, network: &Network, step: &S) {
        step.learn(network, active, -network.sum_active(active));
        active.clear();
    }
}
