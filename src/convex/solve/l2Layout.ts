/**
 * The memory layout of the L2 kernel: the problem's data, renumbered so that neighbours are close together,
 * and room for the iterations. The field order is that of the kernel's classes Problem and Point.
 */
import { adjacency, type Adjacency, type Edges } from "../../graph/index.ts";
import { breadthFirst } from "../../graph/internal.ts";
import { cholesky, identity, loadKernel, type Kernel } from "../../matrix/index.ts";
import * as binary from "../kernel/l2.wasm.ts";
import type { ConvexProblem } from "./problem.ts";

/** Arguments are addresses, apart from scalars; see kernel/l2.as.ts. */
type L2Kernel = Kernel<binary.Exports>;

export interface Point {
  /** Address of the kernel's Point. */
  readonly address: number;
  readonly U: number;
  readonly G: number;
  readonly a: number;
}

/** Calls `work` with the laid out problem, which is valid until it returns. */
export function withLayout<T>(problem: ConvexProblem, work: (layout: Layout) => T): T {
  const kernel = loadKernel<binary.Exports>("convex/l2", binary);
  return kernel.scope(() => work(layOut(kernel, problem)));
}

function layOut(kernel: L2Kernel, problem: ConvexProblem) {
  const { X, graph, masses } = problem;
  const [n, d, m] = [X.rows, X.cols, graph.from.length];
  const stride = d + (d % 2);
  const doubles = (length: number): number => kernel.reserve(8 * length);
  const integers = (length: number): number => kernel.reserve(4 * length);
  const block = (): number => doubles(n * stride);

  const metric = {
    B: doubles(stride * stride),
    inverse: doubles(stride * stride),
    diagonal: doubles(stride),
  };
  const data = { X: block(), mass: doubles(n) };
  const edges = {
    from: integers(m),
    to: integers(m),
    w: doubles(m),
    Y: doubles(m * stride),
    held: kernel.reserve(m),
    offsets: integers(n + 1),
    links: integers(4 * m),
  };
  const groups = {
    labels: integers(n),
    masses: doubles(n),
    sizes: integers(n),
    group: doubles(n),
    node: doubles(n),
  };
  const room = { C: block(), sums: block(), lines: doubles(2 * stride) };
  const work = { P: block(), Q: block(), R: block(), S: block(), V: block(), out: doubles(2) };
  const arrays = Array.from({ length: 2 }, () => ({
    U: block(),
    G: block(),
    t: doubles(m),
    a: doubles(m),
    b: doubles(m),
  }));
  const structs = integers(64);

  const kind = writeMetric(problem, stride, kernel, metric);
  const fields = [n, m, d, 8 * stride, kind];
  for (const part of [metric, data, edges, groups, room]) fields.push(...Object.values(part));
  kernel.i32(structs, fields.length).set(fields);
  const points = arrays.map((array, which) => {
    const address = structs + 4 * (32 + 8 * which);
    kernel.i32(address, 5).set(Object.values(array));
    return { address, U: array.U, G: array.G, a: array.a };
  }) as [Point, Point];

  const links = adjacency(graph);
  // The rows of neighbours are then likely to be in the cache.
  const { order } = breadthFirst(links);
  const place = new Int32Array(n);
  for (let p = 0; p < n; p++) place[order[p]] = p;
  const mean = new Float64Array(d);
  for (let p = 0; p < X.data.length; p++) mean[p % d] += X.data[p] / n;
  const write = (address: number, values: Float64Array): void => {
    const view = kernel.f64(address, n * stride);
    if (stride > d) view.fill(0);
    for (let p = 0; p < n; p++) {
      const row = order[p] * d;
      for (let k = 0; k < d; k++) view[p * stride + k] = values[row + k] - mean[k];
    }
  };
  write(data.X, X.data);
  kernel.f64(data.mass, n).set(Float64Array.from(order, (i) => (masses === undefined ? 1 : masses[i])));
  const numbers = writeEdges(graph, links, order, place, kernel, edges);
  new Uint8Array(kernel.memory.buffer, edges.held, m).fill(0);

  return {
    kernel,
    /** Address of the kernel's Problem. */
    problem: structs,
    points,
    /** Matrices of the conjugate gradient method, and two doubles for results. */
    work,
    /** The fused centres. */
    C: room.C,
    /** Writes n x d values, minus the column means of X. */
    write,
    /** Reads them back. */
    read(address: number) {
      const view = kernel.f64(address, n * stride);
      const values = new Float64Array(n * d);
      for (let p = 0; p < n; p++) {
        const row = order[p] * d;
        for (let k = 0; k < d; k++) values[row + k] = view[p * stride + k] + mean[k];
      }
      return values;
    },
    /** The group of each node. */
    labels() {
      const view = kernel.i32(groups.labels, n);
      const labels = new Int32Array(n);
      for (let p = 0; p < n; p++) labels[order[p]] = view[p];
      return labels;
    },
    /** Sets the multiplier of each edge l, in the problem's order, to factor(l) z_l; a factor of 0 drops it. */
    writeMultipliers(Z: Float64Array, factor: (edge: number) => number) {
      const y0 = kernel.f64(edges.Y, m * stride);
      const held = new Uint8Array(kernel.memory.buffer, edges.held, m);
      if (stride > d) y0.fill(0);
      for (let l = 0; l < m; l++) {
        const e = numbers[l];
        const scale = place[graph.from[l]] < place[graph.to[l]] ? factor(l) : -factor(l);
        held[e] = scale === 0 ? 0 : 1;
        for (let k = 0; k < d; k++) y0[e * stride + k] = scale * Z[l * d + k];
      }
    },
    /** z, m x d, of a point. */
    readForces({ U, a }: Point, eps: number) {
      const y0 = kernel.f64(edges.Y, m * stride);
      const held = new Uint8Array(kernel.memory.buffer, edges.held, m);
      const [u, stiffness] = [kernel.f64(U, n * stride), kernel.f64(a, m)];
      const Z = new Float64Array(m * d);
      for (let l = 0; l < m; l++) {
        const e = numbers[l];
        const [i, j] = [place[graph.from[l]] * stride, place[graph.to[l]] * stride];
        for (let k = 0; k < d; k++) Z[l * d + k] = stiffness[e] * (u[i + k] - u[j + k]);
        if (held[e] === 0) continue;
        const scale = i < j ? stiffness[e] * eps : -stiffness[e] * eps;
        for (let k = 0; k < d; k++) Z[l * d + k] += scale * y0[e * stride + k];
      }
      return Z;
    },
  };
}

