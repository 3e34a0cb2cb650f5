//! How often best play for the score gets where: probabilities, from the starts to the last layer.
//!
//! A game is at most once in a layer, so the probability of a state is how often it is visited. Two
//! games that end on the same board differ in score only by the 4s that were spawned: a game's score is
//! φ of its last board less 4 for each of them. So the distribution of the score needs the number of
//! 4s beside the board, and nothing else.

use std::sync::atomic::Ordering;

use crate::aim::Aim;
use crate::backward::TIE;
use crate::bits::Directory;
use crate::error::TableError;
use crate::judge::in_corner;
use crate::objective::{empty_cells, movable, potential};
use crate::space::{BATCH, Layer, Space};
use crate::starts::starts;
use crate::sweep::{FIRST, Pass, Progress, Watch, number};
use crate::table::Table;

/// Where best play gets.
#[derive(Clone, Debug, PartialEq)]
pub struct Visits {
    /// By tile sum, layers that games get to only.
    pub layers: Vec<Visited>,
    /// The probability of each score, ascending; empty unless it was wanted.
    pub scores: Vec<(u32, f64)>,
}

/// A layer, as best play sees it: expected numbers for one game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Visited {
    /// The tile sum; 0 for all layers together.
    pub sum: u32,
    /// The probability that a game gets to this layer; of all layers, its states.
    pub visits: f64,
    /// The probability that a game ends here.
    pub ended: f64,
    /// The points still to be had, times the probability.
    pub value: f64,
    /// Visits where moves lead to different afterstates.
    pub choices: f64,
    /// Of these, where one of the different afterstates is better than all others.
    pub unique: f64,
    /// Choices with the largest tile in a corner.
    pub cornered: f64,
    /// Of these, where the best move leaves the largest tile in a corner.
    pub kept: f64,
    /// Of the cornered, where no move would leave it there.
    pub lost: f64,
}

impl Visits {
    /// All layers together.
    pub fn total(&self) -> Visited {
        let mut total = Visited::default();
        for layer in &self.layers {
            total.visits += layer.visits;
            total.ended += layer.ended;
            total.value += layer.value;
            total.choices += layer.choices;
            total.unique += layer.unique;
            total.cornered += layer.cornered;
            total.kept += layer.kept;
            total.lost += layer.lost;
        }
        total
    }
}

/// Which numbers of 4s are told apart in a layer.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    first: usize,
    width: usize,
}

impl Window {
    /// None.
    pub(crate) const ALL_ONE: Window = Window { first: 0, width: 1 };

    /// All numbers within ten standard deviations of the mean: what is left out has a probability of
    /// less than 1e-20. Without scores they are all one.
    fn new(t: u32, p4: f64, scores: bool) -> Window {
        if !scores {
            return Window::ALL_ONE;
        }
        let t = f64::from(t);
        let mean = t * p4 / (1.0 + p4);
        let spread = 4.0 + 10.0 * (t * p4 * (1.0 - p4) / (1.0 + p4).powi(3)).sqrt();
        let first = (mean - spread).max(0.0) as usize;
        let last = (mean + spread).min(t / 2.0) as usize;
        Window { first, width: last - first + 1 }
    }

    /// Adds what is in one window, times a factor, to another with so many more 4s.
    fn add(self, from: &[f64], factor: f64, to: Window, into: &mut [f64], fours: usize) {
        if self.width == 1 && to.width == 1 {
            into[0] += factor * from[0];
            return;
        }
        // Place i of one is place i + shift of the other.
        let shift = (self.first + fours) as isize - to.first as isize;
        let skip = shift.min(0).unsigned_abs();
        let ahead = shift.max(0) as usize;
        if skip < from.len() && ahead < into.len() {
            for (into, from) in into[ahead..].iter_mut().zip(&from[skip..]) {
                *into += factor * from;
            }
        }
    }
}

/// A layer that is being filled with probabilities.
pub(crate) struct Filled {
    pub(crate) states: Directory,
    window: Window,
    pub(crate) probabilities: Vec<f64>,
}

impl Filled {
    pub(crate) fn empty(states: Directory, window: Window) -> Filled {
        let probabilities = vec![0.0; states.count() * window.width];
        Filled { states, window, probabilities }
    }
}

