import { basename } from "node:path";
import { endText } from "../ending.ts";
import { type Claim, exactly, type Figure, type Findings, ranked, type Table } from "../page.ts";
import type { CpdUmlReport, RowReport } from "./cpdUml.ts";
import { MOONS, type MoonsResult } from "./cpdUmlMoons.ts";
import type { Starts } from "./cpdUmlTask.ts";
import {
  type CpdRow,
  EXTRAS,
  MEASURES,
  type Measure,
  METHODS,
  PROTOCOL,
  TABLES,
  TITLES,
} from "./cpdUmlTables.ts";

/** How a row of a table takes one of the settings of its method. */
const CHOICES: readonly (readonly [name: string, title: string, of: (row: RowReport) => Figure["ours"]])[] = [
  [
    "best",
    "the setting of largest mean on the classes of the unseen rows, one for all runs (oracle)",
    ({ best }) => best,
  ],
  ["no labels", "the method's own setting: no class is looked at", ({ labelFree }) => labelFree],
  ["median", "median of the means of all settings", ({ median }) => exactly(median)],
];

/** The report as tables. */
export function cpdUmlFindings(report: CpdUmlReport): Findings {
  const { sets, moons, scale, starts } = report;
  const some = sets.some(({ measures }) => measures.accuracy.some(({ settings }) => settings > 0));
  const tables = [
    ...(some ? MEASURES.flatMap((measure) => CHOICES.map((choice) => tableOf(report, measure, choice))) : []),
    ...(MEASURES.some((measure) => report.totals[measure] !== undefined) ? [totalTable(report)] : []),
    ...(moons === undefined ? [] : moonsTables(moons)),
  ];
  return {
    title: "CPD-UML: Tables 1 to 3 of the text, in percent",
    head: [
      `${PROTOCOL.folds} folds, two seen and one unseen; the methods see no classes, the unseen rows join the nearest centre;`,
      `columns: ${scale === undefined ? "z-scored, digits as they are" : SCALED[scale]}; k-means with ${startsText(starts ?? PROTOCOL.restarts)}`,
      "score: against nine others, 1 for significantly better (t-test, 0.05), 0.5 for no difference",
      ...sets.flatMap(({ set, source, rows, features, clusters, majority, measures, remarks }) => [
        `${set}: ${basename(source)}, ${rows} x ${features}, K = ${clusters}, largest class ${majority.toFixed(1)} %`,
        ...bestSettings(measures.accuracy).map((line) => `  ${line}`),
        ...remarks.map((remark) => `  ${remark}`),
      ]),
    ],
    tables,
    claims: claimsOf(tables),
    end: endText(report),
  };
}

function startsText(starts: Starts): string {
  if (starts === "random") return "one start from random rows";
  return starts === 1 ? "one start" : `${starts} starts`;
}
const SCALED = { none: "as they are", zscore: "z-scored", minmax: "from 0 to 1" } as const;

function bestSettings(rows: readonly RowReport[]): string[] {
  const chosen = rows.flatMap(({ row, best, settings }) =>
    best === undefined || best.setting === ""
      ? []
      : [`${TITLES[row]}: ${best.setting.replace(/, $/, "")} (of ${settings})`],
  );
  return chosen.length > 0 ? [`best accuracy at ${chosen.join("; ")}`] : [];
}

function rowOf(report: CpdUmlReport, s: number, measure: Measure, row: CpdRow): RowReport | undefined {
  return report.sets[s].measures[measure].find((one) => one.row === row && one.settings > 0);
}

function tableOf(report: CpdUmlReport, measure: Measure, [name, title, of]: (typeof CHOICES)[number]): Table {
  return {
    name: `cpd-uml ${measure}, ${name}`,
    title: `${TABLES[measure]}; ${name}: ${title}`,
    digits: 1,
    columns: report.sets.map(({ set }) => set),
    rows: [...METHODS, ...EXTRAS].map((method) => [
      TITLES[method],
      ...report.sets.map((_, s): Figure => {
        const row = rowOf(report, s, measure, method);
        return row === undefined ? {} : { text: row.text?.[0], textSpread: row.text?.[1], ours: of(row) };
      }),
    ]),
  };
}

function totalTable({ totals }: CpdUmlReport): Table {
  const found = MEASURES.flatMap((measure) => {
    const rows = totals[measure];
    return rows === undefined ? [] : [{ measure, rows }];
  });
  return {
    name: "cpd-uml scores",
    title: "Total scores over the sets, each method at its best and without labels",
    digits: 1,
    columns: found.flatMap(({ measure }) => [measure, `${measure}, no labels`]),
    rows: METHODS.map((method, i) => [
      TITLES[method],
      ...found.flatMap(({ rows }): Figure[] => [
        { text: rows[i].text, ours: exactly(rows[i].best) },
        { text: rows[i].text, ours: exactly(rows[i].labelFree) },
      ]),
    ]),
  };
}

function moonsTables({ kmeans, variants, widths }: MoonsResult): Table[] {
  return [
    {
      name: "cpd-uml moons",
      title: `Two moons, accuracy in percent over sigma 2^0 to 2^10 and lambda 10^0 to 10^10 (text: ${MOONS.text} %, and none for k-means)`,
      digits: 1,
      columns: ["best", "at", "unseen", "cells of 97 % and more", "of 99 % and more", "cycles"],
      rows: [
        ["k-means", { ours: exactly(kmeans) }, "", "", "", "", ""],
        ...variants.map((one): Table["rows"][number] => [
          `${one.indicator}, ${one.center ? "centred" : "not centred"}`,
          { text: MOONS.text, ours: exactly(one.best) },
          one.setting,
          { ours: exactly(one.unseen) },
          `${one.good} of ${one.cells}`,
          `${one.excellent} of ${one.cells}`,
          String(one.cycles),
        ]),
      ],
    },
    {
      name: "cpd-uml moons, kernels",
      title: "Two moons under a Gaussian kernel, as in Figure 2, accuracy in percent",
      digits: 1,
      columns: ["kernel k-means", "r-CPD-UML, best", "of cells"],
      rows: widths.map((one) => [
        `width ${one.width}`,
        { ours: exactly(one.kmeans) },
        { ours: exactly(one.best) },
        String(one.cells),
      ]),
    },
  ];
}

/** The two statements that the text repeats: against k-means, and against all others. */
function claimsOf(tables: readonly Table[]): Claim[] {
  return ["best", "no labels"].flatMap((choice) =>
    (["cpdUml", "rCpdUml"] as const).flatMap((own) => {
      const common = {
        tables: tables.filter(({ name }) => name === `cpd-uml accuracy, ${choice}`),
        own: TITLES[own],
        better: "larger",
      } as const;
      const all = METHODS.filter((method) => method !== own).map((method) => TITLES[method]);
      return [
        ...ranked({
          ...common,
          claim: `${TITLES[own]} is more accurate than k-means, ${choice}`,
          others: [TITLES.kmeans],
        }),
        ...ranked({
          ...common,
          claim: `${TITLES[own]} is the most accurate of the ten, ${choice}`,
          others: all,
        }),
      ];
    }),
  );
}