export type Layout = ReturnType<typeof layOut>;

/** Writes B, B^-1 and the diagonal of B; returns the kernel's number for the kind of metric. */
function writeMetric(
  { metric, X }: ConvexProblem,
  stride: number,
  kernel: L2Kernel,
  at: { B: number; inverse: number; diagonal: number },
): number {
  const d = X.cols;
  const diagonal = kernel.f64(at.diagonal, stride).fill(1);
  if (metric === undefined) return 0;
  const B = kernel.f64(at.B, stride * stride).fill(0);
  const inverse = kernel.f64(at.inverse, stride * stride).fill(0);
  if (metric instanceof Float64Array) {
    for (let k = 0; k < d; k++) {
      B[k] = diagonal[k] = metric[k];
      inverse[k] = 1 / metric[k];
    }
    return 1;
  }
  const inverted = cholesky(metric).solve(identity(d));
  for (let k = 0; k < d; k++) {
    for (let l = 0; l < d; l++) {
      B[k * stride + l] = metric.data[k * d + l];
      inverse[k * stride + l] = inverted.data[k * d + l];
    }
    diagonal[k] = metric.data[k * d + k];
  }
  return 2;
}

/** Edges and links in the new numbers, every edge from its smaller end and sorted by it; returns the edges' numbers. */
function writeEdges(
  graph: Edges,
  { offsets, neighbors, edges }: Adjacency,
  order: Int32Array,
  place: Int32Array,
  kernel: L2Kernel,
  at: { from: number; to: number; w: number; offsets: number; links: number },
): Int32Array {
  const [n, m] = [graph.nodes, graph.from.length];
  const [from, to, w] = [kernel.i32(at.from, m), kernel.i32(at.to, m), kernel.f64(at.w, m)];
  const starts = kernel.i32(at.offsets, n + 1);
  const links = kernel.i32(at.links, 4 * m);
  const numbers = new Int32Array(m);
  let edge = 0;
  let link = 0;
  for (let p = 0; p < n; p++) {
    starts[p] = link;
    for (let q = offsets[order[p]]; q < offsets[order[p] + 1]; q++, link++) {
      const other = place[neighbors[q]];
      if (p < other) {
        from[edge] = p;
        to[edge] = other;
        w[edge] = graph.weights[edges[q]];
        numbers[edges[q]] = edge++;
      }
      links[2 * link] = other;
      links[2 * link + 1] = numbers[edges[q]];
    }
  }
  starts[n] = link;
  return numbers;
}
