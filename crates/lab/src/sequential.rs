//! The design of a sequential comparison: when to look, and how large a difference must be then.
//!
//! # The design
//! At most N pairs of games are played. After n₁ < n₂ < … < N pairs — N divided by powers of 1.25,
//! 100 at the least — the paired t statistic (mean difference over its standard error) is compared
//! with a boundary. Beyond it, the sign of the difference names the better agent and the match ends.
//!
//! The boundaries are those of Lan and `DeMets` (1983) with the linear spending function: when a
//! share s of the N pairs has been played, a truly tied match has ended wrongly with probability
//! 0.05 · s in all. They follow from the joint normal distribution of the statistics at the looks,
//! by the recursive integration of Armitage, `McPherson` and Rowe (1969), and are turned into
//! boundaries for Student's t of the same tail probability, as few pairs know their own spread
//! badly.
//!
//! # What can be relied upon
//! * **Error.** Of matches between agents of equal mean score, 5 % name a winner. This is exact
//!   for normal differences and holds for scores as 2048 has them; differences that are mostly
//!   small and rarely huge (skewness 2.7) raise it to 6.7 %.
//! * **Power.** A difference of δ standard deviations of the paired difference is found with the
//!   probability [`Design::power`] gives: 80 % where δ·√N is 3.0, 95 % where it is 3.8 (a test
//!   without looks needs 2.8 and 3.6, but always plays all N).
//! * **Interval.** At any look the difference ± boundary · standard error is a repeated confidence
//!   interval (Jennison and Turnbull 1989): all looks together cover the true difference with
//!   95 %, so it remains valid for a match that ended early, and excludes 0 exactly when there is
//!   a winner.
//!
//! All three are tested by simulation with scores as 2048 has them (`tests/sequential.rs`).

use crate::distributions::{normal_bound, normal_cdf, student_bound};

/// The probability of naming a winner where there is none.
pub const ALPHA: f64 = 0.05;
/// No look before this many pairs: fewer do not know their own spread.
const FIRST_LOOK: u64 = 100;
/// Each look comes after this many times the pairs of the one before it.
const GROWTH: f64 = 1.25;

/// When to look, and how far from 0 the statistic must be.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    looks: Vec<Look>,
}

/// One look at the pairs played so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// After how many pairs.
    pub pairs: u64,
    /// How far from 0 the paired t statistic must be to end the match.
    pub boundary: f64,
    /// The same boundary for a normal statistic, that is, for a known spread.
    pub normal: f64,
}

impl Design {
    /// The design for a match of at most this many pairs.
    pub fn new(most: u64) -> Design {
        let most = most.max(1);
        // 64 bits hold no more powers.
        let mut pairs: Vec<u64> = (0..200)
            .map(|k| (most as f64 / GROWTH.powi(k)).round() as u64)
            .take_while(|&n| n >= FIRST_LOOK)
            .collect();
        if pairs.is_empty() {
            pairs.push(most);
        }
        pairs.reverse();
        let share = |n: u64| n as f64 / most as f64;
        let mut walk = Walk::start(0.0);
        let mut spent = 0.0;
        let look = |n| {
            let limit = walk.limit(share(n), ALPHA * share(n) - spent);
            walk.advance(share(n), limit);
            spent = ALPHA * share(n);
            let normal = limit / share(n).sqrt();
            let tail = 2.0 * normal_cdf(-normal);
            Look { pairs: n, normal, boundary: student_bound(tail, n.saturating_sub(1)) }
        };
        Design { looks: pairs.into_iter().map(look).collect() }
    }

    /// The looks, in their order. There is always one, after the last pair.
    pub fn looks(&self) -> &[Look] {
        &self.looks
    }

    /// The boundary for this many pairs: that of their look, or the larger one of the looks
    /// before and after them.
    pub fn boundary(&self, pairs: u64) -> f64 {
        let before = self.looks.iter().rev().find(|look| look.pairs <= pairs);
        let after = self.looks.iter().find(|look| look.pairs >= pairs);
        let of = |look: Option<&Look>| look.map_or(0.0, |look| look.boundary);
        of(before).max(of(after))
    }

    /// The probability that the better agent is named when the true mean difference is `effect`
    /// standard deviations of the paired difference.
    pub fn power(&self, effect: f64) -> f64 {
        let most = self.looks[self.looks.len() - 1].pairs as f64;
        let mut walk = Walk::start(effect.abs() * most.sqrt());
        let mut found = 0.0;
        for look in &self.looks {
            let share = look.pairs as f64 / most;
            let limit = look.normal * share.sqrt();
            found += walk.beyond(share, limit).0;
            walk.advance(share, limit);
        }
        found
    }

