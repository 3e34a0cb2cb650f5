//! Each rule against three steps computed by hand from its equations.
//!
//! The network has two tuples of one cell each on a 1×2 board, so m = 2 and V = u[left] + w[right].
//! The game: afterstates A = (1, 0), B = (2, 1), C = (3, 0), rewards 4 for the move to B and 8 for
//! the move to C, then the end. A and C share the weight w[0].

use super::*;
use crate::spec::Spec;

const A: u64 = 0x01;
const B: u64 = 0x12;
const C: u64 = 0x03;

fn network() -> Network {
    let spec = Spec {
        name: "test".to_owned(),
        board: "1x2".to_owned(),
        tuples: vec![vec![0], vec![1]],
        values: 4,
        symmetric: false,
    };
    Network::new(spec).unwrap()
}

/// Tells the rule of a game, with the values that the network has at each choice.
fn play<S: Step, C: Credit>(network: &Network, step: &S, credit: &C, game: &[(u64, f32)]) {
    let mut trace = C::Trace::default();
    for &(word, reward) in game {
        let mut octets = [[0; 8]];
        network.plan.indices(&[word], &mut octets);
        let chosen = Chosen { word, reward, value: network.sum(&octets), octets: &octets };
        credit.chosen(&mut trace, network, step, chosen);
    }
    credit.over(&mut trace, network, step);
}

const GAME: [(u64, f32); 3] = [(A, 2.0), (B, 4.0), (C, 8.0)];

/// u[1], u[2], u[3], w[0], w[1].
fn weights(network: &Network) -> [f32; 5] {
    let (u, w) = (network.table(0), network.table(1));
    [u[1], u[2], u[3], w[0], w[1]]
}

fn close(found: [f32; 5], expected: [f32; 5]) {
    for (f, e) in found.iter().zip(&expected) {
        assert!((f - e).abs() < 1e-5, "{found:?} instead of {expected:?}");
    }
}

#[test]
fn td0() {
    // A: 4 + 0 − 0 = 4, so u[1] = w[0] = 1. C is now worth 1; B: 8 + 1 − 0 = 9, so u[2] = w[1] =
    // 2.25. End: 0 − 1, so u[3] = −0.25, w[0] = 0.75.
    for rate in [Rate::Distributed(0.5), Rate::PerWeight(0.25)] {
        let network = network();
        play(&network, &Td::new(rate, &network), &OneStep, &GAME);
        close(weights(&network), [1.0, 2.25, -0.25, 0.75, 2.25]);
    }
}

#[test]
fn tc0() {
    let network = network();
    let coherence = Coherence::new(&network).unwrap();
    let step = Tc::new(Rate::Distributed(1.0), &network, &coherence);
    // A: 4, all rates 1, so u[1] = w[0] = 2. B: 8 + 2 = 10, so u[2] = w[1] = 5.
    // End: 0 − 2, so u[3] = −1, w[0] = 1 with E = 2, A = 6.
    play(&network, &step, &OneStep, &GAME);
    close(weights(&network), [2.0, 5.0, -1.0, 1.0, 5.0]);
    // A alone: 0 − 3. u[1]: E/A = 4/4, so 2 − 1.5. w[0]: 2/6, so 1 − 0.5.
    play(&network, &step, &OneStep, &[(A, 2.0)]);
    close(weights(&network), [0.5, 5.0, -1.0, 0.5, 5.0]);
    let (signed, absolute) = coherence.table(&network, 1);
    assert_eq!((signed[0], absolute[0]), (-1.0, 9.0));
    let (signed, absolute) = coherence.table(&network, 0);
    assert_eq!((signed[1], absolute[1]), (1.0, 7.0));
}

#[test]
fn delayed_until_the_end() {
    assert_eq!(Delayed::new(0.5).length(), 4);
    // Nothing is learned before the end: errors 4, 8, 0. A: 4 + 0.5·8 = 8; B: 8; C: 0.
    let network = network();
    play(&network, &Td::new(Rate::Distributed(0.5), &network), &Delayed::new(0.5), &GAME);
    close(weights(&network), [2.0, 2.0, 0.0, 2.0, 2.0]);
}

#[test]
fn delayed_by_two() {
    assert_eq!(Delayed::new(0.3).length(), 2);
    // When C is chosen, A learns 4 + 0.3·8 = 6.4: u[1] = w[0] = 1.6. End: C's error is −1.6, B learns
    // 8 − 0.3·1.6 = 7.52: 1.88 each; then C learns −1.6: −0.4 each.
    let network = network();
    play(&network, &Td::new(Rate::Distributed(0.5), &network), &Delayed::new(0.3), &GAME);
    close(weights(&network), [1.6, 1.88, -0.4, 1.2, 1.88]);
}

#[test]
fn delayed_with_lambda_zero_is_one_step() {
    let (one, two) = (network(), network());
    play(&one, &Td::new(Rate::Distributed(0.5), &one), &OneStep, &GAME);
    play(&two, &Td::new(Rate::Distributed(0.5), &two), &Delayed::new(0.0), &GAME);
    close(weights(&one), weights(&two));
}

#[test]
fn backward() {
    // C: target 0, error 0. B: 8 + 0 + 0, error 8: u[2] = w[1] = 2, V(B) = 4 now.
    // A: 4 + 0.5·8 + 0.5·4 = 10: 2.5 each.
    let network = network();
    play(&network, &Td::new(Rate::Distributed(0.5), &network), &Backward::new(0.5), &GAME);
    close(weights(&network), [2.5, 2.0, 0.0, 2.5, 2.0]);
}

#[test]
fn backward_coherent() {
    // As above with rate 1 and all agreements 1: B: u[2] = w[1] = 4, V(B) = 8; A: 4 + 4 + 4 = 12: 6
    // each. The second game: C: 0 − (0 + 6) = −6: u[3] −3 (first error), w[0]: E/A = 12/12: 3, E = 6,
    // A = 18. B: 8 + 0 + 0.5·V(C), V(C) = −3 + 3 = 0: error 8 − 8 = 0. A: 4 + 0.5·8 + 0.5·8 = 12,
    // V(A) = 6 + 3: error 3: u[1] = 6 + 1.5; w[0] = 3 + 1.5·6/18 = 3.5.
    let network = network();
    let coherence = Coherence::new(&network).unwrap();
    let step = Tc::new(Rate::Distributed(1.0), &network, &coherence);
    play(&network, &step, &Backward::new(0.5), &GAME);
    close(weights(&network), [6.0, 4.0, 0.0, 6.0, 4.0]);
    play(&network, &step, &Backward::new(0.5), &GAME);
    close(weights(&network), [7.5, 4.0, -3.0, 3.5, 4.0]);
}

#[test]
fn optimistic_start() {
    let network = network();
    network.set_all(320.0);
    close(weights(&network), [160.0; 5]);
    // TD(0) then draws unseen values down: A: 4 + 320 − 320.
    play(&network, &Td::new(Rate::Distributed(0.5), &network), &OneStep, &[(A, 0.0)]);
    close(weights(&network), [80.0, 160.0, 160.0, 80.0, 160.0]);
}
