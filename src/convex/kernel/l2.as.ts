// Hot loops of the smoothed Newton method of l2Newton.ts. Matrices are n x d, row-major, with rows padded by zeros to
// an even number of doubles (`row` bytes each), so that every loop is in whole 128-bit lanes.
import { dot, hsum, madd } from "../../matrix/kernel/_micro.as";

/** What stays the same: sizes and byte addresses, written by l2Layout.ts in this order. */
// @ts-ignore: decorator
@unmanaged
class Problem {
  n: i32;
  m: i32;
  d: i32;
  /** Bytes of a row. */
  row: usize;
  /** Metric: IDENTITY, DIAGONAL (B and its inverse are vectors) or full (padded squares). */
  kind: i32;
  B: usize;
  inverse: usize;
  /** The diagonal of B, also of the identity. */
  diagonal: usize;
  X: usize;
  mass: usize;
  /** Ends (i32) and weights of each edge. */
  from: usize;
  to: usize;
  w: usize;
  /** m x d: the multiplier z0 of each edge, for which the byte in `held` is 1; the others' is zero. */
  Z: usize;
  held: usize;
  /** Entries offsets[i] to offsets[i + 1] of `links`, pairs of i32, are node i's neighbours and the edges to them. */
  offsets: usize;
  links: usize;
  /** Group of each node (i32); mass, number of nodes (i32) and stiffness of each group. */
  labels: usize;
  masses: usize;
  sizes: usize;
  group: usize;
  /** Stiffness of each node. */
  node: usize;
  /** Fused centres, n x d. */
  C: usize;
  /** Room for a row per group. */
  sums: usize;
  /** Room for two rows. */
  lines: usize;
}

/** A U and what is known of it. */
// @ts-ignore: decorator
@unmanaged
class Point {
  U: usize;
  /** Gradient. */
  G: usize;
  /**
   * Of each edge, with y = z0 + gamma w / eps (u_i - u_j): the length t = ||u_i - u_j||, the stiffness
   * a = gamma w / eps min(1, gamma w / ||y||), and b = a / ||y||^2 if the edge is saturated, ||y|| > gamma w, else 0.
   */
  t: usize;
  a: usize;
  b: usize;
}

const IDENTITY: i32 = 0;
const DIAGONAL: i32 = 1;

// @ts-ignore: decorator
@inline
function int(array: usize, index: usize): usize {
  return <usize>load<i32>(array + (index << 2));
}

// @ts-ignore: decorator
@inline
function real(array: usize, index: usize): f64 {
  return load<f64>(array + (index << 3));
}

// @ts-ignore: decorator
@inline
function add(array: usize, index: usize, value: f64): void {
  store<f64>(array + (index << 3), load<f64>(array + (index << 3)) + value);
}

// --- rows ----------------------------------------------------------------------------------------------------------

/** out = scale B x for one row, B or its inverse. */
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

/** out = x + s y for whole matrices; out may be x or y. */
export function combine(problem: Problem, x: usize, s: f64, y: usize, out: usize): void {
  const f = f64x2.splat(s);
  const end = x + <usize>problem.n * problem.row;
  while (x < end) {
    v128.store(out, madd(f, v128.load(y), v128.load(x)));
    x += 16;
    y += 16;
    out += 16;
  }
}

/** x'y for whole matrices. */
export function inner(problem: Problem, x: usize, y: usize): f64 {
  return dot(<i32>((<usize>problem.n * problem.row) >> 3), x, y);
}

// --- the smoothed objective ----------------------------------------------------------------------------------------

/**
 * Everything about the point's U at gamma and eps: the edges' lengths and stiffnesses and the gradient
 * M (U - X) B + D'z, z_l = y_l min(1, gamma w_l / ||y_l||). Returns the value of l2Workspace.ts.
 */
export function evaluate(problem: Problem, point: Point, gamma: f64, eps: f64): f64 {
  return fidelity(problem, point) + penalty(problem, point, gamma, eps);
}

/** G = M (U - X) B; returns the first sum. */
function fidelity(problem: Problem, point: Point): f64 {
  const row = problem.row, kind = problem.kind, B = problem.B, line = problem.lines;
  let X = problem.X, U = point.U, G = point.G, sum: f64 = 0;
  for (let i = 0; i < problem.n; i++) {
    subtract(row, U, X, line);
    applyMetric(kind, row, B, real(problem.mass, i), line, G);
    sum += rowDot(row, line, G);
    X += row;
    U += row;
    G += row;
  }
  return 0.5 * sum;
}

