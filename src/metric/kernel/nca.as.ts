// Soft neighbours of every row (src/metric/neighbours/nca.ts): distances, their softmax and the weights of the gradient,
// four rows at a time against all others.
//
// Z is n x s row-major f64, s a multiple of 4, padding columns zero; `packed` holds it in panels of four
// rows. Task t handles the rows t span to (t + 1) span - 1 (span a multiple of 4) and adds to its own U (n x
// s) and vector of degrees (n), so the result is the same for every number of threads.
//
// `whole` is for one task and few rows: the scratch then has room for all distances, each is computed once
// and used for both of its rows (for p_i, not its logarithm, see also _mutual.as.ts). Otherwise it has room
// for those of four rows, and nothing of size n x n is ever stored.
import { hsum } from "../../matrix/kernel/_micro.as";
import { distances } from "./_rowDistances.as";
import { exp2lanes } from "../../matrix/kernel/_exp.as";
import { append, FAR, fillUp, pair, smaller, spread } from "./_soft.as";
export { mutualBytes, mutualNeighbors } from "./_mutual.as";
export { prepare } from "./_rowDistances.as";

/** Bytes of scratch for `softNeighbors`: distances, and one row's neighbours with their weights. */
export function scratchBytes(n: i32, whole: i32): i32 {
  const padded = (n + 3) & ~3;
  return (whole ? padded : 4) * (padded << 3) + 12 * (padded + 4);
}

/**
 * values[i] = p_i = sum of p_ij over the row's own class, or log p_i (mode 1; -Infinity where the class has no other
 * row), and the gradient's U = (W + W') Z, degrees = (W + W')1 with w_ij = p_ij (p_i - same) or p_ij - same q_ij, where
 * entries of W not above `least` in size are left out. `codes` are the classes as f64, padded like the rows.
 */
export function softNeighbors(
  task: i32, scratch: usize, whole: i32, span: i32, n: i32, s: i32, mode: i32, least: f64,
  Z: usize, packed: usize, norms: usize, codes: usize, U: usize, degrees: usize, values: usize,
): void {
  const from = task * span, to = min(n, from + span);
  const padded = (n + 3) & ~3;
  const line = <usize>padded << 3, rowBytes = <usize>s << 3;
  const W = scratch + (whole ? <usize>padded : 4) * line, list = W + line + 32;
  U += <usize>task * <usize>n * rowBytes;
  degrees += <usize>task * (<usize>n << 3);
  memory.fill(U, 0, <usize>n * rowBytes);
  memory.fill(degrees, 0, <usize>n << 3);

  for (let i = from; i < to; i += 4) {
    const rows = whole ? scratch + <usize>i * line : scratch;
    distances(i, whole ? i : 0, padded, s, packed, norms, rows, line, whole);
    const count = min(4, to - i);
    for (let q = 0; q < count; q++) {
      const found = weigh(i + q, padded, rows + <usize>q * line, list, W, codes, mode, least, values);
      if (found > 0) spread(i + q, s, found, list, W, Z, U, degrees);
    }
  }
}

/** From the U and degrees of all tasks: (diag(degrees) - (W + W')) Z, in place of the first U. */
export function force(n: i32, s: i32, tasks: i32, Z: usize, U: usize, degrees: usize): void {
  const rowBytes = <usize>s << 3, next = <usize>n * rowBytes;
  for (let i = 0; i < n; i++) {
    let degree: f64 = 0;
    for (let t = 0; t < tasks; t++) degree += load<f64>(degrees + (<usize>(t * n + i) << 3));
    const d = f64x2.splat(degree);
    for (let f: usize = 0; f < rowBytes; f += 16) {
      let pull = v128.load(U + f);
      for (let t = 1, u = U + next; t < tasks; t++, u += next) pull = f64x2.add(pull, v128.load(u + f));
      v128.store(U + f, f64x2.sub(f64x2.mul(d, v128.load(Z + f)), pull));
    }
    U += rowBytes;
    Z += rowBytes;
  }
}

/**
 * From the distances D of row i: lists the rows j with a relevant w_ij, writes these w_ij to W in the same
 * order, and returns their number.
 */
