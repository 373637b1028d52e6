import { random, type Random } from "../core/index.ts";
import { rule } from "../core/internal.ts";
import { scores } from "./allScores.ts";
import { contingency, LABEL_RULES, type Contingency } from "./contingency.ts";
import type { Labeling } from "./labels.ts";

const RULES = {
  ...LABEL_RULES,
  /** How often the rows are drawn again. */
  resamples: rule.integer({ min: 20, max: 100_000, default: 1000 }),
  /** The share of the resamples whose score is in the interval. */
  level: rule.real({ above: 0, below: 1, default: 0.95 }),
  seed: rule.seed,
};

export type ScoreIntervalsOptions = rule.OptionsOf<typeof RULES>;

export type ScoreIntervals = { readonly [K in keyof typeof scores]: readonly [low: number, high: number] };

/**
 * The interval of every score when the rows are drawn again with replacement (B. Efron, 1979; percentiles). It says how much
 * the score depends on which rows are there, with both labelings as they are. Rows drawn twice agree with themselves, so for a
 * few dozen rows, or clusters of few rows, scores of pairs are somewhat too high.
 */
export function scoreIntervals(
  predicted: Labeling,
  truth: Labeling,
  options: ScoreIntervalsOptions = {},
): ScoreIntervals {
  const { resamples, level, seed, unknown } = rule.resolveOptions("scoreIntervals", options, RULES);
  const table = contingency(predicted, truth, { unknown });
  const stream = random(seed);
  const drawn = Array.from({ length: resamples }, () => redrawn(table, stream));
  const at = (share: number): number => Math.round(share * (resamples - 1));
  const intervals = Object.entries(scores).map(([name, { of }]) => {
    const values = Float64Array.from(drawn, of).sort();
    return [name, [values[at((1 - level) / 2)], values[at((1 + level) / 2)]]] as const;
  });
  return Object.fromEntries(intervals) as ScoreIntervals;
}

/** The table of as many rows drawn with replacement: the counts of the cells are multinomial, one binomial after the other. */
function redrawn(table: Contingency, stream: Random): Contingency {
  const { rows, a, b, counts } = table;
  const drawn = new Float64Array(counts.length);
  let left = rows;
  let share = rows;
  for (let c = 0; c < counts.length && left > 0; c++) {
    drawn[c] = c === counts.length - 1 ? left : binomial(left, counts[c] / share, stream);
    left -= drawn[c];
    share -= counts[c];
  }
  const cells = Int32Array.from(drawn.keys()).filter((c) => drawn[c] > 0);
  const ours = classesOf(a, cells, drawn);
  const theirs = classesOf(b, cells, drawn);
  return {
    ...table,
    first: ours.sizes,
    second: theirs.sizes,
    firstClasses: table.firstClasses.filter((_, k) => ours.place.has(k)),
    secondClasses: table.secondClasses.filter((_, k) => theirs.place.has(k)),
    a: ours.codes,
    b: theirs.codes,
    counts: Float64Array.from(cells, (c) => drawn[c]),
  };
}

/** The classes of the cells, numbered in their order, without those of no row. */
function classesOf(classes: Int32Array, cells: Int32Array, drawn: Float64Array) {
  const present = [...new Set(cells.map((c) => classes[c]))].sort((x, y) => x - y);
  const place = new Map(present.map((k, at) => [k, at]));
  const codes = cells.map((c) => place.get(classes[c])!);
  const sizes = new Float64Array(present.length);
  cells.forEach((c, at) => (sizes[codes[at]] += drawn[c]));
  return { place, codes, sizes };
}

/** From this variance the normal curve is the binomial within a percent of its spread. */
const NORMAL_VARIANCE = 1000;

/** The number of successes of n trials: by the waiting times between them (L. Devroye, 1986, chapter X.4), or rounded from a normal number. */
function binomial(n: number, p: number, stream: Random): number {
  if (p >= 1) return n;
  if (p > 0.5) return n - binomial(n, 1 - p, stream);
  const spread = Math.sqrt(n * p * (1 - p));
  if (spread * spread > NORMAL_VARIANCE) {
    return Math.min(n, Math.max(0, Math.round(n * p + spread * stream.normal())));
  }
  let successes = -1;
  for (let trial = 0; trial <= n; successes++) {
    trial += 1 + Math.floor(Math.log(1 - stream.uniform()) / Math.log1p(-p));
  }
  return successes;
}