/**
 * Lengths, a and b of the edges; adds their forces to G, z = a (u_i - u_j) + (a / s) z0; returns the penalty's part of
 * the value. Three passes, so that the second pipelines its roots and quotients and the third needs no stores per edge.
 */
function penalty(problem: Problem, point: Point, gamma: f64, eps: f64): f64 {
  const row = problem.row, U = point.U, m = <usize>problem.m;
  let total: f64 = 0;
  for (let e: usize = 0; e < m; e++) {
    const i = int(problem.from, e) * row, j = int(problem.to, e) * row;
    const ui = U + i, uj = U + j;
    let tt = f64x2.splat(0);
    if (load<u8>(problem.held + e)) {
      const bound = gamma * real(problem.w, e), sigma = bound / eps;
      const z0 = problem.Z + e * row, s = f64x2.splat(sigma);
      let yy = f64x2.splat(0);
      for (let k: usize = 0; k < row; k += 16) {
        const delta = f64x2.sub(v128.load(ui + k), v128.load(uj + k)), y = madd(s, delta, v128.load(z0 + k));
        tt = madd(delta, delta, tt);
        yy = madd(y, y, yy);
      }
      const y2 = hsum(yy), scale = saturate(point, e, y2, bound, sigma), f = f64x2.splat(scale);
      total += energy(y2, scale, bound) / sigma;
      const gi = point.G + i, gj = point.G + j;
      for (let k: usize = 0; k < row; k += 16) push(gi + k, gj + k, f64x2.mul(f, v128.load(z0 + k)));
    } else {
      for (let k: usize = 0; k < row; k += 16) {
        const delta = f64x2.sub(v128.load(ui + k), v128.load(uj + k));
        tt = madd(delta, delta, tt);
      }
    }
    store<f64>(point.t + (e << 3), hsum(tt));
  }
  for (let e: usize = 0; e < m; e++) {
    const t = Math.sqrt(real(point.t, e));
    store<f64>(point.t + (e << 3), t);
    if (load<u8>(problem.held + e)) continue;
    const bound = gamma * real(problem.w, e), sigma = bound / eps, y2 = sigma * sigma * t * t;
    total += energy(y2, saturate(point, e, y2, bound, sigma), bound) / sigma;
  }
  gather(problem, point.a, U, point.G);
  return total;
}

/** Stores a and b of an edge with y'y = yy; returns min(1, bound / ||y||). */
// @ts-ignore: decorator
@inline
function saturate(point: Point, e: usize, yy: f64, bound: f64, sigma: f64): f64 {
  const at = e << 3;
  if (yy <= bound * bound) {
    store<f64>(point.a + at, sigma);
    store<f64>(point.b + at, 0);
    return 1;
  }
  const inverse = 1 / Math.sqrt(yy), scale = bound * inverse, a = sigma * scale;
  store<f64>(point.a + at, a);
  store<f64>(point.b + at, a * inverse * inverse);
  return scale;
}

/** 1/2 (||y||^2 - max(0, ||y|| - bound)^2), given scale = min(1, bound / ||y||). */
// @ts-ignore: decorator
@inline
function energy(yy: f64, scale: f64, bound: f64): f64 {
  return scale == 1 ? 0.5 * yy : bound * bound * (1 / scale - 0.5);
}

/** One end of an edge gains what the other loses. */
// @ts-ignore: decorator
@inline
function push(gain: usize, loss: usize, force: v128): void {
  v128.store(gain, f64x2.add(v128.load(gain), force));
  v128.store(loss, f64x2.sub(v128.load(loss), force));
}

/**
 * out = Hessian applied to P: M P B + sum_l D_l'(a_l I - radial b_l y_l y_l') D_l P, exact for radial = 1. `sigma` is
 * gamma / eps.
 */
