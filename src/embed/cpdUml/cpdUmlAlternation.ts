import { inputError, type ProgressGate, type rule } from "../../core/internal.ts";
import {
  gram,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  symmetricEigen,
  topEigen,
  type Matrix,
} from "../../matrix/index.ts";
import type { cpdUmlOptions } from "./cpdUml.ts";
import { fieldSolver, type FieldBasis, type FieldStep } from "./cpdUmlField.ts";
import { kmeansInOrder } from "../../cluster/internal.ts";
import { leadingColumns } from "../../matrix/internal.ts";

export type AlternationOptions = { readonly lambda: number } & Pick<
  rule.ResolvedOptions<typeof cpdUmlOptions>,
  "clusters" | "indicator" | "iterate" | "maxIterations" | "tolerance" | "restarts" | "seed"
>;

export type Alternation = ReturnType<typeof alternate>;

/**
 * The part that does not depend on sigma and lambda: Psi = 0. The ablation, and the start of every
 * alternation.
 */
export function spectralStart(
  X: Matrix,
  options: Pick<AlternationOptions, "clusters" | "restarts" | "seed">,
): { embedding: SpectralEmbedding; partition: Partition } {
  const embedding = spectralEmbedding(X, options.clusters);
  return { embedding, partition: embeddedPartition(embedding.U, options.clusters, undefined, options) };
}

/**
 * Algorithm 1. The Psi step is exact and lowers J; so does the Y step when Y may be any orthonormal matrix (relaxed).
 * A partition found by k-means need not lower J, so the best iterate is kept. A partition determines the next
 * one, so a repeated partition proves a fixed point (after one iteration) or a cycle (after several).
 */
export function alternate(
  X: Matrix,
  basis: FieldBasis,
  start: ReturnType<typeof spectralStart>,
  options: AlternationOptions,
  gate: ProgressGate,
) {
  const { clusters: K, lambda, indicator, iterate, maxIterations, tolerance } = options;
  const solver = fieldSolver(X, basis, lambda);
  const relaxed = indicator === "relaxed";
  let { embedding, partition } = start;
  const history: number[] = [];
  const met = new Map<string, number>();
  let kept: { Y: Indicator; step: FieldStep; partition: Partition } | undefined;
  let returned = 0;
  let outcome: "converged" | "cycle" | "limit" | "stopped" = "limit";
  /** Iterations from a partition back to itself; 1 when converged, 0 when no partition recurred. */
  let period = 0;
  for (let iteration = 1; iteration <= maxIterations; iteration++) {
    const Y = relaxed ? relaxedIndicator(embedding.U) : partitionIndicator(partition.labels, partition.sizes);
    const step = solver.step(Y);
    const previous = history.at(-1);
    history.push(step.objective);
    if (kept === undefined || iterate === "last" || step.objective < kept.step.objective) {
      kept = { Y, step, partition };
      returned = iteration;
    }
    const fraction = iteration / (maxIterations + 1);
    if (!gate({ fraction, label: `iteration ${iteration}`, objective: step.objective })) {
      outcome = "stopped";
      break;
    }
    if (relaxed && previous !== undefined && previous - step.objective <= tolerance * previous) {
      outcome = "converged";
      period = 1;
      break;
    }
    if (!relaxed) met.set(canonical(partition), iteration);
    embedding = spectralEmbedding(step.moved, K);
    if (relaxed) continue;
    partition = embeddedPartition(embedding.U, K, partition, options);
    const before = met.get(canonical(partition));
    if (before !== undefined) {
      period = iteration + 1 - before;
      outcome = period === 1 ? "converged" : "cycle";
      break;
    }
  }
  const { Y, step, partition: found } = kept!;
  embedding = spectralEmbedding(step.moved, K);
  return {
    partition: relaxed ? embeddedPartition(embedding.U, K, undefined, options) : found,
    /** X1, in the coordinates of X. */
    moved: step.moved,
    /** Phi, m x d. */
    weights: solver.weights(Y, step),
    Y,
    /** Leading singular vectors of X1. */
    embedding,
    objective: step.objective,
    /** J after each Psi step. */
    history,
    /** The iteration that is returned, counted from 1. */
    returned,
    outcome,
    period,
  };
}

/** The same text for the same partition, for any numbering of its clusters. */
function canonical({ labels, sizes }: Partition): string {
  const number = new Int32Array(sizes.length).fill(-1);
  let next = 0;
  return labels
    .map((label) => {
      if (number[label] < 0) number[label] = next++;
      return number[label];
    })
    .join();
}

