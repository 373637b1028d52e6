import { inputError } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { fewLevels } from "./splitKinds.ts";
import type { FeatureRecord } from "./featureRecord.ts";

/** The column of each feature, in the order of the features. */
export function featureGroups(record: FeatureRecord): string[] {
  return record.parts.flatMap((part) => part.names.map(() => part.column));
}

/** One name per feature. */
export function featureNames(record: FeatureRecord): string[] {
  return record.parts.flatMap((part) => part.names);
}

export interface ColumnRelevance {
  readonly column: string;
  /** Shares add to 1. */
  readonly share: number;
}

/**
 * The share of squared distances from each column, the largest first, when feature f is weighted by
 * `relevance`: one number per feature, or the matrix of a metric, whose diagonal counts. A feature's variance
 * over the training rows is part of its share.
 */
export function relevanceByColumn(
  record: FeatureRecord,
  relevance: ArrayLike<number> | Matrix,
): ColumnRelevance[] {
  const width = record.parts.reduce((sum, part) => sum + part.names.length, 0);
  const values = "rows" in relevance ? diagonal(relevance) : relevance;
  if (values.length !== width) {
    throw inputError(`the record has ${width} features, but there are ${values.length} relevances`);
  }
  const columns: string[] = [];
  const sums: number[] = [];
  let f = 0;
  for (const { column, encoding, names, variances = [] } of record.parts) {
    let own = 0;
    for (let g = 0; g < names.length; g++) own += Math.abs(values[f++]) * variances[g];
    const owners = encoding.form === "copies" ? encoding.members.map((member) => member.column) : [column];
    columns.push(...owners);
    sums.push(...owners.map(() => own / owners.length));
  }
  return sharesByColumn(columns, sums);
}

/** The parts of features as shares of their columns, the largest first. */
export function sharesByColumn(columns: readonly string[], parts: ArrayLike<number>): ColumnRelevance[] {
  const sums = new Map<string, number>();
  columns.forEach((column, f) => sums.set(column, (sums.get(column) ?? 0) + parts[f]));
  let total = 0;
  for (const sum of sums.values()) total += sum;
  return Array.from(sums, ([column, sum]) => ({ column, share: total > 0 ? sum / total : 0 })).sort(
    (a, b) => b.share - a.share,
  );
}

/**
 * Whether vectors carry at least half of all weight: then the neighbours of a row are more informative than
 * its mean.
 */
export function mostlyVectors(record: FeatureRecord): boolean {
  let vectors = 0;
  let all = 0;
  for (const { kind, weight } of record.parts) {
    all += weight;
    if (kind === "vector") vectors += weight;
  }
  return all > 0 && vectors >= all / 2;
}

function diagonal({ rows, cols, data }: Matrix): Float64Array {
  if (rows !== cols) throw inputError(`the matrix of a metric is square, not ${rows} x ${cols}`);
  return Float64Array.from({ length: rows }, (_, f) => data[f * cols + f]);
}

/**
 * Whether levels make ties among the rows: categories, marks, or ordered columns of few levels that carry at
 * least half of all weight.
 */
export function hasLevels({ parts }: FeatureRecord): boolean {
  let ordered = 0;
  let all = 0;
  for (const { encoding, kind, weight } of parts) {
    if (weight >= 0.05 && (encoding.form === "levels" || encoding.form === "mark")) return true;
    all += weight;
    if (kind === "ordered" && encoding.form === "number" && fewLevels(encoding)) ordered += weight;
  }
  return ordered > 0 && ordered >= all / 2;
}