export function hessianProduct(
  problem: Problem, point: Point, sigma: f64, radial: f64, P: usize, out: usize,
): void {
  const row = problem.row, n = <usize>problem.n;
  for (let i: usize = 0; i < n; i++) {
    applyMetric(problem.kind, row, problem.B, real(problem.mass, i), P + i * row, out + i * row);
  }
  gather(problem, point.a, P, out);
  const m = <usize>problem.m;
  for (let e: usize = 0; e < m; e++) {
    const b = real(point.b, e);
    if (b == 0) continue;
    const i = int(problem.from, e) * row, j = int(problem.to, e) * row;
    const ui = point.U + i, uj = point.U + j, pi = P + i, pj = P + j, oi = out + i, oj = out + j;
    const held = load<u8>(problem.held + e) != 0;
    const z0 = problem.Z + e * row, se = sigma * real(problem.w, e), s = f64x2.splat(se);
    let sum = f64x2.splat(0);
    if (held) {
      for (let k: usize = 0; k < row; k += 16) {
        const y = madd(s, f64x2.sub(v128.load(ui + k), v128.load(uj + k)), v128.load(z0 + k));
        sum = madd(y, f64x2.sub(v128.load(pi + k), v128.load(pj + k)), sum);
      }
      const c = f64x2.splat(-radial * b * hsum(sum));
      for (let k: usize = 0; k < row; k += 16) {
        const y = madd(s, f64x2.sub(v128.load(ui + k), v128.load(uj + k)), v128.load(z0 + k));
        push(oi + k, oj + k, f64x2.mul(c, y));
      }
    } else {
      for (let k: usize = 0; k < row; k += 16) {
        const delta = f64x2.sub(v128.load(ui + k), v128.load(uj + k));
        sum = madd(delta, f64x2.sub(v128.load(pi + k), v128.load(pj + k)), sum);
      }
      const c = f64x2.splat(-radial * b * se * se * hsum(sum));
      for (let k: usize = 0; k < row; k += 16) {
        push(oi + k, oj + k, f64x2.mul(c, f64x2.sub(v128.load(ui + k), v128.load(uj + k))));
      }
    }
  }
}

/**
 * out_i += sum over the links of i of a_l (p_i - p_j). Each node collects from its neighbours in registers, which is
 * faster than adding every edge's part to both ends in memory; a row too long for the registers is passed in parts.
 */
function gather(problem: Problem, a: usize, P: usize, out: usize): void {
  const row = problem.row, links = problem.links, n = <usize>problem.n;
  for (let i: usize = 0; i < n; i++) {
    const first = links + (int(problem.offsets, i) << 3), last = links + (int(problem.offsets, i + 1) << 3);
    const at = i * row;
    let k: usize = 0;
    for (; k + 64 <= row; k += 64) gather8(first, last, row, a, P + k, at, out + at + k);
    if (k + 32 <= row) {
      gather4(first, last, row, a, P + k, at, out + at + k);
      k += 32;
    }
    if (k < row) gather2(first, last, row, a, P + k, at, out + at + k);
  }
}

// @ts-ignore: decorator
@inline
function gather8(first: usize, last: usize, row: usize, a: usize, P: usize, at: usize, out: usize): void {
  const p = P + at;
  const p0 = v128.load(p), p1 = v128.load(p, 16), p2 = v128.load(p, 32), p3 = v128.load(p, 48);
  let s0 = v128.load(out), s1 = v128.load(out, 16), s2 = v128.load(out, 32), s3 = v128.load(out, 48);
  for (let link = first; link < last; link += 8) {
    const q = P + int(link, 0) * row, f = v128.load_splat<f64>(a + (int(link, 1) << 3));
    s0 = madd(f, f64x2.sub(p0, v128.load(q)), s0);
    s1 = madd(f, f64x2.sub(p1, v128.load(q, 16)), s1);
    s2 = madd(f, f64x2.sub(p2, v128.load(q, 32)), s2);
    s3 = madd(f, f64x2.sub(p3, v128.load(q, 48)), s3);
  }
  v128.store(out, s0);
  v128.store(out, s1, 16);
  v128.store(out, s2, 32);
  v128.store(out, s3, 48);
}

// @ts-ignore: decorator
@inline
function gather4(first: usize, last: usize, row: usize, a: usize, P: usize, at: usize, out: usize): void {
  const p0 = v128.load(P + at), p1 = v128.load(P + at, 16);
  let s0 = v128.load(out), s1 = v128.load(out, 16);
  for (let link = first; link < last; link += 8) {
    const q = P + int(link, 0) * row, f = v128.load_splat<f64>(a + (int(link, 1) << 3));
    s0 = madd(f, f64x2.sub(p0, v128.load(q)), s0);
    s1 = madd(f, f64x2.sub(p1, v128.load(q, 16)), s1);
  }
  v128.store(out, s0);
  v128.store(out, s1, 16);
}

