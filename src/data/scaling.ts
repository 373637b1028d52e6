import { form, inputError, optionError, rule, listed } from "../core/internal.ts";
import { asRows, isSparse, matrix, type Matrix, type Sparse } from "../matrix/index.ts";
import { requireMatrix, describeValue } from "../matrix/internal.ts";

const RULES = {
  /** One label per row: each group of rows with the same label is scaled separately. */
  batch: rule.given<ArrayLike<string | number>>(
    "one label per row",
    (value) => typeof value === "object" && value !== null && "length" in value,
  ),
  /** Column names, for messages; default c0, c1, ... */
  names: rule.given<readonly string[]>("an array of names", Array.isArray),
};

export type ScaleOptions = rule.OptionsOf<typeof RULES>;

/** The numbers behind a scaling: plain data that a model can store as JSON and apply to new rows. */
export const scalingForm = form.asStored(
  form.where(
    form.record({
      kind: form.choice("zscore", "minmax", "none"),
      /** Names of the columns before scaling; new rows must have the same number. */
      columns: form.list(form.text(), "columns"),
      /** Which of them are kept; the others were constant. */
      kept: form.wholes("kept", { min: 0, below: "columns" }),
      /** Whether centres are subtracted; never for sparse data. */
      centered: form.boolean(),
      /** One entry, or one per batch: y = (x - center) / scale on the kept columns, or 0 where the scale is 0. */
      groups: form.list(
        form.record({
          /** The batch label as text; absent when there are no batches. */
          batch: form.optional(form.text()),
          center: form.numbers("kept"),
          scale: form.numbers("kept", { min: 0 }),
        }),
      ),
    }),
    ({ kept, groups }, refuse) => {
      if (kept.some((column, k) => k > 0 && column <= kept[k - 1])) throw refuse("kept", "does not ascend");
      if (groups.length === 0) throw refuse("groups", "is empty");
      const unnamed = groups.length > 1 ? groups.findIndex(({ batch }) => batch === undefined) : -1;
      if (unnamed >= 0) throw refuse(`groups[${unnamed}].batch`, "must be a text, not missing");
    },
  ),
);

export interface Scaling extends form.StoredOf<typeof scalingForm> {}
export type ScaleGroup = Scaling["groups"][number];
export type ScaleKind = Scaling["kind"];

export interface Scaled<M extends Matrix | Sparse> {
  readonly X: M;
  /** Names of the kept columns. */
  readonly names: readonly string[];
  readonly kept: readonly number[];
  /** Names of the constant columns, which are left out. */
  readonly dropped: readonly string[];
  readonly scaling: Scaling;
  readonly notes: readonly string[];
  /** Scales new rows by the same numbers; `batch` is needed if batches were scaled. */
  apply<N extends Matrix | Sparse>(Y: N, batch?: ArrayLike<string | number>): N;
}

/**
 * Puts columns on a common scale and leaves out constant ones.
 *
 * - `zscore`: (x - mean) / sd, the sd with divisor n;
 * - `minmax`: (x - min) / (max - min);
 * - `none`: only drops constant columns.
 *
 * A column is constant if its range is within rounding (64 units) of its largest magnitude. A sparse matrix stays
 * sparse: it is divided but not centred (z-score: by the sd about the mean; min-max: by the largest magnitude).
 * A column that is constant within one batch, but not in all, becomes 0 there.
 */
