/**
 * The smoothed problem in the kernel's memory: laid out once, then evaluated for any U, gamma and eps.
 *
 *     F_eps(U) = 1/2 sum_i m_i (x_i - u_i)' B (x_i - u_i) + gamma sum_l w_l h_eps(||u_i - u_j||) ,
 *     h_eps(t) = t^2 / (2 eps) for t <= eps, t - eps / 2 above (Huber)
 *
 * Its edge forces z_l = gamma w_l (u_i - u_j) / max(eps, ||u_i - u_j||) are dual feasible for the problem without
 * smoothing, whatever U is, so that every iterate can be certified. Nothing here is larger than n x d or m.
 */
import { cholesky } from "../matrix/cholesky.ts";
import { identity } from "../matrix/matrix.ts";
import { loadKernel } from "../matrix/wasm.ts";
import * as binary from "./kernel/l2.wasm.ts";
import type { ConvexProblem } from "./problem.ts";

export interface Workspace {
  /** Mean over the edges of ||x_i - x_j||. */
  readonly meanLength: number;
  /** Mean over the nodes of the sum of their edges' weights. */
  readonly meanWeight: number;
  /** U := the given n x d values. */
  setPoint(U: Float64Array): void;
  getPoint(): Float64Array;
  /** F_eps(U); every other method refers to the U, gamma and eps of the last evaluation. */
  evaluate(gamma: number, eps: number): number;
  /** 1/2 sum_i g_i' B^-1 g_i / m_i for the gradient g: the part of the gap that is due to U not minimising F_eps. */
  residual(): number;
  /** Joins the nodes over edges no longer than `reach`; returns the number of groups. */
  group(reach: number): number;
  /** Sets the centres to the groups' means and certifies them with the forces at U. */
  certify(): { primal: number; gap: number };
  /** The centres that were certified last, n x d. */
  centres(): Float64Array;
  /** The group of each node. */
  labels(): Int32Array;
  /** U := centres + factor (U - centres): with eps scaled alike, the forces inside the groups stay as they are. */
  rescale(factor: number): void;
  /**
   * Newton direction by conjugate gradients, preconditioned on nodes and groups, to a residual of `forcing` times the
   * gradient; radial < 1 stiffens long edges lengthwise. Returns the derivative of F_eps along it.
   */
  direction(radial: number, forcing: number): number;
  /** F_eps and its derivative at U + t direction. */
  probe(t: number): { value: number; slope: number };
  /** U := the point of the last probe. */
  accept(): void;
}

interface L2Kernel {
  dot(length: number, x: number, y: number): number;
  combine(length: number, x: number, s: number, y: number, out: number): void;
  advance(length: number, alpha: number, V: number, Q: number, P: number, R: number): number;
  fidelity(
    n: number,
    row: number,
    kind: number,
    B: number,
    mass: number,
    X: number,
    U: number,
    G: number,
    line: number,
  ): number;
  fidelityProduct(
    n: number,
    row: number,
    kind: number,
    B: number,
    mass: number,
    P: number,
    out: number,
  ): void;
  inverseSquare(
    n: number,
    row: number,
    kind: number,
    inverse: number,
    mass: number,
    G: number,
    line: number,
  ): number;
  penalty(
    m: number,
    row: number,
    from: number,
    to: number,
    w: number,
    gamma: number,
    eps: number,
    U: number,
    G: number,
    lengths: number,
    a: number,
    b: number,
  ): number;
  penaltyProduct(
    m: number,
    row: number,
    from: number,
    to: number,
    a: number,
    b: number,
    radial: number,
    U: number,
    P: number,
    out: number,
  ): void;
  groups(
    n: number,
    m: number,
    from: number,
    to: number,
    lengths: number,
    reach: number,
    labels: number,
  ): number;
  groupMasses(n: number, count: number, mass: number, labels: number, masses: number): void;
  fuse(
    n: number,
    row: number,
    count: number,
    mass: number,
    labels: number,
    masses: number,
    U: number,
    sums: number,
    centres: number,
  ): void;
  edgeSlack(
    m: number,
    row: number,
    from: number,
    to: number,
    w: number,
    gamma: number,
    a: number,
    labels: number,
    U: number,
    C: number,
    out: number,
  ): void;
  nodeSlack(
    n: number,
    row: number,
    kind: number,
    B: number,
    inverse: number,
    mass: number,
    X: number,
    U: number,
    C: number,
    G: number,
    lines: number,
    out: number,
  ): void;
  stiffnesses(
    n: number,
    m: number,
    d: number,
    from: number,
    to: number,
    a: number,
    b: number,
    radial: number,
    labels: number,
    count: number,
    node: number,
    group: number,
    sizes: number,
  ): void;
  precondition(
    n: number,
    row: number,
    diagonal: number,
    mass: number,
    node: number,
    labels: number,
    count: number,
    masses: number,
    group: number,
    sums: number,
    R: number,
    S: number,
  ): number;
}

