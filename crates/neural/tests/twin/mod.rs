//! A second, slow way through a network, as text books write it: planes, loops, 64-bit numbers. It
//! shares no code with the crate's.

use maxtile_neural::{Layer, Spec, Weights};

/// The outputs of all heads for a board given by its exponents, which must fit the planes.
pub(crate) fn outputs(weights: &Weights, exponents: &[u8]) -> Vec<f64> {
    let spec: &Spec = weights.spec();
    let shape = weights.shape();
    let get = |name: String| -> Vec<f64> {
        weights.get(&name).unwrap().iter().map(|&number| f64::from(number)).collect()
    };
    // channel, row, column
    let (mut rows, mut cols) = (shape.rows(), shape.cols());
    let mut channels = spec.planes as usize;
    let mut x = vec![0.0; channels * rows * cols];
    for (cell, &exponent) in exponents.iter().enumerate() {
        x[exponent as usize * rows * cols + cell] = 1.0;
    }
    for (index, &layer) in spec.layers.iter().enumerate() {
        let mut y = match layer {
            Layer::Conv { kernel, padding, channels: out, bias, .. } => {
                let w = get(format!("layers.{index}.conv.weight"));
                let [kr, kc] = kernel.map(|n| n as usize);
                let [pr, pc] = padding.map(|n| n as usize);
                let (out, r, c) = (out as usize, rows + 2 * pr + 1 - kr, cols + 2 * pc + 1 - kc);
                let mut y = vec![0.0; out * r * c];
                for o in 0..out {
                    for i in 0..r {
                        for j in 0..c {
                            let mut sum = 0.0;
                            for ch in 0..channels {
                                for a in 0..kr {
                                    for b in 0..kc {
                                        let (row, col) = (i + a, j + b);
                                        if row < pr || col < pc {
                                            continue;
                                        }
                                        let (row, col) = (row - pr, col - pc);
                                        if row >= rows || col >= cols {
                                            continue;
                                        }
                                        sum += x[(ch * rows + row) * cols + col]
                                            * w[((o * channels + ch) * kr + a) * kc + b];
                                    }
                                }
                            }
                            y[(o * r + i) * c + j] = sum;
                        }
                    }
                }
                if bias {
                    let b = get(format!("layers.{index}.conv.bias"));
                    (0..out * r * c).for_each(|n| y[n] += b[n / (r * c)]);
                }
                (channels, rows, cols) = (out, r, c);
                y
            }
            Layer::Dense { outputs, bias, .. } => {
                let name = format!("layers.{index}.dense");
                let bias = bias.then(|| get(format!("{name}.bias")));
                let y = dense(&x, &get(format!("{name}.weight")), bias.as_deref());
                (channels, rows, cols) = (outputs as usize, 1, 1);
                y
            }
        };
        if layer.norm() {
            let [by, plus, mean, variance] = ["weight", "bias", "running_mean", "running_var"]
                .map(|name| get(format!("layers.{index}.norm.{name}")));
            for (n, y) in y.iter_mut().enumerate() {
                let ch = n / (rows * cols);
                *y = (*y - mean[ch]) / (variance[ch] + 1e-5).sqrt() * by[ch] + plus[ch];
            }
        }
        x = y.into_iter().map(|y: f64| y.max(0.0)).collect();
    }
    let heads = spec.heads.iter().flat_map(|head| {
        let name = format!("heads.{}", head.name());
        let bias = get(format!("{name}.bias"));
        dense(&x, &get(format!("{name}.weight")), Some(&bias))
    });
    heads.collect()
}

fn dense(x: &[f64], w: &[f64], bias: Option<&[f64]>) -> Vec<f64> {
    let rows = w.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(w, x)| w * x).sum());
    let mut y: Vec<f64> = rows.collect();
    if let Some(bias) = bias {
        y.iter_mut().zip(bias).for_each(|(y, b)| *y += b);
    }
    y
}
