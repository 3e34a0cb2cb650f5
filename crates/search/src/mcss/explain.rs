//! A tree explained: what each move is worth, how deep it was looked into, how the game may go on.

use maxtile_game::{Board, Random, Spawn};

use super::Mcss;
use super::tree::Chance;
use crate::clock::Stopwatch;
use crate::policy::best;
use crate::report::{MoveReport, Report, Step};
use crate::value::Value;

impl<V: Value> Mcss<V> {
    /// Searches a position afresh and says everything about it.
    pub fn report(&mut self, board: Board) -> Report {
        let clock = Stopwatch::start(self.clock());
        let mut report = Report::empty(board);
        if board.is_over() {
            return report;
        }
        self.tree.clear();
        self.search(board, &mut Random::new(0));
        for chance in self.tree.moves(0) {
            let line = self.line(chance);
            report.moves.push(MoveReport {
                mv: chance.mv,
                reward: chance.reward,
                value: chance.worth,
                spread: self.tree.spread(chance),
                depth: u8::try_from(line.len()).unwrap_or(u8::MAX),
                compared: true,
                line,
            });
        }
        report.sort(best(&self.decision().1));
        report.depth = self.depth();
        report.counts = self.counts;
        report.time = clock.elapsed();
        report
    }

    /// The move, the spawn behind it that was visited most, the best answer, and so on.
    fn line(&self, first: &Chance) -> Vec<Step> {
        let mut line = vec![Step { mv: first.mv, spawn: None }];
        let mut chance = *first;
        while let Some(next) = self.tree.most_visited(&chance) {
            let board = self.tree.state(next).board;
            let answers = self.tree.moves(next).iter();
            let Some(answer) = answers.max_by(|a, b| a.worth.total_cmp(&b.worth)) else {
                break;
            };
            if let Some(last) = line.last_mut() {
                last.spawn = spawned(&chance, board);
            }
            line.push(Step { mv: answer.mv, spawn: None });
            chance = *answer;
        }
        line
    }
}

/// The spawn between an afterstate and a position.
fn spawned(chance: &Chance, board: Board) -> Option<Spawn> {
    let changed = |&cell: &usize| board.exponent(cell) != 0;
    let cell = chance.afterstate.empty_cells().find(changed)?;
    Some(Spawn { cell: cell as u8, exponent: board.exponent(cell) })
}
