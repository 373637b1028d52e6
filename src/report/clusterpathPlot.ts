import { principalComponents } from "../matrix/internal.ts";
import { matrix, multiply, type Matrix } from "../matrix/index.ts";
import { frame, linearAxis, place, short } from "./axis.ts";
import { html, type Markup, raw } from "./html.ts";
import { clusterColor, clusterMark } from "./palette.ts";
import { totalVariance } from "./plane.ts";

/**
 * The paths of the centres u_i(gamma) as gamma grows (Hocking et al. 2011): every row starts at its own
 * position, at gamma = 0, and ends in the centre that it shares with its cluster.
 */
export interface Clusterpath {
  /** n x 2 centres at each gamma, from small to large gamma; the rows themselves come first. */
  readonly places: readonly Matrix[];
  /** -1: drawn grey. */
  readonly labels: ArrayLike<number>;
  readonly axes: readonly [string, string];
}

/** The positions of the centres in the plane of the first two principal components of the rows. */
export interface CenterPlane {
  readonly axes: readonly [string, string];
  project(centers: Matrix, gamma: number): Matrix;
}

/** Maximum number of drawn paths; beyond it every m-th row is drawn. */
const MOST_PATHS = 600;

/** One-dimensional rows use gamma, on a logarithmic scale, as the second axis. */
export function centerPlane(X: Matrix): CenterPlane {
  const { V, mean, scores } = principalComponents(X, 1, 2);
  const total = totalVariance(X, mean);
  const share = (r: number): string => {
    let sum = 0;
    for (let i = 0; i < X.rows; i++) sum += scores.data[i * V.cols + r] ** 2;
    return `${total > 0 ? ((100 * sum) / total).toFixed(0) : 100} % of the variance`;
  };
  const flat = V.cols === 1;
  return {
    axes: [
      `principal component 1 (${share(0)})`,
      flat ? "log10 gamma" : `principal component 2 (${share(1)})`,
    ],
    project: (centers, gamma) => {
      const shifted = matrix(
        centers.rows,
        centers.cols,
        centers.data.map((value, p) => value - mean[p % centers.cols]),
      );
      const points = multiply(shifted, V);
      if (!flat) return points;
      const raised = matrix(points.rows, 2);
      for (let i = 0; i < points.rows; i++) raised.data.set([points.data[i], Math.log10(gamma)], 2 * i);
      return raised;
    },
  };
}

/** @param alone the picture is a separate file that contains its style */
export function clusterpathPlot({ places, labels, axes }: Clusterpath, alone = false): Markup {
  const n = places[0].rows;
  const step = Math.ceil(n / MOST_PATHS);
  const rows = Array.from({ length: Math.ceil(n / step) }, (_, p) => p * step);
  const [x, y] = [0, 1].map((r) => {
    let [low, high] = [Infinity, -Infinity];
    for (const { data } of places) {
      for (let p = r; p < data.length; p += 2) {
        low = Math.min(low, data[p]);
        high = Math.max(high, data[p]);
      }
    }
    return r === 0 ? linearAxis(low, high, BOX.left, BOX.right) : linearAxis(low, high, BOX.bottom, BOX.top);
  });
  const at = ({ data }: Matrix, i: number): string =>
    `${place(x.at(data[2 * i]))} ${place(y.at(data[2 * i + 1]))}`;
  const line = (i: number): string => {
    const stops = places.map((centers) => at(centers, i)).filter((stop, s, all) => stop !== all[s - 1]);
    return stops.length < 2 ? "" : `M${stops.join("L")}`;
  };
  const ends = new Set(rows.map((i) => at(places[places.length - 1], i)));
  const groups = [...new Set(rows.map((i) => labels[i]))].sort((a, b) => a - b);
  const color = (k: number): string => (k < 0 ? "#8a8a8a" : clusterColor(k));
  const drawn = groups.map((k) => {
    const own = rows.filter((i) => labels[i] === k);
    const mark = clusterMark(Math.max(0, k), 2.6);
    return html`<path class="trail" stroke="${color(k)}" d="${raw(own.map(line).join(""))}" /><path
        class="start"
        fill="${color(k)}"
        d="${raw(own.map((i) => `M${at(places[0], i)}${mark}`).join(""))}"
      />`;
  });
  const thinned =
    step === 1
      ? undefined
      : html`<text x="${BOX.right}" y="${BOX.top + 10}" text-anchor="end"
          >${short(rows.length)} of ${short(n)} rows</text
        >`;
  return html`<svg
    ${alone ? raw('xmlns="http://www.w3.org/2000/svg" ') : undefined}viewBox="0 0 ${WIDTH} ${HEIGHT}"
    role="img"
    aria-label="The paths of the centres as gamma grows, ${groups.length} clusters, ${ends.size} ${ends.size === 1 ? "centre" : "centres"} at the end"
  >
    ${alone ? raw(LOOK) : undefined} ${frame(x, y, BOX, { x: axes[0], y: axes[1] })} ${drawn}
    <path class="end" d="${raw([...ends].map((end) => `M${end}${clusterMark(0, 4.5)}`).join(""))}" />
    ${thinned}
  </svg>`;
}

const WIDTH = 720;
const HEIGHT = 460;
const BOX = { left: 60, right: WIDTH - 10, top: 10, bottom: HEIGHT - 44 };

/** The page's styles for the same classes. */
const LOOK = `<style>
svg { background: #fff; } text { fill: #5a626d; font: 11px system-ui, sans-serif; } .name { fill: #20242a; font-size: 12px; }
.grid { stroke: #e2e4e0; } .trail { fill: none; stroke-width: 0.9; stroke-opacity: 0.6; stroke-linejoin: round; }
.start { fill-opacity: 0.8; } .end { fill: none; stroke: #20242a; stroke-width: 1.4; }
</style>`;