type SpectralEmbedding = ReturnType<typeof spectralEmbedding>;

/** Below this share of the largest, a squared singular value from A'A is rounding. */
const RANK_CUT = 1e-13;
/** Above this size a few eigenpairs are cheaper one by one than all at once. */
const DENSE_LIMIT = 200;

/**
 * The spectral relaxation of k-means (Zha et al. 2001): the K leading left singular vectors of A = U S V'. U is n x r with
 * r = min(K, rank of A); V is d x r, with U = A V diag(1 / s) for new rows; values are s, descending.
 */
export function spectralEmbedding(A: Matrix, K: number) {
  const { rows: n, cols: d } = A;
  const wide = d > n;
  const size = Math.min(n, d);
  const wanted = Math.min(K, size);
  const S = wide ? multiplyTransposeB(A, A) : gram(A);
  const { values: squares, vectors } =
    size > DENSE_LIMIT && 8 * wanted < size ? topEigen(S, wanted) : symmetricEigen(S);
  const r = squares.filter((square, at) => at < wanted && square > RANK_CUT * squares[0]).length;
  if (r === 0)
    throw inputError("cpdUml: all rows are zero (or, centred, equal), so there is nothing to separate");
  const values = squares.slice(0, r).map(Math.sqrt);
  const leading = leadingColumns(vectors, r);
  // The other side: A V / s, or A'U / s.
  const other = wide ? multiplyTransposeA(A, leading) : multiply(A, leading);
  for (let p = 0; p < other.data.length; p++) other.data[p] /= values[p % r];
  return wide ? { U: leading, V: other, values } : { U: other, V: leading, values };
}

export interface Partition {
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
}

/**
 * k-means on the embedding: the best of fresh starts and of a continuation from `before`, which prevents
 * jumps between equally good partitions.
 */
function embeddedPartition(
  U: Matrix,
  K: number,
  before: Partition | undefined,
  { restarts, seed }: { readonly restarts: number; readonly seed: number },
): Partition {
  const fresh = kmeansInOrder(U, { clusters: K, restarts, seed });
  if (before === undefined || before.sizes.length !== fresh.clusters) return fresh;
  const kept = kmeansInOrder(U, { initialCenters: means(U, before) });
  return kept.objective <= fresh.objective ? kept : fresh;
}

/** Means of the rows of A by cluster. */
export function means(A: Matrix, { labels, sizes }: Partition): Matrix {
  const d = A.cols;
  const M = matrix(sizes.length, d);
  for (let i = 0; i < A.rows; i++) {
    const k = labels[i];
    for (let f = 0; f < d; f++) M.data[k * d + f] += A.data[i * d + f] / sizes[k];
  }
  return M;
}

/** Y of CPD-UML, n x K with orthonormal columns, in two forms. */
export interface Indicator {
  readonly cols: number;
  dense(): Matrix;
  /** Y A. */
  times(A: Matrix): Matrix;
  /** Y'A. */
  timesTranspose(A: Matrix): Matrix;
}

/** Column k is the indicator of cluster k divided by the root of its size (9). No cluster may be empty. */
export function partitionIndicator(labels: Int32Array, sizes: Int32Array): Indicator {
  const n = labels.length;
  const K = sizes.length;
  const scale = Float64Array.from(sizes, (size) => 1 / Math.sqrt(size));
  return {
    cols: K,
    dense() {
      const Y = matrix(n, K);
      for (let i = 0; i < n; i++) Y.data[i * K + labels[i]] = scale[labels[i]];
      return Y;
    },
    times(A) {
      const d = A.cols;
      const B = matrix(n, d);
      for (let i = 0; i < n; i++) {
        const k = labels[i];
        for (let f = 0; f < d; f++) B.data[i * d + f] = scale[k] * A.data[k * d + f];
      }
      return B;
    },
    timesTranspose(A) {
      const d = A.cols;
      const B = matrix(K, d);
      for (let i = 0; i < n; i++) {
        const k = labels[i];
        for (let f = 0; f < d; f++) B.data[k * d + f] += scale[k] * A.data[i * d + f];
      }
      return B;
    },
  };
}

/** Y itself, any matrix with orthonormal columns: the relaxed form. */
export function relaxedIndicator(Y: Matrix): Indicator {
  return {
    cols: Y.cols,
    dense: () => Y,
    times: (A) => multiply(Y, A),
    timesTranspose: (A) => multiplyTransposeA(Y, A),
  };
}
