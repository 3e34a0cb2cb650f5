//! The layers of a network as tensors with gradients.
//!
//! Numbers between layers are (boards, rows, columns, channels). An unpadded convolution is one matrix
//! product over its patches, cut out by slices: on boards this small frameworks are slow at
//! convolutions and fast at products. Padded ones, whose patches are mostly copies, go the framework's way.

use burn::module::conv2d;
use burn::ops::ConvOptions;
use burn::{Tensor, activation};
use maxtile_neural::NORM_EPSILON;

/// How much of the batch goes into the running statistics, as `PyTorch` does it.
const MOMENTUM: f32 = 0.1;

/// A convolution by the weights of a file, (outputs, inputs × kernel).
pub(crate) fn convolution(
    input: Tensor<4>,
    weight: Tensor<2>,
    kernel: [usize; 2],
    padding: [usize; 2],
) -> Tensor<4> {
    if padding == [0, 0] {
        by_product(&input, weight, kernel)
    } else {
        by_framework(input, weight, kernel, padding)
    }
}

fn by_product(input: &Tensor<4>, weight: Tensor<2>, [tall, wide]: [usize; 2]) -> Tensor<4> {
    let [boards, rows, cols, channels] = input.dims();
    let [outputs, _] = weight.dims();
    let (high, broad) = (rows + 1 - tall, cols + 1 - wide);
    let mut taps = Vec::with_capacity(tall * wide);
    for row in 0..tall {
        for col in 0..wide {
            let area = [0..boards, row..row + high, col..col + broad, 0..channels];
            taps.push(input.clone().slice(area));
        }
    }
    let depth = tall * wide * channels;
    let patches = Tensor::cat(taps, 3).reshape([boards * high * broad, depth]);
    // The file counts inputs channel by channel, patches tap by tap.
    let weight = weight.reshape([outputs, channels, tall * wide]);
    let weight = weight.permute([2, 1, 0]).reshape([depth, outputs]);
    patches.matmul(weight).reshape([boards, high, broad, outputs])
}

fn by_framework(
    input: Tensor<4>,
    weight: Tensor<2>,
    [tall, wide]: [usize; 2],
    padding: [usize; 2],
) -> Tensor<4> {
    let channels = input.dims()[3];
    let outputs = weight.dims()[0];
    let weight = weight.reshape([outputs, channels, tall, wide]);
    let options = ConvOptions::new([1, 1], padding, [1, 1], 1);
    conv2d(input.permute([0, 3, 1, 2]), weight, None, options).permute([0, 2, 3, 1])
}

/// All numbers of a board in the order of files: channel by channel, then row by row.
pub(crate) fn flat(input: Tensor<4>) -> Tensor<2> {
    let [boards, rows, cols, channels] = input.dims();
    if rows * cols == 1 {
        return input.reshape([boards, channels]);
    }
    input.permute([0, 3, 1, 2]).reshape([boards, channels * rows * cols])
}

/// Every output from every input.
pub(crate) fn dense(input: Tensor<2>, weight: Tensor<2>) -> Tensor<2> {
    input.matmul(weight.transpose())
}

/// The four numbers a channel of batch normalisation, each (1, channels).
#[derive(Clone, Debug)]
pub(crate) struct Norm {
    pub(crate) scale: Tensor<2>,
    pub(crate) shift: Tensor<2>,
    pub(crate) mean: Tensor<2>,
    pub(crate) variance: Tensor<2>,
}

/// Normalises by the statistics of the batch; also gives the new running ones, without gradients.
pub(crate) fn normalise_batch(input: Tensor<4>, norm: Norm) -> (Tensor<4>, [Tensor<2>; 2]) {
    let shape = input.dims();
    let [boards, rows, cols, channels] = shape;
    let count = boards * rows * cols;
    let input = input.reshape([count, channels]);
    let mean = input.clone().mean_dim(0);
    let centred = input - mean.clone();
    let variance = centred.clone().square().mean_dim(0);
    let (new_mean, spread) = (mean.inner(), variance.clone().inner());
    // The running variance is the unbiased one.
    let unbiased = spread * (count as f32 / (count.max(2) - 1) as f32);
    let running = |old: Tensor<2>, new: Tensor<2>| old * (1.0 - MOMENTUM) + new * MOMENTUM;
    let statistics = [running(norm.mean, new_mean), running(norm.variance, unbiased)];
    let spread = (variance + NORM_EPSILON).sqrt();
    let output = centred / spread * norm.scale + norm.shift;
    (output.reshape(shape), statistics)
}

/// Normalises by the running statistics, as in play.
pub(crate) fn normalise_running(input: Tensor<4>, norm: Norm) -> Tensor<4> {
    let shape = input.dims();
    let [boards, rows, cols, channels] = shape;
    let spread = (norm.variance + NORM_EPSILON).sqrt();
    let input = input.reshape([boards * rows * cols, channels]);
    let output = (input - norm.mean) / spread * norm.scale + norm.shift;
    output.reshape(shape)
}

/// Adds a number for each channel.
pub(crate) fn add_bias(input: Tensor<4>, bias: Tensor<2>) -> Tensor<4> {
    let channels = bias.dims()[1];
    input + bias.reshape([1, 1, 1, channels])
}

/// max(0, x).
pub(crate) fn ramp(input: Tensor<4>) -> Tensor<4> {
    activation::relu(input)
}
