import { inputError, optionError, option, rule } from "../core/internal.ts";
import { cellText, type Column, type Table } from "../data/index.ts";
import { matrix, type Matrix } from "../matrix/index.ts";

export const MEASURES = [
  "gower",
  "euclidean",
  "manhattan",
  "cosine",
  "hamming",
  "jaccard",
  "edit",
  "dtw",
  "globe",
] as const;

export type Measure = (typeof MEASURES)[number];

export const rowDistancesOptions = {
  measure: rule.required(rule.oneOf(MEASURES)),
  /** The columns that count; default: all that the measure can read, but no names of rows. */
  use: rule.names,
};

export type RowDistancesOptions = rule.OptionsOf<typeof rowDistancesOptions>;

/** Kilometres: the mean radius of the earth. */
const RADIUS = 6371.0088;
/** Rows up to which a square of distances is made. */
const MOST_ROWS = 20_000;

/**
 * The distances between all rows of a table, n x n, by name:
 *
 *     gower      mean over the columns of |x - y| / range, and 0 or 1 for levels; gaps do not count (J. C. Gower, 1971)
 *     euclidean, manhattan, cosine   of the numbers as they are
 *     hamming    share of the columns whose cells differ
 *     jaccard    1 - (columns that are not 0 in both) / (in one of them); 0 for two rows without any
 *     edit       insertions, deletions and replacements that make one text the other (V. I. Levenshtein, 1966)
 *     dtw        dynamic time warping of the rows as series: the root of the least sum of squares along a path (H. Sakoe and
 *                S. Chiba, 1978); cells that are missing at the end are no part of the series
 *     globe      kilometres on the sphere between latitude and longitude in degrees
 */
export function rowDistances(table: Table, options: RowDistancesOptions): Matrix {
  const { measure, use } = rule.resolveOptions("rowDistances", options, rowDistancesOptions);
  const n = table.rows;
  if (n > MOST_ROWS) {
    throw inputError(`rowDistances: ${n} rows have too many distances; at most ${MOST_ROWS} rows`);
  }
  const names = use ?? table.columns.filter(({ kind }) => counts(kind, measure)).map(({ name }) => name);
  const columns = names.map((name) => {
    const column = table.columns.find((known) => known.name === name);
    if (column === undefined) throw optionError(`${option("use")}: there is no column "${name}"`);
    return column;
  });
  const between = measured(measure, table, columns);
  const D = matrix(n, n);
  for (let i = 1; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const d = between(i, j);
      if (!Number.isFinite(d)) {
        throw inputError(
          `rowDistances: rows ${i} and ${j} (counted from 0) have no ${measure} distance: ${WHY[measure] ?? ""}`,
        );
      }
      D.data[i * n + j] = D.data[j * n + i] = d;
    }
  }
  return D;
}

/** Names of rows are texts, and nothing else. */
function counts(kind: Column["kind"], measure: Measure): boolean {
  if (measure === "edit") return ["id", "text", "category"].includes(kind);
  return !["id", "constant", "empty"].includes(kind);
}

const WHY: Partial<Record<Measure, string>> = {
  gower: "no column has a cell in both",
  cosine: "one of them is all 0",
};

type Between = (i: number, j: number) => number;

function measured(measure: Measure, table: Table, columns: readonly Column[]): Between {
  switch (measure) {
    case "gower":
      return gower(columns);
    case "hamming": {
      const cells = columns.map((column) =>
        Array.from({ length: table.rows }, (_, i) => cellText(column, i)),
      );
      return (i, j) => cells.filter((own) => own[i] !== own[j]).length / Math.max(1, cells.length);
    }
    case "edit": {
      const texts = columns.filter(({ kind }) => kind !== "number" && kind !== "vector");
      if (texts.length !== 1) {
        throw optionError(
          `edit distances compare one column of texts, and there are ${texts.length}; name it with ${option("use")}`,
        );
      }
      const values = Array.from({ length: table.rows }, (_, i) => [...cellText(texts[0], i)]);
      return (i, j) => editDistance(values[i], values[j]);
    }
    case "globe":
      return globe(columns);
    default: {
      const rows = numbersOf(measure, table.rows, columns);
      if (measure === "dtw") {
        const series = rows.map((values) =>
          values.slice(0, values.findLastIndex((v) => !Number.isNaN(v)) + 1),
        );
        requireNumbers(measure, series);
        return (i, j) => warped(series[i], series[j]);
      }
      requireNumbers(measure, rows);
      const [x, y] = [(i: number) => rows[i], (j: number) => rows[j]];
      if (measure === "euclidean") return (i, j) => Math.hypot(...x(i).map((v, f) => v - y(j)[f]));
      if (measure === "manhattan")
        return (i, j) => x(i).reduce((sum, v, f) => sum + Math.abs(v - y(j)[f]), 0);
      if (measure === "cosine") {
        const lengths = rows.map((values) => Math.hypot(...values));
        return (i, j) =>
          Math.max(0, 1 - x(i).reduce((sum, v, f) => sum + (v / lengths[i]) * (y(j)[f] / lengths[j]), 0));
      }
      return (i, j) => {
        const [both, either] = x(i).reduce(
          ([b, e], v, f) => [b + Number(v !== 0 && y(j)[f] !== 0), e + Number(v !== 0 || y(j)[f] !== 0)],
          [0, 0],
        );
        return either === 0 ? 0 : 1 - both / either;
      };
    }
  }
}

