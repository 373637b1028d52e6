import type { Table } from "../data/index.ts";
import { multiplyTransposeB, type Matrix } from "../matrix/index.ts";
import { applyFeatures } from "./applyFeatures.ts";
import { cellsOf, rawNumbers, type Cells } from "./encode/encodePart.ts";
import { learnNumber, type NumberRules } from "./encode/numberEncoding.ts";
import { factors } from "./factors.ts";
import type { FeaturePart, FeatureRecord, NumberEncoding } from "./featureRecord.ts";
import type { TableFeatures } from "./learnFeatures.ts";
import { featureGroups } from "./relevanceByColumn.ts";
import { LEARNED_ROWS, drawnRows } from "./drawnRows.ts";
import { weighColumns } from "./weigh/weighColumns.ts";
import { withFill } from "./withFill.ts";

/** One way to look at the rows of a table. */
export interface FeatureSpace {
  /**
   * "z": every column with variance 1, numbers as they are. "power": skewed numbers transformed. "related": as power, columns
   * related to others count more. "numbers": as power, without categories. "factors": the joint directions of power.
   * "own": the features as they were asked for, the only space if a scale was asked for.
   */
  readonly name: "z" | "power" | "related" | "numbers" | "factors" | "own";
  /** Rows x features, or x factors. */
  readonly X: Matrix;
  /** Makes the features of other rows. */
  readonly record: FeatureRecord;
  /** factors x features: X is the features times its transpose. It is the factor of a Mahalanobis metric. */
  readonly factor?: Matrix;
}

/**
 * The spaces of a table, all of the rows of `features`: partitions that agree across them are plausible. Each can be
 * deployed: a model takes its record, and its factor as a metric.
 *
 *     for (const { name, X } of featureSpaces(table, tableFeatures(table))) console.log(name, X.cols);
 */
export function featureSpaces(table: Table, features: Pick<TableFeatures, "X" | "record">): FeatureSpace[] {
  const { record } = features;
  const given = record.parts.filter(({ encoding }) => encoding.form !== "mark" || encoding.where === "zero");
  if (record.scale !== "auto" || given.length === 0) return [{ name: "own", X: features.X, record }];
  const cells = cellsOf(table);
  const sample = drawnRows(table, LEARNED_ROWS);
  const space = (name: FeatureSpace["name"], parts: readonly FeaturePart[]): FeatureSpace => {
    const own = withFill({ version: 1, scale: record.scale, missing: record.missing, parts }, cells, sample);
    return { name, X: applyFeatures(own, table).X, record: own };
  };
  const equal = equalParts(given);
  const z = space("z", recoded(equal, cells, "none"));
  const power = space("power", recoded(equal, cells, "power"));
  const numbers = power.record.parts.filter(({ encoding }) => encoding.form !== "levels");
  const mixed = numbers.length > 0 && numbers.length < equal.length;
  const found = [z, power, ...(mixed ? [space("numbers", numbers)] : [])];
  if (new Set(equal.map(({ column }) => column)).size <= FEW_COLUMNS) return found;
  const { parts } = weighColumns(
    power.record.parts.map((part) => ({ ...part, share: part.weight })),
    cells,
    sample,
  );
  found.push(
    space(
      "related",
      parts.map(({ part, weight }) => ({
        ...power.record.parts.find((own) => own.label === part.label)!,
        weight,
      })),
    ),
  );
  const factor = factors(power.X, featureGroups(power.record), sample);
  if (factor !== undefined) {
    found.push({ name: "factors", X: multiplyTransposeB(power.X, factor), record: power.record, factor });
  }
  return found;
}

/** So few columns have no relations beyond their groups. */
const FEW_COLUMNS = 3;

/** Every column with weight 1, its parts with the given proportions. */
function equalParts(parts: readonly FeaturePart[]): FeaturePart[] {
  const sums = new Map<string, number>();
  for (const { column, weight } of parts) sums.set(column, (sums.get(column) ?? 0) + weight);
  return parts.map((part) => ({ ...part, weight: part.weight / sums.get(part.column)! }));
}

/** The same parts with numbers in another transform. */
function recoded(
  parts: readonly FeaturePart[],
  cells: Cells,
  transforms: NumberRules["transforms"],
): FeaturePart[] {
  const all = Int32Array.from({ length: cells.rows }, (_, i) => i);
  return parts.map((part) => {
    const { encoding, column, kind } = part;
    if (encoding.form !== "number") return part;
    const values = rawNumbers(encoding, column, cells, all);
    const learned = learnNumber(values, { scale: "auto", transforms: kind === "date" ? "none" : transforms });
    return learned === undefined ? part : { ...part, encoding: { ...describing(encoding), ...learned } };
  });
}

/** What an encoding says of its cells, whatever their transform. */
function describing({
  levels,
  levelValues,
  lessMeanOf,
  since,
  amount,
}: NumberEncoding): Partial<NumberEncoding> {
  return {
    ...(levels !== undefined && { levels }),
    ...(levelValues !== undefined && { levelValues }),
    ...(lessMeanOf !== undefined && { lessMeanOf }),
    ...(since !== undefined && { since }),
    ...(amount !== undefined && { amount }),
  };
}
