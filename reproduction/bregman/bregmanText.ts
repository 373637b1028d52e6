import { aligned } from "../aligned.ts";
import { endText } from "../ending.ts";
import type { Spread } from "../learners.ts";
import type { BregmanReport, BregmanSetReport, BudgetReport, Figures, PublishedReport } from "./bregman.ts";
import { PROTOCOL, TITLES } from "./bregmanTables.ts";

/** The report as lines for people. */
export function bregmanText(report: BregmanReport): string[] {
  return [
    ...head(report),
    ...report.sets.flatMap((set) => [...setText(set), ""]),
    ...report.skipped.map(({ set, why }) => `${set} is skipped: ${why}`),
    ...endText(report),
  ];
}

function head({ runs }: BregmanReport): string[] {
  return [
    "Wu, Jin, Hoi, Zhu and Yu 2009, learning Bregman distance functions, Table 2",
    "",
    `Precision, recall and F1 over pairs of rows, in percent; means over ${runs} ${runs === 1 ? "run" : "runs"} (20 in the text). A run draws pairs,`,
    "half must-links and half cannot-links, and two random rows as the starting centres of every method. Columns are",
    "z-scored; every method has its defaults; the loss of Bk-means has the corrected sign. Each method twice: its distance",
    "alone, and with the pairs enforced (no must-link split, no cannot-link joined), which the paper calls Ck-means.",
    "open: F1 over the pairs of rows that the constraints do not imply. With two clusters, all rows connected by must-links and",
    "cannot-links are settled, so 1000 pairs on a few hundred rows nearly determine the labels: judge a method by open.",
    `DistBoost: ${PROTOCOL.distBoost.rounds} mixtures of two components, k-means on the rows as they see them.`,
    "!: no partition into two clusters has the printed precision and recall; the number says how many points away the",
    "nearest one is (with two clusters and two classes, a precision near 100 forces a recall near 100, unless runs differ",
    "by far more than the printed deviations); or a mean of 100 is printed with a deviation.",
    "f: the printed F1 is more than 1.5 points from that of the printed precision and recall.",
    "",
  ];
}

function setText(report: BregmanSetReport): string[] {
  const { set, rows, features, classes, oneCluster } = report;
  return [
    `${set}: ${rows} rows, ${features} features, classes of ${classes.join(" and ")}`,
    `one cluster: precision ${oneCluster.precision.toFixed(1)}, recall 100, F1 ${oneCluster.f1.toFixed(1)}`,
    "",
    ...publishedText(report.published),
    ...report.budgets.flatMap((budget) => ["", ...budgetText(budget)]),
  ];
}

function publishedText(published: readonly PublishedReport[]): string[] {
  const rows = published.map(({ method, cell, impossible, fromPossible, f1Error }) => [
    TITLES[method],
    cell[0].toFixed(1),
    cell[2].toFixed(1),
    cell[4].toFixed(1),
    `${impossible ? `! ${fromPossible.toFixed(1)}` : ""}${Math.abs(f1Error) > 1.5 ? " f" : ""}`.trim(),
  ]);
  return aligned([["the text, 1000 pairs", "precision", "recall", "F1", ""], ...rows]).map(indent);
}

function budgetText({ budget, pairs, implied, cells }: BudgetReport): string[] {
  const number = (value: Spread | undefined): string => (value === undefined ? "" : value.mean.toFixed(1));
  const row = (figures: Figures | undefined): string[] => [
    number(figures?.precision),
    number(figures?.recall),
    number(figures?.f1),
    figures === undefined ? "" : figures.openF1 === undefined ? "none" : number(figures.openF1),
  ];
  const rows = cells.map(({ method, alone, enforced, seconds }) => [
    TITLES[method],
    ...row(alone),
    ...row(enforced),
    seconds.toFixed(2),
  ]);
  const share = (100 * implied.mean).toFixed(1);
  const title = budget === "1000" ? "" : ` (${budget})`;
  return [
    `  ours, ${pairs} pairs${title}, which imply ${share} % of all pairs; distance alone, then enforced:`,
    ...aligned([
      ["", "precision", "recall", "F1", "open", "precision", "recall", "F1", "open", "seconds"],
      ...rows,
    ]).map(indent),
  ];
}

function indent(line: string): string {
  return `  ${line}`;
}