function gower(columns: readonly Column[]): Between {
  const parts = columns.flatMap(({ kind, values, codes }): Between[] => {
    if (kind === "category" && codes !== undefined) {
      return [(i, j) => (codes[i] < 0 || codes[j] < 0 ? Number.NaN : Number(codes[i] !== codes[j]))];
    }
    if (values === undefined) return [];
    const known = values.filter((value) => !Number.isNaN(value));
    const range =
      known.reduce((a, b) => Math.max(a, b), -Infinity) - known.reduce((a, b) => Math.min(a, b), Infinity);
    return [(i, j) => (range > 0 ? Math.abs(values[i] - values[j]) / range : values[i] - values[j])];
  });
  if (parts.length === 0)
    throw inputError("gower distances need columns of numbers, dates or levels, and there are none");
  return (i, j) => {
    let [sum, count] = [0, 0];
    for (const part of parts) {
      const d = part(i, j);
      if (Number.isNaN(d)) continue;
      sum += d;
      count++;
    }
    return sum / count;
  };
}

/** Degrees to kilometres (haversine). */
function globe(columns: readonly Column[]): Between {
  const named = (pattern: RegExp): Column | undefined =>
    columns.find(({ name, values }) => values !== undefined && pattern.test(name));
  const latitude = named(/^lat|latitude|breite/i);
  const longitude = named(/^lo?ng?$|^lon|longitude|l(?:ae|ä)nge/i);
  if (latitude?.values === undefined || longitude?.values === undefined) {
    throw inputError("globe distances need two columns of degrees with names such as latitude and longitude");
  }
  const [lat, lon] = [latitude.values, longitude.values];
  lat.forEach((value, i) => {
    if (Math.abs(value) <= 90 && Math.abs(lon[i]) <= 360) return;
    throw inputError(
      `row ${i} (counted from 0) is at latitude ${value}, longitude ${lon[i]}, which is no place on the globe`,
    );
  });
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  return (i, j) => {
    const north = Math.sin(radians(lat[i] - lat[j]) / 2) ** 2;
    const east = Math.sin(radians(lon[i] - lon[j]) / 2) ** 2;
    const h = north + Math.cos(radians(lat[i])) * Math.cos(radians(lat[j])) * east;
    return 2 * RADIUS * Math.asin(Math.min(1, Math.sqrt(h)));
  };
}

function numbersOf(measure: Measure, rows: number, columns: readonly Column[]): Float64Array[] {
  const numeric = columns.flatMap(({ kind, values }) =>
    kind === "number" && values !== undefined ? [values] : [],
  );
  const vectors = columns.flatMap(({ vectors: own }) => own ?? []);
  if (numeric.length + vectors.length === 0) {
    throw inputError(`${measure} distances need columns of numbers, and there are none`);
  }
  return Array.from({ length: rows }, (_, i) =>
    Float64Array.from([
      ...numeric.map((values) => values[i]),
      ...vectors.flatMap(({ cols, data }) => Array.from(data.subarray(i * cols, (i + 1) * cols))),
    ]),
  );
}

function requireNumbers(measure: Measure, rows: readonly Float64Array[]): void {
  const bad = rows.findIndex((values) => values.length === 0 || values.some(Number.isNaN));
  if (bad < 0) return;
  throw inputError(
    `row ${bad} (counted from 0) has a missing cell, and ${measure} distances take none; gower leaves gaps out`,
  );
}

function editDistance(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1]));
    }
    row = next;
  }
  return row[b.length];
}

function warped(a: Float64Array, b: Float64Array): number {
  let row = new Float64Array(b.length + 1).fill(Infinity);
  row[0] = 0;
  for (let i = 1; i <= a.length; i++) {
    const next = new Float64Array(b.length + 1).fill(Infinity);
    for (let j = 1; j <= b.length; j++) {
      next[j] = (a[i - 1] - b[j - 1]) ** 2 + Math.min(row[j], next[j - 1], row[j - 1]);
    }
    row = next;
  }
  return Math.sqrt(row[b.length]);
}
