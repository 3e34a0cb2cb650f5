//! The loss of PPO over a batch of moves, and what advantages and targets are.

use burn::{Device, Tensor, TensorData, activation};
use maxtile_game::{Board, Grid, Move};
use maxtile_neural::Judges;

use crate::error::TrainError;
use crate::model::read;

/// What a move that is not legal loses before the softmax.
const NEVER: f32 = -1e9;

/// How PPO learns from moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicyRule {
    /// What the next value is multiplied by.
    pub discount: f32,
    /// How far advantages reach.
    pub lambda: f32,
    /// How far the chance of a move may leave what it was.
    pub clip: f32,
    /// What the entropy of the policy is worth.
    pub entropy: f32,
    /// Are illegal moves left out of the softmax in learning, as they are in play?
    pub masked: bool,
}

/// A move that was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    /// Where.
    pub board: Board,
    /// Which.
    pub mv: Move,
    /// The logarithm of its chance then.
    pub log_chance: f32,
    /// Its reward, in the units of the value head.
    pub reward: f32,
    /// Was it the last one of its game?
    pub last: bool,
}

/// What each move of a batch is to learn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Goals {
    /// From the values of the pass itself: the batch is whole games.
    OfValues,
    /// Worked out before, for batches that are parts.
    Given {
        /// How much better than expected the moves were, normalised.
        advantages: Vec<f32>,
        /// What the values should have been.
        targets: Vec<f32>,
    },
}

/// Moves as a network takes them.
#[derive(Clone, Debug)]
pub(crate) struct PolicyBatch {
    judges: Judges,
    transitions: Vec<Transition>,
    boards: Vec<Grid>,
    goals: Goals,
}

/// What a step of PPO came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PolicyLoss {
    /// The loss before the step.
    pub loss: f64,
    /// How far the policy is from the one that played: mean of ρ − 1 − log ρ, which is never below 0.
    pub kl: f64,
    /// Its mean entropy.
    pub entropy: f64,
    /// The share of moves whose chance was cut off.
    pub clipped: f64,
    /// The largest value in size.
    pub largest: f64,
}

impl PolicyBatch {
    pub(crate) fn new(judges: Judges, transitions: Vec<Transition>, goals: Goals) -> PolicyBatch {
        let boards = match judges {
            Judges::States => transitions.iter().map(|t| t.board.grid()).collect(),
            // Four for each, masked or not, as the paper's program has it: what is normalised by the batch
            // sees illegal ones too.
            Judges::Afterstates => transitions.iter().flat_map(|t| four_slides(t.board)).collect(),
        };
        PolicyBatch { judges, transitions, boards, goals }
    }

    pub(crate) fn boards(&self) -> &[Grid] {
        &self.boards
    }

    /// The loss with gradients, and what it says without.
    pub(crate) fn loss(
        &self,
        preferences: Tensor<2>,
        values: Tensor<2>,
        rule: &PolicyRule,
        device: &Device,
    ) -> Result<(Tensor<1>, PolicyLoss), TrainError> {
        let count = self.transitions.len();
        let matrix = |numbers: Vec<f32>, cols: usize| {
            Tensor::<2>::from_data(TensorData::new(numbers, [count, cols]), device)
        };
        let mut preferences = preferences.reshape([count, 4]);
        if rule.masked {
            preferences = preferences + matrix(self.mask(), 4);
        }
        let logs = activation::log_softmax(preferences, 1);
        let chances = logs.clone().exp();
        let values = match self.judges {
            Judges::States => values,
            // The policy is a constant here: values do not teach it.
            Judges::Afterstates => {
                let weights = chances.clone().inner();
                (values.reshape([count, 4]) * weights).sum_dim(1)
            }
        };
        let seen = read(values.clone().inner())?;
        let (advantages, targets) = match &self.goals {
            Goals::Given { advantages, targets } => (advantages.clone(), targets.clone()),
            Goals::OfValues => {
                let (mut advantages, targets) = advantages(&self.transitions, &seen, rule);
                normalise(&mut advantages);
                (advantages, targets)
            }
        };
        let old: Vec<f32> = self.transitions.iter().map(|t| t.log_chance).collect();
        let chosen = (logs.clone() * matrix(self.chosen(), 4)).sum_dim(1);
        let seen_logs = read(chosen.clone().inner())?;
        let ratio = (chosen - matrix(old.clone(), 1)).exp();
        let advantages = matrix(advantages, 1);
        let (low, high) = (1.0 - rule.clip, 1.0 + rule.clip);
        let cut = ratio.clone().clamp(low, high) * advantages.clone();
        let gain = (ratio * advantages).min_pair(cut);
        let entropy = (chances * logs).sum_dim(1).neg();
        let gap = values - matrix(targets, 1);
        let seen_entropy = read(entropy.clone().inner().mean())?;
        let loss = (gap.square() * 0.5 - gain - entropy * rule.entropy).mean();

        let gaps: Vec<f32> = old.iter().zip(&seen_logs).map(|(old, new)| old - new).collect();
        let beyond = gaps.iter().filter(|gap| !(low..=high).contains(&(-**gap).exp())).count();
        let found = PolicyLoss {
            loss: 0.0,
            kl: mean(gaps.iter().map(|&gap| f64::from(-gap).exp_m1() + f64::from(gap))),
            entropy: seen_entropy.first().map_or(0.0, |entropy| f64::from(*entropy)),
            clipped: beyond as f64 / count.max(1) as f64,
            largest: seen.iter().fold(0.0, |most, value| f64::max(most, f64::from(value.abs()))),
        };
        Ok((loss, found))
    }

