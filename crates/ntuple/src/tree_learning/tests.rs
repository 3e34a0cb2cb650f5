use maxtile_game::{Rules, Spawn, SpawnLaw};
use maxtile_search::Value;

use super::*;
use crate::spec::Spec;
use crate::td::{Rate, Td};

/// Judges of 1×2: what each says of 0 2, 2 0, 0 3 and 3 0.
struct Judge([f32; 4]);

const A: Judge = Judge([6.0, 10.0, 24.0, 20.0]);
const B: Judge = Judge([8.0, 5.0, 12.0, 30.0]);

impl Value for Judge {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        let known = ["1x2:02", "1x2:20", "1x2:03", "1x2:30"].map(|text| text.parse().unwrap());
        for (afterstate, value) in afterstates.iter().zip(out) {
            *value = self.0[known.iter().position(|k: &Afterstate| k == afterstate).unwrap()];
        }
    }
}

const FOUR: Spawn = Spawn { cell: 1, exponent: 2 };
const TWO: Spawn = Spawn { cell: 1, exponent: 1 };

/// 1 1: right to 0 2 (afterstate 0) and left to 2 0 (1), 4 points each. A 4 behind 2 0 (probability 0.1) leads to
/// 2 2: right to 0 3 (2) and left to 3 0 (3), 8 points each.
fn tree(judges: &[Judge], backup: Backup) -> Tree<'_, Judge> {
    let mut tree = Tree::new(judges, backup, SpawnLaw::default());
    tree.grow("1x2:11".parse().unwrap(), 0, &mut Random::new(1));
    let leaf = tree.open(1, FOUR);
    tree.climb(leaf);
    tree
}

fn close(found: f32, expected: f32) {
    assert!((found - expected).abs() < 1e-4, "{found}, not {expected}");
}

/// 2 2 is worth the best of 8 + 24 and 8 + 20: 2 0 is worth 0.1 · 32 + 0.9 · 10.
#[test]
fn plain_by_hand() {
    let judges = [A];
    let tree = tree(&judges, Backup::Best);
    close(tree.chances()[1].value(0), 12.2);
    close(tree.chances()[0].value(0), 6.0);
    assert_eq!((tree.best(0, 0), tree.chances()[1].visits, tree.judged), (1, 1, 4));
    // Of the afterstates behind 2 0 the tree would play 0 3.
    let played: Vec<bool> = (0..4).map(|chance| tree.would_play(chance)).collect();
    assert_eq!(played, [false, true, true, false]);
}

/// In 2 2, B holds left for the best (8 + 30), so A's value is 8 + 20; A holds right for the best (8 + 24), so B's
/// is 8 + 12. Then 2 0 is worth 0.1 · 28 + 0.9 · 10 to A and 0.1 · 20 + 0.9 · 5 to B.
#[test]
fn double_by_hand() {
    let judges = [A, B];
    let tree = tree(&judges, Backup::Crossed);
    close(tree.chances()[1].value(0), 11.8);
    close(tree.chances()[1].value(1), 6.5);
    assert_eq!(tree.judged, 8, "two judges count twice");
}

/// Another visit of 2 2 goes left to 3 0, where a 2 (probability 0.9) ends the game: 3 0 is worth 0.1 · 20, left
/// 8 + 2. With one visit each (the first was right, the best) 2 2 is worth (32 + 10) / 2.
#[test]
fn visits_by_hand() {
    let judges = [A];
    let mut tree = tree(&judges, Backup::Visits);
    close(tree.chances()[1].value(0), 12.2);
    let leaf = tree.open(3, TWO);
    tree.climb(leaf);
    close(tree.chances()[3].value(0), 2.0);
    close(tree.chances()[1].value(0), 0.1 * 21.0 + 0.9 * 10.0);
}

/// A 2 behind 2 0 ends the game: with both spawns looked at nothing of the judge's word is left.
#[test]
fn complete_by_hand() {
    let judges = [A];
    let mut tree = tree(&judges, Backup::Best);
    assert!(!tree.chances()[1].complete());
    let leaf = tree.open(1, TWO);
    tree.climb(leaf);
    assert!(tree.chances()[1].complete() && !tree.chances()[2].complete());
    close(tree.chances()[1].value(0), 3.2);
}

/// A plain table of 1×2 that learns a target at once.
fn table() -> Network {
    let board = "1x2".to_owned();
    Network::new(Spec { board, ..Spec::classic("test", &[&[0, 1]], 6, false) }).unwrap()
}

fn course(targets: TreeTargets) -> TreeCourse {
    let rules = Rules { shape: "1x2".parse().unwrap(), ..Rules::default() };
    let block = Block { rules, seed: 1, first: 0, games: 1, threads: 1, restart: None };
    TreeCourse { block, targets, simulations: 0, samples: 5, lambda: 0.5 }
}

