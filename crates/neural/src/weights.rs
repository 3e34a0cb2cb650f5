//! A network's numbers in the order of its file, and how they begin.

use maxtile_game::{Random, Shape};

use crate::spec::{Spec, SpecError, TensorKind, TensorSpec};

/// A description and its numbers, tensor by tensor, in the layout of `PyTorch`: convolutions as
/// (output, input, row, column), dense weights as (output, input) with the inputs of a layer after a
/// convolution numbered channel by channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    spec: Spec,
    shape: Shape,
    tensors: Vec<Tensor>,
}

/// A tensor with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Name and shape.
    pub spec: TensorSpec,
    /// The numbers, the last index running fastest.
    pub numbers: Vec<f32>,
}

impl Weights {
    /// A network before learning, as `PyTorch` begins: weights and biases of an output with n inputs
    /// uniform in ±1/√n, normalisation multiplying by 1, adding 0, with mean 0 and variance 1.
    ///
    /// Tensor number i in the order of [`Spec::tensors`] draws from the random stream (seed, i), one
    /// draw a number: (2u − 1)/√n with u in [0, 1), rounded once to 32 bits.
    pub fn new(spec: Spec, seed: u64) -> Result<Weights, SpecError> {
        let shape = spec.check()?;
        let fill = |(index, spec): (usize, TensorSpec)| {
            let numbers = match spec.kind {
                TensorKind::Linear { inputs } => {
                    let mut random = Random::stream(seed, index as u64);
                    let bound = 1.0 / (inputs as f64).sqrt();
                    let draw = |_| ((2.0 * random.unit() - 1.0) * bound) as f32;
                    (0..spec.numbers()).map(draw).collect()
                }
                TensorKind::NormScale | TensorKind::RunningVariance => vec![1.0; spec.numbers()],
                TensorKind::NormShift | TensorKind::RunningMean => vec![0.0; spec.numbers()],
            };
            Tensor { spec, numbers }
        };
        let tensors = spec.tensors(shape).into_iter().enumerate().map(fill).collect();
        Ok(Weights { spec, shape, tensors })
    }

    /// The same network with other numbers, those of each tensor in their order. What is wrong with them is
    /// said in a sentence.
    pub fn with_numbers(&self, numbers: Vec<Vec<f32>>) -> Result<Weights, String> {
        let sizes = self.tensors.iter().map(|tensor| tensor.numbers.len());
        if !sizes.eq(numbers.iter().map(Vec::len)) {
            return Err("these are not as many numbers as the network has".to_owned());
        }
        let specs = self.tensors.iter().map(|tensor| tensor.spec.clone());
        let tensors = specs.zip(numbers).map(|(spec, numbers)| Tensor { spec, numbers }).collect();
        Weights::from_tensors(self.spec.clone(), tensors)
    }

    /// From tensors as [`Spec::tensors`] lists them. What is wrong with them is said in a sentence.
    pub(crate) fn from_tensors(spec: Spec, tensors: Vec<Tensor>) -> Result<Weights, String> {
        let shape = spec.check().map_err(|error| error.to_string())?;
        debug_assert!(spec.tensors(shape).iter().eq(tensors.iter().map(|t| &t.spec)));
        for tensor in &tensors {
            let name = &tensor.spec.name;
            if !tensor.numbers.iter().all(|number| number.is_finite()) {
                return Err(format!("{name} has a number that is not finite"));
            }
            let variance = tensor.spec.kind == TensorKind::RunningVariance;
            if variance && tensor.numbers.iter().any(|number| *number < 0.0) {
                return Err(format!("{name} has a negative variance"));
            }
        }
        Ok(Weights { spec, shape, tensors })
    }

    /// What the network looks like.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The board it judges.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// All tensors in their order.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// The numbers of a tensor.
    pub fn get(&self, name: &str) -> Option<&[f32]> {
        let tensor = self.tensors.iter().find(|tensor| tensor.spec.name == name);
        tensor.map(|tensor| tensor.numbers.as_slice())
    }

    /// The numbers of a tensor, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut [f32]> {
        let tensor = self.tensors.iter_mut().find(|tensor| tensor.spec.name == name);
        tensor.map(|tensor| tensor.numbers.as_mut_slice())
    }
}
