import { inputError, type form } from "../core/internal.ts";
import type { ColumnRecord, Table } from "../data/index.ts";
import { rowGatherer, typeLike } from "../data/internal.ts";
import { columnsOf, type FeaturePart, type FeatureRecord } from "../features/index.ts";
import { cellsOf, completed, encodeNumber, encodePart } from "../features/internal.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import type { AnyMetric } from "../metric/index.ts";
import type { PlacedOne } from "../method/internal.ts";
import type { placedForm } from "./placedForm.ts";
import { recordsOf, spaceUnder } from "./space.ts";

/** What a scorer needs of a model. */
type Placing = Pick<form.StoredOf<typeof placedForm>, "columns" | "space" | "placing" | "names">;

export type Scorer = (row: ScoredRow) => Scored;

/** A row of a program: an object with a value for each column, or the numbers of a model of plain rows. */
export type ScoredRow = Readonly<Record<string, unknown>> | ArrayLike<number>;

/** The place of one row. */
export interface Scored extends PlacedOne {
  /** The name of its cluster; null in no cluster. */
  readonly name: string | null;
}

/**
 * The place of one row after the other. What is the same for all rows is prepared once: a number is scaled directly, and the
 * features of a text are remembered. The cluster is that of `assign`, and so are the distances up to rounding. Notes about
 * the row (a level that the model does not know) are told by `assign` alone.
 */
export function scorerOf(
  { columns, space, names, placing }: Placing,
  place: (x: Float64Array) => PlacedOne,
  metric: AnyMetric | undefined,
): Scorer {
  const width = placing.means.cols;
  const records = recordsOf({ columns, space });
  const spaced = spaceUnder(space, metric);
  const inSpace = (row: Row): Matrix => {
    const { X } = spaced(tableOf(row, records));
    if (X.rows === 0 || X.cols === width) return X;
    throw inputError(`the row has ${X.cols} features, but the model has ${width}`);
  };
  const encoded = space.kind === "features" ? encoderOf(space.record, records) : undefined;
  const fast = (row: Row): Float64Array | undefined => {
    const X = encoded?.(row);
    return metric === undefined || X === undefined ? X?.data : (metric.transform(X) as Matrix).data;
  };
  return (given) => {
    const row = namedRow(given);
    let x = fast(row);
    if (x === undefined) {
      const X = inSpace(row);
      // It has gaps, and the model leaves such rows out.
      if (X.rows === 0)
        return { cluster: -1, name: null, distance: Infinity, next: -1, nextDistance: Infinity };
      x = X.data;
    }
    const placed = place(x);
    if (placed.cluster >= 0 && !Number.isFinite(placed.distance)) {
      throw inputError(
        "the row is too far from every cluster of the model to be measured: is it in the same units?",
        {
          code: "too-far",
        },
      );
    }
    return { ...placed, name: names[placed.cluster] ?? null };
  };
}

type Row = Readonly<Record<string, unknown>>;

/** The table of one row, read by the records of a model. */
function tableOf(row: object, records: readonly ColumnRecord[]): Table {
  const gathered = rowGatherer("the row", { memory: Infinity }, 1);
  gathered.add(row, "");
  return typeLike({ ...gathered.finish(), notes: [] }, records);
}

/** Rows of numbers have the columns c0, c1, ... */
function namedRow(row: ScoredRow): Row {
  if (typeof row !== "object" || row === null) {
    throw inputError(
      `a row is an object with a value for each column, or an array of numbers, got ${String(row)}`,
    );
  }
  if (!(Array.isArray(row) || ArrayBuffer.isView(row))) return row as Row;
  const own = row as ArrayLike<number>;
  return Object.fromEntries(Array.from({ length: own.length }, (_, f) => [`c${f}`, own[f]]));
}

/** Texts whose features a column remembers. */
const REMEMBERED = 10_000;

/** The features of a row; undefined where it has a gap that the record does not fill. */
function encoderOf(
  record: FeatureRecord,
  records: readonly ColumnRecord[],
): (row: Row) => Matrix | undefined {
  const { parts, missing, scale } = record;
  let width = 0;
  const pieces = parts.map((part) => {
    const own = new Set(columnsOf({ parts: [part] }));
    const piece = pieceOf(
      part,
      records.filter(({ name }) => own.has(name)),
      width,
    );
    width += part.names.length;
    return piece;
  });
  return (row) => {
    const X = matrix(1, width);
    for (const piece of pieces) piece(row, X.data);
    const hasGap = X.data.some(Number.isNaN);
    if (hasGap && missing !== "fill") return undefined;
    return hasGap || scale === "unit" ? completed(record, X) : X;
  };
}

/** Writes the features of one part from `first` on. */
function pieceOf(
  part: FeaturePart,
  records: readonly ColumnRecord[],
  first: number,
): (row: Row, into: Float64Array) => void {
  const factor = Math.sqrt(part.weight);
  const block = (row: object): Float64Array =>
    encodePart(part, cellsOf(tableOf(row, records)), [0]).map((value) => factor * value);
  if (records.length !== 1 || records[0].reading.columns !== undefined) {
    return (row, into) => into.set(block(row), first);
  }
  const [{ name }] = records;
  const direct = numberRule(part, records[0]);
  const known = new Map<unknown, Float64Array>();
  return (row, into) => {
    const value = row[name];
    if (direct !== undefined && typeof value === "number" && Number.isFinite(value)) {
      into[first] = factor * direct(value);
      return;
    }
    let features = known.get(value);
    if (features === undefined) {
      // A name with a dot may be that of a field in an object.
      features = block(Object.hasOwn(row, name) ? { [name]: value } : row);
      if (known.size >= REMEMBERED) known.clear();
      if (value !== undefined && (typeof value !== "object" || value === null)) known.set(value, features);
    }
    for (let f = 0; f < features.length; f++) into[first + f] = features[f];
  };
}

/** The feature of a plain number; undefined where its column is read by other rules. */
function numberRule(
  { encoding }: FeaturePart,
  { kind, reading }: ColumnRecord,
): ((x: number) => number) | undefined {
  const { unit, missingMarks, form } = reading;
  if (kind !== "number" || (unit ?? missingMarks) !== undefined || form === "duration") return undefined;
  if (encoding.form === "mark") return (x) => (Number(x === 0) - encoding.share) / encoding.spread;
  if (encoding.form !== "number" || encoding.levels !== undefined) return undefined;
  const encode = encodeNumber(encoding);
  return encoding.amount === true ? (x) => encode(x === 0 ? Number.NaN : x) : encode;
}
