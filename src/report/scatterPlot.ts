import { plural, sizesOf } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { frame, linearAxis, place } from "./axis.ts";
import { html, type Markup, raw } from "./html.ts";
import { clusterColor, clusterMark } from "./palette.ts";

export interface Scatter {
  /** n x 2. */
  readonly points: Matrix;
  readonly labels: ArrayLike<number>;
  readonly clusters: number;
  /** What the axes are. */
  readonly axes: readonly [string, string];
  /** The name of a row, shown when the pointer rests on it. */
  readonly rowName: (row: number) => string;
  /** The new position of each point: an arrow is drawn. */
  readonly moved?: Matrix;
  /** Both axes have the same unit length. */
  readonly equal?: boolean;
  /** Axes without numbers, if a position has no meaning except its neighbourhood. */
  readonly bare?: boolean;
  /** Names of the clusters, for the legend. */
  readonly called?: readonly string[];
  /** Rows with a ring around them. */
  readonly ringed?: (row: number) => boolean;
  /** One of several pictures of the same rows: many clusters are labelled only by the numbers in it. */
  readonly small?: boolean;
}

/** Above this many points every m-th row of each cluster is drawn, which keeps the page small. */
const MOST_POINTS = 4000;

/** The rows in the plane, a colour and a mark for each cluster. */
export function scatterPlot({
  points,
  labels,
  clusters,
  axes,
  rowName,
  moved,
  equal = false,
  bare = false,
  ringed,
  called = [],
  small = false,
}: Scatter): Markup {
  const rows = drawnRows(points.rows);
  const range = extent(rows, points, moved);
  const [low, high] = equal ? evened(range) : range;
  const x = linearAxis(low[0], high[0], BOX.left, BOX.right);
  const y = linearAxis(low[1], high[1], BOX.bottom, BOX.top);
  const inside = (value: number, r: number): number => Math.min(high[r], Math.max(low[r], value));
  const at = (M: Matrix, i: number): string =>
    `${place(x.at(inside(M.data[2 * i], 0)))} ${place(y.at(inside(M.data[2 * i + 1], 1)))}`;
  const beyond = rows.filter((i) =>
    [0, 1].some((r) => {
      const value = points.data[2 * i + r];
      return Math.abs(value - inside(value, r)) > 1e-9 * (high[r] - low[r]);
    }),
  ).length;
  const radius = rows.length > 1500 ? 2.2 : rows.length > 400 ? 3 : 4;
  const numbers = Array.from({ length: clusters }, (_, k) => k);
  if (rows.some((i) => labels[i] < 0)) numbers.push(-1);
  const marks = numbers.map((k) => {
    const own = rows.filter((i) => labels[i] === k);
    const mark = clusterMark(Math.max(0, k), radius);
    return html`<g class="points" fill="${k < 0 ? "#8a8a8a" : clusterColor(k)}">
      ${own.map(
        (i) =>
          html`<path d="M${raw(at(points, i))}${raw(mark)}"
            ><title>${rowName(i)}, ${k < 0 ? "no cluster" : `cluster ${k}`}</title></path
          >`,
      )}
    </g>`;
  });
  const arrows =
    moved === undefined
      ? undefined
      : html`<path
          class="field"
          d="${raw(rows.map((i) => `M${at(points, i)}L${at(moved, i)}`).join(""))}"
        />`;
  const rings =
    ringed === undefined
      ? undefined
      : rows
          .filter(ringed)
          .map(
            (i) =>
              html`<circle
                class="ring"
                cx="${place(x.at(inside(points.data[2 * i], 0)))}"
                cy="${place(y.at(inside(points.data[2 * i + 1], 1)))}"
                r="${radius + 3}"
              />`,
          );
  const all =
    rows.length === points.rows
      ? undefined
      : html`<p class="note">${rows.length} of ${points.rows} rows are drawn.</p>`;
  const out =
    beyond === 0
      ? undefined
      : html`<p class="note">
          ${beyond === 1 ? "1 row lies" : `${beyond} rows lie`} far out and ${beyond === 1 ? "is" : "are"}
          drawn at the edge.
        </p>`;
  return html`<svg
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      role="img"
      aria-label="The rows in the plane of ${axes[0]} and ${axes[1]}, ${plural(clusters, "cluster")}"
    >
      ${frame(bare ? { ...x, ticks: [] } : x, bare ? { ...y, ticks: [] } : y, BOX, { x: axes[0], y: axes[1] })}
      ${arrows} ${marks} ${rings} ${clusterLabels({ points, labels, clusters, rows, at })}
    </svg>
    ${small && clusters > MANY ? undefined : legend(labels, clusters, called)} ${all} ${out}
    ${!small && clusters > MANY ? multiples({ points, labels, clusters, rows, at }) : undefined}`;
}

interface Drawn extends Pick<Scatter, "points" | "labels" | "clusters"> {
  readonly rows: readonly number[];
  readonly at: (M: Matrix, i: number) => string;
}

/**
 * Number of clusters above which colours alone are unreadable: they are numbered, and each has its own
 * picture.
 */
const MANY = 8;
const MOST_MULTIPLES = 40;
/** Number of points of a small picture: of the cluster, and of all rows behind it. */
const MOST_OWN = 300;
const MOST_BEHIND = 250;

