import { matrix, type Matrix } from "../matrix/index.ts";
import { columnsOf, unfilledMatrix } from "./applyFeatures.ts";
import type { Cells } from "./encode/encodePart.ts";
import type { FeaturePart, FeatureRecord, FillModel } from "./featureRecord.ts";
import { learnFill } from "./fillModel.ts";

/** Limit on the cost of one round of the fill, in cells of the covariance. */
const FILL_WORK = 5e8;

/** The variances of the features, and the fills for missing ones. */
export function withFill(record: FeatureRecord, cells: Cells, sample: Int32Array): FeatureRecord {
  const width = record.parts.reduce((sum, part) => sum + part.names.length, 0);
  const rows = sample.subarray(0, Math.max(1000, Math.floor(FILL_WORK / width ** 2)));
  const X = unfilledMatrix(record.parts, cells, rows);
  const variances = featureVariances(X);
  let first = 0;
  const parts = record.parts.map((part) => {
    const own = Array.from(variances.subarray(first, (first += part.names.length)));
    return { ...part, variances: own };
  });
  return record.missing === "fill"
    ? { ...record, parts, fill: fillWithoutMarks(X, parts) }
    : { ...record, parts };
}

/**
 * The mark of a column that is filled fills nothing: where a cell is known, its mark is always 0, so nothing tells how the
 * mark would shift it, and the fills of EM drift away from all known cells. A mark is never missing itself.
 */
function fillWithoutMarks(X: Matrix, parts: readonly FeaturePart[]): FillModel {
  const filled = new Set(columnsOf({ parts: parts.filter(({ encoding }) => encoding.form !== "mark") }));
  const marked = parts.flatMap(({ names, encoding }) =>
    names.map(() => encoding.form === "mark" && encoding.of.some((name) => filled.has(name))),
  );
  const used = Array.from(marked.keys()).filter((f) => !marked[f]);
  if (used.length === X.cols || used.length === 0) return learnFill(X);
  const without = matrix(X.rows, used.length);
  for (let i = 0; i < X.rows; i++)
    used.forEach((f, g) => (without.data[i * used.length + g] = X.data[i * X.cols + f]));
  const { mean, loadings, noise } = learnFill(without);
  const q = loadings.cols;
  const all = { mean: marked.map(() => 0), data: Array.from({ length: X.cols * q }, () => 0) };
  used.forEach((f, g) => {
    all.mean[f] = mean[g];
    for (let r = 0; r < q; r++) all.data[f * q + r] = loadings.data[g * q + r];
  });
  return { mean: all.mean, loadings: { rows: X.cols, cols: q, data: all.data }, noise };
}

function featureVariances({ cols, data }: Matrix): Float64Array {
  const counts = new Float64Array(cols);
  const means = new Float64Array(cols);
  const squares = new Float64Array(cols);
  for (let p = 0; p < data.length; p++) {
    if (Number.isNaN(data[p])) continue;
    const f = p % cols;
    counts[f]++;
    const step = Math.max(-1e150, Math.min(1e150, data[p] - means[f]));
    means[f] += step / counts[f];
    squares[f] += step * step * (1 - 1 / counts[f]);
  }
  // Limited so that their sums stay finite.
  return squares.map((square, f) => (counts[f] > 0 ? Math.min(square / counts[f], 1e290) : 0));
}
