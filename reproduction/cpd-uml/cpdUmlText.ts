import { aligned } from "../aligned.ts";
import { endText } from "../ending.ts";
import type { Spread } from "../learners.ts";
import type { CpdSetReport, CpdUmlReport, RowReport } from "./cpdUml.ts";
import { MOONS, type MoonsResult } from "./cpdUmlMoons.ts";
import type { Starts } from "./cpdUmlTask.ts";
import { MEASURES, METHODS, PROTOCOL, TABLES, TITLES } from "./cpdUmlTables.ts";

/** The report as lines for people. */
export function cpdUmlText(report: CpdUmlReport): string[] {
  const { sets, moons, skipped, scale, starts } = report;
  const lines = [
    "CPD-UML: Tables 1 to 3 of the text, in percent, mean and standard deviation over runs",
    "",
    `  ${PROTOCOL.folds} folds, two seen and one unseen; the methods see no classes, the unseen rows join the nearest centre`,
    `  columns: ${scale === undefined ? "z-scored, digits as they are" : SCALED[scale]}; k-means with ${startsText(starts ?? PROTOCOL.restarts)}`,
    "  best       the setting of largest mean on the classes of the unseen rows, one for all runs (oracle)",
    "  median     of the means of all settings",
    "  no labels  the method's own setting: no class is looked at",
    "  score      against nine others, 1 for significantly better (t-test, 0.05), 0.5 for no difference",
    "",
  ];
  for (const set of sets) lines.push(...setText(set), "");
  if (MEASURES.some((measure) => report.totals[measure] !== undefined)) lines.push(...totalText(report), "");
  if (moons !== undefined) lines.push(...moonsText(moons), "");
  for (const { set, why } of skipped) lines.push(`${set}: skipped, ${why}`);
  lines.push(...endText(report));
  return lines;
}

function startsText(starts: Starts): string {
  if (starts === "random") return "one start from random rows";
  return starts === 1 ? "one start" : `${starts} starts`;
}
const SCALED = { none: "as they are", zscore: "z-scored", minmax: "from 0 to 1" } as const;

function setText(report: CpdSetReport): string[] {
  const { set, source, rows, features, clusters, majority, measures, remarks } = report;
  const lines = [
    `${set}: ${source}, ${rows} x ${features}, K = ${clusters}, largest class ${majority.toFixed(1)} %`,
  ];
  for (const measure of MEASURES) {
    const shown = measures[measure].filter(({ settings }) => settings > 0);
    if (shown.length === 0) continue;
    const table = aligned([
      [TABLES[measure], "text", "score", "best", "score", "median", "no labels", "score", "settings", "runs"],
      ...shown.map((row) => [
        TITLES[row.row],
        row.text === undefined ? "" : `${row.text[0].toFixed(2)} ± ${row.text[1].toFixed(2)}`,
        row.text === undefined ? "" : row.text[2].toFixed(1),
        spreadText(row.best),
        pointsText(row, "best"),
        row.median === undefined ? "" : row.median.toFixed(2),
        spreadText(row.labelFree),
        pointsText(row, "labelFree"),
        String(row.settings),
        String(row.best?.count ?? 0),
      ]),
    ]);
    lines.push(...table.map((line) => `  ${line}`));
  }
  const chosen = measures.accuracy.flatMap(({ row, best }) =>
    best === undefined || best.setting === "" ? [] : [`${TITLES[row]}: ${best.setting.replace(/, $/, "")}`],
  );
  if (chosen.length > 0) lines.push(`  best accuracy at ${chosen.join("; ")}`);
  return [...lines, ...remarks.map((remark) => `  remark: ${remark}`)];
}

function spreadText(value: Spread | undefined): string {
  if (value === undefined) return "";
  return value.count > 1 ? `${value.mean.toFixed(2)} ± ${value.deviation.toFixed(2)}` : value.mean.toFixed(2);
}

function pointsText({ points }: RowReport, kind: "best" | "labelFree"): string {
  return points === undefined ? "" : points[kind].toFixed(1);
}

function totalText({ totals }: CpdUmlReport): string[] {
  const lines = ["Total scores: text, each at its best, without labels"];
  const found = MEASURES.flatMap((measure) =>
    totals[measure] === undefined ? [] : [{ measure, rows: totals[measure] }],
  );
  const grid = [
    ["", ...found.flatMap(({ measure }) => [measure, "best", "no labels"])],
    ...METHODS.map((method, i) => [
      TITLES[method],
      ...found.flatMap(({ rows }) =>
        [rows[i].text, rows[i].best, rows[i].labelFree].map((value) => value.toFixed(1)),
      ),
    ]),
  ];
  return [...lines, ...aligned(grid).map((line) => `  ${line}`)];
}

function moonsText({ kmeans, variants, widths }: MoonsResult): string[] {
  const percent = (value: number): string => value.toFixed(1);
  return [
    `Two moons of the text: ${MOONS.text} % there, k-means ${percent(kmeans)} %; sigma 2^0 to 2^10, lambda 10^0 to 10^10`,
    ...aligned([
      ["", "cells", "97 % and more", "99 % and more", "best", "unseen", "at", "cycles"],
      ...variants.map((one) => [
        `${one.indicator}, ${one.center ? "centred" : "not centred"}`,
        String(one.cells),
        String(one.good),
        String(one.excellent),
        percent(one.best),
        percent(one.unseen),
        one.setting,
        String(one.cycles),
      ]),
    ]).map((line) => `  ${line}`),
    "  under a Gaussian kernel, as in Figure 2:",
    ...aligned([
      ["", "kernel k-means", "r-CPD-UML, best", "of cells"],
      ...widths.map((one) => [
        `width ${one.width}`,
        percent(one.kmeans),
        percent(one.best),
        String(one.cells),
      ]),
    ]).map((line) => `  ${line}`),
  ];
}
