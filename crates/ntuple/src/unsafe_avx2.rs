//! Eight indices at a time by byte shuffles.
//!
//! The cells of a board stand in the bytes of a register; one shuffle picks the first half of each
//! byte of eight indices, another the second half. The results are those of
//! `Plan::indices_portable` to the bit. Unsafe are the call of code built for AVX2, made after
//! asking the processor, and looking at a register as an array.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, _mm_and_si128, _mm_cvtsi64_si128, _mm_set1_epi8, _mm_srli_epi64, _mm_unpacklo_epi8,
    _mm256_add_epi32, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_or_si256,
    _mm256_set1_epi8, _mm256_set1_epi32, _mm256_shuffle_epi8, _mm256_slli_epi64, _mm256_srli_epi32,
    _mm256_xor_si256,
};

use crate::plan::{Layout, Octet, Plan};

/// Does some work with code built for AVX2 and its companions if the processor has them, so that
/// the functions of this file and of `unsafe_gather` can become part of it instead of being called.
#[inline(always)]
pub(crate) fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn built_for_avx2<R>(work: impl FnOnce() -> R) -> R {
        work()
    }
    let has = std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("lzcnt")
        && std::arch::is_x86_feature_detected!("popcnt");
    // SAFETY: the processor has what the function is built for.
    if has { unsafe { built_for_avx2(work) } } else { work() }
}

/// Computes the indices if the processor can; `false` if it cannot or there are no shuffles.
#[inline(always)]
pub(crate) fn indices(plan: &Plan, boards: &[u64], out: &mut [Octet]) -> bool {
    if plan.shuffles.is_empty() || !std::arch::is_x86_feature_detected!("avx2") {
        return false;
    }
    // SAFETY: the processor has AVX2.
    unsafe {
        match plan.shuffles.len() {
            4 => indices_avx2::<4>(plan, boards, out),
            8 => indices_avx2::<8>(plan, boards, out),
            _ => indices_avx2::<0>(plan, boards, out),
        }
    }
    true
}

/// With the number of octets known to the compiler, or 0 for any number.
#[inline]
#[target_feature(enable = "avx2")]
fn indices_avx2<const OCTETS: usize>(plan: &Plan, boards: &[u64], out: &mut [Octet]) {
    let octets = if OCTETS == 0 { plan.shuffles.len() } else { OCTETS };
    let shuffles = &plan.shuffles[..octets];
    let paired = plan.layout == Layout::Paired;
    let outside_line = _mm256_set1_epi32(!15);
    let mut rest = out;
    for &board in boards {
        let (out, after) = rest.split_at_mut(octets);
        rest = after;
        let (first, second) = halves(cells(board), paired);
        for (shuffle, out) in shuffles.iter().zip(out) {
            let index = _mm256_or_si256(
                _mm256_shuffle_epi8(first, vector(&shuffle.first)),
                _mm256_shuffle_epi8(second, vector(&shuffle.second)),
            );
            let spread = _mm256_and_si256(_mm256_srli_epi32::<6>(index), outside_line);
            let index = _mm256_xor_si256(index, spread);
            // SAFETY: eight 32-bit numbers are 32 bytes.
            let offsets: __m256i = unsafe { std::mem::transmute(shuffle.offsets) };
            let places = _mm256_add_epi32(index, offsets);
            // SAFETY: as above.
            *out = unsafe { std::mem::transmute::<__m256i, Octet>(places) };
        }
    }
}

/// The cells of a board, a byte each, in both halves of the register.
#[inline]
#[target_feature(enable = "avx2")]
fn cells(board: u64) -> __m256i {
    let low = _mm_set1_epi8(15);
    let board = _mm_cvtsi64_si128(board as i64);
    let even = _mm_and_si128(board, low);
    let odd = _mm_and_si128(_mm_srli_epi64::<4>(board), low);
    _mm256_broadcastsi128_si256(_mm_unpacklo_epi8(even, odd))
}

/// What a cell contributes to a byte as the first and as the second of two (see `Layout`). The
/// upper bits of each byte are zero: no shift carries anything into the next one.
#[inline]
#[target_feature(enable = "avx2")]
fn halves(cells: __m256i, paired: bool) -> (__m256i, __m256i) {
    if paired {
        let (lower, upper) = (_mm256_set1_epi8(3), _mm256_set1_epi8(12));
        let upper = _mm256_slli_epi64::<2>(_mm256_and_si256(cells, upper));
        let first = _mm256_or_si256(_mm256_and_si256(cells, lower), upper);
        (first, _mm256_slli_epi64::<2>(first))
    } else {
        (cells, _mm256_slli_epi64::<4>(cells))
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn vector(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: 32 bytes are 32 bytes.
    unsafe { std::mem::transmute(*bytes) }
}
