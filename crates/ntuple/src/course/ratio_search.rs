//! The corner ratio found by the run itself (ours): a small bandit in each game phase.
//!
//! A phase is a largest tile. In each game every phase draws its ratio: every other time any of the
//! arms, otherwise the best so far. A phase's arm is judged by the scores of the games that came
//! to that phase, old ones counting less and less. Nothing is set by hand but the arms.

use maxtile_game::Random;
use serde::{Deserialize, Serialize};

use super::corner::{Corner, CornerChange};

/// The ratios that are tried.
pub(super) const ARMS: [f32; 6] = [1.0, 1.02, 1.05, 1.1, 1.2, 1.3];
/// What is left of the weight of earlier games after each block.
const KEPT: f64 = 0.9;
/// Phases by the exponent of the largest tile.
const PHASES: usize = 18;
/// "ratios" in ASCII: tells these random numbers from those of the game.
const OWN: u64 = 0x0000_7261_7469_6f73;

/// What is known about the arms of each phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatioSearch {
    /// For each phase and arm the weight and the weighted sum of the scores.
    known: Vec<[(f64, f64); ARMS.len()]>,
}

impl Default for RatioSearch {
    fn default() -> RatioSearch {
        RatioSearch { known: vec![[(0.0, 0.0); ARMS.len()]; PHASES] }
    }
}

impl RatioSearch {
    /// The arm of each phase in a game of a run.
    pub fn draw(&self, seed: u64, game: u64) -> Vec<usize> {
        let mut random = Random::stream(seed ^ OWN, game);
        let arm = |phase: usize| {
            let (any, try_any) = (random.below(ARMS.len() as u64), random.below(2) == 0);
            if try_any { any as usize } else { self.best(phase) }
        };
        (0..PHASES).map(arm).collect()
    }

    /// The corner rule with these arms.
    pub fn corner(arms: &[usize]) -> Corner {
        let ratios = arms.iter().map(|&arm| ARMS[arm]).collect();
        Corner { first: 1.0, later: 1.0, change: CornerChange::Each(ratios) }
    }

    /// The corner rule with the best arms so far.
    pub fn best_corner(&self) -> Corner {
        let arms: Vec<usize> = (0..PHASES).map(|phase| self.best(phase)).collect();
        RatioSearch::corner(&arms)
    }

    /// The ratio that is best so far in each phase that has been reached.
    pub fn ratios(&self) -> impl Iterator<Item = (u32, f32)> {
        let seen = |phase: &usize| self.known[*phase].iter().any(|(weight, _)| *weight > 0.0);
        // Phase 0 is the empty board, on which nobody moves.
        (1..PHASES).filter(seen).map(|phase| (1 << phase, ARMS[self.best(phase)]))
    }

    /// The arm with the largest mean score; the plain one while nothing is known.
    fn best(&self, phase: usize) -> usize {
        let mean = |arm: &usize| {
            let (weight, sum) = self.known[phase][*arm];
            if weight > 0.0 { sum / weight } else { f64::NEG_INFINITY }
        };
        // Of equal ones the first.
        (0..ARMS.len()).rev().max_by(|a, b| mean(a).total_cmp(&mean(b))).unwrap_or(0)
    }

    /// A block is over: for each game its arms, score and the exponent of its largest tile.
    pub fn learn(&mut self, games: &[(Vec<usize>, u32, u8)]) {
        for (weight, sum) in self.known.iter_mut().flatten() {
            (*weight, *sum) = (*weight * KEPT, *sum * KEPT);
        }
        for (arms, score, largest) in games {
            for (phase, &arm) in arms.iter().enumerate().take(*largest as usize + 1) {
                let (weight, sum) = &mut self.known[phase][arm];
                (*weight, *sum) = (*weight + 1.0, *sum + f64::from(*score));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arm_with_the_larger_scores_wins_in_its_phase() {
        let mut search = RatioSearch::default();
        assert_eq!(search.best_corner().ratio(0, "1000000000000000".parse().unwrap()), 1.0);
        // Arm 4 is better up to 512, arm 1 afterwards.
        let arms = |early: usize, late: usize| {
            (0..PHASES).map(|phase| if phase <= 9 { early } else { late }).collect::<Vec<_>>()
        };
        search.learn(&[(arms(4, 0), 5_000, 9), (arms(0, 0), 1_000, 9), (arms(4, 1), 20_000, 11)]);
        let ratio = |text: &str| search.best_corner().ratio(0, text.parse().unwrap());
        assert_eq!(ratio("9000000000000000"), 1.2);
        assert_eq!(ratio("b000000000000000"), 1.02);
        // Nobody came to 8192: nothing is known.
        assert_eq!(ratio("d000000000000000"), 1.0);
        assert_eq!(search.ratios().last(), Some((2048, 1.02)));
    }

    #[test]
    fn old_scores_fade() {
        let mut search = RatioSearch::default();
        let game = |arm: usize, score| (vec![arm; PHASES], score, 11);
        search.learn(&[game(1, 10_000)]);
        // Arm 1 does badly from now on: after twenty blocks its old score weighs little.
        for _ in 0..20 {
            search.learn(&[game(1, 1_000), game(2, 1_500)]);
        }
        assert_eq!(search.best(5), 2);
    }

    #[test]
    fn half_the_draws_are_the_best() {
        let mut search = RatioSearch::default();
        search.learn(&[(vec![3; PHASES], 100, 17)]);
        let draws = (0..2000).map(|game| search.draw(1, game));
        let best = draws.filter(|arms| arms[7] == 3).count();
        // Half, and a sixth of the other half.
        assert!((1090..1240).contains(&best), "{best}");
    }
}
