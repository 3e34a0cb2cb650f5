//! What values promise against what came of it, and on small boards against the truth.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use maxtile_game::{Afterstate, Record, Rules};
use maxtile_search::Value;
use maxtile_solve::{Problem, Region, Table, Watch};
use serde::{Deserialize, Serialize};

/// Means over all afterstates that were played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EstimateReport {
    /// How many.
    pub moves: u64,
    /// What the network says of them.
    pub estimate: f64,
    /// The points that were really made from there.
    pub realised: f64,
    /// Against the values of best play, where the board is small enough to be solved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactReport>,
}

/// Estimates against exact values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExactReport {
    /// The mean of the exact values.
    pub value: f64,
    /// The mean error of the estimates: above 0 they promise too much.
    pub bias: f64,
    /// The root of the mean of its square.
    pub rms: f64,
}

impl EstimateReport {
    /// From sums over so many afterstates.
    pub(super) fn of_sums(moves: u64, estimate: f64, realised: f64) -> EstimateReport {
        let mean = |sum: f64| sum / moves.max(1) as f64;
        let (estimate, realised) = (mean(estimate), mean(realised));
        EstimateReport { moves, estimate, realised, exact: None }
    }

    /// How many times what was made was promised.
    pub fn ratio(&self) -> f64 {
        self.estimate / self.realised
    }
}

/// Boards of at most this many cells are solved: seconds, and half a gigabyte for 3×3.
const SOLVED: usize = 9;

/// Asks a value about every afterstate of some games. `None` when it was stopped while solving the board.
pub(super) fn held_against_games(
    value: &dyn Value,
    games: &[Record],
    rules: Rules,
    stop: &AtomicBool,
) -> Option<EstimateReport> {
    let small = rules.shape.cells() <= SOLVED;
    let table = if small { Some(truth(rules, stop)?) } else { None };
    let (mut moves, mut sums) = (0, [0.0; 2]);
    let (mut known, mut truths, mut bias, mut square) = (0u64, 0.0, 0.0, 0.0);
    for game in games {
        let (afterstates, scores, last) = afterstates(game);
        let mut values = vec![0.0; afterstates.len()];
        value.values(&afterstates, &mut values);
        moves += afterstates.len() as u64;
        for ((afterstate, score), value) in afterstates.into_iter().zip(scores).zip(values) {
            let value = f64::from(value);
            sums[0] += value;
            sums[1] += f64::from(last - score);
            // Every position of a game is in the table of its board.
            if let Some(exact) = table.as_ref().and_then(|table| table.afterstate(afterstate).ok())
            {
                known += 1;
                truths += exact;
                bias += value - exact;
                square += (value - exact).powi(2);
            }
        }
    }
    let n = known.max(1) as f64;
    let exact = ExactReport { value: truths / n, bias: bias / n, rms: (square / n).sqrt() };
    let report = EstimateReport::of_sums(moves, sums[0], sums[1]);
    Some(EstimateReport { exact: table.map(|_| exact), ..report })
}

/// The afterstates of a game, the score after each, and the last score.
fn afterstates(game: &Record) -> (Vec<Afterstate>, Vec<u32>, u32) {
    let (mut afterstates, mut scores) = (Vec::new(), Vec::new());
    let mut last = 0;
    // What has been played can be played again.
    for (turn, ply) in game.turns().map_while(Result::ok).zip(&game.plies) {
        let Some((afterstate, reward)) = turn.board.slide(ply.mv) else { break };
        last = turn.score + reward;
        afterstates.push(afterstate);
        scores.push(last);
    }
    (afterstates, scores, last)
}

/// A solved board and what it was solved for.
type Solved = (Rules, Arc<Table>);

/// The solved board of these rules, solved once in a program. `None` when stopped.
fn truth(rules: Rules, stop: &AtomicBool) -> Option<Arc<Table>> {
    static KNOWN: Mutex<Vec<Solved>> = Mutex::new(Vec::new());
    // Whoever comes second waits and finds it.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, table)) = known.iter().find(|(solved, _)| *solved == rules) {
        return Some(Arc::clone(table));
    }
    let problem = Problem { p4: rules.law.p4(), ..Problem::score(Region::full(rules.shape).ok()?) };
    let watch = Watch { progress: &|_| (), stop };
    let table = Arc::new(Table::in_memory(&problem, 1, watch).ok()?);
    known.push((rules, Arc::clone(&table)));
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Agent, Setting, Until, evaluate};

    /// Ten points more than the truth, everywhere.
    struct Promising(Arc<Table>);

    impl Value for Promising {
        fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
            for (afterstate, value) in afterstates.iter().zip(out) {
                *value = self.0.afterstate(*afterstate).unwrap() as f32 + 10.0;
            }
        }
    }

    #[test]
    fn ten_points_too_many_are_found() {
        let rules = Rules { shape: "2x2".parse().unwrap(), ..Rules::default() };
        let stop = AtomicBool::new(false);
        let agent = Agent::parse("exact", rules).unwrap();
        let setting = Setting { rules, seed: 3, threads: 1 };
        let watch = crate::Watch { progress: &|_| (), stop: &stop };
        let played = evaluate(&agent, &setting, Until::Games(4000), true, &watch);
        let value = Promising(truth(rules, &stop).unwrap());
        let report = held_against_games(&value, &played.records, rules, &stop).unwrap();
        let exact = report.exact.unwrap();
        assert!((exact.bias - 10.0).abs() < 1e-4 && (exact.rms - 10.0).abs() < 1e-4, "{exact:?}");
        assert!((report.estimate - exact.value - 10.0).abs() < 1e-3, "{report:?}");
        // Best play makes what is promised for it, but for luck.
        assert!((report.realised / exact.value - 1.0).abs() < 0.05, "{report:?}");
        assert_eq!(
            report.moves,
            played.games.iter().map(|game| u64::from(game.moves)).sum::<u64>()
        );
    }
}
