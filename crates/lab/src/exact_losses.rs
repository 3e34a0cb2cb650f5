//! A player judged by games, with the luck taken out by the truth.
//!
//! A score is what best play gets, less what the moves lost of it, plus luck: both are known for every
//! game of a solved board, and luck is nothing on average. So a mean of scores may be corrected by
//! any multiple of the mean luck; the multiple that leaves the least spread is found by regression. A good
//! player's scores are mostly luck, and his interval becomes several times narrower.

use maxtile_game::{Board, Move, Record};
use maxtile_solve::{Table, TableError};

use crate::distributions::student_bound;

/// What games say of a player.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// The moves of all games.
    pub moves: u64,
    /// Of these, moves where others lead elsewhere.
    pub choices: u64,
    /// Choices in which a best move was taken.
    pub agreed: u64,
    /// What the moves of all games lost.
    pub loss: f64,
    /// Score and luck of each game.
    games: Vec<[f64; 2]>,
}

/// The expected score as games have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corrected {
    /// The expected score.
    pub score: f64,
    /// Half the width of its 95 % interval.
    pub half_width: f64,
}

impl Losses {
    /// Looks at the games of one player by a solved board whose values are points; `best` is what best
    /// play is expected to get.
    pub fn of(table: &Table, best: f64, games: &[Record]) -> Result<Losses, TableError> {
        let mut losses = Losses::default();
        for game in games {
            let (mut lost, mut score) = (0.0, 0);
            for (index, turn) in game.turns().enumerate() {
                // What has been played can be played again.
                let Ok(turn) = turn else { break };
                score = turn.score;
                if let Some(ply) = game.plies.get(index) {
                    lost += losses.move_of(table, turn.board, ply.mv)?;
                }
            }
            let score = f64::from(score);
            losses.loss += lost;
            losses.games.push([score, score - best + lost]);
        }
        Ok(losses)
    }

    fn move_of(&mut self, table: &Table, board: Board, taken: Move) -> Result<f64, TableError> {
        let moves = table.query(board)?.moves;
        let best = moves.first().map_or(0.0, |found| found.value);
        let own = moves.iter().find(|found| found.mv == taken).map_or(best, |found| found.value);
        // Values carry no more digits than this.
        let equal = best - own <= 1e-9 * best.abs().max(1.0);
        self.moves += 1;
        let first = moves.first().map(|found| found.afterstate.canonical());
        if moves.iter().any(|found| Some(found.afterstate.canonical()) != first) {
            self.choices += 1;
            self.agreed += u64::from(equal);
        }
        Ok(if equal { 0.0 } else { best - own })
    }

    /// The expected score; `None` of fewer than three games.
    pub fn corrected(&self) -> Option<Corrected> {
        Losses::correct(&self.games)
    }

    /// The luck of each game.
    pub fn luck(&self) -> impl Iterator<Item = f64> {
        self.games.iter().map(|game| game[1])
    }

    /// The expected score by scores and luck of games.
    pub fn correct(games: &[[f64; 2]]) -> Option<Corrected> {
        let n = games.len();
        let freedom = n.checked_sub(2).filter(|&freedom| freedom > 0)?;
        let mean = |which: usize| games.iter().map(|game| game[which]).sum::<f64>() / n as f64;
        let means = [mean(0), mean(1)];
        let product = |a: usize, b: usize| {
            games.iter().map(|game| (game[a] - means[a]) * (game[b] - means[b])).sum::<f64>()
        };
        let (spread, luck) = (product(0, 0), product(1, 1));
        let share = if luck > 0.0 { product(0, 1) / luck } else { 0.0 };
        let left = (spread - share * share * luck).max(0.0) / freedom as f64;
        let half_width = student_bound(0.05, freedom as u64) * (left / n as f64).sqrt();
        Some(Corrected { score: means[0] - share * means[1], half_width })
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
        let losses = Losses::of(&table, exact.best, &played.records).unwrap();
        let Corrected { score, half_width: half } = losses.corrected().unwrap();
        // 95 % intervals with half their width more: they hold in 997 of 1,000.
        assert!((score - exact.score).abs() < 1.5 * half, "{score} ± {half}, {}", exact.score);
        // The truth takes luck out: scores of the same games spread more.
        let plain = played.summary.unwrap().scores.half_width().unwrap();
        assert!(half < 0.8 * plain, "{half}, {plain}");
        let agreement = losses.agreed as f64 / losses.choices as f64;
        let known = exact.total.agreed / exact.total.choices;
        assert!((agreement - known).abs() < 0.01, "{agreement}, {known}");
        let moves = losses.moves as f64 / 4000.0;
        assert!((moves / exact.total.weight - 1.0).abs() < 0.05, "{moves}");
    }
}
