//! A network that plays and learns from pairs of a board and what it should be worth. Pairs wait until they
//! fill a batch, in a checkpoint if need be; after each step the network that plays is the one that learns.

use maxtile_game::{Grid, Shape, Symmetry};
use maxtile_neural::{Extra, Head, Judges, Weights};

use crate::error::TrainError;
use crate::games::{Reward, player_random};
use crate::judging::Judging;
use crate::trainer::{Loss, Trainer};

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

/// A board and what it should be worth, in units of the value head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) board: Grid,
    pub(crate) target: f32,
}

/// How pairs become steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Study {
    pub(crate) shape: Shape,
    /// Decides which images are learned.
    pub(crate) seed: u64,
    pub(crate) reward: Reward,
    /// Pairs a step.
    pub(crate) batch: usize,
    pub(crate) loss: Loss,
    pub(crate) images: Images,
}

/// A network as it plays now.
pub(crate) struct Player {
    judging: Judging,
    head: usize,
    scale: f32,
}

impl Player {
    /// A network that judges such positions and has a value head; `None` when it does not.
    pub(crate) fn new(weights: &Weights, judges: Judges, threads: usize) -> Option<Player> {
        let judging = Judging::new(weights, threads);
        let head = judging.network().head(Head::Value);
        let head = head.filter(|_| weights.spec().judges == judges)?;
        Some(Player { judging, head, scale: weights.spec().scale })
    }

    /// How many points one unit of its values means.
    pub(crate) fn scale(&self) -> f32 {
        self.scale
    }

    /// The values of all boards, in units of the value head.
    pub(crate) fn values(&mut self, boards: &[Grid]) -> impl Iterator<Item = f32> {
        let (width, head) = (self.judging.network().outputs(), self.head);
        self.judging.run(boards).chunks_exact(width).map(move |outputs| outputs[head])
    }
}

/// A network that plays and learns.
pub(crate) struct Pupil {
    study: Study,
    trainer: Trainer,
    pub(crate) player: Player,
    waiting: Vec<Pair>,
}

/// Steps of a block, and the sum of their losses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Steps {
    pub(crate) count: u64,
    pub(crate) loss: f64,
}

impl Steps {
    pub(crate) fn mean(self) -> f64 {
        self.loss / self.count.max(1) as f64
    }
}

impl Pupil {
    /// Refuses a network that judges something else, by the name of what is missing.
    pub(crate) fn new(
        trainer: Trainer,
        study: Study,
        judges: Judges,
        threads: usize,
    ) -> Result<Pupil, TrainError> {
        let player = Player::new(&trainer.weights()?, judges, threads);
        let missing = match judges {
            Judges::Afterstates => "value of afterstates",
            Judges::States => "value of positions to move",
        };
        let player = player.ok_or(TrainError::NoHead(missing))?;
        Ok(Pupil { study, trainer, player, waiting: Vec::new() })
    }

    pub(crate) fn weights(&self) -> Result<Weights, TrainError> {
        self.trainer.weights()
    }

    pub(crate) fn set_threads(&mut self, threads: usize) -> Result<(), TrainError> {
        self.player.judging.set_threads(threads);
        self.trainer.set_threads(threads)
    }

    /// Steps of the optimiser so far.
    pub(crate) fn steps(&self) -> u64 {
        self.trainer.steps()
    }

    /// What a checkpoint needs besides the weights and the number of steps.
    pub(crate) fn extras(&self) -> Result<Vec<Extra>, TrainError> {
        let mut extras = self.trainer.extras()?;
        if !self.waiting.is_empty() {
            let boards = self.waiting.iter().flat_map(|pair| pair.board.exponents());
            let (count, cells) = (self.waiting.len(), self.study.shape.cells());
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
    pub(crate) fn restore(&mut self, steps: u64, extras: &[Extra]) -> Result<(), TrainError> {
        self.trainer.restore(steps, extras)?;
        let find = |name: &str| extras.iter().find(|extra| extra.name == name);
        let (Some(boards), Some(targets)) = (find("waiting.boards"), find("waiting.targets"))
        else {
            return Ok(());
        };
        let shape = self.study.shape;
        for (cells, &target) in boards.numbers.chunks(shape.cells()).zip(&targets.numbers) {
            let exponents: Vec<u8> = cells.iter().map(|&exponent| exponent as u8).collect();
            let board = Grid::from_exponents(shape, &exponents);
            let board = board.map_err(|why| TrainError::Checkpoint(why.to_string()))?;
            self.waiting.push(Pair { board, target });
        }
        Ok(())
    }

    /// These pairs wait to be learned.
    pub(crate) fn put(&mut self, pairs: impl IntoIterator<Item = Pair>) {
        self.waiting.extend(pairs);
    }

    /// A step for each batch that waits.
    pub(crate) fn learn_batches(&mut self, rate: f32, steps: &mut Steps) -> Result<(), TrainError> {
        let batch = self.study.batch;
        while batch > 0 && self.waiting.len() >= batch {
            let pairs: Vec<Pair> = self.waiting.drain(..batch).collect();
            self.step(&pairs, rate, steps)?;
        }
        Ok(())
    }

    /// A step, after which the new weights play.
    pub(crate) fn step(
        &mut self,
        pairs: &[Pair],
        rate: f32,
        steps: &mut Steps,
    ) -> Result<(), TrainError> {
        let bound = self.study.reward.bound(self.study.shape);
        for pair in pairs {
            let worth = f64::from(pair.target) * f64::from(self.player.scale);
            if worth.is_nan() || worth.abs() > bound {
                return Err(self.trainer.exploded("a target", worth));
            }
        }
        let own = Symmetry::of(self.study.shape);
        let mut random = player_random(!self.study.seed, self.trainer.steps());
        let (mut boards, mut targets) = (Vec::new(), Vec::new());
        for pair in pairs {
            let images = match self.study.images {
                Images::Own => &own[..1],
                Images::Random => {
                    let image = random.below(own.len() as u64) as usize;
                    &own[image..=image]
                }
                Images::All => own,
            };
            boards.extend(images.iter().map(|image| pair.board.transformed(*image)));
            targets.resize(boards.len(), pair.target);
        }
        steps.loss += self.trainer.learn_values(&boards, &targets, self.study.loss, rate)?;
        steps.count += 1;
        self.player.judging.refresh(&self.trainer.weights()?);
        Ok(())
    }
}
