//! Who says what the moves of a game were worth.

use std::sync::Arc;

use maxtile_game::{Board, Move};
use maxtile_search::{Limits, Report, Step};
use maxtile_solve::Table;

use crate::catalog::Agent;

/// What is known of a position: its legal moves, best first; none where the game is over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// The moves.
    pub moves: Vec<JudgedMove>,
    /// How the best move may go on, if the judge says so.
    pub line: Vec<Step>,
}

/// What is known of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedMove {
    /// The move.
    pub mv: Move,
    /// The points it makes.
    pub reward: u32,
    /// The points to be expected from it on, its reward included.
    pub value: f64,
}

impl Judged {
    /// The points to be expected from the position on.
    pub fn value(&self) -> f64 {
        self.moves.first().map_or(0.0, |best| best.value)
    }

    /// What a move is worth; `None` when it is not legal.
    pub fn of(&self, mv: Move) -> Option<JudgedMove> {
        self.moves.iter().find(|found| found.mv == mv).copied()
    }

    fn of_report(report: &Report) -> Judged {
        let finite = |value: f32| if value.is_finite() { f64::from(value) } else { 0.0 };
        let most = finite(report.value());
        // A stopped search looked at some moves less deeply; whatever those seem to promise, the
        // one it decided for is the best.
        let moves = report.moves.iter().map(|found| {
            let value = finite(found.value).min(most);
            JudgedMove { mv: found.mv, reward: found.reward, value }
        });
        let line = report.moves.first().map_or_else(Vec::new, |best| best.line.clone());
        Judged { moves: moves.collect(), line }
    }
}

/// Judges positions on one thread.
pub(super) type Analyst<'a> = Box<dyn FnMut(Board) -> Result<Judged, String> + Send + 'a>;

/// A judge of positions: an agent with its limits, a solved board, or anything else.
pub struct Judge {
    text: String,
    exact: bool,
    make: Box<dyn Fn() -> Analyst<'static> + Send + Sync>,
}

impl Judge {
    /// The agent's own judgement, within these limits if it searches. Limits of time make it depend
    /// on the machine; all others give the same values always and everywhere.
    pub fn agent(agent: &Agent, limits: Option<Limits>) -> Judge {
        let (agent, text) = (agent.clone(), agent.text().to_owned());
        Judge::new(&text, false, move || {
            let (mut policy, text) = (agent.policy(), agent.text().to_owned());
            move |board| {
                let report = policy.explain(board, limits);
                let report = report.ok_or_else(|| format!("{text} does not weigh moves"))?;
                Ok(Judged::of_report(&report))
            }
        })
    }

    /// The truth about a board that was solved for the score.
    pub fn exact(table: Arc<Table>) -> Judge {
        Judge::new("exact", true, move || {
            let table = Arc::clone(&table);
            move |board| {
                let answer = table.query(board).map_err(|cause| cause.to_string())?;
                let moves = answer.moves.iter().map(|found| JudgedMove {
                    mv: found.mv,
                    reward: found.reward,
                    value: found.value,
                });
                Ok(Judged { moves: moves.collect(), line: Vec::new() })
            }
        })
    }

    /// A judge of one's own: `make` gives each thread a function that judges positions with the
    /// best move first.
    pub fn new<F>(text: &str, exact: bool, make: impl Fn() -> F + Send + Sync + 'static) -> Judge
    where
        F: FnMut(Board) -> Result<Judged, String> + Send + 'static,
    {
        let make = move || -> Analyst<'static> { Box::new(make()) };
        Judge { text: text.to_owned(), exact, make: Box::new(make) }
    }

    /// The judge's name: the text of the agent, or `exact`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Are its values the truth?
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    pub(super) fn analyst(&self) -> Analyst<'static> {
        (self.make)()
    }
}
