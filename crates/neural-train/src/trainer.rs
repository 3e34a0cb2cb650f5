//! A network that learns from batches: of values, or of moves and values.

use burn::{Tensor, TensorData, activation};
use maxtile_game::Grid;
use maxtile_neural::{Extra, Head, Judges, Spec, Weights};

use crate::error::TrainError;
use crate::model::{Mode, Model, Outputs, read};
use crate::optimizer::{Memory, Optimizer};
use crate::place::Place;
use crate::policy_batch::{PolicyBatch, PolicyLoss, PolicyRule};
use crate::unsafe_allocator::keep_freed_memory;

/// A network that learns.
pub struct Trainer {
    model: Model,
    memory: Memory,
    /// How many threads compute; the framework asks the pool it runs in.
    pool: rayon::ThreadPool,
    usual: Usual,
}

/// What losses are usually like: a mean in which the last thousand steps count.
#[derive(Clone, Copy, Debug, Default)]
struct Usual {
    steps: u32,
    mean: f64,
}

impl Usual {
    /// How far beyond the usual a loss is an explosion. The largest tiles make losses of some hundred times.
    const FAR: f64 = 1e4;

    /// Takes a loss in; `false` when it is far beyond all before it. The first hundred may be anything.
    fn admits(&mut self, loss: f64) -> bool {
        // Below one unit of the value head nothing is far from anything.
        let size = loss.abs().max(1.0);
        if self.steps >= 100 && size > Usual::FAR * self.mean {
            return false;
        }
        // A loss that grows and grows must not become the usual one.
        let counted = if self.steps < 100 { size } else { size.min(10.0 * self.mean) };
        self.steps = (self.steps + 1).min(1000);
        self.mean += (counted - self.mean) / f64::from(self.steps);
        true
    }
}

/// How far from its target a value is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// The square of the difference.
    Squared,
    /// Half the square up to this difference, straight beyond.
    Huber(f32),
}

impl Trainer {
    /// A network at its start. From then on the process keeps the memory it frees (on Linux): see `unsafe_allocator`.
    pub fn new(
        weights: &Weights,
        optimizer: Optimizer,
        place: Place,
        threads: usize,
    ) -> Result<Trainer, TrainError> {
        keep_freed_memory();
        let model = Model::new(weights, &place.device()?);
        let memory = Memory::new(optimizer, &model);
        Ok(Trainer { model, memory, pool: pool(threads)?, usual: Usual::default() })
    }

    /// Goes on with so many threads.
    pub(crate) fn set_threads(&mut self, threads: usize) -> Result<(), TrainError> {
        self.pool = pool(threads)?;
        Ok(())
    }

    /// Takes up what the optimiser knew at a checkpoint.
    pub fn restore(&mut self, steps: u64, extras: &[Extra]) -> Result<(), TrainError> {
        let device = self.model.device.clone();
        self.memory.restore(&self.model, steps, extras, &device)
    }

    /// What the optimiser knows, for a checkpoint.
    pub fn extras(&self) -> Result<Vec<Extra>, TrainError> {
        self.memory.extras(&self.model)
    }

    /// The network as it is now. Numbers that are none are an explosion.
    pub fn weights(&self) -> Result<Weights, TrainError> {
        self.model.weights().map_err(|error| match error {
            TrainError::NotFinite(_) => self.exploded("a weight", f64::NAN),
            other => other,
        })
    }

    /// What the network looks like.
    pub fn spec(&self) -> &Spec {
        self.model.spec()
    }

    /// Steps of the optimiser so far.
    pub fn steps(&self) -> u64 {
        self.memory.steps
    }

    /// One step towards these values, in the units of the value head. Gives the mean loss before it.
    pub fn learn_values(
        &mut self,
        boards: &[Grid],
        targets: &[f32],
        loss: Loss,
        rate: f32,
    ) -> Result<f64, TrainError> {
        let head = self.model.head(Head::Value).ok_or(TrainError::NoHead("value head"))?;
        let (model, memory) = (&mut self.model, &mut self.memory);
        let loss = self.pool.install(|| {
            let leaves = model.leaves();
            let Outputs { mut heads, statistics } =
                model.forward(&leaves, model.planes(boards), Mode::Learning);
            let data = TensorData::new(targets.to_vec(), [targets.len(), 1]);
            let targets = Tensor::<2>::from_data(data, &model.device);
            let loss = value_loss(heads.swap_remove(head), targets, loss);
            step(model, memory, &leaves, loss, statistics, rate)
        })?;
        self.checked(loss)
    }