/** Conjugate gradient steps for one direction; an inexact direction is still one of descent. */
const MAX_STEPS = 500;

/** Lays the problem out and calls `work`, which must not keep the workspace. */
export function withWorkspace<T>(problem: ConvexProblem, work: (space: Workspace) => T): T {
  const kernel = loadKernel<L2Kernel>("convex/l2", binary);
  return kernel.scope(() => {
    const { X, graph } = problem;
    const [n, d, m] = [X.rows, X.cols, graph.from.length];
    const stride = d + (d % 2);
    const row = 8 * stride;
    const size = n * stride;
    const k = kernel.exports;
    const doubles = (length: number): number => kernel.reserve(8 * length);
    const point = (): { U: number; G: number; lengths: number; a: number; b: number } => ({
      U: doubles(size),
      G: doubles(size),
      lengths: doubles(m),
      a: doubles(m),
      b: doubles(m),
    });
    const at = {
      X: doubles(size),
      C: doubles(size),
      P: doubles(size),
      Q: doubles(size),
      R: doubles(size),
      S: doubles(size),
      V: doubles(size),
      sums: doubles(size),
      from: kernel.reserve(4 * m),
      to: kernel.reserve(4 * m),
      w: doubles(m),
      mass: doubles(n),
      node: doubles(n),
      group: doubles(n),
      masses: doubles(n),
      labels: kernel.reserve(4 * n),
      sizes: kernel.reserve(4 * n),
      B: doubles(stride * stride),
      inverse: doubles(stride * stride),
      diagonal: doubles(stride),
      lines: doubles(2 * stride),
      out: doubles(2),
    };
    let here = point();
    let there = point();
    const kind = layMetric(problem, stride, (address) => kernel.f64(address, stride * stride), at);
    const mean = columnMeans(problem);
    const pad = (source: Float64Array, address: number, shift: Float64Array): void => {
      const view = kernel.f64(address, size);
      if (stride > d) view.fill(0);
      for (let i = 0; i < n; i++) {
        for (let f = 0; f < d; f++) view[i * stride + f] = source[i * d + f] - shift[f];
      }
    };
    const unpad = (address: number): Float64Array => {
      const view = kernel.f64(address, size);
      const values = new Float64Array(n * d);
      for (let i = 0; i < n; i++) {
        for (let f = 0; f < d; f++) values[i * d + f] = view[i * stride + f] + mean[f];
      }
      return values;
    };
    pad(X.data, at.X, mean);
    kernel.f64(at.mass, n).set(problem.masses ?? new Float64Array(n).fill(1));
    const order = edgesByFirstNode(problem);
    kernel.i32(at.from, m).set(order.map((e) => graph.from[e]));
    kernel.i32(at.to, m).set(order.map((e) => graph.to[e]));
    kernel.f64(at.w, m).set(Float64Array.from(order, (e) => graph.weights[e]));

    let gamma = 0;
    let eps = 1;
    let count = n;
    const evaluateAt = (p: typeof here): number =>
      k.fidelity(n, row, kind, at.B, at.mass, at.X, p.U, p.G, at.lines) +
      k.penalty(m, row, at.from, at.to, at.w, gamma, eps, p.U, p.G, p.lengths, p.a, p.b);
    const precondition = (): number =>
      k.precondition(
        n,
        row,
        at.diagonal,
        at.mass,
        at.node,
        at.labels,
        count,
        at.masses,
        at.group,
        at.sums,
        at.R,
        at.S,
      );

    return work({
      meanLength: meanEdgeLength(problem),
      meanWeight: (2 * graph.weights.reduce((sum, w) => sum + w, 0)) / n,
      setPoint: (U) => pad(U, here.U, mean),
      getPoint: () => unpad(here.U),
      evaluate(newGamma, newEps) {
        gamma = newGamma;
        eps = newEps;
        return evaluateAt(here);
      },
      residual: () => 0.5 * k.inverseSquare(n, row, kind, at.inverse, at.mass, here.G, at.lines),
      group(reach) {
        count = k.groups(n, m, at.from, at.to, here.lengths, reach, at.labels);
        k.groupMasses(n, count, at.mass, at.labels, at.masses);
        return count;
      },
      certify() {
        k.fuse(n, row, count, at.mass, at.labels, at.masses, here.U, at.sums, at.C);
        k.edgeSlack(m, row, at.from, at.to, at.w, gamma, here.a, at.labels, here.U, at.C, at.out);
        const [penalty, edgeSlack] = kernel.f64(at.out, 2);
        k.nodeSlack(n, row, kind, at.B, at.inverse, at.mass, at.X, here.U, at.C, here.G, at.lines, at.out);
        const [fidelity, nodeSlack] = kernel.f64(at.out, 2);
        return { primal: fidelity + penalty, gap: nodeSlack + edgeSlack };
      },
      centres: () => unpad(at.C),
      labels: () => kernel.i32(at.labels, n).slice(),
      rescale(factor) {
        k.combine(size, here.U, -1, at.C, here.U);
        k.combine(size, at.C, factor, here.U, here.U);
      },
      direction(radial, forcing) {
        k.stiffnesses(
          n,
          m,
          d,
          at.from,
          at.to,
          here.a,
          here.b,
          radial,
          at.labels,
          count,
          at.node,
          at.group,
          at.sizes,
        );
        kernel.f64(at.P, size).fill(0);
        k.combine(size, at.P, -1, here.G, at.R);
        let inner = precondition();
        k.combine(size, at.S, 0, at.S, at.V);
        const stop = forcing ** 2 * k.dot(size, at.R, at.R);
        for (let step = 0; step < MAX_STEPS; step++) {
          k.fidelityProduct(n, row, kind, at.B, at.mass, at.V, at.Q);
          k.penaltyProduct(m, row, at.from, at.to, here.a, here.b, radial, here.U, at.V, at.Q);
          const alpha = inner / k.dot(size, at.V, at.Q);
          if (k.advance(size, alpha, at.V, at.Q, at.P, at.R) <= stop) break;
          const next = precondition();
          k.combine(size, at.S, next / inner, at.V, at.V);
          inner = next;
        }
        return k.dot(size, here.G, at.P);
      },
      probe(t) {
        k.combine(size, here.U, t, at.P, there.U);
        return { value: evaluateAt(there), slope: k.dot(size, there.G, at.P) };
      },
      accept() {
        [here, there] = [there, here];
      },
    });
  });
}

