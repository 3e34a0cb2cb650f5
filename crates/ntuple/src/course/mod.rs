//! Learning and test games with everything the literature does to them: stages, stored starts,
//! weight promotion, the corner rule, exploration, another reward.
//!
//! The plain trainer's hot loop knows none of this and stays fast; this loop plays one game at a
//! time on each thread and is chosen only where a recipe asks for one of these. The learning rules
//! are the same.

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
use crate::side_by_side::side_by_side;
use crate::stages::Stages;
use crate::td::{Chosen, Credit, Step};
use crate::trainer::{Block, Played};

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
        let mut lesson = Lesson::default();
        let mut pupil = Pupil { network, step, credit, course, octets: Vec::new() };
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= course.block.games {
                return lesson;
            }
            pupil.game(course.block.first + index, &mut lesson);
        }
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
    octets: Vec<Octet>,
}

/// A game in progress.
struct InPlay {
    board: Board,
    stage: usize,
    /// A bit for each stage that has been reached.
    seen: u32,
    score: u32,
    corner: Option<Corner>,
}

impl<S: Step, C: Credit> Pupil<'_, S, C> {
    fn game(&mut self, game: u64, lesson: &mut Lesson) {
        let block = &self.course.block;
        let mut spawns = Random::stream(block.seed, game);
        let mut own = Random::stream(block.seed ^ OWN, game);
        let pick = |boards: &[Board], place: u64| boards.get(place as usize).copied();
        let stored = match self.course.starts {
            Starts::Fresh => None,
            Starts::InTurn(boards) => pick(boards, game % boards.len().max(1) as u64),
            Starts::AnyOf(boards) => pick(boards, own.below(boards.len() as u64)),
        };
        let mut board = stored.unwrap_or_else(|| block.rules.start(&mut spawns));
        let mut result = Played { game, ..Played::default() };
        let mut again = false;
        loop {
            let boards = self.play(board, again, &mut spawns, &mut own, &mut result, lesson);
            match block.restart {
                Some(least) if boards.len() >= least.max(2) as usize => {
                    board = boards[boards.len() / 2];
                    again = true;
                }
                _ => break,
            }
        }
        lesson.played.push(result);
    }

    /// Plays to the end; gives the boards on the way where restarts need them.
    fn play(
        &mut self,
        start: Board,
        again: bool,
        spawns: &mut Random,
        own: &mut Random,
        result: &mut Played,
        lesson: &mut Lesson,
    ) -> Vec<Board> {
        let (network, block) = (self.network, &self.course.block);
        let stage = network.stage(start.grid(), 0);
        let corner = match self.course.corner {
            CornerOf::Off => None,
            CornerOf::Rule(corner) => Some(corner.clone()),
            CornerOf::Search(search) => {
                Some(RatioSearch::corner(&search.draw(block.seed, result.game)))
            }
        };
        let mut game = InPlay { board: start, stage, seen: 1 << stage, score: 0, corner };
        let mut trace = C::Trace::default();
        let mut boards = Vec::new();
        loop {
            let slides = game.board.afterstates();
            let words = self.indices(&slides, game.stage);
            let Some((greedy, value, mv)) = self.choose(&game, &slides, own) else { break };
            let Some((afterstate, points)) = slides.get(mv) else { break };
            if block.restart.is_some() {
                boards.push(game.board);
            }
            // The target is that of the greedy move, whatever was played.
            let reward = self.course.reward.of(slides.rewards()[greedy.index()]);
            let octets = self.octets_of(mv);
            network.set_learned((network.offset_of(octets) / network.plan.stage) as usize);
            let chosen = Chosen { word: words[mv.index()], reward, value, octets };
            self.credit.chosen(&mut trace, network, self.step, chosen);
            game.stage = network.stage(afterstate.grid(), game.stage);
            game.board = block.rules.law.spawn(afterstate, spawns);
            game.score += points;
            result.all_moves += 1;
            result.judged += slides.legal().len() as u64;
            result.moves += u32::from(!again);
            if game.seen >> game.stage & 1 == 0 {
                game.seen |= 1 << game.stage;
                let (game, stage, board) = (result.game, game.stage, game.board);
                lesson.reached.push(Reached { game, stage, afterstate, board });
            }
        }
        self.credit.over(&mut trace, network, self.step);
        if !again {
            result.score = game.score;
            result.largest = game.board.max_exponent();
        }
        boards
    }

    /// The indices of the four afterstates, each in its stage; weights are promoted.
    fn indices(&mut self, slides: &Afterstates, stage: usize) -> [u64; 4] {
        let network = self.network;
        let words = words(network, slides);
        let octets = network.plan.octets();
        self.octets.resize(4 * octets, [0; 8]);
        network.plan.indices(&words, &mut self.octets);
        if network.stages() > 1 {
            for mv in slides.legal().iter().map(Move::index) {
                let set =
                    self.course.only.unwrap_or_else(|| network.spec().stages.of(words[mv], stage));
                let octets = &mut self.octets[mv * octets..][..octets];
                Network::shift(octets, network.offset(set));
                if network.spec().promotion && set > 0 {
                    network.promote(octets);
                }
            }
        }
        words
    }

    /// The indices of the afterstate of a move.
    fn octets_of(&self, mv: Move) -> &[Octet] {
        let octets = self.network.plan.octets();
        &self.octets[mv.index() * octets..][..octets]
    }

    /// The greedy move with its value, and the move to play.
    fn choose(
        &self,
        game: &InPlay,
        slides: &Afterstates,
        own: &mut Random,
    ) -> Option<(Move, f32, Move)> {
        let values = Move::ALL.map(|mv| self.network.sum(self.octets_of(mv)));
        let worths = |mv: Move| {
            let points = slides.rewards()[mv.index()];
            self.course.reward.of(points) + values[mv.index()]
        };
        let legal = slides.legal();
        let greedy = best(slides, worths)?;
        let value = values[greedy.index()];
        if self.course.explore > 0.0 && own.unit() < self.course.explore {
            return Some((greedy, value, legal.nth(own.below(legal.len() as u64) as usize)?));
        }
        let played = match &game.corner {
            Some(corner) => corner.choose(slides, worths, game.score, game.board)?,
            None => greedy,
        };
        Some((greedy, value, played))
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
