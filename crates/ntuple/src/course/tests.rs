//! The loop with stages and other games, on boards small enough to follow.

use super::*;
use crate::spec::Spec;
use crate::td::{Backward, Coherence, Delayed, OneStep, Rate, Tc, Td};
use crate::{named, train};
use maxtile_game::{Afterstate, Rules, Shape, SpawnLaw};
use std::sync::atomic::AtomicBool;

fn block(shape: &str, games: u64) -> Block {
    let rules = Rules::of(shape.parse::<Shape>().unwrap());
    Block { rules, seed: 7, first: 0, games, threads: 1, restart: None }
}

fn spec(board: &str, stages: &str) -> Spec {
    Spec { stages: stages.parse().unwrap(), ..named(&format!("lines-{board}")).unwrap() }
}

fn weights(network: &Network) -> Vec<Vec<u32>> {
    let bits = |table| network.table(table).iter().map(|w| w.to_bits()).collect();
    (0..network.tables()).map(bits).collect()
}

/// Without any of its extras a course plays as the plain trainer does.
#[test]
fn a_plain_course_is_the_plain_trainer() {
    let (one, two) = (Network::new(spec("3x3", "one")), Network::new(spec("3x3", "one")));
    let (one, two) = (one.unwrap(), two.unwrap());
    for games in [1, 2, 50] {
        let block = Block { first: games, ..block("3x3", games) };
        let restart = Block { restart: Some(10), ..block };
        let (sums, others) = (Coherence::new(&one).unwrap(), Coherence::new(&two).unwrap());
        let tc = Tc::new(Rate::Distributed(1.0), &one, &sums);
        let td = Td::new(Rate::Distributed(0.1), &one);
        let trained = [
            train(&one, &td, &OneStep, &block),
            train(&one, &tc, &Delayed::new(0.5), &block),
            train(&one, &tc, &Backward::new(0.5), &restart),
        ];
        let tc = Tc::new(Rate::Distributed(1.0), &two, &others);
        let td = Td::new(Rate::Distributed(0.1), &two);
        let learned = [
            learn(&two, &td, &OneStep, &Course::of(block)).played,
            learn(&two, &tc, &Delayed::new(0.5), &Course::of(block)).played,
            learn(&two, &tc, &Backward::new(0.5), &Course::of(restart)).played,
        ];
        assert_eq!(trained, learned);
    }
    assert_eq!(weights(&one), weights(&two));
}

/// A staged network whose split is never reached is the unstaged one.
#[test]
fn a_stage_that_is_never_reached_changes_nothing() {
    let plain = Network::new(spec("2x3", "one")).unwrap();
    let staged = Network::new(spec("2x3", "1024 2048")).unwrap();
    for network in [&plain, &staged] {
        let td = Td::new(Rate::Distributed(0.1), network);
        learn(network, &td, &OneStep, &Course::of(block("2x3", 200)));
    }
    assert_eq!(weights(&plain)[..], weights(&staged)[..plain.tables()]);
    assert!(weights(&staged)[plain.tables()..].iter().flatten().all(|&bits| bits == 0));
    assert!(staged.has_learned(0) && !staged.has_learned(1));
}

/// Every weight of a stage that learned was looked up on a board of that stage: tables of boards
/// without a 32 keep 0 in stage 1 and the other way round.
#[test]
fn stages_learn_apart() {
    for stages in ["32", "tiles-1@32"] {
        for promotion in [false, true] {
            let whole =
                Spec { stages: stages.parse().unwrap(), promotion, ..named("whole-2x2").unwrap() };
            let network = Network::new(whole).unwrap();
            let td = Td::new(Rate::Distributed(0.1), &network);
            let lesson = learn(&network, &td, &OneStep, &Course::of(block("2x2", 2000)));
            let changed = |table: usize, with_32: bool| {
                let table = network.table(table);
                let digits = |mut n: usize| {
                    std::iter::repeat_with(move || {
                        let digit = n % 6;
                        n /= 6;
                        digit
                    })
                };
                let has = |n: usize| digits(n).take(4).any(|digit| digit == 5);
                table.iter().enumerate().filter(|(n, w)| **w != 0.0 && has(*n) == with_32).count()
            };
            assert!(changed(0, false) > 20);
            assert_eq!(changed(0, true), 0, "stage 0 never sees a 32");
            assert!(changed(1, true) > 0);
            assert_eq!(changed(1, false), 0, "the largest tile of 2x2 does not go away");
            assert!(!lesson.reached.is_empty());
            assert!(lesson.reached.iter().all(|r| r.stage == 1 && r.afterstate.max_tile() == 32));
            assert!(lesson.reached.is_sorted_by_key(|r| r.game));
        }
    }
}

#[test]
fn one_set_can_learn_alone() {
    let network = Network::new(spec("2x3", "16")).unwrap();
    let td = Td::new(Rate::Distributed(0.1), &network);
    let course = Course { only: Some(1), ..Course::of(block("2x3", 20)) };
    learn(&network, &td, &OneStep, &course);
    assert!(!network.has_learned(0) && network.has_learned(1));
}

