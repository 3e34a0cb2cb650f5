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
    __m128, __m128i, __m256, __m256i, _mm_add_ps, _mm_setzero_ps, _mm256_add_ps, _mm256_setzero_ps,
};

use crate::plan::Pair;
use crate::unsafe_memory::Memory;

/// The sums of four boards, or `None` where the processor cannot.
#[inline(always)]
pub(crate) fn sum_boards(memory: &Memory, pairs: &[Pair]) -> Option<[f32; 4]> {
    if !std::arch::is_x86_feature_detected!("avx2") {
        return None;
    }
    // SAFETY: the processor has AVX2; the indices are within the memory.
    Some(unsafe { sum_boards_avx2(memory, pairs) })
}

/// The sum of one of four boards.
#[inline(always)]
pub(crate) fn sum_board(memory: &Memory, pairs: &[Pair], board: usize) -> Option<f32> {
    if !std::arch::is_x86_feature_detected!("avx2") {
        return None;
    }
    // SAFETY: as above.
    Some(unsafe { sum_board_avx2(memory, pairs, board) })
}

#[target_feature(enable = "avx2")]
fn sum_boards_avx2(memory: &Memory, pairs: &[Pair]) -> [f32; 4] {
    let (mut even, mut odd) = (_mm256_setzero_ps(), _mm256_setzero_ps());
    let mut twos = pairs.chunks_exact(2);
    for two in &mut twos {
        even = _mm256_add_ps(even, gather8(memory, &two[0]));
        odd = _mm256_add_ps(odd, gather8(memory, &two[1]));
    }
    for pair in twos.remainder() {
        even = _mm256_add_ps(even, gather8(memory, pair));
    }
    // SAFETY: eight floats are eight floats.
    let (even, odd): ([f32; 8], [f32; 8]) = unsafe { std::mem::transmute((even, odd)) };
    std::array::from_fn(|b| (even[2 * b] + even[2 * b + 1]) + (odd[2 * b] + odd[2 * b + 1]))
}

#[target_feature(enable = "avx2")]
fn sum_board_avx2(memory: &Memory, pairs: &[Pair], board: usize) -> f32 {
    let at = 2 * (board & 3);
    let mut sums = _mm_setzero_ps();
    let (twos, rest) = pairs.as_chunks::<2>();
    for [a, b] in twos {
        sums = _mm_add_ps(sums, gather4(memory, &[a[at], a[at + 1], b[at], b[at + 1]]));
    }
    // SAFETY: four floats are four floats.
    let mut sums: [f32; 4] = unsafe { std::mem::transmute(sums) };
    for pair in rest {
        sums[0] += memory.get(pair[at]);
        sums[1] += memory.get(pair[at + 1]);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[inline]
#[target_feature(enable = "avx2")]
fn gather8(memory: &Memory, indices: &[u32; 8]) -> __m256 {
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

#[inline]
#[target_feature(enable = "avx2")]
fn gather4(memory: &Memory, indices: &[u32; 4]) -> __m128 {
    debug_assert!(indices.iter().all(|&index| memory.holds(index)));
    let result: __m128;
    // SAFETY: reads four weights of the memory.
    unsafe {
        let indices: __m128i = std::mem::transmute(*indices);
        asm!(
            "vpcmpeqd {all}, {all}, {all}",
            "vxorps {result}, {result}, {result}",
            "vgatherdps {result}, [{base} + {indices}*4], {all}",
            base = in(reg) memory.base(),
            indices = in(xmm_reg) indices,
            result = out(xmm_reg) result,
            all = out(xmm_reg) _,
            options(nostack, preserves_flags, readonly),
        );
    }
    result
}
