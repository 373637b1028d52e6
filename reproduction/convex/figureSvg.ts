import type { ScaleKind } from "kindred/data";
import { COLORS, curvesSvg } from "../curvesSvg.ts";
import type { OutlierFigure } from "./outlierFigure.ts";
import { FIGURE_METHODS, type FigureMethod, OUTLIERS } from "./outlierRepetition.ts";

/** Figure 4.2 as an SVG picture: one line per method, bars of one standard error. */
export function figureSvg({ points }: OutlierFigure, scale: ScaleKind): string | undefined {
  const here = points.filter(
    (point) => point.scale === scale && point.deviation === OUTLIERS.outlierDeviation,
  );
  if (here.length === 0) return undefined;
  const data = { none: "raw", zscore: "z-scored", minmax: "min-max scaled" }[scale];
  return curvesSvg({
    title: `Rand index against outlier features, ${data} data`,
    xTitle: `outlier features, ${data} data`,
    yTitle: "Rand index",
    x: { from: 0, to: 7, ticks: here.map(({ outliers }) => outliers) },
    // Labels at random have about 0.55.
    y: { from: 0.4, to: 1, ticks: [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1], digits: 1 },
    lines: FIGURE_METHODS.map((method) => ({
      ...LINES[method],
      points: here.map(({ outliers, chosen }) => ({ x: outliers, ...chosen[method] })),
    })),
  });
}

const LINES: Readonly<Record<FigureMethod, { readonly color: string; readonly name: string }>> = {
  cc: { color: COLORS.black, name: "CC" },
  rcc: { color: COLORS.orange, name: "RCC" },
  scc: { color: COLORS.sky, name: "SCC" },
  ccml: { color: COLORS.green, name: "CCML" },
  ccmlRebuilt: { color: COLORS.vermilion, name: "CCML rebuilt" },
  ccscml: { color: COLORS.purple, name: "CCSCML" },
};