impl Table {
    /// Follows the best play for the score through all layers; with `scores` the number of 4s too.
    /// Every move and every spawn is taken with its probability: no game is played.
    pub fn visits(&self, scores: bool, watch: Watch<'_>) -> Result<Visits, TableError> {
        if self.aim() != Aim::Score {
            return Err(TableError::NotForScore);
        }
        let (space, p4) = (self.space(), self.header().p4);
        let last = space.last();
        let fill = |t: u32| -> Result<Filled, TableError> {
            let window = Window::new(t, p4, scores);
            let states = if t > last { Directory::new(std::iter::empty()) } else { self.set(t)? };
            Ok(Filled::empty(states, window))
        };
        let mut open = [fill(FIRST)?, fill(FIRST + 1)?];
        let mut visits = Visits { layers: Vec::new(), scores: Vec::new() };
        let mut ends: Vec<f64> = Vec::new();
        for t in FIRST..=last {
            let [mut here, one] = open;
            begin(space, t, p4, scores, &mut here);
            let mut next = [one, fill(t + 2)?];
            let visited = self.pass(t, &here, &mut next, scores.then_some(&mut ends))?;
            if visited.visits > 0.0 {
                visits.layers.push(visited);
            }
            open = next;
            let (done, layers) = (t - FIRST + 1, last - FIRST + 1);
            let states = here.states.count() as u64;
            (watch.progress)(Progress { pass: Pass::Enumerate, sum: 2 * t, done, layers, states });
            if watch.stop.load(Ordering::Relaxed) {
                return Err(TableError::Stopped);
            }
        }
        let score = |(quarter, &p): (usize, &f64)| (p > 0.0).then_some((4 * quarter as u32, p));
        visits.scores = ends.iter().enumerate().filter_map(score).collect();
        Ok(visits)
    }

    /// Hands the probabilities of a layer on to the next two.
    fn pass(
        &self,
        t: u32,
        here: &Filled,
        next: &mut [Filled; 2],
        mut ends: Option<&mut Vec<f64>>,
    ) -> Result<Visited, TableError> {
        let (space, p4) = (self.space(), self.header().p4);
        let (layer, free) = (self.walked((t - FIRST) as usize), space.geometry.free);
        let (after, worths) = self.valued_afterstates(t)?;
        let Filled { states, window, probabilities } = here;
        let mut slid = vec![0.0; after.count() * window.width];
        let mut visited = Visited { sum: 2 * t, ..Visited::default() };
        let mut scan = space.scan(layer, states, (0, states.len()));
        let mut words = [0; BATCH];
        let mut own = probabilities.chunks_exact(window.width);
        loop {
            let count = scan.fill(&mut words);
            for (&word, own) in words[..count].iter().zip(&mut own) {
                let p: f64 = own.iter().sum();
                if p == 0.0 {
                    continue;
                }
                visited.visits += p;
                let stands = potential(movable(word, free));
                let Some(best) = best(space, layer, word, &after, &worths) else {
                    visited.ended += p;
                    if let Some(ends) = &mut ends {
                        end(ends, stands as usize, *window, own);
                    }
                    continue;
                };
                visited.value += p * (best.worth - stands);
                best.count(space, word, p, &mut visited);
                let place = best.place * window.width;
                window.add(own, 1.0, *window, &mut slid[place..][..window.width], 0);
            }
            if count < BATCH {
                break;
            }
        }
        hand_on(space, layer, &after, (*window, &slid), next, p4);
        Ok(visited)
    }
}

/// Puts tiles on the afterstates of a layer, which have these probabilities, with theirs.
pub(crate) fn hand_on(
    space: &Space,
    layer: &Layer,
    after: &Directory,
    (window, slid): (Window, &[f64]),
    next: &mut [Filled; 2],
    p4: f64,
) {
    let mut scan = space.scan(layer, after, (0, after.len()));
    let mut words = [0; BATCH];
    let mut slid = slid.chunks_exact(window.width);
    let uppers = [1, 2].map(|up| space.layer(layer.t + up));
    loop {
        let count = scan.fill(&mut words);
        for (&word, slid) in words[..count].iter().zip(&mut slid) {
            if slid.iter().all(|&p| p == 0.0) {
                continue;
            }
            let mut empty = empty_cells(word, space.geometry.free);
            let each = 1.0 / f64::from(empty.count_ones());
            while empty != 0 {
                let cell = empty & empty.wrapping_neg();
                empty ^= cell;
                for (fours, share) in [(0, 1.0 - p4), (1, p4)] {
                    let upper = &mut next[fours];
                    let rank = number(space, &uppers[fours], word | cell << fours);
                    let place = upper.states.index(rank) * upper.window.width;
                    let into = &mut upper.probabilities[place..][..upper.window.width];
                    window.add(slid, each * share, upper.window, into, fours);
                }
            }
        }
        if count < BATCH {
            return;
        }
    }
}

