import { kmeansInOrder } from "../../cluster/internal.ts";
import { inputError } from "../../core/internal.ts";
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
import { leadingColumns } from "../../matrix/internal.ts";

export type SpectralEmbedding = ReturnType<typeof spectralEmbedding>;

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
export function embeddedPartition(
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
