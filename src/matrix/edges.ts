/**
 * The two products with the incidence matrix D of a graph (row e has +1 at `from[e]` and -1 at `to[e]`): differences
 * D U along the edges, and sums D'Z at the nodes. Edges are summed in their order, so the bits do not depend
 * on the engine.
 */
import { inputError } from "../core/internal.ts";
import { engine } from "./engine.ts";
import * as binary from "./kernel/edges.wasm.ts";
import { matrix, type Matrix } from "./matrix.ts";
import { loadKernel } from "./wasm.ts";

/** Values of edge rows that pass through the kernel at a time. */
const STREAM = 65536;

/** D U: row e is u_from - u_to. */
export function edgeDifferences(U: Matrix, from: Int32Array, to: Int32Array): Matrix {
  requireEdges(U.rows, from, to);
  const d = U.cols;
  const Z = matrix(from.length, d);
  if (engine().name === "plain") {
    for (let e = 0; e < from.length; e++) {
      const u = from[e] * d;
      const v = to[e] * d;
      for (let f = 0; f < d; f++) Z.data[e * d + f] = U.data[u + f] - U.data[v + f];
    }
    return Z;
  }
  stream(U, from, to, (kernel, count, first, nodes, fromHere, toHere, edgeRows) => {
    kernel.exports.differences(count, d, fromHere, toHere, nodes, edgeRows);
    Z.data.set(kernel.f64(edgeRows, count * d), first * d);
  });
  return Z;
}

/** D'Z: row i is the sum of z_e over edges from i, less that over edges to i. */
export function edgeSums(nodes: number, Z: Matrix, from: Int32Array, to: Int32Array): Matrix {
  requireEdges(nodes, from, to);
  if (Z.rows !== from.length)
    throw inputError(`there are ${from.length} edges, but ${Z.rows} rows to add up`);
  const d = Z.cols;
  const V = matrix(nodes, d);
  if (engine().name === "plain") {
    for (let e = 0; e < from.length; e++) {
      const u = from[e] * d;
      const v = to[e] * d;
      for (let f = 0; f < d; f++) {
        V.data[u + f] += Z.data[e * d + f];
        V.data[v + f] -= Z.data[e * d + f];
      }
    }
    return V;
  }
  stream(V, from, to, (kernel, count, first, sums, fromHere, toHere, edgeRows) => {
    kernel.f64(edgeRows, count * d).set(Z.data.subarray(first * d, (first + count) * d));
    kernel.exports.scatter(count, d, fromHere, toHere, edgeRows, sums);
    if (first + count === from.length) V.data.set(kernel.f64(sums, nodes * d));
  });
  return V;
}

/** Calls `pass` for blocks of edges, with the node rows in the kernel's memory and room for the edge rows. */
function stream(
  nodes: Matrix,
  from: Int32Array,
  to: Int32Array,
  pass: (
    kernel: ReturnType<typeof loadKernel<binary.Exports>>,
    count: number,
    first: number,
    nodes: number,
    from: number,
    to: number,
    edgeRows: number,
  ) => void,
): void {
  const kernel = loadKernel<binary.Exports>("matrix/edges", binary);
  const block = Math.min(from.length, Math.max(64, Math.floor(STREAM / Math.max(1, nodes.cols))));
  kernel.scope(() => {
    const nodeRows = kernel.reserve(8 * nodes.data.length);
    const fromHere = kernel.reserve(4 * block);
    const toHere = kernel.reserve(4 * block);
    const edgeRows = kernel.reserve(8 * block * nodes.cols);
    kernel.f64(nodeRows, nodes.data.length).set(nodes.data);
    for (let first = 0; first < from.length; first += block) {
      const count = Math.min(block, from.length - first);
      kernel.i32(fromHere, count).set(from.subarray(first, first + count));
      kernel.i32(toHere, count).set(to.subarray(first, first + count));
      pass(kernel, count, first, nodeRows, fromHere, toHere, edgeRows);
    }
  });
}

/** An index outside the nodes would read or write foreign memory in the kernel. */
function requireEdges(nodes: number, from: Int32Array, to: Int32Array): void {
  if (from.length !== to.length) throw inputError(`${from.length} edges begin, but ${to.length} end`);
  for (let e = 0; e < from.length; e++) {
    if (from[e] < 0 || from[e] >= nodes || to[e] < 0 || to[e] >= nodes) {
      throw inputError(`edge ${e} joins ${from[e]} and ${to[e]}, but there are ${nodes} nodes`);
    }
  }
}
