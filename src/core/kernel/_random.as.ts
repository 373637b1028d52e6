// The streams of random.ts in WebAssembly: xoshiro128** (Blackman and Vigna), seeded through splitmix32. A seed gives
// the same numbers in both. There is one stream at a time in each thread.

let a: u32 = 0;
let b: u32 = 0;
let c: u32 = 0;
let d: u32 = 1;
let mix: u32 = 0;

function nextSeed(): u32 {
  mix += 0x9e3779b9;
  let z = mix;
  z = (z ^ (z >> 16)) * 0x21f0aaad;
  z = (z ^ (z >> 15)) * 0x735a2d97;
  return z ^ (z >> 15);
}

/** Starts the stream of a whole number from 0 to 2^53. */
export function seedStream(seed: f64): void {
  const whole = <i64>seed;
  mix = <u32>whole;
  a = nextSeed();
  b = nextSeed() ^ (<u32>(whole >> 32) * 0x85ebca6b);
  c = nextSeed();
  d = nextSeed() | 1;
}

function bits(): u32 {
  const scrambled = rotl(b * 5, 7) * 9, shifted = b << 9;
  c ^= a;
  d ^= b;
  b ^= c;
  a ^= d;
  c ^= shifted;
  d = rotl(d, 11);
  return scrambled;
}

/** Uniform in [0, 1), 53 random bits. */
export function uniform(): f64 {
  const high = <f64>(bits() >> 5);
  return (high * 67108864.0 + <f64>(bits() >> 6)) / 9007199254740992.0;
}

/** Uniform integer in 0 .. below - 1. */
export function integer(below: i32): i32 {
  return <i32>(uniform() * <f64>below);
}
