//! How gradients change the weights: Adam, and gradient descent with momentum, as `PyTorch` does them.

use burn::{Device, Tensor, TensorData};
use maxtile_neural::Extra;

use crate::error::TrainError;
use crate::model::{Model, read};

/// How gradients change the weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Optimizer {
    /// Kingma & Ba 2015, with β 0.9 and 0.999 and ε 1e-8.
    Adam,
    /// Gradient descent that goes on in the direction it has, and draws weights towards 0.
    Sgd {
        /// How much of the direction is kept.
        momentum: f32,
        /// How much of a weight is added to its gradient.
        decay: f32,
    },
}

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const EPSILON: f32 = 1e-8;

/// What an optimiser remembers of each learned tensor: so many tensors of the same shape.
#[derive(Debug)]
pub(crate) struct Memory {
    rule: Optimizer,
    /// Steps made so far.
    pub(crate) steps: u64,
    moments: Vec<Vec<Tensor<2>>>,
}

impl Optimizer {
    /// What its memories are called in files.
    fn names(self) -> &'static [&'static str] {
        match self {
            Optimizer::Adam => &["adam.first", "adam.second"],
            Optimizer::Sgd { .. } => &["sgd.momentum"],
        }
    }
}

impl Memory {
    pub(crate) fn new(rule: Optimizer, model: &Model) -> Memory {
        let zeros = |_: &&str| model.learned().map(|i| model.tensors[i].zeros_like()).collect();
        Memory { rule, steps: 0, moments: rule.names().iter().map(zeros).collect() }
    }

    /// One step along the gradients of the learned tensors.
    pub(crate) fn step(&mut self, model: &mut Model, gradients: Vec<Tensor<2>>, rate: f32) {
        self.steps += 1;
        let learned: Vec<usize> = model.learned().collect();
        for (place, (index, gradient)) in learned.into_iter().zip(gradients).enumerate() {
            let weight = model.tensors[index].clone();
            model.tensors[index] = match self.rule {
                Optimizer::Adam => self.adam(place, weight, gradient, rate),
                Optimizer::Sgd { momentum, decay } => {
                    let direction = &mut self.moments[0][place];
                    let gradient = gradient + weight.clone() * decay;
                    *direction = direction.clone() * momentum + gradient;
                    weight - direction.clone() * rate
                }
            };
        }
    }

    fn adam(
        &mut self,
        place: usize,
        weight: Tensor<2>,
        gradient: Tensor<2>,
        rate: f32,
    ) -> Tensor<2> {
        let grown = |beta: f64| 1.0 - beta.powf(self.steps as f64);
        let (first_grown, second_grown) = (grown(BETA1), grown(BETA2));
        let [first, second] = &mut self.moments[..] else { unreachable!("Adam has two") };
        let (first, second) = (&mut first[place], &mut second[place]);
        let mixed = |old: &Tensor<2>, new: Tensor<2>, beta: f64| {
            old.clone() * (beta as f32) + new * ((1.0 - beta) as f32)
        };
        *first = mixed(first, gradient.clone(), BETA1);
        *second = mixed(second, gradient.square(), BETA2);
        let spread = second.clone().sqrt() / (second_grown.sqrt() as f32) + EPSILON;
        weight - first.clone() / spread * ((f64::from(rate) / first_grown) as f32)
    }

    /// What a checkpoint needs.
    pub(crate) fn extras(&self, model: &Model) -> Result<Vec<Extra>, TrainError> {
        let mut extras = Vec::new();
        for (name, moments) in self.rule.names().iter().zip(&self.moments) {
            for (index, moment) in model.learned().zip(moments) {
                let name = format!("{name}.{}", model.name(index));
                let (shape, numbers) = (moment.dims().to_vec(), read(moment.clone())?);
                extras.push(Extra { name, shape, numbers });
            }
        }
        Ok(extras)
    }

    /// Takes up what a checkpoint holds.
    pub(crate) fn restore(
        &mut self,
        model: &Model,
        steps: u64,
        extras: &[Extra],
        device: &Device,
    ) -> Result<(), TrainError> {
        self.steps = steps;
        for (name, moments) in self.rule.names().iter().zip(&mut self.moments) {
            for (index, moment) in model.learned().zip(moments) {
                let name = format!("{name}.{}", model.name(index));
                let found = extras.iter().find(|extra| extra.name == name);
                let found = found.filter(|extra| extra.shape == moment.dims());
                let found = found.ok_or_else(|| {
                    TrainError::Checkpoint(format!("the checkpoint has no good {name}"))
                })?;
                let data = TensorData::new(found.numbers.clone(), moment.dims());
                *moment = Tensor::from_data(data, device);
            }
        }
        Ok(())
    }
}
