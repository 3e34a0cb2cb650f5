//! Points as whole numbers, so that sums and bounds are exact: a window that is moved by a reward
//! cuts exactly what it would cut unmoved, and alpha-beta equals minimax to the last digit.

use maxtile_game::SpawnLaw;

/// Points in units of 2^-20.
pub(super) type Points = i64;

const UNIT: f64 = (1 << 20) as f64;

/// Below and above every value, with room for rewards on either side.
pub(super) const LEAST: Points = -(1 << 60);
pub(super) const MOST: Points = 1 << 60;
/// A judgement is cut off here: two million points.
const CLAMP: Points = 1 << 41;

/// A judgement as points; what is not a number is 0.
#[inline]
pub(super) fn points(value: f32) -> Points {
    ((f64::from(value) * UNIT).round() as Points).clamp(-CLAMP, CLAMP)
}

/// A reward as points.
#[inline]
pub(super) fn reward(reward: u32) -> Points {
    Points::from(reward) << 20
}

/// As a number of points.
pub(super) fn number(points: Points) -> f64 {
    points as f64 / UNIT
}

/// The mean of what a drawn 2 and a drawn 4 lead to, rounded down to whole units. Monotone in both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mix {
    four: i128,
}

const SHARES: i128 = 1 << 40;

impl Mix {
    pub(super) fn of(law: SpawnLaw) -> Mix {
        Mix { four: (law.p4() * SHARES as f64).round() as i128 }
    }

    /// Does a 2 ever come, and a 4?
    pub(super) fn comes(self) -> [bool; 2] {
        [self.four < SHARES, self.four > 0]
    }

    pub(super) fn mean(self, two: Points, four: Points) -> Points {
        let sum = (SHARES - self.four) * i128::from(two) + self.four * i128::from(four);
        sum.div_euclid(SHARES) as Points
    }

    /// The largest value of a 2 with which the mean is at most `bound`; both tiles must come.
    pub(super) fn most_of_two(self, four: Points, bound: Points) -> Points {
        most(SHARES - self.four, self.four * i128::from(four), bound)
    }

    /// The same of a 4.
    pub(super) fn most_of_four(self, two: Points, bound: Points) -> Points {
        most(self.four, (SHARES - self.four) * i128::from(two), bound)
    }
}

/// The largest x with floor((share · x + rest) / SHARES) ≤ bound.
fn most(share: i128, rest: i128, bound: Points) -> Points {
    let below = (i128::from(bound) + 1) * SHARES - rest;
    let x = (below - 1).div_euclid(share);
    x.clamp(i128::from(LEAST), i128::from(MOST)) as Points
}

#[cfg(test)]
mod tests {
    use super::*;
    use maxtile_game::Random;

    #[test]
    fn bounds_are_the_last_that_hold() {
        let mut random = Random::new(1);
        for p4 in [0.1, 0.5, 0.9, 1e-9] {
            let mix = Mix::of(SpawnLaw::new(p4).unwrap());
            for _ in 0..2_000 {
                let mut draw = || random.below(1 << 42) as Points - (1 << 41);
                let (known, bound) = (draw(), draw());
                let two = mix.most_of_two(known, bound);
                if two < MOST {
                    assert!(mix.mean(two, known) <= bound && mix.mean(two + 1, known) > bound);
                }
                let four = mix.most_of_four(known, bound);
                if four > LEAST && four < MOST {
                    assert!(mix.mean(known, four) <= bound && mix.mean(known, four + 1) > bound);
                }
            }
        }
    }

    #[test]
    fn judgements_that_are_no_numbers_do_no_harm() {
        assert_eq!(points(f32::NAN), 0);
        assert_eq!(points(f32::INFINITY), CLAMP);
        assert_eq!(number(points(-3.25)), -3.25);
        let half = Mix::of(SpawnLaw::new(0.5).unwrap());
        assert_eq!(number(half.mean(points(2.0), points(5.0))), 3.5);
    }
}