    fn mask(&self) -> Vec<f32> {
        let four = |t: &Transition| {
            let legal = t.board.legal_moves();
            Move::ALL.map(|mv| if legal.contains(mv) { 0.0 } else { NEVER })
        };
        self.transitions.iter().flat_map(four).collect()
    }

    fn chosen(&self) -> Vec<f32> {
        let four = |t: &Transition| Move::ALL.map(|mv| f32::from(u8::from(mv == t.mv)));
        self.transitions.iter().flat_map(four).collect()
    }
}

/// The boards after all four moves: one that is not legal leaves the board as it is.
pub(crate) fn four_slides(board: Board) -> [Grid; 4] {
    Move::ALL.map(|mv| board.slide(mv).map_or(board.grid(), |(afterstate, _)| afterstate.grid()))
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for number in numbers {
        sum += number;
        count += 1;
    }
    sum / f64::from(count.max(1))
}

/// Generalised advantages of moves by the values of their positions, and one-step targets. Both begin
/// anew at the end of a game, after which there is nothing to come.
pub(crate) fn advantages(
    moves: &[Transition],
    values: &[f32],
    rule: &PolicyRule,
) -> (Vec<f32>, Vec<f32>) {
    let mut advantages = vec![0.0; moves.len()];
    let mut targets = vec![0.0; moves.len()];
    let (mut ahead, mut next) = (0.0, 0.0);
    for (index, mv) in moves.iter().enumerate().rev() {
        if mv.last {
            (ahead, next) = (0.0, 0.0);
        }
        targets[index] = mv.reward + rule.discount * next;
        ahead = targets[index] - values[index] + rule.discount * rule.lambda * ahead;
        advantages[index] = ahead;
        next = values[index];
    }
    (advantages, targets)
}

/// Mean 0 and deviation 1, by the unbiased variance.
pub(crate) fn normalise(numbers: &mut [f32]) {
    let middle = mean(numbers.iter().map(|x| f64::from(*x)));
    let squares: f64 = numbers.iter().map(|x| (f64::from(*x) - middle).powi(2)).sum();
    let deviation = (squares / (numbers.len().max(2) - 1) as f64).sqrt() + 1e-8;
    for number in numbers {
        *number = ((f64::from(*number) - middle) / deviation) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(rewards: &[(f32, bool)]) -> Vec<Transition> {
        let board = "1100000000000000".parse().unwrap();
        let made =
            |&(reward, last)| Transition { board, mv: Move::Left, log_chance: 0.0, reward, last };
        rewards.iter().map(made).collect()
    }

    #[test]
    fn advantages_by_hand() {
        let rule = PolicyRule { discount: 0.5, lambda: 0.5, clip: 0.2, entropy: 0.0, masked: true };
        // Two games: of three moves, and of one.
        let moves = moves(&[(1.0, false), (2.0, false), (4.0, true), (8.0, true)]);
        let values = [1.0, 3.0, 2.0, 5.0];
        let (advantages, targets) = advantages(&moves, &values, &rule);
        assert_eq!(targets, [1.0 + 0.5 * 3.0, 2.0 + 0.5 * 2.0, 4.0, 8.0]);
        // Errors 1.5, 0, 2, 3; each plus a quarter of what follows in its game.
        assert_eq!(advantages, [1.5 + 0.25 * 0.5, 0.25 * 2.0, 2.0, 3.0]);
    }

    #[test]
    fn normalised_numbers() {
        let mut numbers = [1.0, 2.0, 3.0, 4.0, 5.0];
        normalise(&mut numbers);
        let deviation = 2.5f32.sqrt();
        for (number, want) in numbers.iter().zip([-2.0, -1.0, 0.0, 1.0, 2.0]) {
            assert!((number - want / deviation).abs() < 1e-6);
        }
        let mut one = [7.0];
        normalise(&mut one);
        assert_eq!(one, [0.0]);
    }
}