export function scale<M extends Matrix | Sparse>(
  rows: M,
  kind: ScaleKind = "zscore",
  options: ScaleOptions = {},
): Scaled<M> {
  if (kind !== "zscore" && kind !== "minmax" && kind !== "none") {
    throw optionError(`scale: the kind must be "zscore", "minmax" or "none", got ${describeValue(kind)}`);
  }
  const { batch, names: given } = rule.resolveOptions("scale", options, RULES);
  const X = asRows(rows, "scale") as M;
  const columns = given ?? Array.from({ length: X.cols }, (_, j) => `c${j}`);
  if (columns.length !== X.cols) {
    throw optionError(`scale: ${columns.length} names for ${X.cols} columns`);
  }
  if (X.rows === 0) throw inputError("scale: there are no rows");
  const whole = columnSpreads(X, columns);
  const { kept, dropped, notes } = varyingColumns(whole, kind, columns);
  const centered = !isSparse(X) && kind !== "none";
  if (isSparse(X) && kind !== "none") {
    const divisor = kind === "zscore" ? "its standard deviation" : "its largest magnitude";
    notes.push(`sparse data: each column was divided by ${divisor}, not centred`);
  }

  if (batch !== undefined && batch.length !== X.rows) {
    throw optionError(`scale: ${batch.length} batch labels for ${X.rows} rows`);
  }
  const isWhole = batch === undefined || kind === "none";
  const groups = isWhole
    ? [scaleGroup(kind, centered, kept, whole)]
    : Array.from(batchRows(batch), ([label, rows]): ScaleGroup => {
        const spreads = columnSpreads(X, columns, rows);
        const still = kept.filter((j) => spreads[j].constant).map((j) => columns[j]);
        if (still.length > 0)
          notes.push(`constant within batch "${label}", set to 0 there: ${listed(still, 20)}`);
        return { batch: label, ...scaleGroup(kind, centered, kept, spreads) };
      });
  const scaling: Scaling = { kind, columns, kept, centered, groups };
  return {
    X: applyScaling(scaling, X, batch),
    names: kept.map((j) => columns[j]),
    kept,
    dropped,
    scaling,
    notes,
    apply: (Y, batch) => applyScaling(scaling, Y, batch),
  };
}

/** The scaling of dense rows from the spread of every column, for example in a stream. */
export function scalingFromSpreads(
  spreads: readonly Spread[],
  kind: ScaleKind,
  columns: readonly string[],
): { scaling: Scaling; notes: string[] } {
  const { kept, notes } = varyingColumns(spreads, kind, columns);
  const centered = kind !== "none";
  const groups = [scaleGroup(kind, centered, kept, spreads)];
  return { scaling: { kind, columns, kept, centered, groups }, notes };
}

function varyingColumns(
  spreads: readonly Spread[],
  kind: ScaleKind,
  columns: readonly string[],
): { kept: number[]; dropped: string[]; notes: string[] } {
  const kept = [...columns.keys()].filter((j) => !spreads[j].constant);
  const dropped = columns.filter((_, j) => spreads[j].constant);
  if (kept.length === 0) throw inputError("scale: every column is constant");
  const wide = kind === "minmax" ? kept.find((j) => spreads[j].range === Infinity) : undefined;
  if (wide !== undefined) {
    throw inputError(
      `scale: the range of column "${columns[wide]}" is beyond the largest number; divide it first`,
    );
  }
  const notes = dropped.length > 0 ? [`constant columns left out: ${listed(dropped, 20)}`] : [];
  return { kept, dropped, notes };
}

function scaleGroup(
  kind: ScaleKind,
  centered: boolean,
  kept: readonly number[],
  spreads: readonly Spread[],
): ScaleGroup {
  const own = kept.map((j) => spreads[j]);
  const center = own.map(({ mean, min }) => (centered ? (kind === "zscore" ? mean : min) : 0));
  const scale = own.map(({ constant, deviation, range, min, max }) => {
    if (kind === "none") return 1;
    if (constant) return 0;
    if (kind === "zscore") return deviation;
    return centered ? range : Math.max(Math.abs(min), Math.abs(max));
  });
  return { center, scale };
}

/** Applies a scaling, possibly from JSON, to rows with all of its columns. */
export function applyScaling<M extends Matrix | Sparse>(
  scaling: Scaling,
  Y: M,
  batch?: ArrayLike<string | number>,
): M {
  requireMatrix(Y, "applyScaling");
  if (Y.cols !== scaling.columns.length) {
    throw inputError(`the scaling was made for ${scaling.columns.length} columns, the rows have ${Y.cols}`);
  }
  const groups = rowGroups(scaling, Y.rows, batch);
  if (!isSparse(Y)) return denseScaled(scaling, Y, groups) as M;
  if (scaling.centered) {
    throw inputError("the scaling subtracts centres, which would fill a sparse matrix; make it dense first");
  }
  return sparseScaled(scaling, Y, groups) as M;
}

