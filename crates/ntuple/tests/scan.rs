//! Learned values against exact ones: on small boards the optimum is known.
//!
//! The whole-board tuple is a plain table, so learning must come to the true values: within half a
//! per cent of the optimal expected score, and its greedy play within half a per cent of optimal.

use std::collections::HashMap;

use maxtile_game::{Afterstate, Board, Rules, Shape};
use maxtile_ntuple::td::{Backward, OneStep, Rate, Schedule, Td};
use maxtile_ntuple::{Block, Network, named, train};
use maxtile_search::Value;

/// Expected score from here on, by plain recursion: of the best move, or of the one `choose` takes.
struct Exact<'a> {
    rules: Rules,
    known: HashMap<Board, f64>,
    choose: Option<&'a dyn Fn(Board) -> Option<Afterstate>>,
}

impl Exact<'_> {
    fn value(&mut self, board: Board) -> f64 {
        let key = board.canonical();
        if let Some(&value) = self.known.get(&key) {
            return value;
        }
        let slides = key.afterstates();
        let chosen = self.choose.and_then(|choose| choose(key));
        let mut best = 0.0f64;
        for (_, afterstate, reward) in slides.iter() {
            if self.choose.is_some() && chosen != Some(afterstate) {
                continue;
            }
            best = best.max(f64::from(reward) + self.after(afterstate));
        }
        self.known.insert(key, best);
        best
    }

    fn after(&mut self, afterstate: Afterstate) -> f64 {
        let outcomes: Vec<_> = self.rules.law.outcomes(afterstate).collect();
        outcomes.into_iter().map(|(s, p)| p * self.value(afterstate.spawn(s).unwrap())).sum()
    }

    fn start(&mut self) -> f64 {
        let empty = Afterstate::empty(self.rules.shape);
        let firsts: Vec<_> = self.rules.law.outcomes(empty).collect();
        let second = |(spawn, p): (_, f64), exact: &mut Self| {
            let half = Afterstate::from(empty.spawn(spawn).unwrap().grid());
            p * exact.after(half)
        };
        firsts.into_iter().map(|first| second(first, self)).sum()
    }
}

const RATE: f32 = 0.25;

fn optimum(shape: Shape) -> f64 {
    Exact { rules: Rules::of(shape), known: HashMap::new(), choose: None }.start()
}

/// What the learned table thinks a game is worth, and what its greedy play truly is.
fn judge(network: &Network) -> (f64, f64) {
    let rules = Rules::of(network.shape());
    let best = |board: Board| {
        let slides = board.afterstates();
        let worth = |&(_, a, r): &(_, Afterstate, u32)| f64::from(r as f32 + network.value(a));
        slides.iter().max_by(|x, y| worth(x).total_cmp(&worth(y))).map(|m| (worth(&m), m.1))
    };
    let choose = |board: Board| best(board).map(|(_, afterstate)| afterstate);
    let mut played = Exact { rules, known: HashMap::new(), choose: Some(&choose) };
    let played = played.start();
    let starts = rules.starts();
    let mut expected = 0.0;
    for board in starts {
        // Two spawns in either order.
        let tiles: Vec<f64> =
            board.exponents().filter(|&e| e > 0).map(|e| if e == 1 { 0.9 } else { 0.1 }).collect();
        let cells = rules.shape.cells() as f64;
        let p = 2.0 / (cells * (cells - 1.0)) * tiles.iter().product::<f64>();
        expected += p * best(board).map_or(0.0, |(worth, _)| worth);
    }
    (expected, played)
}

/// Learns with a falling rate, so that the noise of the spawns averages out, from an optimistic
/// start, without which greedy play never tries what it has not seen.
fn learn(name: &str, games: u64, optimism: f32, backward: bool) -> Network {
    let network = Network::new(named(name).unwrap()).unwrap();
    network.set_all(optimism);
    let schedule = Schedule::Linear { at: games, factor: 0.01 };
    for first in (0..games).step_by(1000) {
        let rate = Rate::Distributed(RATE).times(schedule.factor(first));
        let step = Td::new(rate, &network);
        let rules = Rules::of(network.shape());
        let block = Block { rules, seed: 5, first, games: 1000, threads: 1, restart: None };
        if backward {
            train(&network, &step, &Backward::new(0.0), &block);
        } else {
            train(&network, &step, &OneStep, &block);
        }
    }
    network
}

fn assert_learns(name: &str, games: u64, optimism: f32, backward: bool, published: f64) {
    let network = learn(name, games, optimism, backward);
    let optimum = optimum(network.shape());
    assert!((optimum - published).abs() < 1e-6, "the recursion here is right: {optimum}");
    let (expected, played) = judge(&network);
    assert!((expected / optimum - 1.0).abs() < 0.005, "thinks {expected} of {optimum}");
    assert!(played > 0.995 * optimum, "plays {played} of {optimum}");
    assert!(played <= optimum + 1e-6);
}


#[test]
fn scan() {
    let opt = optimum(Shape::new(2,3).unwrap());
    for (games, optimism, rate, factor, kind) in [(1_000_000u64, 600.0f32, 0.5f32, 0.3f32, 3), (1_000_000, 700.0, 0.5, 0.1, 3), (1_000_000, 700.0, 0.3, 0.3, 3)] {
        let network = Network::new(named("whole-2x3").unwrap()).unwrap();
        network.set_all(optimism);
        let coherence = maxtile_ntuple::td::Coherence::new(&network).unwrap();
        let schedule = Schedule::Linear { at: games, factor };
        let clock = std::time::Instant::now();
        for first in (0..games).step_by(1000) {
            let rate = Rate::Distributed(rate).times(schedule.factor(first));
            let rules = Rules::of(network.shape());
            let block = Block { rules, seed: 5, first, games: 1000, threads: 1, restart: None };
            let td = Td::new(rate, &network);
            let tc = maxtile_ntuple::td::Tc::new(rate, &network, &coherence);
            match kind { 0 => train(&network, &td, &OneStep, &block), 1 => train(&network, &td, &Backward::new(0.0), &Block { restart: Some(10), ..block }),
              2 => train(&network, &td, &Backward::new(0.5), &block), 3 => train(&network, &tc, &OneStep, &block), _ => train(&network, &tc, &Backward::new(0.5), &Block { restart: Some(10), ..block }) };
        }
        let (e, p) = judge(&network);
        println!("{games} {optimism} {rate} {factor} kind {kind}: thinks {:.4} plays {:.4} {:.1}s", e/opt, p/opt, clock.elapsed().as_secs_f64());
    }
}
