import { matrix, takeColumns, type Matrix } from "../matrix/index.ts";
import { principalComponents } from "../matrix/internal.ts";
import { grain } from "./grain.ts";

/** One view of the rows, in which partitions are sought without hints. */
export interface View {
  readonly name: string;
  readonly Z: Matrix;
  /** Of components: Z = X V but for their centre. */
  readonly V?: Matrix;
}

/**
 * Number of columns above which rows are viewed in their principal components, and the maximum number of
 * these.
 */
const MANY_COLUMNS = 50;
const MOST_COMPONENTS = 40;
/** Heights at which the tree of columns is cut, and the number of kept groups of columns. */
const CUTS = [0.4, 0.6, 0.75];
const MOST_GROUPS = 4;
/** Two groups of columns with this overlap are redundant. */
const ALIKE = 0.7;
/** Columns with at least this share of grain (grain.ts) in their variance are levels or grades, no measurements. */
const COARSE = 0.02;

/**
 * The base space first; then shrunk-white components, components without the first, and groups of related
 * columns (average linkage on 1 - |r|) with their complements: the rows without a strong nuisance.
 * Beside levels or grades, the measurements alone and their groups too.
 */
export function views(X: Matrix): View[] {
  const d = X.cols;
  const { scores: whole, V } = principalComponents(X, 0.999, MOST_COMPONENTS);
  const base = d <= MANY_COLUMNS ? { Z: X } : { Z: whole, V };
  const found: View[] = [{ name: "base", ...base }];
  if (d >= 2) found.push({ name: "white", Z: whitened(X) });
  if (whole.cols > 3) {
    const rest = Array.from({ length: whole.cols - 1 }, (_, c) => c + 1);
    found.push({ name: "without the first component", Z: takeColumns(whole, rest) });
  }
  if (d >= 4 && d <= 60) {
    for (const columns of [...columnGroups(X), ...measured(X)]) {
      const name = `columns ${columns.join(" ")}`;
      if (found.every((one) => one.name !== name)) found.push({ name, Z: takeColumns(X, columns) });
    }
  }
  return found;
}

/**
 * Beside levels and grades: the measurements alone, and groups of them. The levels of a column are clusters that hide
 * those of others.
 */
function measured(X: Matrix): number[][] {
  const d = X.cols;
  const coarse = grain(X);
  const variances = new Float64Array(d);
  const mean = new Float64Array(d);
  for (let p = 0; p < X.data.length; p++) mean[p % d] += X.data[p] / X.rows;
  for (let p = 0; p < X.data.length; p++) variances[p % d] += (X.data[p] - mean[p % d]) ** 2 / X.rows;
  const fine = Array.from(variances.keys()).filter((f) => coarse[f] < COARSE * variances[f]);
  if (fine.length < 2 || fine.length === d) return [];
  const groups = fine.length < 4 ? [] : columnGroups(takeColumns(X, fine));
  return [fine, ...groups.map((columns) => columns.map((c) => fine[c]))];
}

/** Components of 95 % of the variance, at most 30, of scale 1 / sqrt(lambda + a tenth of the mean). */
function whitened(X: Matrix): Matrix {
  const { scores } = principalComponents(X, 0.95, 30);
  const { rows: n, cols: r } = scores;
  const variances = new Float64Array(r);
  for (let p = 0; p < scores.data.length; p++) variances[p % r] += scores.data[p] ** 2 / n;
  const ridge = (0.1 * variances.reduce((a, b) => a + b, 0)) / r || 1;
  return matrix(
    n,
    r,
    scores.data.map((value, p) => value / Math.sqrt(variances[p % r] + ridge)),
  );
}

function columnGroups(X: Matrix): number[][] {
  const R = absoluteCorrelations(X);
  const d = X.cols;
  const sets = new Map<string, number[]>();
  for (const cut of CUTS) {
    const group = averageLinkage(R, cut);
    for (const g of new Set(group)) {
      const inside = Array.from(group.keys()).filter((c) => group[c] === g);
      const outside = Array.from(group.keys()).filter((c) => group[c] !== g);
      if (inside.length < 2) continue;
      for (const set of [inside, outside]) {
        if (set.length >= 2 && set.length <= d - 1) sets.set(set.join(), set);
      }
    }
  }
  const order = [...sets.values()].sort((a, b) => b.length - a.length || (a.join() < b.join() ? -1 : 1));
  const kept: number[][] = [];
  for (const set of order) {
    if (kept.length < MOST_GROUPS && kept.every((other) => jaccard(set, other) < ALIKE)) kept.push(set);
  }
  return kept;
}

function jaccard(a: readonly number[], b: readonly number[]): number {
  const both = a.filter((c) => b.includes(c)).length;
  return both / (a.length + b.length - both);
}

function absoluteCorrelations(X: Matrix): Matrix {
  const { rows: n, cols: d, data } = X;
  const mean = new Float64Array(d);
  const norm = new Float64Array(d);
  for (let i = 0; i < n; i++) for (let f = 0; f < d; f++) mean[f] += data[i * d + f] / n;
  for (let i = 0; i < n; i++) for (let f = 0; f < d; f++) norm[f] += (data[i * d + f] - mean[f]) ** 2;
  const R = matrix(d, d);
  for (let a = 0; a < d; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += (data[i * d + a] - mean[a]) * (data[i * d + b] - mean[b]);
      const scale = Math.sqrt(norm[a] * norm[b]);
      R.data[a * d + b] = R.data[b * d + a] =
        a === b ? 1 : scale > 0 ? Math.min(1, Math.abs(sum) / scale) : 0;
    }
  }
  return R;
}

/** Groups of columns whose mean 1 - |r| stays within `height`. */
function averageLinkage(R: Matrix, height: number): number[] {
  const d = R.rows;
  const parts: number[][] = Array.from({ length: d }, (_, c) => [c]);
  for (;;) {
    let least = Infinity;
    let pair: [number, number] = [0, 0];
    for (let a = 0; a < parts.length; a++) {
      for (let b = a + 1; b < parts.length; b++) {
        let sum = 0;
        for (const i of parts[a]) for (const j of parts[b]) sum += 1 - R.data[i * d + j];
        const mean = sum / (parts[a].length * parts[b].length);
        if (mean < least) {
          least = mean;
          pair = [a, b];
        }
      }
    }
    if (least > height) break;
    parts[pair[0]].push(...parts[pair[1]]);
    parts.splice(pair[1], 1);
  }
  const group = Array<number>(d).fill(0);
  parts.forEach((columns, g) => columns.forEach((c) => (group[c] = g)));
  return group;
}
