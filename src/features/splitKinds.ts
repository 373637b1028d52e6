import { form } from "../core/internal.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import { encodeNumbers } from "./encode/numberEncoding.ts";
import type { FeatureRecord, NumberEncoding, Encoding } from "./featureRecord.ts";
import type { ColumnKind } from "../data/index.ts";

/**
 * The features of a matrix by kind: numbers, and categories as codes, for models that treat them separately.
 */
export interface SplitKinds {
  /** Rows x features that are not indicators of one level each. */
  readonly X: Matrix;
  /** Which features those are. */
  readonly features: readonly number[];
  readonly codes: readonly SplitCategory[];
}

export interface SplitCategory {
  readonly column: string;
  readonly names: readonly string[];
  /** The level of each row, -1 if it is missing or unknown. */
  readonly codes: Int32Array;
  readonly levels: number;
}

/** Parts with less weight than this get no distribution of their own. */
const LEAST_WEIGHT = 0.05;

/** How to recover the level of a row from its features. */
export const codeRuleForm = form.tagged("kind", {
  /**
   * The one of `count` indicators that is set. `at`: what each is where it is set, since a filled cell may lie between; absent:
   * above 0.
   */
  indicators: {
    first: form.whole({ min: 0 }),
    count: form.whole({ min: 0 }),
    at: form.optional(form.asStored(form.numbers())),
  },
  /** The level whose feature is within `tolerance`; a filled cell lies between the levels. */
  values: { feature: form.whole({ min: 0 }), at: form.asStored(form.numbers()), tolerance: form.number() },
  /** A mark: 1 where the feature is above 0, else 0. */
  sign: { feature: form.whole({ min: 0 }) },
});

export type CodeRule = form.StoredOf<typeof codeRuleForm>;

/** The number of levels that a rule tells apart. */
export function levelCount(rule: CodeRule): number {
  if (rule.kind === "indicators") return rule.count;
  return rule.kind === "values" ? rule.at.length : 2;
}

/** The last feature that a rule reads. */
export function lastFeature(rule: CodeRule): number {
  return rule.kind === "indicators" ? rule.first + Math.max(0, rule.count - 1) : rule.feature;
}

/** Which features are numbers, and how the others are codes. */
export interface KindLayout {
  readonly features: readonly number[];
  readonly codes: readonly {
    readonly column: string;
    readonly names: readonly string[];
    readonly levels: number;
    readonly rule: CodeRule;
  }[];
}

/** Indicator f is set above this: 0 and what a set one is, but for rounding. */
export function setAbove({ at }: Extract<CodeRule, { readonly kind: "indicators" }>, f: number): number {
  return at === undefined ? 1e-9 : at[f] * (1 - 1e-9);
}

/**
 * Marks of missing cells and of zeros are categories of two levels. Ordered columns with few levels and numbers with
 * few uneven values are also categories: a Gaussian gains without limit from clusters that are single levels of a number. The same holds for the
 * tokens of a list, each of which is a category of two levels. Batteries of ratings stay numbers; paths use
 * their first step.
 */
export function layoutKinds(record: FeatureRecord): KindLayout {
  const { scale } = record;
  const features: number[] = [];
  const codes: KindLayout["codes"][number][] = [];
  let first = 0;
  const single = singleLevels(record);
  const heavy = record.parts.some((part) => part.weight >= LEAST_WEIGHT);
  for (const { encoding, weight, names, column, kind } of record.parts) {
    const width = names.length;
    const from = first;
    first += width;
    if (heavy && weight < LEAST_WEIGHT) continue;
    const add = (own: readonly string[], rule: CodeRule): void =>
      void codes.push({ column, names: own, levels: own.length, rule });
    if (encoding.form === "mark") add(["not 0", "0"], { kind: "sign", feature: from });
    else if (encoding.form === "levels" && encoding.cells !== "list") {
      const count = encoding.depths?.[0] ?? width;
      const factor = Math.sqrt(weight) / encoding.spread;
      const at = encoding.offsets.slice(0, count).map((offset) => (1 - offset) * factor);
      add(names.slice(0, count), { kind: "indicators", first: from, count, at });
    } else if (encoding.form === "levels") {
      // Each token of a list is present or not.
      const factor = Math.sqrt(weight) / encoding.spread;
      names.forEach((name, f) => {
        const at = [-encoding.offsets[f] * factor, (1 - encoding.offsets[f]) * factor];
        add(["without", name], { kind: "values", feature: from + f, at, tolerance: 1e-6 * factor });
      });
    } else if (kind === "ordered" && single.has(column)) {
      const { levels = [], levelValues = [], center, spread } = encoding as NumberEncoding;
      const factor = Math.sqrt(weight) / spread;
      const at = levelValues.map((level) => (level - center) * factor);
      add(levels, { kind: "values", feature: from, at, tolerance: 1e-6 * Math.abs(factor) });
    } else if (
      encoding.form === "number" &&
      encoding.steps !== undefined &&
      kind !== "ordered" &&
      scale !== "unit"
    ) {
      const { steps } = encoding;
      const at = encodeNumbers(encoding, Float64Array.from(steps)).map((y) => y * Math.sqrt(weight));
      add(steps.map(String), {
        kind: "values",
        feature: from,
        at: Array.from(at),
        tolerance: toleranceOf(at),
      });
    } else {
      for (let f = 0; f < width; f++) features.push(from + f);
    }
  }
  return { features, codes };
}

