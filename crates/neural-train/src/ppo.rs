//! Policies by PPO, on afterstates or on positions to move.
//!
//! Games are played in rounds, side by side, all by one policy: moves are drawn by the softmax over the
//! preferences of legal moves, by the network in play (running statistics). After a round with which
//! there are moves and games enough, the network makes one step for each epoch over all of them (or over
//! parts by chance), with the statistics of the batch; advantages and targets are worked out anew in each
//! epoch. With one game a round this is the schedule of the paper.

use maxtile_game::{Board, Grid, Move, Random, Rules};
use maxtile_neural::{Extra, Head, Judges, Weights};

use crate::error::TrainError;
use crate::games::{PlayedGame, Reward, player_random};
use crate::judging::Judging;
use crate::policy_batch::{
    Goals, PolicyBatch, PolicyLoss, PolicyRule, Transition, advantages, four_slides, normalise,
};
use crate::trainer::Trainer;

/// How a policy is learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PpoSettings {
    /// Board and spawns.
    pub rules: Rules,
    /// The seed of the run.
    pub seed: u64,
    /// What moves are rewarded with.
    pub reward: Reward,
    /// The loss.
    pub rule: PolicyRule,
    /// Passes over the moves of an update.
    pub epochs: usize,
    /// Moves that an update needs at least.
    pub least_moves: usize,
    /// Games that an update needs at least.
    pub least_games: usize,
    /// Moves a step; 0 takes all.
    pub batch: usize,
    /// An update ends before a step where the policy is this far from the one that played; 0 never.
    pub kl_stop: f64,
    /// Games of a round.
    pub seats: usize,
    /// Threads.
    pub threads: usize,
}

/// What a block of games came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PpoLearned {
    /// The games in their order.
    pub games: Vec<PlayedGame>,
    /// Updates made.
    pub updates: u64,
    /// Steps of the optimiser.
    pub steps: u64,
    /// The last step of the last update.
    pub last: PolicyLoss,
    /// The mean loss of all steps.
    pub loss: f64,
}

/// A network that learns a policy.
pub struct PpoLearner {
    settings: PpoSettings,
    trainer: Trainer,
    judging: Judging,
    judges: Judges,
    actor: usize,
    critic: usize,
    scale: f32,
    /// Moves of whole games since the last update.
    moves: Vec<Transition>,
    /// Games since the last update.
    games: usize,
}

/// A game in progress.
struct Seat {
    random: Random,
    own: Random,
    board: Board,
    moves: Vec<Transition>,
    result: PlayedGame,
}

