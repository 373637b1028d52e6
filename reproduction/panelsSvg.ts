import type { Matrix } from "kindred/matrix";
import { COLORS } from "./curvesSvg.ts";

/** One of several pictures side by side: points in colours of their groups, perhaps with arrows, or cells of a grid. */
export type Panel = PointPanel | CellPanel;

export interface PointPanel {
  readonly title: string;
  readonly points: readonly { readonly x: number; readonly y: number; readonly group: number }[];
  /** Where each point goes. */
  readonly moved?: readonly { readonly x: number; readonly y: number }[];
}

export interface CellPanel {
  readonly title: string;
  readonly width: number;
  /** Colours row by row. */
  readonly cells: readonly string[];
}

export function panelsSvg(title: string, panels: readonly Panel[], perRow: number = panels.length): string {
  const rows = Math.ceil(panels.length / perRow);
  const [width, height] = [perRow * (SIDE + GAP) + GAP, rows * (SIDE + HEAD + GAP) + GAP];
  const drawn = panels.map((panel, p) => {
    const left = GAP + (p % perRow) * (SIDE + GAP);
    const top = GAP + HEAD + Math.floor(p / perRow) * (SIDE + HEAD + GAP);
    const body = "points" in panel ? pointsOf(panel) : cellsOf(panel);
    return (
      `<text x="${left}" y="${top - 6}">${panel.title}</text>` +
      `<g transform="translate(${left} ${top})">${body}</g>`
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

/** Two columns of a matrix as points. */
export function pointsFrom(
  X: Matrix,
  groups: ArrayLike<number>,
  [across, up]: readonly [number, number] = [0, 1],
): PointPanel["points"] {
  return Array.from(groups, (group, i) => ({
    x: X.data[i * X.cols + across],
    y: up < X.cols ? X.data[i * X.cols + up] : 0,
    group,
  }));
}

/** Blue below 0, white, red above; the largest entry is the darkest. */
export function heatPanel(title: string, B: Matrix): CellPanel {
  const largest = B.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const cells = Array.from(B.data, (value) => {
    const pale = 1 - Math.abs(value) / largest;
    return value < 0 ? rgb(pale, pale, 1) : rgb(1, pale, pale);
  });
  return { title, width: B.cols, cells };
}

/** Of shares from 0 to 1, in 16 steps each, which is as much as a small cell shows. */
export function rgb(...shares: readonly [number, number, number]): string {
  return `#${shares.map((share) => Math.round(15 * Math.min(1, Math.max(0, share))).toString(16)).join("")}`;
}

/** Colours of groups, in the order of their first members, so that equal partitions look equal. */
export function groupColor(group: number): string {
  return GROUPS[group % GROUPS.length];
}

function pointsOf({ points, moved }: PointPanel): string {
  const all = [...points, ...(moved ?? [])];
  const scale = (of: "x" | "y"): ((value: number) => number) => {
    const [low, high] = all.reduce(
      ([a, b], point) => [Math.min(a, point[of]), Math.max(b, point[of])],
      [Infinity, -Infinity],
    );
    return (value) => EDGE + ((value - low) / (high - low || 1)) * (SIDE - 2 * EDGE);
  };
  const [across, up] = [scale("x"), scale("y")];
  const place = ({ x, y }: { x: number; y: number }): string =>
    `${across(x).toFixed(1)} ${(SIDE - up(y)).toFixed(1)}`;
  const arrows = (moved ?? []).map((to, i) => `M${place(points[i])}L${place(to)}`).join("");
  // One path per group: a line of no length with round ends is a dot.
  const dots = [...new Set(points.map(({ group }) => group))].map((group) => {
    const path = points.filter((point) => point.group === group).map((point) => `M${place(point)}h0`);
    return `<path d="${path.join("")}" stroke="${groupColor(group)}" stroke-width="4" stroke-linecap="round"/>`;
  });
  const lines = arrows === "" ? "" : `<path d="${arrows}" stroke="#888" stroke-width="0.8"/>`;
  return `<rect width="${SIDE}" height="${SIDE}" fill="none" stroke="#ccc"/>${lines}${dots.join("")}`;
}

/** One path per colour, whose lines are runs of cells. */
function cellsOf({ width, cells }: CellPanel): string {
  const height = Math.ceil(cells.length / width);
  const paths = new Map<string, string>();
  for (let c = 0; c < cells.length;) {
    const from = c;
    const end = from - (from % width) + width;
    while (c < Math.min(end, cells.length) && cells[c] === cells[from]) c++;
    const run = `M${from % width} ${Math.floor(from / width) + 0.5}h${c - from}`;
    paths.set(cells[from], (paths.get(cells[from]) ?? "") + run);
  }
  const drawn = [...paths].map(([color, path]) => `<path d="${path}" stroke="${color}"/>`);
  const side = (SIDE / Math.max(width, height)).toFixed(3);
  return `<g transform="scale(${side})" stroke-width="1.02">${drawn.join("")}</g>`;
}

const SIDE = 200;
const GAP = 14;
const HEAD = 18;
const EDGE = 6;
const GROUPS = [COLORS.blue, COLORS.orange, COLORS.green, COLORS.vermilion, COLORS.purple, COLORS.sky];
