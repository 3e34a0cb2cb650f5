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
    let spec = Spec { board: "1x2".to_owned(), ..Spec::classic("test", &[&[0], &[1]], 4, false) };
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

#[test]
fn forward_lambda() {
    // From the end, with λ = 0.5 and five steps, rate 0.5 shared by two weights.
    // C: nothing follows: target 0, error 0.
    // B: R₁ = 8 + V(C) = 8, R₂ … R₅ = 8: error 8, u[2] = w[1] = 2, V(B) = 4.
    // A: R₁ = 4 + V(B) = 8, R₂ = 4 + 8 + V(C) = 12, R₃ = R₄ = R₅ = 12:
    // 0.5·8 + 0.25·12 + 0.125·12 + 0.125·12 = 10: u[1] = w[0] = 2.5.
    let network = network();
    let step = Td::new(Rate::Distributed(0.5), &network);
    play(&network, &step, &Forward::lambda(0.5, 5), &GAME);
    close(weights(&network), [2.5, 2.0, 0.0, 2.5, 2.0]);
    // Again. C: 0 − (0 + 2.5): −0.625 each: u[3] = −0.625, w[0] = 1.875, V(C) = 1.25.
    // B: R₁ = 8 + 1.25, the rest 8: 8 + 0.5·1.25 = 8.625, V(B) = 4: error 4.625, 1.15625 each:
    // u[2] = w[1] = 3.15625, V(B) = 6.3125. A: R₁ = 4 + 6.3125, R₂ = 12 + 1.25, the rest 12:
    // 0.5·10.3125 + 0.25·13.25 + 0.25·12 = 11.46875; V(A) = 2.5 + 1.875: error 7.09375,
    // 1.7734375 each.
    play(&network, &step, &Forward::lambda(0.5, 5), &GAME);
    close(weights(&network), [4.2734375, 3.15625, -0.625, 3.6484375, 3.15625]);
}

#[test]
fn forward_looks_several_fours_ahead() {
    // Ten afterstates B with reward 1 and one step of rate 0 would all be alike; what is learned
    // from the 6-step return at the first of a game of 8: six rewards, then V of the seventh.
    let network = network();
    network.set_table(0, &[0.0, 0.0, 0.0, 100.0]).unwrap();
    let step = Td::new(Rate::PerWeight(1.0), &network);
    // 0: A; 1 to 5: B; 6 and 7: C, worth 100. Only what A has learned is looked at: u[1].
    let mut game = vec![(A, 0.0)];
    game.extend([(B, 1.0); 5]);
    game.extend([(C, 1.0), (C, 1.0)]);
    // Lessons: 7: C: 0 − 100: u[3] = 0, w[0] = −100. 6: C: 1 − (−100) = 101: u[3] = 101, w[0] = 1.
    // 5 to 1 (B, weights u[2] and w[1]) do not touch u[1]. 0: A: rewards 6, V(C) = 102, V(A) = 1:
    // error 107.
    play(&network, &step, &Forward::n_step(6), &game);
    assert!((network.table(0)[1] - 107.0).abs() < 1e-4, "{}", network.table(0)[1]);
}

#[test]
fn n_step() {
    // Two steps. C: 0. B: 8 + 0: error 8: 2 each. A: 4 + 8 + V(C) = 12: 3 each.
    let two = network();
    play(&two, &Td::new(Rate::Distributed(0.5), &two), &Forward::n_step(2), &GAME);
    close(weights(&two), [3.0, 2.0, 0.0, 3.0, 2.0]);
    // One step from the end is the backward rule with λ = 0.
    let (one, backward) = (network(), network());
    for _ in 0..2 {
        play(&one, &Td::new(Rate::Distributed(0.5), &one), &Forward::n_step(1), &GAME);
        play(&backward, &Td::new(Rate::Distributed(0.5), &backward), &Backward::new(0.0), &GAME);
    }
    close(weights(&one), weights(&backward));
}

#[test]
fn autostep() {
    let network = network();
    let sizes = StepSizes::new(&network).unwrap();
    let step = Autostep::new(Rate::Distributed(1.0), 0.1, &network, &sizes);
    // A: error 4, traces 0, so v = 0 and the rates stay 0.5: u[1] = w[0] = 2, h = 2.
    // B: 8 + V(C) = 8 + 2: u[2] = w[1] = 5, h = 5.
    // End: C is worth 2, error −2. u[3] is new: rate 0.5. w[0]: x = |−2·2| = 4, v = 4, rate
    // 0.5·e^(−0.1) = 0.452419. Their sum is below 1. u[3] = −1, w[0] = 2 − 0.904837 = 1.095163,
    // h of w[0] = 2·(1 − 0.452419) − 0.904837 = 0.190325.
    play(&network, &step, &OneStep, &GAME);
    close(weights(&network), [2.0, 5.0, -1.0, 1.095163, 5.0]);
    let traces = sizes.numbers(&network, 1, 1);
    assert!((traces[0] - 0.190325).abs() < 1e-5 && (traces[1] - 5.0).abs() < 1e-5, "{traces:?}");
    // B alone: 0 − 10, traces 5: x = 50, v = 50, rates 0.5·e^(−0.1): 5 − 4.52419 each.
    play(&network, &step, &OneStep, &[(B, 0.0)]);
    close(weights(&network), [2.0, 0.475813, -1.0, 1.095163, 0.475813]);
    // B alone again: error −0.951626, h = 5·0.547581 − 4.52419 = −1.786283, so the errors agree now:
    // x = 1.699874, v = 50 + 1e−4·0.452419·(1.699874 − 50) = 49.997815, rate
    // 0.452419·e^(0.1·1.699874/49.997815): the sum stays below 1.
    play(&network, &step, &OneStep, &[(B, 0.0)]);
    let rate = 0.452_418_7 * (0.1f32 * 1.699_874 / 49.997_815).exp();
    let expected = 0.475813 - rate * 0.951626;
    close(weights(&network), [2.0, expected, -1.0, 1.095163, expected]);
}

#[test]
fn autostep_rates_sum_to_one_at_most() {
    let network = network();
    let sizes = StepSizes::new(&network).unwrap();
    let step = Autostep::new(Rate::Distributed(1.0), 1.0, &network, &sizes);
    // B twice with errors of one sign: 0 − V is made negative by optimistic values of another game.
    network.set_table(0, &[0.0, 0.0, 100.0, 0.0]).unwrap();
    // First: error −100, rates 0.5: V = 0, traces −50.
    play(&network, &step, &OneStep, &[(B, 0.0)]);
    network.set_table(0, &[0.0, 0.0, 100.0, 0.0]).unwrap();
    // Now V = 100 − 50 = 50, error −50: rates 0.5·e each, divided by their sum: 0.5 again.
    play(&network, &step, &OneStep, &[(B, 0.0)]);
    close(weights(&network), [0.0, 75.0, 0.0, 0.0, -75.0]);
    let rates = sizes.numbers(&network, 0, 0);
    assert!((rates[2] - 0.5).abs() < 1e-6, "{rates:?}");
}
