//! Sums of weights by the processor's gather instruction.
//!
//! Other threads may be changing the weights. The gather stands in inline assembly, which reads
//! each 32-bit weight in one piece as a relaxed atomic load would, and which the compiler does not
//! take for ordinary, race-free reads. The additions are those of the portable sums, in their
//! order, so the results are the same to the bit. Unsafe are the assembly, whose addresses lie in
//! the memory because the caller's plan was made for it, and the call after asking for AVX2.
#![allow(unsafe_code)]

use std::arch::asm;
use std::arch::x86_64::{
    __m256, __m256i, _mm_add_ps, _mm_cvtss_f32, _mm_hadd_ps, _mm256_add_ps, _mm256_castps256_ps128,
    _mm256_extractf128_ps, _mm256_setzero_ps,
};

use crate::plan::Octet;
use crate::unsafe_memory::Memory;

/// The sum of the weights of a board, or `None` where the processor cannot.
#[inline(always)]
pub(crate) fn sum(memory: &Memory, octets: &[Octet]) -> Option<f32> {
    if !std::arch::is_x86_feature_detected!("avx2") {
        return None;
    }
    // SAFETY: the processor has AVX2; the indices are within the memory.
    Some(unsafe { sum_avx2(memory, octets) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn sum_avx2(memory: &Memory, octets: &[Octet]) -> f32 {
    let mut sums = _mm256_setzero_ps();
    for octet in octets {
        sums = _mm256_add_ps(sums, gather(memory, octet));
    }
    let four = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps::<1>(sums));
    let two = _mm_hadd_ps(four, four);
    _mm_cvtss_f32(_mm_hadd_ps(two, two))
}

#[inline]
#[target_feature(enable = "avx2")]
fn gather(memory: &Memory, indices: &[u32; 8]) -> __m256 {
    debug_assert!(indices.iter().all(|&index| memory.holds(index)));
    let result: __m256;
    // SAFETY: reads eight weights of the memory.
    unsafe {
        let indices: __m256i = std::mem::transmute(*indices);
        asm!(
            "vpcmpeqd {all}, {all}, {all}",
            "vxorps {result}, {result}, {result}",
            "vgatherdps {result}, [{base} + {indices}*4], {all}",
            base = in(reg) memory.base(),
            indices = in(ymm_reg) indices,
            result = out(ymm_reg) result,
            all = out(ymm_reg) _,
            options(nostack, preserves_flags, readonly),
        );
    }
    result
}
