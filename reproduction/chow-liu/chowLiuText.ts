import { aligned } from "../aligned.ts";
import type { Mean } from "../convex/outlierFigure.ts";
import { COLORS, curvesSvg } from "../curvesSvg.ts";
import { endText } from "../ending.ts";
import type { ChowLiuFigure, ChowLiuReport, ChowLiuSetReport, Claim, Difference } from "./chowLiu.ts";
import {
  CLASSIFIER_TITLES,
  DATA,
  OPPONENTS,
  PROTOCOL,
  SELECTION_TITLES,
  SELECTIONS,
} from "./chowLiuTables.ts";

/** The report as lines for people. */
export function chowLiuText(report: ChowLiuReport): string[] {
  const { sets, claims, skipped } = report;
  return [
    ...head(report),
    ...sets.flatMap((set) => setText(set, report.sizes)),
    ...claimText(claims),
    ...skipped.map(({ set, why }) => `${set} was skipped: ${why}`),
    ...endText(report),
  ];
}

function head({ train, sizes }: ChowLiuReport): string[] {
  return [
    "Feature selection by Chow-Liu trees, Figures 6.1 to 6.6 and 6.8 to 6.10: accuracy against selected features",
    "",
    `Protocol: stratified random splits, ${share(train)} of the rows for training; cuts at mean -/+ sd, informations and scales from the`,
    "training part; naive Bayes on the three levels (Laplace), SVM with RBF kernel (C 1, gamma 1 / features) and random",
    `forest (${PROTOCOL.trees} trees) on z-scores. The text names neither kind of naive Bayes, nor kernel, nor the rows for training`,
    `the classifiers; here they learn from the training part. Features: ${sizes.join(", ")}.`,
    "CLT stops at the last gain and continues with mRMR; CLT of the text continues in index order.",
    "Accuracies in %, means over splits +- standard errors; +- of a difference is over the same splits.",
    "",
  ];
}

function setText(set: ChowLiuSetReport, sizes: readonly number[]): string[] {
  const { rows, features, classes, splits, majority, byGain, constant, constantSelected } = set;
  return [
    `${DATA[set.set].title}: ${rows} rows x ${features} features, ${classes} classes, ${splits} splits`,
    `  most frequent class ${percent(majority)}; features of one level in the training part: ${constant.mean.toFixed(0)}`,
    `  CLT: ${byGain.mean.toFixed(1)} of ${sizes[sizes.length - 1]} features by gain, the rest by mRMR; CLT of the text selects ${constantSelected.mean.toFixed(1)} constant ones`,
    "",
    ...set.figures.flatMap((figure) => [...figureText(figure, sizes), ""]),
  ];
}

function figureText(figure: ChowLiuFigure, sizes: readonly number[]): string[] {
  const { curves, overall, all, differences } = figure;
  const rows = SELECTIONS.map((name) => [
    SELECTION_TITLES[name],
    ...curves[name].map(({ mean }) => (100 * mean).toFixed(1)),
    percent(overall[name]),
    name === "clt" ? "" : differenceText(differences[name]),
    name === "clt" ? "" : String(differences[name].wins),
  ]);
  const table = aligned([["features", ...sizes.map(String), "mean", "CLT minus", "won"], ...rows]);
  return [
    `  Figure ${figure.figure}: ${CLASSIFIER_TITLES[figure.classifier]} (all features: ${percent(all)})`,
    ...table.map((line) => `    ${line}`),
  ];
}

function claimText(claims: readonly Claim[]): string[] {
  if (claims.length === 0) return [];
  const texts = [...new Set(claims.map(({ text }) => text))];
  return [
    "Claims of the text about every figure, and the result here",
    ...texts.flatMap((text) => {
      const here = claims.filter((claim) => claim.text === text);
      const count = here.filter(({ verdict }) => verdict === "holds").length;
      return [
        `  ${text}: holds in ${count} of ${here.length}`,
        ...aligned(here.map(({ figure, verdict, because }) => [`figure ${figure}`, verdict, because])).map(
          (line) => `    ${line}`,
        ),
      ];
    }),
    "",
  ];
}

/** One figure as an SVG picture. */
export function chowLiuSvg(set: ChowLiuSetReport, figure: ChowLiuFigure, sizes: readonly number[]): string {
  const values = [...OPPONENTS, "clt" as const].flatMap((name) =>
    figure.curves[name].map(({ mean }) => mean),
  );
  const low = Math.floor(10 * Math.min(...values)) / 10;
  const high = Math.ceil(10 * Math.max(...values, figure.all.mean)) / 10;
  const ticks = Array.from({ length: Math.round(10 * (high - low)) + 1 }, (_, i) => low + i / 10);
  const ends = [sizes[0], sizes[sizes.length - 1]];
  return curvesSvg({
    title: `Figure ${figure.figure}: ${DATA[set.set].title}, ${CLASSIFIER_TITLES[figure.classifier]}`,
    xTitle: `selected features, ${DATA[set.set].title}`,
    yTitle: `accuracy, ${CLASSIFIER_TITLES[figure.classifier]}`,
    x: { from: ends[0], to: ends[1], ticks: sizes },
    y: { from: low, to: high, ticks, digits: 1 },
    lines: [
      ...SELECTIONS.map((name) => ({
        name: SELECTION_TITLES[name],
        color: LINE_COLORS[name],
        // Both curves stay visible where they coincide.
        dashed: name === "cltText",
        points: figure.curves[name].map((point, s) => ({ x: sizes[s], ...point })),
      })),
      {
        name: "all features",
        color: "#888888",
        dashed: true,
        points: ends.map((x) => ({ x, ...figure.all })),
      },
    ],
  });
}

const LINE_COLORS = {
  clt: COLORS.black,
  mrmr: COLORS.orange,
  cfs: COLORS.sky,
  cltText: COLORS.green,
  maxRelevance: COLORS.vermilion,
  random: COLORS.purple,
};

function percent({ mean, error }: Mean): string {
  return `${(100 * mean).toFixed(1)} +- ${(100 * error).toFixed(1)}`;
}

function differenceText({ mean, error }: Difference): string {
  return `${mean >= 0 ? "+" : ""}${(100 * mean).toFixed(1)} +- ${(100 * error).toFixed(1)}`;
}

function share(value: number): string {
  return `${Number((100 * value).toPrecision(3))} %`;
}
