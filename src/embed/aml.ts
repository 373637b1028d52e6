import { kmeansInOrder } from "../cluster/internal.ts";
import {
  asGiven,
  centered,
  columnMeans,
  inValueOrder,
  scaledColumns,
  leadingColumns,
} from "../matrix/internal.ts";
import {
  asMatrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  symmetricEigen,
  type Matrix,
  type MatrixLike,
} from "../matrix/index.ts";
import {
  extended,
  inputError,
  optionError,
  progressGate,
  rule,
  type ProgressGate,
} from "../core/internal.ts";
import { PARTITION_RULES, requireRows, type EmbeddedRows } from "./embedding.ts";
import { means, partitionIndicator, type Partition } from "./cpdUml/cpdUmlAlternation.ts";
import { KERNEL_SPACE_RULES, kernelSpace } from "./kernelPca.ts";
import { principalAxes } from "./pca.ts";
import { placedProjection, type Projection } from "./projection.ts";

/**
 * Adaptive metric learning (J. Ye, Z. Zhao and H. Liu, 2007): a partition together with the projection that
 * separates it best,
 *
 *     maximise over W (d x r) and partitions L:   f = tr( (W'(X'X + lambda I)W)^-1  W'X'L L'X W )
 *
 * L the normalised indicator, X centred. With Z = X (X'X + lambda I)^(-1/2), rows whitened to a degree set by
 * lambda, f = |V'Z'L|^2 for orthonormal V: V is the leading left singular vectors of Z'L, L is k-means on Z
 * V. Both steps raise f, all matrices are d x d, and at r >= K - 1 a fixed point is one of kernel k-means
 * with I - (I + XX'/lambda)^-1: lambda -> infinity is plain k-means, and lambda -> 0 makes all partitions
 * equally good.
 */
export const amlOptions = {
  ...PARTITION_RULES,
  /** r; default: K - 1 (or the rank of the rows), the most that f can use. */
  dims: rule.integer({ min: 1 }),
  ...KERNEL_SPACE_RULES,
  maxIterations: rule.integer({ min: 1, default: 100, says: "maximum number of iterations" }),
};

export type AmlOptions = rule.OptionsOf<typeof amlOptions>;

export interface Aml extends EmbeddedRows, Projection {
  readonly method: "aml" | "naml";
  readonly clusters: number;
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** K x r, in the projection. */
  readonly centers: Matrix;
  /** f, at most K - 1: the part of the indicators that the projection explains. */
  readonly objective: number;
  /** f after each iteration; never falls. */
  readonly history: readonly number[];
  readonly placement: "projection";
}

export function aml(input: MatrixLike, options: AmlOptions): Aml {
  return inValueOrder(asMatrix(input, "aml"), options, [], fitted, asGiven<Aml>("embedding"));
}

function fitted(X: Matrix, options: AmlOptions): Aml {
  const method: "aml" | "naml" = options?.kernel === undefined ? "aml" : "naml";
  const resolved = rule.resolveOptions(method, options, amlOptions);
  const { clusters: asked, lambda, restarts, seed, maxIterations } = resolved;
  requireRows(X, method);
  if (asked > X.rows) throw optionError(`${method}: cannot make ${asked} clusters of ${X.rows} rows`);
  const space = kernelSpace(X, resolved, "aml");
  const mean = columnMeans(space.rows);
  const centred = centered(space.rows, mean);
  const whitening = whitener(centred, lambda, method);
  const Z = multiply(centred, whitening);
  // k-means on the rows is the start of the text; k-means on the whitened rows is the other extreme of
  // lambda.
  const starts = [centred, Z].map((rows) => kmeansInOrder(rows, { clusters: asked, restarts, seed }));
  const K = starts[0].clusters;
  const warnings = [...space.warnings, ...(K < asked ? starts[0].warnings : [])];
  const gate = progressGate(resolved.onProgress);
  const dims = resolved.dims ?? K;
  const runs = starts.map((start) =>
    ascend((partition) => discriminants(Z, partition, dims), start, maxIterations, gate),
  );
  const { partition, view, history, converged } = runs.reduce((a, b) =>
    b.history.at(-1)! > a.history.at(-1)! ? b : a,
  );
  if (gate.stopped) warnings.push("stopped by onProgress");
  else if (!converged) warnings.push(`not converged after ${maxIterations} iterations`);
  const { P: embedding, directions } = view;
  if (resolved.dims !== undefined && embedding.cols < resolved.dims) {
    warnings.push(
      `${K} clusters of rows of rank ${Z.cols} have ${embedding.cols} discriminants, fewer than ${resolved.dims}`,
    );
  }
  const model = placedProjection(X, partition.labels, {
    method,
    mean,
    map: multiply(whitening, directions),
    offset: new Float64Array(directions.cols),
    centers: means(embedding, partition),
    ...(space.model !== undefined && { kernel: space.model }),
  });
  return extended(model, {
    method: method as Aml["method"],
    centers: model.centers as Matrix,
    placement: "projection" as const,
    clusters: K,
    labels: partition.labels,
    sizes: partition.sizes,
    embedding,
    objective: history[history.length - 1],
    history,
    iterations: history.length,
    converged,
    warnings,
  });
}

/**
 * d x rank: principal axes divided by the square roots of their eigenvalues plus lambda times the mean one.
 */
function whitener(X: Matrix, lambda: number, method: string): Matrix {
  const { V, values, meanValue } = principalAxes(X);
  if (V.cols === 0) throw inputError(`${method}: all rows are equal, so there is nothing to separate`);
  return scaledColumns(V, (r) => 1 / Math.sqrt(values[r] + lambda * meanValue));
}

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
