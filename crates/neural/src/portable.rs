//! The arithmetic in plain Rust, and what is plain Rust on every processor.

use crate::matrix::{End, Job, PANEL, Packed};

/// Does the target fuse multiplication and addition without being asked?
const FUSES: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

pub(crate) fn multiply(job: Job<'_>) {
    let Job { matrix, segments, rows, input, output, end } = job;
    // Matrices are packed for the kernels that read them.
    let Packed::Full(weights) = &matrix.packed else { unreachable!("16-bit weights") };
    let panels = weights.get().chunks_exact(matrix.depth * PANEL).zip(matrix.bias.as_chunks().0);
    for (panel, (weights, bias)) in panels.enumerate() {
        let weights: &[[f32; PANEL]] = weights.as_chunks().0;
        for row in rows {
            let mut sums: [f32; PANEL] = if end == End::Part { [0.0; PANEL] } else { *bias };
            for segment in segments {
                let inputs = &input[row.input + segment.input..][..segment.len];
                let weights = &weights[segment.weight..][..segment.len];
                for (&x, weights) in inputs.iter().zip(weights) {
                    for (sum, &w) in sums.iter_mut().zip(weights) {
                        *sum = if FUSES { x.mul_add(w, *sum) } else { *sum + x * w };
                    }
                }
            }
            if end == End::Layer {
                sums = sums.map(|sum| sum.max(0.0));
            }
            output[row.output + panel * PANEL..][..PANEL].copy_from_slice(&sums);
        }
    }
}

/// `out` = max(0, `begin` + the rows of `table`), in this order. A row is as long as `out`.
#[inline(always)]
pub(crate) fn add_rows<'a>(begin: &[f32], rows: impl Iterator<Item = &'a [f32]>, out: &mut [f32]) {
    out.copy_from_slice(begin);
    for row in rows {
        for (sum, number) in out.iter_mut().zip(row) {
            *sum += number;
        }
    }
    for sum in out {
        *sum = sum.max(0.0);
    }
}
