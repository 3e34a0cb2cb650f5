//! Values by temporal differences: games are played greedily by the weights as they are (the largest
//! reward + discount · value), every afterstate left behind is paired with what followed, and batches of
//! pairs make steps of the optimiser.
//!
//! Games go side by side, all by one network; after each step the network that plays is the one that
//! learns. Game i draws its spawns from stream (seed, i), its player from another stream of the same number,
//! and a step draws its images by its own number, so that a run is the same every time, on any number of
//! threads. Pairs that do not fill a batch wait for the next block, in the checkpoint if need be.

use maxtile_game::{Afterstate, Afterstates, Board, Grid, Move, Random, Rules};
use maxtile_neural::{Extra, Judges, Weights};

use crate::error::TrainError;
use crate::games::{PlayedGame, Reward, Starts, player_random};
use crate::pupil::{Images, Pair, Pupil, Steps, Study};
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
    pupil: Pupil,
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
        let TdSettings { rules, seed, reward, batch, loss, images, threads, .. } = settings;
        let study = Study { shape: rules.shape, seed, reward, batch, loss, images };
        let pupil = Pupil::new(trainer, study, Judges::Afterstates, threads)?;
        Ok(TdLearner { settings, pupil })
    }

    /// The network as it is now.
    pub fn weights(&self) -> Result<Weights, TrainError> {
        self.pupil.weights()
    }

    /// Goes on with so many threads. The result does not depend on them.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), TrainError> {
        self.settings.threads = threads;
        self.pupil.set_threads(threads)
    }

    /// Steps of the optimiser so far.
    pub fn steps(&self) -> u64 {
        self.pupil.steps()
    }

    /// What a checkpoint needs besides the weights and the number of steps.
    pub fn extras(&self) -> Result<Vec<Extra>, TrainError> {
        self.pupil.extras()
    }

    /// Takes up what a checkpoint holds; the weights are those of the trainer already.
    pub fn restore(&mut self, steps: u64, extras: &[Extra]) -> Result<(), TrainError> {
        self.pupil.restore(steps, extras)
    }

    /// Plays and learns from so many games, the first of them with this number.
    pub fn learn(&mut self, first: u64, games: u64, rate: f32) -> Result<Learned, TrainError> {
        let mut next = first;
        let mut sit = |settings: &TdSettings| {
            next += 1;
            (next <= first + games).then(|| Seat::new(settings, next - 1))
        };
        let (mut played, mut steps) = (Vec::new(), Steps::default());
        let mut seats: Vec<Seat> =
            (0..self.settings.seats.max(1)).map_while(|_| sit(&self.settings)).collect();
        let mut boards: Vec<Grid> = Vec::new();
        let mut slides: Vec<Afterstates> = Vec::new();
        while !seats.is_empty() {
            slides.clear();
            slides.extend(seats.iter().map(|seat| seat.board.afterstates()));
            boards.clear();
            boards.extend(slides.iter().flat_map(|four| four.iter().map(|(_, a, _)| a.grid())));
            let (scale, discount) = (self.pupil.player.scale(), self.settings.discount);
            let mut values = self.pupil.player.values(&boards);
            let (mut ended, mut pairs) = (Vec::new(), Vec::new());
            for (place, (seat, slides)) in seats.iter_mut().zip(&slides).enumerate() {
                let four = slides.iter().zip(&mut values);
                let best = four.map(|((mv, _, points), value)| {
                    (self.settings.reward.of(points) / scale, value, mv)
                });
                let worth = |(reward, value, _): &(f32, f32, Move)| reward + discount * value;
                let best = best.reduce(|a, b| if worth(&b) > worth(&a) { b } else { a });
                let pair = seat.turn(&self.settings, slides, best);
                match self.settings.batch {
                    0 => seat.pairs.extend(pair),
                    _ => pairs.extend(pair),
                }
                if best.is_none() {
                    ended.push(place);
                }
            }
            drop(values);
            self.pupil.put(pairs);
            for place in ended.into_iter().rev() {
                let seat = &mut seats[place];
                let pairs = std::mem::take(&mut seat.pairs);
                if !pairs.is_empty() {
                    self.pupil.step(&pairs, rate, &mut steps)?;
                }
                if !seat.restart(self.settings.restart) {
                    played.push(seat.result);
                    match sit(&self.settings) {
                        Some(fresh) => *seat = fresh,
                        None => drop(seats.remove(place)),
                    }
                }
            }
            self.pupil.learn_batches(rate, &mut steps)?;
        }
        played.sort_unstable_by_key(|game: &PlayedGame| game.game);
        Ok(Learned { games: played, steps: steps.count, loss: steps.mean() })
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
        let pair = self.behind.map(|afterstate| Pair { board: afterstate.grid(), target });
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
