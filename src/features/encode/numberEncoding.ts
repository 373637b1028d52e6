/**
 * A column of numbers becomes one feature: a transform against skewness, a soft limit for far values, a z-score.
 *
 *     y = (limit(t(x)) - mean) / deviation,   t(x) = x, log(x + s) or arcsinh(x / u)
 *
 * The transform is used if there are more than ten values, |skewness| is above 1 and the transform lowers it;
 * the limit begins at the quartiles -+ 1.25 times the interquartile range and is reached at 1.75 times. A
 * table of numbers alone, without gaps, keeps plain z-scores except for columns with a value 20 interquartile
 * ranges beyond the quartiles.
 */
import type { Column } from "../../data/index.ts";
import {
  numbersBeside,
  plainNumber,
  spreadOfValues,
  columnSpreads,
  levelsOf,
  numbersOf,
} from "../../data/internal.ts";
import type { FeatureScale, NumberEncoding, CyclicEncoding } from "../featureRecord.ts";
import { matrix } from "../../matrix/index.ts";
import { ascending } from "../../matrix/internal.ts";

interface NumberRules {
  readonly scale: FeatureScale;
  /** Whether skewed columns are transformed and far values limited: "clear" only in clear cases. */
  readonly transforms: "usual" | "clear" | "none";
}

/** How values (NaN if missing) become one feature; undefined if they are constant. */
export function learnNumber(values: Float64Array, rules: NumberRules): NumberEncoding | undefined {
  const order = ascending(values);
  const sorted = new Float64Array(order.length);
  for (let p = 0; p < order.length; p++) sorted[p] = values[order[p]];
  const present = order.length === values.length ? values : values.filter((value) => !Number.isNaN(value));
  const plain = present.length === 0 ? undefined : spreadOfValues(present);
  if (plain === undefined || plain.constant) return undefined;
  const shape: Shape =
    rules.transforms === "none" ? { transform: "none" } : shapeOf(sorted, rules.transforms);
  const steps = stepsOf(present);
  const unscaled: NumberEncoding = {
    form: "number",
    ...shape,
    ...(steps && { steps }),
    center: 0,
    spread: 1,
  };
  const isPlain = shape.transform === "none" && shape.clip === undefined;
  const spread = isPlain ? plain : spreadOfValues(encodeNumbers(unscaled, present));
  if (spread.constant) return undefined;
  if (rules.scale === "none") return unscaled;
  if (rules.scale === "minmax") return { ...unscaled, center: spread.min, spread: spread.range };
  if (rules.scale === "robust") {
    // Transforms and limits keep the order.
    const shaped = encodeNumbers(unscaled, sorted);
    const [low, high] = quartiles(shaped);
    const width = (high - low) / 1.3489795;
    return { ...unscaled, center: quantile(shaped, 0.5), spread: width > 0 ? width : spread.deviation };
  }
  return { ...unscaled, center: spread.mean, spread: spread.deviation };
}

/** Number of values up to which a number has few, and the rows that each must have on average. */
const MOST_STEPS = 12;
const ROWS_OF_STEP = 10;
/** The largest gap between values relative to the smallest one: an even grid is a rounded number. */
const UNEVEN = 4;

/** The values of a number that has few at uneven distances: gigabytes of a disk, months of a loan. */
function stepsOf(present: Float64Array): number[] | undefined {
  const steps = new Set<number>();
  for (const value of present) {
    if (!steps.has(value) && steps.size === MOST_STEPS) return undefined;
    steps.add(value);
  }
  if (steps.size * ROWS_OF_STEP > present.length) return undefined;
  const sorted = [...steps].sort((a, b) => a - b);
  const gaps = sorted.slice(1).map((step, k) => step - sorted[k]);
  return Math.max(...gaps) >= UNEVEN * Math.min(...gaps) ? sorted : undefined;
}

export function encodeNumbers(encoding: NumberEncoding, values: Float64Array): Float64Array {
  return values.map(encodeNumber(encoding));
}

/** The function of one number; NaN stays NaN. */
export function encodeNumber(encoding: NumberEncoding): (x: number) => number {
  const { transform, shift = 0, floor = 0, unit = 1, clip, center, spread } = encoding;
  return (x) => {
    let y = x;
    if (transform === "log") y = Math.log(Math.max(x + shift, floor));
    else if (transform === "arcsinh") y = Math.asinh(x / unit);
    if (clip !== undefined) y = soften(y, clip);
    return (y - center) / spread;
  };
}

/**
 * The values of numbers that are no levels, on the line through the two levels beside them, or through the first and the
 * last: pairs of a number and its value, ascending.
 */
