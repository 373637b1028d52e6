// The smoothed objective of l2Workspace.ts, its gradient and its Hessian.
import { hsum, madd } from "../../matrix/kernel/_micro.as";
import { applyMetric, int, Point, Problem, push, real, rowDot, subtract } from "./_l2Problem.as";

/**
 * Evaluates the point's U at gamma and eps: the edges' lengths and stiffnesses and the gradient M (U - X) B +
 * D'z, z_l = gamma w_l y_l min(1, 1 / ||y_l||). Returns the value of l2Workspace.ts.
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
 * Lengths, a and b of the edges; adds their forces to G, z = a (u_i - u_j) + a eps y0; returns the penalty's part of
 * the value. Three passes, so that the second pipelines its roots and quotients and the third needs no stores per edge.
 */
function penalty(problem: Problem, point: Point, gamma: f64, eps: f64): f64 {
  const row = problem.row, U = point.U, m = <usize>problem.m, inverse = 1 / eps, s = f64x2.splat(inverse);
  let total: f64 = 0;
  for (let e: usize = 0; e < m; e++) {
    const i = int(problem.from, e) * row, j = int(problem.to, e) * row;
    const ui = U + i, uj = U + j;
    let tt = f64x2.splat(0);
    if (load<u8>(problem.held + e)) {
      const bound = gamma * real(problem.w, e), y0 = problem.Y + e * row;
      let yy = f64x2.splat(0);
      for (let k: usize = 0; k < row; k += 16) {
        const delta = f64x2.sub(v128.load(ui + k), v128.load(uj + k)), y = madd(s, delta, v128.load(y0 + k));
        tt = madd(delta, delta, tt);
        yy = madd(y, y, yy);
      }
      const y2 = hsum(yy), scale = saturate(point, e, y2, bound * inverse), f = f64x2.splat(bound * scale);
      total += bound * energy(y2, scale);
      const gi = point.G + i, gj = point.G + j;
      for (let k: usize = 0; k < row; k += 16) push(gi + k, gj + k, f64x2.mul(f, v128.load(y0 + k)));
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
    const bound = gamma * real(problem.w, e), y = t * inverse, y2 = y * y;
    total += bound * energy(y2, saturate(point, e, y2, bound * inverse));
  }
  gather(problem, point.a, U, point.G);
  return eps * total;
}

/** Stores a and b of an edge with y'y = yy and gamma w / eps = sigma; returns min(1, 1 / ||y||). */
// @ts-ignore: decorator
@inline
function saturate(point: Point, e: usize, yy: f64, sigma: f64): f64 {
  const at = e << 3;
  if (yy <= 1) {
    store<f64>(point.a + at, sigma);
    store<f64>(point.b + at, 0);
    return 1;
  }
  const scale = 1 / Math.sqrt(yy), a = sigma * scale;
  store<f64>(point.a + at, a);
  store<f64>(point.b + at, max(a * scale * scale, f64.MIN_VALUE)); // tells saturated edges, so never 0 by underflow
  return scale;
}

/** 1/2 (||y||^2 - max(0, ||y|| - 1)^2), given scale = min(1, 1 / ||y||). */
// @ts-ignore: decorator
@inline
function energy(yy: f64, scale: f64): f64 {
  return scale == 1 ? 0.5 * yy : 1 / scale - 0.5;
}

/** out = Hessian applied to P: M P B + sum_l D_l'(a_l I - radial b_l y_l y_l') D_l P, exact for radial = 1. */
export function hessianProduct(
  problem: Problem, point: Point, eps: f64, radial: f64, P: usize, out: usize,
): void {
  const row = problem.row, n = <usize>problem.n;
  for (let i: usize = 0; i < n; i++) {
    applyMetric(problem.kind, row, problem.B, real(problem.mass, i), P + i * row, out + i * row);
  }
  gather(problem, point.a, P, out);
  const m = <usize>problem.m, inverse = 1 / eps, s = f64x2.splat(inverse);
  for (let e: usize = 0; e < m; e++) {
    const b = real(point.b, e);
    if (b == 0) continue;
    const i = int(problem.from, e) * row, j = int(problem.to, e) * row;
    const ui = point.U + i, uj = point.U + j, pi = P + i, pj = P + j, oi = out + i, oj = out + j;
    let sum = f64x2.splat(0);
    if (load<u8>(problem.held + e)) {
      const y0 = problem.Y + e * row;
      for (let k: usize = 0; k < row; k += 16) {
        const y = madd(s, f64x2.sub(v128.load(ui + k), v128.load(uj + k)), v128.load(y0 + k));
        sum = madd(y, f64x2.sub(v128.load(pi + k), v128.load(pj + k)), sum);
      }
      const c = f64x2.splat(-radial * b * hsum(sum));
      for (let k: usize = 0; k < row; k += 16) {
        const y = madd(s, f64x2.sub(v128.load(ui + k), v128.load(uj + k)), v128.load(y0 + k));
        push(oi + k, oj + k, f64x2.mul(c, y));
      }
    } else {
      for (let k: usize = 0; k < row; k += 16) {
        const delta = f64x2.sub(v128.load(ui + k), v128.load(uj + k));
        sum = madd(delta, f64x2.sub(v128.load(pi + k), v128.load(pj + k)), sum);
      }
      const c = f64x2.splat(-radial * b * inverse * inverse * hsum(sum));
      for (let k: usize = 0; k < row; k += 16) {
        push(oi + k, oj + k, f64x2.mul(c, f64x2.sub(v128.load(ui + k), v128.load(uj + k))));
      }
    }
  }
}

/**
 * out_i += sum over the links of i of a_l (p_i - p_j). Each node collects from its neighbours in registers,
 * which is faster than adding every edge's part to both ends in memory; a row too long for the registers is
 * processed in parts.
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
