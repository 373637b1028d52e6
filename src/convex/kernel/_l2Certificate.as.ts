// Groups of nodes over short edges, their centres, and the certificate of the centres with the forces at U.
import { hsum, madd } from "../../matrix/kernel/_micro.as";
import { add, applyMetric, int, Point, Problem, real, rowDot, subtract } from "./_l2Problem.as";

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
  // Parents come before their children, so a parent's label is final when it is needed; final labels are
  // stored as -1 - label until the end, to distinguish them from parents.
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

/** The root of i, with path halving. */
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
export function groupSums(problem: Problem, count: i32, weighted: bool, x: usize): void {
  const row = problem.row, sums = problem.sums, n = <usize>problem.n;
  memory.fill(sums, 0, <usize>count * row);
  for (let i: usize = 0; i < n; i++) {
    const line = sums + int(problem.labels, i) * row;
    const f = f64x2.splat(weighted ? real(problem.mass, i) : 1);
    for (let k: usize = 0; k < row; k += 16) v128.store(line + k, madd(f, v128.load(x + k), v128.load(line + k)));
    x += row;
  }
}

/** c_i = mean of U over the group of i, by mass: bitwise equal for every member. */
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
export function edgeSlack(problem: Problem, point: Point, gamma: f64, eps: f64, out: usize): void {
  const row = problem.row, labels = problem.labels, C = problem.C, z = problem.lines, m = <usize>problem.m;
  let total: f64 = 0, slack: f64 = 0;
  for (let e: usize = 0; e < m; e++) {
    const i = int(problem.from, e), j = int(problem.to, e), gi = int(labels, i), gj = int(labels, j);
    if (gi == gj) continue;
    if (int(problem.sizes, gi) + int(problem.sizes, gj) == 2 && !load<u8>(problem.held + e)) {
      // Nothing was rounded here: c = u and z = a (u_i - u_j).
      const t = real(point.t, e), length = gamma * real(problem.w, e) * t;
      total += length;
      slack += max(0, length - real(point.a, e) * t * t);
      continue;
    }
    force(problem, point, e, eps, z);
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

/** out = z_l = a_l (u_i - u_j) + a_l eps y0_l */
// @ts-ignore: decorator
@inline
function force(problem: Problem, point: Point, e: usize, eps: f64, out: usize): void {
  const row = problem.row, y0 = problem.Y + e * row;
  const ui = point.U + int(problem.from, e) * row, uj = point.U + int(problem.to, e) * row;
  const a = real(point.a, e), s = f64x2.splat(a), f = f64x2.splat(a * eps);
  const held = load<u8>(problem.held + e) != 0;
  for (let k: usize = 0; k < row; k += 16) {
    let z = f64x2.mul(s, f64x2.sub(v128.load(ui + k), v128.load(uj + k)));
    if (held) z = madd(f, v128.load(y0 + k), z);
    v128.store(out + k, z);
  }
}
