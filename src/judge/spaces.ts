import { scale } from "../data/index.ts";
import { featureGroups, splitKinds, type FeatureRecord, type SplitKinds } from "../features/index.ts";
import { matrix, multiply, multiplyTransposeB, takeRows, type Matrix } from "../matrix/index.ts";
import { centered, columnMeans } from "../matrix/internal.ts";
import { factors as factorsOf, leadingAxes, type FeatureRange } from "./factors.ts";
import { likeliestPower, power } from "./powerTransform.ts";

/**
 * The spaces in which partitions are sought. What is alike depends on the coding of the columns, and no coding is best for
 * every table: a partition that several spaces show is more plausible (plausibility.ts).
 *
 * - z: every column with variance 1;
 * - power: the same, numbers by the power transform that makes them nearly normal (Yeo and Johnson 2000);
 * - related: as power, with the weights of the features: columns related to others count more;
 * - numbers: as power, without categories;
 * - factors: the joint directions of power beyond chance (Horn 1965);
 * - own: the features as they are, where a person asked for a scale, and for angles;
 * - kinds: numbers and levels apart, for a mixture of both.
 */
export type SpaceName = "z" | "power" | "related" | "numbers" | "factors" | "own" | "kinds";

export interface Space {
  readonly name: SpaceName;
  readonly X: Matrix;
}

/** The spaces of some rows, and those in which their partitions are judged. */
export interface Spaces {
  readonly rows: number;
  readonly all: readonly Space[];
  /** Here neighbours are counted. */
  readonly plain: Matrix;
  /** Here the share of every column that a partition explains is measured. */
  readonly columns: Matrix;
  readonly groups: readonly ColumnRange[];
  /** Here discriminants are drawn. */
  readonly factors: Matrix;
  /** Of a table with levels. */
  readonly kinds?: SplitKinds;
}

/** The features of a column. */
export interface ColumnRange extends FeatureRange {
  readonly column: string;
}

/** What partitions are made of. */
export type Material = Pick<Spaces, "all" | "kinds">;

/**
 * @param record how the features were made of columns; absent: each is a number on a scale that counts
 * @param seed of the permutations that tell how many factors there are
 */
export function spacesOf(X: Matrix, record: FeatureRecord | undefined, seed: number): Spaces {
  if (record?.scale !== "auto") {
    const names =
      record === undefined ? Array.from({ length: X.cols }, (_, f) => `${f}`) : featureGroups(record);
    return withFactors([{ name: "own", X }], X, rangesOf(names), seed);
  }
  const features = originals(X, telling(record));
  const groups = rangesOf(features.map(({ column }) => column));
  const z = scaledTo(X, features, () => 1);
  const coded = powers(z, features);
  const all: Space[] = [
    { name: "z", X: z },
    { name: "power", X: coded },
  ];
  const numbers = features.flatMap(({ levels }, f) => (levels ? [] : [f]));
  if (numbers.length > 1 && numbers.length < features.length) {
    all.push({ name: "numbers", X: columnsOf(coded, numbers) });
  }
  const weights = new Set(features.map(({ weight }) => weight.toFixed(6)));
  if (groups.length > FEW_COLUMNS && weights.size > 1) {
    const plain = features.map((feature, f) => ({ ...feature, from: f, weight: 1 }));
    all.push({ name: "related", X: scaledTo(coded, plain, (f) => features[f].weight) });
  }
  const kinds = features.some(({ levels }) => levels) ? splitKinds(record, X) : undefined;
  return { ...withFactors(all, coded, groups, seed), ...(kinds !== undefined && { kinds }) };
}

/** The same spaces of some of the rows. */
export function partOf({ all, kinds }: Material, rows: Int32Array): Material {
  return {
    all: all.map(({ name, X }) => ({ name, X: takeRows(X, rows) })),
    ...(kinds !== undefined && {
      kinds: {
        ...kinds,
        X: takeRows(kinds.X, rows),
        codes: kinds.codes.map((column) => ({ ...column, codes: rows.map((i) => column.codes[i]) })),
      },
    }),
  };
}

/** So few columns have no relations beyond their groups. */
const FEW_COLUMNS = 3;
/** Covariances of more features than this are not estimated from some hundred rows. */
export const MOST_FACTORS = 12;

function withFactors(
  all: readonly Space[],
  columns: Matrix,
  groups: readonly ColumnRange[],
  seed: number,
): Spaces {
  const spaces = all.map(({ name, X }) => ({ name, X: compact(X) }));
  let factors = columns;
  if (groups.length > FEW_COLUMNS || columns.cols > MOST_FACTORS) {
    const axes = factorsOf(columns, groups, seed);
    if (axes !== undefined) {
      factors = multiplyTransposeB(columns, axes);
      spaces.push({ name: "factors", X: factors });
    }
  }
  return { rows: columns.rows, all: spaces, plain: spaces[0].X, columns, groups, factors };
}

