//! Players judged by the truth against the same players measured by games.

use std::sync::atomic::AtomicBool;

use maxtile_game::{Rules, Shape};
use maxtile_lab::{Agent, Setting, Until, Watch, evaluate, judge};
use maxtile_solve::{Analysis, Region};

#[test]
fn exact_scores_lie_in_the_measured_intervals() {
    let rules = Rules::of(Shape::new(2, 3).unwrap());
    let stop = AtomicBool::new(false);
    let watch = maxtile_solve::Watch { progress: &|_| (), stop: &stop };
    let region = Region::full(rules.shape).unwrap();
    let analysis = Analysis::new(&region, None, false, 2, watch).unwrap();
    for text in ["random", "greedy(net=zero)", "greedy(net=empties)"] {
        let agent = Agent::parse(text, rules).unwrap();
        let exact = judge(&agent, rules, &analysis, false, watch).unwrap();
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
