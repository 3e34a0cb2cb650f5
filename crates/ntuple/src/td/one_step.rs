//! TD(0) and TC(0): each afterstate learns from the next one, as soon as that is chosen.

use super::{Chosen, Credit, Kept, Step};
use crate::network::Network;

/// Reward and value of the next choice are compared with the value of the afterstate before it;
/// the last one with 0. That value is summed anew, because the lesson in between has changed
/// weights that neighbours share: with the high rates of TC a value kept from the choice diverges.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneStep;

/// The afterstate that waits for its successor, if there is one.
#[derive(Default)]
pub struct Waiting {
    kept: Kept,
    any: bool,
}

impl Waiting {
    fn learn<S: Step>(&self, network: &Network, step: &S, target: f32) {
        if self.any {
            let active = self.kept.active();
            step.learn(network, active, target - network.sum_active(active));
        }
    }
}

impl Credit for OneStep {
    type Trace = Waiting;

    #[inline]
    fn chosen<S: Step>(
        &self,
        waiting: &mut Waiting,
        network: &Network,
        step: &S,
        mut chosen: Chosen<'_>,
    ) {
        waiting.learn(network, step, chosen.reward + chosen.value);
        waiting.kept.take(&mut chosen);
        waiting.any = true;
        step.prefetch(waiting.kept.active());
    }

    fn over<S: Step>(&self, waiting: &mut Waiting, network: &Network, step: &S) {
        waiting.learn(network, step, 0.0);
        waiting.any = false;
    }
}
