// Sums over rows about a shift: the loop of src/metric/moments/classMoments.ts (wideBlocks), then X'X of its
// output. X is rows x d row-major f64; codes are i32, below 0 for rows that are left out.
export { gram } from "../../matrix/kernel/products.as";

/**
 * Writes x - s of the counted rows in sequence to the beginning of X, adds them to the sums of their classes
 * (d values each) and updates the range (the smallest values, then the largest) of the original rows. Returns
 * the number of counted rows.
 */
export function shifted(
  rows: i32, d: i32, X: usize, codes: usize, shift: usize, sums: usize, extent: usize,
): i32 {
  const bytes = <usize>d << 3, even = bytes & ~15;
  let kept = 0, to = X;
  for (let i = 0; i < rows; i++) {
    const code = load<i32>(codes + (<usize>i << 2));
    if (code < 0) continue;
    kept++;
    const from = X + <usize>i * bytes, sum = sums + <usize>code * bytes, largest = extent + bytes;
    let f: usize = 0;
    for (; f < even; f += 16) {
      const x = v128.load(from + f);
      v128.store(extent + f, f64x2.pmin(v128.load(extent + f), x));
      v128.store(largest + f, f64x2.pmax(v128.load(largest + f), x));
      const v = f64x2.sub(x, v128.load(shift + f));
      v128.store(to + f, v);
      v128.store(sum + f, f64x2.add(v128.load(sum + f), v));
    }
    if (f < bytes) {
      const x = load<f64>(from + f);
      if (x < load<f64>(extent + f)) store<f64>(extent + f, x);
      if (x > load<f64>(largest + f)) store<f64>(largest + f, x);
      const v = x - load<f64>(shift + f);
      store<f64>(to + f, v);
      store<f64>(sum + f, load<f64>(sum + f) + v);
    }
    to += bytes;
  }
  return kept;
}
