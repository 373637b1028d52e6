/**
 * The rule that places very many rows after a fit on a sample of them. A rule that compares each of them with all rows that
 * were fitted is replaced by a few points, where these do as well: learned from one half of the sample, they put rows of
 * the other half where the method put them as often as the nearest rows of the first half do.
 */
import { random } from "../core/random.ts";
import { nearestRows, takeRows } from "../matrix/index.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { storeMatrix } from "../matrix/storedMatrix.ts";
import { placingOf, placingRule, type PlacingRule } from "./placing.ts";
import { prototypesOf } from "./prototypes.ts";

/** Pairs of rows that kernels are computed for, in about two minutes. */
const MOST_KERNELS = 3e9;
/** Points of a rule at most: what the query of a model may compare rows with. */
export const MOST_POINTS = 64;
/** Rows from which a rule is judged: halves of fewer tell little. */
const TELLING = 200;
/** Rows of each half at most. */
const JUDGED = 5000;

export interface QuickPlacing {
  readonly rule: PlacingRule;
  /** What is to be said of it; absent: the rule is the method's own. */
  readonly told?: string;
}

/**
 * @param Y the rows that were fitted, with their labels
 * @param rows how many there are to place
 */
export function quickPlacing(rule: PlacingRule, Y: Matrix, labels: Int32Array, rows: number): QuickPlacing {
  const own: PlacingRule =
    rule.kind === "kernel-kmeans" && Y.rows * rows > MOST_KERNELS
      ? placingRule(Y, labels, rule.means.rows, { kind: "rows" })
      : rule;
  // Under a map, distances between rows are not those between their features.
  if (own.kind !== "rows" || own.map !== undefined || own.rows.rows <= MOST_POINTS) return { rule: own };
  const clusters = own.means.rows;
  const halves = halvesOf(labels);
  if (halves === undefined) return { rule: own };
  const [learned, judged] = halves.map((half) => ({
    X: takeRows(Y, half),
    labels: half.map((i) => labels[i]),
  }));
  const points = prototypesOf(learned.X, learned.labels, clusters, MOST_POINTS);
  const near = nearestRows(points.points, 1, { queries: judged.X }).indices;
  const few = share(
    Array.from(near, (j) => points.labels[j]),
    judged.labels,
  );
  const nearest: PlacingRule = { ...own, rows: storeMatrix(learned.X), labels: learned.labels };
  const many = share(placingOf(nearest)(judged.X).labels, judged.labels);
  if (few < many) return { rule: own };
  const { points: all, labels: whose, agreement } = prototypesOf(Y, labels, clusters, MOST_POINTS);
  return {
    rule: { kind: "rows", rows: storeMatrix(all), labels: Array.from(whose), agreement, means: own.means },
    told:
      `rows are placed by the nearest of ${all.rows} points, which do as well as all rows that were fitted: of rows held ` +
      `out they put ${percent(few)} where the method put them, the nearest rows ${percent(many)}`,
  };
}

/** Two halves of the rows that are in a cluster, drawn by chance. */
function halvesOf(labels: Int32Array): [number[], number[]] | undefined {
  const known = Array.from(labels.keys()).filter((i) => labels[i] >= 0);
  if (known.length < TELLING) return undefined;
  const half = Math.min(JUDGED, Math.floor(known.length / 2));
  const drawn = Array.from(random(0).sample(2 * half, known.length), (place) => known[place]);
  return [drawn.slice(0, half), drawn.slice(half)];
}

function share(found: ArrayLike<number>, labels: readonly number[]): number {
  return labels.reduce((same, label, i) => same + (found[i] === label ? 1 : 0), 0) / labels.length;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}
