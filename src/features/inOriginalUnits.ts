import { inputError } from "../core/internal.ts";
import type { ColumnKind } from "../data/index.ts";
import type { Matrix } from "../matrix/index.ts";
import {
  missingOf,
  type FeaturePart,
  type FeatureRecord,
  type LevelsEncoding,
  type NumberEncoding,
} from "./featureRecord.ts";
import { decodeNumber } from "./encode/numberEncoding.ts";

/** The value of one column at a point in feature space. */
export interface OriginalValue {
  readonly column: string;
  readonly kind: ColumnKind;
  /** Numbers in their units, dates in days since 1970-01-01, ordered levels as their number. */
  readonly value?: number;
  /** The most probable level, or the ordered level nearest to the value. */
  readonly level?: string;
  /** Categories: the share of each level, from 0 to 1. */
  readonly shares?: readonly { readonly level: string; readonly share: number }[];
  /** Marks: the share of zeros. */
  readonly zero?: number;
  /** The value is the number of days since the date of this column. */
  readonly since?: string;
  /** The value is relative to the row's mean over a battery of ratings. */
  readonly relative?: boolean;
}

/**
 * Rows of `centers`, points in feature space, in the units of the columns. A mean of logarithms is returned
 * as a geometric mean, and that of an amount is over rows where it is not 0. Texts and vectors have no value in original units and are left out; so are columns
 * adjusted for others.
 */
export function inOriginalUnits(record: FeatureRecord, centers: Matrix): OriginalValue[][] {
  const width = record.parts.reduce((sum, part) => sum + part.names.length, 0);
  if (centers.cols !== width) {
    throw inputError(`the record has ${width} features, but the rows have ${centers.cols}`);
  }
  if (record.scale === "unit") {
    throw inputError(`rows scaled to norm 1 have lost their units; use another "scale"`);
  }
  return Array.from({ length: centers.rows }, (_, i) => {
    const values: OriginalValue[] = [];
    let first = i * width;
    for (const part of record.parts) {
      const own = centers.data.subarray(first, (first += part.names.length));
      if (part.adjust === undefined) values.push(...valuesOf(part, own));
    }
    return values;
  });
}

function valuesOf({ column, kind, weight, encoding }: FeaturePart, features: Float64Array): OriginalValue[] {
  const y = features.map((value) => value / Math.sqrt(weight));
  switch (encoding.form) {
    case "number":
      return [{ column, kind, ...numberValue(encoding, y[0]) }];
    case "copies":
      return encoding.members.map((member) => ({
        column: member.column,
        kind,
        ...numberValue(member.encoding, member.sign * (y[0] * encoding.spread + encoding.center)),
      }));
    case "levels":
      return [{ column, kind, ...levelShares(encoding, y) }];
    case "mark":
      if (missingOf(encoding) !== undefined) return [];
      return [{ column, kind, zero: limited(y[0] * encoding.spread + encoding.share) }];
    default:
      return [];
  }
}

function numberValue(
  encoding: NumberEncoding,
  y: number,
): Pick<OriginalValue, "value" | "level" | "relative" | "since"> {
  const value = decodeNumber(encoding, y);
  if (encoding.lessMeanOf !== undefined) return { value, relative: true };
  if (encoding.since !== undefined) return { value, since: encoding.since };
  const { levels, levelValues } = encoding;
  if (levels === undefined || levelValues === undefined || levels.length === 0) return { value };
  let nearest = 0;
  for (let k = 1; k < levels.length; k++) {
    if (Math.abs(levelValues[k] - value) < Math.abs(levelValues[nearest] - value)) nearest = k;
  }
  return { value, level: levels[nearest] };
}

function levelShares(
  { levels, offsets, spread, cells }: LevelsEncoding,
  y: Float64Array,
): Pick<OriginalValue, "level" | "shares"> {
  const shares = levels
    .map((level, f) => ({ level, share: limited(y[f] * spread + offsets[f]) }))
    .sort((a, b) => b.share - a.share);
  return cells === "one" ? { level: shares[0].level, shares } : { shares };
}

function limited(share: number): number {
  return Math.min(1, Math.max(0, share));
}