export function levelLine({
  levels = [],
  levelValues = [],
}: Pick<NumberEncoding, "levels" | "levelValues">):
  | { readonly ends: readonly [number, number]; readonly knots: readonly Knot[] }
  | undefined {
  const beside = numbersBeside(levels);
  if (beside === undefined) return undefined;
  const known = beside.numbers.map((x, k): Knot => [x, levelValues[k]]).sort(([a], [b]) => a - b);
  const [[x0, y0], [x1, y1]] = [known[0], known[known.length - 1]];
  const { least, most } = beside;
  if (!(x1 > x0)) return undefined;
  const slope = (y1 - y0) / (x1 - x0);
  return {
    ends: [least, most],
    knots: [[least, y0 + slope * (least - x0)], ...known, [most, y1 + slope * (most - x1)]],
  };
}

type Knot = readonly [number, number];

function onLine({ ends, knots }: NonNullable<ReturnType<typeof levelLine>>, text: string): number {
  const x = plainNumber(text, ".");
  if (x === undefined || x < ends[0] || x > ends[1]) return Number.NaN;
  const k = Math.max(
    1,
    knots.findIndex(([known]) => known >= x),
  );
  const [[a, from], [b, to]] = [knots[k - 1], knots[k]];
  return from + ((x - a) / (b - a)) * (to - from);
}

/** The numbers of a column in another table; unknown levels are counted and count as missing. */
export function numbersFor(
  encoding: NumberEncoding,
  column: Column | undefined,
  rows: number,
  unknown: (level: string, count: number) => void = () => {},
): Float64Array {
  const { levels, levelValues } = encoding;
  if (levels === undefined || levelValues === undefined || column?.codes === undefined) {
    return numbersOf(column, rows);
  }
  const known = new Map(levels.map((level, k) => [level, levelValues[k]]));
  const given = levelsOf(column, rows);
  const line = levelLine(encoding);
  const numbers = given.levels.map(
    (level) => known.get(level) ?? (line === undefined ? Number.NaN : onLine(line, level)),
  );
  const counts = new Int32Array(given.levels.length);
  const out = new Float64Array(rows).fill(Number.NaN);
  for (let i = 0; i < rows; i++) {
    const code = given.codes[i];
    if (code < 0) continue;
    out[i] = numbers[code];
    counts[code]++;
  }
  given.levels.forEach((level, k) => {
    if (counts[k] > 0 && Number.isNaN(numbers[k])) unknown(level, counts[k]);
  });
  return out;
}

type Shape = Pick<NumberEncoding, "transform" | "shift" | "floor" | "unit" | "clip">;

/** Skewness above which a transform is tried, and the required number of values. */
const SKEWED = 1;
const MIDDLE_SKEWED = 0.5;
const VALUES = 10;
/** Where far values begin, in interquartile ranges beyond the quartiles, and their maximum reach. */
const FENCE = 1.25;
const GIVE = 0.5;
/** Values this many interquartile ranges beyond the quartiles are clearly far. */
const CLEARLY_FAR = 20;

function shapeOf(sorted: Float64Array, when: "usual" | "clear"): Shape {
  if (when === "clear" && !clearlyFar(sorted)) return { transform: "none" };
  const shape = transformOf(sorted);
  const shaped = encodeNumbers({ form: "number", ...shape, center: 0, spread: 1 }, sorted);
  const clip = clipOf(shaped);
  return clip === undefined ? shape : { ...shape, clip };
}

function transformOf(sorted: Float64Array): Shape {
  const plain: Shape = { transform: "none" };
  let distinct = 1;
  for (let i = 1; i < sorted.length && distinct <= VALUES; i++) if (sorted[i] !== sorted[i - 1]) distinct++;
  if (distinct <= VALUES) return plain;
  const least = sorted[0];
  const most = sorted[sorted.length - 1];
  const before = skewness(sorted);
  if (Math.abs(before) > SKEWED && before * middleSkewness(sorted) > Math.abs(before) * MIDDLE_SKEWED) {
    let shape: Shape;
    if (least >= 0) {
      const positive = sorted.subarray(sorted.findIndex((value) => value > 0));
      const small = quantile(positive, 0.05);
      shape =
        least === 0
          ? { transform: "log", shift: small, floor: small }
          : { transform: "log", shift: 0, floor: quantile(sorted, 0.5) * 1e-3 };
    } else {
      const sizes = sorted.filter((value) => value !== 0).map(Math.abs);
      shape = { transform: "arcsinh", unit: quantile(sizes.sort(), 0.5) / 3 };
    }
    const shaped = encodeNumbers({ form: "number", ...shape, center: 0, spread: 1 }, sorted);
    return Math.abs(skewness(shaped)) < Math.abs(before) ? shape : plain;
  }
  if (least < 0 && most > 0) {
    const sizes = sorted.map(Math.abs).sort();
    const middle = quantile(sizes, 0.5);
    if (middle > 0 && quantile(sizes, 0.99) > 30 * middle) return { transform: "arcsinh", unit: middle / 3 };
  }
  return plain;
}

