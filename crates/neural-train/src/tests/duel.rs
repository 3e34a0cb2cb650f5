//! Duels on boards so small that the best is known, and networks that tell who was asked.

use std::collections::HashMap;

use maxtile_game::{Board, DuelRules, Random, Rules, Side, SpawnLaw, Tiles};
use maxtile_neural::{Extra, Head, Judges, Layer, Spec, Weights};

use crate::{
    DuelLearner, DuelLesson, DuelSettings, Images, Loss, Optimizer, Place, TrainError, Trainer,
};

const BOTH: DuelLesson = DuelLesson { defender: true, attacker: true, chance: false };

fn weights(board: &str, judges: Judges, seed: u64) -> Weights {
    let dense = |outputs| Layer::Dense { outputs, bias: true, norm: false };
    let spec = Spec {
        name: "dense".to_owned(),
        board: board.to_owned(),
        planes: 6,
        layers: vec![dense(64), dense(32)],
        heads: vec![Head::Value],
        judges,
        scale: 10.0,
    };
    Weights::new(spec, seed).unwrap()
}

fn pair(board: &str) -> [Weights; 2] {
    [weights(board, Judges::Afterstates, 1), weights(board, Judges::States, 2)]
}

fn settings(board: &str) -> DuelSettings {
    // As many 4s as 2s at the start: the attacker likes them.
    let law = SpawnLaw::new(0.5).unwrap();
    DuelSettings {
        rules: DuelRules { shape: board.parse().unwrap(), law, ..DuelRules::default() },
        seed: 1,
        opening: 2,
        discount: 1.0,
        batch: 64,
        loss: Loss::Squared,
        images: Images::Random,
        seats: 8,
        threads: 1,
    }
}

fn learner(pair: &[Weights; 2], settings: DuelSettings) -> DuelLearner {
    let [defender, attacker] = pair
        .each_ref()
        .map(|weights| Trainer::new(weights, Optimizer::Adam, Place::Cpu, 1).unwrap());
    DuelLearner::new(defender, attacker, settings).unwrap()
}

fn both(learner: &DuelLearner) -> [Weights; 2] {
    [Side::Defender, Side::Attacker].map(|side| learner.weights(side).unwrap())
}

fn numbers(extras: &[Extra], name: &str) -> Vec<f32> {
    extras.iter().find(|extra| extra.name == name).unwrap().numbers.clone()
}

/// The defender's network says 0.25 of everything and the attacker's 0.0625. In units of ten points rewards
/// have other fractions, so that each target says which network it comes from.
#[test]
fn each_side_is_asked_about_its_own_positions() {
    let mut networks = pair("2x2");
    for (weights, value) in networks.iter_mut().zip([0.25, 0.0625]) {
        weights.get_mut("heads.value.weight").unwrap().fill(0.0);
        weights.get_mut("heads.value.bias").unwrap().fill(value);
    }
    // So large a batch that nothing is learned.
    let mut learner = learner(&networks, DuelSettings { batch: 1 << 20, ..settings("2x2") });
    let games = learner.learn(BOTH, 0, 200, 0.1).unwrap().games;
    assert_eq!(games.len(), 200);
    for (side, value) in [(Side::Defender, 0.25), (Side::Attacker, 0.0625)] {
        let extras = learner.extras(side).unwrap();
        let targets = numbers(&extras, "waiting.targets");
        let points = |target: f32| {
            let whole = |points: f32| (points - points.round()).abs() < 1e-4;
            [0.0, value].map(|after| 10.0 * (target - after)).into_iter().find(|p| whole(*p))
        };
        assert!(targets.len() > 100);
        assert!(targets.iter().all(|target| points(*target).is_some()), "{side}: {targets:?}");
        let ends = targets.iter().filter(|target| (10.0 * **target).fract().abs() < 1e-4).count();
        assert!(ends > 50 && ends < targets.len(), "{side}: {ends} of {}", targets.len());
        // What a slide leaves has a free cell; what the attacker left at the end has none.
        let boards = numbers(&extras, "waiting.boards");
        let full = boards.chunks(4).filter(|cells| cells.iter().all(|cell| *cell > 0.0)).count();
        assert_eq!(full > 0, side == Side::Attacker, "{side}: {full} full boards");
    }
}

