import { errorOf, type Spread } from "./learners.ts";

/** A picture of curves with bars of one standard error, and their names to the right. */
export interface Curves {
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
  /** Left and right end of the horizontal axis, and where it is marked. */
  readonly x: { readonly from: number; readonly to: number; readonly ticks: readonly number[] };
  /** Bottom and top of the vertical axis; values beyond them are drawn at the edge. */
  readonly y: {
    readonly from: number;
    readonly to: number;
    readonly ticks: readonly number[];
    readonly digits: number;
  };
  readonly lines: readonly Curve[];
}

export interface Curve {
  readonly name: string;
  readonly color: string;
  readonly dashed?: boolean;
  readonly points: readonly ({ readonly x: number } & Spread)[];
}

/** Colours that people with colour vision deficiencies tell apart (Okabe and Ito). */
export const COLORS = {
  black: "#000000",
  orange: "#E69F00",
  sky: "#56B4E9",
  green: "#009E73",
  vermilion: "#D55E00",
  purple: "#CC79A7",
  blue: "#0072B2",
} as const;

export function curvesSvg({ title, xTitle, yTitle, x, y, lines }: Curves): string {
  const across = (value: number): string =>
    (LEFT + ((value - x.from) / (x.to - x.from)) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const down = (value: number): number => {
    const shown = Math.min(y.to, Math.max(y.from, value));
    return TOP + ((y.to - shown) / (y.to - y.from)) * (HEIGHT - TOP - BOTTOM);
  };
  const grid = y.ticks.map(
    (value) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${down(value).toFixed(1)}" y2="${down(value).toFixed(1)}" stroke="#ddd"/>` +
      `<text x="${LEFT - 8}" y="${(down(value) + 4).toFixed(1)}" text-anchor="end">${value.toFixed(y.digits)}</text>`,
  );
  const ticks = x.ticks.map(
    (value) => `<text x="${across(value)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${value}</text>`,
  );
  const drawn = lines.map(({ name, color, dashed, points }, m) => {
    const path = points
      .map((point, i) => `${i === 0 ? "M" : "L"}${across(point.x)} ${down(point.mean).toFixed(1)}`)
      .join("");
    const bars = points
      .map((point) => {
        const { x, mean } = point;
        const error = errorOf(point);
        const [low, high] = [down(mean - error), down(mean + error)];
        return `M${across(x)} ${low.toFixed(1)}V${high.toFixed(1)}`;
      })
      .join("");
    const stroke = `stroke="${color}" stroke-width="2"${dashed === true ? ' stroke-dasharray="5 3"' : ""}`;
    const top = TOP + 16 * m;
    return (
      `<path d="${path}" fill="none" ${stroke}/><path d="${bars}" stroke="${color}"/>` +
      `<line x1="${WIDTH - RIGHT + 12}" x2="${WIDTH - RIGHT + 32}" y1="${top}" y2="${top}" ${stroke}/>` +
      `<text x="${WIDTH - RIGHT + 38}" y="${top + 4}">${name}</text>`
    );
  });
  const middle = (TOP + HEIGHT - BOTTOM) / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    ...grid,
    ...ticks,
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${xTitle}</text>`,
    `<text x="14" y="${middle}" text-anchor="middle" transform="rotate(-90 14 ${middle})">${yTitle}</text>`,
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

const WIDTH = 600;
const HEIGHT = 320;
const LEFT = 48;
const RIGHT = 130;
const TOP = 20;
const BOTTOM = 44;