    /// One step of PPO over a batch whose advantages and targets are made from the values as they are
    /// before it, and whether it was made: not where the policy is further than `far` from the one that
    /// played already.
    pub(crate) fn learn_policy(
        &mut self,
        batch: &PolicyBatch,
        rule: &PolicyRule,
        rate: f32,
        far: Option<f64>,
    ) -> Result<(PolicyLoss, bool), TrainError> {
        let value = self.model.head(Head::Value).ok_or(TrainError::NoHead("value head"))?;
        let actor = match self.spec().judges {
            Judges::Afterstates => Head::Preference,
            Judges::States => Head::Moves,
        };
        let actor = self.model.head(actor).ok_or(TrainError::NoHead("preferences"))?;
        let (model, memory) = (&mut self.model, &mut self.memory);
        let found = self.pool.install(|| {
            let leaves = model.leaves();
            let Outputs { heads, statistics } =
                model.forward(&leaves, model.planes(batch.boards()), Mode::Learning);
            let device = model.device.clone();
            let (preferences, values) = (heads[actor].clone(), heads[value].clone());
            let (loss, mut found) = batch.loss(preferences, values, rule, &device)?;
            if far.is_some_and(|far| found.kl > far) {
                return Ok((found, false));
            }
            found.loss = step(model, memory, &leaves, loss, statistics, rate)?;
            Ok::<_, TrainError>((found, true))
        })?;
        self.checked(found.0.loss)?;
        Ok(found)
    }

    fn checked(&mut self, loss: f64) -> Result<f64, TrainError> {
        let good = loss.is_finite() && self.usual.admits(loss);
        if good { Ok(loss) } else { Err(self.exploded("the loss", loss)) }
    }

    pub(crate) fn exploded(&self, what: &'static str, size: f64) -> TrainError {
        TrainError::Exploded { what, size, steps: self.steps() }
    }
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, TrainError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    pool.map_err(|why| TrainError::Device(why.to_string()))
}

/// Gradients, a step along them, and the new running statistics. Gives the loss.
fn step(
    model: &mut Model,
    memory: &mut Memory,
    leaves: &[Tensor<2>],
    loss: Tensor<1>,
    statistics: Vec<(usize, Tensor<2>)>,
    rate: f32,
) -> Result<f64, TrainError> {
    let gradients = model.gradients(leaves, loss.backward());
    memory.step(model, gradients, rate);
    for (index, tensor) in statistics {
        model.tensors[index] = tensor;
    }
    Ok(read(loss.inner())?.first().map_or(f64::NAN, |loss| f64::from(*loss)))
}

pub(crate) fn value_loss(values: Tensor<2>, targets: Tensor<2>, loss: Loss) -> Tensor<1> {
    let gap = values - targets;
    match loss {
        Loss::Squared => gap.square().mean(),
        Loss::Huber(bend) => {
            // min(|x|, b)²/2 + b (|x| − min(|x|, b)), where only |x| beyond b is straight.
            let size = gap.abs();
            let beyond = activation::relu(size.clone() - bend);
            let near = size - beyond.clone();
            (near.square() * 0.5 + beyond * bend).mean()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_may_grow_but_not_leap() {
        let mut usual = Usual::default();
        // A player that becomes stronger: two thousandths a step, and now and then a batch with a great loss.
        for step in 0..5000 {
            let loss = 0.5 * 1.002f64.powi(step) * if step % 50 == 0 { 300.0 } else { 1.0 };
            assert!(usual.admits(loss), "step {step}");
        }
        let mean = usual.mean;
        assert!(usual.admits(9e3 * mean));
        assert!(!usual.admits(1e6 * usual.mean));
        // A step of twice as much each time is found out, however it begins.
        let mut usual = Usual::default();
        let doubling = (0..1000).position(|step| !usual.admits(2f64.powi(step - 100)));
        assert!(doubling.is_some_and(|step| step < 130), "{doubling:?}");
    }
}
