//! The fast path of the ordinary board: both slides of every row of four cells, looked up.
//!
//! One table of 65,536 entries serves all four moves, columns being rows of the transposed
//! board. A merge of two 32768 leaves the nibbles; its reward tells, and the exact algorithm of
//! `slide.rs` takes over, as it does for boards that hold such a tile already.

/// A row slid to the left in bits 0..16, to the right in bits 16..32, the reward in bits 32..64.
/// The reward of a line is the same to either side.
pub(crate) type Rows = [u64; 1 << 16];

static ROWS: Rows = {
    let mut table = [0; 1 << 16];
    let mut row = 0;
    while row < 1 << 16 {
        let (left, reward) = slide_row(row as u16);
        table[row] |= left as u64 | (reward as u64) << 32;
        table[mirrored(row as u16) as usize] |= (mirrored(left) as u64) << 16;
        row += 1;
    }
    table
};

const fn mirrored(row: u16) -> u16 {
    let bytes = row.swap_bytes();
    bytes >> 4 & 0x0f0f | (bytes & 0x0f0f) << 4
}

/// One row towards its low end. A pair of 15s becomes 0: its reward gives it away.
const fn slide_row(row: u16) -> (u16, u32) {
    let (mut out, mut reward) = (0u16, 0);
    let (mut place, mut waiting) = (0, 0);
    let mut rest = row;
    while rest != 0 {
        let tile = rest & 15;
        rest >>= 4;
        if tile == 0 {
            continue;
        }
        if tile == waiting {
            out |= ((tile + 1) & 15) << (4 * place);
            reward += 2 << tile;
            place += 1;
            waiting = 0;
        } else {
            if waiting != 0 {
                out |= waiting << (4 * place);
                place += 1;
            }
            waiting = tile;
        }
    }
    if waiting != 0 {
        out |= waiting << (4 * place);
    }
    (out, reward)
}

/// Four slides of a 4×4 board.
pub(crate) struct Slides {
    /// The nibbles after up, right, down and left.
    pub(crate) nibbles: [u64; 4],
    /// The reward of up and down, and that of left and right.
    pub(crate) rewards: [u32; 2],
    /// Bit `i` is set when move number `i` changes the board.
    pub(crate) legal: u8,
}

/// All slides of a 4×4 board; right where no reward reaches 65536.
#[inline(always)]
pub(crate) fn slide_all(x: u64) -> Slides {
    #[cfg(target_arch = "x86_64")]
    return crate::unsafe_sse2::slide_all(x, &ROWS);
    #[cfg(not(target_arch = "x86_64"))]
    return slide_all_portable(x, &ROWS);
}

#[cfg(any(test, not(target_arch = "x86_64")))]
pub(crate) fn slide_all_portable(x: u64, rows: &Rows) -> Slides {
    use crate::symmetry::transpose_nibbles;
    let both = |x: u64| {
        let entry = |i: u32| rows[(x >> (16 * i) & 0xffff) as usize];
        let (a, b, c, d) = (entry(0), entry(1), entry(2), entry(3));
        let pick = |by: u32| {
            let part = |e: u64| e >> by & 0xffff;
            part(a) | part(b) << 16 | part(c) << 32 | part(d) << 48
        };
        let reward = (a >> 32) + (b >> 32) + (c >> 32) + (d >> 32);
        (pick(0), pick(16), reward as u32)
    };
    let (left, right, horizontal) = both(x);
    let (up, down, vertical) = both(transpose_nibbles(x));
    let nibbles = [transpose_nibbles(up), right, transpose_nibbles(down), left];
    let legal = (0..4).fold(0, |bits, mv| bits | u8::from(nibbles[mv] != x) << mv);
    Slides { nibbles, rewards: [vertical, horizontal], legal }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vector_and_portable_paths_agree() {
        let mut random = Random::new(1);
        for round in 0..1_000_000 {
            let mask = if round % 2 == 0 { random.next_u64() } else { u64::MAX };
            let x = random.next_u64() & mask & random.next_u64();
            let (fast, slow) = (slide_all(x), slide_all_portable(x, &ROWS));
            assert_eq!(fast.nibbles, slow.nibbles, "{x:016x}");
            assert_eq!((fast.rewards, fast.legal), (slow.rewards, slow.legal), "{x:016x}");
        }
    }
}