/** A feature that tells something about the row, with the weight of its whole column. */
interface Telling {
  readonly from: number;
  readonly column: string;
  readonly levels: boolean;
  readonly number: boolean;
  readonly weight: number;
}

/** Marks of gaps and of zeros would be groups of their own. */
function telling({ parts }: FeatureRecord): Telling[] {
  const weights = new Map<string, number>();
  for (const { column, encoding, weight } of parts) {
    if (encoding.form !== "mark") weights.set(column, (weights.get(column) ?? 0) + weight);
  }
  let first = 0;
  return parts.flatMap(({ column, encoding, names }) => {
    const from = first;
    first += names.length;
    const weight = weights.get(column) ?? 0;
    if (weight === 0 || encoding.form === "mark") return [];
    const levels = encoding.form === "levels";
    const number = encoding.form === "number";
    // A text or a vector measures as many things as it has components.
    const many = encoding.form === "words" || encoding.form === "vector";
    return names.map((name, f) => ({ from: from + f, column: many ? name : column, levels, number, weight }));
  });
}

/** Numbers that differ by less than this, in standard units, are the same number in other units. */
const SAME = 1e-6;

/** Without the copies of a number, in the same or other units: they say nothing new. */
function originals(X: Matrix, features: readonly Telling[]): readonly Telling[] {
  const { data, cols: d } = scale(X, "zscore").X;
  const isSame = (f: number, g: number, sign: number): boolean => {
    for (let p = 0; p < data.length; p += d)
      if (Math.abs(data[p + f] - sign * data[p + g]) > SAME) return false;
    return true;
  };
  const numbers = features.filter(({ number }) => number).map(({ from }) => from);
  const copies = numbers.filter((f) => numbers.some((g) => g < f && (isSame(f, g, 1) || isSame(f, g, -1))));
  return features.filter(({ from }) => !copies.includes(from));
}

function rangesOf(columns: readonly string[]): ColumnRange[] {
  const ranges: ColumnRange[] = [];
  for (let first = 0; first < columns.length;) {
    let end = first;
    while (end < columns.length && columns[end] === columns[first]) end++;
    ranges.push({ first, count: end - first, column: columns[first] });
    first = end;
  }
  return ranges;
}

/** The telling features about their means, each column with a weight of its own. */
function scaledTo(X: Matrix, features: readonly Telling[], weightOf: (f: number) => number): Matrix {
  const Y = matrix(X.rows, features.length);
  const means = columnMeans(X);
  features.forEach(({ from, weight }, f) => {
    const factor = Math.sqrt(weightOf(f) / weight);
    for (let i = 0; i < X.rows; i++) {
      Y.data[i * Y.cols + f] = (X.data[i * X.cols + from] - means[from]) * factor;
    }
  });
  return Y;
}

/** Numbers with fewer distinct values are steps, not measurements. */
const FEW_VALUES = 6;
/** Deviations at which a transformed number is limited: a chance of 1 in 4000 for a normal one. */
const FAR = 3.5;

function powers(z: Matrix, features: readonly Telling[]): Matrix {
  const { rows: n, cols: d } = z;
  const Y = matrix(n, d, z.data.slice());
  features.forEach(({ number }, f) => {
    if (!number) return;
    const column = Float64Array.from({ length: n }, (_, i) => z.data[i * d + f]);
    const sorted = column.toSorted();
    let distinct = 1;
    for (let i = 1; i < n && distinct < FEW_VALUES; i++) if (sorted[i] !== sorted[i - 1]) distinct++;
    if (distinct < FEW_VALUES) return;
    const unit = deviation(column);
    const exponent = likeliestPower(sorted.map((x) => x / unit));
    const coded = column.map((x) => power(x / unit, exponent));
    const middle = coded.reduce((sum, x) => sum + x, 0) / n;
    const spread = deviation(coded.map((x) => x - middle));
    for (let i = 0; i < n; i++) {
      Y.data[i * d + f] = unit * Math.max(-FAR, Math.min(FAR, (coded[i] - middle) / spread));
    }
  });
  return Y;
}

/** About 0. */
function deviation(values: Float64Array): number {
  return Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);
}

function columnsOf(X: Matrix, features: readonly number[]): Matrix {
  const Y = matrix(X.rows, features.length);
  for (let i = 0, p = 0; i < X.rows; i++) for (const f of features) Y.data[p++] = X.data[i * X.cols + f];
  return Y;
}

/** Beyond this many features, the leading principal scores stand for them: distances hardly change, and cost less. */
const MOST_FEATURES = 120;
const SCORES = 80;
const ROUGH = 1e-4;

function compact(X: Matrix): Matrix {
  if (X.cols <= MOST_FEATURES) return X;
  const Y = centered(X, columnMeans(X));
  const count = Math.min(SCORES, X.rows - 1);
  return multiply(Y, leadingAxes(Y, count, ROUGH).axes);
}
