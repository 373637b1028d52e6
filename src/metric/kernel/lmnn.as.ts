// Value and forces of the LMNN objective over lists of impostors; the loops of src/metric/neighbours/lmnnObjective.ts (pairForces).
//
// Y is n x s row-major f64 and V n x v, s and v even, padding columns zero. Task t handles the rows t span to
// (t + 1) span - 1 and adds to its own F (n x v) and three sums, so the result is the same for every number
// of threads.
import { GEMM_WORK, gemm, hsum, madd } from "../../matrix/kernel/_micro.as";
import { distances } from "./_rowDistances.as";
export { prepare } from "./_rowDistances.as";

/** Stops when the sum is at least `enough`, which is checked after every 16 columns. */
function squared(bytes: usize, a: usize, b: usize, enough: f64): f64 {
  let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0, f: usize = 0;
  const most = bytes & ~63;
  while (f < most) {
    let d = f64x2.sub(v128.load(a + f), v128.load(b + f));
    s0 = madd(d, d, s0);
    d = f64x2.sub(v128.load(a + f, 16), v128.load(b + f, 16));
    s1 = madd(d, d, s1);
    d = f64x2.sub(v128.load(a + f, 32), v128.load(b + f, 32));
    s2 = madd(d, d, s2);
    d = f64x2.sub(v128.load(a + f, 48), v128.load(b + f, 48));
    s3 = madd(d, d, s3);
    f += 64;
    if ((f & 64) == 0) {
      const sum = hsum(f64x2.add(f64x2.add(s0, s1), f64x2.add(s2, s3)));
      if (sum >= enough) return sum;
    }
  }
  for (; f < bytes; f += 16) {
    const d = f64x2.sub(v128.load(a + f), v128.load(b + f));
    s0 = madd(d, d, s0);
  }
  return hsum(f64x2.add(f64x2.add(s0, s1), f64x2.add(s2, s3)));
}

/** f_a += w (v_a - v_b), f_b -= the same. */
function pull(bytes: usize, w: f64, va: usize, vb: usize, fa: usize, fb: usize): void {
  const wv = f64x2.splat(w);
  for (let f: usize = 0; f < bytes; f += 16) {
    const step = f64x2.mul(wv, f64x2.sub(v128.load(va + f), v128.load(vb + f)));
    v128.store(fa + f, f64x2.add(v128.load(fa + f), step));
    v128.store(fb + f, f64x2.sub(v128.load(fb + f), step));
  }
}

/**
 * sums: of the targets' distances, of the smoothed hinge, of its slopes. Scratch is two numbers for each
 * target of a row.
 */
export function forces(
  task: i32, scratch: usize, span: i32, n: i32, s: i32, v: i32, push: f64, width: f64,
  Y: usize, V: usize, offsets: usize, targets: usize, starts: usize, impostors: usize, F: usize, sums: usize,
): void {
  const bytes = <usize>s << 3, wide = <usize>v << 3;
  F += <usize>task * <usize>n * wide;
  sums += <usize>task * 24;
  memory.fill(F, 0, <usize>n * wide);
  let near: f64 = 0, violated: f64 = 0, slopes: f64 = 0;
  const from = task * span, to = min(n, from + span);
  for (let i = from; i < to; i++) {
    const first = load<i32>(offsets + (<usize>i << 2)), k = load<i32>(offsets + (<usize>i << 2), 4) - first;
    if (k == 0) continue;
    const y = Y + <usize>i * bytes, x = V + <usize>i * wide, f = F + <usize>i * wide;
    const list = targets + (<usize>first << 2);
    let farthest: f64 = 0;
    for (let t = 0; t < k; t++) {
      const d = squared(bytes, y, Y + <usize>load<i32>(list + (<usize>t << 2)) * bytes, Infinity);
      store<f64>(scratch + (<usize>t << 4), d);
      store<f64>(scratch + (<usize>t << 4), 0, 8);
      near += d;
      farthest = Math.max(farthest, d);
    }
    const reach = 1 + farthest, last = load<i32>(starts + (<usize>i << 2), 4);
    for (let p = load<i32>(starts + (<usize>i << 2)); p < last; p++) {
      const l = <usize>load<i32>(impostors + (<usize>p << 2));
      const d = squared(bytes, y, Y + l * bytes, reach);
      if (d >= reach) continue;
      let total: f64 = 0;
      for (let t = 0; t < k; t++) {
        const at = scratch + (<usize>t << 4), z = 1 + load<f64>(at) - d;
        if (z <= 0) continue;
        const slope = z < width ? z / width : 1;
        violated += z < width ? z * z / (2 * width) : z - width / 2;
        store<f64>(at, load<f64>(at, 8) + slope, 8);
        total += slope;
      }
      slopes += total;
      pull(wide, -push * total, x, V + l * wide, f, F + l * wide);
    }
    for (let t = 0; t < k; t++) {
      const j = <usize>load<i32>(list + (<usize>t << 2)) * wide;
      pull(wide, 1 - push + push * load<f64>(scratch + (<usize>t << 4), 8), x, V + j, f, F + j);
    }
  }
  store<f64>(sums, near);
  store<f64>(sums, violated, 8);
  store<f64>(sums, slopes, 16);
}

