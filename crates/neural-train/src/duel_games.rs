//! Duels side by side, both sides played greedily, and what their positions teach.
//!
//! A position after a slide should be worth what the next slide brings, its points and the position after
//! it; a position after a placement what the slide that follows brings and the position after the next
//! placement. What comes after the end is worth 0. The attacker's first placements are random, because two
//! greedy players would play one game for ever; nothing is learned from what they led to.

use maxtile_game::{
    Afterstate, Board, DuelRules, Grid, Random, Rules, Spawn, SpawnLaw, Tiles, Variant,
};

use crate::games::PlayedGame;
use crate::pupil::{Pair, Player};

/// Who learns in a block of duels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DuelLesson {
    /// Does the defender?
    pub defender: bool,
    /// Does the attacker?
    pub attacker: bool,
    /// Are tiles placed by chance, as in the ordinary game?
    pub chance: bool,
}

/// Which duels are played, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course {
    pub(crate) rules: DuelRules,
    /// Game i draws from stream (seed, i).
    pub(crate) seed: u64,
    /// The number of the first game.
    pub(crate) first: u64,
    pub(crate) games: u64,
    /// At most so many random placements.
    pub(crate) opening: u32,
    /// Are there exactly so many?
    pub(crate) whole_opening: bool,
    pub(crate) discount: f32,
    pub(crate) lesson: DuelLesson,
}

/// What a turn of all seats teaches.
#[derive(Debug, Default)]
pub(crate) struct Lessons {
    pub(crate) defender: Vec<Pair>,
    pub(crate) attacker: Vec<Pair>,
}

/// Duels in progress.
pub(crate) struct Round {
    course: Course,
    next: u64,
    seats: Vec<Seat>,
    pub(crate) played: Vec<PlayedGame>,
}

struct Seat {
    random: Random,
    board: Board,
    random_placements: u64,
    /// The last position after a slide, if the attacker chose from there on.
    slid: Option<Grid>,
    /// The last position after a placement.
    left: Grid,
    result: PlayedGame,
}

/// A seat whose attacker chooses now.
struct Choice {
    seat: usize,
    afterstate: Afterstate,
    reward: f32,
}

impl Round {
    pub(crate) fn new(course: Course, seats: usize) -> Round {
        let mut round = Round { course, next: course.first, seats: Vec::new(), played: Vec::new() };
        while round.seats.len() < seats.max(1)
            && let Some(seat) = round.sit()
        {
            round.seats.push(seat);
        }
        round
    }

    /// The next game, if there is one.
    fn sit(&mut self) -> Option<Seat> {
        let more = self.next < self.course.first + self.course.games;
        self.next += u64::from(more);
        more.then(|| Seat::new(&self.course, self.next - 1))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.seats.is_empty()
    }

    /// A slide and a placement on every board. Values of both players are in the same units.
    pub(crate) fn turn(&mut self, defender: &mut Player, attacker: &mut Player) -> Lessons {
        let mut lessons = Lessons::default();
        let choices = self.slide(defender, &mut lessons.defender);
        self.place(attacker, &choices, &mut lessons.attacker);
        for place in (0..self.seats.len()).rev() {
            let seat = &mut self.seats[place];
            if !seat.board.is_over() {
                continue;
            }
            seat.result.largest = seat.board.max_exponent();
            self.played.push(seat.result);
            let last = seat.slid.filter(|_| self.course.lesson.defender);
            lessons.defender.extend(last.map(|board| Pair { board, target: 0.0 }));
            match self.sit() {
                Some(fresh) => self.seats[place] = fresh,
                None => drop(self.seats.remove(place)),
            }
        }
        lessons
    }

