//! Evaluations and matches are the same for any number of threads, and stop where they should.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use maxtile_game::{Game, GameSeed, Random, Rules, SpawnLaw};
use maxtile_lab::{
    Agent, Evaluation, Setting, Until, Verdict, Watch, compare, evaluate, player_random,
};

static NEVER: AtomicBool = AtomicBool::new(false);

fn rules(size: &str) -> Rules {
    Rules { shape: size.parse().unwrap(), law: SpawnLaw::new(0.2).unwrap() }
}

fn play(agent: &str, size: &str, until: Until, threads: usize) -> Evaluation {
    let agent = Agent::parse(agent, rules(size)).unwrap();
    let setting = Setting { rules: rules(size), seed: 5, threads };
    let watch = Watch { progress: &|_| (), stop: &NEVER };
    Evaluation { seconds: 0.0, ..evaluate(&agent, &setting, until, true, &watch) }
}

#[test]
fn any_number_of_threads_plays_the_same_games() {
    let close = Until::Relative { half_width: 0.03, at_least: 50, at_most: 100_000 };
    for (agent, size) in [("random", "4x4"), ("greedy(net=empties)", "3x4")] {
        for until in [Until::Games(1), Until::Games(333), close] {
            let one = play(agent, size, until, 1);
            for threads in [2, 3, 8] {
                assert_eq!(play(agent, size, until, threads), one, "{agent} {until:?} {threads}");
            }
        }
    }
}

#[test]
fn the_games_are_those_of_the_documented_seeds() {
    let result = play("random", "3x3", Until::Games(40), 2);
    for (index, (played, record)) in result.games.iter().zip(&result.records).enumerate() {
        let index = index as u64;
        let mut game = Game::new(rules("3x3"), GameSeed { run: 5, index });
        let mut random = player_random(5, index);
        assert_eq!(random, Random::stream(5 ^ 0x706c6179657273, index));
        while let legal = game.board().legal_moves()
            && let Some(mv) = legal.nth(random.below(legal.len() as u64) as usize)
        {
            game.play(mv);
        }
        game.set_player("random");
        assert_eq!(record, game.record());
        assert_eq!(played.score, game.score());
        assert_eq!(played.moves as usize, game.record().plies.len());
        assert_eq!(played.max_exponent, game.board().max_exponent());
    }
    assert_eq!((result.games.len(), result.records.len(), result.interrupted), (40, 40, false));
}

#[test]
fn close_enough_is_close_enough() {
    let until = |half_width, at_most| Until::Relative { half_width, at_least: 100, at_most };
    let result = play("random", "4x4", until(0.02, 1_000_000), 2);
    let scores = result.summary.unwrap().scores;
    let reached = scores.half_width().unwrap() / scores.mean();
    assert!(reached <= 0.02 && reached > 0.017, "{reached}");
    let cut = play("random", "4x4", until(0.0001, 777), 2);
    assert_eq!((cut.games.len(), cut.interrupted), (777, false));
    let early = play("random", "4x4", until(0.5, 1_000_000), 2);
    assert_eq!(early.games.len(), 100);
}

/// The interval of an evaluation that stops by itself is a little too narrow at worst.
#[test]
fn stopping_by_the_interval_keeps_its_promise() {
    let truth = play("random", "2x3", Until::Games(400_000), 2).summary.unwrap().scores.mean();
    let agent = Agent::parse("random", rules("2x3")).unwrap();
    let watch = Watch { progress: &|_| (), stop: &NEVER };
    let until = Until::Relative { half_width: 0.05, at_least: 100, at_most: 100_000 };
    let runs = 1000;
    let covered = (0..runs).filter(|seed| {
        let setting = Setting { rules: rules("2x3"), seed: 1000 + seed, threads: 1 };
        let scores = evaluate(&agent, &setting, until, false, &watch).summary.unwrap().scores;
        (scores.mean() - truth).abs() <= scores.half_width().unwrap()
    });
    let share = covered.count() as f64 / runs as f64;
    assert!((0.93..=0.97).contains(&share), "{share}");
}

/// Stopped by its own progress, as Ctrl-C would do: however the threads were scheduled, some games
/// are complete then, and far from all.
#[test]
fn a_stop_leaves_complete_games_without_gaps() {
    let stop = AtomicBool::new(false);
    let progress = |progress: &maxtile_lab::Progress| {
        if progress.games >= 20 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let agent = Agent::parse("random", rules("4x4")).unwrap();
    let setting = Setting { rules: rules("4x4"), seed: 5, threads: 2 };
    let watch = Watch { progress: &progress, stop: &stop };
    let result = evaluate(&agent, &setting, Until::Games(1_000_000), true, &watch);
    let games = result.games.len();
    assert!(result.interrupted && (20..1_000_000).contains(&games), "{games}");
    assert_eq!(result.records.len(), games);
    let whole = play("random", "4x4", Until::Games(games as u64), 1);
    assert_eq!((result.games, result.summary), (whole.games, whole.summary));
}

#[test]
fn progress_is_told_and_ends_with_the_last_game() {
    let last = AtomicU64::new(0);
    let progress = |progress: &maxtile_lab::Progress| {
        assert!(progress.games <= progress.most);
        last.store(progress.games, Ordering::Relaxed);
    };
    let agent = Agent::parse("random", rules("4x4")).unwrap();
    let setting = Setting { rules: rules("4x4"), seed: 5, threads: 2 };
    let watch = Watch { progress: &progress, stop: &NEVER };
    evaluate(&agent, &setting, Until::Games(500), false, &watch);
    assert_eq!(last.into_inner(), 500);
}

#[test]
fn matches() {
    let verdict = |a: &str, b: &str, threads| {
        let [a, b] = [a, b].map(|text| Agent::parse(text, rules("4x4")).unwrap());
        let setting = Setting { rules: rules("4x4"), seed: 5, threads };
        let watch = Watch { progress: &|_| (), stop: &NEVER };
        let result = compare([&a, &b], &setting, 500, &watch);
        assert!(!result.interrupted);
        assert_eq!(result.scores.map(|scores| scores.count()), [result.differences.count(); 2]);
        (result.verdict, result.differences, result.half_width)
    };
    let better = verdict("greedy(net=empties)", "random", 1);
    assert_eq!(better.0, Verdict::ABetter);
    assert!(better.1.count() < 200 && better.1.mean() - better.2.unwrap() > 0.0);
    for threads in [2, 5] {
        assert_eq!(verdict("greedy(net=empties)", "random", threads), better);
    }
    let worse = verdict("random", "greedy(net=empties)", 2);
    assert_eq!((worse.0, worse.1.mean()), (Verdict::BBetter, -better.1.mean()));
    let same = verdict("random", "random", 2);
    assert_eq!((same.0, same.1.mean(), same.2), (Verdict::Undecided, 0.0, Some(0.0)));
}
