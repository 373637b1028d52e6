/**
 * Weights without labels: columns related to others count more, and none counts less than half,
 *
 *     w_c = 1/2 + 1/2 s_c / max s,   s_c = sum_d r_cd^2,
 *
 * with r_cd^2 the largest of the features of both columns. If no column is related to another, all weights
 * are 1. The features of one column share its weight as they are related to other columns. Only copies are left out.
 */
import { encodePart, type Cells, type Encoded } from "../encode/encodePart.ts";
import type { FeaturePart } from "../featureRecord.ts";
import { gram, matrix, multiplyTransposeA, type Matrix } from "../../matrix/index.ts";
import { ranks } from "../encode/numberEncoding.ts";
import type { Note } from "../../core/index.ts";
import { inputError, note, option } from "../../core/internal.ts";
import type { Table } from "../../data/index.ts";
import { mutualInformation } from "../../score/index.ts";
import type { TableFeatures } from "../learnFeatures.ts";

/** The features of a column, or some of them. */
export interface ColumnPart extends Encoded, Pick<FeaturePart, "kind" | "names"> {
  /**
   * Its proportion of the column's weight if the column is related to no other. A column of zeros only counts if it is
   * related, or if no column is.
   */
  readonly share: number;
}

export interface WeighedColumns<P> {
  readonly parts: readonly { readonly part: P; readonly weight: number }[];
  /** For each column, why it has its weight. */
  readonly why: ReadonlyMap<string, string>;
}

/** `sample`: rows in random order; the first ones are compared. */
export function weighColumns<P extends ColumnPart>(
  given: readonly P[],
  cells: Cells,
  sample: Int32Array,
): WeighedColumns<P> {
  const features = given.reduce((sum, part) => sum + part.names.length, 0);
  const rows = sample.subarray(0, Math.max(FEWEST_ROWS, Math.min(ROWS, Math.floor(WORK / features ** 2))));
  const found = relations(
    given.map((part) => ({
      values: encodePart(part, cells, rows),
      width: part.names.length,
      ordered: part.encoding.form === "number",
    })),
  );
  const copyOf = copies(given, found);
  const why = new Map<string, string>();
  for (const [copy, original] of copyOf) {
    why.set(given[copy].column, `left out: a copy of ${given[original].column}`);
  }
  const counted = Array.from(given.keys()).filter((p) => !copyOf.has(p));
  const related = [...new Set(counted.map((p) => given[p].column))].map((name) => {
    const own = counted.filter((p) => given[p].column === name);
    return { name, own, ...relationsOf(own, given, counted, found) };
  });
  const most = related.reduce((max, { sum }) => Math.max(max, sum), 0);
  for (const { name, own, measured, closest } of related) {
    if (most > 0 && closest.length === 0 && own.every((p) => given[p].share === 0)) {
      why.set(name, "left out: unrelated to every other column");
    } else if (closest.length > 0) why.set(name, `kept: related to ${listedFew(closest)}`);
    else if (!measured) why.set(name, "kept: too few cells to compare it with other columns");
    else if (most > 0) why.set(name, "kept with half the weight: unrelated to every other column");
    else why.set(name, "kept: no column is related to another, so all have the same weight");
  }
  const parts = related.flatMap(({ own, sum, sums }) => {
    const weight = most > 0 ? 0.5 + (0.5 * sum) / most : 1;
    const alone = most === 0 && own.every((p) => given[p].share === 0);
    const shares = own.map((p, k) => (sum > 0 ? sums[k] : alone ? 1 : given[p].share));
    const all = shares.reduce((total, share) => total + share, 0);
    return own.flatMap((p, k) =>
      shares[k] > 0 ? [{ part: given[p], weight: (weight * shares[k]) / all }] : [],
    );
  });
  return { parts, why };
}

/** Rows that are compared, and the number of rows times pairs of features beyond which there are fewer. */
const ROWS = 5000;
const WORK = 2e9;
const FEWEST_ROWS = 500;

