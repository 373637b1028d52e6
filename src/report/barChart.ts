import { html, type Markup } from "./html.ts";

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
