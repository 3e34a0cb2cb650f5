//! Both sides of a duel by temporal differences: two networks, one that judges afterstates and slides, one
//! that judges positions to move and places. Both play greedily; each learns from its own positions, as
//! [`crate::TdLearner`] does, and takes the other as it is.

use maxtile_game::{DuelRules, Side};
use maxtile_neural::{Extra, Judges, Weights};

use crate::duel_games::{Course, DuelLesson, Round};
use crate::error::TrainError;
use crate::games::{PlayedGame, Reward};
use crate::pupil::{Images, Player, Pupil, Steps, Study};
use crate::td::Learned;
use crate::trainer::{Loss, Trainer};

/// How both sides learn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuelSettings {
    /// Board and variant.
    pub rules: DuelRules,
    /// The seed of the run.
    pub seed: u64,
    /// The attacker's first placements are random, any number up to this.
    pub opening: u32,
    /// What the value of what follows is multiplied by.
    pub discount: f32,
    /// Pairs a step, 1 at least.
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

/// Two networks that learn a duel.
pub struct DuelLearner {
    pub(crate) settings: DuelSettings,
    defender: Pupil,
    attacker: Pupil,
}

impl DuelLearner {
    /// A learner of the defender's network, which judges afterstates, and of the attacker's, which judges
    /// positions to move. One unit of their values means the same to both.
    pub fn new(
        defender: Trainer,
        attacker: Trainer,
        settings: DuelSettings,
    ) -> Result<DuelLearner, TrainError> {
        let DuelSettings { rules, seed, loss, images, threads, .. } = settings;
        let batch = settings.batch.max(1);
        let reward = Reward::Score;
        let study = Study { shape: rules.shape, seed, reward, batch, loss, images };
        // Other images than the defender's.
        let attackers = Study { seed: !seed, ..study };
        if defender.spec().scale.to_bits() != attacker.spec().scale.to_bits() {
            let why = "the values of attacker and defender have different scales";
            return Err(TrainError::Checkpoint(why.to_owned()));
        }
        let defender = Pupil::new(defender, study, Judges::Afterstates, threads)?;
        let attacker = Pupil::new(attacker, attackers, Judges::States, threads)?;
        Ok(DuelLearner { settings, defender, attacker })
    }

    fn side(&self, side: Side) -> &Pupil {
        match side {
            Side::Defender => &self.defender,
            Side::Attacker => &self.attacker,
        }
    }

    /// A side's network as it is now.
    pub fn weights(&self, side: Side) -> Result<Weights, TrainError> {
        self.side(side).weights()
    }

    /// Steps of its optimiser so far.
    pub fn steps(&self, side: Side) -> u64 {
        self.side(side).steps()
    }

    /// What a checkpoint needs besides its weights and its number of steps.
    pub fn extras(&self, side: Side) -> Result<Vec<Extra>, TrainError> {
        self.side(side).extras()
    }

    /// Takes up what a checkpoint holds of a side; the weights are those of its trainer already.
    pub fn restore(&mut self, side: Side, steps: u64, extras: &[Extra]) -> Result<(), TrainError> {
        match side {
            Side::Defender => self.defender.restore(steps, extras),
            Side::Attacker => self.attacker.restore(steps, extras),
        }
    }

    /// Goes on with so many threads. The result does not depend on them.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), TrainError> {
        self.settings.threads = threads;
        self.defender.set_threads(threads)?;
        self.attacker.set_threads(threads)
    }

    /// Plays and learns from so many duels, the first of them with this number. Steps and loss are those
    /// of both networks.
    pub fn learn(
        &mut self,
        lesson: DuelLesson,
        first: u64,
        games: u64,
        rate: f32,
    ) -> Result<Learned, TrainError> {
        let course = self.course(self.settings.seed, first, games, lesson);
        let mut round = Round::new(course, self.settings.seats);
        let mut steps = Steps::default();
        while !round.is_over() {
            let lessons = round.turn(&mut self.defender.player, &mut self.attacker.player);
            self.defender.put(lessons.defender);
            self.attacker.put(lessons.attacker);
            self.defender.learn_batches(rate, &mut steps)?;
            self.attacker.learn_batches(rate, &mut steps)?;
        }
        Ok(Learned { games: sorted(round), steps: steps.count, loss: steps.mean() })
    }

    /// Plays duels from whole openings without learning.
    pub fn play(&self, seed: u64, first: u64, games: u64) -> Result<Vec<PlayedGame>, TrainError> {
        let threads = self.settings.threads;
        let player = |side, judges| {
            let player = Player::new(&self.weights(side)?, judges, threads);
            player.ok_or(TrainError::NoHead("value head"))
        };
        let mut defender = player(Side::Defender, Judges::Afterstates)?;
        let mut attacker = player(Side::Attacker, Judges::States)?;
        let course = self.course(seed, first, games, DuelLesson::default());
        let mut round = Round::new(Course { whole_opening: true, ..course }, self.settings.seats);
        while !round.is_over() {
            round.turn(&mut defender, &mut attacker);
        }
        Ok(sorted(round))
    }

    fn course(&self, seed: u64, first: u64, games: u64, lesson: DuelLesson) -> Course {
        let DuelSettings { rules, opening, discount, .. } = self.settings;
        Course { rules, seed, first, games, opening, whole_opening: false, discount, lesson }
    }
}

fn sorted(round: Round) -> Vec<PlayedGame> {
    let mut played = round.played;
    played.sort_unstable_by_key(|game| game.game);
    played
}
