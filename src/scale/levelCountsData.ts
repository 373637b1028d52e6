import { form, inputError } from "../core/internal.ts";
import { encodeLabels } from "../score/index.ts";
import type { LevelCounts, LevelCountsData, LevelScheme } from "../select/index.ts";
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

const WHAT = "the file of level counts";

/** Ascending cuts of every column, and the classes in order. */
const schemeFields = {
  discretization: form.where(
    form.record({
      kind: form.choice("sigma", "width", "frequency", "given"),
      columns: form.list(form.text(), "columns"),
      cuts: form.list(form.list(form.number()), "columns"),
    }),
    ({ kind, columns, cuts }, refuse) => {
      const wrong = cuts.findIndex((own) => {
        const ascending = own.every(
          (cut, j) => j === 0 || cut > own[j - 1] || (kind === "sigma" && cut === own[j - 1]),
        );
        const whole = kind === "sigma" ? own.length === 2 : kind !== "given" || own.length > 0;
        return !ascending || !whole || own.length >= MOST_LEVELS;
      });
      if (wrong < 0) return;
      throw refuse(
        "cuts",
        `of column "${columns[wrong]}" are not ${kind === "sigma" ? "two " : ""}ascending numbers`,
      );
    },
  ),
  classes: form.where(form.list(form.textOr(form.number()), "classes"), (classes, refuse) => {
    if (classes.length === 0) return;
    const { classes: ordered } = encodeLabels(classes);
    if (ordered.length !== classes.length) {
      throw refuse("", "must differ, and be known: -1 is a class only where the classes are -1 and 1");
    }
    if (ordered.every((label, c) => label === classes[c])) return;
    const names = ordered.map((label) => JSON.stringify(label)).join(", ");
    throw refuse("", `must be in order, numbers before texts: ${names}`);
  }),
};
const schemeForm = form.record(schemeFields);

const counts = (length?: number): form.Form<readonly number[], Float64Array> =>
  form.where(form.numbers(length, { min: 0 }), (values, refuse) => {
    const broken = values.find((value) => !Number.isSafeInteger(value));
    if (broken !== undefined) throw refuse("", `has ${broken}, which is not a count`);
  });

/** The lengths of the tables follow from the scheme. */
const countsForm = (classes?: number, cells?: number, pairs?: number) =>
  form.record({
    kind: form.choice("level counts"),
    ...schemeFields,
    rows: form.whole({ min: 0 }),
    unlabelled: form.whole({ min: 0 }),
    classCounts: counts(classes),
    margins: counts(cells),
    classTables: counts(cells === undefined ? undefined : classes! * cells),
    pairTables: form.optional(counts(pairs)),
  });

type Counts = form.LoadedOf<ReturnType<typeof countsForm>>;

/**
 * Reads the output of `toJSON`, or counts from another program (in the layout of `LevelCounts`): consistent
 * whole numbers, or an error that names the inconsistency.
 */
export function loadLevelCounts(data: LevelCountsData): LevelCounts {
  const { discretization, classes } = form.load(schemeForm, data, WHAT);
  const layout = levelLayout(discretization);
  const d = layout.levels.length;
  if (data.pairTables !== undefined) requirePairCells(layout);
  const counts = countsForm(classes.length, layout.before[d], layout.starts[d]);
  const found = form.load(counts, data, WHAT);
  requireConsistent(found, layout);
  return storedLevelCounts(found);
}

/** From valid numbers. */
export function storedLevelCounts(found: Omit<Counts, "kind">): LevelCounts {
  return { ...found, toJSON: () => countsForm().save({ ...found, kind: "level counts" }) };
}

export function requireScheme(scheme: LevelScheme): void {
  form.load(schemeForm, scheme, "the scheme of level counts");
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

/** Every table sums up to its margins, and every margin to the rows. */
function requireConsistent(data: Counts, { levels, before, pairAt }: LevelLayout): void {
  const { rows, classCounts, margins, classTables, pairTables } = data;
  const { columns } = data.discretization;
  const K = classCounts.length;
  const own = columns.map((_, f) => margins.subarray(before[f], before[f + 1]));
  own.forEach((margin, f) => requireSum(margin, rows, `the levels of "${columns[f]}"`));
  if (K > 0) requireSum(classCounts, rows, "the rows of the classes");
  own.forEach((margin, u) => {
    const name = `the counts of "${columns[u]}" and`;
    if (K > 0) requireMargins(classTables.subarray(before[u] * K), margin, classCounts, `${name} the class`);
    if (pairTables === undefined) return;
    for (let v = u + 1; v < levels.length; v++) {
      requireMargins(pairTables.subarray(pairAt(u, v)), margin, own[v], `${name} "${columns[v]}"`);
    }
  });
}

/** @param table begins with the counts, the first variable by rows */
function requireMargins(table: Float64Array, first: Float64Array, second: Float64Array, what: string): void {
  const L = second.length;
  const sums = new Float64Array(L);
  first.forEach((count, a) => {
    const row = table.subarray(a * L, (a + 1) * L);
    requireSum(row, count, `${what}, level ${a} of the first,`);
    row.forEach((value, b) => (sums[b] += value));
  });
  sums.forEach((sum, b) => requireSum([sum], second[b], `${what}, level ${b} of the second,`));
}

function requireSum(terms: ArrayLike<number>, expected: number, what: string): void {
  let sum = 0;
  for (let p = 0; p < terms.length; p++) sum += terms[p];
  if (sum !== expected) throw inputError(`level counts: ${what} sum to ${sum} instead of ${expected}`);
}

function schemeText({ discretization, classes }: LevelScheme): string {
  return JSON.stringify([discretization.kind, discretization.columns, discretization.cuts, classes]);
}
