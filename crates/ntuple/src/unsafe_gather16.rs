//! Sums of 16-bit weights by the processor's gather instruction.
//!
//! There is no gather of 16-bit numbers. One of 32 bits that begins two bytes earlier has the
//! number in its upper half, and an arithmetic shift brings it down with its sign. Unsafe are the
//! gather, whose addresses lie in the memory because the caller's plan was made for it and the
//! memory has room in front, and the call after asking for AVX2.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_i32gather_epi32, _mm256_setzero_si256, _mm256_srai_epi32,
};

use crate::plan::Octet;
use crate::unsafe_shorts::Shorts;

/// The sum of the weights of a board, or `None` where the processor cannot.
#[inline(always)]
pub(crate) fn sum(memory: &Shorts, octets: &[Octet]) -> Option<i32> {
    if !std::arch::is_x86_feature_detected!("avx2") {
        return None;
    }
    // SAFETY: the processor has AVX2; the indices are within the memory.
    Some(unsafe { sum_avx2(memory, octets) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn sum_avx2(memory: &Shorts, octets: &[Octet]) -> i32 {
    let mut sums = _mm256_setzero_si256();
    for octet in octets {
        debug_assert!(octet.iter().all(|&index| memory.holds(index)));
        // SAFETY: eight numbers of the memory, each read with the two bytes before it. Nobody
        // writes any more.
        let numbers = unsafe {
            let indices: __m256i = std::mem::transmute(*octet);
            let base: *const i32 = memory.base().cast::<u8>().sub(2).cast();
            _mm256_i32gather_epi32::<2>(base, indices)
        };
        sums = _mm256_add_epi32(sums, _mm256_srai_epi32::<16>(numbers));
    }
    // SAFETY: eight integers are eight integers.
    let sums: [i32; 8] = unsafe { std::mem::transmute(sums) };
    sums.iter().sum()
}
