//! Players judged by the truth against the same players measured by games.

use std::sync::atomic::AtomicBool;

use maxtile_game::{Rules, Shape};
use maxtile_lab::{Agent, Played, Setting, Until, Watch, evaluate, judge};
use maxtile_solve::{Analysis, Asked, Region};

#[test]
fn exact_scores_lie_in_the_measured_intervals() {
    let rules = Rules::of(Shape::new(2, 3).unwrap());
    let stop = AtomicBool::new(false);
    let watch = maxtile_solve::Watch { progress: &|_| (), stop: &stop };
    let region = Region::full(rules.shape).unwrap();
    let analysis = Analysis::new(&region, None, false, 2, watch).unwrap();
    for text in ["random", "greedy(net=zero)", "greedy(net=empties)"] {
        let agent = Agent::parse(text, rules).unwrap();
        let exact = judge(&agent, rules, &analysis, Asked::Everywhere, false, watch).unwrap();
        assert!((exact.best - 480.258272).abs() < 1e-6, "{}", exact.best);
        assert!(exact.score < exact.best && exact.total.loss > 0.0);
        let setting = Setting { rules, seed: 3, threads: 2 };
        let played = Watch { progress: &|_| (), stop: &stop };
        let played = evaluate(&agent, &setting, Until::Games(40_000), false, &played);
        let scores = played.summary.unwrap().scores;
        // Five standard errors: chance has one in a million.
        let bound = 5.0 * scores.error().unwrap();
        let off = (scores.mean() - exact.score).abs();
        assert!(off < bound, "{text}: {} played, {} exact", scores.mean(), exact.score);
    }
}

#[test]
fn asking_where_the_play_gets_says_the_same_of_the_score() {
    let stop = AtomicBool::new(false);
    let watch = maxtile_solve::Watch { progress: &|_| (), stop: &stop };
    let agents =
        ["random", "greedy(net=zero)", "greedy(net=heuristic)", "expectimax(net=empties, depth=2)"];
    for (shape, symmetric, threads) in [((2, 3), false, 1), ((2, 3), true, 2), ((2, 2), false, 2)] {
        let rules = Rules::of(Shape::new(shape.0, shape.1).unwrap());
        let region = Region::full(rules.shape).unwrap();
        let analysis = Analysis::new(&region, None, symmetric, threads, watch).unwrap();
        for text in agents {
            let agent = Agent::parse(text, rules).unwrap();
            let [all, own] = [Asked::Everywhere, Asked::OwnPlay]
                .map(|asked| judge(&agent, rules, &analysis, asked, true, watch).unwrap());
            assert!((own.score - all.score).abs() < 1e-9, "{text}: {own:?}");
            assert!((own.best - all.best).abs() < 1e-9);
            // Every point that is missing was lost by some decision.
            let missing = own.best - own.score;
            assert!((own.total.loss - missing).abs() < 1e-9, "{text}: {missing} {own:?}");
            // Only who draws his moves gets everywhere.
            if text == "random" {
                assert_eq!(own.total.states, all.total.states);
            } else {
                assert!(own.total.states < all.total.states, "{text}");
            }
            assert!(own.total.agreed <= own.total.choices);
            assert!(own.total.choices <= own.total.weight);
            assert_eq!(all.total.weight, all.total.states as f64);
        }
    }
}

#[test]
fn the_moves_of_own_play_are_those_of_games() {
    let rules = Rules::of(Shape::new(2, 3).unwrap());
    let stop = AtomicBool::new(false);
    let watch = maxtile_solve::Watch { progress: &|_| (), stop: &stop };
    let region = Region::full(rules.shape).unwrap();
    let analysis = Analysis::new(&region, None, false, 2, watch).unwrap();
    let agent = Agent::parse("greedy(net=heuristic)", rules).unwrap();
    let exact = judge(&agent, rules, &analysis, Asked::OwnPlay, false, watch).unwrap();
    let setting = Setting { rules, seed: 5, threads: 2 };
    let played = Watch { progress: &|_| (), stop: &stop };
    let games = evaluate(&agent, &setting, Until::Games(20_000), false, &played).games;
    let moves = |game: &Played| f64::from(game.moves);
    let n = games.len() as f64;
    let mean = games.iter().map(moves).sum::<f64>() / n;
    let spread = games.iter().map(|game| (moves(game) - mean).powi(2)).sum::<f64>() / n;
    // Five standard errors, as above.
    assert!((mean - exact.total.weight).abs() < 5.0 * (spread / n).sqrt(), "{mean} {exact:?}");
}
