//! A player against the truth: the exact value of what he does, and where it differs from the best.
//! The best player himself is judged too: how often has he a choice, and what does he do with it?

use std::io;

use maxtile_game::{Board, Move};

use crate::analysis::{Analysis, start_values};
use crate::backward::{self, TIE, Valued};
use crate::bits::Directory;
use crate::objective::{Objective, largest, movable, potential};
use crate::own_play::{Met, follow};
use crate::space::{BATCH, Layer, Space};
use crate::sweep::{FIRST, Run, Sets, Swept, Watch, nothing_above, number};
use crate::threads::{ranges, share};

/// What a player does on a board, and thinks of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Choice {
    /// The move; `None` for each legal move with the same probability.
    pub mv: Option<Move>,
    /// The points that he expects from here on, if he says.
    pub value: Option<f64>,
}

/// Where a player is asked, and how his decisions are counted. His expected score is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// In all states, each counted once.
    Everywhere,
    /// In the states that his own play gets to, each counted as often as one game of his gets there on
    /// average. That is what slow players can be judged by, and then best less score is exactly the
    /// loss of all decisions together.
    OwnPlay,
}

/// Decides on many boards. Each thread has one of its own.
pub type Chooser<'a> = Box<dyn FnMut(&[Board]) -> Vec<Choice> + 'a>;

/// A player against the truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The exact expected score of the player. In an analysis up to symmetry he is shown only one of
    /// the boards that differ by it; a player who treats them differently needs one of all boards.
    pub score: f64,
    /// The best there is.
    pub best: f64,
    /// All layers together.
    pub total: Decisions,
    /// By tile sum, layers with a decision only.
    pub layers: Vec<(u32, Decisions)>,
}

/// What was decided. Each state counts as [`Asked`] says; only `states` counts each once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decisions {
    /// States with a move in which the player was asked.
    pub states: u64,
    /// What they count together: in his own play, the moves of a game.
    pub weight: f64,
    /// Of these, states where moves lead to different afterstates.
    pub choices: f64,
    /// Of these, states where one of the different afterstates is better than all others.
    pub unique: f64,
    /// Choices in which the player takes a best move.
    pub agreed: f64,
    /// What all decisions cost together: value of the best move less that of the one taken.
    pub loss: f64,
    /// States of which the player said what he expects.
    pub valued: f64,
    /// How much more he expects than his own play gets, all of these together.
    pub over_own: f64,
    /// How much more he expects than the best play gets.
    pub over_best: f64,
    /// The value of the best play, all states together.
    pub best: f64,
    /// Choices with the largest tile in a corner.
    pub cornered: f64,
    /// Of these, choices in which the best move leaves the largest tile in a corner.
    pub kept: f64,
    /// Of the cornered, choices in which no move would leave it there.
    pub lost: f64,
}

impl Decisions {
    fn add(&mut self, other: &Decisions) {
        self.states += other.states;
        self.weight += other.weight;
        self.choices += other.choices;
        self.unique += other.unique;
        self.agreed += other.agreed;
        self.loss += other.loss;
        self.valued += other.valued;
        self.over_own += other.over_own;
        self.over_best += other.over_best;
        self.best += other.best;
        self.cornered += other.cornered;
        self.kept += other.kept;
        self.lost += other.lost;
    }
}

/// W of the player and of the best one.
struct Both {
    p4: f64,
}

impl Objective for Both {
    type Value = [f64; 2];
    type Sum = [f64; 2];

    fn nothing(&self) -> [f64; 2] {
        [0.0; 2]
    }
    #[inline(always)]
    fn cell(&self, sum: &mut [f64; 2], two: [f64; 2], four: [f64; 2]) {
        for i in 0..2 {
            sum[i] += (1.0 - self.p4) * two[i] + self.p4 * (four[i] - 4.0);
        }
    }
    #[inline(always)]
    fn afterstate(&self, sum: [f64; 2], cells: u32, _: u64) -> [f64; 2] {
        sum.map(|sum| sum / f64::from(cells))
    }
    fn dead(&self, word: u64) -> [f64; 2] {
        [potential(word); 2]
    }
    fn worth(&self, value: [f64; 2]) -> f64 {
        value[1]
    }
    fn of_worth(&self, worth: f64) -> [f64; 2] {
        [worth; 2]
    }
}

