// Value and forces of the LMNN objective over lists of impostors; the loops of src/metric/lmnnObjective.ts (pairForces).
//
// Y is n x s row-major f64 and V n x v, s and v even, padding columns zero. Task t handles the rows t span to
// (t + 1) span - 1 and adds to an F (n x v) and three sums of its own, so that the result is the same for every number of
// threads.
import { hsum, madd } from "../../matrix/kernel/_micro.as";

/** Stops when the sum is at least `enough`, which is asked after every 16 columns. */
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

/** sums: of the targets' distances, of the rounded hinge, of its slopes. Scratch is two numbers for each target of a row. */
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
