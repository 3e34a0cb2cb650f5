//! The indices of four boards in the four lanes of AVX2 registers.
//!
//! The same steps as `Words::indices_portable`, and the same results to the bit. Unsafe are the
//! call of code built for AVX2, made after asking the processor, and looking at a register as an
//! array.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_andnot_si256, _mm256_or_si256,
    _mm256_set_m128i, _mm256_set1_epi8, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi8,
    _mm256_shuffle_epi8, _mm256_slli_epi64, _mm256_srli_epi32, _mm256_srli_epi64,
    _mm256_srlv_epi64, _mm256_xor_si256,
};

use crate::plan::{Pair, WordTuple, Words};

/// Computes the indices if the processor can; `false` if it cannot.
#[inline]
pub(crate) fn indices(words: &Words, boards: &[u64; 4], out: &mut [Pair]) -> bool {
    if !std::arch::is_x86_feature_detected!("avx2") || out.len() < 4 * words.tuples.len() {
        return false;
    }
    // SAFETY: the processor has AVX2, and `out` holds four pairs a tuple.
    unsafe { all_fields(words, boards, out) };
    true
}

#[target_feature(enable = "avx2")]
fn all_fields(words: &Words, boards: &[u64; 4], out: &mut [Pair]) {
    let images = images(load_in_halves(boards));
    for (tuple, four) in words.tuples.iter().zip(out.as_chunks_mut().0) {
        match tuple.count {
            1 => fields::<1>(tuple, &images, four),
            2 => fields::<2>(tuple, &images, four),
            3 => fields::<3>(tuple, &images, four),
            4 => fields::<4>(tuple, &images, four),
            _ => fields::<8>(tuple, &images, four),
        }
    }
}

/// Loads four boards that were stored in two halves a moment ago. One load of the whole could not
/// be answered by the stores still under way, but would wait for them to reach the cache, behind
/// all the weights that the last lesson stored: the reads are volatile so that they stay two.
#[inline]
#[target_feature(enable = "avx2")]
fn load_in_halves(boards: &[u64; 4]) -> __m256i {
    let half: *const __m128i = boards.as_ptr().cast();
    // SAFETY: two halves of 16 bytes each, read without asking for alignment.
    let (low, high) = unsafe {
        (half.cast::<Half>().read_volatile(), half.add(1).cast::<Half>().read_volatile())
    };
    _mm256_set_m128i(high.0, low.0)
}

/// Sixteen bytes at any address.
#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Half(__m128i);

/// The indices of one tuple on all images.
#[inline]
#[target_feature(enable = "avx2")]
fn fields<const RUNS: usize>(tuple: &WordTuple, images: &[__m256i; 8], out: &mut [Pair; 4]) {
    let runs = &tuple.runs;
    let shifts: [__m256i; RUNS] = std::array::from_fn(|r| _mm256_set1_epi64x(runs[r].0 as i64));
    let masks: [__m256i; RUNS] = std::array::from_fn(|r| _mm256_set1_epi64x(runs[r].1 as i64));
    let (low, offset) = (_mm256_set1_epi32(15), _mm256_set1_epi32(tuple.offset as i32));
    let index = |image: __m256i| {
        let mut index = _mm256_and_si256(_mm256_srlv_epi64(image, shifts[0]), masks[0]);
        for r in 1..RUNS {
            let run = _mm256_and_si256(_mm256_srlv_epi64(image, shifts[r]), masks[r]);
            index = _mm256_or_si256(index, run);
        }
        index
    };
    for (two, out) in images.as_chunks::<2>().0.iter().zip(out) {
        let pair = _mm256_or_si256(index(two[0]), _mm256_slli_epi64::<32>(index(two[1])));
        let spread = _mm256_xor_si256(_mm256_srli_epi32::<10>(pair), _mm256_srli_epi32::<17>(pair));
        let pair = _mm256_xor_si256(pair, _mm256_andnot_si256(low, spread));
        // SAFETY: eight 32-bit numbers are eight 32-bit numbers.
        *out = unsafe { std::mem::transmute::<__m256i, Pair>(_mm256_add_epi32(pair, offset)) };
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn images(x: __m256i) -> [__m256i; 8] {
    let t = transpose(x);
    let (m, mt) = (mirror(x), mirror(t));
    [x, m, flip(x), flip(m), t, mt, flip(t), flip(mt)]
}

/// Reverses the four nibbles of each row.
#[inline]
#[target_feature(enable = "avx2")]
fn mirror(x: __m256i) -> __m256i {
    let swap = _mm256_setr_epi8(
        1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10,
        13, 12, 15, 14,
    );
    let low = _mm256_set1_epi8(15);
    let x = _mm256_shuffle_epi8(x, swap);
    _mm256_or_si256(
        _mm256_and_si256(_mm256_srli_epi64::<4>(x), low),
        _mm256_slli_epi64::<4>(_mm256_and_si256(x, low)),
    )
}

/// Reverses the order of the rows.
#[inline]
#[target_feature(enable = "avx2")]
fn flip(x: __m256i) -> __m256i {
    let rows = _mm256_setr_epi8(
        6, 7, 4, 5, 2, 3, 0, 1, 14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1, 14, 15, 12,
        13, 10, 11, 8, 9,
    );
    _mm256_shuffle_epi8(x, rows)
}

#[inline]
#[target_feature(enable = "avx2")]
fn transpose(x: __m256i) -> __m256i {
    let mask = |m: u64| _mm256_set1_epi64x(m as i64);
    let swap = mask(0x0000_f0f0_0000_f0f0);
    let a = _mm256_or_si256(
        _mm256_and_si256(x, mask(0xf0f0_0f0f_f0f0_0f0f)),
        _mm256_or_si256(
            _mm256_slli_epi64::<12>(_mm256_and_si256(x, swap)),
            _mm256_and_si256(_mm256_srli_epi64::<12>(x), swap),
        ),
    );
    let swap = mask(0xff00_ff00);
    _mm256_or_si256(
        _mm256_and_si256(a, mask(0xff00_ff00_00ff_00ff)),
        _mm256_or_si256(
            _mm256_and_si256(_mm256_srli_epi64::<24>(a), swap),
            _mm256_slli_epi64::<24>(_mm256_and_si256(a, swap)),
        ),
    )
}
