//! How a child is chosen on the way down, and what its parent is worth on the way up.
//!
//! Rules weigh the worths of a position's moves, which are points and may be hundreds of thousands. `lmax`
//! and `best` are published (Watanabe and Matsuzaki 2022); the other four are ours.

use std::sync::LazyLock;

/// Weights of moves by what they are worth: a Boltzmann distribution, exp(x/T) over its sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// All weight on the best one (T = 0).
    Best,
    /// x is the worth over the largest one, T falls with the visits: 2 / 2^(log₁₀ n).
    LMax,
    /// As `LMax` with a fixed T.
    Ratio(f32),
    /// x is where the worth lies between the smallest (0) and the largest (1); a fixed T.
    Range(f32),
    /// x is the worth itself; T is in points.
    Points(f32),
    /// All alike.
    Uniform,
}

impl Rule {
    /// Writes the weights of moves of a position that was visited `visits` times. They sum to 1.
    #[inline]
    pub(super) fn weigh(self, worths: &[f32], visits: u32, weights: &mut [f32; 4]) {
        let (least, most) = bounds(worths);
        let (divisor, temperature) = match self {
            Rule::Best => {
                // Of equal ones the first.
                let first = worths.iter().position(|&worth| worth == most).unwrap_or(0);
                weights.fill(0.0);
                weights[first] = 1.0;
                return;
            }
            Rule::Uniform => {
                weights[..worths.len()].fill(1.0 / worths.len() as f32);
                return;
            }
            Rule::LMax => (most.abs(), cooled(visits)),
            Rule::Ratio(temperature) => (most.abs(), temperature),
            Rule::Range(temperature) => (most - least, temperature),
            Rule::Points(temperature) => (1.0, temperature),
        };
        // Only differences count, so that the largest is 0 and no exponential overflows.
        let scale = 1.0 / (divisor.max(f32::MIN_POSITIVE) * temperature);
        let mut sum = 0.0;
        for (weight, &worth) in weights.iter_mut().zip(worths) {
            *weight = if worth == most { 1.0 } else { ((worth - most) * scale).exp() };
            sum += *weight;
        }
        for weight in &mut weights[..worths.len()] {
            *weight /= sum;
        }
    }

    /// The mean of worths by these weights.
    #[inline]
    pub(super) fn mean(self, worths: &[f32], visits: u32) -> f32 {
        if self == Rule::Best {
            return bounds(worths).1;
        }
        let mut weights = [0.0; 4];
        self.weigh(worths, visits, &mut weights);
        worths.iter().zip(weights).map(|(&worth, weight)| worth * weight).sum()
    }
}

/// T = 2 / 2^(log₁₀ n).
#[inline]
fn cooled(visits: u32) -> f32 {
    /// Most positions of a tree have few visits.
    static FEW: LazyLock<[f32; 1024]> = LazyLock::new(|| std::array::from_fn(|n| cool(n as u32)));
    fn cool(visits: u32) -> f32 {
        2.0 / (visits.max(1) as f32).log10().exp2()
    }
    FEW.get(visits as usize).copied().unwrap_or_else(|| cool(visits))
}

/// The smallest and the largest.
#[inline]
fn bounds(worths: &[f32]) -> (f32, f32) {
    worths.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), &worth| {
        (least.min(worth), most.max(worth))
    })
}

/// How a move is chosen on the way down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Select {
    /// Drawn by the weights of a rule.
    Softmax(Rule),
    /// The largest upper bound: where the worth lies between the smallest and the largest one, and so
    /// many times √(ln n / n of the move).
    Ucb(f32),
    /// As `Ucb` with the bound of PUCT under equal priors: √n / (1 + n of the move).
    Puct(f32),
}

/// What a rule of selection sees of a move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Reward and value.
    pub worth: f32,
    /// How often it was chosen.
    pub visits: u32,
}

impl Select {
    /// Chooses one of up to four moves. `draw` gives a number from 0 to 1 where one is needed.
    #[inline]
    pub fn choose(self, moves: &[Seen], visits: u32, draw: impl FnOnce() -> f64) -> usize {
        if moves.len() == 1 {
            return 0;
        }
        let mut worths = [0.0; 4];
        for (worth, seen) in worths.iter_mut().zip(moves) {
            *worth = seen.worth;
        }
        let worths = &worths[..moves.len()];
        match self {
            Select::Softmax(rule) => {
                let mut weights = [0.0; 4];
                rule.weigh(worths, visits, &mut weights);
                if rule == Rule::Best {
                    return weights.iter().position(|&weight| weight > 0.0).unwrap_or(0);
                }
                let mut left = draw() as f32;
                for (index, weight) in weights[..moves.len()].iter().enumerate() {
                    left -= weight;
                    if left < 0.0 {
                        return index;
                    }
                }
                moves.len() - 1
            }
            Select::Ucb(c) => {
                let log = (visits.max(1) as f32).ln();
                bounded(moves, worths, |seen| match seen.visits {
                    0 => f32::INFINITY,
                    n => c * (log / n as f32).sqrt(),
                })
            }
            Select::Puct(c) => {
                let root = (visits as f32).sqrt() / moves.len() as f32;
                bounded(moves, worths, |seen| c * root / (1 + seen.visits) as f32)
            }
        }
    }
}