/** Sorted values, with those beyond six interquartile ranges moved to that limit. */
function skewness(sorted: Float64Array): number {
  const [low, high] = quartiles(sorted);
  let bottom = low - 6 * (high - low);
  let top = high + 6 * (high - low);
  if (high === low) {
    const { mean, deviation } = spreadOfValues(sorted);
    bottom = mean - 4 * deviation;
    top = mean + 4 * deviation;
  }
  const moved = sorted.map((value) => Math.min(top, Math.max(bottom, value)));
  const { mean, deviation } = spreadOfValues(moved);
  if (deviation === 0) return 0;
  let sum = 0;
  for (const value of moved) sum += ((value - mean) / deviation) ** 3;
  return sum / moved.length;
}

/** Without the first and the last fiftieth, so a few far values alone do not count as skewness. */
function middleSkewness(sorted: Float64Array): number {
  const low = quantile(sorted, 0.02);
  const high = quantile(sorted, 0.98);
  return skewness(sorted.map((value) => Math.min(high, Math.max(low, value))));
}

function clearlyFar(sorted: Float64Array): boolean {
  const [low, high] = quartiles(sorted);
  const far = Math.max(sorted[sorted.length - 1] - high, low - sorted[0]);
  return high > low && far > CLEARLY_FAR * (high - low);
}

function clipOf(shaped: Float64Array): NumberEncoding["clip"] {
  const [low, high] = quartiles(shaped);
  const width = high - low;
  let clip = { low: low - FENCE * width, high: high + FENCE * width, give: GIVE * width };
  if (!(width > 0)) {
    const { mean, deviation } = spreadOfValues(shaped);
    clip = { low: mean - 3.5 * deviation, high: mean + 3.5 * deviation, give: deviation };
  }
  return shaped[0] < clip.low || shaped[shaped.length - 1] > clip.high ? clip : undefined;
}

function soften(y: number, { low, high, give }: NonNullable<NumberEncoding["clip"]>): number {
  if (y > high) return high + give * -Math.expm1((high - y) / give);
  if (y < low) return low + give * Math.expm1((y - low) / give);
  return y;
}

/**
 * Dates recur: the weekday, the season and the hour become cosine and sine of their angle, which together
 * have the variance of one standardised number. Days are counted from 1970-01-01, a Thursday.
 */

const DAYS = { day: 1, week: 7, year: 365.2425 } as const;

export function learnCyclic(
  days: Float64Array,
  period: CyclicEncoding["period"],
): CyclicEncoding | undefined {
  const raw = encodeCyclic({ form: "cyclic", period, center: [0, 0], spread: 1 }, days);
  const present = raw.filter((value) => !Number.isNaN(value));
  if (present.length === 0) return undefined;
  const [c, s] = columnSpreads(matrix(present.length / 2, 2, present), ["", ""]);
  const variance = c.deviation ** 2 + s.deviation ** 2;
  if (variance < 1e-12) return undefined;
  return { form: "cyclic", period, center: [c.mean, s.mean], spread: Math.sqrt(variance) };
}

export function encodeCyclic(encoding: CyclicEncoding, days: Float64Array): Float64Array {
  const { period, center, spread } = encoding;
  const out = new Float64Array(2 * days.length);
  for (let i = 0; i < days.length; i++) {
    // A weekday is constant over the day; the season and the hour are continuous.
    const at = period === "week" ? Math.floor(days[i]) : days[i];
    const angle = (2 * Math.PI * at) / DAYS[period];
    out[2 * i] = (Math.cos(angle) - center[0]) / spread;
    out[2 * i + 1] = (Math.sin(angle) - center[1]) / spread;
  }
  return out;
}

/** The q-quantile of sorted values, by linear interpolation between neighbours (type 7 of Hyndman and Fan 1996). */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  const place = q * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(sorted.length - 1, below + 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

export function quartiles(sorted: ArrayLike<number>): [low: number, high: number] {
  return [quantile(sorted, 0.25), quantile(sorted, 0.75)];
}

/** Ranks 1 .. n, ties share their mean rank; NaN stays NaN. */
export function ranks(values: Float64Array): Float64Array {
  const out = new Float64Array(values.length).fill(Number.NaN);
  const present = ascending(values);
  for (let start = 0; start < present.length;) {
    let end = start + 1;
    while (end < present.length && values[present[end]] === values[present[start]]) end++;
    for (let p = start; p < end; p++) out[present[p]] = (start + 1 + end) / 2;
    start = end;
  }
  return out;
}