impl PpoLearner {
    /// A learner of this network.
    pub fn new(trainer: Trainer, settings: PpoSettings) -> Result<PpoLearner, TrainError> {
        let weights = trainer.weights()?;
        let judging = Judging::new(&weights, settings.threads);
        let judges = weights.spec().judges;
        let actor = match judges {
            Judges::Afterstates => Head::Preference,
            Judges::States => Head::Moves,
        };
        let head = |head, name| judging.network().head(head).ok_or(TrainError::NoHead(name));
        let (actor, critic) = (head(actor, "preferences")?, head(Head::Value, "value head")?);
        let (scale, moves) = (weights.spec().scale, Vec::new());
        Ok(PpoLearner { settings, trainer, judging, judges, actor, critic, scale, moves, games: 0 })
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

    /// What a checkpoint needs besides the weights and the number of steps: what the optimiser knows, and
    /// the moves that wait for an update, a row each (cells, move, logarithm of its chance, reward, last).
    pub fn extras(&self) -> Result<Vec<Extra>, TrainError> {
        let mut extras = self.trainer.extras()?;
        if self.games > 0 {
            let row = |t: &Transition| {
                let cells = t.board.grid().exponents().map(f32::from);
                let last = f32::from(u8::from(t.last));
                cells.chain([t.mv.index() as f32, t.log_chance, t.reward, last]).collect::<Vec<_>>()
            };
            let numbers: Vec<f32> = self.moves.iter().flat_map(row).collect();
            let shape = vec![self.moves.len(), self.settings.rules.shape.cells() + 4];
            extras.push(Extra { name: "waiting.moves".to_owned(), shape, numbers });
        }
        Ok(extras)
    }

    /// Takes up what a checkpoint holds; the weights are those of the trainer already.
    pub fn restore(&mut self, steps: u64, extras: &[Extra]) -> Result<(), TrainError> {
        self.trainer.restore(steps, extras)?;
        let Some(waiting) = extras.iter().find(|extra| extra.name == "waiting.moves") else {
            return Ok(());
        };
        let shape = self.settings.rules.shape;
        for row in waiting.numbers.chunks_exact(shape.cells() + 4) {
            let (cells, rest) = row.split_at(shape.cells());
            let exponents: Vec<u8> = cells.iter().map(|&exponent| exponent as u8).collect();
            let board = Board::from_exponents(shape, &exponents);
            let board = board.map_err(|why| TrainError::Checkpoint(why.to_string()))?;
            let mv = Move::from_index(rest[0] as usize & 3);
            let (log_chance, reward, last) = (rest[1], rest[2], rest[3] > 0.5);
            self.moves.push(Transition { board, mv, log_chance, reward, last });
        }
        self.games = self.moves.iter().filter(|t| t.last).count();
        Ok(())
    }

    /// Plays so many games, the first of them with this number, and learns when there are enough.
    pub fn learn(&mut self, first: u64, games: u64, rate: f32) -> Result<PpoLearned, TrainError> {
        let mut learned = PpoLearned::default();
        let mut next = first;
        while next < first + games {
            let end = (next + self.settings.seats.max(1) as u64).min(first + games);
            learned.games.extend(self.round(next..end));
            next = end;
            let enough = self.moves.len() >= self.settings.least_moves
                && self.games >= self.settings.least_games;
            if enough {
                self.update(rate, &mut learned)?;
            }
        }
        learned.loss /= learned.steps.max(1) as f64;
        Ok(learned)
    }

    /// Plays games to their ends, by the policy as it is.
    fn round(&mut self, numbers: std::ops::Range<u64>) -> Vec<PlayedGame> {
        let settings = self.settings;
        let new = |game| {
            let mut random = Random::stream(settings.seed, game);
            let board = settings.rules.start(&mut random);
            let result = PlayedGame { game, ..PlayedGame::default() };
            let own = player_random(settings.seed, game);
            Seat { random, own, board, moves: Vec::new(), result }
        };
        let mut seats: Vec<Seat> = numbers.map(new).collect();
        let mut playing: Vec<usize> = (0..seats.len()).collect();
        let mut boards: Vec<Grid> = Vec::new();
        while !playing.is_empty() {
            boards.clear();
            for &place in &playing {
                let board = seats[place].board;
                match self.judges {
                    Judges::States => boards.push(board.grid()),
                    Judges::Afterstates => {
                        let afterstates = board.afterstates();
                        boards.extend(afterstates.iter().map(|(_, a, _)| a.grid()));
                    }
                }
            }
            let width = self.judging.network().outputs();
            let mut outputs = self.judging.run(&boards).chunks_exact(width);
            let (judges, actor, scale) = (self.judges, self.actor, self.scale);
            playing.retain(|&place| {
                let seat = &mut seats[place];
                let legal = seat.board.legal_moves();
                let mut preferences = [f32::NEG_INFINITY; 4];
                match judges {
                    Judges::States => {
                        let four = outputs.next().unwrap_or_default();
                        for mv in legal.iter().map(Move::index) {
                            preferences[mv] = four[actor + mv];
                        }
                    }
                    Judges::Afterstates => {
                        for (mv, one) in legal.iter().zip(&mut outputs) {
                            preferences[mv.index()] = one[actor];
                        }
                    }
                }
                seat.turn(&settings, &preferences, scale)
            });
        }
        for seat in &seats {
            self.moves.extend(&seat.moves);
        }
        self.games += seats.len();
        seats.into_iter().map(|seat| seat.result).collect()
    }

    /// All epochs over the moves there are; then they are forgotten, and the new policy plays.
    fn update(&mut self, rate: f32, learned: &mut PpoLearned) -> Result<(), TrainError> {
        let moves = std::mem::take(&mut self.moves);
        self.games = 0;
        let bound = self.settings.reward.bound(self.settings.rules.shape) / f64::from(self.scale);
        let mut random = player_random(!self.settings.seed, self.trainer.steps());
        let whole = PolicyBatch::new(self.judges, moves.clone(), Goals::OfValues);
        'update: for _ in 0..self.settings.epochs {
            let parts = match self.settings.batch {
                0 => vec![],
                size => self.parts(&moves, size, &mut random)?,
            };
            let batches = if parts.is_empty() { std::slice::from_ref(&whole) } else { &parts[..] };
            for batch in batches {
                let far = Some(self.settings.kl_stop).filter(|far| *far > 0.0);
                let (found, made) =
                    self.trainer.learn_policy(batch, &self.settings.rule, rate, far)?;
                learned.last = found;
                if !made {
                    break 'update;
                }
                learned.steps += 1;
                learned.loss += found.loss;
                if found.largest.is_nan() || found.largest > bound {
                    return Err(self.trainer.exploded("a value", found.largest));
                }
            }
        }
        learned.updates += 1;
        self.judging.refresh(&self.trainer.weights()?);
        Ok(())
    }