impl Analysis {
    /// Judges a player of the score; `None` when it was stopped, or the region is no rectangle.
    pub fn judge<'c>(
        &self,
        p4: f64,
        asked: Asked,
        player: &(dyn Fn() -> Chooser<'c> + Sync),
        watch: Watch<'_>,
    ) -> Option<Judgement> {
        if !self.space.region().is_full() {
            return None;
        }
        let run = Run { space: &self.space, threads: self.threads(), watch };
        judge(run, self.sets(), p4, asked, player).ok()
    }
}

fn judge<'c>(
    run: Run<'_>,
    sets: &impl Sets,
    p4: f64,
    asked: Asked,
    player: &(dyn Fn() -> Chooser<'c> + Sync),
) -> io::Result<Judgement> {
    let Run { space, threads, watch } = run;
    let followed = match asked {
        Asked::Everywhere => None,
        Asked::OwnPlay => Some(follow(run, sets, p4, player)?),
    };
    let both = Both { p4 };
    let mut above = nothing_above::<[f64; 2]>(space);
    let mut judgement =
        Judgement { score: 0.0, best: 0.0, total: Decisions::default(), layers: Vec::new() };
    for t in (FIRST..=space.last()).rev() {
        let layer = space.layer(t);
        let after = sets.afterstates(t)?;
        let [one, two] = &above;
        let worth = backward::afterstates(space, &both, &layer, &after, [one, two], threads);
        let states = sets.states(t)?;
        let pieces = ranges(states.len(), threads);
        let met = followed.as_ref().map(|layers| layers[(t - FIRST) as usize].as_slice());
        let judged = share(pieces, threads, |range| {
            let source = match met {
                None => Source::Player(player()),
                Some(met) => Source::Followed(met),
            };
            piece(space, &layer, (&states, &after, &worth), range, source)
        });
        let mut values = Vec::with_capacity(states.count());
        let mut decisions = Decisions::default();
        for (some, counts) in judged {
            values.extend(some);
            decisions.add(&counts);
        }
        let swept = Swept {
            layer: &layer,
            states: &states,
            state_values: &values,
            afterstate_values: &worth,
        };
        for (start, value) in start_values(space, &swept, p4) {
            let own = potential(start.grid.nibbles());
            judgement.score += start.probability * (value[0] - own);
            judgement.best += start.probability * (value[1] - own);
        }
        judgement.total.add(&decisions);
        if decisions.states > 0 {
            judgement.layers.push((2 * t, decisions));
        }
        let [one, _] = above;
        above = [Valued { layer, boards: states, values }, one];
        if watch.stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
    }
    judgement.layers.reverse();
    Ok(judgement)
}

/// Who says what the player does.
enum Source<'a> {
    Player(Chooser<'a>),
    /// He said it before, of the states he gets to, by their places.
    Followed(&'a [Met]),
}

impl Source<'_> {
    /// Choices with what they count, for boards that have these places one after the other.
    fn ask(&mut self, space: &Space, first: usize, words: &[u64]) -> Vec<Option<(Choice, f64)>> {
        match self {
            Source::Player(chooser) => {
                let boards: Vec<Board> = words.iter().map(|&w| space.grid(w).into()).collect();
                let mut choices = chooser(&boards);
                choices.resize(words.len(), Choice::default());
                choices.into_iter().map(|choice| Some((choice, 1.0))).collect()
            }
            Source::Followed(met) => {
                let mut choices = vec![None; words.len()];
                let from = met.partition_point(|met| (met.place as usize) < first);
                for met in &met[from..] {
                    let Some(choice) = choices.get_mut(met.place as usize - first) else { break };
                    *choice = Some((met.choice, met.visits));
                }
                choices
            }
        }
    }
}