/// Lets a game of two turns be learned: 2 0, made 10 of by the tree, then 8 points and 3 0, made 20 of. The first tree
/// also has 0 3 at 13.
fn learned(targets: TreeTargets) -> [f32; 3] {
    let network = table();
    let (networks, course) = ([&network], course(targets));
    let steps = [Td::new(Rate::PerWeight(1.0), &network)];
    let mut pupil = Pupil::new(&networks, &steps, &course);
    let [a, b, x] = ["1x2:20", "1x2:30", "1x2:03"].map(|text| text.parse().unwrap());
    let turn = |afterstate, reward, value, samples| {
        let judged = 0.0;
        Turn { afterstate, reward, judged, value, samples }
    };
    if targets == TreeTargets::Returns {
        pupil.turns = vec![turn(a, 4.0, 10.0, 0), turn(b, 8.0, 20.0, 0)];
    } else {
        pupil.turns = vec![turn(a, 4.0, 10.0, 2), turn(b, 8.0, 20.0, 1)];
        pupil.samples = vec![(a, 10.0), (x, 13.0), (b, 20.0)];
    }
    assert_eq!(pupil.promised(), (0.0, 8.0));
    pupil.learn_from_game();
    [a, b, x].map(|afterstate| network.value(afterstate))
}

/// Nothing comes after 3 0. From 2 0: 8 points, then half of what the tree says (20) and half of what came (0).
#[test]
fn returns_by_hand() {
    assert_eq!(learned(TreeTargets::Returns), [18.0, 0.0, 0.0]);
}

/// Nothing comes after 3 0: 20 + (0 − 20). From 2 0: 8 points, half of what the network has just learned of 3 0 and
/// half of what came, 0 both: 10 + (8 − 10). 0 3 stays 3 above it: 13 + (8 − 10).
#[test]
fn anchored_by_hand() {
    assert_eq!(learned(TreeTargets::Anchored), [8.0, 0.0, 11.0]);
    assert_eq!(learned(TreeTargets::Line), [8.0, 0.0, 11.0], "it differs in whom it samples");
}

/// The network that drove learns the other one's value; the most visited come first.
#[test]
fn the_driver_learns_what_the_other_says() {
    let networks = [table(), table()];
    networks[0].set_table(0, &[3.0; 36]).unwrap();
    networks[1].set_table(0, &[5.0; 36]).unwrap();
    let (pair, course) = ([&networks[0], &networks[1]], course(TreeTargets::Double));
    let steps = pair.map(|network| Td::new(Rate::PerWeight(1.0), network));
    let mut pupil = Pupil::new(&pair, &steps, &course);
    for driver in [0, 1] {
        pupil.tree.driver = driver;
        pupil.tree.grow("1x2:11".parse().unwrap(), 0, &mut Random::new(1));
        let leaf = pupil.tree.open(1, TWO);
        pupil.tree.climb(leaf);
        pupil.samples.clear();
        pupil.sample();
        // A 2 ends the game: a tenth of what the other one says of 2 0.
        let (afterstate, target) = pupil.samples[0];
        assert_eq!((pupil.samples.len(), afterstate.to_string().as_str()), (1, "1x2:20"));
        close(target, 0.1 * [5.0, 3.0][driver]);
    }
    let (afterstate, target) = pupil.samples[0];
    pupil.learn(afterstate, target);
    close(networks[1].value(afterstate), 0.3);
    close(networks[0].value(afterstate), 3.0);
}

/// A table of 2×2 comes to the exact values: best play makes 66.96.
#[test]
fn lines_of_trees_learn_2x2() {
    let network = Network::new(crate::named("whole-2x2").unwrap()).unwrap();
    network.set_all(80.0);
    let rules = Rules::of(network.shape());
    let mut last = Vec::new();
    for first in (0..6_000).step_by(500) {
        let factor = 1.0 - first as f32 / 6_500.0;
        let steps = [Td::new(Rate::Distributed(0.1 * factor), &network)];
        let block = Block { rules, seed: 2, first, games: 500, threads: 1, restart: None };
        let targets = TreeTargets::Line;
        let course = TreeCourse { block, targets, simulations: 10, samples: 5, lambda: 0.5 };
        last.extend(learn_trees(&[&network], &steps, &course));
    }
    let last = &last[4_000..];
    let sum = |of: fn(&TreeGame) -> f64| last.iter().map(of).sum::<f64>();
    let score = sum(|game| f64::from(game.played.score)) / last.len() as f64;
    assert!((64.0..69.5).contains(&score), "{score}");
    let ratio = sum(|game| game.estimate) / sum(|game| game.realised);
    assert!((0.9..1.05).contains(&ratio), "{ratio}");
    // What a game is worth at its start, by all starts alike but for their probabilities.
    let mut start = 0.0;
    for game in 0..2_000 {
        let board = rules.start(&mut Random::stream(77, game));
        let worth = |(_, afterstate, reward)| reward as f32 + network.value(afterstate);
        start += f64::from(board.afterstates().iter().map(worth).fold(0.0, f32::max)) / 2_000.0;
    }
    assert!((start / 66.96 - 1.0).abs() < 0.05, "{start}");
}
