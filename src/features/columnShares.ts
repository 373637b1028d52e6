import { fewLevels } from "./splitKinds.ts";
import type { FeatureRecord } from "./featureRecord.ts";

/** The column of each feature, in the order of the features. */
export function featureGroups(record: FeatureRecord): string[] {
  return record.parts.flatMap((part) => part.names.map(() => part.column));
}

export interface ColumnRelevance {
  readonly column: string;
  /** Shares add to 1. */
  readonly share: number;
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
