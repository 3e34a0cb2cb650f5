//! The one generator of the whole project: xoshiro256++ by Blackman and Vigna.
//!
//! A seed names a game for ever: the generator, the way a stream is derived from (run seed, game
//! index) and the way a spawn is drawn are part of the formats and are pinned by golden tests.

/// A stream of random numbers.
///
/// ```
/// use maxtile_game::Random;
///
/// let mut one = Random::stream(7, 0);
/// let mut again = Random::stream(7, 0);
/// let mut other = Random::stream(7, 1);
/// let first = one.next_u64();
/// assert_eq!(first, again.next_u64());
/// assert_ne!(first, other.next_u64());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random([u64; 4]);

impl Random {
    /// The stream of a seed: its state is the first four outputs of `SplitMix64` from that seed.
    pub fn new(seed: u64) -> Random {
        let mut split = SplitMix64(seed);
        Random(std::array::from_fn(|_| split.next()))
    }

    /// The stream of game `index` in the run with this seed: the seed is scrambled by one step of
    /// `SplitMix64` and combined with the index by exclusive or, so indices never collide.
    pub fn stream(run_seed: u64, index: u64) -> Random {
        Random::new(SplitMix64(run_seed).next() ^ index)
    }

    /// The state, for checkpoints.
    pub const fn state(&self) -> [u64; 4] {
        self.0
    }

    /// The generator in a saved state; all zeros, which never leaves itself, is refused.
    pub fn from_state(state: [u64; 4]) -> Option<Random> {
        (state != [0; 4]).then_some(Random(state))
    }

    /// The next number.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `n` (0 for `n` = 0), from one draw: the high word of draw × n. The bias is
    /// below n / 2^64.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((self.next_u64() as u128 * n as u128) >> 64) as u64
    }

    /// A number in [0, 1) with 53 random bits, from one draw.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The authors' reference outputs for the state 1, 2, 3, 4.
    #[test]
    fn xoshiro256plusplus_reference_vector() {
        let mut random = Random::from_state([1, 2, 3, 4]).unwrap();
        let expected = [
            41943041,
            58720359,
            3588806011781223,
            3591011842654386,
            9228616714210784205,
            9973669472204895162,
            14011001112246962877,
            12406186145184390807,
            15849039046786891736,
            10450023813501588000,
        ];
        assert_eq!(expected.map(|_| random.next_u64()), expected);
    }

    /// Reference outputs of `SplitMix64` from seed 1234567.
    #[test]
    fn splitmix64_reference_vector() {
        let mut split = SplitMix64(1234567);
        let expected = [
            6457827717110365317,
            3203168211198807973,
            9817491932198370423,
            4593380528125082431,
            16408922859458223821,
        ];
        assert_eq!(expected.map(|_| split.next()), expected);
    }

    #[test]
    fn zero_state_is_refused() {
        assert_eq!(Random::from_state([0; 4]), None);
    }

    #[test]
    fn below_stays_below_and_reaches_all() {
        let mut random = Random::new(5);
        let mut seen = [0; 7];
        for _ in 0..7_000 {
            seen[random.below(7) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
        assert_eq!(random.below(0), 0);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.unit())));
    }
}