/** Writes B, B^-1 and the diagonal of B; returns the kernel's number for the kind of metric. */
function layMetric(
  problem: ConvexProblem,
  stride: number,
  square: (address: number) => Float64Array,
  at: { B: number; inverse: number; diagonal: number },
): number {
  const { metric, X } = problem;
  const d = X.cols;
  const diagonal = square(at.diagonal).subarray(0, stride).fill(1);
  if (metric === undefined) return 0;
  const B = square(at.B).fill(0);
  const inverse = square(at.inverse).fill(0);
  if (metric instanceof Float64Array) {
    for (let f = 0; f < d; f++) {
      B[f] = diagonal[f] = metric[f];
      inverse[f] = 1 / metric[f];
    }
    return 1;
  }
  const inverted = cholesky(metric).solve(identity(d));
  for (let f = 0; f < d; f++) {
    for (let g = 0; g < d; g++) {
      B[f * stride + g] = metric.data[f * d + g];
      inverse[f * stride + g] = inverted.data[f * d + g];
    }
    diagonal[f] = metric.data[f * d + f];
  }
  return 2;
}

/** Centred data keeps digits: the differences u_i - u_j are what counts. */
function columnMeans({ X }: ConvexProblem): Float64Array {
  const mean = new Float64Array(X.cols);
  for (let p = 0; p < X.data.length; p++) mean[p % X.cols] += X.data[p] / X.rows;
  return mean;
}

function meanEdgeLength({ X, graph }: ConvexProblem): number {
  const d = X.cols;
  let sum = 0;
  for (let e = 0; e < graph.from.length; e++) {
    let square = 0;
    for (let f = 0; f < d; f++) square += (X.data[graph.from[e] * d + f] - X.data[graph.to[e] * d + f]) ** 2;
    sum += Math.sqrt(square);
  }
  return graph.from.length === 0 ? 0 : sum / graph.from.length;
}

/** Edge numbers sorted by `from`, so that a node's row stays in the cache while its edges pass. */
function edgesByFirstNode({ graph: { nodes, from } }: ConvexProblem): Int32Array {
  const next = new Int32Array(nodes + 1);
  for (let e = 0; e < from.length; e++) next[from[e] + 1]++;
  for (let i = 0; i < nodes; i++) next[i + 1] += next[i];
  const order = new Int32Array(from.length);
  for (let e = 0; e < from.length; e++) order[next[from[e]]++] = e;
  return order;
}
