import { note, option } from "../core/internal.ts";
import type { Column, Table } from "../data/index.ts";
import { matrix } from "../matrix/index.ts";
import { applyFeatures } from "./applyFeatures.ts";
import type { FeatureColumn, FeaturePart } from "./featureRecord.ts";
import { learnFeatures, type FeatureOptions, type TableFeatures } from "./learnFeatures.ts";
import { byAngle, rarity } from "./unitRows.ts";

/** The kind of a table's numbers: counts such as word counts, switches, or anything else. */
export type Nature = "bits" | "counts" | "any";

/**
 * The features of a table without a requested scaling: counts that are mostly zeros are compared by angle,
 * columns of 0 and 1 are levels, and everything else uses `learnFeatures`.
 */
export function tableFeatures(
  table: Table,
  options: FeatureOptions = {},
): TableFeatures & { readonly nature: Nature } {
  const free = options.scale === undefined || options.scale === "auto";
  const nature = free ? natureOf(table, options) : "any";
  if (nature === "counts") return { ...featuresOfCounts(table, options), nature };
  if (nature === "bits") return { ...featuresOfBits(table, options), nature };
  return { ...learnFeatures(table, options), nature };
}

const LEAST_BITS = 8;
const LEAST_COUNTED = 50;

function natureOf(table: Table, { use, ignore, adjust }: FeatureOptions): Nature {
  const used = table.columns.filter(
    ({ name, kind }) =>
      kind !== "id" &&
      kind !== "constant" &&
      kind !== "empty" &&
      ignore?.includes(name) !== true &&
      (use?.includes(name) ?? true),
  );
  if (adjust !== undefined && adjust.length > 0) return "any";
  if (used.length < LEAST_BITS || used.some(({ kind, missing }) => kind !== "number" || missing > 0)) {
    return "any";
  }
  if (used.every(({ values }) => values!.every((value) => value === 0 || value === 1))) return "bits";
  if (used.length < LEAST_COUNTED) return "any";
  const X = matrix(table.rows, used.length);
  used.forEach(({ values }, f) => {
    for (let i = 0; i < table.rows; i++) X.data[i * used.length + f] = values![i];
  });
  return byAngle(X) ? "counts" : "any";
}

/** Columns of 0 and 1 are levels, with equal weights. */
function featuresOfBits(table: Table, options: FeatureOptions): TableFeatures {
  const columns = table.columns.map((column): Column => {
    const { name, kind, reading, values, missing } = column;
    if (kind !== "number" || values === undefined || !values.every((value) => value === 0 || value === 1))
      return column;
    const codes = Int32Array.from(values);
    return {
      name,
      kind: "category",
      why: "0 or 1",
      reading: { ...reading, levels: ["0", "1"] },
      missing,
      levels: ["0", "1"],
      codes,
    };
  });
  return learnFeatures({ ...table, columns }, { ...options, weights: "equal" });
}

/**
 * Rows of length 1 of log(1 + x), weighted by the rarity of the column (Salton and Buckley 1988). A z-score
 * would give a word that occurs once the largest weight; with the plain count, words in every text would
 * decide.
 */
function featuresOfCounts(table: Table, options: FeatureOptions): TableFeatures {
  // There are no gaps; in new rows a missing count is 0, so nothing has to be learned.
  const plain = learnFeatures(table, { ...options, scale: "none", weights: "equal", missing: "refuse" });
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  const weights = plain.record.parts.map(({ column }) => {
    let present = 0;
    for (const value of byName.get(column)!.values!) if (value !== 0) present++;
    return rarity(table.rows, present) ** 2;
  });
  const most = weights.reduce((a, b) => Math.max(a, b), 0);
  const parts = plain.record.parts.map((part, p): FeaturePart => {
    const weight = weights[p] / most;
    const encoding = { form: "number", transform: "log", shift: 1, floor: 1, center: 0, spread: 1 } as const;
    return { ...part, encoding, weight, variances: [weight] };
  });
  const own = new Map(parts.map(({ column, weight }) => [column, weight]));
  const columns = plain.columns.map((column): FeatureColumn => {
    const weight = own.get(column.name);
    return weight === undefined ? column : { ...column, weight, became: "log(1 + x), by how rare it is" };
  });
  const record = { ...plain.record, parts, scale: "unit" as const, missing: options.missing ?? "fill" };
  const message = `most cells are 0, so rows are compared by angle; ${option("scale")} zscore compares columns instead`;
  return {
    ...plain,
    record,
    columns,
    X: applyFeatures(record, table).X,
    notes: [...plain.notes, note("by-angle", message, { option: "scale" })],
  };
}
