//! The forward view (Yeh et al. 2016): the game is learned after its end, from the last afterstate
//! to the first, each from the next few rewards and values.
//!
//! With rₜ the reward of the move that led to afterstate s'ₜ, the n-step return is
//! Rₙ(t) = rₜ₊₁ + … + rₜ₊ₙ + V(s'ₜ₊ₙ); beyond the end of the game rewards and values are 0. An
//! afterstate learns from a weighted mean of R₁ … Rₘ: for TD(λ) with weights
//! (1 − λ) λⁿ⁻¹, the last one λᵐ⁻¹; for n-step learning from Rₙ alone. The values are those at the
//! time of the lesson, later afterstates having learned already.
//!
//! The program that the authors released reads the reward and value of step i where those of step
//! i + j are meant, and so does not look ahead; this is the formula of the paper.

use super::backward::{AHEAD, Past};
use super::{Chosen, Credit, Step};
use crate::network::Network;
use crate::plan::Octet;

/// Learning from a mean of n-step returns.
#[derive(Clone, Debug, PartialEq)]
pub struct Forward {
    /// The weight of R₁, R₂, …; they sum to 1.
    weights: Vec<f32>,
}

impl Forward {
    /// TD(λ) that looks `steps` steps ahead (Yeh: 0.5 and 5).
    pub fn lambda(lambda: f64, steps: usize) -> Forward {
        let last = steps.max(1) - 1;
        let weight = |n: usize| {
            let share = if n == last { 1.0 } else { 1.0 - lambda };
            (share * lambda.powi(n as i32)) as f32
        };
        Forward { weights: (0..=last).map(weight).collect() }
    }

    /// The `steps`-step return alone.
    pub fn n_step(steps: usize) -> Forward {
        let mut weights = vec![0.0; steps.max(1)];
        weights[steps.max(1) - 1] = 1.0;
        Forward { weights }
    }

    /// The weighted mean of the returns from `place` on.
    fn target(&self, past: &[Past], place: usize, value: impl Fn(usize) -> f32) -> f32 {
        let (mut rewards, mut target) = (0.0, 0.0);
        for (next, &weight) in (place + 1..).zip(&self.weights) {
            let ahead = past.get(next);
            rewards += ahead.map_or(0.0, |past| past.reward);
            if weight > 0.0 {
                target += weight * (rewards + if ahead.is_some() { value(next) } else { 0.0 });
            }
        }
        target
    }
}

/// The game so far, and the indices of the afterstates that are looked ahead to.
#[derive(Default)]
pub struct Ahead {
    past: Vec<Past>,
    /// Indices of `AHEAD` afterstates each, used again and again.
    groups: Vec<Vec<Octet>>,
}

impl Credit for Forward {
    type Trace = Ahead;

    #[inline]
    fn chosen<S: Step>(&self, ahead: &mut Ahead, network: &Network, _: &S, chosen: Chosen<'_>) {
        ahead.past.push(Past::of(network, &chosen));
    }

    fn over<S: Step>(&self, ahead: &mut Ahead, network: &Network, step: &S) {
        let Ahead { past, groups } = ahead;
        // Aligned groups: those of the place itself and of all that are looked ahead to, and the
        // next ones, which are fetched meanwhile.
        let octets = network.plan.octets();
        let kept = self.weights.len().div_ceil(AHEAD) + 2;
        groups.resize(kept, Vec::new());
        for group in &mut *groups {
            group.resize(AHEAD * octets, [0; 8]);
        }
        let last = past.len().div_ceil(AHEAD);
        let places = |group: usize| AHEAD * group..past.len().min(AHEAD * group + AHEAD);
        let prepare = |group: usize, groups: &mut [Vec<Octet>]| {
            Past::prepare(&past[places(group)], network, step, &mut groups[group % kept]);
        };
        if last > 0 {
            prepare(last - 1, groups);
        }
        for group in (0..last).rev() {
            if group > 0 {
                prepare(group - 1, groups);
            }
            let of =
                |place: usize| &groups[place / AHEAD % kept][place % AHEAD * octets..][..octets];
            for place in places(group).rev() {
                let value = |next: usize| network.sum(of(next));
                let error = self.target(past, place, value) - value(place);
                step.learn(network, network.active_of(of(place)), error);
            }
        }
        past.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_the_paper() {
        assert_eq!(Forward::lambda(0.5, 5).weights, [0.5, 0.25, 0.125, 0.0625, 0.0625]);
        assert_eq!(Forward::lambda(0.0, 5).weights, [1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(Forward::lambda(1.0, 3).weights, [0.0, 0.0, 1.0]);
        assert_eq!(Forward::n_step(3), Forward::lambda(1.0, 3));
        assert_eq!(Forward::n_step(1), Forward::lambda(0.5, 1));
    }
}
