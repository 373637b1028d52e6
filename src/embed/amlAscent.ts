import { kmeansInOrder } from "../cluster/internal.ts";
import type { ProgressGate } from "../core/internal.ts";
import {
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  symmetricEigen,
  type Matrix,
} from "../matrix/index.ts";
import { partitionIndicator } from "./cpdUml/cpdUmlIndicator.ts";
import { means, type Partition } from "./cpdUml/cpdUmlSpectral.ts";
import { leadingColumns, scaledColumns } from "../matrix/internal.ts";

/** The rows in the best directions for a partition, Z V. */
export interface View {
  readonly P: Matrix;
}

/**
 * Maximises f = |V'Z'L|^2 over partitions L and orthonormal V in turns: V the leading left singular vectors
 * of Z'L, L k-means on Z V from its current state. f never falls.
 */
export function ascend<V extends View>(
  viewOf: (partition: Partition) => V,
  start: Partition,
  maxIterations: number,
  gate: ProgressGate,
) {
  let partition = start;
  let view = viewOf(partition);
  const history: number[] = [];
  let converged = false;
  while (!converged && history.length < maxIterations) {
    const next: Partition = kmeansInOrder(view.P, { initialCenters: means(view.P, partition) });
    converged = next.labels.every((label, i) => label === partition.labels[i]);
    partition = next;
    view = viewOf(partition);
    const objective = explained(view.P, partition);
    history.push(objective);
    const iteration = history.length;
    if (!gate({ fraction: iteration / (maxIterations + 1), label: `iteration ${iteration}`, objective }))
      break;
  }
  return { partition, view, history, converged };
}

/** V, the leading left singular vectors of Z'L, at most as many as its rank, and Z V. */
export function discriminants(
  Z: Matrix,
  { labels, sizes }: Partition,
  dims: number,
): View & { readonly directions: Matrix } {
  // F' = L'Z is K x r, so F = V S Q' comes from the K x K matrix F'F.
  const transposed = partitionIndicator(labels, sizes).timesTranspose(Z);
  const { values, vectors } = symmetricEigen(multiplyTransposeB(transposed, transposed));
  const rank = values.filter((value, r) => r < dims && value > 1e-13 * values[0]).length;
  const kept = leadingColumns(vectors, rank);
  const directions = scaledColumns(multiplyTransposeA(transposed, kept), (r) => 1 / Math.sqrt(values[r]));
  return { directions, P: multiply(Z, directions) };
}

/** |P'L|^2. */
function explained(P: Matrix, { labels, sizes }: Partition): number {
  return partitionIndicator(labels, sizes)
    .timesTranspose(P)
    .data.reduce((sum, value) => sum + value * value, 0);
}
