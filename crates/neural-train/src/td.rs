//! Values by temporal differences: games are played greedily by the weights as they are, every afterstate
//! left behind is paired with what followed, and batches of pairs make steps of the optimiser.
//!
//! Games go side by side, all by one network; after each step the network that plays is the one that
//! learns. Game i draws its spawns from stream (seed, i), its player and its images from another stream of the same
//! number, so that a run is the same every time, on any number of threads. Pairs that do not fill a
//! batch wait for the next block, in the checkpoint if need be.

use maxtile_game::{Afterstate, Afterstates, Board, Grid, Move, Random, Rules, Symmetry};
use maxtile_neural::{Extra, Head, Judges, Weights};

use crate::error::TrainError;
use crate::games::{PlayedGame, Reward, Starts, player_random};
use crate::judging::Judging;
use crate::trainer::{Loss, Trainer};

/// How values are learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TdSettings {
    /// Board and spawns.
    pub rules: Rules,
    /// The seed of the run.
    pub seed: u64,
    /// What moves are rewarded with.
    pub reward: Reward,
    /// What the value of what follows is multiplied by.
    pub discount: f32,
    /// The probability of a random move. The target stays that of the greedy one.
    pub explore: f64,
    /// Where games start.
    pub starts: Starts,
    /// After a game of at least this many moves, play on from its middle, again and again.
    pub restart: Option<u32>,
    /// Pairs a step; 0 makes a step of each game.
    pub batch: usize,
    /// What is made small.
    pub loss: Loss,
    /// Which images of a pair are learned.
    pub images: Images,
    /// Games side by side.
    pub seats: usize,
    /// Threads.
    pub threads: usize,
}

/// Which symmetric images of a board are learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Images {
    /// The board as it is.
    #[default]
    Own,
    /// One by chance.
    Random,
    /// All: a batch has eight times as many boards (four on rectangles).
    All,
}

/// An afterstate and what it should be worth, in units of the value head.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    afterstate: Afterstate,
    target: f32,
}

/// What a block of games came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// The games in their order.
    pub games: Vec<PlayedGame>,
    /// Steps of the optimiser.
    pub steps: u64,
    /// The mean loss of these steps.
    pub loss: f64,
}

/// A network that learns values.
pub struct TdLearner {
    settings: TdSettings,
    trainer: Trainer,
    judging: Judging,
    head: usize,
    scale: f32,
    waiting: Vec<Pair>,
}

/// A game in progress.
struct Seat {
    random: Random,
    own: Random,
    board: Board,
    /// The afterstate that waits for what follows.
    behind: Option<Afterstate>,
    /// Pairs of this game, where a step is made of each game.
    pairs: Vec<Pair>,
    result: PlayedGame,
    /// The boards since the last start, kept only for restarts.
    boards: Vec<Board>,
    restarted: bool,
}

impl TdLearner {
    /// A learner of this network.
    pub fn new(trainer: Trainer, settings: TdSettings) -> Result<TdLearner, TrainError> {
        let weights = trainer.weights()?;
        let judging = Judging::new(&weights, settings.threads);
        let afterstates = weights.spec().judges == Judges::Afterstates;
        let head = judging.network().head(Head::Value).filter(|_| afterstates);
        let head = head.ok_or(TrainError::NoHead("value of afterstates"))?;
        let scale = weights.spec().scale;
        Ok(TdLearner { settings, trainer, judging, head, scale, waiting: Vec::new() })
    }

    /// The network as it is now.
    pub fn weights(&self) -> Result<Weights, TrainError> {
        self.trainer.weights()
    }

