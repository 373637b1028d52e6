import type { ScaleKind } from "../data/scaling.ts";
import type { OutlierFigure } from "./outlierFigure.ts";
import { FIGURE_METHODS, type FigureMethod } from "./outlierRepetition.ts";

/** Figure 4.2 as an SVG picture: one line per method, bars of one standard error. */
export function figureSvg({ points }: OutlierFigure, scale: ScaleKind): string | undefined {
  const here = points.filter((point) => point.scale === scale);
  if (here.length === 0) return undefined;
  const x = (outliers: number): number => LEFT + (outliers / 7) * (WIDTH - LEFT - RIGHT);
  const y = (rand: number): number => TOP + ((1 - rand) / (1 - LEAST)) * (HEIGHT - TOP - BOTTOM);
  const at = (value: number): string => value.toFixed(1);
  const grid = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1].map(
    (value) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at(y(value))}" y2="${at(y(value))}" stroke="#ddd"/>` +
      `<text x="${LEFT - 8}" y="${at(y(value) + 4)}" text-anchor="end">${value.toFixed(1)}</text>`,
  );
  const ticks = here.map(
    ({ outliers }) =>
      `<text x="${at(x(outliers))}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${outliers}</text>`,
  );
  const lines = FIGURE_METHODS.map((method, m) => {
    const { color, name } = LINES[method];
    const path = here
      .map((point, i) => `${i === 0 ? "M" : "L"}${at(x(point.outliers))} ${at(y(point.chosen[method].mean))}`)
      .join("");
    const bars = here
      .map(({ outliers, chosen }) => {
        const { mean, error } = chosen[method];
        const [low, high] = [y(Math.max(LEAST, mean - error)), y(Math.min(1, mean + error))];
        return `M${at(x(outliers))} ${at(low)}V${at(high)}`;
      })
      .join("");
    const top = TOP + 16 * m;
    return (
      `<path d="${path}" fill="none" stroke="${color}" stroke-width="2"/><path d="${bars}" stroke="${color}"/>` +
      `<line x1="${WIDTH - RIGHT + 12}" x2="${WIDTH - RIGHT + 32}" y1="${top}" y2="${top}" stroke="${color}" stroke-width="2"/>` +
      `<text x="${WIDTH - RIGHT + 38}" y="${top + 4}">${name}</text>`
    );
  });
  const data = { none: "raw", zscore: "z-scored", minmax: "min-max scaled" }[scale];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>Rand index against outlier features, ${data} data</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    ...grid,
    ...ticks,
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">outlier features, ${data} data</text>`,
    `<text x="14" y="${(TOP + HEIGHT - BOTTOM) / 2}" text-anchor="middle" transform="rotate(-90 14 ${(TOP + HEIGHT - BOTTOM) / 2})">Rand index</text>`,
    ...lines,
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
/** The Rand index at the foot of the picture; labels at random have about 0.55. */
const LEAST = 0.4;

/** Colours that people with colour vision deficiencies tell apart (Okabe and Ito). */
const LINES: Readonly<Record<FigureMethod, { readonly color: string; readonly name: string }>> = {
  cc: { color: "#000000", name: "CC" },
  rcc: { color: "#E69F00", name: "RCC" },
  scc: { color: "#56B4E9", name: "SCC" },
  ccml: { color: "#009E73", name: "CCML" },
  ccmlRebuilt: { color: "#D55E00", name: "CCML rebuilt" },
  ccscml: { color: "#CC79A7", name: "CCSCML" },
};
