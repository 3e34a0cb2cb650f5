//! Learning rates: the two conventions of the literature, told apart by type, and schedules.

use serde::{Deserialize, Serialize};

/// A learning rate. The two conventions differ by the number of active weights, a factor of 17 to
/// 96, and mixing them up is the commonest reproduction failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// Every active weight moves by rate · error (Szubert, Wu, Yeh, Kanazawa).
    PerWeight(f32),
    /// The active weights share rate · error (Jaśkowski, Matsuzaki, Guei, TDL2048).
    Distributed(f32),
}

impl Rate {
    /// The rate of one weight of `active` ones.
    pub fn per_weight(self, active: usize) -> f32 {
        match self {
            Rate::PerWeight(rate) => rate,
            Rate::Distributed(rate) => rate / active as f32,
        }
    }

    /// The same convention, scaled.
    #[must_use]
    pub fn times(self, factor: f32) -> Rate {
        match self {
            Rate::PerWeight(rate) => Rate::PerWeight(rate * factor),
            Rate::Distributed(rate) => Rate::Distributed(rate * factor),
        }
    }
}

/// How the rate changes over a run: a factor for each point of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Schedule {
    /// The same rate throughout.
    #[default]
    Constant,
    /// The rate is multiplied by `factor` from game `at` on (Yeh's drop by ten).
    Drop {
        /// The first game with the new rate.
        at: u64,
        /// What it is multiplied by.
        factor: f32,
    },
    /// The rate falls linearly to `factor` times itself at game `at` and stays there.
    Linear {
        /// Where the fall ends.
        at: u64,
        /// What is left then.
        factor: f32,
    },
}

impl Schedule {
    /// The factor for a game.
    pub fn factor(self, game: u64) -> f32 {
        match self {
            Schedule::Constant => 1.0,
            Schedule::Drop { at, factor } => {
                if game < at {
                    1.0
                } else {
                    factor
                }
            }
            Schedule::Linear { at, factor } => {
                let done = (game as f32 / at.max(1) as f32).min(1.0);
                1.0 + done * (factor - 1.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conventions_differ_by_the_number_of_active_weights() {
        assert_eq!(Rate::PerWeight(0.0025).per_weight(32), 0.0025);
        assert_eq!(Rate::Distributed(0.08).per_weight(32), 0.0025);
    }

    #[test]
    fn schedules() {
        let drop = Schedule::Drop { at: 100, factor: 0.1 };
        assert_eq!([0, 99, 100, 1000].map(|g| drop.factor(g)), [1.0, 1.0, 0.1, 0.1]);
        let linear = Schedule::Linear { at: 100, factor: 0.5 };
        assert_eq!([0, 50, 100, 1000].map(|g| linear.factor(g)), [1.0, 0.75, 0.5, 0.5]);
    }
}
