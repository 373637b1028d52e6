// `walked` of valley.ts, on a graph of m rows: `starts` (m + 1) and `near`, i32, the neighbours of each. Sums are added
// up in their order and nothing is fused, so the bits are those of the plain loops.

/**
 * x := sum_j c_j T_j(P) x_0, with x_0 = 1 on the first na rows and -1 on the others, less the mean weighted by degrees,
 * and c at `coefficients`, for j up to `degree`. share, now and before: m doubles of scratch each.
 */
export function walk(
  m: i32, na: i32, degree: i32, starts: usize, near: usize, coefficients: usize,
  share: usize, x: usize, now: usize, before: usize,
): void {
  const bytes = <usize>m << 3, side = <usize>na << 3;
  for (let o: usize = 0; o < bytes; o += 8) {
    const row = starts + (o >> 1);
    store<f64>(share + o, 1 / <f64>max(load<i32>(row, 4) - load<i32>(row), 1));
  }
  const volume = <f64>load<i32>(starts + (side >> 1)), whole = <f64>max(load<i32>(starts + (bytes >> 1)), 1);
  const mean = (2 * volume) / whole - 1, first = load<f64>(coefficients);
  for (let o: usize = 0; o < bytes; o += 8) {
    const value = o < side ? 1 - mean : -1 - mean;
    store<f64>(before + o, value);
    store<f64>(x + o, first * value);
  }
  let e = near;
  for (let o: usize = 0; o < bytes; o += 8) {
    const end = near + (<usize>load<u32>(starts + (o >> 1), 4) << 2);
    store<f64>(now + o, load<f64>(share + o) * around(e, end, before));
    e = end;
  }
  for (let j = 1; ; j++) {
    const c = load<f64>(coefficients + (<usize>j << 3));
    for (let o: usize = 0; o < bytes; o += 8) store<f64>(x + o, load<f64>(x + o) + c * load<f64>(now + o));
    if (j == degree) return;
    e = near;
    for (let o: usize = 0; o < bytes; o += 8) {
      const end = near + (<usize>load<u32>(starts + (o >> 1), 4) << 2);
      store<f64>(before + o, 2 * load<f64>(share + o) * around(e, end, now) - load<f64>(before + o));
      e = end;
    }
    const next = before;
    before = now;
    now = next;
  }
}

// @ts-ignore: decorator
@inline
function around(e: usize, end: usize, x: usize): f64 {
  let sum: f64 = 0;
  for (; e < end; e += 4) sum += load<f64>(x + (<usize>load<u32>(e) << 3));
  return sum;
}