    /// The moves in parts of this size by chance, with what each is to learn by the values of now.
    fn parts(
        &mut self,
        moves: &[Transition],
        size: usize,
        random: &mut Random,
    ) -> Result<Vec<PolicyBatch>, TrainError> {
        self.judging.refresh(&self.trainer.weights()?);
        let values = self.values(moves);
        let (mut gains, targets) = advantages(moves, &values, &self.settings.rule);
        normalise(&mut gains);
        let mut order: Vec<usize> = (0..moves.len()).collect();
        for place in (1..order.len()).rev() {
            order.swap(place, random.below(place as u64 + 1) as usize);
        }
        let part = |part: &[usize]| {
            let of = |numbers: &[f32]| part.iter().map(|&index| numbers[index]).collect();
            let goals = Goals::Given { advantages: of(&gains), targets: of(&targets) };
            PolicyBatch::new(self.judges, part.iter().map(|&index| moves[index]).collect(), goals)
        };
        Ok(order.chunks(size).map(part).collect())
    }

    /// What the network in play holds positions to be worth.
    fn values(&mut self, moves: &[Transition]) -> Vec<f32> {
        let mut boards: Vec<Grid> = Vec::new();
        for t in moves {
            match self.judges {
                Judges::States => boards.push(t.board.grid()),
                Judges::Afterstates if self.settings.rule.masked => {
                    boards.extend(t.board.afterstates().iter().map(|(_, a, _)| a.grid()));
                }
                Judges::Afterstates => boards.extend(four_slides(t.board)),
            }
        }
        let width = self.judging.network().outputs();
        let (judges, actor, critic) = (self.judges, self.actor, self.critic);
        let masked = self.settings.rule.masked;
        let mut outputs = self.judging.run(&boards).chunks_exact(width);
        let value = |t: &Transition| {
            let count = match judges {
                Judges::States => return outputs.next().map_or(0.0, |one| one[critic]),
                Judges::Afterstates if masked => t.board.legal_moves().len(),
                Judges::Afterstates => 4,
            };
            let (mut preferences, mut values) = ([f32::NEG_INFINITY; 4], [0.0; 4]);
            for (place, one) in (0..count).zip(&mut outputs) {
                (preferences[place], values[place]) = (one[actor], one[critic]);
            }
            softmax(&preferences).iter().zip(values).map(|(chance, value)| chance * value).sum()
        };
        moves.iter().map(value).collect()
    }
}

/// Chances in proportion to the exponentials; none for −∞.
fn softmax(preferences: &[f32; 4]) -> [f32; 4] {
    let most = preferences.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
    let weights = preferences.map(|preference| (preference - most).exp());
    let sum: f32 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

impl Seat {
    /// A move by chance; `false` when there is none.
    fn turn(&mut self, settings: &PpoSettings, preferences: &[f32; 4], scale: f32) -> bool {
        let legal = self.board.legal_moves();
        if legal.is_empty() {
            if let Some(last) = self.moves.last_mut() {
                last.last = true;
            }
            self.result.largest = self.board.max_exponent();
            return false;
        }
        let chances = softmax(preferences);
        let mut left = self.own.unit() as f32;
        let mut chosen = None;
        for mv in legal.iter() {
            // The last legal one takes what rounding has left over.
            chosen = Some(mv);
            left -= chances[mv.index()];
            if left < 0.0 {
                break;
            }
        }
        let Some((mv, (afterstate, points))) =
            chosen.and_then(|mv| Some((mv, self.board.slide(mv)?)))
        else {
            return false;
        };
        let log_chance = chances[mv.index()].max(f32::MIN_POSITIVE).ln();
        let (board, reward) = (self.board, settings.reward.of(points) / scale);
        self.moves.push(Transition { board, mv, log_chance, reward, last: false });
        self.result.score += points;
        self.result.moves += 1;
        self.result.all_moves += 1;
        self.board = settings.rules.law.spawn(afterstate, &mut self.random);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_by_hand() {
        let none = f32::NEG_INFINITY;
        let chances = softmax(&[0.0, 3.0f32.ln(), none, none]);
        assert!((chances[0] - 0.25).abs() < 1e-6 && (chances[1] - 0.75).abs() < 1e-6);
        assert_eq!(chances[2..], [0.0, 0.0]);
        // No overflow.
        assert_eq!(softmax(&[1000.0, 1000.0, none, none])[..2], [0.5, 0.5]);
    }
}
