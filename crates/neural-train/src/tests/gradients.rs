//! Outputs against the inference of play, gradients of every layer against finite differences.

use burn::{Device, Tensor, TensorData};
use maxtile_game::Grid;
use maxtile_neural::{Head, Judges, Network, Precision, Weights, named};

use super::{cnn, dense_and_normalised, pairs, ppo, transitions, weights};
use crate::model::{Mode, Model, read};
use crate::place::Place;
use crate::policy_batch::{Goals, PolicyBatch, PolicyRule};
use crate::trainer::{Loss, value_loss};

fn device() -> Device {
    Place::Cpu.device().unwrap()
}

#[test]
fn outputs_are_those_of_play() {
    let mut all: Vec<Weights> =
        [cnn(), dense_and_normalised(), ppo(Judges::States, true), ppo(Judges::Afterstates, false)]
            .map(weights)
            .to_vec();
    for name in ["cnn-tiny", "ppo-afterstate-small", "ppo-normal-small-3x3"] {
        all.push(weights(named(name).unwrap()));
    }
    for weights in all {
        let boards = pairs(&weights).0;
        let model = Model::new(&weights, &device());
        let heads = model.forward(&model.tensors, model.planes(&boards), Mode::Play).heads;
        let ours = read(Tensor::cat(heads, 1)).unwrap();
        let network = Network::new(&weights, Precision::Full);
        let width = network.outputs();
        network.run(&mut network.context(), boards.iter().copied(), |board, theirs| {
            for (a, b) in ours[board * width..].iter().zip(theirs) {
                assert!((a - b).abs() < 1e-4, "{}: {a} and {b}", weights.spec().name);
            }
        });
    }
}

/// Compares the gradient of a loss with differences, at some numbers of every tensor.
fn check(
    what: &str,
    weights: &Weights,
    boards: &[Grid],
    loss_of: impl Fn(&[Tensor<2>]) -> Tensor<1>,
) {
    let model = Model::new(weights, &device());
    let of = |model: &Model, leaves: &[Tensor<2>]| {
        loss_of(&model.forward(leaves, model.planes(boards), Mode::Learning).heads)
    };
    let leaves = model.leaves();
    let loss = of(&model, &leaves);
    let size = f64::from(read(loss.clone().inner()).unwrap()[0].abs());
    let rounding = 2.0 * f64::from(f32::EPSILON) * size.max(0.3);
    let gradients = model.gradients(&leaves, loss.backward());
    let learned: Vec<usize> = model.learned().collect();
    assert_eq!(gradients.len(), learned.len());
    for (index, gradient) in learned.into_iter().zip(gradients) {
        let gradient = read(gradient).unwrap();
        let largest = gradient.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
        // What is added to all preferences changes nothing.
        let idle = model.name(index) == "heads.preference.bias";
        assert!(largest > 1e-4 || idle, "{what}: {} does not learn", model.name(index));
        let apart = gradient.len().div_ceil(9);
        for place in (0..gradient.len()).step_by(apart) {
            let at = |by: f32| {
                let mut changed = model.tensors.clone();
                let mut numbers = read(changed[index].clone()).unwrap();
                numbers[place] += by;
                let data = TensorData::new(numbers, changed[index].dims());
                changed[index] = Tensor::from_data(data, &model.device);
                f64::from(read(of(&model, &changed)).unwrap()[0])
            };
            let difference = |step: f32| (at(step) - at(-step)) / f64::from(2.0 * step);
            // A corner of the loss may lie within one stretch, hardly within a shorter one too; of shorter ones
            // rounding says less.
            let steps = [2e-3, 5e-4];
            let good = |step: &f32| {
                let gap = (difference(*step) - f64::from(gradient[place])).abs();
                gap < 0.02 * f64::from(largest) + rounding / f64::from(*step)
            };
            assert!(
                steps.iter().any(good),
                "{what}: {}[{place}] has {} instead of {:?}",
                model.name(index),
                gradient[place],
                steps.map(difference)
            );
        }
    }
}

#[test]
fn gradients_of_values() {
    let networks = [
        (cnn(), Loss::Squared),
        (ppo(Judges::Afterstates, false), Loss::Huber(0.5)),
        (ppo(Judges::Afterstates, true), Loss::Squared),
        (dense_and_normalised(), Loss::Squared),
    ];
    for (spec, loss) in networks {
        let weights = weights(if spec.heads.len() == 1 {
            spec
        } else {
            maxtile_neural::Spec { heads: vec![Head::Value], ..spec }
        });
        let (boards, targets) = pairs(&weights);
        let targets = TensorData::new(targets, [boards.len(), 1]);
        let targets = Tensor::<2>::from_data(targets, &device());
        check("values", &weights, &boards, |heads| {
            value_loss(heads[0].clone(), targets.clone(), loss)
        });
    }
}

#[test]
fn gradients_of_policies() {
    for judges in [Judges::States, Judges::Afterstates] {
        for (norm, masked, entropy) in [(true, true, 0.0), (false, false, 0.1)] {
            let weights = weights(ppo(judges, norm));
            let moves = transitions(&weights, 3);
            // Advantages and targets that do not move with the weights, and of course no policy that the
            // critic is weighed by: differences would see it.
            let goals = Goals::Given {
                advantages: moves.iter().map(|t| t.reward - 0.3).collect(),
                targets: moves.iter().map(|t| 0.5 - t.reward).collect(),
            };
            let rule = PolicyRule { discount: 0.9, lambda: 0.8, clip: 0.2, entropy, masked };
            let batch = PolicyBatch::new(judges, moves, goals);
            let device = device();
            if judges == Judges::States {
                check("policy", &weights, batch.boards(), |heads| {
                    batch.loss(heads[0].clone(), heads[1].clone(), &rule, &device).unwrap().0
                });
            } else {
                // Only the actor, then only the critic, by holding the other one still.
                let fixed = |head: usize| {
                    let model = Model::new(&weights, &device);
                    let input = model.planes(batch.boards());
                    model.forward(&model.tensors, input, Mode::Learning).heads[head].clone()
                };
                let (preferences, values) = (fixed(0), fixed(1));
                let actor =
                    maxtile_neural::Spec { heads: vec![Head::Preference], ..ppo(judges, norm) };
                let critic = maxtile_neural::Spec { heads: vec![Head::Value], ..ppo(judges, norm) };
                check("critic", &super::weights(critic), batch.boards(), |heads| {
                    let found = batch.loss(preferences.clone(), heads[0].clone(), &rule, &device);
                    found.unwrap().0
                });
                let still = values.zeros_like();
                check("actor", &super::weights(actor), batch.boards(), |heads| {
                    // Values of 0 are 0 however they are weighed.
                    batch.loss(heads[0].clone(), still.clone(), &rule, &device).unwrap().0
                });
            }
        }
    }
}
