import { html, type Markup, raw } from "./html.ts";

/** From data to the picture; `ticks` are round values of the data. */
export interface Axis {
  at(value: number): number;
  readonly ticks: readonly number[];
  label(value: number): string;
}

/** An even axis over the values, with a little room at both ends. */
export function linearAxis(low: number, high: number, from: number, to: number, room = 0.04): Axis {
  const size = Math.max(Math.abs(low), Math.abs(high));
  // Values that differ only by rounding are drawn as one: the ticks between them would be equal.
  const flat = !(high - low > 1e-9 * size);
  const width = flat ? size || 1 : high - low;
  const start = low - room * width;
  const end = (flat ? low + width : high) + room * width;
  const step = roundStep(end - start);
  const ticks: number[] = [];
  for (let m = Math.ceil(start / step); m * step <= end; m++) ticks.push(m * step);
  return {
    at: (value) => from + ((value - start) / (end - start)) * (to - from),
    ticks,
    label: (value) => short(Math.abs(value) < step * 1e-9 ? 0 : value),
  };
}

/** A logarithmic axis over positive values; powers of ten are marked, or 1, 2, 5 where there are few. */
export function logAxis(low: number, high: number, from: number, to: number): Axis {
  const start = Math.log10(low);
  const end = Math.max(Math.log10(high), start + 1e-6);
  const decades: number[] = [];
  const between: number[] = [];
  for (let power = Math.floor(start); power <= end; power++) {
    for (const digit of [1, 2, 5]) {
      const value = digit * 10 ** power;
      if (Math.log10(value) < start - 1e-9 || Math.log10(value) > end + 1e-9) continue;
      between.push(value);
      if (digit === 1) decades.push(value);
    }
  }
  return {
    at: (value) => from + ((Math.log10(value) - start) / (end - start)) * (to - from),
    ticks: decades.length >= 3 ? decades : between,
    label: short,
  };
}

/** The frame of a plot: ticks below and at the left, and axis titles. */
export function frame(
  x: Axis,
  y: Axis,
  box: { left: number; right: number; top: number; bottom: number },
  names: { x: string; y: string },
): Markup {
  const { left, right, top, bottom } = box;
  const middle = (top + bottom) / 2;
  return html`<g class="axis">
    ${x.ticks.map((tick) => {
      const at = place(x.at(tick));
      return html`<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${bottom}" /><text
          x="${at}"
          y="${bottom + 16}"
          text-anchor="middle"
        >
          ${x.label(tick)}
        </text>`;
    })}
    ${y.ticks.map((tick) => {
      const at = y.at(tick);
      return html`<line class="grid" x1="${left}" x2="${right}" y1="${place(at)}" y2="${place(at)}" /><text
          x="${left - 6}"
          y="${place(at + 4)}"
          text-anchor="end"
          >${y.label(tick)}</text
        >`;
    })}
    <text class="name" x="${(left + right) / 2}" y="${bottom + 34}" text-anchor="middle">${names.x}</text>
    <text
      class="name"
      x="14"
      y="${middle}"
      text-anchor="middle"
      transform="${raw(`rotate(-90 14 ${middle})`)}"
    >
      ${names.y}
    </text>
  </g>`;
}

/** A position in the picture, to a tenth of a pixel. */
export function place(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A number for people: four digits, no trailing zeros. */
export function short(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace(".0e", "e").replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}

function roundStep(width: number): number {
  const rough = width / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const digit = [1, 2, 5, 10].find((factor) => factor * power >= rough)!;
  return digit * power;
}
