//! Learning and test games with everything the literature does to them: stages, stored starts,
//! weight promotion, the corner rule, exploration, another reward.
//!
//! The plain trainer's hot loop knows none of this and stays fast; this loop has the same form and is chosen only
//! where a recipe asks for one of these. The learning rules are the same.

mod corner;
mod exam;
mod fallacy;
mod habits;
mod pools;
mod ratio_search;

pub use corner::{Corner, CornerChange};
pub use exam::{Exam, Examined, examine};
pub use fallacy::Fallacy;
pub use habits::{Habit, Habits};
pub use pools::{Carousel, Pools};
pub use ratio_search::RatioSearch;

use std::sync::atomic::{AtomicU64, Ordering};

use maxtile_game::{Afterstates, Board, Move, Random};

use crate::network::Network;
use crate::plan::Octet;
use crate::side_by_side::{side_by_side, take_turns};
use crate::stages::Stages;
use crate::td::{Chosen, Credit, Step};
use crate::trainer::{Block, Played, SLOTS};
use crate::with_avx2;

/// Tells the numbers of the player and of the choice of a start from the spawns': "course" in ASCII.
const OWN: u64 = 0x0000_636f_7572_7365;

/// What a move is rewarded with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reward {
    /// The points it scores.
    #[default]
    Score,
    /// One for each move: the value is the number of moves to come.
    Step,
}

impl Reward {
    fn of(self, points: u32) -> f32 {
        match self {
            Reward::Score => points as f32,
            Reward::Step => 1.0,
        }
    }
}

/// Where learning games start.
#[derive(Clone, Copy, Debug, Default)]
pub enum Starts<'a> {
    /// Where the rules say.
    #[default]
    Fresh,
    /// From these boards in turn.
    InTurn(&'a [Board]),
    /// From one of these boards by chance.
    AnyOf(&'a [Board]),
}

/// Whose corner rule holds in learning games.
#[derive(Clone, Copy, Debug, Default)]
pub enum CornerOf<'a> {
    /// Nobody's.
    #[default]
    Off,
    /// This one in every game.
    Rule(&'a Corner),
    /// In each game what the search for a ratio wants to try.
    Search(&'a RatioSearch),
}

/// How the games of a block are played and learned.
#[derive(Clone, Copy, Debug)]
pub struct Course<'a> {
    /// Which games.
    pub block: Block,
    /// What moves are rewarded with.
    pub reward: Reward,
    /// The probability of a random move.
    pub explore: f64,
    /// The corner rule of the games that are learned from. The targets stay those of greedy moves.
    pub corner: CornerOf<'a>,
    /// Where games start.
    pub starts: Starts<'a>,
    /// Learns this set of weights alone, whatever the stage.
    pub only: Option<usize>,
}

impl Course<'_> {
    /// Ordinary games.
    pub fn of(block: Block) -> Course<'static> {
        Course {
            block,
            reward: Reward::Score,
            explore: 0.0,
            corner: CornerOf::Off,
            starts: Starts::Fresh,
            only: None,
        }
    }
}

/// The first position of a stage in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The game.
    pub game: u64,
    /// The stage.
    pub stage: usize,
    /// The afterstate that was the first in it.
    pub afterstate: maxtile_game::Afterstate,
    /// The position to move after its spawn.
    pub board: Board,
}

/// What came of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lesson {
    /// The games in their order.
    pub played: Vec<Played>,
    /// The stages that were reached, in the order of the games.
    pub reached: Vec<Reached>,
}

/// Plays and learns a block of games.
pub fn learn<S: Step, C: Credit>(
    network: &Network,
    step: &S,
    credit: &C,
    course: &Course<'_>,
) -> Lesson {
    let next = AtomicU64::new(0);
    let work = || {
        let pupil = Pupil { network, step, credit, course, next: &next, lesson: Lesson::default() };
        with_avx2(|| pupil.learn())
    };
    let mut lesson = Lesson::default();
    for more in side_by_side(course.block.threads, work) {
        lesson.played.extend(more.played);
        lesson.reached.extend(more.reached);
    }
    lesson.played.sort_unstable_by_key(|played| played.game);
    lesson.reached.sort_by_key(|reached| reached.game);
    lesson
}

