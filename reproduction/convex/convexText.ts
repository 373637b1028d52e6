import { aligned } from "../aligned.ts";
import { endText } from "../ending.ts";
import type { ConvexReport, RowReport, SetReport, TableReport } from "./convex.ts";
import type { Cell, Setting } from "./convexCell.ts";
import { type Grid, HEADINGS, type Method, METHODS, type PublishedColumn } from "./convexTables.ts";
import type { OutlierFigure } from "./outlierFigure.ts";
import { FIGURE_METHODS, type FigureMethod, OUTLIERS } from "./outlierRepetition.ts";

/** The report as lines for people. */
export function convexText(report: ConvexReport): string[] {
  const { table, figure, certificates, skipped } = report;
  const lines: string[] = [];
  if (table !== undefined) lines.push(...tableText(table));
  for (const { set, why } of skipped) lines.push(`${set}: skipped, ${why}`, "");
  if (figure !== undefined) lines.push(...figureText(figure));
  if (certificates.solves > 0) {
    lines.push(
      `certificates: ${certificates.solves} solves, the largest relative duality gap is ` +
        certificates.gap.toExponential(2),
    );
  }
  lines.push(...endText(report));
  return lines;
}

function tableText({ name, source, sets, quick }: TableReport): string[] {
  const lines = [
    `Table ${name}: Rand index in per cent, beside the numbers of the text (${source})`,
    "",
    "  paper's    raw data, k = n/K neighbours, exactly K clusters, single rows counted; labels choose the rest",
    "  oracle     K clusters of some size, other rows join the nearest; labels choose the best of a grid",
    "  no labels  the methods' defaults: 30 neighbours, alpha 0.1, gamma by modularity; no label is looked at",
    "  rebuilt    CCML, 6 rounds with neighbours and gamma in the learned metric; default: kindred cluster without a method",
    "  N-cut      recursive two-way cuts of the neighbour graph; without labels 10 neighbours, all weights 1",
    "  *          no gamma gave exactly K clusters; the nearest number is taken    -  not run, see below",
    ...(quick ? ["  quick run: one setting instead of each grid"] : []),
    "",
  ];
  for (const set of sets) lines.push(...setText(set), "");
  return lines;
}

function setText(report: SetReport): string[] {
  const { set, source, rows, features, clusters, published, protocols, remarks } = report;
  const grid = [
    ["", ...METHODS.map((column) => HEADINGS[column])],
    [
      "the text",
      ...METHODS.map((column) => {
        const value = published[column as PublishedColumn];
        return value === undefined ? "" : value.toFixed(1);
      }),
    ],
    ...protocols.map((row) => [row.title, ...METHODS.map((column) => cellText(row, column, clusters))]),
  ];
  return [
    `${set}: ${source}, ${rows} x ${features}, K = ${clusters}`,
    ...aligned(grid).map((line) => `  ${line}`),
    `  one cluster ${report.oneCluster.toFixed(1)}, labels at random ${report.randomLabels.toFixed(1)}`,
    ...protocols.flatMap(rowNotes).map((note) => `  ${note}`),
    ...remarks.map((remark) => `  remark: ${remark}`),
  ];
}

function cellText({ cells, omitted, failed }: RowReport, method: Method, clusters: number): string {
  const cell = cells[method];
  if (failed[method] !== undefined) return "failed";
  if (cell === undefined) return omitted[method] === undefined ? "" : "-";
  if (cell.rand === undefined) return "none";
  return `${cell.rand.toFixed(1)}${cell.clusters === clusters ? "" : "*"}`;
}

/** The origin of each number: the setting, how many were tried, cluster sizes where they matter. */
function rowNotes(row: RowReport): string[] {
  const notes: string[] = row.chosenBy === "oracle" ? [`${row.title}: grid of ${gridText(row.grid)}`] : [];
  for (const method of METHODS) {
    const cell = row.cells[method];
    if (cell === undefined) continue;
    if (cell.starts !== undefined) {
      const [least, most] = cell.starts.map((value) => value.toFixed(1));
      notes.push(
        `${row.title}, k-means: best objective of 20 starts, seed 0; single starts ${least} to ${most}`,
      );
    }
    if (method === "kmeans") continue;
    const parts = [settingText(cell)];
    if (row.chosenBy === "oracle")
      parts.push(`best of ${cell.partitions} partitions, ${cell.settings} settings`);
    if (row.assignment === "strict" && cell.sizes !== undefined) parts.push(`sizes ${sizesText(cell.sizes)}`);
    parts.push(...cell.failures);
    if (row.chosenBy === "oracle" || cell.failures.length > 0 || method === "default") {
      notes.push(`${row.title}, ${HEADINGS[method]}: ${parts.filter((part) => part !== "").join("; ")}`);
    }
  }
  const reasons = new Map<string, string[]>();
  for (const method of METHODS) {
    const why = row.omitted[method];
    if (why === undefined || method === "default" || (method === "ccmlRebuilt" && row.chosenBy === "oracle"))
      continue;
    reasons.set(why, [...(reasons.get(why) ?? []), HEADINGS[method]]);
  }
  for (const [why, names] of reasons) notes.push(`${row.title}, ${names.join(", ")}: not run (${why})`);
  return notes;
}

