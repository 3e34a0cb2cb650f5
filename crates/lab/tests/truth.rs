//! Learned values against exact ones: on small boards the optimum is known.
//!
//! The whole-board tuple is a plain table, so learning must come to the true values: within half a
//! per cent of the optimal expected score, and its greedy play within half a per cent of optimal.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use maxtile_game::{Afterstate, Board, Rules, Shape};
use maxtile_lab::training::{NAMED_RECIPES, Origin, Recipe, Session};
use maxtile_ntuple::Network;
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

/// Learns by a recipe that comes with the program: with a falling rate, so that the noise of the
/// spawns averages out, from an optimistic start, without which greedy play never tries what it has
/// not seen.
fn learn(name: &str, changes: &[(&str, &str)]) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let changed = changes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let (_, text) = NAMED_RECIPES.iter().find(|(known, _)| *known == name).unwrap();
    let recipe = Recipe::parse(text, &changed.collect::<Vec<_>>()).unwrap();
    let mut session =
        Session::begin(recipe, &folder.path().join("run"), &Origin::default()).unwrap();
    session.forget_at_end();
    session.run(&mut |_| (), &AtomicBool::new(false)).unwrap();
    let optimum = optimum(session.network().unwrap().shape());
    let (expected, played) = judge(session.network().unwrap());
    assert!((expected / optimum - 1.0).abs() < 0.005, "thinks {expected} of {optimum}");
    assert!(played > 0.995 * optimum, "plays {played} of {optimum}");
    assert!(played <= optimum + 1e-6);
    optimum
}

#[test]
fn whole_2x2_comes_to_the_optimum() {
    let optimum = learn("whole-2x2", &[]);
    assert!((optimum - 66.964149).abs() < 1e-6, "the recursion here is right: {optimum}");
}

#[test]
fn whole_2x2_backward_comes_to_the_optimum() {
    learn("whole-2x2", &[("credit", "backward"), ("lambda", "0")]);
}

#[test]
fn whole_2x3_comes_to_the_optimum() {
    let optimum = learn("whole-2x3", &[]);
    assert!((optimum - 480.258272).abs() < 1e-6, "the recursion here is right: {optimum}");
}

#[test]
fn whole_2x3_by_temporal_coherence_comes_to_the_optimum() {
    let games = "1100000";
    let rate = [("step", "tc"), ("rate", "0.5"), ("rate-factor", "0.3"), ("explore", "0")];
    learn("whole-2x3", &[&rate[..], &[("games", games), ("rate-until", games)]].concat());
}
