//! The layers of a network as tensors with gradients.
//!
//! Numbers between layers are (boards, rows, columns, channels). An unpadded convolution is one matrix
//! product over its patches, cut out by slices: on boards this small frameworks are slow at
//! convolutions and fast at products. A padded one, whose patches are mostly copies, is one product of whole
//! boards with a matrix that holds each tap wherever two cells meet in it.

use burn::module::conv2d;
use burn::ops::ConvOptions;
use burn::{Int, Tensor, activation};
use maxtile_neural::NORM_EPSILON;

/// How much of the batch goes into the running statistics, as `PyTorch` does it.
const MOMENTUM: f32 = 0.1;

/// Boards for which it pays to write out the matrix of a padded convolution.
const ENOUGH: usize = 128;

/// A convolution by the weights of a file, (outputs, inputs × kernel).
pub(crate) fn convolution(
    input: Tensor<4>,
    weight: Tensor<2>,
    kernel: [usize; 2],
    padding: [usize; 2],
) -> Tensor<4> {
    if padding == [0, 0] {
        by_product(&input, weight, kernel)
    } else if input.dims()[0] >= ENOUGH {
        by_board(input, weight, kernel, padding)
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

fn by_board(
    input: Tensor<4>,
    weight: Tensor<2>,
    [tall, wide]: [usize; 2],
    [above, before]: [usize; 2],
) -> Tensor<4> {
    let [boards, rows, cols, channels] = input.dims();
    let [outputs, _] = weight.dims();
    let (high, broad) = (rows + 2 * above + 1 - tall, cols + 2 * before + 1 - wide);
    // The last tap is for cells that do not meet.
    let taps = weight.reshape([outputs, channels, tall * wide]).permute([2, 1, 0]);
    let none = Tensor::zeros([1, channels, outputs], &input.device());
    let taps = Tensor::cat(vec![taps, none], 0);
    let mut meet = Vec::with_capacity(rows * cols * high * broad);
    for from in 0..rows * cols {
        for to in 0..high * broad {
            let row = (from / cols + above).checked_sub(to / broad).filter(|row| *row < tall);
            let col = (from % cols + before).checked_sub(to % broad).filter(|col| *col < wide);
            let tap = row.zip(col).map_or(tall * wide, |(row, col)| row * wide + col);
            meet.push(tap as i32);
        }
    }
    let meet = Tensor::<1, Int>::from_ints(meet.as_slice(), &input.device());
    let matrix = taps.select(0, meet).reshape([rows * cols, high * broad, channels, outputs]);
    let matrix = matrix.permute([0, 2, 1, 3]);
    let matrix = matrix.reshape([rows * cols * channels, high * broad * outputs]);
    let input = input.reshape([boards, rows * cols * channels]);
    input.matmul(matrix).reshape([boards, high, broad, outputs])
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

#[cfg(test)]
mod tests {
    use burn::{Device, Tensor, TensorData};

    use super::{by_board, by_framework};

    /// Numbers without a pattern.
    fn numbers(count: usize, seed: u64) -> Vec<f32> {
        let mut random = maxtile_game::Random::new(seed);
        (0..count).map(|_| random.unit() as f32 - 0.5).collect()
    }

    #[test]
    fn a_padded_convolution_is_the_same_both_ways() {
        let device = Device::flex().autodiff();
        let tensor = |shape: &[usize], seed| {
            TensorData::new(numbers(shape.iter().product(), seed), shape.to_vec())
        };
        for ([rows, cols], kernel, padding) in [
            ([4, 4], [3, 3], [1, 1]),
            ([3, 4], [3, 3], [1, 1]),
            ([4, 4], [1, 3], [0, 1]),
            ([4, 3], [2, 3], [1, 0]),
            ([2, 2], [5, 5], [2, 2]),
        ] {
            let (channels, outputs) = (5, 7);
            let found = [by_board, by_framework].map(|convolve| {
                let input = Tensor::<4>::from_data(tensor(&[3, rows, cols, channels], 1), &device);
                let weight = [outputs, channels * kernel[0] * kernel[1]];
                let weight = Tensor::<2>::from_data(tensor(&weight, 2), &device);
                let (input, weight) = (input.require_grad(), weight.require_grad());
                let output = convolve(input.clone(), weight.clone(), kernel, padding);
                let gradients = output.clone().square().sum().backward();
                let read = |data: TensorData| data.try_to_vec::<f32>().unwrap();
                [
                    read(output.into_data()),
                    read(input.grad(&gradients).unwrap().into_data()),
                    read(weight.grad(&gradients).unwrap().into_data()),
                ]
            });
            for (ours, theirs) in found[0].iter().zip(&found[1]) {
                assert_eq!(ours.len(), theirs.len());
                for (a, b) in ours.iter().zip(theirs) {
                    assert!((a - b).abs() < 1e-4 * (1.0 + b.abs()), "{kernel:?}: {a} is not {b}");
                }
            }
        }
    }
}
