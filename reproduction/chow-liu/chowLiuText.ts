import { COLORS, curvesSvg } from "../curvesSvg.ts";
import { endText } from "../ending.ts";
import type { Spread } from "../learners.ts";
import type { Figure, Findings, Table } from "../page.ts";
import type { ChowLiuFigure, ChowLiuReport, ChowLiuSetReport } from "./chowLiu.ts";
import {
  CLASSIFIER_TITLES,
  DATA,
  OPPONENTS,
  PROTOCOL,
  SELECTION_TITLES,
  SELECTIONS,
} from "./chowLiuTables.ts";

/** The report as tables. The figures of the text have no readable values, so no cell has one. */
export function chowLiuFindings(report: ChowLiuReport): Findings {
  const { sets, claims, sizes } = report;
  const part = report.inside ? "chow-liu inside" : "chow-liu";
  const figures = sets.flatMap((set) => set.figures.map((figure) => ({ set, figure })));
  const titled = ({ set, figure }: (typeof figures)[number]): string =>
    `${figure.figure}: ${set.set}, ${CLASSIFIER_TITLES[figure.classifier]}`;
  const named = figures.length === 0 ? [] : [overallTable(), differenceTable()];
  function overallTable(): Table {
    return {
      name: `${part} accuracy`,
      title: "Accuracy in percent, mean over all numbers of features",
      digits: 1,
      columns: [...SELECTIONS.map((name) => SELECTION_TITLES[name]), "all features"],
      rows: figures.map((one) => [
        titled(one),
        ...SELECTIONS.map((name): Figure => ({ ours: percent(one.figure.overall[name]) })),
        { ours: percent(one.figure.all) },
      ]),
    };
  }
  function differenceTable(): Table {
    return {
      name: `${part} differences`,
      title:
        "CLT minus the other method in the same split, in points (number of splits in which CLT was better)",
      digits: 1,
      columns: OPPONENTS.map((name) => SELECTION_TITLES[name]),
      rows: figures.map((one) => [
        titled(one),
        ...OPPONENTS.map((name): Figure => {
          const difference = one.figure.differences[name];
          return { ours: percent(difference), mark: ` (${difference.wins})` };
        }),
      ]),
    };
  }
  const curves = figures.map((one): Table => ({
    name: `${part} figure ${one.figure.figure}`,
    title: `Figure ${titled(one)}, accuracy in percent by the number of features`,
    digits: 1,
    columns: sizes.map(String),
    rows: SELECTIONS.map((name) => [
      SELECTION_TITLES[name],
      ...one.figure.curves[name].map((point): Figure => ({ ours: percent(point) })),
    ]),
  }));
  return {
    part,
    title:
      "Feature selection by Chow-Liu trees, Figures 6.1 to 6.6 and 6.8 to 6.10: accuracy against selected features",
    head: head(report),
    tables: [...named, ...curves],
    claims: claims.map(({ figure, claim, ...rest }) => ({ claim: `figure ${figure}: ${claim}`, ...rest })),
    end: endText(report),
  };
}

function head({ train, sizes, sets, inside }: ChowLiuReport): string[] {
  const learned = inside
    ? `training the classifiers; here they are cross-validated, ${PROTOCOL.folds} folds, inside the other rows.`
    : "training the classifiers; here they learn from the training part.";
  return [
    `Protocol: stratified random splits, ${Number((100 * train).toPrecision(3))} % of the rows for training; cuts at mean -/+ sd, informations and scales`,
    "from the training part; naive Bayes on the three levels (Laplace), SVM with RBF kernel (C 1, gamma 1 / features) and",
    `random forest (${PROTOCOL.trees} trees) on z-scores. The text names neither kind of naive Bayes, nor kernel, nor the rows for`,
    `${learned} Features: ${sizes.join(", ")}.`,
    "CLT stops at the last gain and continues with mRMR; CLT of the text continues in index order.",
    ...sets.map(
      ({ set, rows, features, classes, splits, majority, byGain, constant, constantSelected }) =>
        `${DATA[set].title}: ${rows} rows x ${features} features, ${classes} classes, ${splits} splits; most frequent class ` +
        `${(100 * majority.mean).toFixed(1)} %; ${constant.mean.toFixed(0)} features of one level in the training part, of which CLT of the text selects ` +
        `${constantSelected.mean.toFixed(1)}; CLT chooses ${byGain.mean.toFixed(1)} of ${sizes[sizes.length - 1]} by gain`,
    ),
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

function percent({ mean, deviation, count }: Spread): Spread {
  return { mean: 100 * mean, deviation: 100 * deviation, count };
}
