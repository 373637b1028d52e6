/**
 * The two products with the incidence matrix D of a graph (row e has +1 at `from[e]` and -1 at `to[e]`): differences
 * D U along the edges, and sums D'Z at the nodes, in the order of the edges. Both are bound by memory.
 */
import { inputError } from "../core/internal.ts";
import { matrix, requireMatrix, type Matrix } from "./matrix.ts";
import { requireList, requireCount } from "./memoryRows.ts";

/** D U: row e is u_from - u_to. */
export function edgeDifferences(U: Matrix, from: Int32Array, to: Int32Array): Matrix {
  requireMatrix(U, "edgeDifferences");
  requireEdges(U.rows, from, to);
  const d = U.cols;
  const Z = matrix(from.length, d);
  for (let e = 0, p = 0; e < from.length; e++) {
    for (let f = 0, i = from[e] * d, j = to[e] * d; f < d; f++) Z.data[p++] = U.data[i++] - U.data[j++];
  }
  return Z;
}

/** D'Z: row i is the sum of z_e over edges from i, less that over edges to i. */
export function edgeSums(nodes: number, Z: Matrix, from: Int32Array, to: Int32Array): Matrix {
  requireCount(nodes, "edgeSums: the number of nodes");
  requireMatrix(Z, "edgeSums");
  requireEdges(nodes, from, to);
  if (Z.rows !== from.length)
    throw inputError(`there are ${from.length} edges, but ${Z.rows} rows to add up`);
  const d = Z.cols;
  const V = matrix(nodes, d);
  for (let e = 0, p = 0; e < from.length; e++) {
    for (let f = 0, i = from[e] * d, j = to[e] * d; f < d; f++, p++) {
      V.data[i++] += Z.data[p];
      V.data[j++] -= Z.data[p];
    }
  }
  return V;
}

function requireEdges(nodes: number, from: Int32Array, to: Int32Array): void {
  for (const ends of [from, to]) requireList(ends, "the ends of edges");
  if (from.length !== to.length) throw inputError(`${from.length} edges begin, but ${to.length} end`);
  for (let e = 0; e < from.length; e++) {
    if (from[e] < 0 || from[e] >= nodes || to[e] < 0 || to[e] >= nodes) {
      throw inputError(`edge ${e} joins ${from[e]} and ${to[e]}, but there are ${nodes} nodes`);
    }
  }
}