function gridText({ scales, components, neighbors, alphas, betas, gamma2s }: Grid): string {
  const parts = [`scale ${scales.map((scale) => SCALES[scale]).join(", ")}`];
  if (components.some((count) => count > 0)) parts.push(`components ${components.join(", ")}`);
  parts.push(`k ${neighbors.join(", ")}`, `alpha ${alphas.join(", ")}`);
  parts.push(`RCC beta ${betas.join(", ")} of the median ||x_f - mean_f||`);
  parts.push(`SCC gamma2 ${gamma2s.join(", ")} of the mean ||x_f - mean_f||^2`);
  return parts.join("; ");
}

const SCALES = { zscore: "z-score", minmax: "min-max", none: "raw" } as const;

function settingText({ setting }: Cell): string {
  if (setting === undefined) return "no partition";
  const { scale, form } = setting;
  const numbers: readonly (readonly [keyof Setting, string])[] = [
    ["components", "components"],
    ["neighbors", "k"],
    ["alpha", "alpha"],
    ["beta", "beta"],
    ["gamma2", "gamma2"],
    ["iterations", "iterations"],
    ["gamma", "gamma"],
  ];
  const parts = numbers.flatMap(([key, name]) => {
    const value = setting[key];
    return typeof value === "number" ? [`${name} ${Number(value.toPrecision(3))}`] : [];
  });
  if (setting.rebuilt === true) parts.push("graph rebuilt");
  return [SCALES[scale], ...parts, ...(form === undefined ? [] : [form])].join(", ");
}

function sizesText(sizes: readonly number[]): string {
  return sizes.length <= 8 ? sizes.join(" ") : `${sizes.slice(0, 8).join(" ")} ...`;
}

const FIGURE_HEADINGS: Readonly<Record<FigureMethod, string>> = {
  cc: "CC",
  rcc: "RCC",
  scc: "SCC",
  ccml: "CCML",
  ccmlRebuilt: "CCML rebuilt",
  ccscml: "CCSCML",
};

function figureText({ points, convergence }: OutlierFigure): string[] {
  const { perClass, separation, outlierDeviation } = OUTLIERS;
  const lines = [
    `Figure 4.2: Rand index against outlier features, mean (standard error of the last digits) over repetitions`,
    `  3 x ${perClass} rows, means ${separation} e_c, unit variance; outlier features of 7 laws, deviation ` +
      `${outlierDeviation}; columns permuted; seeds 1, 2, ...`,
    "",
  ];
  for (const scale of OUTLIERS.scales) {
    const here = points.filter((point) => point.scale === scale);
    if (here.length === 0) continue;
    for (const which of ["chosen", "best"] as const) {
      const chosenBy =
        which === "chosen"
          ? "gamma chosen without labels"
          : "best gamma and round by labels, the start among them";
      lines.push(`  ${SCALES[scale]} data, ${chosenBy}`);
      const grid = [
        [
          "outliers",
          ...FIGURE_METHODS.map((method) => FIGURE_HEADINGS[method]),
          ...(which === "chosen" ? ["advantage"] : []),
          "of",
        ],
        ...here.map((point) => [
          String(point.outliers),
          ...FIGURE_METHODS.map((method) => meanText(point[which][method])),
          ...(which === "chosen" ? [meanText(point.advantage)] : []),
          String(point.repetitions),
        ]),
      ];
      lines.push(...aligned(grid).map((line) => `    ${line}`), "");
    }
  }
  lines.push(
    "  advantage: CCML with the rebuilt graph minus the best of CC, RCC and SCC of the same repetition",
    "",
  );
  if (convergence.length > 0) lines.push(...convergenceText(convergence));
  return lines;
}

const CONVERGENCE = {
  rcc: "Figure 4.3, RCC at its gamma, after each solve of the fixed point",
  ccml: "Figure 4.4, CCML at the gamma chosen by CC, fixed graph; start, then each alternation",
  ccmlRebuilt: "CCML with the rebuilt graph, gamma chosen in each round (objectives of different problems)",
  ccscml: "Figure 4.5, CCSCML, gamma chosen in each round (objectives of different problems)",
} as const;

function convergenceText(figures: OutlierFigure["convergence"]): string[] {
  const lines = [
    `Figures 4.3 to 4.5: convergence with ${OUTLIERS.convergence.outliers} outlier features, means`,
    "",
  ];
  for (const { scale, method, rand, objective } of figures) {
    lines.push(
      `  ${SCALES[scale]} data: ${CONVERGENCE[method]}`,
      `    Rand index  ${rand.map(({ mean }) => mean.toFixed(3)).join("  ")}`,
      `    objective   ${objective.map(({ mean }) => mean.toPrecision(6)).join("  ")}`,
      "",
    );
  }
  return lines;
}

function meanText({ mean, error }: { readonly mean: number; readonly error: number }): string {
  return `${mean.toFixed(3)} (${Math.round(1000 * error)})`;
}
