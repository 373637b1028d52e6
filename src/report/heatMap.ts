import { shortName } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { place, short } from "./axis.ts";
import { html, type Markup } from "./html.ts";

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