/** Far below the smallest distance of two levels. */
function toleranceOf(at: Float64Array): number {
  let least = Infinity;
  for (let k = 1; k < at.length; k++) least = Math.min(least, at[k] - at[k - 1]);
  return 1e-6 * least;
}

/** The level of each row by a rule, -1 if it is missing or unknown. */
export function codesBy(rule: CodeRule, { rows, cols, data }: Matrix): Int32Array {
  const codes = new Int32Array(rows).fill(-1);
  for (let i = 0; i < rows; i++) {
    const row = i * cols;
    if (rule.kind === "sign") codes[i] = data[row + rule.feature] > 0 ? 1 : 0;
    else if (rule.kind === "values") {
      const value = data[row + rule.feature];
      codes[i] = rule.at.findIndex((level) => Math.abs(level - value) < rule.tolerance);
    } else {
      let set = 0;
      for (let f = 0; f < rule.count; f++) {
        if (data[row + rule.first + f] <= setAbove(rule, f)) continue;
        codes[i] = f;
        set++;
      }
      if (set !== 1) codes[i] = -1;
    }
  }
  return codes;
}

/** Recovers the levels from the features of any rows converted by the record. */
export function splitKinds(record: FeatureRecord, X: Matrix): SplitKinds {
  const { features, codes } = layoutKinds(record);
  const Y = matrix(X.rows, features.length);
  for (let i = 0; i < X.rows; i++)
    features.forEach((f, j) => (Y.data[i * features.length + j] = X.data[i * X.cols + f]));
  return { X: Y, features, codes: codes.map(({ rule, ...own }) => ({ ...own, codes: codesBy(rule, X) })) };
}

/**
 * Ordered columns of few levels. Those of a battery stay numbers: their answers are also correlated within
 * clusters.
 */
function singleLevels({ parts, scale }: FeatureRecord): Set<string> {
  if (scale === "unit") return new Set();
  const rated = new Set(ratingScales(parts).flat());
  return new Set(
    parts.flatMap(({ kind, encoding, column }, k) =>
      kind === "ordered" && encoding.form === "number" && fewLevels(encoding) && !rated.has(k)
        ? [column]
        : [],
    ),
  );
}

/** Batteries of ratings are columns of ordered answers on one scale, at least so many. */
const LEAST_RATINGS = 5;
const FEW_LEVELS = 12;

/** Groups of parts that are ratings on one scale, by their first and last level. */
function ratingScales(
  parts: readonly { readonly kind: ColumnKind; readonly encoding: Encoding }[],
): number[][] {
  const rated = parts.flatMap(({ kind, encoding }, k) =>
    kind === "ordered" && encoding.form === "number" && fewLevels(encoding)
      ? [{ k, values: encoding.levelValues ?? [] }]
      : [],
  );
  return onOneScale(rated.map(({ values }) => values)).map((group) => group.map((place) => rated[place].k));
}

/** The places of columns with one range, at least LEAST_RATINGS of them. */
function onOneScale(columns: readonly ArrayLike<number>[]): number[][] {
  const byScale = new Map<string, number[]>();
  columns.forEach((values, k) => {
    let [least, most] = [Infinity, -Infinity];
    for (let i = 0; i < values.length; i++) {
      if (values[i] < least) least = values[i];
      if (values[i] > most) most = values[i];
    }
    const key = `${least} ${most}`;
    byScale.set(key, [...(byScale.get(key) ?? []), k]);
  });
  return [...byScale.values()].filter((group) => group.length >= LEAST_RATINGS);
}

/** Whether ordered columns of so many levels are treated as levels, not as numbers. */
export function fewLevels({ levelValues }: NumberEncoding): boolean {
  return levelValues !== undefined && levelValues.length <= FEW_LEVELS;
}
