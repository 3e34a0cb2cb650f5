//! Networks small enough for every number to be looked at.

mod duel;
mod gradients;
mod learning;
mod pytorch;

use maxtile_game::{Board, Grid, Move, Random, Rules};
use maxtile_neural::{Head, Judges, Layer, Spec, TensorKind, Weights};

use crate::policy_batch::Transition;

fn conv(side: u8, padding: u8, channels: u16, norm: bool) -> Layer {
    let (kernel, padding) = ([side, side], [padding, padding]);
    Layer::Conv { kernel, padding, channels, bias: !norm, norm }
}

fn spec(board: &str, layers: Vec<Layer>, judges: Judges, heads: &[Head]) -> Spec {
    Spec {
        name: "small".to_owned(),
        board: board.to_owned(),
        planes: 8,
        layers,
        heads: heads.to_vec(),
        judges,
        scale: 1.0,
    }
}

/// Two plain convolutions and two dense layers, as CNN22 has them.
fn cnn() -> Spec {
    let dense = |outputs| Layer::Dense { outputs, bias: true, norm: false };
    let layers = vec![conv(2, 0, 4, false), conv(2, 0, 6, false), dense(8), dense(5)];
    spec("3x4", layers, Judges::Afterstates, &[Head::Value])
}

/// A convolution and a dense layer that is normalised, which no paper's network has.
fn dense_and_normalised() -> Spec {
    let dense = Layer::Dense { outputs: 6, bias: false, norm: true };
    let layers = vec![conv(2, 0, 4, true), dense];
    spec("3x3", layers, Judges::Afterstates, &[Head::Value])
}

/// Two padded convolutions, normalised or not, as the networks of PPO have them.
fn ppo(judges: Judges, norm: bool) -> Spec {
    let actor = if judges == Judges::States { Head::Moves } else { Head::Preference };
    let layers = vec![conv(3, 1, 4, norm), conv(3, 1, 3, norm)];
    spec("3x3", layers, judges, &[actor, Head::Value])
}

/// Fresh weights, normalisation moved away from where it begins.
fn weights(spec: Spec) -> Weights {
    let mut weights = Weights::new(spec, 7).unwrap();
    let norms = weights.tensors().iter().enumerate();
    let norms = norms.filter(|(_, t)| !matches!(t.spec.kind, TensorKind::Linear { .. }));
    let norms: Vec<(usize, String)> = norms.map(|(i, t)| (i, t.spec.name.clone())).collect();
    for (index, name) in norms {
        let mut random = Random::stream(3, index as u64);
        for number in weights.get_mut(&name).unwrap() {
            *number += 0.4 * random.unit() as f32 - 0.1;
        }
    }
    weights
}

/// Moves of games by chance, of which a part is left out so that games are not too long.
fn transitions(weights: &Weights, games: u64) -> Vec<Transition> {
    let rules = Rules::of(weights.shape());
    let mut all = Vec::new();
    for game in 0..games {
        let mut random = Random::stream(11, game);
        let mut board: Board = rules.start(&mut random);
        for number in 0.. {
            let legal = board.legal_moves();
            let Some(mv) = legal.nth(random.below(legal.len() as u64) as usize) else { break };
            let (afterstate, points) = board.slide(mv).unwrap();
            let log_chance = -0.4 - random.unit() as f32;
            let reward = points as f32 / 20.0;
            all.push(Transition { board, mv, log_chance, reward, last: number == 9 });
            if number == 9 {
                break;
            }
            board = rules.law.spawn(afterstate, &mut random);
        }
        if let Some(last) = all.last_mut() {
            last.last = true;
        }
    }
    all
}

/// Boards of such games, and targets that have nothing to do with them.
fn pairs(weights: &Weights) -> (Vec<Grid>, Vec<f32>) {
    let boards: Vec<Grid> = transitions(weights, 2).iter().map(|t| t.board.grid()).collect();
    let mut random = Random::new(17);
    let targets = boards.iter().map(|_| 3.0 * random.unit() as f32 - 1.0).collect();
    (boards, targets)
}

/// Every move somewhere, illegal ones too: or there would be nothing to mask.
#[test]
fn the_moves_to_learn_from_are_of_all_kinds() {
    let moves = transitions(&weights(ppo(Judges::States, true)), 4);
    for mv in Move::ALL {
        assert!(moves.iter().any(|t| t.mv == mv));
        assert!(moves.iter().any(|t| !t.board.legal_moves().contains(mv)));
    }
    assert_eq!(moves.iter().filter(|t| t.last).count(), 4);
}
