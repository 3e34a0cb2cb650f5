//! A player judged by games, with the luck taken out by the truth.
//!
//! What best play gets is known, and what each move loses of it. A player's expected score is what best
//! play gets less what his moves are expected to lose, whatever the spawns are, and losses of a good player spread
//! far less than scores do. So a search too slow to be asked in every state is judged by a few thousand games.

use maxtile_game::{Board, Move, Record};
use maxtile_solve::{Table, TableError};

use crate::stats::Moments;

/// Losses are added in these parts of a point, as whole numbers.
const PARTS: f64 = 1e6;

/// What games say of a player.
#[derive(Clone, Copy, Debug, Default)]
pub struct Losses {
    /// The moves of all games.
    pub moves: u64,
    /// Of these, moves where others lead elsewhere.
    pub choices: u64,
    /// Choices in which a best move was taken.
    pub agreed: u64,
    /// By game, in millionths of a point.
    games: Moments,
}

impl Losses {
    /// Looks at the games of one player by a solved board whose values are points.
    pub fn of(table: &Table, games: &[Record]) -> Result<Losses, TableError> {
        let mut losses = Losses::default();
        for game in games {
            let mut lost = 0.0;
            for (turn, ply) in game.turns().zip(&game.plies) {
                // What has been played can be played again.
                let Ok(turn) = turn else { break };
                lost += losses.move_of(table, turn.board, ply.mv)?;
            }
            losses.games.add((lost * PARTS).round() as i64);
        }
        Ok(losses)
    }

    fn move_of(&mut self, table: &Table, board: Board, taken: Move) -> Result<f64, TableError> {
        let moves = table.query(board)?.moves;
        let best = moves.first().map_or(0.0, |found| found.value);
        let own = moves.iter().find(|found| found.mv == taken).map_or(best, |found| found.value);
        // Values carry no more digits than this.
        let equal = |value: f64| (best - value).abs() <= 1e-9 * best.abs().max(1.0);
        self.moves += 1;
        let first = moves.first().map(|found| found.afterstate.canonical());
        if moves.iter().any(|found| Some(found.afterstate.canonical()) != first) {
            self.choices += 1;
            self.agreed += u64::from(equal(own));
        }
        Ok(if equal(own) { 0.0 } else { best - own })
    }

    /// What a game loses, in points.
    pub fn mean(&self) -> f64 {
        self.games.mean() / PARTS
    }

    /// Half the width of its 95 % interval; `None` of fewer than two games.
    pub fn half_width(&self) -> Option<f64> {
        Some(self.games.half_width()? / PARTS)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use maxtile_game::Rules;
    use maxtile_solve::{Analysis, Asked, Problem};

    use super::*;
    use crate::{Agent, Setting, Until, evaluate, judge};

    #[test]
    fn losses_of_games_agree_with_the_exact_judgement() {
        let rules = Rules { shape: "2x3".parse().unwrap(), ..Rules::default() };
        let watch = maxtile_solve::Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let problem = Problem::score("2x3".parse().unwrap());
        let table = Table::in_memory(&problem, 1, watch).unwrap();
        let analysis = Analysis::new(&problem.region, None, false, 1, watch).unwrap();
        let agent = Agent::parse("expectimax(net=heuristic, depth=3)", rules).unwrap();
        let exact = judge(&agent, rules, &analysis, Asked::OwnPlay, false, watch).unwrap();
        let setting = Setting { rules, seed: 7, threads: 1 };
        let watch = crate::Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let played = evaluate(&agent, &setting, Until::Games(4000), true, &watch);
        let losses = Losses::of(&table, &played.records).unwrap();
        let half = losses.half_width().unwrap();
        // 95 % intervals with half their width more: they hold in 997 of 1,000.
        let score = exact.best - losses.mean();
        assert!((score - exact.score).abs() < 1.5 * half, "{score} ± {half}, {}", exact.score);
        // The truth takes luck out: scores of the same games spread more.
        assert!(half < played.summary.unwrap().scores.half_width().unwrap());
        let agreement = losses.agreed as f64 / losses.choices as f64;
        let known = exact.total.agreed / exact.total.choices;
        assert!((agreement - known).abs() < 0.01, "{agreement}, {known}");
        let moves = losses.moves as f64 / 4000.0;
        assert!((moves / exact.total.weight - 1.0).abs() < 0.05, "{moves}");
    }
}
