// The generator of the whole project (crates/game/src/random.rs): a seed names the same game here
// and in the program. Words of 64 bits are BigInts, one draw a ply is all that is needed.

const MASK = (1n << 64n) - 1n;

/** The largest seed there is. */
export const MAX_SEED = MASK;

const rotate = (x: bigint, by: bigint): bigint => ((x << by) | (x >> (64n - by))) & MASK;

function splitMix(seed: bigint): () => bigint {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b97f4a7c15n) & MASK;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return z ^ (z >> 31n);
  };
}

/** A state of the generator. It is never changed in place, so a game can keep one for each turn. */
export type RandomState = readonly [bigint, bigint, bigint, bigint];

/** The stream of a seed. */
export function fromSeed(seed: bigint): RandomState {
  const next = splitMix(seed);
  return [next(), next(), next(), next()];
}

/** The stream of game `index` in the run with this seed. */
export function stream(runSeed: bigint, index: bigint): RandomState {
  return fromSeed(splitMix(runSeed)() ^ index);
}

/** The next number, and the state after it. */
export function nextU64(s: RandomState): [bigint, RandomState] {
  const result = (rotate((s[0] + s[3]) & MASK, 23n) + s[0]) & MASK;
  const t = (s[1] << 17n) & MASK;
  const s2 = s[2] ^ s[0];
  const s3 = s[3] ^ s[1];
  return [result, [s[0] ^ s3, s[1] ^ s2, s2 ^ t, rotate(s3, 45n)]];
}

/** A number from 0 to 1 with 53 random bits, and the state after it. */
export function unit(state: RandomState): [number, RandomState] {
  const [number, after] = nextU64(state);
  return [Number(number >> 11n) / 2 ** 53, after];
}

/** A seed that nobody has seen before, short enough to be read aloud. */
export function freshSeed(): bigint {
  const words = new Uint32Array(1);
  crypto.getRandomValues(words);
  return BigInt(words[0]!);
}