interface ColumnRelations {
  /** s_c. */
  readonly sum: number;
  /** The sum of squared correlations of each of its parts. */
  readonly sums: readonly number[];
  /** Whether enough rows have cells of this column and of another. */
  readonly measured: boolean;
  /** Related columns, the closest first. */
  readonly closest: readonly string[];
}

/** How the parts `own` of one column are related to other columns. */
function relationsOf(
  own: readonly number[],
  parts: readonly ColumnPart[],
  counted: readonly number[],
  { size, squares, rows }: Relations,
): ColumnRelations {
  const [{ column }] = own.map((p) => parts[p]);
  const byColumn = new Map<string, number>();
  let measured = false;
  const sums = own.map((p) => {
    const best = new Map<string, number>();
    for (const q of counted) {
      const other = parts[q].column;
      if (other === column || areDates(parts[p], parts[q])) continue;
      measured ||= rows[p * size + q] >= LEAST_ROWS;
      const square = squares[p * size + q];
      if (square === 0) continue;
      best.set(other, Math.max(best.get(other) ?? 0, square));
      byColumn.set(other, Math.max(byColumn.get(other) ?? 0, square));
    }
    return total(best);
  });
  const closest = [...byColumn].sort(([, a], [, b]) => b - a).map(([name]) => name);
  return { sum: total(byColumn), sums, measured, closest };
}

/** Two dates are related because one follows the other in every row, whatever the groups are. */
function areDates(a: ColumnPart, b: ColumnPart): boolean {
  const isDate = ({ kind }: ColumnPart): boolean => kind === "date";
  return (isDate(a) && (isDate(b) || isTime(b))) || (isTime(a) && isDate(b));
}

function isTime({ encoding }: ColumnPart): boolean {
  return encoding.form === "number" && encoding.since !== undefined;
}

/** Squared correlation from which on a column is another one in other words or units, but for rounding. */
const COPY = 0.99 ** 2;

/** For each copy what it is a copy of: the one of them with the most cells. */
function copies(parts: readonly ColumnPart[], { size, twins, rows }: Relations): ReadonlyMap<number, number> {
  const cells = (p: number): number => rows[p * size + p];
  const candidates = Array.from(parts.keys()).filter((p) => canBeCopy(parts[p]));
  candidates.sort((p, q) => cells(q) - cells(p) || p - q);
  const originals: number[] = [];
  const copyOf = new Map<number, number>();
  for (const p of candidates) {
    const original = originals.find((q) => Math.min(twins[p * size + q], twins[q * size + p]) >= COPY);
    if (original === undefined) originals.push(p);
    else copyOf.set(p, original);
  }
  return copyOf;
}

/** Dates that rank the rows alike still differ by the time between them. */
function canBeCopy({ encoding: { form }, kind }: ColumnPart): boolean {
  return (form === "number" || form === "levels" || form === "mark") && kind !== "date";
}

function total(squares: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const square of squares.values()) sum += square;
  return sum;
}

function listedFew(names: readonly string[]): string {
  return `${names.slice(0, 3).join(", ")}${names.length > 3 ? ", ..." : ""}`;
}

/**
 * How closely the columns of a table are related, without labels: the largest squared correlation of a feature of one with
 * a feature of the other, over the rows where both are present. Numbers are ranked first, so two numbers have Spearman's
 * correlation, and a number and a category that of the number with its level. A correlation that chance explains is
 * none: among all pairs of features of a table without relations, one beyond z / sqrt(n) has the probability LEVEL.
 */

/** The features of one column: rows x width, NaN where missing. */
interface ColumnBlock {
  readonly values: Float64Array;
  readonly width: number;
  /** One number, of which the ranks count. */
  readonly ordered: boolean;
}

interface Relations {
  readonly size: number;
  /** size x size: the squared correlation, 0 if chance explains it. */
  readonly squares: Float64Array;
  /** size x size: the squared correlation by which each feature of the column has a twin in the other. */
  readonly twins: Float64Array;
  /** size x size: rows where both columns are present. */
  readonly rows: Float64Array;
}

const LEVEL = 0.05;
/** Rows without which no correlation differs from chance. */
const LEAST_ROWS = 5;