/// What a board with the defender to move is worth between two who know.
fn exact(board: Board, known: &mut HashMap<Board, u32>) -> u32 {
    if let Some(&value) = known.get(&board) {
        return value;
    }
    let mut best = 0;
    for (_, afterstate, points) in board.afterstates().iter() {
        let placed =
            Tiles::Any.placements(afterstate).map(|spawn| afterstate.spawn(spawn).unwrap());
        let least = placed.map(|board| exact(board, known)).min().unwrap();
        best = best.max(points + least);
    }
    known.insert(board, best);
    best
}

/// Both sides come to play the smallest board as those who know: the same starts come to the same points.
#[test]
fn the_smallest_duel_is_learned() {
    let settings = settings("2x2");
    let DuelRules { shape, law, .. } = settings.rules;
    let start = |game| {
        let mut random = Random::stream(9, game);
        // How many random placements: none.
        random.below(1);
        Rules { shape, law }.start(&mut random)
    };
    let mut known = HashMap::new();
    let best: Vec<u32> = (0..500).map(|game| exact(start(game), &mut known)).collect();
    assert_eq!(
        best.iter().min(),
        Some(&8),
        "the attacker's best start, and the exact score of the board"
    );
    let best: u32 = best.iter().sum();
    let mut learner = learner(&pair("2x2"), settings);
    learner.learn(BOTH, 0, 10_000, 0.003).unwrap();
    learner.learn(BOTH, 10_000, 10_000, 0.0005).unwrap();
    learner.settings.opening = 0;
    let made: u32 = learner.play(9, 0, 500).unwrap().iter().map(|game| game.score).sum();
    assert!(made.abs_diff(best) < best / 20, "{made} points, exact {best}");
}

/// Only the side that learns changes.
#[test]
fn the_other_side_is_frozen() {
    let lesson = |defender, attacker, chance| DuelLesson { defender, attacker, chance };
    for (lesson, changes) in [
        (lesson(true, false, true), [true, false]),
        (lesson(true, false, false), [true, false]),
        (lesson(false, true, false), [false, true]),
        (BOTH, [true, true]),
        (DuelLesson::default(), [false, false]),
    ] {
        let networks = pair("2x2");
        let mut learner = learner(&networks, settings("2x2"));
        learner.learn(lesson, 0, 100, 0.003).unwrap();
        let now = both(&learner);
        assert_eq!([0, 1].map(|side| now[side] != networks[side]), changes, "{lesson:?}");
    }
}

/// A learner that was stopped goes on to the same numbers, whatever the threads.
#[test]
fn a_stopped_learner_goes_on_to_the_bit() {
    let (networks, settings) = (pair("2x3"), DuelSettings { batch: 23, ..settings("2x3") });
    let mut whole = learner(&networks, settings);
    whole.learn(BOTH, 0, 30, 0.003).unwrap();
    whole.learn(BOTH, 30, 30, 0.003).unwrap();
    let mut first = learner(&networks, settings);
    first.learn(BOTH, 0, 30, 0.003).unwrap();
    let mut second = learner(&both(&first), DuelSettings { threads: 3, ..settings });
    for side in [Side::Defender, Side::Attacker] {
        let (steps, extras) = (first.steps(side), first.extras(side).unwrap());
        assert!(steps > 3 && !numbers(&extras, "waiting.targets").is_empty(), "{side}");
        second.restore(side, steps, &extras).unwrap();
    }
    second.learn(BOTH, 30, 30, 0.003).unwrap();
    assert_eq!(both(&second), both(&whole));
    for side in [Side::Defender, Side::Attacker] {
        assert_eq!(second.extras(side).unwrap(), whole.extras(side).unwrap());
    }
    // Test games change nothing, and are the same every time.
    let played = whole.play(9, 0, 20).unwrap();
    assert_eq!((second.play(9, 0, 20).unwrap(), played.len()), (played, 20));
    assert_eq!(both(&second), both(&whole));
}

#[test]
fn networks_of_the_wrong_side_are_refused() {
    let [defender, attacker] = pair("2x2");
    let trainer = |weights| Trainer::new(weights, Optimizer::Adam, Place::Cpu, 1).unwrap();
    let wrong = DuelLearner::new(trainer(&attacker), trainer(&defender), settings("2x2"));
    assert!(matches!(wrong.err(), Some(TrainError::NoHead("value of afterstates"))));
}