/** The number of each cluster at its median row. */
function clusterLabels({ points, labels, clusters, rows, at }: Drawn): Markup | undefined {
  if (clusters < 2 || clusters > 60) return undefined;
  const middles = Array.from({ length: clusters }, (_, k) => {
    const own = rows.filter((i) => labels[i] === k);
    if (own.length === 0) return undefined;
    const median = (r: number): number =>
      own.map((i) => points.data[2 * i + r]).toSorted((a, b) => a - b)[Math.floor(own.length / 2)];
    const middle = [median(0), median(1)];
    const far = (i: number): number =>
      (points.data[2 * i] - middle[0]) ** 2 + (points.data[2 * i + 1] - middle[1]) ** 2;
    return own.reduce((best, i) => (far(i) < far(best) ? i : best), own[0]);
  });
  return html`<g class="numbers" aria-hidden="true">
    ${middles.map((row, k) => {
      if (row === undefined) return undefined;
      const [x, y] = at(points, row).split(" ").map(Number);
      // A number would hide a small cluster, so it is drawn above.
      const off = rows
        .filter((i) => labels[i] === k)
        .map((i) => Math.abs(Number(at(points, i).split(" ")[1]) - y))
        .toSorted((a, b) => a - b);
      const high = 2.5 * off[Math.floor(off.length / 2)];
      const up = high < 12 ? high + 11 : 0;
      return html`<text x="${x}" y="${place(y - up)}" dy="4" text-anchor="middle">${k}</text>`;
    })}
  </g>`;
}

/** One small picture for each cluster, in front of all rows. */
function multiples({ points, labels, clusters, rows, at }: Drawn): Markup {
  const thin = (list: readonly number[], most: number): readonly number[] => {
    const step = Math.ceil(list.length / most);
    return list.filter((_, p) => p % step === 0);
  };
  const dots = (list: readonly number[]): string => list.map((i) => `M${at(points, i)}h0`).join("");
  const behind = dots(thin(rows, MOST_BEHIND));
  return html`<ul class="multiples">
    ${Array.from({ length: Math.min(clusters, MOST_MULTIPLES) }, (_, k) => {
      const own = rows.filter((i) => labels[i] === k);
      return html`<li>
        <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Cluster ${k} among all rows">
          <path class="behind" d="${raw(behind)}" />
          <path class="own" stroke="${clusterColor(k)}" d="${raw(dots(thin(own, MOST_OWN)))}" />
        </svg>
        ${k}
      </li>`;
    })}
  </ul>`;
}

/** A colour, a mark and a size for each cluster. */
function legend(labels: ArrayLike<number>, clusters: number, called: readonly string[]): Markup {
  const sizes = sizesOf(labels, clusters);
  const name = (k: number): string => (called[k] === undefined ? `cluster ${k}` : `${k} ${called[k]}`);
  return html`<ul class="legend">
    ${Array.from(sizes.subarray(0, MOST_NAMED), (size, k) => html`<li>${swatch(k)} ${name(k)}, ${plural(size, "row")}</li>`)}
    ${clusters > MOST_NAMED ? html`<li>and ${clusters - MOST_NAMED} more</li>` : undefined}
  </ul>`;
}

/** The mark of a cluster, for legends and tables. */
export function swatch(cluster: number): Markup {
  return html`<svg class="swatch" viewBox="-7 -7 14 14" aria-hidden="true">
    <path fill="${clusterColor(cluster)}" d="M0 0${raw(clusterMark(cluster, 5))}" />
  </svg>`;
}

const WIDTH = 720;
const HEIGHT = 460;
const BOX = { left: 60, right: WIDTH - 10, top: 10, bottom: HEIGHT - 44 };
const MOST_NAMED = 24;
const STEP = (rows: number): number => Math.ceil(rows / MOST_POINTS);

/** The rows that are drawn. */
export function drawnRows(n: number): number[] {
  const rows: number[] = [];
  for (let i = 0; i < n; i += STEP(n)) rows.push(i);
  return rows;
}

/** The shorter side is widened around its middle until both units have the same length. */
function evened([low, high]: [number[], number[]]): [number[], number[]] {
  const units = [
    (high[0] - low[0]) / (BOX.right - BOX.left),
    (high[1] - low[1]) / (BOX.bottom - BOX.top),
  ] as const;
  const unit = Math.max(...units);
  if (!(unit > 0) || !Number.isFinite(unit)) return [low, high];
  const half = [(unit * (BOX.right - BOX.left)) / 2, (unit * (BOX.bottom - BOX.top)) / 2];
  const middle = low.map((from, r) => from / 2 + high[r] / 2);
  return [middle.map((at, r) => at - half[r]), middle.map((at, r) => at + half[r])];
}

/** Maximum reach of the picture beyond the middle 98 % of the points, in their width. */
const ROOM = 0.6;

/** From the smallest to the largest, except that a few distant rows do not set it. */
function extent(rows: readonly number[], points: Matrix, moved: Matrix | undefined): [number[], number[]] {
  const sides = [0, 1].map((r) => {
    const values = (moved === undefined ? [points] : [points, moved])
      .flatMap(({ data }) => rows.map((i) => data[2 * i + r]))
      .sort((a, b) => a - b);
    const at = (share: number): number => values[Math.round(share * (values.length - 1))];
    const room = ROOM * (at(0.99) - at(0.01));
    if (!(room > 0)) return [at(0), at(1)];
    return [Math.max(at(0), at(0.01) - room), Math.min(at(1), at(0.99) + room)];
  });
  return [sides.map(([low]) => low), sides.map(([, high]) => high)];
}
