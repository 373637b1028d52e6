import { inputError } from "../core/internal.ts";
import { encodeLabels } from "../score/index.ts";
import type { Discretization, LevelCounts, LevelCountsData, LevelScheme } from "../select/index.ts";
import { levelLayout, MOST_LEVELS, type LevelLayout } from "../select/internal.ts";

/** The counts of the rows of both, with the same scheme: sums of integers, exact in any order. */
export function mergeLevelCounts(a: LevelCounts, b: LevelCounts): LevelCounts {
  if (schemeText(a) !== schemeText(b)) {
    throw inputError(
      "level counts cannot be merged: they were made by different schemes (columns, cuts or classes)",
    );
  }
  if ((a.pairTables === undefined) !== (b.pairTables === undefined)) {
    throw inputError("level counts cannot be merged: only one of them has counts of pairs");
  }
  const sum = (x: Float64Array, y: Float64Array): Float64Array => x.map((count, p) => count + y[p]);
  return storedLevelCounts({
    kind: "level counts",
    discretization: a.discretization,
    classes: a.classes,
    rows: a.rows + b.rows,
    unlabelled: a.unlabelled + b.unlabelled,
    classCounts: sum(a.classCounts, b.classCounts),
    margins: sum(a.margins, b.margins),
    classTables: sum(a.classTables, b.classTables),
    ...(a.pairTables && b.pairTables && { pairTables: sum(a.pairTables, b.pairTables) }),
  });
}

/**
 * Reads the output of `toJSON`, or counts from another program (in the layout of `LevelCounts`): consistent
 * whole numbers, or an error that names the inconsistency.
 */
export function loadLevelCounts(data: LevelCountsData): LevelCounts {
  if (data?.kind !== "level counts") throw inputError("these are not level counts");
  requireScheme(data);
  const layout = levelLayout(data.discretization);
  const cells = layout.before[layout.levels.length];
  const K = data.classes.length;
  requireCounts("rows", [data.rows], 1);
  requireCounts("unlabelled", [data.unlabelled], 1);
  requireCounts("classCounts", data.classCounts, K);
  requireCounts("margins", data.margins, cells);
  requireCounts("classTables", data.classTables, K * cells);
  if (data.pairTables !== undefined) {
    requirePairCells(layout);
    requireCounts("pairTables", data.pairTables, layout.starts[layout.levels.length]);
  }
  requireConsistent(data, layout);
  return storedLevelCounts(data);
}

/** From valid numbers. */
export function storedLevelCounts(data: LevelCountsData): LevelCounts {
  const { discretization, classes, rows, unlabelled } = data;
  const classCounts = Float64Array.from(data.classCounts);
  const margins = Float64Array.from(data.margins);
  const classTables = Float64Array.from(data.classTables);
  const pairTables = data.pairTables && Float64Array.from(data.pairTables);
  return {
    discretization,
    classes,
    rows,
    unlabelled,
    classCounts,
    margins,
    classTables,
    ...(pairTables && { pairTables }),
    toJSON: () => ({
      kind: "level counts",
      discretization,
      classes,
      rows,
      unlabelled,
      classCounts: Array.from(classCounts),
      margins: Array.from(margins),
      classTables: Array.from(classTables),
      ...(pairTables && { pairTables: Array.from(pairTables) }),
    }),
  };
}

export function requireScheme({ discretization, classes }: LevelScheme): void {
  requireDiscretization(discretization);
  if (!Array.isArray(classes)) throw inputError("the scheme of level counts has no list of classes");
  if (classes.length === 0) return;
  const { classes: ordered } = encodeLabels(classes);
  if (ordered.length !== classes.length) {
    throw inputError(
      "the classes of a scheme must differ, and be known: -1 is a class only where the classes are -1 and 1",
    );
  }
  if (ordered.some((label, c) => label !== classes[c])) {
    throw inputError(
      `the classes of a scheme must be in order, numbers before texts: ${ordered.map((label) => JSON.stringify(label)).join(", ")}`,
    );
  }
}

