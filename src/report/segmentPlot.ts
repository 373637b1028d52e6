import { clipped, plural } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { linearAxis, place, short } from "./axis.ts";
import { html, type Markup, raw } from "./html.ts";
import { clusterColor } from "./palette.ts";

/** One series as it was cut. */
export interface CutSeries {
  readonly name?: string;
  /** The drawn values, a line for each column: the rows under the metric. */
  readonly Y: Matrix;
  /** First rows of all segments except the first. */
  readonly cuts: ArrayLike<number>;
  /** First rows of all known runs except the first, drawn above. */
  readonly known?: ArrayLike<number>;
  /** First and last row, by name. */
  readonly ends: readonly [string, string];
}

/** Maximum number of lines of a panel. */
const MOST_LINES = 4;
/** Panels at most. */
const MOST_SERIES = 12;

/** Letters of a name. */
const LETTERS = 24;

const WIDTH = 720;
const LEFT = 14;
const RIGHT = WIDTH - 14;
const PANEL = 118;

/**
 * A panel for each series: its values, its segments as shades, and the known cuts as ticks above. A separate
 * file.
 */
export function segmentPlot(all: readonly CutSeries[], lines: readonly string[]): Markup {
  const shown = all.slice(0, MOST_SERIES);
  const height = shown.length * PANEL + 30;
  const names = lines.slice(0, MOST_LINES);
  const key = names.map(
    (name, f) =>
      html`<text x="${LEFT + 150 * f}" y="${height - 8}" fill="${clusterColor(f)}"
        >${clipped(name, LETTERS)}</text
      >`,
  );
  const left =
    all.length > shown.length
      ? html`<text x="${RIGHT}" y="${height - 8}" text-anchor="end"
          >${shown.length} of ${short(all.length)} series</text
        >`
      : undefined;
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    viewBox="0 0 ${WIDTH} ${height}"
    role="img"
    aria-label="${all.length} series and their segments"
  >
    ${raw(LOOK)} ${shown.map((one, s) => panel(one, s * PANEL))} ${key} ${left}
  </svg>`;
}

const LOOK =
  "<style>text{font:12px system-ui,sans-serif}.paper{fill:#fff}.even{fill:#0072b2;fill-opacity:.09}.odd{fill:#d55e00;fill-opacity:.09}" +
  ".line{fill:none;stroke-width:1.2}.cut{stroke:#333;stroke-width:1}.known{stroke:#333;stroke-width:3}.said{fill:#333}</style>" +
  '<rect class="paper" width="100%" height="100%"/>';

function panel({ name, Y, cuts, known, ends }: CutSeries, from: number): Markup {
  const [top, bottom] = [from + 26, from + PANEL - 16];
  const n = Y.rows;
  const at = (row: number): number => LEFT + (row / n) * (RIGHT - LEFT);
  const starts = [0, ...Array.from(cuts)];
  const bands = starts.map((start, k) => {
    const end = starts[k + 1] ?? n;
    return html`<rect
      class="${k % 2 === 0 ? "even" : "odd"}"
      x="${place(at(start))}"
      width="${place(at(end) - at(start))}"
      y="${top}"
      height="${bottom - top}"
    />`;
  });
  const curves = Array.from({ length: Math.min(Y.cols, MOST_LINES) }, (_, f) => {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < n; i++) {
      low = Math.min(low, Y.data[i * Y.cols + f]);
      high = Math.max(high, Y.data[i * Y.cols + f]);
    }
    const up = linearAxis(low, high, bottom, top);
    let path = "";
    for (let i = 0; i < n; i++) {
      path += `${i === 0 ? "M" : "L"}${place(at(i + 0.5))} ${place(up.at(Y.data[i * Y.cols + f]))}`;
    }
    return html`<path class="line" stroke="${clusterColor(f)}" d="${raw(path)}" />`;
  });
  const stroke = (kind: string, row: number, y1: number, y2: number): Markup =>
    html`<line class="${kind}" x1="${place(at(row))}" x2="${place(at(row))}" y1="${y1}" y2="${y2}" />`;
  const title = `${name === undefined ? "" : `${clipped(name, LETTERS)}: `}${plural(starts.length, "segment")}`;
  return html`<text class="said" x="${LEFT}" y="${from + 14}">${title}</text>
    ${bands} ${curves} ${Array.from(cuts, (row) => stroke("cut", row, top, bottom))}
    ${Array.from(known ?? [], (row) => stroke("known", row, top - 7, top))}
    <text class="said" x="${LEFT}" y="${bottom + 13}">${clipped(ends[0], LETTERS)}</text>
    <text class="said" x="${RIGHT}" y="${bottom + 13}" text-anchor="end">${clipped(ends[1], LETTERS)}</text>`;
}
