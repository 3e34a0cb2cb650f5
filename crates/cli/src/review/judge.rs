//! Who judges a game: who was asked for, the truth where it is known, else the usual agent.

use std::sync::Arc;
use std::time::Duration;

use maxtile_game::{Record, Rules};
use maxtile_lab::Agent;
use maxtile_lab::protocol::{LimitFields, usual_agent};
use maxtile_lab::review::Judge;
use maxtile_solve::{Aim, Table};

use crate::args::Review;
use crate::error::Stop;
use crate::eval::agent;
use crate::query::solved;

/// Larger boards are not solved: nobody looks for their files.
const SOLVABLE: usize = 12;
/// The longest a move may take when only plies or nodes are limited.
const MOST: Duration = Duration::from_hours(1);

/// The judges, opened once for games with the same rules.
pub(super) struct Judges<'a> {
    args: &'a Review,
    threads: usize,
    table: Option<(Rules, Option<Arc<Table>>)>,
    agent: Option<(Rules, Agent)>,
}

impl<'a> Judges<'a> {
    pub(super) fn new(args: &'a Review, threads: usize) -> Judges<'a> {
        Judges { args, threads, table: None, agent: None }
    }

    /// The judge of this game.
    pub(super) fn judge(&mut self, record: &Record) -> Result<Judge, Stop> {
        let rules = record.rules();
        match self.args.agent.as_deref() {
            Some("exact") => Ok(Judge::exact(self.wanted_table(rules)?)),
            Some(text) => self.by_agent(text, rules),
            None => match self.known_table(rules) {
                // A game from a position that no game gets to is not in the table.
                Some(table) if table.contains(record.start).unwrap_or(false) => {
                    Ok(Judge::exact(table))
                }
                _ => self.by_agent(usual_agent(rules.shape), rules),
            },
        }
    }

    fn by_agent(&mut self, text: &str, rules: Rules) -> Result<Judge, Stop> {
        let Review { depth, nodes, ms, .. } = *self.args;
        let time = ms.map(|ms| Duration::from_millis(ms.into()));
        let said = LimitFields { depth, nodes, time };
        // Without a limit of time there is none: the same values on every machine.
        let limits = said.limits(MOST).map(|all| maxtile_search::Limits { time, ..all });
        let opened = match self.agent.take().filter(|(of, _)| *of == rules) {
            Some((_, opened)) => opened,
            None => agent(text, rules)?,
        };
        let judge = Judge::agent(&opened, limits);
        self.agent = Some((rules, opened));
        Ok(judge)
    }

    fn wanted_table(&mut self, rules: Rules) -> Result<Arc<Table>, Stop> {
        if let Some((of, Some(table))) = &self.table
            && *of == rules
        {
            return Ok(Arc::clone(table));
        }
        let table = Arc::new(solved(rules, Aim::Score, self.threads)?.0);
        self.table = Some((rules, Some(Arc::clone(&table))));
        Ok(table)
    }

    /// The table if there is one already, or if it takes no time; whatever is wrong with it, somebody
    /// else can judge.
    fn known_table(&mut self, rules: Rules) -> Option<Arc<Table>> {
        if let Some((of, table)) = &self.table
            && *of == rules
        {
            return table.clone();
        }
        let table =
            if rules.shape.cells() > SOLVABLE { None } else { self.wanted_table(rules).ok() };
        self.table = Some((rules, table.clone()));
        table
    }
}