    /// Goes on with so many threads. The result does not depend on them.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), TrainError> {
        self.settings.threads = threads;
        self.judging.set_threads(threads);
        self.trainer.set_threads(threads)
    }

    /// Steps of the optimiser so far.
    pub fn steps(&self) -> u64 {
        self.trainer.steps()
    }

    /// What a checkpoint needs besides the weights and the number of steps.
    pub fn extras(&self) -> Result<Vec<Extra>, TrainError> {
        let mut extras = self.trainer.extras()?;
        if !self.waiting.is_empty() {
            let boards = self.waiting.iter().flat_map(|pair| pair.afterstate.grid().exponents());
            let (count, cells) = (self.waiting.len(), self.settings.rules.shape.cells());
            let targets = self.waiting.iter().map(|pair| pair.target).collect();
            let extra =
                |name: &str, shape, numbers| Extra { name: name.to_owned(), shape, numbers };
            extras.push(extra(
                "waiting.boards",
                vec![count, cells],
                boards.map(f32::from).collect(),
            ));
            extras.push(extra("waiting.targets", vec![count], targets));
        }
        Ok(extras)
    }

    /// Takes up what a checkpoint holds; the weights are those of the trainer already.
    pub fn restore(&mut self, steps: u64, extras: &[Extra]) -> Result<(), TrainError> {
        self.trainer.restore(steps, extras)?;
        let find = |name: &str| extras.iter().find(|extra| extra.name == name);
        let (Some(boards), Some(targets)) = (find("waiting.boards"), find("waiting.targets"))
        else {
            return Ok(());
        };
        let shape = self.settings.rules.shape;
        for (cells, &target) in boards.numbers.chunks(shape.cells()).zip(&targets.numbers) {
            let exponents: Vec<u8> = cells.iter().map(|&exponent| exponent as u8).collect();
            let afterstate = Afterstate::from_exponents(shape, &exponents);
            let afterstate = afterstate.map_err(|why| TrainError::Checkpoint(why.to_string()))?;
            self.waiting.push(Pair { afterstate, target });
        }
        Ok(())
    }

    /// Plays and learns from so many games, the first of them with this number.
    pub fn learn(&mut self, first: u64, games: u64, rate: f32) -> Result<Learned, TrainError> {
        let mut next = first;
        let mut sit = |settings: &TdSettings| {
            next += 1;
            (next <= first + games).then(|| Seat::new(settings, next - 1))
        };
        let mut learned = Learned::default();
        let mut seats: Vec<Seat> =
            (0..self.settings.seats.max(1)).map_while(|_| sit(&self.settings)).collect();
        let mut boards: Vec<Grid> = Vec::new();
        let mut slides: Vec<Afterstates> = Vec::new();
        while !seats.is_empty() {
            slides.clear();
            slides.extend(seats.iter().map(|seat| seat.board.afterstates()));
            boards.clear();
            boards.extend(slides.iter().flat_map(|four| four.iter().map(|(_, a, _)| a.grid())));
            let width = self.judging.network().outputs();
            let outputs = self.judging.run(&boards);
            let mut values = outputs.chunks_exact(width).map(|outputs| outputs[self.head]);
            let mut ended = Vec::new();
            for (place, (seat, slides)) in seats.iter_mut().zip(&slides).enumerate() {
                let four = slides.iter().zip(&mut values);
                let best = four.map(|((mv, _, points), value)| {
                    (self.settings.reward.of(points) / self.scale, value, mv)
                });
                let best = best.reduce(|a, b| if b.0 + b.1 > a.0 + a.1 { b } else { a });
                let pair = seat.turn(&self.settings, slides, best);
                match self.settings.batch {
                    0 => seat.pairs.extend(pair),
                    _ => self.waiting.extend(pair),
                }
                if best.is_none() {
                    ended.push(place);
                }
            }
            for place in ended.into_iter().rev() {
                let seat = &mut seats[place];
                let pairs = std::mem::take(&mut seat.pairs);
                if !pairs.is_empty() {
                    self.step(&pairs, rate, &mut learned)?;
                }
                let seat = &mut seats[place];
                if !seat.restart(self.settings.restart) {
                    learned.games.push(seat.result);
                    match sit(&self.settings) {
                        Some(fresh) => *seat = fresh,
                        None => drop(seats.remove(place)),
                    }
                }
            }
            let batch = self.settings.batch;
            while batch > 0 && self.waiting.len() >= batch {
                let pairs: Vec<Pair> = self.waiting.drain(..batch).collect();
                self.step(&pairs, rate, &mut learned)?;
            }
        }
        learned.games.sort_unstable_by_key(|game| game.game);
        learned.loss /= learned.steps.max(1) as f64;
        Ok(learned)
    }

    /// A step, after which the new weights play.
    fn step(&mut self, pairs: &[Pair], rate: f32, learned: &mut Learned) -> Result<(), TrainError> {
        let bound = self.settings.reward.bound(self.settings.rules.shape);
        for pair in pairs {
            let worth = f64::from(pair.target) * f64::from(self.scale);
            if worth.is_nan() || worth.abs() > bound {
                return Err(self.trainer.exploded("a target", worth));
            }
        }
        let own = Symmetry::of(self.settings.rules.shape);
        let mut random = player_random(!self.settings.seed, self.trainer.steps());
        let (mut boards, mut targets) = (Vec::new(), Vec::new());
        for pair in pairs {
            let images = match self.settings.images {
                Images::Own => &own[..1],
                Images::Random => {
                    let image = random.below(own.len() as u64) as usize;
                    &own[image..=image]
                }
                Images::All => own,
            };
            let grid = pair.afterstate.grid();
            boards.extend(images.iter().map(|image| grid.transformed(*image)));
            targets.resize(boards.len(), pair.target);
        }
        learned.loss += self.trainer.learn_values(&boards, &targets, self.settings.loss, rate)?;
        learned.steps += 1;
        self.judging.refresh(&self.trainer.weights()?);
        Ok(())
    }
}

