import type { Matrix } from "../matrix/index.ts";
import { unfilledMatrix } from "./applyFeatures.ts";
import type { Cells } from "./encode/encodePart.ts";
import type { FeatureRecord } from "./featureRecord.ts";
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
  return record.missing === "fill" ? { ...record, parts, fill: learnFill(X) } : { ...record, parts };
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
