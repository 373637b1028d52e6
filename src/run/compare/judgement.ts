import {
  borders,
  judgedSpace,
  partition,
  partitionIcl,
  rowCodes,
  rowOrder,
  sampleSize,
  weakest,
  type JudgedSpace,
} from "../../compare/internal.ts";
import { isSparse, takeRows, toDense, type Matrix, type Sparse } from "../../matrix/index.ts";

/** The evidence of the data for a partition, without labels. */
export interface Judgement {
  /** Log-odds that its weakest border is real; null if ties break neighbour graphs, and with one cluster. */
  readonly evidence: number | null;
  /** Classification likelihood of Gaussian clusters per row, with the penalty of its parameters (ICL). */
  readonly likelihood: number | null;
}

export type Judge = (labels: Int32Array) => Judgement;

/** Numbers (rows x columns) up to which sparse rows are made dense for judging. */
const MOST_NUMBERS = 4e7;

/**
 * Judges every partition of a comparison, including the default: the space is made once, on the rows that the
 * default uses, so the numbers of two partitions are comparable.
 *
 * @param graphs false where levels make ties, which break neighbour graphs
 */
export function judgeOf(rows: Matrix | Sparse, seed: number, graphs: boolean): Judge {
  if (isSparse(rows) && rows.rows * rows.cols > MOST_NUMBERS) {
    return () => ({ evidence: null, likelihood: null });
  }
  const X = isSparse(rows) ? toDense(rows) : rows;
  const taken = rowOrder(X, seed).subarray(0, sampleSize(X));
  const space = judgedSpace(takeRows(X, taken), seed);
  const judges = borders(space);
  const codes = rowCodes(taken.length);
  const known = new Map<string, Judgement>();
  return (labels) => {
    const own = partition(
      placed(
        space,
        Int32Array.from(taken, (i) => labels[i]),
      ),
      codes,
    );
    let judgement = known.get(own.key);
    if (judgement === undefined) {
      judgement = {
        evidence: own.clusters.length > 1 && graphs ? weakest(judges, own).evidence : null,
        likelihood: partitionIcl(judges, own, space.spread),
      };
      known.set(own.key, judgement);
    }
    return judgement;
  };
}

/** Rows in no cluster join the nearest row in one: borders exist only between clusters. */
function placed({ neighbors: { count, indices } }: JudgedSpace, labels: Int32Array): Int32Array {
  if (!labels.includes(-1)) return labels;
  return labels.map((label, i) => {
    if (label >= 0) return label;
    for (let p = i * count; p < (i + 1) * count; p++) if (labels[indices[p]] >= 0) return labels[indices[p]];
    return 0;
  });
}