export function relations(blocks: readonly ColumnBlock[]): Relations {
  const size = blocks.length;
  const n = size === 0 ? 0 : blocks[0].values.length / blocks[0].width;
  const owner = blocks.flatMap(({ width }, c) => Array.from({ length: width }, () => c));
  const F = owner.length;
  const { Z, present } = standardFeatures(blocks, n, F);
  const products = gram(Z).data;
  const { rows, sums, squares: own } = overlaps(Z, present, size);
  const squares = new Float64Array(size * size);
  const best = new Float64Array(F * size);
  const chance = chanceOf();
  for (let f = 0; f < F; f++) {
    const a = owner[f];
    for (let g = 0; g < F; g++) {
      const b = owner[g];
      const count = rows[a * size + b];
      if (a === b || count < LEAST_ROWS) continue;
      const [x, y] = [sums[f * size + b] / count, sums[g * size + a] / count];
      const vx = own[f * size + b] / count - x * x;
      const vy = own[g * size + a] / count - y * y;
      if (!(vx > 1e-12) || !(vy > 1e-12)) continue;
      const square = Math.min(1, (products[f * F + g] / count - x * y) ** 2 / (vx * vy));
      best[f * size + b] = Math.max(best[f * size + b], square);
      if (square * count > chance((blocks[a].width * blocks[b].width * size * (size - 1)) / 2)) {
        squares[a * size + b] = Math.max(squares[a * size + b], square);
      }
    }
  }
  const twins = new Float64Array(size * size).fill(1);
  for (let f = 0; f < F; f++)
    for (let b = 0; b < size; b++)
      twins[owner[f] * size + b] = Math.min(twins[owner[f] * size + b], best[f * size + b]);
  return { size, squares, twins, rows };
}

/** n times the squared correlation that the largest of `pairs` exceeds by chance with the probability LEVEL. */
function chanceOf(): (pairs: number) => number {
  const known = new Map<number, number>();
  return (pairs) => {
    let square = known.get(pairs);
    if (square === undefined) known.set(pairs, (square = normalTail(LEVEL / (2 * pairs)) ** 2));
    return square;
  };
}

/**
 * The standard normal is beyond z with the probability p, at most LEVEL / 2: the fixed point of
 * p = phi(z) / (z + 1 / (z + 2 / (z + 3 / ...))), Laplace's continued fraction.
 */
export function normalTail(p: number): number {
  let z = 2;
  for (let step = 0; step < 50; step++) {
    let fraction = z;
    for (let k = 30; k > 0; k--) fraction = z + k / fraction;
    z = Math.sqrt(-2 * Math.log(p * Math.sqrt(2 * Math.PI) * fraction));
  }
  return z;
}

/** Features with mean 0 and variance 1 over their present rows, and 0 in gaps; which blocks are present where. */
function standardFeatures(
  blocks: readonly ColumnBlock[],
  n: number,
  F: number,
): { Z: Matrix; present: Matrix | undefined } {
  const Z = matrix(n, F);
  const present = matrix(n, blocks.length);
  let gaps = false;
  let first = 0;
  blocks.forEach(({ values, width, ordered }, c) => {
    const block = ordered && width === 1 ? ranks(values) : values;
    for (let f = 0; f < width; f++) {
      let [count, mean, squares] = [0, 0, 0];
      for (let i = 0; i < n; i++) {
        const x = block[i * width + f];
        if (Number.isNaN(x)) continue;
        count++;
        const from = x - mean;
        mean += from / count;
        squares += from * (x - mean);
        present.data[i * blocks.length + c] = 1;
      }
      gaps ||= count < n;
      const scale = squares > 0 ? Math.sqrt(count / squares) : 0;
      for (let i = 0; i < n; i++) {
        const x = block[i * width + f];
        if (!Number.isNaN(x)) Z.data[i * F + first + f] = (x - mean) * scale;
      }
    }
    first += width;
  });
  return { Z, present: gaps ? present : undefined };
}

