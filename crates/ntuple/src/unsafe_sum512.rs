//! Sums of 16-bit weights by AVX-512, sixteen lookups at once, without ever storing an index.
//!
//! The same lookups as `unsafe_avx2` and `unsafe_gather16` make, and whole numbers, so the same
//! sums. Unsafe are the gather, whose addresses lie in the memory because the plan was made for
//! it and the memory has room in front, and the call after asking for AVX-512.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, __m512i, _mm_and_si128, _mm_cvtsi64_si128, _mm_set1_epi8, _mm_srli_epi64,
    _mm_unpacklo_epi8, _mm512_add_epi32, _mm512_and_si512, _mm512_broadcast_i32x4,
    _mm512_castsi256_si512, _mm512_i32gather_epi32, _mm512_inserti64x4, _mm512_or_si512,
    _mm512_reduce_add_epi32, _mm512_set1_epi8, _mm512_set1_epi32, _mm512_setzero_si512,
    _mm512_shuffle_epi8, _mm512_slli_epi64, _mm512_srai_epi32, _mm512_srli_epi32, _mm512_xor_si512,
};

use crate::plan::{Layout, Plan};
use crate::unsafe_shorts::Shorts;

/// Can the processor do it for this plan? Lookups have to come in sixteens.
pub(crate) fn available(plan: &Plan) -> bool {
    let sixteens = plan.active == 8 * plan.shuffles.len() && plan.shuffles.len().is_multiple_of(2);
    sixteens
        && std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
}

/// The sums of boards by the weights of a stage. Only where [`available`] said yes.
#[inline]
pub(crate) fn sums(plan: &Plan, memory: &Shorts, stage: usize, boards: &[u64], out: &mut [i32]) {
    debug_assert!(available(plan));
    let offset = plan.stage as usize * stage;
    assert!(offset < plan.memory, "the network has no stage {stage}");
    // SAFETY: the caller has asked for AVX-512; the indices are within the memory of a stage, and
    // the stage is there.
    unsafe { sums_avx512(plan, memory, offset, boards, out) }
}

#[target_feature(enable = "avx512f,avx512bw,avx2")]
fn sums_avx512(plan: &Plan, memory: &Shorts, offset: usize, boards: &[u64], out: &mut [i32]) {
    let outside_line = _mm512_set1_epi32(!15);
    let paired = plan.layout == Layout::Paired;
    for (&board, out) in boards.iter().zip(out) {
        let (first, second) = halves(cells(board), paired);
        let mut sum = _mm512_setzero_si512();
        for [low, high] in plan.shuffles.as_chunks::<2>().0 {
            let index = _mm512_or_si512(
                _mm512_shuffle_epi8(first, joined(&low.first, &high.first)),
                _mm512_shuffle_epi8(second, joined(&low.second, &high.second)),
            );
            let spread = _mm512_and_si512(_mm512_srli_epi32::<6>(index), outside_line);
            let index = _mm512_xor_si512(index, spread);
            let places = _mm512_add_epi32(index, joined(&low.offsets, &high.offsets));
            // SAFETY: sixteen numbers of the memory, each read with the two bytes before it.
            // Nobody writes any more.
            let numbers = unsafe {
                let base: *const i32 = memory.base().add(offset).cast::<u8>().sub(2).cast();
                _mm512_i32gather_epi32::<2>(places, base)
            };
            sum = _mm512_add_epi32(sum, _mm512_srai_epi32::<16>(numbers));
        }
        *out = _mm512_reduce_add_epi32(sum);
    }
}

/// Two halves of a register.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx2")]
fn joined<T>(low: &T, high: &T) -> __m512i {
    const { assert!(size_of::<T>() == 32) };
    let read = |half: *const T| {
        // SAFETY: 32 bytes, read without asking for alignment.
        unsafe { half.cast::<__m256i>().read_unaligned() }
    };
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(read(low)), read(high))
}

/// The cells of a board, a byte each, in all four quarters of the register.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx2")]
fn cells(board: u64) -> __m512i {
    let low = _mm_set1_epi8(15);
    let board = _mm_cvtsi64_si128(board as i64);
    let even = _mm_and_si128(board, low);
    let odd = _mm_and_si128(_mm_srli_epi64::<4>(board), low);
    _mm512_broadcast_i32x4(_mm_unpacklo_epi8(even, odd))
}

/// As in `unsafe_avx2`: what a cell contributes to a byte as the first and as the second of two.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx2")]
fn halves(cells: __m512i, paired: bool) -> (__m512i, __m512i) {
    if paired {
        let (lower, upper) = (_mm512_set1_epi8(3), _mm512_set1_epi8(12));
        let upper = _mm512_slli_epi64::<2>(_mm512_and_si512(cells, upper));
        let first = _mm512_or_si512(_mm512_and_si512(cells, lower), upper);
        (first, _mm512_slli_epi64::<2>(first))
    } else {
        (cells, _mm512_slli_epi64::<4>(cells))
    }
}
