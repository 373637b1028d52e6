/**
 * Seeded random numbers: xoshiro128** (Blackman and Vigna), seeded through splitmix32. The stream depends
 * only on the seed, so a result can be repeated on any machine.
 */
export interface Random {
  /** Uniform in [0, 1), 53 random bits. */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
  /** Uniform integer in 0 .. below - 1. */
  integer(below: number): number;
  /** Shuffles in place (Fisher-Yates) and returns its argument. */
  shuffle<T extends { length: number; [index: number]: number }>(values: T): T;
  /** `count` distinct integers of 0 .. below - 1, in random order. */
  sample(count: number, below: number): Int32Array;
  /** An independent stream, for a restart or a worker. */
  split(): Random;
}

export function random(seed: number): Random {
  let mix = seed | 0;
  const nextSeed = (): number => {
    mix = (mix + 0x9e3779b9) | 0;
    let z = mix;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return z ^ (z >>> 15);
  };
  let a = nextSeed();
  // a is a bijection of the low 32 bits and b, given those, of the high ones: no two seeds share a stream.
  let b = nextSeed() ^ Math.imul(Math.floor(seed / 0x100000000) | 0, 0x85ebca6b);
  let c = nextSeed();
  let d = nextSeed() | 1; // the all-zero state is a fixed point

  const bits = (): number => {
    const scrambled = Math.imul(rotate(Math.imul(b, 5), 7), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return scrambled >>> 0;
  };
  const uniform = (): number => ((bits() >>> 5) * 0x4000000 + (bits() >>> 6)) / 0x20000000000000;

  let spare = Number.NaN;
  const normal = (): number => {
    if (!Number.isNaN(spare)) {
      const value = spare;
      spare = Number.NaN;
      return value;
    }
    // Marsaglia's polar method gives two normals at a time.
    for (;;) {
      const x = 2 * uniform() - 1;
      const y = 2 * uniform() - 1;
      const s = x * x + y * y;
      if (s > 0 && s < 1) {
        const scale = Math.sqrt((-2 * Math.log(s)) / s);
        spare = y * scale;
        return x * scale;
      }
    }
  };

  const integer = (below: number): number => Math.floor(uniform() * below);

  return {
    uniform,
    normal,
    integer,
    shuffle(values) {
      for (let i = values.length - 1; i > 0; i--) {
        const j = integer(i + 1);
        const held = values[i];
        values[i] = values[j];
        values[j] = held;
      }
      return values;
    },
    sample(count, below) {
      // A sparse Fisher-Yates: memory grows with count, not with below.
      const moved = new Map<number, number>();
      const chosen = new Int32Array(count);
      for (let i = 0; i < count; i++) {
        const j = i + integer(below - i);
        chosen[i] = moved.get(j) ?? j;
        moved.set(j, moved.get(i) ?? i);
      }
      return chosen;
    },
    split: () => random(bits() * 0x100000 + (bits() >>> 12)),
  };
}

function rotate(x: number, k: number): number {
  return (x << k) | (x >>> (32 - k));
}