/** Sums and squares of each feature over the rows where each block is present. */
function overlaps(
  Z: Matrix,
  present: Matrix | undefined,
  size: number,
): { rows: Float64Array; sums: Float64Array; squares: Float64Array } {
  const F = Z.cols;
  if (present === undefined) {
    return {
      rows: new Float64Array(size * size).fill(Z.rows),
      sums: new Float64Array(F * size),
      squares: new Float64Array(F * size).fill(Z.rows),
    };
  }
  return {
    rows: gram(present).data,
    sums: multiplyTransposeA(Z, present).data,
    squares: multiplyTransposeA({ ...Z, data: Z.data.map((z) => z * z) }, present).data,
  };
}

const ARE_LEVELS = 0.8;
const FOLLOW = 0.8;
/** Columns that are nearly constant (entropy in nats) or have very many levels are ignored here. */
const LEAST_ENTROPY = 0.3;
const MOST_LEVELS = 60;

/**
 * Warns when clusters repeat the levels of one column: with the mutual information I of labels and levels,
 *
 *     I / max(H(labels), H(levels)) near 1: the clusters are the levels of the column;
 *     I / H(levels) near 1: no cluster mixes its levels, so the clusters follow it.
 *
 * This may be intended or not. No rule without labels can decide, so a note says so, with the option that
 * changes it.
 */
export function followsColumn(
  labels: ArrayLike<number>,
  table: Table,
  features: Pick<TableFeatures, "record" | "columns" | "rows">,
): Note[] {
  const rows = features.rows;
  const n = rows?.length ?? table.rows;
  if (labels.length !== n) throw inputError(`there are ${labels.length} labels for ${n} rows`);
  const vectors = features.record.parts.some(({ kind }) => kind === "vector" || kind === "text");
  const found: { share: number; note: Note }[] = [];
  for (const { name, kind, codes, levels } of table.columns) {
    if ((kind !== "category" && kind !== "ordered") || codes === undefined || levels === undefined) continue;
    if (levels.length < 2 || levels.length > MOST_LEVELS) continue;
    const told = sharedInformation(labels, (i) => codes[rows === undefined ? i : rows[i]]);
    if (told === undefined || told.ofLevels < LEAST_ENTROPY || told.ofLabels === 0) continue;
    const same = told.information / Math.max(told.ofLabels, told.ofLevels);
    const follow = told.information / told.ofLevels;
    if (same < ARE_LEVELS && follow < FOLLOW) continue;
    const used = (features.columns.find((column) => column.name === name)?.weight ?? 0) > 0;
    const says =
      same >= ARE_LEVELS
        ? `the clusters are nearly the levels of "${name}"`
        : `the clusters follow "${name}": few of them mix its levels`;
    // Leaving out a column that shifts every vector does not remove its influence.
    const remedy = used && !vectors ? "ignore" : "adjust";
    const effect = remedy === "ignore" ? "leaves it out" : "removes its influence on the other columns";
    found.push({
      share: Math.max(same, follow),
      note: note(
        same >= ARE_LEVELS ? "clusters-are-levels" : "clusters-follow",
        `${says}; if that is not what is sought, ${option(remedy)} ${quoted(name)} ${effect}`,
        { column: name, option: remedy },
      ),
    });
  }
  return found.sort((a, b) => b.share - a.share).map((entry) => entry.note);
}

function quoted(name: string): string {
  return /^[\p{L}\p{N}_.-]+$/u.test(name) ? name : JSON.stringify(name);
}

/** Over the rows where both are known; undefined if these are few. */
function sharedInformation(
  labels: ArrayLike<number>,
  code: (i: number) => number,
): { information: number; ofLabels: number; ofLevels: number } | undefined {
  const rows = Array.from({ length: labels.length }, (_, i) => i).filter(
    (i) => labels[i] >= 0 && code(i) >= 0,
  );
  const n = rows.length;
  if (n < labels.length / 2 || n < 20) return undefined;
  const [clusters, levels] = [rows.map((i) => labels[i]), rows.map(code)];
  const df = (new Set(clusters).size - 1) * (new Set(levels).size - 1);
  return {
    information: Math.max(0, mutualInformation(clusters, levels) - df / (2 * n)),
    ofLabels: mutualInformation(clusters, clusters),
    ofLevels: mutualInformation(levels, levels),
  };
}