/// The move with the largest sum of normalised worth and bonus; of equal ones the first.
fn bounded(moves: &[Seen], worths: &[f32], bonus: impl Fn(&Seen) -> f32) -> usize {
    let (least, most) = bounds(worths);
    let range = (most - least).max(f32::MIN_POSITIVE);
    let mut best = (f32::NEG_INFINITY, 0);
    for (index, seen) in moves.iter().enumerate() {
        let bound = (seen.worth - least) / range + bonus(seen);
        if bound > best.0 {
            best = (bound, index);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(rule: Rule, worths: &[f32], visits: u32) -> Vec<f32> {
        let mut weights = [0.0; 4];
        rule.weigh(worths, visits, &mut weights);
        weights[..worths.len()].to_vec()
    }

    #[test]
    fn weights_by_hand() {
        let close = |found: Vec<f32>, expected: &[f32]| {
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-5, "{found} {expected}");
            }
        };
        close(weights(Rule::Best, &[1.0, 3.0, 3.0], 9), &[0.0, 1.0, 0.0]);
        close(weights(Rule::Uniform, &[1.0, 3.0], 9), &[0.5, 0.5]);
        // T = 2 at the first visit: e^(1/4) : e^(1/2); T = 1 at the tenth: e^(1/2) : e.
        let share = 1.0 / (1.0 + (0.25f32).exp());
        close(weights(Rule::LMax, &[100.0, 200.0], 1), &[share, 1.0 - share]);
        let share = 1.0 / (1.0 + (0.5f32).exp());
        close(weights(Rule::LMax, &[100.0, 200.0], 10), &[share, 1.0 - share]);
        close(weights(Rule::Ratio(1.0), &[100.0, 200.0], 77), &[share, 1.0 - share]);
        let share = 1.0 / (1.0 + (4.0f32).exp());
        close(weights(Rule::Range(0.25), &[100.0, 200.0], 1), &[share, 1.0 - share]);
        let share = 1.0 / (1.0 + (2.0f32).exp());
        close(weights(Rule::Points(50.0), &[100.0, 200.0], 1), &[share, 1.0 - share]);
    }

    #[test]
    fn means_lie_between_and_extremes_do_no_harm() {
        let rules = [
            Rule::Best,
            Rule::LMax,
            Rule::Ratio(1.0),
            Rule::Range(0.25),
            Rule::Points(1000.0),
            Rule::Uniform,
        ];
        for rule in rules {
            for worths in [[0.0, 0.0, 0.0], [4e5, 1.0, 0.0], [-5.0, -5.0, -7.0], [1e6, 1e6, 1e6]] {
                let mean = rule.mean(&worths, 100);
                let (least, most) = bounds(&worths);
                let slack = 1e-6 * most.abs();
                assert!(mean >= least - slack && mean <= most + slack, "{rule:?} {worths:?}");
            }
        }
    }

    #[test]
    fn bounds_look_at_what_was_not_visited() {
        let seen = |worth, visits| Seen { worth, visits };
        let never = || unreachable!("nothing is drawn");
        assert_eq!(Select::Ucb(0.1).choose(&[seen(9.0, 5), seen(1.0, 0)], 5, never), 1);
        assert_eq!(Select::Ucb(0.1).choose(&[seen(9.0, 5), seen(1.0, 5)], 10, never), 0);
        assert_eq!(Select::Puct(0.1).choose(&[seen(9.0, 50), seen(1.0, 0)], 50, never), 0);
        assert_eq!(Select::Puct(9.0).choose(&[seen(9.0, 50), seen(1.0, 0)], 50, never), 1);
        let best = Select::Softmax(Rule::Best);
        assert_eq!(best.choose(&[seen(1.0, 0), seen(2.0, 0)], 3, never), 1);
        let uniform = Select::Softmax(Rule::Uniform);
        assert_eq!(uniform.choose(&[seen(1.0, 0), seen(2.0, 0)], 3, || 0.49), 0);
        assert_eq!(uniform.choose(&[seen(1.0, 0), seen(2.0, 0)], 3, || 0.51), 1);
    }
}