/// Adds the boards that games begin with.
pub(crate) fn begin(space: &Space, t: u32, p4: f64, scores: bool, here: &mut Filled) {
    if !(FIRST..=FIRST + 2).contains(&t) {
        return;
    }
    let layer = space.layer(t);
    for start in starts(&space.outer_region(), p4) {
        let word = space.word(start.grid);
        if space.sum(word) == t {
            let place = here.states.index(number(space, &layer, word)) * here.window.width;
            // Two tiles of half sum t: t - 2 of them are 4s.
            let fours = if scores { (t - FIRST) as usize - here.window.first } else { 0 };
            here.probabilities[place + fours] += start.probability;
        }
    }
}

/// Games end on a board with this φ, with each number of 4s.
fn end(ends: &mut Vec<f64>, stands: usize, window: Window, own: &[f64]) {
    ends.resize(ends.len().max(stands / 4 + 1), 0.0);
    for (i, p) in own.iter().enumerate() {
        // Every 4 brought φ that was no reward.
        if let Some(quarter) = (stands / 4).checked_sub(window.first + i) {
            ends[quarter] += p;
        }
    }
}

/// What best play does on a board.
struct Best {
    place: usize,
    worth: f64,
    /// The boards that the legal moves lead to, with their numbers and worths.
    moves: Vec<(u64, u32, f64)>,
    number: u32,
    board: u64,
}

fn best(
    space: &Space,
    layer: &Layer,
    word: u64,
    after: &Directory,
    worths: &[f64],
) -> Option<Best> {
    let mut found: Option<Best> = None;
    let mut moves = Vec::with_capacity(4);
    for mv in 0..4 {
        let board = space.geometry.slide(word, mv);
        if board == word {
            continue;
        }
        let number = number(space, layer, board);
        let place = after.index(number);
        let worth = worths[place];
        moves.push((board, number, worth));
        let better = found.as_ref().is_none_or(|best| {
            if (worth - best.worth).abs() <= TIE * worth.abs() {
                number < best.number
            } else {
                worth > best.worth
            }
        });
        if better {
            found = Some(Best { place, worth, moves: Vec::new(), number, board });
        }
    }
    found.map(|best| Best { moves, ..best })
}

impl Best {
    /// Counts what the choice was, as often as it comes.
    fn count(&self, space: &Space, word: u64, p: f64, visited: &mut Visited) {
        if self.moves.iter().all(|m| m.1 == self.moves[0].1) {
            return;
        }
        visited.choices += p;
        let equal = |m: &&(u64, u32, f64)| (m.2 - self.worth).abs() <= TIE * self.worth.abs();
        if self.moves.iter().filter(equal).all(|m| m.1 == self.number) {
            visited.unique += p;
        }
        if in_corner(space, word) {
            visited.cornered += p;
            if in_corner(space, self.board) {
                visited.kept += p;
            }
            if !self.moves.iter().any(|m| in_corner(space, m.0)) {
                visited.lost += p;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::build::Problem;
    use crate::{Analysis, ScorePlay};

    /// Everything that the sweep backwards says of best play, found forwards.
    #[test]
    fn forwards_and_backwards_agree() {
        let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        for (board, p4) in [("2x2", 0.1), ("2x3", 0.1), ("2x3", 0.3)] {
            let problem = Problem { p4, ..Problem::score(board.parse().unwrap()) };
            let table = Table::in_memory(&problem, 1, watch).unwrap();
            let visits = table.visits(true, watch).unwrap();
            let analysis = Analysis::new(&problem.region, None, true, 1, watch).unwrap();
            let ScorePlay { mean, variance, moves, .. } = analysis.score_play(p4, watch).unwrap();
            let total = visits.total();
            let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
                visits.scores.iter().map(|&(score, p)| p * f(f64::from(score))).sum()
            };
            assert!((sum(&|_| 1.0) - 1.0).abs() < 1e-12 && (total.ended - 1.0).abs() < 1e-12);
            assert!((sum(&|score| score) - mean).abs() < 1e-9, "{board} {p4}");
            assert!((sum(&|score| (score - mean).powi(2)) - variance).abs() < 1e-6);
            // A move is a visit that is no end.
            assert!((total.visits - total.ended - moves).abs() < 1e-9);
            // Without the 4s the visits are the same.
            let plain = table.visits(false, watch).unwrap();
            assert!(plain.scores.is_empty());
            assert!((plain.total().visits - total.visits).abs() < 1e-9);
            assert!((plain.total().kept - total.kept).abs() < 1e-9);
        }
    }
}