function rowGroups(
  scaling: Scaling,
  rows: number,
  batch: ArrayLike<string | number> | undefined,
): Int32Array {
  const groups = new Int32Array(rows);
  if (scaling.groups[0].batch === undefined) return groups;
  if (batch === undefined)
    throw optionError("the scaling was made per batch; the rows need their batch labels");
  if (batch.length !== rows) throw optionError(`${batch.length} batch labels for ${rows} rows`);
  const known = new Map(scaling.groups.map((group, g) => [group.batch, g]));
  for (let i = 0; i < rows; i++) {
    const g = known.get(String(batch[i]));
    if (g === undefined)
      throw inputError(`row ${i}: batch "${batch[i]}" was not seen when the scaling was made`);
    groups[i] = g;
  }
  return groups;
}

function denseScaled(scaling: Scaling, Y: Matrix, groups: Int32Array): Matrix {
  const { kept } = scaling;
  const width = kept.length;
  const X = matrix(Y.rows, width);
  const centers = scaling.groups.map((group) => Float64Array.from(group.center));
  const scales = scaling.groups.map((group) => Float64Array.from(group.scale, divisor));
  for (let i = 0; i < Y.rows; i++) {
    const center = centers[groups[i]];
    const scale = scales[groups[i]];
    for (let j = 0; j < width; j++) {
      const x = Y.data[i * Y.cols + kept[j]];
      const value = (x - center[j]) / scale[j];
      // The difference can overflow although the quotient is moderate.
      X.data[i * width + j] = Number.isFinite(value) ? value : x / scale[j] - center[j] / scale[j];
    }
  }
  return X;
}

function sparseScaled(scaling: Scaling, Y: Sparse, groups: Int32Array): Sparse {
  const place = new Int32Array(Y.cols).fill(-1);
  scaling.kept.forEach((column, j) => (place[column] = j));
  const offsets = new Int32Array(Y.rows + 1);
  let count = 0;
  for (let i = 0; i < Y.rows; i++) {
    for (let p = Y.offsets[i]; p < Y.offsets[i + 1]; p++) if (place[Y.indices[p]] >= 0) count++;
    offsets[i + 1] = count;
  }
  const indices = new Int32Array(count);
  const values = new Float64Array(count);
  let q = 0;
  for (let i = 0; i < Y.rows; i++) {
    const { scale } = scaling.groups[groups[i]];
    for (let p = Y.offsets[i]; p < Y.offsets[i + 1]; p++) {
      const j = place[Y.indices[p]];
      if (j < 0) continue;
      indices[q] = j;
      values[q++] = Y.values[p] / divisor(scale[j]);
    }
  }
  return { rows: Y.rows, cols: scaling.kept.length, offsets, indices, values };
}

/** A scale of 0 marks a constant column, which also becomes 0 in new rows. */
function divisor(scale: number): number {
  return scale === 0 ? Infinity : scale;
}

function batchRows(batch: ArrayLike<string | number>): Map<string, Int32Array> {
  const members = new Map<string, number[]>();
  for (let i = 0; i < batch.length; i++) {
    const label = String(batch[i]);
    const list = members.get(label);
    if (list === undefined) members.set(label, [i]);
    else list.push(i);
  }
  return new Map([...members].map(([label, list]) => [label, Int32Array.from(list)]));
}

/** Location and spread of one column. */
export interface Spread {
  readonly min: number;
  readonly max: number;
  /** max - min; infinite if that overflows. */
  readonly range: number;
  readonly mean: number;
  /** With divisor n. */
  readonly deviation: number;
  /** No variation beyond rounding. */
  readonly constant: boolean;
}

/** Range within which values of magnitude 1 count as equal: 64 units in the last place. */
const ROUNDING = 64 * Number.EPSILON;

/**
 * The spread of every column over the given rows, in two passes: range and sum, then residuals r about the
 * rounded mean, whose own sum corrects it: variance = mean(r^2) - mean(r)^2 (Chan, Golub and LeVeque 1983).
 * Columns near the ends of the number range are scaled by a power of two first, so that squares neither
 * overflow nor vanish.
 */