function requireDiscretization(discretization: Discretization): void {
  const { kind, columns, cuts } = discretization ?? {};
  if (
    !["sigma", "width", "frequency", "given"].includes(kind) ||
    !Array.isArray(columns) ||
    !Array.isArray(cuts)
  ) {
    throw inputError("the scheme of level counts has no discretization { kind, columns, cuts }");
  }
  if (cuts.length !== columns.length) {
    throw inputError(`the scheme has cuts of ${cuts.length} columns, but ${columns.length} names`);
  }
  for (const [f, own] of cuts.entries()) {
    const strict = kind !== "sigma";
    const ascending =
      Array.isArray(own) &&
      own.every(
        (cut, j) => Number.isFinite(cut) && (j === 0 || (strict ? cut > own[j - 1] : cut >= own[j - 1])),
      );
    const whole = kind === "sigma" ? own.length === 2 : kind !== "given" || own.length > 0;
    if (ascending && whole && own.length < MOST_LEVELS) continue;
    throw inputError(
      `the cuts of column "${columns[f]}" are not ${kind === "sigma" ? "two ascending numbers" : "ascending numbers"}`,
    );
  }
}

/** More would not fit beside everything else: half a gigabyte. */
const MOST_CELLS = 2 ** 26;

export function requirePairCells({ starts, levels }: LevelLayout): void {
  const cells = starts[levels.length];
  if (cells <= MOST_CELLS) return;
  throw inputError(
    `the pairs of ${levels.length} columns have ${cells} counts, more than the ${MOST_CELLS} that are kept in memory; ` +
      `take fewer columns or fewer levels`,
  );
}

function requireCounts(name: string, counts: ArrayLike<number>, length: number): void {
  if (counts?.length !== length) {
    throw inputError(`level counts: "${name}" has ${counts?.length ?? "no"} numbers instead of ${length}`);
  }
  for (let p = 0; p < length; p++) {
    if (Number.isSafeInteger(counts[p]) && counts[p] >= 0) continue;
    throw inputError(
      `level counts: "${name}" has ${counts[p]} at ${p} (counted from 0), which is not a count`,
    );
  }
}

/** Every table sums up to its margins, and every margin to the rows. */
function requireConsistent(data: LevelCountsData, { levels, before, pairAt }: LevelLayout): void {
  const { classes, rows, classCounts, margins, classTables, pairTables } = data;
  const named = (f: number): string => `"${data.discretization.columns[f]}"`;
  const d = levels.length;
  const K = classes.length;
  for (let f = 0; f < d; f++) {
    requireSum(margins, before[f], levels[f], 1, rows, () => `the levels of ${named(f)}`);
  }
  if (K > 0) {
    requireSum(classCounts, 0, K, 1, rows, () => "the rows of the classes");
    for (let f = 0; f < d; f++) {
      const own = { rows: slice(margins, before[f], levels[f]), cols: classCounts };
      requireTable(classTables, before[f] * K, own, () => `the counts of ${named(f)} and the class`);
    }
  }
  if (pairTables === undefined) return;
  for (let u = 0; u < d; u++) {
    const rows = slice(margins, before[u], levels[u]);
    for (let v = u + 1; v < d; v++) {
      const own = { rows, cols: slice(margins, before[v], levels[v]) };
      requireTable(pairTables, pairAt(u, v), own, () => `the counts of ${named(u)} and ${named(v)}`);
    }
  }
}

function requireTable(
  counts: ArrayLike<number>,
  from: number,
  margins: { readonly rows: ArrayLike<number>; readonly cols: ArrayLike<number> },
  what: () => string,
): void {
  const { rows, cols } = margins;
  for (let a = 0; a < rows.length; a++) {
    const at = from + a * cols.length;
    requireSum(counts, at, cols.length, 1, rows[a], () => `${what()}, level ${a} of the first,`);
  }
  for (let b = 0; b < cols.length; b++) {
    requireSum(
      counts,
      from + b,
      rows.length,
      cols.length,
      cols[b],
      () => `${what()}, level ${b} of the second,`,
    );
  }
}

function requireSum(
  counts: ArrayLike<number>,
  from: number,
  count: number,
  step: number,
  expected: number,
  what: () => string,
): void {
  let sum = 0;
  for (let p = 0; p < count; p++) sum += counts[from + p * step];
  if (sum !== expected) throw inputError(`level counts: ${what()} sum to ${sum} instead of ${expected}`);
}

function slice(counts: ArrayLike<number>, from: number, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, p) => counts[from + p]);
}

function schemeText({ discretization, classes }: LevelScheme): string {
  return JSON.stringify([discretization.kind, discretization.columns, discretization.cuts, classes]);
}