/// What one thread learns with.
struct Pupil<'a, S, C> {
    network: &'a Network,
    step: &'a S,
    credit: &'a C,
    course: &'a Course<'a>,
    /// The next game to be taken up by whoever is free.
    next: &'a AtomicU64,
    lesson: Lesson,
}

/// A game in progress, with its next move begun.
struct Seat<T> {
    spawns: Random,
    /// For the choice of a start and for random moves.
    own: Random,
    result: Played,
    /// Is this play after a restart?
    again: bool,
    board: Board,
    stage: usize,
    /// A bit for each stage that has been reached.
    seen: u32,
    score: u32,
    corner: Option<Corner>,
    trace: T,
    /// The boards since the last start, kept only for restarts.
    boards: Vec<Board>,
    slides: Afterstates,
    words: [u64; 4],
    octets: Vec<Octet>,
}

impl<S: Step, C: Credit> Pupil<'_, S, C> {
    #[inline(always)]
    fn learn(mut self) -> Lesson {
        let seats = (0..SLOTS).filter_map(|_| self.new_game()).collect();
        take_turns(seats, |seat, next| self.turn(seat, next));
        self.lesson
    }

    fn new_game(&self) -> Option<Seat<C::Trace>> {
        let block = &self.course.block;
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        if index >= block.games {
            return None;
        }
        let game = block.first + index;
        let mut spawns = Random::stream(block.seed, game);
        let mut own = Random::stream(block.seed ^ OWN, game);
        let pick = |boards: &[Board], place: u64| boards.get(place as usize).copied();
        let stored = match self.course.starts {
            Starts::Fresh => None,
            Starts::InTurn(boards) => pick(boards, game % boards.len().max(1) as u64),
            Starts::AnyOf(boards) => pick(boards, own.below(boards.len() as u64)),
        };
        let board = stored.unwrap_or_else(|| block.rules.start(&mut spawns));
        let mut seat = Seat {
            spawns,
            own,
            result: Played { game, ..Played::default() },
            again: false,
            board,
            stage: 0,
            seen: 0,
            score: 0,
            corner: None,
            trace: C::Trace::default(),
            boards: Vec::new(),
            slides: board.afterstates(),
            words: [0; 4],
            octets: vec![[0; 8]; 4 * self.network.plan.octets()],
        };
        self.start(&mut seat, board);
        Some(seat)
    }

    /// Play begins at a board.
    fn start(&self, seat: &mut Seat<C::Trace>, board: Board) {
        seat.board = board;
        seat.stage = self.network.stage(board.grid(), 0);
        seat.seen = 1 << seat.stage;
        seat.score = 0;
        seat.corner = match self.course.corner {
            CornerOf::Off => None,
            CornerOf::Rule(corner) => Some(corner.clone()),
            CornerOf::Search(search) => {
                Some(RatioSearch::corner(&search.draw(self.course.block.seed, seat.result.game)))
            }
        };
        seat.boards.clear();
        self.begin(seat);
    }

    /// Slides and the indices of the four afterstates, each in its stage; weights are promoted.
    #[inline(always)]
    fn begin(&self, seat: &mut Seat<C::Trace>) {
        let network = self.network;
        seat.slides = seat.board.afterstates();
        seat.words = words(network, &seat.slides);
        network.plan.indices(&seat.words, &mut seat.octets);
        if network.stages() > 1 {
            let octets = network.plan.octets();
            for mv in seat.slides.legal().iter().map(Move::index) {
                let of = |word| network.spec().stages.of(word, seat.stage);
                let set = self.course.only.unwrap_or_else(|| of(seat.words[mv]));
                let octets = &mut seat.octets[mv * octets..][..octets];
                Network::shift(octets, network.offset(set));
                if network.spec().promotion && set > 0 {
                    network.promote(octets);
                }
            }
        }
    }

    /// Sums, choice, learning, spawn; then the next move is begun. `false` when no game is left.
    #[inline(always)]
    fn turn(&mut self, seat: &mut Seat<C::Trace>, next: Option<&Seat<C::Trace>>) -> bool {
        let network = self.network;
        let octets = network.plan.octets();
        let mut values = [0.0; 4];
        for mv in Move::ALL {
            let part = mv.index() * octets..(mv.index() + 1) * octets;
            if let Some(next) = next.filter(|next| next.slides.legal().contains(mv)) {
                network.prefetch(&next.octets[part.clone()]);
            }
            if seat.slides.legal().contains(mv) {
                values[mv.index()] = network.sum(&seat.octets[part]);
            }
        }
        let Some((greedy, mv)) = self.choose(seat, &values) else { return self.over(seat) };
        let Some((afterstate, points)) = seat.slides.get(mv) else { return self.over(seat) };
        if self.course.block.restart.is_some() {
            seat.boards.push(seat.board);
        }
        // The target is that of the greedy move, whatever was played.
        let reward = self.course.reward.of(seat.slides.rewards()[greedy.index()]);
        let octets = &seat.octets[mv.index() * octets..][..octets];
        network.set_learned((network.offset_of(octets) / network.plan.stage) as usize);
        let (word, value) = (seat.words[mv.index()], values[greedy.index()]);
        let chosen = Chosen { word, reward, value, octets };
        self.credit.chosen(&mut seat.trace, network, self.step, chosen);

        seat.stage = network.stage(afterstate.grid(), seat.stage);
        seat.board = self.course.block.rules.law.spawn(afterstate, &mut seat.spawns);
        seat.score += points;
        seat.result.all_moves += 1;
        seat.result.judged += seat.slides.legal().len() as u64;
        seat.result.moves += u32::from(!seat.again);
        if seat.seen >> seat.stage & 1 == 0 {
            seat.seen |= 1 << seat.stage;
            let (game, stage, board) = (seat.result.game, seat.stage, seat.board);
            self.lesson.reached.push(Reached { game, stage, afterstate, board });
        }
        self.begin(seat);
        true
    }

    /// The end of a game: the last lesson, then the middle of the same game or a new one.
    #[cold]
    fn over(&mut self, seat: &mut Seat<C::Trace>) -> bool {
        self.credit.over(&mut seat.trace, self.network, self.step);
        if !seat.again {
            seat.result.score = seat.score;
            seat.result.largest = seat.board.max_exponent();
        }
        if let Some(board) = self.course.block.restart_from(&seat.boards) {
            seat.again = true;
            self.start(seat, board);
            return true;
        }
        self.lesson.played.push(seat.result);
        self.new_game().is_some_and(|fresh| {
            *seat = fresh;
            true
        })
    }

    /// The greedy move, and the move to play.
    #[inline(always)]
    fn choose(&self, seat: &mut Seat<C::Trace>, values: &[f32; 4]) -> Option<(Move, Move)> {
        let slides = &seat.slides;
        let worths = |mv: Move| {
            let points = slides.rewards()[mv.index()];
            self.course.reward.of(points) + values[mv.index()]
        };
        let legal = slides.legal();
        let greedy = best(slides, worths)?;
        if self.course.explore > 0.0 && seat.own.unit() < self.course.explore {
            return Some((greedy, legal.nth(seat.own.below(legal.len() as u64) as usize)?));
        }
        let played = match &seat.corner {
            Some(corner) => corner.choose(slides, worths, seat.score, seat.board)?,
            None => greedy,
        };
        Some((greedy, played))
    }
}

/// The cells of the four afterstates as the network reads them.
fn words(network: &Network, slides: &Afterstates) -> [u64; 4] {
    let mut words = *slides.nibbles();
    if slides.any_high() || network.spec().values < 16 {
        for (mv, afterstate, _) in slides.iter() {
            words[mv.index()] = network.word(afterstate.grid());
        }
    }
    words
}

/// The legal move that is worth most; of equal ones the first.
pub(crate) fn best(slides: &Afterstates, worth: impl Fn(Move) -> f32) -> Option<Move> {
    let mut best: Option<(f32, Move)> = None;
    for mv in slides.legal().iter() {
        let worth = worth(mv);
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, mv));
        }
    }
    best.map(|(_, mv)| mv)
}

/// Are the stages those of a game's history, so that a player must remember them?
pub(crate) fn has_history(network: &Network) -> bool {
    matches!(network.spec().stages, Stages::History(_))
}

#[cfg(test)]
mod tests;