export function columnSpreads(X: Matrix | Sparse, names: readonly string[], rows?: Int32Array): Spread[] {
  const { cols } = X;
  const count = rows?.length ?? X.rows;
  const min = new Float64Array(cols).fill(Infinity);
  const max = new Float64Array(cols).fill(-Infinity);
  const sum = new Float64Array(cols);
  const entries = new Float64Array(cols);
  const { values, indices, bounds } = storage(X);
  for (let r = 0; r < count; r++) {
    const i = rows === undefined ? r : rows[r];
    const start = bounds === undefined ? i * cols : bounds[i];
    const end = bounds === undefined ? start + cols : bounds[i + 1];
    for (let p = start; p < end; p++) {
      const j = indices === undefined ? p - start : indices[p];
      const x = values[p];
      if (!(x - x === 0)) {
        throw inputError(`scale: row ${i}, column "${names[j]}" is ${x}; only finite numbers can be scaled`);
      }
      if (x < min[j]) min[j] = x;
      if (x > max[j]) max[j] = x;
      sum[j] += x;
      entries[j]++;
    }
  }

  const factor = new Float64Array(cols);
  const center = new Float64Array(cols);
  for (let j = 0; j < cols; j++) {
    if (entries[j] < count) {
      min[j] = Math.min(min[j], 0); // entries that a sparse matrix does not store
      max[j] = Math.max(max[j], 0);
    }
    factor[j] = powerOfTwo(Math.max(Math.abs(min[j]), Math.abs(max[j])));
    center[j] = factor[j] * (Number.isFinite(sum[j]) ? sum[j] / count : min[j] / 2 + max[j] / 2);
  }

  const residuals = new Float64Array(cols);
  const squares = new Float64Array(cols);
  for (let r = 0; r < count; r++) {
    const i = rows === undefined ? r : rows[r];
    const start = bounds === undefined ? i * cols : bounds[i];
    const end = bounds === undefined ? start + cols : bounds[i + 1];
    for (let p = start; p < end; p++) {
      const j = indices === undefined ? p - start : indices[p];
      const residual = values[p] * factor[j] - center[j];
      residuals[j] += residual;
      squares[j] += residual * residual;
    }
  }

  return Array.from({ length: cols }, (_, j) => {
    const absent = count - entries[j];
    const residual = (residuals[j] - absent * center[j]) / count;
    const square = (squares[j] + absent * center[j] * center[j]) / count;
    const deviation = Math.sqrt(Math.max(0, square - residual * residual)) / factor[j];
    return spreadOf(min[j], max[j], (center[j] + residual) / factor[j], deviation);
  });
}

export function spreadOfValues(values: Float64Array): Spread {
  return columnSpreads(matrix(values.length, 1, values), [""])[0];
}

/** From numbers computed elsewhere; the mean is kept within the range. */
export function spreadOf(min: number, max: number, mean: number, deviation: number): Spread {
  const magnitude = Math.max(Math.abs(min), Math.abs(max));
  const withinRounding = max / 2 - min / 2 <= (magnitude / 2) * ROUNDING;
  return {
    min,
    max,
    range: max - min,
    mean: Math.min(max, Math.max(min, mean)),
    deviation,
    constant: min === max || withinRounding || deviation === 0,
  };
}

/**
 * A common view of dense and sparse rows: runs of values, with their columns if those are not 0, 1, 2, ...
 */
function storage(X: Matrix | Sparse): {
  values: Float64Array;
  indices: Int32Array | undefined;
  bounds: Int32Array | undefined;
} {
  return isSparse(X)
    ? { values: X.values, indices: X.indices, bounds: X.offsets }
    : { values: X.data, indices: undefined, bounds: undefined };
}

/** A power of two that brings an extreme magnitude near 1; 1 if the squares can be summed directly. */
function powerOfTwo(magnitude: number): number {
  if (magnitude === 0 || (magnitude > 1e-100 && magnitude < 1e100)) return 1;
  return 2 ** -Math.max(-1000, Math.min(1000, Math.round(Math.log2(magnitude))));
}
