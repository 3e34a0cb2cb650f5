//! Where learned and exact answers meet: a solved board as a value, players judged by the truth.

use std::path::Path;
use std::sync::Arc;

use maxtile_game::{Afterstate, Board, Move, Random, Rules, Shape};
use maxtile_search::{Policy, Query, Value, Worths};
use maxtile_solve::{Aim, Analysis, Chooser, Judgement, Table, Watch};

use crate::catalog::Agent;

/// A solved board as a value of afterstates: playing greedily by it is playing best, but for what
/// 32 bits cannot tell apart.
pub struct Exact(Table);

impl Exact {
    /// Opens a file of `maxtile solve` for boards of this shape and checks all of it, because nobody
    /// could be told later.
    pub fn open(path: &Path, shape: Shape) -> Result<Exact, String> {
        let table = Table::open(path).map_err(|cause| cause.to_string())?;
        if table.region().shape() != shape {
            return Err(format!("its board is {}, not {shape}", table.region().shape()));
        }
        if !matches!(table.aim(), Aim::Score | Aim::Hostile | Aim::Friendly) {
            return Err(format!("it is solved for {}, not for points", table.aim()));
        }
        if !table.header().values {
            return Err("it keeps no values".to_owned());
        }
        table.verify().map_err(|cause| cause.to_string())?;
        Ok(Exact(table))
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

/// Plays best by a solved board. In a position that no game gets to it plays the first legal move
/// and weighs nothing.
pub struct ExactPlayer(Arc<Table>);

impl ExactPlayer {
    /// Plays by this solved board.
    pub fn new(table: Arc<Table>) -> ExactPlayer {
        ExactPlayer(table)
    }
}

impl Policy for ExactPlayer {
    fn choose(&mut self, queries: &mut [Query]) {
        for query in queries {
            let found = self.0.query(query.board).ok();
            let best = found.and_then(|found| found.moves.first().map(|best| best.mv));
            query.answer = best.or_else(|| query.board.legal_moves().nth(0));
        }
    }

    fn worths(&mut self, board: Board) -> Option<Worths> {
        let mut worths = [None; 4];
        for found in self.0.query(board).ok()?.moves {
            worths[found.mv.index()] = Some(found.value as f32);
        }
        Some(worths)
    }
}

/// The exact expected score of an agent, over all states of the board; no game is played. The
/// analysis should be one without symmetry: agents break ties by the names of the moves. An agent
/// that draws random numbers is judged by one draw for each state, but for `random`, which is judged
/// exactly. `None` when it was stopped.
pub fn judge(
    agent: &Agent,
    rules: Rules,
    analysis: &Analysis,
    watch: Watch<'_>,
) -> Option<Judgement> {
    let uniform = agent.text() == "random";
    let player = || -> Chooser<'_> {
        if uniform {
            return Box::new(|boards: &[Board]| vec![None; boards.len()]);
        }
        let mut policy = agent.policy();
        Box::new(move |boards: &[Board]| {
            let ask = |&board: &Board| Query::new(board, Random::new(0));
            let mut queries: Vec<Query> = boards.iter().map(ask).collect();
            policy.choose(&mut queries);
            queries.iter().map(|query| query.answer).collect::<Vec<Option<Move>>>()
        })
    };
    analysis.judge(rules.law.p4(), &player, watch)
}
