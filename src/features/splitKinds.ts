import { matrix, type Matrix } from "../matrix/matrix.ts";
import { LEAST_RATINGS } from "./batteries.ts";
import type { FeatureRecord, NumberEncoding } from "./featureRecord.ts";

/** The features of a matrix by what they are: numbers, and categories as codes, for models that treat them apart. */
export interface SplitKinds {
  /** Rows x features that are not indicators of one level each. */
  readonly X: Matrix;
  /** Which features those are. */
  readonly features: readonly number[];
  readonly codes: readonly SplitCategory[];
}

export interface SplitCategory {
  readonly column: string;
  readonly names: readonly string[];
  /** The level of each row, -1 where it is missing or not known. */
  readonly codes: Int32Array;
  readonly levels: number;
}

/** Parts of less weight than this are not worth a distribution of their own. */
const LEAST_WEIGHT = 0.05;
/** Ordered columns of up to this many levels are categories. */
const FEW_LEVELS = 12;

/**
 * Reads the levels back from the features of any rows that went through the record. Marks of missing cells are
 * categories of two levels. Ordered columns of few levels are categories, too: a Gaussian gains without end by clusters that are single
 * levels of a number. Lists stay numbers, as do batteries of ratings; paths count by their first step.
 */
export function splitKinds(record: FeatureRecord, X: Matrix): SplitKinds {
  const features: number[] = [];
  const codes: SplitCategory[] = [];
  let first = 0;
  const single = singleLevels(record);
  const heavy = record.parts.some((part) => part.weight >= LEAST_WEIGHT);
  for (const { encoding, weight, names, column, kind } of record.parts) {
    const width = names.length;
    const from = first;
    first += width;
    if (heavy && weight < LEAST_WEIGHT) continue;
    if (encoding.form === "mark") {
      const own = Int32Array.from({ length: X.rows }, (_, i) => (X.data[i * X.cols + from] > 0 ? 1 : 0));
      codes.push({ column, names: ["there", "missing"], codes: own, levels: 2 });
    } else if (encoding.form === "levels" && encoding.cells !== "list") {
      const count = encoding.depths?.[0] ?? width;
      const own = new Int32Array(X.rows).fill(-1);
      // Only the indicator that is set is above 0; a level that is missing or not known sets none, or all a little.
      for (let i = 0; i < X.rows; i++) {
        let set = 0;
        for (let f = 0; f < count; f++) {
          if (X.data[i * X.cols + from + f] <= 1e-9) continue;
          own[i] = f;
          set++;
        }
        if (set !== 1) own[i] = -1;
      }
      codes.push({ column, names: names.slice(0, count), codes: own, levels: count });
    } else if (kind === "ordered" && single.has(column)) {
      const { levels = [], levelValues = [], center, spread } = encoding as NumberEncoding;
      const factor = Math.sqrt(weight);
      const own = Int32Array.from({ length: X.rows }, (_, i) => {
        const value = (X.data[i * X.cols + from] / factor) * spread + center;
        // A cell that was filled lies between the levels.
        return levelValues.findIndex((level) => Math.abs(level - value) < 1e-6);
      });
      codes.push({ column, names: levels, codes: own, levels: levelValues.length });
    } else {
      for (let f = 0; f < width; f++) features.push(from + f);
    }
  }
  const Y = matrix(X.rows, features.length);
  for (let i = 0; i < X.rows; i++)
    features.forEach((f, j) => (Y.data[i * features.length + j] = X.data[i * X.cols + f]));
  return { X: Y, features, codes };
}

/** Ordered columns of few levels. Those of a battery stay numbers: their answers go together within clusters, too. */
function singleLevels(record: FeatureRecord): Set<string> {
  const byScale = new Map<string, string[]>();
  for (const { encoding, kind, column } of record.parts) {
    if (kind !== "ordered" || encoding.form !== "number" || record.scale === "unit") continue;
    const { levelValues, lessMeanOf } = encoding;
    if (lessMeanOf !== undefined || levelValues === undefined || levelValues.length > FEW_LEVELS) continue;
    const key = `${Math.min(...levelValues)} ${Math.max(...levelValues)}`;
    byScale.set(key, [...(byScale.get(key) ?? []), column]);
  }
  return new Set([...byScale.values()].filter((group) => group.length < LEAST_RATINGS).flat());
}