impl Seat {
    fn new(settings: &TdSettings, game: u64) -> Seat {
        let mut random = Random::stream(settings.seed, game);
        let board = settings.starts.draw(settings.rules, game, &mut random);
        Seat {
            random,
            own: player_random(settings.seed, game),
            board,
            behind: None,
            pairs: Vec::new(),
            result: PlayedGame { game, ..PlayedGame::default() },
            boards: Vec::new(),
            restarted: false,
        }
    }

    /// A move, or the end of the game without one; what the afterstate before it should be worth.
    fn turn(
        &mut self,
        settings: &TdSettings,
        slides: &Afterstates,
        best: Option<(f32, f32, Move)>,
    ) -> Option<Pair> {
        let target = best.map_or(0.0, |(reward, value, _)| reward + settings.discount * value);
        let pair = self.behind.map(|afterstate| Pair { afterstate, target });
        self.behind = None;
        let Some((_, _, mut mv)) = best else {
            if !self.restarted {
                self.result.largest = self.board.max_exponent();
            }
            return pair;
        };
        if settings.explore > 0.0 && self.own.unit() < settings.explore {
            let legal = slides.legal();
            mv = legal.nth(self.own.below(legal.len() as u64) as usize).unwrap_or(mv);
        }
        if let Some((afterstate, points)) = slides.get(mv) {
            if settings.restart.is_some() {
                self.boards.push(self.board);
            }
            self.behind = Some(afterstate);
            self.result.all_moves += 1;
            if !self.restarted {
                self.result.score += points;
                self.result.moves += 1;
            }
            self.board = settings.rules.law.spawn(afterstate, &mut self.random);
        }
        pair
    }

    /// Goes back to the middle of the game, if it was long enough.
    fn restart(&mut self, least: Option<u32>) -> bool {
        // Two at least: every game that is played on from its middle has one.
        let long = least.is_some_and(|least| self.boards.len() >= least.max(2) as usize);
        if long {
            self.restarted = true;
            self.board = self.boards[self.boards.len() / 2];
            self.boards.clear();
        }
        long
    }
}
