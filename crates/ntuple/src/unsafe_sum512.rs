//! The sums of eight boards in the lanes of AVX-512 registers, without ever storing an index.
//!
//! The same lookups as `Plan::indices` and `unsafe_gather16` make, and whole numbers, so the same
//! sums. Unsafe are the gather, whose addresses lie in the memory because the plan was made for
//! it and the memory has room in front, and the call after asking for AVX-512.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_add_epi32, _mm256_setzero_si256, _mm256_srai_epi32, _mm512_and_si512,
    _mm512_i64gather_epi32, _mm512_loadu_si512, _mm512_or_si512, _mm512_set1_epi16,
    _mm512_set1_epi64, _mm512_shuffle_epi8, _mm512_slli_epi64, _mm512_srli_epi64,
    _mm512_srlv_epi64, _mm512_ternarylogic_epi64, _mm512_xor_si512,
};

use crate::plan::{WordTuple, Words};
use crate::unsafe_shorts::Shorts;

/// Can the processor do it?
pub(crate) fn available() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
}

/// The sums of eight boards. Only where [`available`] said yes.
#[inline]
pub(crate) fn sum_boards(words: &Words, memory: &Shorts, boards: &[u64; 8]) -> [i32; 8] {
    debug_assert!(available());
    // SAFETY: the caller has asked for AVX-512; the indices are within the memory.
    unsafe { sum_boards_avx512(words, memory, boards) }
}

#[target_feature(enable = "avx512f,avx512bw,avx2")]
fn sum_boards_avx512(words: &Words, memory: &Shorts, boards: &[u64; 8]) -> [i32; 8] {
    // SAFETY: eight words of 64 bits, read without asking for alignment.
    let images = images(unsafe { _mm512_loadu_si512(boards.as_ptr().cast()) });
    let mut sum = _mm256_setzero_si256();
    for tuple in &words.tuples {
        let part = match tuple.count {
            1 => lookups::<1>(tuple, memory, &images),
            2 => lookups::<2>(tuple, memory, &images),
            3 => lookups::<3>(tuple, memory, &images),
            4 => lookups::<4>(tuple, memory, &images),
            _ => lookups::<8>(tuple, memory, &images),
        };
        sum = _mm256_add_epi32(sum, part);
    }
    // SAFETY: eight integers are eight integers.
    unsafe { std::mem::transmute(sum) }
}

/// The weights of one tuple on all images, summed.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx2")]
fn lookups<const RUNS: usize>(
    tuple: &WordTuple,
    memory: &Shorts,
    images: &[__m512i; 8],
) -> __m256i {
    let runs = &tuple.runs;
    let shifts: [__m512i; RUNS] = std::array::from_fn(|r| _mm512_set1_epi64(runs[r].0 as i64));
    let masks: [__m512i; RUNS] = std::array::from_fn(|r| _mm512_set1_epi64(runs[r].1 as i64));
    let lines = _mm512_set1_epi64(!15);
    let base: *const i32 =
        memory.base().wrapping_add(tuple.offset as usize).cast::<u8>().wrapping_sub(2).cast();
    let mut sum = _mm256_setzero_si256();
    for &image in images {
        let mut index = _mm512_and_si512(_mm512_srlv_epi64(image, shifts[0]), masks[0]);
        for r in 1..RUNS {
            // index | image >> shift & mask
            let moved = _mm512_srlv_epi64(image, shifts[r]);
            index = _mm512_ternarylogic_epi64::<0b1111_1000>(index, moved, masks[r]);
        }
        // The swizzle of the plan: index ^ (index >> 10 ^ index >> 17) & !15.
        let (by10, by17) = (_mm512_srli_epi64::<10>(index), _mm512_srli_epi64::<17>(index));
        let turn = _mm512_ternarylogic_epi64::<0b0010_1000>(by10, by17, lines);
        let index = _mm512_xor_si512(index, turn);
        // SAFETY: eight numbers of the memory, each read with the two bytes before it. Nobody
        // writes any more.
        let numbers = unsafe { _mm512_i64gather_epi32::<2>(index, base) };
        sum = _mm256_add_epi32(sum, _mm256_srai_epi32::<16>(numbers));
    }
    sum
}

/// The eight transformed boards, as `images` of the plan has them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx2")]
fn images(x: __m512i) -> [__m512i; 8] {
    let t = transpose(x);
    let (m, mt) = (mirror(x), mirror(t));
    [x, m, flip(x), flip(m), t, mt, flip(t), flip(mt)]
}

/// Bytes of each 64-bit board in another order, the same for all eight.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn bytes(x: __m512i, order: u64) -> __m512i {
    // The second board of each 16 bytes has the same order eight bytes on.
    let both = [order, order + 0x0808_0808_0808_0808];
    let orders = [both, both, both, both];
    // SAFETY: 64 bytes, read without asking for alignment.
    _mm512_shuffle_epi8(x, unsafe { _mm512_loadu_si512(orders.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn mirror(x: __m512i) -> __m512i {
    let x = bytes(x, 0x0607_0405_0203_0001);
    let low = _mm512_set1_epi16(0x0f0f);
    let up = _mm512_slli_epi64::<4>(_mm512_and_si512(x, low));
    // up | x >> 4 & low
    _mm512_ternarylogic_epi64::<0b1111_1000>(up, _mm512_srli_epi64::<4>(x), low)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn flip(x: __m512i) -> __m512i {
    bytes(x, 0x0100_0302_0504_0706)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn transpose(x: __m512i) -> __m512i {
    let mask = |m: u64| _mm512_set1_epi64(m as i64);
    let and = |x: __m512i, m: u64| _mm512_and_si512(x, mask(m));
    let a = _mm512_or_si512(
        and(x, 0xf0f0_0f0f_f0f0_0f0f),
        _mm512_or_si512(
            _mm512_slli_epi64::<12>(and(x, 0x0000_f0f0_0000_f0f0)),
            and(_mm512_srli_epi64::<12>(x), 0x0000_f0f0_0000_f0f0),
        ),
    );
    _mm512_or_si512(
        and(a, 0xff00_ff00_00ff_00ff),
        _mm512_or_si512(
            and(_mm512_srli_epi64::<24>(a), 0x0000_0000_ff00_ff00),
            _mm512_slli_epi64::<24>(and(a, 0x0000_0000_ff00_ff00)),
        ),
    )
}
