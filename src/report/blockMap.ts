import type { Matrix } from "../matrix/index.ts";
import { place } from "./axis.ts";
import { html, raw, type Markup } from "./html.ts";

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