/**
 * Rows of other classes near to each of the rows from + task span to from + (task + 1) span - 1 (span a
 * multiple of 4), at most `reach` (1 + the farthest target's distance) away: their numbers, one row's after
 * the other's, go to the task's part of `out` (span n i32), and their counts, by row, to counts. `slack`
 * bounds the error of the distances. Scratch is four lines of distances; packed, norms and codes as in
 * _rowDistances.as.ts.
 */
export function impostors(
  task: i32, scratch: usize, from: i32, span: i32, n: i32, s: i32, reach: f64, slack: f64,
  Y: usize, packed: usize, norms: usize, codes: usize, offsets: usize, targets: usize, out: usize, counts: usize,
): void {
  const padded = (n + 3) & ~3, line = <usize>padded << 3, bytes = <usize>s << 3;
  out += <usize>task * <usize>span * (<usize>n << 2);
  from += task * span;
  const to = min(n, from + span);
  for (let first = from; first < to; first += 4) {
    distances(first, 0, padded, s, packed, norms, scratch, line, 0);
    for (let i = first; i < min(to, first + 4); i++) {
      const begin = load<i32>(offsets + (<usize>i << 2)), end = load<i32>(offsets + (<usize>i << 2), 4);
      const y = Y + <usize>i * bytes, before = out;
      let farthest: f64 = -1;
      for (let p = begin; p < end; p++) {
        const d = squared(bytes, y, Y + <usize>load<i32>(targets + (<usize>p << 2)) * bytes, Infinity);
        farthest = Math.max(farthest, d);
      }
      if (farthest >= 0) {
        const bound = f64x2.splat(reach * (1 + farthest) + slack), D = scratch + <usize>(i - first) * line;
        const code = v128.load_splat<f64>(codes + (<usize>i << 3));
        for (let j: usize = 0; j < line; j += 32) {
          const near0 = f64x2.lt(v128.load(D + j), bound), near1 = f64x2.lt(v128.load(D + j, 16), bound);
          if (!v128.any_true(v128.or(near0, near1))) continue;
          const other0 = v128.andnot(near0, f64x2.eq(v128.load(codes + j), code));
          const other1 = v128.andnot(near1, f64x2.eq(v128.load(codes + j, 16), code));
          let bits = i64x2.bitmask(other0) | (i64x2.bitmask(other1) << 2);
          for (let row = <i32>(j >> 3); bits != 0; bits >>= 1, row++) {
            store<i32>(out, row);
            out += <usize>(bits & 1) << 2;
          }
        }
      }
      store<i32>(counts + (<usize>i << 2), <i32>((out - before) >> 2));
    }
  }
}

/** Bytes of scratch for `project` and `gradient`. */
export function productScratch(): i32 {
  return GEMM_WORK;
}

/** Y = Z L', Z n x q, L r x q, Y n x s. */
export function project(scratch: usize, n: i32, q: i32, r: i32, s: i32, Z: usize, L: usize, Y: usize): void {
  memory.fill(Y, 0, <usize>n * (<usize>s << 3));
  gemm(n, r, q, 1, Z, q, 1, L, 1, q, Y, s, scratch);
}

/** G = 2 F'Z, F n x s, Z n x q, G r x q. */
export function gradient(scratch: usize, n: i32, q: i32, r: i32, s: i32, F: usize, Z: usize, G: usize): void {
  memory.fill(G, 0, <usize>r * (<usize>q << 3));
  gemm(r, q, n, 2, F, 1, s, Z, q, 1, G, q, scratch);
}