// @ts-ignore: decorator
@inline
function gather2(first: usize, last: usize, row: usize, a: usize, P: usize, at: usize, out: usize): void {
  const p = v128.load(P + at);
  let s = v128.load(out);
  for (let link = first; link < last; link += 8) {
    const q = P + int(link, 0) * row;
    s = madd(v128.load_splat<f64>(a + (int(link, 1) << 3)), f64x2.sub(p, v128.load(q)), s);
  }
  v128.store(out, s);
}

// --- multipliers ---------------------------------------------------------------------------------------------------

/**
 * z0 := z for the next step, at ratio times the gamma: on edges between groups the forces grow or fall with gamma,
 * inside groups they stay, as far as the new bound allows. Edges longer than `far` are exact without a multiplier,
 * their force being along u_i - u_j: they drop it, and with it the memory traffic.
 */
export function recentre(problem: Problem, point: Point, gamma: f64, eps: f64, far: f64, ratio: f64): void {
  const row = problem.row, m = <usize>problem.m;
  for (let e: usize = 0; e < m; e++) {
    const held = problem.held + e;
    if (real(point.t, e) > far) {
      store<u8>(held, 0);
      continue;
    }
    const z0 = problem.Z + e * row;
    const inside = int(problem.labels, int(problem.from, e)) == int(problem.labels, int(problem.to, e));
    force(problem, point, e, gamma / eps, inside ? 1 : ratio, z0);
    if (inside && ratio < 1) {
      const excess = Math.sqrt(rowDot(row, z0, z0)) / (ratio * gamma * real(problem.w, e));
      if (excess > 1) {
        const f = f64x2.splat(1 / excess);
        for (let k: usize = 0; k < row; k += 16) v128.store(z0 + k, f64x2.mul(f, v128.load(z0 + k)));
      }
    }
    store<u8>(held, 1);
  }
}

/** out = factor z_l = factor a_l / (sigma w_l) y_l */
// @ts-ignore: decorator
@inline
function force(problem: Problem, point: Point, e: usize, sigma: f64, factor: f64, out: usize): void {
  const row = problem.row, z0 = problem.Z + e * row;
  const ui = point.U + int(problem.from, e) * row, uj = point.U + int(problem.to, e) * row;
  const a = real(point.a, e), s = f64x2.splat(factor * a);
  if (load<u8>(problem.held + e)) {
    const f = f64x2.splat((factor * a) / (sigma * real(problem.w, e)));
    for (let k: usize = 0; k < row; k += 16) {
      const delta = f64x2.sub(v128.load(ui + k), v128.load(uj + k));
      v128.store(out + k, madd(s, delta, f64x2.mul(f, v128.load(z0 + k))));
    }
  } else {
    for (let k: usize = 0; k < row; k += 16) {
      v128.store(out + k, f64x2.mul(s, f64x2.sub(v128.load(ui + k), v128.load(uj + k))));
    }
  }
}

// --- groups: connected sets of short edges -------------------------------------------------------------------------

/**
 * Labels the components of the edges that are not saturated or no longer than `reach` by 0 .. K - 1 in the order of
 * first nodes, and their masses and sizes; returns K.
 */
export function groups(problem: Problem, point: Point, reach: f64): i32 {
  const n = problem.n, m = <usize>problem.m, labels = problem.labels;
  for (let i = 0; i < n; i++) store<i32>(labels + (<usize>i << 2), i);
  for (let e: usize = 0; e < m; e++) {
    if (real(point.b, e) != 0 && !(real(point.t, e) <= reach)) continue;
    const i = root(labels, <i32>int(problem.from, e)), j = root(labels, <i32>int(problem.to, e));
    if (i < j) store<i32>(labels + (<usize>j << 2), i);
    else if (j < i) store<i32>(labels + (<usize>i << 2), j);
  }
  // Parents come before their children, so a parent's label is final when it is asked for; final labels are kept as
  // -1 - label until the end, to tell them from parents.
  let count = 0;
  for (let i = 0; i < n; i++) {
    const parent = <i32>int(labels, i);
    store<i32>(labels + (<usize>i << 2), parent == i ? -1 - count++ : <i32>int(labels, parent));
  }
  memory.fill(problem.masses, 0, <usize>count << 3);
  memory.fill(problem.sizes, 0, <usize>count << 2);
  for (let i = 0; i < n; i++) {
    const label = -1 - <i32>int(labels, i);
    store<i32>(labels + (<usize>i << 2), label);
    add(problem.masses, label, real(problem.mass, i));
    store<i32>(problem.sizes + (<usize>label << 2), <i32>int(problem.sizes, label) + 1);
  }
  return count;
}

