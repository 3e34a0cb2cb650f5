//! The portable `slide_all` of `rows.rs` in vectors of two boards: left with right, up with down.
//!
//! Every x86-64 processor has SSE2, so nothing is asked of it at run time; the unsafe part is
//! calling code marked for it.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_and_si128, _mm_castpd_si128, _mm_castsi128_pd, _mm_cmpeq_epi32,
    _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_movemask_epi8, _mm_or_si128, _mm_packs_epi16,
    _mm_packs_epi32, _mm_set1_epi64x, _mm_setzero_si128, _mm_shuffle_pd, _mm_slli_epi64,
    _mm_srli_epi64, _mm_unpackhi_epi64, _mm_unpacklo_epi16, _mm_unpacklo_epi32,
};

use crate::rows::{Rows, Slides};

#[inline(always)]
pub(crate) fn slide_all(x: u64, rows: &Rows) -> Slides {
    // SAFETY: SSE2 is part of the x86-64 instruction set.
    unsafe { slide_all_sse2(x, rows) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn slide_all_sse2(x: u64, rows: &Rows) -> Slides {
    let row = |i: u32| x >> (16 * i) & 0xffff;
    // Four nibbles 16 bits apart, moved side by side into the highest 16 bits.
    let column =
        |i: u32| (x >> (4 * i) & 0x000f_000f_000f_000f).wrapping_mul(0x0001_0010_0100_1000) >> 48;
    let (left_right, horizontal) = slide_lines([row(0), row(1), row(2), row(3)], rows);
    let (columns, vertical) = slide_lines([column(0), column(1), column(2), column(3)], rows);
    let up_down = transpose(columns);

    let (h, v) = (_mm_castsi128_pd(left_right), _mm_castsi128_pd(up_down));
    let up_right = _mm_castpd_si128(_mm_shuffle_pd::<0b10>(v, h));
    let down_left = _mm_castpd_si128(_mm_shuffle_pd::<0b01>(v, h));

    // Halves of boards that differ, one byte each; a board differs where either half does.
    let board = _mm_set1_epi64x(x as i64);
    let same = _mm_packs_epi32(_mm_cmpeq_epi32(up_right, board), _mm_cmpeq_epi32(down_left, board));
    let differs = !_mm_movemask_epi8(_mm_packs_epi16(same, _mm_setzero_si128()));
    let legal = PAIRS[(differs & 0xff) as usize];

    let (nibbles0, nibbles1) = (words(up_right), words(down_left));
    Slides {
        nibbles: [nibbles0[0], nibbles0[1], nibbles1[0], nibbles1[1]],
        rewards: [vertical, horizontal],
        legal,
    }
}

/// Bit `i` of the entry is set when bit `2i` or `2i+1` of the index is.
static PAIRS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut i = 0;
        while i < 4 {
            if byte >> (2 * i) & 3 != 0 {
                table[byte] |= 1 << i;
            }
            i += 1;
        }
        byte += 1;
    }
    table
};

/// Four lines slid towards their low and their high end, and the reward.
#[inline]
#[target_feature(enable = "sse2")]
fn slide_lines(lines: [u64; 4], rows: &Rows) -> (__m128i, u32) {
    let [a, b, c, d] = lines.map(|line| _mm_cvtsi64_si128(rows[line as usize & 0xffff] as i64));
    // Words of the entries: left, right, and two of the reward, which the interleaving drops.
    let slid = _mm_unpacklo_epi32(_mm_unpacklo_epi16(a, b), _mm_unpacklo_epi16(c, d));
    let sums = _mm_add_epi32(_mm_add_epi32(a, b), _mm_add_epi32(c, d));
    (slid, (_mm_cvtsi128_si64(sums) as u64 >> 32) as u32)
}

/// `transpose_nibbles` of two boards.
#[inline]
#[target_feature(enable = "sse2")]
fn transpose(x: __m128i) -> __m128i {
    let mask = |m: u64| _mm_set1_epi64x(m as i64);
    let a = _mm_or_si128(
        _mm_and_si128(x, mask(0xf0f0_0f0f_f0f0_0f0f)),
        _mm_or_si128(
            _mm_slli_epi64::<12>(_mm_and_si128(x, mask(0x0000_f0f0_0000_f0f0))),
            _mm_and_si128(_mm_srli_epi64::<12>(x), mask(0x0000_f0f0_0000_f0f0)),
        ),
    );
    _mm_or_si128(
        _mm_and_si128(a, mask(0xff00_ff00_00ff_00ff)),
        _mm_or_si128(
            _mm_and_si128(_mm_srli_epi64::<24>(a), mask(0x0000_0000_ff00_ff00)),
            _mm_slli_epi64::<24>(_mm_and_si128(a, mask(0x0000_0000_ff00_ff00))),
        ),
    )
}

#[inline]
#[target_feature(enable = "sse2")]
fn words(x: __m128i) -> [u64; 2] {
    [_mm_cvtsi128_si64(x) as u64, _mm_cvtsi128_si64(_mm_unpackhi_epi64(x, x)) as u64]
}