#[test]
fn games_start_where_they_should() {
    let network = Network::new(named("whole-2x2").unwrap()).unwrap();
    let td = Td::new(Rate::Distributed(0.1), &network);
    // Over at once, and one move from the end.
    let boards: [Board; 2] = ["2x2:1221".parse().unwrap(), "2x2:1234".parse().unwrap()];
    let starts = Starts::InTurn(&boards[..1]);
    let lesson = learn(&network, &td, &OneStep, &Course { starts, ..Course::of(block("2x2", 5)) });
    assert!(lesson.played.iter().all(|played| played.moves == 0 && played.largest == 2));
    let starts = Starts::InTurn(&boards);
    let lesson = learn(&network, &td, &OneStep, &Course { starts, ..Course::of(block("2x2", 5)) });
    let largest: Vec<u8> = lesson.played.iter().map(|played| played.largest).collect();
    assert_eq!(largest, [2, 4, 2, 4, 2]);
    let starts = Starts::AnyOf(&boards);
    let lesson = learn(&network, &td, &OneStep, &Course { starts, ..Course::of(block("2x2", 99)) });
    let fours = lesson.played.iter().filter(|played| played.largest == 4).count();
    assert!((30..70).contains(&fours), "{fours}");
}

/// Sums the rewards it is told of.
struct Spy(std::sync::Mutex<f32>);

impl Credit for Spy {
    type Trace = f32;

    fn chosen<S: Step>(&self, sum: &mut f32, _: &Network, _: &S, chosen: Chosen<'_>) {
        *sum += chosen.reward + chosen.value;
    }

    fn over<S: Step>(&self, sum: &mut f32, _: &Network, _: &S) {
        *self.0.lock().unwrap() += *sum;
    }
}

/// Where nothing is known a greedy move is one with the most points: what the rule is told sums to
/// the score of greedy games, and to more than the score where other moves are played.
#[test]
fn targets_are_greedy_whatever_is_played() {
    let told_and_scored = |explore: f64, corner: Option<&Corner>| {
        let network = Network::new(named("wu-4x6").unwrap()).unwrap();
        let td = Td::new(Rate::PerWeight(0.1), &network);
        let spy = Spy(std::sync::Mutex::new(0.0));
        let corner = corner.map_or(CornerOf::Off, CornerOf::Rule);
        let course = Course { explore, corner, ..Course::of(block("4x4", 20)) };
        let lesson = learn(&network, &td, &spy, &course);
        let scored: u32 = lesson.played.iter().map(|played| played.score).sum();
        (spy.0.into_inner().unwrap(), scored as f32)
    };
    let (told, scored) = told_and_scored(0.0, None);
    assert_eq!(told, scored);
    let (told, scored) = told_and_scored(0.5, None);
    assert!(told > 1.1 * scored, "{told} {scored}");
    let against = Corner { first: 0.1, later: 0.1, change: CornerChange::Never };
    let (told, scored) = told_and_scored(0.0, Some(&against));
    assert!(told > scored, "{told} {scored}");
}

/// Learned with one a move, an afterstate is worth the number of moves to come.
#[test]
fn step_reward_counts_moves() {
    let network = Network::new(named("whole-2x2").unwrap()).unwrap();
    // Without optimism moves that were never tried would never be.
    network.set_all(30.0);
    let td = Td::new(Rate::Distributed(0.1), &network);
    for _ in 0..40 {
        let course = Course { reward: Reward::Step, ..Course::of(block("2x2", 500)) };
        learn(&network, &td, &OneStep, &course);
    }
    let exam = Exam {
        rules: Rules::of(network.shape()),
        seed: 3,
        games: 500,
        threads: 2,
        reward: Reward::Step,
        corner: None,
    };
    let examined = examine(&network, &exam, &std::sync::atomic::AtomicBool::new(false)).unwrap();
    let moves: u64 = examined.played.iter().map(|played| played.all_moves).sum();
    let mean = moves as f32 / 500.0;
    // Two 2s have merged, one move is made: about the mean is to come, and no score.
    let value = maxtile_search::Value::value(&network, "2x2:2000".parse().unwrap());
    assert!((value + 1.0 - mean).abs() < 0.15 * mean, "{value} for {mean} moves");
}

/// A network of states looks at the spawns of the game that it plays: where every new tile is a 4,
/// what a 2 would bring does not count.
#[test]
fn test_games_of_states_follow_the_spawn_law() {
    let judges = crate::spec::Judges::States;
    let network = Network::new(Spec { judges, ..named("lines-3x3").unwrap() }).unwrap();
    let mut random = Random::new(3);
    for table in 0..network.tables() {
        let weights = network.table(table);
        let weights: Vec<f32> = weights.iter().map(|_| random.below(1000) as f32).collect();
        network.set_table(table, &weights).unwrap();
    }
    let (usual, mut differ) = (SpawnLaw::default(), 0);
    for p4 in [0.0, 0.1, 1.0] {
        let rules = Rules { law: SpawnLaw::new(p4).unwrap(), ..Rules::of("3x3".parse().unwrap()) };
        let reward = Reward::Score;
        let exam = Exam { rules, seed: 5, games: 40, threads: 1, reward, corner: None };
        let played = examine(&network, &exam, &AtomicBool::new(false)).unwrap().played;
        let score = |law: SpawnLaw, game: u64| {
            let mut spawns = Random::stream(5, game);
            let mut board = rules.start(&mut spawns);
            let mut score = 0;
            loop {
                let slides = board.afterstates();
                let worth = |&(_, after, reward): &(Move, Afterstate, u32)| {
                    reward as f32 + network.mean_over_spawns(after, law)
                };
                // The first of the best.
                let first = |best: (Move, _, u32), next| {
                    if worth(&next) > worth(&best) { next } else { best }
                };
                let Some((_, after, reward)) = slides.iter().reduce(first) else { break score };
                score += reward;
                board = rules.law.spawn(after, &mut spawns);
            }
        };
        for game in &played {
            assert_eq!(game.score, score(rules.law, game.game), "p4 {p4}, game {}", game.game);
            differ += u64::from(game.score != score(usual, game.game));
        }
    }
    assert!(differ > 0, "the law must matter here");
}