function weigh(
  i: i32, padded: i32, D: usize, list: usize, W: usize, codes: usize, mode: i32, least: f64, values: usize,
): i32 {
  const end = <usize>padded << 3;
  const code = v128.load_splat<f64>(codes + (<usize>i << 3));
  let low0 = f64x2.splat(Infinity), low1 = low0;
  for (let j: usize = 0; j < end; j += 32) {
    low0 = f64x2.pmin(low0, v128.load(D + j));
    low1 = f64x2.pmin(low1, v128.load(D + j, 16));
  }
  const nearest = smaller(f64x2.pmin(low0, low1));
  if (mode == 1) {
    const away = f64x2.splat(Infinity);
    let low = away;
    for (let j: usize = 0; j < end; j += 16) {
      low = f64x2.pmin(low, v128.bitselect(v128.load(D + j), away, f64x2.eq(v128.load(codes + j), code)));
    }
    // p_i below e^-20 is summed with its own shift, so its logarithm keeps its digits.
    const own = smaller(low);
    if (own - nearest > 20) return weighApart(i, padded, D, list, W, nearest, own, codes, least, values);
  }
  // For p_i, a row with e^-d not above `least` of the nearest has no weight above it either.
  const far = mode == 0 && least > 0 ? Math.min(FAR, -Math.log(least)) : FAR;
  const near = gather(nearest, far, end, D, list, W);
  let same = f64x2.splat(0), rest = same;
  for (let t: usize = 0; t < <usize>near << 3; t += 32) {
    const l = list + (t >> 1);
    const e0 = exp2lanes(v128.load(W + t)), e1 = exp2lanes(v128.load(W + t, 16));
    const own0 = f64x2.eq(pair(codes, load<i32>(l), load<i32>(l, 4)), code);
    const own1 = f64x2.eq(pair(codes, load<i32>(l, 8), load<i32>(l, 12)), code);
    same = f64x2.add(same, f64x2.add(v128.and(e0, own0), v128.and(e1, own1)));
    rest = f64x2.add(rest, f64x2.add(v128.andnot(e0, own0), v128.andnot(e1, own1)));
    // The rows of the own class are marked by their sign.
    v128.store(W + t, v128.bitselect(f64x2.neg(e0), e0, own0));
    v128.store(W + t, v128.bitselect(f64x2.neg(e1), e1, own1), 16);
  }
  const own = hsum(same), others = hsum(rest), sum = own + others, p = own / sum;
  store<f64>(values + (<usize>i << 3), mode == 1 ? Math.log(p) : p);
  // 1 - p_i as the share of the other classes, which keeps its digits if p_i is close to 1.
  const factor = (mode == 1 ? 1 : p) / sum, ownFactor = others / sum / (mode == 1 ? own : sum);
  if (Math.max(factor, ownFactor) <= least) return 0;
  let found = 0;
  for (let t = 0; t < near; t++) {
    const e = load<f64>(W + (<usize>t << 3));
    const w = e * (e < 0 ? ownFactor : factor);
    store<f64>(W + (<usize>found << 3), w);
    store<i32>(list + (<usize>found << 2), load<i32>(list + (<usize>t << 2)));
    found += i32(Math.abs(w) > least);
  }
  return found;
}

/**
 * Lists the rows up to `far` beyond the nearest, with nearest - d_j; padded to a multiple of four with rows
 * that add nothing.
 */
function gather(nearest: f64, far: f64, end: usize, D: usize, list: usize, W: usize): i32 {
  const shift = f64x2.splat(nearest), bound = f64x2.splat(-far);
  let count: usize = 0;
  for (let j: usize = 0; j < end; j += 32) {
    const x0 = f64x2.sub(shift, v128.load(D + j)), x1 = f64x2.sub(shift, v128.load(D + j, 16));
    const near0 = f64x2.ge(x0, bound), near1 = f64x2.ge(x1, bound);
    if (v128.any_true(v128.or(near0, near1))) {
      count = append(count, list, W, <i32>(j >> 3), x0, x1, near0, near1);
    }
  }
  fillUp(<i32>count, list, W);
  return <i32>count;
}

/** `weigh` for log p_i if the nearest row of the own class, at `own`, is much farther away than others. */
function weighApart(
  i: i32, padded: i32, D: usize, list: usize, W: usize, nearest: f64, own: f64, codes: usize, least: f64,
  values: usize,
): i32 {
  // A row without another of its class has neither a logarithm nor a gradient.
  if (own == Infinity) {
    store<f64>(values + (<usize>i << 3), -Infinity);
    return 0;
  }
  const code = load<f64>(codes + (<usize>i << 3));
  let sum: f64 = 0, within: f64 = 0, found = 0;
  for (let j = 0; j < padded; j++) {
    const d = load<f64>(D + (<usize>j << 3));
    if (nearest - d >= -FAR) sum += Math.exp(nearest - d);
    if (load<f64>(codes + (<usize>j << 3)) == code && own - d >= -FAR) within += Math.exp(own - d);
  }
  store<f64>(values + (<usize>i << 3), nearest - own + Math.log(within / sum));
  for (let j = 0; j < padded; j++) {
    const d = load<f64>(D + (<usize>j << 3));
    let w: f64 = nearest - d >= -FAR ? Math.exp(nearest - d) / sum : 0;
    if (load<f64>(codes + (<usize>j << 3)) == code && own - d >= -FAR) w -= Math.exp(own - d) / within;
    if (Math.abs(w) <= least) continue;
    store<f64>(W + (<usize>found << 3), w);
    store<i32>(list + (<usize>found << 2), j);
    found++;
  }
  return found;
}
