import { type Axis, frame, linearAxis, logAxis, place } from "./axis.ts";
import { html, type Markup, raw } from "./html.ts";

export interface Line {
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly names: { readonly x: string; readonly y: string };
  /** Which axes are logarithmic; their values must be positive. */
  readonly log?: "x" | "xy";
  /** The value holds until the next x: a staircase. */
  readonly steps?: boolean;
  /** A marked position, with its label. */
  readonly mark?: { readonly x: number; readonly text: string };
  readonly label: string;
}

/** One line over x, with a mark at the chosen value. */
export function lineChart({ x, y, names, log, steps, mark, label }: Line): Markup {
  const across = axis(x, BOX.left, BOX.right, log !== undefined, mark?.x);
  const up = axis(y, BOX.bottom, BOX.top, log === "xy");
  let path = "";
  for (let i = 0; i < x.length; i++) {
    const at = place(across.at(x[i]));
    if (i === 0) path += `M${at} ${place(up.at(y[i]))}`;
    else path += steps === true ? `H${at}V${place(up.at(y[i]))}` : `L${at} ${place(up.at(y[i]))}`;
  }
  const marked =
    mark === undefined
      ? undefined
      : html`<g class="mark">
          <line
            x1="${place(across.at(mark.x))}"
            x2="${place(across.at(mark.x))}"
            y1="${BOX.top}"
            y2="${BOX.bottom}"
          />
          <text x="${place(across.at(mark.x) + 5)}" y="${BOX.top + 12}">${mark.text}</text>
        </g>`;
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">
    ${frame(across, up, BOX, names)}
    <path class="line" d="${raw(path)}" />
    ${marked}
  </svg>`;
}

const WIDTH = 720;
const HEIGHT = 280;
const BOX = { left: 66, right: WIDTH - 14, top: 10, bottom: HEIGHT - 44 };

function axis(values: ArrayLike<number>, from: number, to: number, log: boolean, also?: number): Axis {
  let low = also ?? Infinity;
  let high = also ?? -Infinity;
  for (let i = 0; i < values.length; i++) {
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
  }
  return log ? logAxis(low, high, from, to) : linearAxis(low, high, from, to);
}

export interface Bar {
  readonly name: string;
  readonly value: number;
}

const MOST_BARS = 25;

/** Bars for shares of a whole, largest first, as a table that is also readable without the picture. */
export function barChart(bars: readonly Bar[], heads: readonly [string, string]): Markup {
  const order = bars.toSorted((a, b) => b.value - a.value);
  const shown = order.slice(0, MOST_BARS);
  const most = shown[0]?.value || 1;
  const rest = order.slice(MOST_BARS).reduce((sum, { value }) => sum + value, 0);
  return html`<table class="bars">
      <thead>
        <tr>
          <th scope="col">${heads[0]}</th>
          <th scope="col">${heads[1]}</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map(
          ({ name, value }) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td>
                <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                  <rect width="${((100 * value) / most).toFixed(1)}" height="10" />
                </svg>
                <span>${(100 * value).toFixed(1)} %</span>
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${
      order.length > MOST_BARS
        ? html`<p class="note">
            ${order.length - MOST_BARS} more features share ${(100 * rest).toFixed(1)} %.
          </p>`
        : undefined
    }`;
}