/** The root of i, halving the way to it. */
// @ts-ignore: decorator
@inline
function root(parents: usize, i: i32): i32 {
  let parent = <i32>int(parents, i);
  while (parent != i) {
    const grand = <i32>int(parents, parent);
    store<i32>(parents + (<usize>i << 2), grand);
    i = grand;
    parent = <i32>int(parents, i);
  }
  return i;
}

/** Row c of `sums` = sum of x_i, times m_i if `weighted`, over the members of group c. */
function groupSums(problem: Problem, count: i32, weighted: bool, x: usize): void {
  const row = problem.row, sums = problem.sums, n = <usize>problem.n;
  memory.fill(sums, 0, <usize>count * row);
  for (let i: usize = 0; i < n; i++) {
    const line = sums + int(problem.labels, i) * row;
    const f = f64x2.splat(weighted ? real(problem.mass, i) : 1);
    for (let k: usize = 0; k < row; k += 16) v128.store(line + k, madd(f, v128.load(x + k), v128.load(line + k)));
    x += row;
  }
}

// --- certificate ---------------------------------------------------------------------------------------------------

/** c_i = mean of U over the group of i, by mass: the very same doubles for every member. */
export function fuse(problem: Problem, point: Point, count: i32): void {
  const row = problem.row, sums = problem.sums;
  groupSums(problem, count, true, point.U);
  for (let g: usize = 0; g < <usize>count; g++) {
    const line = sums + g * row, mass = f64x2.splat(real(problem.masses, g));
    for (let k: usize = 0; k < row; k += 16) v128.store(line + k, f64x2.div(v128.load(line + k), mass));
  }
  for (let i: usize = 0; i < <usize>problem.n; i++) {
    memory.copy(problem.C + i * row, sums + int(problem.labels, i) * row, row);
  }
}

/**
 * Edge terms of the certificate at the centres with z from U: out[0] = gamma sum_l w_l ||c_i - c_j||,
 * out[1] = sum_l (gamma w_l ||c_i - c_j|| - z_l'(c_i - c_j)); both are zero on edges inside a group.
 */
export function edgeSlack(problem: Problem, point: Point, gamma: f64, sigma: f64, out: usize): void {
  const row = problem.row, labels = problem.labels, C = problem.C, z = problem.lines, m = <usize>problem.m;
  let total: f64 = 0, slack: f64 = 0;
  for (let e: usize = 0; e < m; e++) {
    const i = int(problem.from, e), j = int(problem.to, e);
    if (int(labels, i) == int(labels, j)) continue;
    force(problem, point, e, sigma, 1, z);
    const ci = C + i * row, cj = C + j * row;
    let square = f64x2.splat(0), product = square;
    for (let k: usize = 0; k < row; k += 16) {
      const delta = f64x2.sub(v128.load(ci + k), v128.load(cj + k));
      square = madd(delta, delta, square);
      product = madd(delta, v128.load(z + k), product);
    }
    const length = gamma * real(problem.w, e) * Math.sqrt(hsum(square));
    total += length;
    slack += max(0, length - hsum(product));
  }
  store<f64>(out, total);
  store<f64>(out, slack, 8);
}

/**
 * Node terms: out[0] = 1/2 sum_i m_i (c_i - x_i)' B (c_i - x_i), out[1] = 1/2 sum_i s_i' B^-1 s_i / m_i with
 * s_i = g_i + m_i B (c_i - u_i), which is m_i B (c_i - x_i) + (D'z)_i.
 */
