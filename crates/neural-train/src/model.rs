//! A network as tensors: from a file's numbers, forward, and back to a file's numbers.

use burn::{Device, Gradients, Tensor, TensorData};
use maxtile_game::Grid;
use maxtile_neural::{Head, Layer, Spec, TensorKind, Weights, lit_planes};

use crate::error::TrainError;
use crate::layers::{self, Norm};

/// A network's numbers on a device. All are matrices: (outputs, inputs), or (1, outputs).
#[derive(Debug)]
pub(crate) struct Model {
    /// As they came, for names and shapes.
    like: Weights,
    pub(crate) device: Device,
    pub(crate) tensors: Vec<Tensor<2>>,
}

/// What batch normalisation goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The statistics of the batch.
    Learning,
    /// Running statistics.
    #[cfg_attr(not(test), expect(dead_code, reason = "play has its own way through a network"))]
    Play,
}

/// What came out of a batch.
pub(crate) struct Outputs {
    /// A matrix (boards, outputs) for each head in the order of the description.
    pub(crate) heads: Vec<Tensor<2>>,
    /// Which tensors of the model have new values by the statistics of this batch.
    pub(crate) statistics: Vec<(usize, Tensor<2>)>,
}

impl Model {
    pub(crate) fn new(weights: &Weights, device: &Device) -> Model {
        let tensor = |tensor: &maxtile_neural::Tensor| {
            let first = if tensor.spec.shape.len() == 1 { 1 } else { tensor.spec.shape[0] };
            let shape = [first, tensor.numbers.len() / first];
            Tensor::from_data(TensorData::new(tensor.numbers.clone(), shape), device)
        };
        let tensors = weights.tensors().iter().map(tensor).collect();
        Model { like: weights.clone(), device: device.clone(), tensors }
    }

    pub(crate) fn spec(&self) -> &Spec {
        self.like.spec()
    }

    /// Which tensors learn by gradients.
    pub(crate) fn learned(&self) -> impl Iterator<Item = usize> {
        let kinds = self.like.tensors().iter().map(|tensor| tensor.spec.kind);
        let learned = |kind| !matches!(kind, TensorKind::RunningMean | TensorKind::RunningVariance);
        kinds.enumerate().filter(move |(_, kind)| learned(*kind)).map(|(index, _)| index)
    }

    pub(crate) fn name(&self, tensor: usize) -> &str {
        &self.like.tensors()[tensor].spec.name
    }

    /// The numbers as a file has them.
    pub(crate) fn weights(&self) -> Result<Weights, TrainError> {
        let mut numbers = Vec::with_capacity(self.tensors.len());
        for tensor in &self.tensors {
            numbers.push(read(tensor.clone())?);
        }
        self.like.with_numbers(numbers).map_err(TrainError::NotFinite)
    }

    /// Leaves for one pass with gradients: the learned tensors.
    pub(crate) fn leaves(&self) -> Vec<Tensor<2>> {
        let mut leaves = self.tensors.clone();
        for index in self.learned() {
            leaves[index] = leaves[index].clone().autodiff().require_grad();
        }
        leaves
    }

    /// The gradients of the learned tensors, in their order; zeros where the loss does not depend on one.
    pub(crate) fn gradients(
        &self,
        leaves: &[Tensor<2>],
        mut gradients: Gradients,
    ) -> Vec<Tensor<2>> {
        let of = |index: usize| {
            let found = leaves[index].grad_remove(&mut gradients);
            found.unwrap_or_else(|| self.tensors[index].zeros_like())
        };
        self.learned().map(of).collect()
    }

    /// Boards as planes: of each cell exactly one is lit.
    pub(crate) fn planes(&self, boards: &[Grid]) -> Tensor<4> {
        let (spec, shape) = (self.spec(), self.like.shape());
        let planes = spec.planes as usize;
        let mut numbers = vec![0.0f32; boards.len() * shape.cells() * planes];
        for (board, numbers) in boards.iter().zip(numbers.chunks_exact_mut(shape.cells() * planes))
        {
            for (plane, cell) in lit_planes(*board, spec).zip(numbers.chunks_exact_mut(planes)) {
                cell[plane] = 1.0;
            }
        }
        let extent = [boards.len(), shape.rows(), shape.cols(), planes];
        Tensor::from_data(TensorData::new(numbers, extent), &self.device)
    }

    /// Runs a batch through the network. The leaves are the tensors, or copies that collect gradients.
    pub(crate) fn forward(&self, leaves: &[Tensor<2>], input: Tensor<4>, mode: Mode) -> Outputs {
        let mut own = Taking { leaves, next: 0 };
        let mut statistics = Vec::new();
        let mut numbers = input;
        for &layer in &self.spec().layers {
            numbers = match layer {
                Layer::Conv { kernel, padding, .. } => {
                    let (kernel, padding) = (kernel.map(usize::from), padding.map(usize::from));
                    layers::convolution(numbers, own.take(), kernel, padding)
                }
                Layer::Dense { .. } => {
                    let output = layers::dense(layers::flat(numbers), own.take());
                    let [boards, width] = output.dims();
                    output.reshape([boards, 1, 1, width])
                }
            };
            if layer.bias() {
                numbers = layers::add_bias(numbers, own.take());
            }
            if layer.norm() {
                let [scale, shift, mean, variance] = std::array::from_fn(|_| own.take());
                let norm = Norm { scale, shift, mean, variance };
                numbers = match mode {
                    Mode::Play => layers::normalise_running(numbers, norm),
                    Mode::Learning => {
                        let (output, [mean, variance]) = layers::normalise_batch(numbers, norm);
                        statistics.extend([(own.next - 2, mean), (own.next - 1, variance)]);
                        output
                    }
                };
            }
            numbers = layers::ramp(numbers);
        }
        let last = layers::flat(numbers);
        let head = |_: &Head| {
            let (weight, bias) = (own.take(), own.take());
            layers::dense(last.clone(), weight) + bias
        };
        let heads = self.spec().heads.iter().map(head).collect();
        Outputs { heads, statistics }
    }

    /// Where a head stands.
    pub(crate) fn head(&self, head: Head) -> Option<usize> {
        self.spec().heads.iter().position(|own| *own == head)
    }
}

/// A network's tensors, one after the other.
struct Taking<'a> {
    leaves: &'a [Tensor<2>],
    next: usize,
}

impl Taking<'_> {
    fn take(&mut self) -> Tensor<2> {
        self.next += 1;
        self.leaves[self.next - 1].clone()
    }
}

/// The numbers of a tensor.
pub(crate) fn read<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, TrainError> {
    tensor.try_into_vec_as::<f32>().map_err(|why| TrainError::Device(why.to_string()))
}
