import { inputError, rule, form } from "../core/internal.ts";
import { takeRows, type Matrix } from "../matrix/index.ts";
import { requireFinite } from "../matrix/internal.ts";
import { isUnknown, type Labeling, encodeLabels } from "../score/index.ts";
import {
  applyDiscretization,
  type Discrete,
  type LevelCounts,
  type LevelScheme,
  type LevelCountsData,
} from "../select/index.ts";
import { addPairCounts, levelLayout, variable, type LevelLayout, MOST_LEVELS } from "../select/internal.ts";
import { rowBatches, type BatchOptions, type BatchSource } from "./rowBatches.ts";

/** Whether the pairs of features are counted too: only naive Bayes does not need them. */
export const pairsRule = rule.flag(true);
const RULES = { pairs: pairsRule };
export type LevelCountsOptions = rule.OptionsOf<typeof RULES>;

/**
 * Counts levels, classes and pairs in one pass over a source of any size: the input of
 * `chowLiuSelectFromCounts`, `mrmrFromCounts`, `cfsFromCounts`, `chowLiuTreeFromCounts` and
 * `discreteNaiveBayesFromCounts`.
 *
 *     const scheme = await levelScheme("data/*.parquet", { label: "y" });
 *     const counts = await levelCounts("data/*.parquet", scheme, { label: "y" });
 */
export async function levelCounts(
  source: BatchSource,
  scheme: LevelScheme,
  options: BatchOptions & LevelCountsOptions = {},
): Promise<LevelCounts> {
  const { pairs, ...reading } = options;
  const accumulator = levelCountsAccumulator(scheme, { pairs });
  for await (const { X, label, names, release } of rowBatches(source, reading)) {
    const differs = names.findIndex((name, f) => name !== scheme.discretization.columns[f]);
    if (differs >= 0) {
      throw inputError(
        `levelCounts: column ${differs} (counted from 0) is "${names[differs]}", ` +
          `but the scheme was made for "${scheme.discretization.columns[differs]}"`,
      );
    }
    accumulator.add(X, label?.values);
    release?.();
  }
  return accumulator.result();
}

export interface LevelCountsAccumulator {
  /** Adds rows with their classes, if the scheme has any; rows of unknown class are left out. */
  add(X: Matrix, labels?: Labeling): void;
  result(): LevelCounts;
}

/** Collects batches; separate parts with the same scheme are joined by `mergeLevelCounts`. */
export function levelCountsAccumulator(
  scheme: LevelScheme,
  options: LevelCountsOptions = {},
): LevelCountsAccumulator {
  const { pairs } = rule.resolveOptions("levelCounts", options, RULES);
  requireScheme(scheme);
  const { discretization, classes } = scheme;
  const layout = levelLayout(discretization);
  const { levels, before } = layout;
  const d = levels.length;
  const K = classes.length;
  if (pairs) requirePairCells(layout);
  const margins = new Float64Array(before[d]);
  const classCounts = new Float64Array(K);
  const classTables = new Float64Array(before[d] * K);
  const pairTables = pairs ? new Float64Array(layout.starts[d]) : undefined;
  const buffer = pairTables && pairBuffer(layout, pairTables);
  const codeOf = new Map(classes.map((label, c) => [String(label), c]));
  let rows = 0;
  let unlabelled = 0;
  return {
    add(X, labels) {
      requireFinite(X, "the batch");
      const codes = K === 0 ? undefined : classCodes(labels, X.rows, codeOf);
      const known = codes === undefined ? X : knownRows(X, codes);
      const part = applyDiscretization(discretization, known);
      if (part.unseen > 0) throw unseenValue(discretization, known);
      rows += part.rows;
      unlabelled += X.rows - part.rows;
      const own = codes?.filter((code) => code >= 0);
      if (own !== undefined) for (const code of own) classCounts[code]++;
      for (let f = 0; f < d; f++) {
        const levelCodes = variable(part, f);
        countLevels(levelCodes, margins.subarray(before[f], before[f + 1]));
        if (own !== undefined) {
          countPairs(levelCodes, own, K, classTables.subarray(before[f] * K, before[f + 1] * K));
        }
      }
      buffer?.push(part);
    },
    result() {
      buffer?.flush();
      return storedLevelCounts({
        ...scheme,
        rows,
        unlabelled,
        classCounts: classCounts.slice(),
        margins: margins.slice(),
        classTables: classTables.slice(),
        ...(pairTables && { pairTables: pairTables.slice() }),
      });
    },
  };
}

function countLevels(levels: Uint16Array, into: Float64Array): void {
  for (let i = 0; i < levels.length; i++) into[levels[i]]++;
}

function countPairs(levels: Uint16Array, classes: Int32Array, K: number, into: Float64Array): void {
  for (let i = 0; i < levels.length; i++) into[levels[i] * K + classes[i]]++;
}

/** The class of each row, -1 where it is unknown. */
function classCodes(
  labels: Labeling | undefined,
  rows: number,
  codeOf: ReadonlyMap<string, number>,
): Int32Array {
  if (labels === undefined)
    throw inputError("levelCounts: the scheme has classes, but the rows have no labels");
  if (labels.length !== rows) throw inputError(`there are ${labels.length} labels for ${rows} rows`);
  return Int32Array.from(labels, (label, i) => {
    const code = codeOf.get(String(label));
    if (code !== undefined) return code;
    if (isUnknown(label)) return -1;
    const known = [...codeOf.keys()].map((name) => `"${name}"`).join(", ");
    throw inputError(
      `levelCounts: row ${i} of a batch (counted from 0) has the class "${label}", which the scheme lacks: it has ${known}`,
    );
  });
}

function knownRows(X: Matrix, codes: Int32Array): Matrix {
  return codes.includes(-1)
    ? takeRows(
        X,
        Int32Array.from(codes.keys()).filter((i) => codes[i] >= 0),
      )
    : X;
}

function unseenValue({ columns, cuts }: LevelScheme["discretization"], { data, cols }: Matrix): Error {
  const at = data.findIndex((value, p) => !cuts[p % cols].includes(value));
  return inputError(
    `levelCounts: column "${columns[at % cols]}" has the value ${data[at]}, which is not among the levels of the scheme`,
  );
}

/** Rows are counted many at a time, because each round visits the tables of all pairs. */
function pairBuffer(layout: LevelLayout, into: Float64Array): { push(part: Discrete): void; flush(): void } {
  const { levels } = layout;
  const d = levels.length;
  const capacity = Math.min(MOST_ROWS, Math.max(LEAST_ROWS, Math.floor(BUFFER_CODES / Math.max(1, d))));
  let codes = new Uint16Array(0);
  let filled = 0;
  const flush = (): void => {
    for (let f = 1; f < d; f++) codes.copyWithin(f * filled, f * capacity, f * capacity + filled);
    addPairCounts({ rows: filled, cols: d, levels, codes: codes.subarray(0, filled * d) }, layout, into);
    filled = 0;
  };
  return {
    push(part) {
      if (codes.length === 0) codes = new Uint16Array(capacity * d);
      for (let from = 0; from < part.rows;) {
        const count = Math.min(capacity - filled, part.rows - from);
        for (let f = 0; f < d; f++) {
          const own = f * part.rows + from;
          codes.set(part.codes.subarray(own, own + count), f * capacity + filled);
        }
        filled += count;
        from += count;
        if (filled === capacity) flush();
      }
    },
    flush,
  };
}

/** 8 megabytes of levels, within a sensible number of rows. */
const BUFFER_CODES = 2 ** 22;
const LEAST_ROWS = 1024;
const MOST_ROWS = 2 ** 15;

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
