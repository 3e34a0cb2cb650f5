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

use super::backward::Past;
use super::{Active, Chosen, Credit, Step};
use crate::network::Network;
use crate::plan::Pair;

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
    /// Indices of four afterstates each, used again and again.
    fours: Vec<Vec<Pair>>,
}

impl Credit for Forward {
    type Trace = Ahead;

    #[inline]
    fn chosen<S: Step>(&self, ahead: &mut Ahead, network: &Network, _: &S, chosen: Chosen<'_>) {
        ahead.past.push(Past::of(network, &chosen));
    }

    fn over<S: Step>(&self, ahead: &mut Ahead, network: &Network, step: &S) {
        let Ahead { past, fours } = ahead;
        // Aligned fours: those of the place itself and of all that are looked ahead to, and the
        // next ones, which are fetched meanwhile.
        let kept = self.weights.len().div_ceil(4) + 2;
        fours.resize(kept, Vec::new());
        for four in &mut *fours {
            four.resize(network.plan.pairs(), [0; 8]);
        }
        let last = past.len().div_ceil(4);
        let prepare = |four: usize, fours: &mut [Vec<Pair>]| {
            let end = past.len().min(4 * four + 4);
            Past::prepare(&past[4 * four..end], network, step, &mut fours[four % kept]);
        };
        if last > 0 {
            prepare(last - 1, fours);
        }
        for four in (0..last).rev() {
            if four > 0 {
                prepare(four - 1, fours);
            }
            let active =
                |place: usize| Active { pairs: &fours[place / 4 % kept], board: place % 4 };
            for place in (4 * four..past.len().min(4 * four + 4)).rev() {
                let value = |next: usize| network.sum_active(active(next));
                let target = self.target(past, place, value);
                step.learn(network, active(place), target - value(place));
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