fn piece(
    space: &Space,
    layer: &Layer,
    (states, after, worth): (&Directory, &Directory, &[[f64; 2]]),
    range: (usize, usize),
    mut source: Source<'_>,
) -> (Vec<[f64; 2]>, Decisions) {
    let first = states.before(range.0);
    let mut scan = space.scan(layer, states, range);
    let mut words = [0; BATCH];
    let mut values = Vec::new();
    let mut counts = Decisions::default();
    let mut slid = [[0; BATCH]; 4];
    loop {
        let count = scan.fill(&mut words);
        for (mv, slid) in slid.iter_mut().enumerate() {
            space.geometry.slide_all(&words, space.turned_move(mv), slid);
        }
        let chosen = source.ask(space, first + values.len(), &words[..count]);
        for i in 0..count {
            let mut moves = Vec::with_capacity(4);
            for mv in Move::ALL {
                let board = slid[mv.index()][i];
                if board != words[i] {
                    let rank = number(space, layer, board);
                    moves.push(Taken { mv, board, rank, worth: worth[after.index(rank)] });
                }
            }
            if moves.is_empty() {
                values.push([potential(movable(words[i], space.geometry.free)); 2]);
                continue;
            }
            values.push(match chosen[i] {
                Some((choice, weight)) => {
                    let (worth, counted) = decide(space, words[i], &moves, choice, weight);
                    counts.add(&counted);
                    worth
                }
                // What he would do where he never gets is nobody's business.
                None => [best_of(&moves); 2],
            });
        }
        if count < BATCH {
            return (values, counts);
        }
    }
}

/// A legal move.
struct Taken {
    mv: Move,
    board: u64,
    rank: u32,
    worth: [f64; 2],
}

fn best_of(moves: &[Taken]) -> f64 {
    moves.iter().map(|m| m.worth[1]).fold(f64::NEG_INFINITY, f64::max)
}

/// W of the player and of the best one on a board, and what his decision is counted as.
fn decide(
    space: &Space,
    word: u64,
    moves: &[Taken],
    choice: Choice,
    weight: f64,
) -> ([f64; 2], Decisions) {
    let close = |a: f64, b: f64| (a - b).abs() <= TIE * b.abs();
    let counted = |is: bool| if is { weight } else { 0.0 };
    let best = best_of(moves);
    // A player who names no legal move is taken to draw one.
    let named = moves.iter().find(|m| Some(m.mv) == choice.mv);
    let [own, cost] = match named {
        Some(taken) => [taken.worth[0], best - taken.worth[1]],
        None => {
            let n = moves.len() as f64;
            let mean = |i: usize| moves.iter().map(|m| m.worth[i]).sum::<f64>() / n;
            [mean(0), best - mean(1)]
        }
    };
    let stands = potential(movable(word, space.geometry.free));
    let mut counts = Decisions {
        states: 1,
        weight,
        loss: weight * cost,
        best: weight * (best - stands),
        ..Decisions::default()
    };
    if let Some(value) = choice.value {
        counts.valued = weight;
        counts.over_own = weight * (value - (own - stands));
        counts.over_best = weight * (value - (best - stands));
    }
    if moves.iter().any(|m| m.rank != moves[0].rank) {
        counts.choices = weight;
        let first = moves.iter().filter(|m| close(m.worth[1], best)).min_by_key(|m| m.rank);
        let Some(first) = first else { return ([own, best], counts) };
        let equals = moves.iter().filter(|m| close(m.worth[1], best));
        counts.unique = counted(equals.clone().all(|m| m.rank == first.rank));
        counts.agreed = counted(match named {
            Some(taken) => close(taken.worth[1], best),
            None => equals.count() == moves.len(),
        });
        if in_corner(space, word) {
            counts.cornered = weight;
            counts.kept = counted(in_corner(space, first.board));
            counts.lost = counted(!moves.iter().any(|m| in_corner(space, m.board)));
        }
    }
    ([own, best], counts)
}

/// Is there a tile as large as the largest in a corner?
pub(crate) fn in_corner(space: &Space, word: u64) -> bool {
    let shape = space.region().shape();
    let (rows, cols) = (shape.rows(), shape.cols());
    let most = u64::from(largest(word));
    let corners = [0, cols - 1, (rows - 1) * cols, rows * cols - 1];
    corners.iter().any(|&cell| word >> (4 * cell) & 15 == most)
}
