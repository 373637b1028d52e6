import type { Matrix } from "../matrix/matrix.ts";
import { frame, linearAxis, place, short } from "./axis.ts";
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
  /** Where each point was moved to: an arrow is drawn. */
  readonly moved?: Matrix;
  /** One unit is as long on both axes. */
  readonly equal?: boolean;
  /** Rows with a ring around them. */
  readonly ringed?: (row: number) => boolean;
}

/** Above this many points a part of each cluster is drawn, every m-th row, so that the page stays small. */
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
  ringed,
}: Scatter): Markup {
  const rows = drawnRows(points.rows);
  const [low, high] = equal ? evened(extent(points, moved)) : extent(points, moved);
  const x = linearAxis(low[0], high[0], BOX.left, BOX.right);
  const y = linearAxis(low[1], high[1], BOX.bottom, BOX.top);
  const at = (M: Matrix, i: number): string =>
    `${place(x.at(M.data[2 * i]))} ${place(y.at(M.data[2 * i + 1]))}`;
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
                cx="${place(x.at(points.data[2 * i]))}"
                cy="${place(y.at(points.data[2 * i + 1]))}"
                r="${radius + 3}"
              />`,
          );
  const all =
    rows.length === points.rows
      ? undefined
      : html`<p class="note">${rows.length} of ${points.rows} rows are drawn.</p>`;
  return html`<svg
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      role="img"
      aria-label="The rows in the plane of ${axes[0]} and ${axes[1]}, ${clusters} clusters"
    >
      ${frame(x, y, BOX, { x: axes[0], y: axes[1] })} ${arrows} ${marks} ${rings}
    </svg>
    ${legend(labels, clusters)} ${all}`;
}

/** A colour, a mark and a size for each cluster. */
function legend(labels: ArrayLike<number>, clusters: number): Markup {
  const sizes = new Int32Array(clusters);
  for (let i = 0; i < labels.length; i++) if (labels[i] >= 0) sizes[labels[i]]++;
  return html`<ul class="legend">
    ${Array.from(sizes.subarray(0, MOST_NAMED), (size, k) => html`<li>${swatch(k)} cluster ${k}, ${size} rows</li>`)}
    ${clusters > MOST_NAMED ? html`<li>and ${clusters - MOST_NAMED} more</li>` : undefined}
  </ul>`;
}

/** The mark of a cluster, for legends and tables. */
export function swatch(cluster: number): Markup {
  return html`<svg class="swatch" viewBox="-7 -7 14 14" aria-hidden="true">
    <path fill="${clusterColor(cluster)}" d="M0 0${raw(clusterMark(cluster, 5))}" />
  </svg>`;
}

/** "alcohol 13.2, hue 1.04, ...": the values of a row, the first few columns. */
export function rowValues(X: Matrix, names: readonly string[], row: number, most = 6): string {
  const shown = names.slice(0, most).map((name, f) => `${name} ${short(X.data[row * X.cols + f])}`);
  return shown.join(", ") + (names.length > most ? ", ..." : "");
}

const WIDTH = 720;
const HEIGHT = 460;
const BOX = { left: 60, right: WIDTH - 10, top: 10, bottom: HEIGHT - 44 };
const MOST_NAMED = 24;
const STEP = (rows: number): number => Math.ceil(rows / MOST_POINTS);

function drawnRows(n: number): number[] {
  const rows: number[] = [];
  for (let i = 0; i < n; i += STEP(n)) rows.push(i);
  return rows;
}

/** The shorter side is widened around its middle until a unit is as long on both. */
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

function extent(points: Matrix, moved: Matrix | undefined): [number[], number[]] {
  const low = [Infinity, Infinity];
  const high = [-Infinity, -Infinity];
  for (const { data } of moved === undefined ? [points] : [points, moved]) {
    for (let p = 0; p < data.length; p++) {
      low[p % 2] = Math.min(low[p % 2], data[p]);
      high[p % 2] = Math.max(high[p % 2], data[p]);
    }
  }
  return [low, high];
}
