import {
  asMatrix,
  asRows,
  isSparse,
  row,
  takeRows,
  toDense,
  type Matrix,
  type MatrixLike,
  type Sparse,
} from "../matrix/index.ts";
import { matrixForm, takeSparseRows } from "../matrix/internal.ts";
import { sameRow } from "./clusterInput.ts";
import { form, inputError } from "../core/internal.ts";

/** Training rows that the rule would place elsewhere (knownRows.ts). */
export const knownRowsForm = form.record({
  rows: matrixForm("known rows"),
  labels: form.wholes("known rows", { min: 0, below: "clusters" }),
});

export interface KnownRowsData extends form.StoredOf<typeof knownRowsForm> {}

/**
 * Training rows that the rule for new rows would place elsewhere: a pair, a known label or the tree decided
 * their label. They keep it, recognised by their values.
 */
export interface KnownRows extends form.LoadedOf<typeof knownRowsForm> {}

/** A rule for new rows. */
export type Place<R = Matrix> = (Y: R) => Int32Array;

/** `place`, except for rows of X with another label; these are found on first use. */
export function knownPlacing<R extends Matrix | Sparse>(
  X: R,
  labels: Int32Array,
  place: Place<R>,
  rows: "dense" | "any" = "dense",
) {
  let found: KnownRows | undefined;
  const known = (): KnownRows => (found ??= exceptions(X, labels, place(X)));
  return {
    predict: (input: MatrixLike | Sparse): Int32Array => {
      const Y = checked<R>(input, rows);
      return keepKnown(known(), Y, place(Y));
    },
    /** For a file; nothing if the rule reproduces all labels. */
    stored: (): { readonly known?: KnownRowsData } =>
      known().rows.rows === 0 ? {} : { known: knownRowsForm.save(known()) },
  };
}

/** The rule of a loaded model, with the rows of its file. */
export function placeKnown(known: KnownRows | undefined, place: Place): (Y: MatrixLike) => Int32Array {
  return (input) => {
    const Y = asMatrix(input, "predict");
    return known === undefined ? place(Y) : keepKnown(known, Y, place(Y));
  };
}

function checked<R extends Matrix | Sparse>(input: MatrixLike | Sparse, rows: "dense" | "any"): R {
  return (rows === "any" ? asRows(input, "predict") : asMatrix(input as MatrixLike, "predict")) as R;
}

function exceptions(X: Matrix | Sparse, labels: Int32Array, placed: Int32Array): KnownRows {
  if (placed.length !== labels.length) throw inputError(`${labels.length} labels for ${placed.length} rows`);
  const indices = Int32Array.from(labels.keys()).filter((i) => placed[i] !== labels[i]);
  return {
    rows: isSparse(X) ? toDense(takeSparseRows(X, indices)) : takeRows(X, indices),
    labels: indices.map((i) => labels[i]),
  };
}

function keepKnown({ rows, labels }: KnownRows, Y: Matrix | Sparse, placed: Int32Array): Int32Array {
  if (rows.rows === 0 || Y.cols !== rows.cols) return placed;
  const byHash = new Map<number, number[]>();
  for (let i = 0; i < rows.rows; i++) {
    const key = hash(row(rows, i));
    if (byHash.get(key)?.push(i) === undefined) byHash.set(key, [i]);
  }
  const buffer = new Float64Array(Y.cols);
  for (let i = 0; i < Y.rows; i++) {
    const y = isSparse(Y) ? sparseRow(Y, i, buffer) : row(Y, i);
    const same = byHash.get(hash(y))?.find((j) => sameRow(row(rows, j), y));
    if (same !== undefined) placed[i] = labels[same];
  }
  return placed;
}

function sparseRow({ offsets, indices, values }: Sparse, i: number, into: Float64Array): Float64Array {
  into.fill(0);
  for (let p = offsets[i]; p < offsets[i + 1]; p++) into[indices[p]] += values[p];
  return into;
}

const bits = new Float64Array(1);
const words = new Int32Array(bits.buffer);

/** FNV-1a over the bits of a row; 0 and -0 are the same. */
function hash(row: Float64Array): number {
  let h = 0x811c9dc5;
  for (let f = 0; f < row.length; f++) {
    bits[0] = row[f] + 0; // turns -0 into 0
    h = Math.imul(Math.imul(h ^ words[0], 0x01000193) ^ words[1], 0x01000193);
  }
  return h;
}
