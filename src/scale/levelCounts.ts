import { inputError, rule, form } from "../core/internal.ts";
import { takeRows, type Matrix } from "../matrix/index.ts";
import { requireFinite } from "../matrix/internal.ts";
import { isUnknown, type Labeling, encodeLabels } from "../score/index.ts";
import { applyDiscretization, type Discrete, type LevelCounts, type LevelScheme } from "../select/index.ts";
import { addPairCounts, levelLayout, variable, type LevelLayout, MOST_LEVELS } from "../select/internal.ts";
import { rowBatches, type Accumulator, type BatchOptions, type BatchSource } from "./rowBatches.ts";

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

/** Collects batches with their classes, if the scheme has any; rows of unknown class are left out. */
export function levelCountsAccumulator(
  scheme: LevelScheme,
  options: LevelCountsOptions = {},
): Accumulator<LevelCounts> {
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
      return {
        ...scheme,
        rows,
        unlabelled,
        classCounts: classCounts.slice(),
        margins: margins.slice(),
        classTables: classTables.slice(),
        ...(pairTables && { pairTables: pairTables.slice() }),
      };
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

/** Ascending cuts of every column, and the classes in order. */
const schemeForm = form.record({
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
});

function requireScheme(scheme: LevelScheme): void {
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
