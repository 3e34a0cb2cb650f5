//! Where learned and exact answers meet: a solved board as a value and as a player, players judged by
//! the truth.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use maxtile_game::{Afterstate, Board, Random, Rules, Shape};
use maxtile_search::{
    Counts, Limits, MoveReport, Policy, Query, Report, Step, Value, Worths, best,
};
use maxtile_solve::{Analysis, Asked, Choice, Chooser, Judgement, Problem, Region, Table, Watch};

use crate::catalog::Agent;

/// A solved board as a value of afterstates: playing greedily by it is playing best, but for what
/// 32 bits cannot tell apart.
pub struct Exact(Table);

impl Exact {
    /// Opens a file of `maxtile solve` for boards of this shape and checks all of it, because nobody
    /// could be told later.
    pub fn open(path: &Path, shape: Shape) -> Result<Exact, String> {
        let table = open_points(path, shape)?;
        table.verify().map_err(|cause| cause.to_string())?;
        Ok(Exact(table))
    }
}

/// A solved board of this shape whose values are points.
fn open_points(path: &Path, shape: Shape) -> Result<Table, String> {
    let table = Table::open(path).map_err(|cause| cause.to_string())?;
    if table.region().shape() != shape {
        return Err(format!("its board is {}, not {shape}", table.region().shape()));
    }
    if !table.aim().is_score() {
        return Err(format!("it is solved for {}, not for points", table.aim()));
    }
    if !table.header().values {
        return Err("it keeps no values".to_owned());
    }
    Ok(table)
}

/// Boards of at most this many cells are solved when they are asked about.
const AT_ONCE: usize = 6;

/// Plays best on a solved board.
#[derive(Clone)]
pub struct ExactPlayer(Arc<Table>);

impl ExactPlayer {
    /// The player of a solved board, which must be good: see [`Table::verify`].
    pub fn new(table: Arc<Table>) -> ExactPlayer {
        ExactPlayer(table)
    }

    /// The player of a file of `maxtile solve`, or without one of a board small enough to be solved
    /// at once.
    pub fn open(path: Option<&Path>, rules: Rules) -> Result<ExactPlayer, String> {
        let Some(path) = path else { return ExactPlayer::at_once(rules) };
        let table = open_points(path, rules.shape)?;
        table.verify().map_err(|cause| cause.to_string())?;
        Ok(ExactPlayer(Arc::new(table)))
    }

    fn at_once(rules: Rules) -> Result<ExactPlayer, String> {
        if rules.shape.cells() > AT_ONCE {
            return Err("a file of maxtile solve on a board of more than six cells".to_owned());
        }
        let region = Region::full(rules.shape).map_err(|cause| cause.to_string())?;
        let problem = Problem { p4: rules.law.p4(), ..Problem::score(region) };
        let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let table = Table::in_memory(&problem, 1, watch).map_err(|cause| cause.to_string())?;
        Ok(ExactPlayer(Arc::new(table)))
    }
}

impl Policy for ExactPlayer {
    fn choose(&mut self, queries: &mut [Query]) {
        for query in queries {
            let found = self.0.best(query.board);
            // A position that no game gets to has no exact values, but must be played.
            query.answer = match found {
                Ok(best) => best.map(|best| best.mv),
                Err(_) => query.board.afterstates().iter().next().map(|(mv, _, _)| mv),
            };
        }
    }

    fn worths(&mut self, board: Board) -> Option<Worths> {
        let mut worths = Worths::default();
        if board.is_over() {
            return Some(worths);
        }
        for found in self.0.query(board).ok()?.moves {
            worths[found.mv.index()] = Some(found.value as f32);
        }
        Some(worths)
    }

    /// The exact values, to the digits that a report has.
    fn explain(&mut self, board: Board, _: Option<Limits>) -> Option<Report> {
        let clock = Instant::now();
        let moves = self.0.query(board).ok()?.moves;
        let leaves = moves.len() as u64;
        let report = |found: maxtile_solve::MoveAnswer| {
            let (mv, reward, value) = (found.mv, found.reward, found.value as f32);
            let line = vec![Step { mv, spawn: None }];
            MoveReport { mv, reward, value, spread: None, depth: 1, compared: true, line }
        };
        Some(Report {
            board,
            moves: moves.into_iter().map(report).collect(),
            depth: 1,
            counts: Counts { leaves, ..Counts::default() },
            time: clock.elapsed(),
            exact: true,
        })
    }
}

impl Value for Exact {
    /// An afterstate that no game gets to is worth nothing.
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        for (&afterstate, value) in afterstates.iter().zip(out) {
            *value = self.0.afterstate(afterstate).unwrap_or(0.0) as f32;
        }
    }
}

/// The exact expected score of an agent, asked in all states of the board or only where its own play
/// gets; no game is played. In an
/// analysis without symmetry every board is shown to the agent; in one with symmetry one of those that
/// differ by it, which is the same for all who treat them alike. An agent that draws random numbers is
/// judged by one draw for each state, but for `random`, which is judged exactly. With `values` it is
/// also asked what it expects. `None` when it was stopped.
pub fn judge(
    agent: &Agent,
    rules: Rules,
    analysis: &Analysis,
    asked: Asked,
    values: bool,
    watch: Watch<'_>,
) -> Option<Judgement> {
    let uniform = agent.text() == "random";
    let player = || -> Chooser<'_> {
        if uniform {
            return Box::new(|boards: &[Board]| vec![Choice::default(); boards.len()]);
        }
        let mut policy = agent.policy();
        Box::new(move |boards: &[Board]| {
            let ask = |&board: &Board| Query::new(board, Random::new(0));
            let mut queries: Vec<Query> = boards.iter().map(ask).collect();
            policy.choose(&mut queries);
            let mut choice = |query: &Query| {
                let worths = if values { policy.worths(query.board) } else { None };
                let most = |worths: Worths| worths[best(&worths)?.index()];
                Choice { mv: query.answer, value: worths.and_then(most).map(f64::from) }
            };
            queries.iter().map(&mut choice).collect()
        })
    };
    analysis.judge(rules.law.p4(), asked, &player, watch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_player_plays_best() {
        let rules = Rules { shape: "2x3".parse().unwrap(), ..Rules::default() };
        let player = ExactPlayer::open(None, rules).unwrap();
        let agent = Agent::new("exact", move || player.clone());
        let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let region = Region::full(rules.shape).unwrap();
        for symmetric in [true, false] {
            let analysis = Analysis::new(&region, None, symmetric, 1, watch).unwrap();
            let moves = analysis.score_play(0.1, watch).unwrap().moves;
            for asked in [Asked::Everywhere, Asked::OwnPlay] {
                let found = judge(&agent, rules, &analysis, asked, true, watch).unwrap();
                assert!((found.score - found.best).abs() < 1e-9, "{found:?}");
                assert_eq!(found.total.agreed, found.total.choices);
                // What it expects is what is to be had, to the digits of its answer.
                assert_eq!(found.total.valued, found.total.weight);
                assert!(found.total.over_best.abs() / found.total.weight < 1e-4);
                assert!((found.total.over_best - found.total.over_own).abs() < 1e-6);
                let weight = match asked {
                    Asked::Everywhere => found.total.states as f64,
                    Asked::OwnPlay => moves,
                };
                assert!((found.total.weight - weight).abs() < 1e-9, "{found:?}");
            }
        }
    }

    #[test]
    fn larger_boards_need_a_file() {
        let rules = Rules { shape: "3x3".parse().unwrap(), ..Rules::default() };
        assert!(ExactPlayer::open(None, rules).is_err_and(|why| why.contains("a file")));
    }
}
