// Hot loops of the semismooth Newton method of l2Newton.ts: this file has the conjugate gradient method and
// the multipliers; the re-exported parts have the objective and the certificate.
import { dot, hsum, madd } from "../../matrix/kernel/_micro.as";
import { groupSums } from "./_l2Certificate.as";
import { add, int, Point, Problem, real, rowDot } from "./_l2Problem.as";

export { edgeSlack, fuse, groups, nodeSlack, residual } from "./_l2Certificate.as";
export { evaluate, hessianProduct } from "./_l2Objective.as";

/**
 * y0 := y min(1, 1 / ||y||) for the next step, at ratio times the gamma: on edges between groups the forces,
 * gamma w y, scale with gamma; inside groups they stay constant, as far as the new bound allows. Edges longer
 * than `far` are exact without a multiplier, because their force is along u_i - u_j: they drop it, which
 * saves memory traffic.
 */
export function recentre(problem: Problem, point: Point, eps: f64, far: f64, ratio: f64): void {
  const row = problem.row, m = <usize>problem.m, s = f64x2.splat(1 / eps);
  for (let e: usize = 0; e < m; e++) {
    const held = problem.held + e;
    if (real(point.t, e) > far) {
      store<u8>(held, 0);
      continue;
    }
    const i = int(problem.from, e), j = int(problem.to, e);
    const ui = point.U + i * row, uj = point.U + j * row, y0 = problem.Y + e * row;
    const old = load<u8>(held) != 0;
    for (let k: usize = 0; k < row; k += 16) {
      const y = f64x2.mul(s, f64x2.sub(v128.load(ui + k), v128.load(uj + k)));
      v128.store(y0 + k, old ? f64x2.add(y, v128.load(y0 + k)) : y);
    }
    const size = Math.sqrt(rowDot(row, y0, y0));
    let scale = 1 / max(1, size);
    if (int(problem.labels, i) == int(problem.labels, j)) scale /= max(ratio, scale * size);
    const f = f64x2.splat(scale);
    for (let k: usize = 0; k < row; k += 16) v128.store(y0 + k, f64x2.mul(f, v128.load(y0 + k)));
    store<u8>(held, 1);
  }
}

/**
 * Diagonals of the penalty's Hessian, averaged over the features: for each node, and for each group as one
 * point (edges inside it do not count). Groups of one node get infinity: their coarse correction would repeat
 * the node's own.
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