export function nodeSlack(problem: Problem, point: Point, out: usize): void {
  const row = problem.row, kind = problem.kind, x = problem.lines, y = x + row;
  let total: f64 = 0, slack: f64 = 0;
  for (let i: usize = 0; i < <usize>problem.n; i++) {
    const mass = real(problem.mass, i), at = i * row;
    subtract(row, problem.C + at, problem.X + at, x);
    applyMetric(kind, row, problem.B, mass, x, y);
    total += rowDot(row, x, y);
    subtract(row, problem.C + at, point.U + at, x);
    applyMetric(kind, row, problem.B, mass, x, y);
    const g = point.G + at;
    for (let k: usize = 0; k < row; k += 16) v128.store(y + k, f64x2.add(v128.load(y + k), v128.load(g + k)));
    applyMetric(kind, row, problem.inverse, 1 / mass, y, x);
    slack += rowDot(row, x, y);
  }
  store<f64>(out, 0.5 * total);
  store<f64>(out, 0.5 * slack, 8);
}

/** 1/2 sum_i g_i' B^-1 g_i / m_i */
export function residual(problem: Problem, point: Point): f64 {
  const row = problem.row, line = problem.lines;
  let sum: f64 = 0;
  for (let i: usize = 0; i < <usize>problem.n; i++) {
    const g = point.G + i * row;
    applyMetric(problem.kind, row, problem.inverse, 1 / real(problem.mass, i), g, line);
    sum += rowDot(row, line, g);
  }
  return 0.5 * sum;
}

// --- conjugate gradients -------------------------------------------------------------------------------------------

/**
 * Diagonals of the penalty's Hessian, averaged over the features: of each node, and of each group as one point (edges
 * inside it do not count). Groups of one node get infinity: their coarse correction would repeat the node's own.
 */
export function stiffnesses(problem: Problem, point: Point, radial: f64, count: i32): void {
  const node = problem.node, group = problem.group, labels = problem.labels;
  memory.fill(node, 0, <usize>problem.n << 3);
  memory.fill(group, 0, <usize>count << 3);
  const tangential = 1 - radial / <f64>problem.d;
  for (let e: usize = 0; e < <usize>problem.m; e++) {
    const i = int(problem.from, e), j = int(problem.to, e);
    let s = real(point.a, e);
    if (real(point.b, e) != 0) s *= tangential;
    add(node, i, s);
    add(node, j, s);
    const gi = int(labels, i), gj = int(labels, j);
    if (gi != gj) {
      add(group, gi, s);
      add(group, gj, s);
    }
  }
  for (let g: usize = 0; g < <usize>count; g++) {
    if (int(problem.sizes, g) == 1) store<f64>(group + (g << 3), Infinity);
  }
}

/**
 * Two-level preconditioner: S = R / diagonal, plus on each group the sum of R over it / the group's diagonal. The
 * diagonals are mass * diagonal of B + stiffness. Returns R'S.
 */
export function precondition(problem: Problem, count: i32, R: usize, S: usize): f64 {
  const row = problem.row, diagonal = problem.diagonal, sums = problem.sums;
  const coarse = count < problem.n;
  if (coarse) {
    groupSums(problem, count, false, R);
    for (let g: usize = 0; g < <usize>count; g++) {
      const line = sums + g * row;
      const mass = f64x2.splat(real(problem.masses, g)), stiffness = f64x2.splat(real(problem.group, g));
      for (let k: usize = 0; k < row; k += 16) {
        const whole = madd(mass, v128.load(diagonal + k), stiffness);
        v128.store(line + k, f64x2.div(v128.load(line + k), whole));
      }
    }
  }
  let sum = f64x2.splat(0);
  for (let i: usize = 0; i < <usize>problem.n; i++) {
    const mass = f64x2.splat(real(problem.mass, i)), stiffness = f64x2.splat(real(problem.node, i));
    const line = sums + int(problem.labels, i) * row;
    for (let k: usize = 0; k < row; k += 16) {
      const r = v128.load(R + k);
      let s = f64x2.div(r, madd(mass, v128.load(diagonal + k), stiffness));
      if (coarse) s = f64x2.add(s, v128.load(line + k));
      v128.store(S + k, s);
      sum = madd(r, s, sum);
    }
    R += row;
    S += row;
  }
  return hsum(sum);
}

/** P += alpha V, R -= alpha Q; returns R'R. */
export function advance(problem: Problem, alpha: f64, V: usize, Q: usize, P: usize, R: usize): f64 {
  const plus = f64x2.splat(alpha), minus = f64x2.splat(-alpha);
  let sum = f64x2.splat(0);
  const end = V + <usize>problem.n * problem.row;
  while (V < end) {
    v128.store(P, madd(plus, v128.load(V), v128.load(P)));
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
