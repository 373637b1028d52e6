// Hot loops of the smoothed Newton method of l2Newton.ts. Matrices are n x d, row-major, with rows padded by zeros to
// an even number of doubles (`row` bytes each), so that every loop is in whole 128-bit lanes. Edges are flat arrays:
// ends `from`, `to` (i32), weights w and, for the current U, the length ||u_i - u_j||, the stiffness a and the radial
// correction b of the smoothed penalty (f64). Node numbers and labels are i32.
import { hsum, madd } from "../../matrix/kernel/_micro.as";

export { dot } from "../../matrix/kernel/_micro.as";

const IDENTITY: i32 = 0;
const DIAGONAL: i32 = 1;

/** out = scale B x for one row; B is a vector of the diagonal or a padded square, by `kind`. */
// @ts-ignore: decorator
@inline
function applyMetric(kind: i32, row: usize, B: usize, scale: f64, x: usize, out: usize): void {
  const s = f64x2.splat(scale);
  if (kind == IDENTITY) {
    for (let k: usize = 0; k < row; k += 16) v128.store(out + k, f64x2.mul(s, v128.load(x + k)));
  } else if (kind == DIAGONAL) {
    for (let k: usize = 0; k < row; k += 16) {
      v128.store(out + k, f64x2.mul(f64x2.mul(s, v128.load(B + k)), v128.load(x + k)));
    }
  } else {
    memory.fill(out, 0, row);
    let line = B;
    for (let l: usize = 0; l < row; l += 8, line += row) {
      const factor = f64x2.splat(scale * load<f64>(x + l));
      for (let k: usize = 0; k < row; k += 16) {
        v128.store(out + k, madd(factor, v128.load(line + k), v128.load(out + k)));
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function rowDot(row: usize, x: usize, y: usize): f64 {
  let sum = f64x2.splat(0);
  for (let k: usize = 0; k < row; k += 16) sum = madd(v128.load(x + k), v128.load(y + k), sum);
  return hsum(sum);
}

// @ts-ignore: decorator
@inline
function subtract(row: usize, x: usize, y: usize, out: usize): void {
  for (let k: usize = 0; k < row; k += 16) v128.store(out + k, f64x2.sub(v128.load(x + k), v128.load(y + k)));
}

/** out = M (x) B applied to P: the Hessian of the fidelity term. */
export function fidelityProduct(n: i32, row: usize, kind: i32, B: usize, mass: usize, P: usize, out: usize): void {
  for (let i = 0; i < n; i++) {
    applyMetric(kind, row, B, load<f64>(mass), P, out);
    mass += 8;
    P += row;
    out += row;
  }
}

/** G = M (U - X) B; returns 1/2 sum_i m_i (u_i - x_i)' B (u_i - x_i). `line` has room for one row. */
export function fidelity(
  n: i32, row: usize, kind: i32, B: usize, mass: usize, X: usize, U: usize, G: usize, line: usize,
): f64 {
  let sum: f64 = 0;
  for (let i = 0; i < n; i++) {
    subtract(row, U, X, line);
    applyMetric(kind, row, B, load<f64>(mass), line, G);
    sum += rowDot(row, line, G);
    mass += 8;
    X += row;
    U += row;
    G += row;
  }
  return 0.5 * sum;
}

/**
 * Adds D'z to G, z_l = gamma w_l (u_i - u_j) / max(eps, ||u_i - u_j||), fills in lengths, a and b, and returns the
 * smoothed penalty gamma sum_l w_l h_eps(||u_i - u_j||), where h_eps(t) is t^2 / (2 eps) up to eps and t - eps / 2 above.
 */
export function penalty(
  m: i32, row: usize, from: usize, to: usize, w: usize, gamma: f64, eps: f64,
  U: usize, G: usize, lengths: usize, a: usize, b: usize,
): f64 {
  let sum: f64 = 0;
  for (let e = 0; e < m; e++) {
    const i = <usize>load<i32>(from) * row, j = <usize>load<i32>(to) * row;
    const ui = U + i, uj = U + j, gi = G + i, gj = G + j;
    let square = f64x2.splat(0);
    for (let k: usize = 0; k < row; k += 16) {
      const delta = f64x2.sub(v128.load(ui + k), v128.load(uj + k));
      square = madd(delta, delta, square);
    }
    const t2 = hsum(square), t = Math.sqrt(t2), bound = gamma * load<f64>(w);
    let stiffness: f64;
    if (t <= eps) {
      stiffness = bound / eps;
      store<f64>(b, 0);
      sum += 0.5 * stiffness * t2;
    } else {
      stiffness = bound / t;
      store<f64>(b, stiffness / t2);
      sum += bound * (t - 0.5 * eps);
    }
    store<f64>(lengths, t);
    store<f64>(a, stiffness);
    const s = f64x2.splat(stiffness);
    for (let k: usize = 0; k < row; k += 16) {
      const z = f64x2.mul(s, f64x2.sub(v128.load(ui + k), v128.load(uj + k)));
      v128.store(gi + k, f64x2.add(v128.load(gi + k), z));
      v128.store(gj + k, f64x2.sub(v128.load(gj + k), z));
    }
    from += 4;
    to += 4;
    w += 8;
    lengths += 8;
    a += 8;
    b += 8;
  }
  return sum;
}

/** out += sum_l D_l' (a_l I - radial b_l (u_i - u_j)(u_i - u_j)') D_l P: the Hessian of the smoothed penalty. */
export function penaltyProduct(
  m: i32, row: usize, from: usize, to: usize, a: usize, b: usize, radial: f64, U: usize, P: usize, out: usize,
): void {
  for (let e = 0; e < m; e++) {
    const i = <usize>load<i32>(from) * row, j = <usize>load<i32>(to) * row;
    const pi = P + i, pj = P + j, oi = out + i, oj = out + j;
    const s = f64x2.splat(load<f64>(a));
    const correction = radial * load<f64>(b);
    if (correction == 0) {
      for (let k: usize = 0; k < row; k += 16) {
        const z = f64x2.mul(s, f64x2.sub(v128.load(pi + k), v128.load(pj + k)));
        v128.store(oi + k, f64x2.add(v128.load(oi + k), z));
        v128.store(oj + k, f64x2.sub(v128.load(oj + k), z));
      }
    } else {
      const ui = U + i, uj = U + j;
      let inner = f64x2.splat(0);
      for (let k: usize = 0; k < row; k += 16) {
        const delta = f64x2.sub(v128.load(ui + k), v128.load(uj + k));
        inner = madd(delta, f64x2.sub(v128.load(pi + k), v128.load(pj + k)), inner);
      }
      const c = f64x2.splat(-correction * hsum(inner));
      for (let k: usize = 0; k < row; k += 16) {
        const delta = f64x2.sub(v128.load(ui + k), v128.load(uj + k));
        const z = madd(s, f64x2.sub(v128.load(pi + k), v128.load(pj + k)), f64x2.mul(c, delta));
        v128.store(oi + k, f64x2.add(v128.load(oi + k), z));
        v128.store(oj + k, f64x2.sub(v128.load(oj + k), z));
      }
    }
    from += 4;
    to += 4;
    a += 8;
    b += 8;
  }
}

// --- groups: connected sets of short edges -------------------------------------------------------------------------

/** Labels the components of the edges no longer than `reach` by 0 .. K - 1 in the order of first nodes; returns K. */
export function groups(n: i32, m: i32, from: usize, to: usize, lengths: usize, reach: f64, labels: usize): i32 {
  for (let i = 0; i < n; i++) store<i32>(labels + (<usize>i << 2), i);
  for (let e = 0; e < m; e++) {
    const at = <usize>e << 2;
    if (!(load<f64>(lengths + (at << 1)) <= reach)) continue;
    const i = root(labels, load<i32>(from + at)), j = root(labels, load<i32>(to + at));
    if (i < j) store<i32>(labels + (<usize>j << 2), i);
    else if (j < i) store<i32>(labels + (<usize>i << 2), j);
  }
  // A root is the smallest node of its set, so its own label is final before any other member asks for it; finished
  // labels are kept as -1 - label until the end, to tell them from parents.
  let count = 0;
  for (let i = 0; i < n; i++) {
    const at = labels + (<usize>i << 2);
    const parent = load<i32>(at);
    if (parent == i) store<i32>(at, -1 - count++);
    else store<i32>(at, load<i32>(labels + (<usize>parent << 2)));
  }
  for (let i = 0; i < n; i++) {
    const at = labels + (<usize>i << 2);
    store<i32>(at, -1 - load<i32>(at));
  }
  return count;
}

// @ts-ignore: decorator
@inline
function root(parents: usize, i: i32): i32 {
  let at = parents + (<usize>i << 2), parent = load<i32>(at);
  while (parent != i) {
    const grand = load<i32>(parents + (<usize>parent << 2));
    store<i32>(at, grand);
    i = grand;
    at = parents + (<usize>i << 2);
    parent = load<i32>(at);
  }
  return i;
}

/** Mass of each group. */
export function groupMasses(n: i32, count: i32, mass: usize, labels: usize, masses: usize): void {
  memory.fill(masses, 0, <usize>count << 3);
  for (let i = 0; i < n; i++) {
    const at = masses + (<usize>load<i32>(labels + (<usize>i << 2)) << 3);
    store<f64>(at, load<f64>(at) + load<f64>(mass + (<usize>i << 3)));
  }
}

/** Row c of `sums` = sum of weight_i x_i over the members of group c; all weights are 1 where `weight` is 0. */
function groupSums(n: i32, row: usize, count: i32, weight: usize, labels: usize, x: usize, sums: usize): void {
  memory.fill(sums, 0, <usize>count * row);
  for (let i = 0; i < n; i++) {
    const line = sums + <usize>load<i32>(labels) * row;
    const f = f64x2.splat(weight ? load<f64>(weight) : 1);
    for (let k: usize = 0; k < row; k += 16) v128.store(line + k, madd(f, v128.load(x + k), v128.load(line + k)));
    labels += 4;
    x += row;
    if (weight) weight += 8;
  }
}

/** centres_i = mean of U over the group of i, weighted by mass: the same doubles for every member. */
export function fuse(
  n: i32, row: usize, count: i32, mass: usize, labels: usize, masses: usize, U: usize, sums: usize, centres: usize,
): void {
  groupSums(n, row, count, mass, labels, U, sums);
  let line = sums;
  for (let c = 0; c < count; c++) {
    const f = f64x2.splat(load<f64>(masses + (<usize>c << 3)));
    for (let k: usize = 0; k < row; k += 16) v128.store(line + k, f64x2.div(v128.load(line + k), f));
    line += row;
  }
  for (let i = 0; i < n; i++) {
    memory.copy(centres, sums + <usize>load<i32>(labels) * row, row);
    labels += 4;
    centres += row;
  }
}

// --- certificate ---------------------------------------------------------------------------------------------------

/**
 * Edge terms of the certificate at the fused centres C with z from U: out[0] = gamma sum_l w_l ||c_i - c_j||,
 * out[1] = sum_l (gamma w_l ||c_i - c_j|| - z_l'(c_i - c_j)); both are zero on edges inside a group.
 */
export function edgeSlack(
  m: i32, row: usize, from: usize, to: usize, w: usize, gamma: f64, a: usize, labels: usize,
  U: usize, C: usize, out: usize,
): void {
  let total: f64 = 0, slack: f64 = 0;
  for (let e = 0; e < m; e++) {
    const at = <usize>e << 2;
    const i = <usize>load<i32>(from + at), j = <usize>load<i32>(to + at);
    if (load<i32>(labels + (i << 2)) == load<i32>(labels + (j << 2))) continue;
    const ui = U + i * row, uj = U + j * row, ci = C + i * row, cj = C + j * row;
    let square = f64x2.splat(0), inner = square;
    for (let k: usize = 0; k < row; k += 16) {
      const delta = f64x2.sub(v128.load(ci + k), v128.load(cj + k));
      square = madd(delta, delta, square);
      inner = madd(delta, f64x2.sub(v128.load(ui + k), v128.load(uj + k)), inner);
    }
    const length = gamma * load<f64>(w + (at << 1)) * Math.sqrt(hsum(square));
    total += length;
    slack += max(0, length - load<f64>(a + (at << 1)) * hsum(inner));
  }
  store<f64>(out, total);
  store<f64>(out, slack, 8);
}

/**
 * Node terms: out[0] = 1/2 sum_i m_i (c_i - x_i)' B (c_i - x_i), out[1] = 1/2 sum_i s_i' B^-1 s_i / m_i with
 * s_i = g_i + m_i B (c_i - u_i), which is m_i B (c_i - x_i) + (D'z)_i. `lines` has room for two rows.
 */
export function nodeSlack(
  n: i32, row: usize, kind: i32, B: usize, inverse: usize, mass: usize,
  X: usize, U: usize, C: usize, G: usize, lines: usize, out: usize,
): void {
  let total: f64 = 0, slack: f64 = 0;
  const x = lines, y = lines + row;
  for (let i = 0; i < n; i++) {
    const mi = load<f64>(mass);
    subtract(row, C, X, x);
    applyMetric(kind, row, B, mi, x, y);
    total += rowDot(row, x, y);
    subtract(row, C, U, x);
    applyMetric(kind, row, B, mi, x, y);
    for (let k: usize = 0; k < row; k += 16) v128.store(y + k, f64x2.add(v128.load(y + k), v128.load(G + k)));
    applyMetric(kind, row, inverse, 1 / mi, y, x);
    slack += rowDot(row, x, y);
    mass += 8;
    X += row;
    U += row;
    C += row;
    G += row;
  }
  store<f64>(out, 0.5 * total);
  store<f64>(out, 0.5 * slack, 8);
}

/** sum_i g_i' B^-1 g_i / m_i */
export function inverseSquare(n: i32, row: usize, kind: i32, inverse: usize, mass: usize, G: usize, line: usize): f64 {
  let sum: f64 = 0;
  for (let i = 0; i < n; i++) {
    applyMetric(kind, row, inverse, 1 / load<f64>(mass), G, line);
    sum += rowDot(row, line, G);
    mass += 8;
    G += row;
  }
  return sum;
}

// --- conjugate gradients -------------------------------------------------------------------------------------------

/**
 * Diagonals of the penalty's Hessian, averaged over features: of each node, and of each group as one point (edges
 * inside it do not count). Groups of one node get infinity: their coarse correction would repeat the node's own.
 */
export function stiffnesses(
  n: i32, m: i32, d: i32, from: usize, to: usize, a: usize, b: usize, radial: f64,
  labels: usize, count: i32, node: usize, group: usize, sizes: usize,
): void {
  memory.fill(node, 0, <usize>n << 3);
  memory.fill(group, 0, <usize>count << 3);
  memory.fill(sizes, 0, <usize>count << 2);
  for (let i = 0; i < n; i++) {
    const at = sizes + (<usize>load<i32>(labels + (<usize>i << 2)) << 2);
    store<i32>(at, load<i32>(at) + 1);
  }
  const tangential = 1 - radial / <f64>d;
  for (let e = 0; e < m; e++) {
    const at = <usize>e << 2;
    const i = <usize>load<i32>(from + at), j = <usize>load<i32>(to + at);
    let s = load<f64>(a + (at << 1));
    if (load<f64>(b + (at << 1)) != 0) s *= tangential;
    add(node + (i << 3), s);
    add(node + (j << 3), s);
    const ci = <usize>load<i32>(labels + (i << 2)), cj = <usize>load<i32>(labels + (j << 2));
    if (ci != cj) {
      add(group + (ci << 3), s);
      add(group + (cj << 3), s);
    }
  }
  for (let c = 0; c < count; c++) {
    if (load<i32>(sizes + (<usize>c << 2)) == 1) store<f64>(group + (<usize>c << 3), Infinity);
  }
}

// @ts-ignore: decorator
@inline
function add(at: usize, value: f64): void {
  store<f64>(at, load<f64>(at) + value);
}

/**
 * Two-level preconditioner: S = R / diagonal, plus on each group the sum of R over it / the group's diagonal. The
 * diagonals are mass * diagonal of B + stiffness. Returns R'S.
 */
export function precondition(
  n: i32, row: usize, diagonal: usize, mass: usize, node: usize,
  labels: usize, count: i32, masses: usize, group: usize, sums: usize, R: usize, S: usize,
): f64 {
  const coarse = count < n;
  if (coarse) {
    groupSums(n, row, count, 0, labels, R, sums);
    let line = sums;
    for (let c = 0; c < count; c++) {
      const mc = f64x2.splat(load<f64>(masses + (<usize>c << 3)));
      const sc = f64x2.splat(load<f64>(group + (<usize>c << 3)));
      for (let k: usize = 0; k < row; k += 16) {
        v128.store(line + k, f64x2.div(v128.load(line + k), madd(mc, v128.load(diagonal + k), sc)));
      }
      line += row;
    }
  }
  let inner = f64x2.splat(0);
  for (let i = 0; i < n; i++) {
    const mi = f64x2.splat(load<f64>(mass)), si = f64x2.splat(load<f64>(node));
    const line = sums + <usize>load<i32>(labels) * row;
    for (let k: usize = 0; k < row; k += 16) {
      const r = v128.load(R + k);
      let s = f64x2.div(r, madd(mi, v128.load(diagonal + k), si));
      if (coarse) s = f64x2.add(s, v128.load(line + k));
      v128.store(S + k, s);
      inner = madd(r, s, inner);
    }
    mass += 8;
    node += 8;
    labels += 4;
    R += row;
    S += row;
  }
  return hsum(inner);
}

/** P += alpha V, R -= alpha Q over `length` doubles; returns R'R. */
export function advance(length: i32, alpha: f64, V: usize, Q: usize, P: usize, R: usize): f64 {
  const s = f64x2.splat(alpha), minus = f64x2.splat(-alpha);
  let sum = f64x2.splat(0);
  const end = V + (<usize>length << 3);
  while (V < end) {
    v128.store(P, madd(s, v128.load(V), v128.load(P)));
    const r = madd(minus, v128.load(Q), v128.load(R));
    v128.store(R, r);
    sum = madd(r, r, sum);
    V += 16;
    Q += 16;
    P += 16;
    R += 16;
  }
  return hsum(sum);
}

/** out = x + s y over `length` doubles (an even number); out may be x or y. */
export function combine(length: i32, x: usize, s: f64, y: usize, out: usize): void {
  const f = f64x2.splat(s);
  const end = x + (<usize>length << 3);
  while (x < end) {
    v128.store(out, madd(f, v128.load(y), v128.load(x)));
    x += 16;
    y += 16;
    out += 16;
  }
}
