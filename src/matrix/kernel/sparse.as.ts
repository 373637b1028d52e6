// Products of a sparse matrix (CSR: i32 offsets and indices, f64 values) with eight vectors at a time, kept as n rows of
// eight values, so that what one entry meets is one line of the cache. Every sum is added up in the order of the entries
// and nothing is fused: the bits are those of the plain loops.

/** The row that `entries` leaves: (A X)_i in eight columns. */
let s0: v128 = f64x2.splat(0);
let s1: v128 = f64x2.splat(0);
let s2: v128 = f64x2.splat(0);
let s3: v128 = f64x2.splat(0);

// @ts-ignore: decorator
@inline
function entries(first: usize, end: usize, indices: usize, values: usize, X: usize): void {
  let a0 = f64x2.splat(0), a1 = a0, a2 = a0, a3 = a0;
  for (let p = first; p < end; p++) {
    const x = X + (<usize>load<i32>(indices + (p << 2)) << 6), value = v128.load_splat<f64>(values + (p << 3));
    a0 = f64x2.add(a0, f64x2.mul(value, v128.load(x)));
    a1 = f64x2.add(a1, f64x2.mul(value, v128.load(x, 16)));
    a2 = f64x2.add(a2, f64x2.mul(value, v128.load(x, 32)));
    a3 = f64x2.add(a3, f64x2.mul(value, v128.load(x, 48)));
  }
  s0 = a0;
  s1 = a1;
  s2 = a2;
  s3 = a3;
}

/** Y = A X */
export function multiplyEight(n: i32, offsets: usize, indices: usize, values: usize, X: usize, Y: usize): void {
  for (let i: usize = 0; i < <usize>n; i++) {
    const row = offsets + (i << 2);
    entries(load<u32>(row), load<u32>(row, 4), indices, values, X);
    const y = Y + (i << 6);
    v128.store(y, s0);
    v128.store(y, s1, 16);
    v128.store(y, s2, 32);
    v128.store(y, s3, 48);
  }
}

/** before := a (sign A D - center D + weight R) - b before, with one weight for each of the eight columns. */
export function stepEight(
  n: i32, offsets: usize, indices: usize, values: usize,
  sign: f64, center: f64, a: f64, b: f64, weights: usize,
  D: usize, R: usize, before: usize,
): void {
  const w0 = v128.load(weights), w1 = v128.load(weights, 16);
  const w2 = v128.load(weights, 32), w3 = v128.load(weights, 48);
  for (let i: usize = 0; i < <usize>n; i++) {
    const row = offsets + (i << 2), at = i << 6;
    entries(load<u32>(row), load<u32>(row, 4), indices, values, D);
    pair(s0, sign, center, a, b, w0, D + at, R + at, before + at);
    pair(s1, sign, center, a, b, w1, D + at + 16, R + at + 16, before + at + 16);
    pair(s2, sign, center, a, b, w2, D + at + 32, R + at + 32, before + at + 32);
    pair(s3, sign, center, a, b, w3, D + at + 48, R + at + 48, before + at + 48);
  }
}

// @ts-ignore: decorator
@inline
function pair(
  s: v128, sign: f64, center: f64, a: f64, b: f64, weight: v128, D: usize, R: usize, before: usize,
): void {
  const inner = f64x2.add(
    f64x2.sub(f64x2.mul(f64x2.splat(sign), s), f64x2.mul(f64x2.splat(center), v128.load(D))),
    f64x2.mul(weight, v128.load(R)),
  );
  v128.store(
    before,
    f64x2.sub(f64x2.mul(f64x2.splat(a), inner), f64x2.mul(f64x2.splat(b), v128.load(before))),
  );
}

/** D = R sigma / radius, before = 0 */
export function startEight(n: i32, sigma: f64, radius: f64, R: usize, D: usize, before: usize): void {
  const top = f64x2.splat(sigma), bottom = f64x2.splat(radius);
  const end = <usize>n << 6;
  for (let o: usize = 0; o < end; o += 16) v128.store(D + o, f64x2.div(f64x2.mul(v128.load(R + o), top), bottom));
  memory.fill(before, 0, end);
}

/** `count` (at most eight) vectors of n values, one after the other, become n rows of eight; those missing are zero. */
export function gatherEight(n: i32, count: i32, vectors: usize, rows: usize): void {
  memory.fill(rows, 0, <usize>n << 6);
  for (let j: usize = 0; j < <usize>count; j++) {
    const from = vectors + j * (<usize>n << 3), to = rows + (j << 3);
    for (let i: usize = 0; i < <usize>n; i++) store<f64>(to + (i << 6), load<f64>(from + (i << 3)));
  }
}

/** The way back. Returns 0, or NaN if a value is not finite. */
export function scatterEight(n: i32, count: i32, rows: usize, vectors: usize): f64 {
  let spoiled: f64 = 0;
  for (let j: usize = 0; j < <usize>count; j++) {
    const to = vectors + j * (<usize>n << 3), from = rows + (j << 3);
    for (let i: usize = 0; i < <usize>n; i++) {
      const value = load<f64>(from + (i << 6));
      store<f64>(to + (i << 3), value);
      spoiled += value * 0;
    }
  }
  return spoiled;
}
