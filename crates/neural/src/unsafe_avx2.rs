//! The products in vectors of eight, two to a panel.
//!
//! Unsafe are the call of code built for AVX2, made where the processor was asked, and reading and
//! writing through pointers, at places that `Matrix::multiply` has checked.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "places in registers, known to the compiler")]

use std::arch::x86_64::{
    __m256, _mm_loadu_si128, _mm256_cvtph_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_max_ps,
    _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
};

use crate::matrix::{End, Job, PANEL, Packed, Row};

/// Numbers in a vector.
const LANES: usize = 8;

/// Only where `Kernels::available` names AVX2.
pub(crate) fn multiply(mut job: Job<'_>) {
    // SAFETY: the processor has AVX2; the places were checked.
    unsafe {
        match &job.matrix.packed {
            Packed::Full(weights) => all::<false>(&mut job, weights.get().as_ptr().cast()),
            Packed::Half(weights) => all::<true>(&mut job, weights.get().as_ptr().cast()),
        }
    }
}

/// Does some work with code built for AVX2.
#[inline(always)]
pub(crate) fn built_for<R>(work: impl FnOnce() -> R) -> R {
    #[target_feature(enable = "avx2,fma,f16c")]
    fn inner<R>(work: impl FnOnce() -> R) -> R {
        work()
    }
    // SAFETY: only called where `Kernels::available` names AVX2.
    unsafe { inner(work) }
}

/// Blocks of panels outside, blocks of rows inside: a block of weights is used for all rows before
/// the next is read.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn all<const HALF: bool>(job: &mut Job<'_>, weights: *const u8) {
    let panels = job.matrix.panels;
    let mut panel = 0;
    while panel < panels {
        let left = panels - panel;
        // SAFETY: as this function.
        unsafe {
            if left >= 4 && job.rows.len() == 1 {
                rows::<4, 8, HALF>(job, weights, panel);
                panel += 4;
            } else {
                rows::<1, 2, HALF>(job, weights, panel);
                panel += 1;
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn rows<const P: usize, const V: usize, const HALF: bool>(
    job: &mut Job<'_>,
    weights: *const u8,
    panel: usize,
) {
    for rows in job.rows.chunks(if P == 4 { 1 } else { 6 }) {
        // SAFETY: as this function.
        unsafe {
            match rows.len() {
                1 => block::<1, V, HALF>(job, rows, weights, panel),
                2 => block::<2, V, HALF>(job, rows, weights, panel),
                3 => block::<3, V, HALF>(job, rows, weights, panel),
                4 => block::<4, V, HALF>(job, rows, weights, panel),
                5 => block::<5, V, HALF>(job, rows, weights, panel),
                _ => block::<6, V, HALF>(job, rows, weights, panel),
            }
        }
    }
}

/// M rows of V vectors, two to a panel, all sums in registers.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn block<const M: usize, const V: usize, const HALF: bool>(
    job: &mut Job<'_>,
    rows: &[Row],
    weights: *const u8,
    panel: usize,
) {
    let size = if HALF { 2 } else { 4 };
    let stride = job.matrix.depth * PANEL * size;
    // SAFETY: rows, segments and panels lie in their memory, see `Matrix::multiply`.
    unsafe {
        let mut inputs = [job.input.as_ptr(); M];
        for m in 0..M {
            inputs[m] = inputs[m].add(rows[m].input);
        }
        let mut sums = [[_mm256_setzero_ps(); V]; M];
        if job.end != End::Part {
            for v in 0..V {
                let place = panel * PANEL + v * LANES;
                let bias = _mm256_loadu_ps(job.matrix.bias.as_ptr().add(place));
                for sums in &mut sums {
                    sums[v] = bias;
                }
            }
        }
        let weights = weights.add(panel * stride);
        for segment in job.segments {
            let weights = weights.add(segment.weight * PANEL * size);
            for k in 0..segment.len {
                let line = weights.add(k * PANEL * size);
                let mut lines = [_mm256_setzero_ps(); V];
                for v in 0..V {
                    lines[v] = load::<HALF>(line.add(v / 2 * stride + v % 2 * LANES * size));
                }
                for m in 0..M {
                    let x = _mm256_set1_ps(*inputs[m].add(segment.input + k));
                    for v in 0..V {
                        sums[m][v] = _mm256_fmadd_ps(x, lines[v], sums[m][v]);
                    }
                }
            }
        }
        for m in 0..M {
            let out = job.output.as_mut_ptr().add(rows[m].output + panel * PANEL);
            for v in 0..V {
                let sum = match job.end {
                    End::Layer => _mm256_max_ps(sums[m][v], _mm256_setzero_ps()),
                    End::Head | End::Part => sums[m][v],
                };
                _mm256_storeu_ps(out.add(v * LANES), sum);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn load<const HALF: bool>(line: *const u8) -> __m256 {
    // SAFETY: eight weights, see `block`.
    unsafe {
        if HALF {
            _mm256_cvtph_ps(_mm_loadu_si128(line.cast()))
        } else {
            _mm256_loadu_ps(line.cast())
        }
    }
}