    /// The effect that is found with this probability.
    pub fn effect_of_power(&self, power: f64) -> f64 {
        let most = self.looks[self.looks.len() - 1].pairs as f64;
        let (mut low, mut high) = (0.0, 20.0 / most.sqrt());
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if self.power(middle) < power {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}

/// Points at which the density between the limits is known; odd, for Simpson's rule.
const POINTS: usize = 241;

/// Where the statistic of a match that goes on may be: a Brownian motion with drift that has not
/// yet left the limits.
struct Walk {
    drift: f64,
    time: f64,
    /// Places and probabilities there: density times the weight of the quadrature.
    mass: Vec<(f64, f64)>,
}

impl Walk {
    fn start(drift: f64) -> Walk {
        Walk { drift, time: 0.0, mass: vec![(0.0, 1.0)] }
    }

    /// The probabilities of being above `limit` and below -`limit` at a later time.
    fn beyond(&self, time: f64, limit: f64) -> (f64, f64) {
        let (step, spread) = (time - self.time, (time - self.time).sqrt());
        self.mass.iter().fold((0.0, 0.0), |(above, below), &(place, mass)| {
            let middle = place + self.drift * step;
            let up = normal_cdf((middle - limit) / spread);
            let down = normal_cdf((-limit - middle) / spread);
            (above + mass * up, below + mass * down)
        })
    }

    /// The limit that is passed at a later time with this probability.
    fn limit(&self, time: f64, probability: f64) -> f64 {
        let (mut low, mut high) = (0.0, 2.0 * normal_bound(1e-14) * time.sqrt());
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let (above, below) = self.beyond(time, middle);
            if above + below > probability {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// Goes on to a later time; what is beyond the limit then has left.
    fn advance(&mut self, time: f64, limit: f64) {
        let (step, spread) = (time - self.time, (time - self.time).sqrt());
        let gap = 2.0 * limit / (POINTS - 1) as f64;
        let density = |place: f64| -> f64 {
            let at = |&(from, mass): &(f64, f64)| {
                let z = (place - from - self.drift * step) / spread;
                mass * (-0.5 * z * z).exp()
            };
            self.mass.iter().map(at).sum::<f64>() / (spread * std::f64::consts::TAU.sqrt())
        };
        let point = |index: usize| {
            let place = -limit + gap * index as f64;
            let simpson = match index {
                0 => 1.0,
                i if i == POINTS - 1 => 1.0,
                i => 2.0 + 2.0 * (i % 2) as f64,
            };
            (place, density(place) * simpson * gap / 3.0)
        };
        self.mass = (0..POINTS).map(point).collect();
        self.time = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_look_is_the_ordinary_test() {
        let design = Design::new(50);
        let [look] = design.looks() else { panic!("one look") };
        assert_eq!(look.pairs, 50);
        assert!((look.normal - 1.959963984540054).abs() < 1e-9);
        assert!((look.boundary - 2.009575237129235).abs() < 1e-9);
        // The textbook's 80 % at 2.8 standard errors.
        assert!((design.power(2.8015 / 50f64.sqrt()) - 0.8).abs() < 1e-4);
    }

    #[test]
    fn the_error_is_spent_to_the_last_bit_and_no_more() {
        for most in [64, 100, 1000, 10_000, 1_000_000] {
            let design = Design::new(most);
            assert_eq!(design.looks().last().unwrap().pairs, most);
            assert!(design.looks().is_sorted_by(|a, b| a.pairs < b.pairs));
            // Of a tie, `power` is the probability of naming one of the two.
            assert!((2.0 * design.power(0.0) - ALPHA).abs() < 1e-6, "{most}");
        }
    }

    #[test]
    fn the_power_that_the_documentation_states() {
        let design = Design::new(10_000);
        for (power, root) in [(0.8, 3.02), (0.95, 3.84)] {
            let effect = design.effect_of_power(power) * 100.0;
            assert!((effect - root).abs() < 0.02, "{power}: {effect}");
        }
        let last = design.looks().last().map(|look| look.normal);
        assert!(last.is_some_and(|normal| (normal - 2.29).abs() < 0.01));
    }
}
