//! The turns of a game added up.

use std::collections::BTreeMap;

use maxtile_game::Turn;

use super::drill::{Candidate, drill};
use super::grade::{Grade, accuracy};
use super::judge::{Judge, Judged};
use super::line::{Summary, TurnLine};

/// So many moves are called the worst.
const WORST: usize = 10;

/// What is kept of the turns seen so far.
#[derive(Default)]
pub(super) struct Tally {
    start_value: f64,
    errors: f64,
    luck: f64,
    accuracies: Vec<f64>,
    grades: BTreeMap<Grade, usize>,
    costs: BTreeMap<Grade, f64>,
    moves: usize,
    forced: usize,
    /// Turn and loss of each move that was not the best.
    costly: Vec<(usize, f64)>,
    luckiest: Option<(usize, f64)>,
    unluckiest: Option<(usize, f64)>,
    drill: Vec<Candidate>,
}

impl Tally {
    pub(super) fn new() -> Tally {
        // Grades that did not occur are written too.
        let (grades, costs) =
            (Grade::ALL.map(|grade| (grade, 0)), Grade::ALL.map(|grade| (grade, 0.0)));
        Tally { grades: grades.into(), costs: costs.into(), ..Tally::default() }
    }

    /// Takes the next turn.
    pub(super) fn add(&mut self, turn: &TurnLine) {
        if self.moves == 0 {
            self.start_value = turn.value;
        }
        self.moves += 1;
        self.errors += turn.error;
        self.luck += turn.luck;
        if self.luckiest.is_none_or(|(_, most)| turn.luck > most) {
            self.luckiest = Some((turn.turn, turn.luck));
        }
        if self.unluckiest.is_none_or(|(_, least)| turn.luck < least) {
            self.unluckiest = Some((turn.turn, turn.luck));
        }
        if turn.forced {
            self.forced += 1;
            return;
        }
        self.accuracies.push(turn.accuracy);
        *self.grades.entry(turn.grade).or_default() += 1;
        *self.costs.entry(turn.grade).or_default() += turn.error;
        if turn.grade > Grade::Best {
            self.costly.push((turn.turn, turn.loss));
        }
        self.drill.extend(Candidate::of(turn));
    }

    /// The whole game, which ended with this turn.
    pub(super) fn summary(mut self, last: &Turn, end: &Judged, judge: &Judge) -> Summary {
        self.costly.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let remaining = end.value();
        let without_luck = self.start_value - self.errors;
        Summary {
            score: last.score,
            start_value: self.start_value,
            errors: self.errors,
            luck: self.luck,
            remaining,
            without_luck,
            identity_residual: f64::from(last.score) - (without_luck + self.luck - remaining),
            accuracy: accuracy(self.accuracies.into_iter()),
            grades: self.grades,
            errors_by_grade: self.costs,
            moves: self.moves,
            forced: self.forced,
            worst: self.costly.iter().take(WORST).map(|(turn, _)| *turn).collect(),
            luckiest: self.luckiest.map(|(turn, _)| turn),
            unluckiest: self.unluckiest.map(|(turn, _)| turn),
            drill: drill(self.drill),
            over: last.board.is_over(),
            max_tile: last.board.max_tile(),
            agent: judge.text().to_owned(),
            exact: judge.is_exact(),
        }
    }
}