    /// Every defender's best slide, and the placements by chance; who is to choose a placement.
    fn slide(&mut self, player: &mut Player, pairs: &mut Vec<Pair>) -> Vec<Choice> {
        let scale = player.scale();
        let slides: Vec<_> = self.seats.iter().map(|seat| seat.board.afterstates()).collect();
        let boards = slides.iter().flat_map(|four| four.iter().map(|(_, after, _)| after.grid()));
        let boards: Vec<Grid> = boards.collect();
        let mut values = player.values(&boards);
        let (course, mut choices) = (&self.course, Vec::new());
        for (number, (seat, slides)) in self.seats.iter_mut().zip(&slides).enumerate() {
            let worths = slides.iter().zip(&mut values);
            let worths = worths
                .map(|((_, after, points), value)| (points as f32 / scale, value, after, points));
            let worth = |reward: f32, value: f32| reward + course.discount * value;
            let best = worths.reduce(|a, b| if worth(b.0, b.1) > worth(a.0, a.1) { b } else { a });
            // On the smallest boards a start can be the end.
            let Some((reward, value, afterstate, points)) = best else { continue };
            if let Some(board) = seat.slid.filter(|_| course.lesson.defender) {
                pairs.push(Pair { board, target: worth(reward, value) });
            }
            let random = u64::from(seat.result.moves) < seat.random_placements;
            let chosen = course.lesson.chance || !random;
            seat.slid = chosen.then(|| afterstate.grid());
            seat.result.score += points;
            seat.result.moves += 1;
            seat.result.all_moves += 1;
            if course.lesson.chance {
                let board = law(course.rules).spawn(afterstate, &mut seat.random);
                seat.leave(board);
            } else if random {
                let tiles = course.rules.variant.tiles(course.rules.law, &mut seat.random);
                let board = any_placement(afterstate, tiles, &mut seat.random);
                seat.leave(board);
            } else {
                choices.push(Choice { seat: number, afterstate, reward });
            }
        }
        choices
    }

    /// The placements that are worth least: 0 where they end the game.
    fn place(&mut self, player: &mut Player, choices: &[Choice], pairs: &mut Vec<Pair>) {
        let course = self.course;
        let (mut boards, mut ends): (Vec<Board>, Vec<usize>) = (Vec::new(), Vec::new());
        for choice in choices {
            let random = &mut self.seats[choice.seat].random;
            let tiles = course.rules.variant.tiles(course.rules.law, random);
            let placed = |spawn| choice.afterstate.spawn(spawn).ok();
            boards.extend(tiles.placements(choice.afterstate).filter_map(placed));
            ends.push(boards.len());
        }
        let grids: Vec<Grid> = boards.iter().map(|board| board.grid()).collect();
        let values: Vec<f32> = player.values(&grids).collect();
        let worth = |at: usize| if boards[at].is_over() { 0.0 } else { values[at] };
        let mut from = 0;
        for (choice, end) in choices.iter().zip(ends) {
            let less = |a: usize, b: usize| if worth(b) < worth(a) { b } else { a };
            let least = (from..end).reduce(less).expect("a slide leaves an empty cell");
            from = end;
            let seat = &mut self.seats[choice.seat];
            if course.lesson.attacker {
                let target = choice.reward + course.discount * worth(least);
                pairs.push(Pair { board: seat.left, target });
            }
            seat.leave(boards[least]);
        }
    }
}

impl Seat {
    fn new(course: &Course, game: u64) -> Seat {
        let mut random = Random::stream(course.seed, game);
        let opening = u64::from(course.opening);
        let any = random.below(opening + 1);
        let shape = course.rules.shape;
        let board = Rules { shape, law: law(course.rules) }.start(&mut random);
        Seat {
            random,
            board,
            random_placements: if course.whole_opening { opening } else { any },
            slid: None,
            left: board.grid(),
            result: PlayedGame { game, ..PlayedGame::default() },
        }
    }

    /// A tile was placed.
    fn leave(&mut self, board: Board) {
        (self.board, self.left) = (board, board.grid());
    }
}

/// How chance places where it does.
fn law(rules: DuelRules) -> SpawnLaw {
    match rules.variant {
        Variant::Twos => SpawnLaw::new(0.0).unwrap_or_default(),
        Variant::Free | Variant::Drawn => rules.law,
    }
}

/// One of all placements there are.
fn any_placement(afterstate: Afterstate, tiles: Tiles, random: &mut Random) -> Board {
    let all: Vec<Spawn> = tiles.placements(afterstate).collect();
    let spawn = all[random.below(all.len() as u64) as usize];
    afterstate.spawn(spawn).expect("one of the placements there are")
}
