import { shortName } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { place, short } from "./axis.ts";
import { html, type Markup, raw } from "./html.ts";

/** Above this many features the map shows those with the largest diagonal. */
const MOST = 30;

/** A symmetric matrix by colour: orange raises the distance, blue lowers it for correlated differences. */
export function heatMap(M: Matrix, names: readonly string[]): Markup {
  const order = names.map((_, f) => f);
  const shown =
    order.length <= MOST
      ? order
      : order
          .toSorted((a, b) => M.data[b * M.cols + b] - M.data[a * M.cols + a])
          .slice(0, MOST)
          .toSorted((a, b) => a - b);
  let most = 0;
  for (const a of shown) for (const b of shown) most = Math.max(most, Math.abs(M.data[a * M.cols + b]));
  const cell = Math.max(12, Math.min(26, 520 / shown.length));
  const margin = 8 + 6.2 * Math.max(...shown.map((f) => shortName(names[f], 16).length));
  const size = margin + cell * shown.length + 4;
  const cells = shown.flatMap((a, i) =>
    shown.map((b, j) => {
      const value = M.data[a * M.cols + b];
      const strength = most > 0 ? Math.sqrt(Math.abs(value) / most) : 0;
      return html`<rect
        x="${place(margin + j * cell)}"
        y="${place(i * cell)}"
        width="${place(cell - 1)}"
        height="${place(cell - 1)}"
        class="${value < 0 ? "below" : "above"}"
        fill-opacity="${strength.toFixed(3)}"
        ><title>${names[a]}, ${names[b]}: ${short(value)}</title></rect
      >`;
    }),
  );
  const left = shown.map(
    (f, i) =>
      html`<text x="${place(margin - 6)}" y="${place(i * cell + cell / 2 + 4)}" text-anchor="end">
        ${shortName(names[f], 16)}
      </text>`,
  );
  const below = shown.map((f, j) => {
    const x = margin + j * cell + cell / 2 + 4;
    const y = shown.length * cell + 6;
    return html`<text
      x="${place(x)}"
      y="${place(y)}"
      text-anchor="end"
      transform="rotate(-90 ${place(x)} ${place(y)})"
    >
      ${shortName(names[f], 16)}
    </text>`;
  });
  const width = Math.round(size);
  return html`<svg
      class="map"
      style="max-width:${width}px"
      viewBox="0 0 ${width} ${width}"
      role="img"
      aria-label="The metric as a map of ${shown.length} by ${shown.length} features"
    >
      ${cells} ${left} ${below}
    </svg>
    ${
      shown.length < names.length
        ? html`<p class="note">The ${shown.length} features of largest weight, of ${names.length}.</p>`
        : undefined
    }`;
}

const MOST_ROWS = 160;
const MOST_COLUMNS = 120;
const WIDTH = 720;
const HEIGHT = 420;
/** Half of the steps between the lowest and the highest colour. */
const STEPS = 6;

/** The table by colour, rows and columns in the order of their groups: orange is high, blue is low. */
export function blockMap(X: Matrix, labels: ArrayLike<number>, columns: ArrayLike<number>): Markup {
  const rows = spread(sorted(labels), MOST_ROWS);
  const cols = spread(sorted(columns), MOST_COLUMNS);
  const sizes = rows.flatMap((i) => cols.map((k) => Math.abs(X.data[i * X.cols + k]))).sort((a, b) => a - b);
  const most = sizes[Math.floor(0.98 * (sizes.length - 1))] || 1;
  const [w, h] = [WIDTH / cols.length, HEIGHT / rows.length];
  const paths = Array.from({ length: 2 * STEPS + 1 }, () => "");
  rows.forEach((i, y) => {
    cols.forEach((k, x) => {
      const strength = Math.max(-1, Math.min(1, X.data[i * X.cols + k] / most));
      paths[STEPS + Math.round(STEPS * strength)] +=
        `M${place(x * w)} ${place(y * h)}h${place(w)}v${place(h)}h-${place(w)}z`;
    });
  });
  const cells = paths.map((d, step) => {
    const strength = (step - STEPS) / STEPS;
    return d === "" || strength === 0
      ? undefined
      : html`<path
          class="${strength < 0 ? "below" : "above"}"
          fill-opacity="${Math.abs(strength).toFixed(2)}"
          d="${raw(d)}"
        />`;
  });
  const between = (order: readonly number[], groups: ArrayLike<number>): number[] =>
    order.flatMap((at, p) => (p > 0 && groups[at] !== groups[order[p - 1]] ? [p] : []));
  const lines = [
    ...between(rows, labels).map(
      (p) => html`<line class="cut" x1="0" x2="${WIDTH}" y1="${place(p * h)}" y2="${place(p * h)}" />`,
    ),
    ...between(cols, columns).map(
      (p) => html`<line class="cut" y1="0" y2="${HEIGHT}" x1="${place(p * w)}" x2="${place(p * w)}" />`,
    ),
  ];
  return html`<svg
    class="blocks"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    role="img"
    aria-label="The rows by the columns, in the order of their groups"
  >
    ${cells} ${lines}
  </svg>`;
}

function sorted(groups: ArrayLike<number>): number[] {
  return Array.from(groups, (_, i) => i).sort((a, b) => groups[a] - groups[b] || a - b);
}

/** At most this many, evenly spaced. */
function spread(order: readonly number[], most: number): number[] {
  if (order.length <= most) return [...order];
  return Array.from({ length: most }, (_, p) => order[Math.floor((p * order.length) / most)]);
}
