import { basename } from "node:path";
import { endText } from "../ending.ts";
import { type Claim, exactly, type Figure, type Findings, ranked, type Table } from "../page.ts";
import type { ConvexReport, RowReport, SetReport, TableReport } from "./convex.ts";
import type { Cell } from "./convexCell.ts";
import { type Grid, HEADINGS, type Method, METHODS, type PublishedColumn, STATED } from "./convexTables.ts";
import type { FigurePoint, OutlierFigure } from "./outlierFigure.ts";
import { FIGURE_METHODS, OUTLIERS } from "./outlierRepetition.ts";

/** The report as tables. */
export function convexFindings(report: ConvexReport): Findings {
  const { table, figure, certificates } = report;
  const { gap, solves } = certificates;
  const tables = [
    ...(table?.sets.map((set) => setTable(set, table.name)) ?? []),
    ...(figure === undefined ? [] : [...figureTables(figure), ...relevanceTable(figure)]),
  ];
  const swept = figure?.points.some(({ deviation }) => deviation !== OUTLIERS.outlierDeviation) === true;
  const figureKind = swept ? "sweep" : "figures";
  return {
    part: `convex ${table !== undefined ? "table" : figureKind}`,
    title: "Sui, Xu, Qian and Liu 2018, convex clustering with metric learning; Sui 2018, chapter 4",
    head: [...(table === undefined ? [] : tableHead(table)), ...(figure === undefined ? [] : figureHead())],
    tables,
    claims: [
      ...claimsOf(tables),
      ...(figure === undefined || figure.points.length === 0 ? [] : [nearlyAll(figure)]),
    ],
    end: [
      ...(solves > 0
        ? [`certificates: ${solves} solves, the largest relative duality gap is ${gap.toExponential(2)}`]
        : []),
      ...endText(report),
    ],
  };
}

function tableHead({ name, source, quick }: TableReport): string[] {
  return [
    `Table ${name}: Rand index in per cent (${source})`,
    "paper's    raw data, k = n/K neighbours, exactly K clusters, single rows counted; labels choose the rest",
    "oracle     K clusters of some size, other rows join the nearest; labels choose the best of a grid",
    "no labels  the methods' defaults: 30 neighbours, alpha 0.1, gamma by modularity; no label is looked at",
    "rebuilt    CCML, 6 rounds with neighbours and gamma in the learned metric",
    "N-cut      recursive two-way cuts of the neighbour graph; without labels 10 neighbours, all weights 1",
    "*          no gamma gave exactly K clusters; the nearest number is taken    -  not run",
    ...(quick ? ["quick run: one setting instead of each grid"] : []),
  ];
}

function setTable(report: SetReport, name: string): Table {
  const { set, source, rows, features, clusters, published, protocols } = report;
  const trivial = `one cluster ${report.oneCluster.toFixed(1)}, labels at random ${report.randomLabels.toFixed(1)}`;
  return {
    name: `convex ${set}`,
    title: `Table ${name}, ${set}: ${basename(source)}, ${rows} x ${features}, K = ${clusters}, Rand index in per cent (${trivial})`,
    digits: 1,
    columns: protocols.map((row) => row.title),
    rows: METHODS.map((method) => [
      HEADINGS[method],
      ...protocols.map((row) => cellOf(row, method, published[method as PublishedColumn], clusters)),
    ]),
    remarks: [...dataRemarks(report), ...protocols.flatMap(rowNotes)],
  };
}

function cellOf(
  { cells, omitted, failed }: RowReport,
  method: Method,
  text: number | undefined,
  clusters: number,
): Figure | string {
  const cell = cells[method];
  if (failed[method] !== undefined) return "failed";
  if (cell === undefined) return omitted[method] === undefined ? { text } : "-";
  if (cell.rand === undefined) return "none";
  return { text, ours: exactly(cell.rand), mark: cell.clusters === clusters ? "" : "*" };
}

/** What the data and the text's own statements about them imply. */
function dataRemarks({ set, features, clusters, rank, places }: SetReport): string[] {
  const { directions, relevant } = STATED[set];
  return [
    ...(directions > clusters - 1
      ? [
          `The text takes ${directions} Fisher directions; S_B of ${clusters} clusters has rank ${clusters - 1}, so ${clusters - 1} are taken here.`,
        ]
      : []),
    ...(rank < features
      ? [
          `The rows have rank ${rank} in ${features} features: A is singular, and the text's B does not exist.`,
        ]
      : []),
    ...(relevant.length > 0
      ? [
          `The features that the text finds relevant (${relevant.join(", ")}) have place ${places.join(", ")} by least raw variance.`,
        ]
      : []),
  ];
}

/** The origin of each number: the setting, how many were tried, cluster sizes where they matter. */
function rowNotes(row: RowReport): string[] {
  const notes: string[] = row.chosenBy === "oracle" ? [`${row.title}: grid of ${gridText(row.grid)}.`] : [];
  for (const method of METHODS) {
    const cell = row.cells[method];
    if (cell === undefined) continue;
    if (cell.starts !== undefined) {
      const [least, most] = cell.starts.map((value) => value.toFixed(1));
      notes.push(
        `${row.title}, k-means: best objective of 20 starts, seed 0; single starts ${least} to ${most}.`,
      );
    }
    if (method === "kmeans") continue;
    const parts = [settingText(cell)];
    if (row.chosenBy === "oracle")
      parts.push(`best of ${cell.partitions} partitions, ${cell.settings} settings`);
    if (row.assignment === "strict" && cell.sizes !== undefined) parts.push(`sizes ${sizesText(cell.sizes)}`);
    parts.push(...cell.failures);
    if (row.chosenBy === "oracle" || cell.failures.length > 0) {
      notes.push(`${row.title}, ${HEADINGS[method]}: ${parts.filter((part) => part !== "").join("; ")}.`);
    }
  }
  const reasons = new Map<string, string[]>();
  for (const method of METHODS) {
    const why = row.omitted[method];
    if (why === undefined || (method === "ccmlRebuilt" && row.chosenBy === "oracle")) continue;
    reasons.set(why, [...(reasons.get(why) ?? []), HEADINGS[method]]);
  }
  for (const [why, names] of reasons) notes.push(`${row.title}, ${names.join(", ")}: not run (${why}).`);
  return notes;
}

/** Lists and numbers by their names; betas are in units of the median ||x_f - mean_f||, gamma2s of the mean square. */
function gridText(grid: Grid): string {
  const lists = Object.entries(grid).filter(([name]) => name !== "rebuilt" && name !== "iterations");
  return lists.map(([name, list]) => `${name} ${(list as readonly unknown[]).join(", ")}`).join("; ");
}

const SCALES = { zscore: "z-score", minmax: "min-max", none: "raw" } as const;

function settingText({ setting }: Cell): string {
  if (setting === undefined) return "no partition";
  const { scale, rebuilt, ...numbers } = setting;
  const parts = Object.entries(numbers).map(([name, value]) => `${name} ${Number(value.toPrecision(3))}`);
  return [SCALES[scale], ...parts, ...(rebuilt === true ? ["graph rebuilt"] : [])].join(", ");
}

function sizesText(sizes: readonly number[]): string {
  return sizes.length <= 8 ? sizes.join(" ") : `${sizes.slice(0, 8).join(" ")} ...`;
}

/** What the text says about its methods: the first is better than the others. Figure 4.2 tunes by labels ("best"). */
function claimsOf(tables: readonly Table[]): Claim[] {
  const pairs: readonly (readonly [Method, readonly Method[]])[] = [
    ["rcc", ["cc"]],
    ["ccml", ["cc"]],
    ["ccml", ["rcc"]],
    ["ccmlRebuilt", ["rcc"]],
    ["ccscml", ["kmeans", "ncut", "cc", "rcc", "scc", "ccml"]],
  ];
  const places = [
    ["on real data", (name: string) => /^convex (seeds|wine|image|dlbcl)$/.test(name)],
    ["with outlier features", (name: string) => /^convex (sweep|figure).*best$/.test(name)],
  ] as const;
  return places.flatMap(([place, of]) =>
    pairs.flatMap(([own, others]) =>
      ranked({
        claim: `${HEADINGS[own]} is more accurate than ${others.length === 1 ? HEADINGS[others[0]] : "all others"} ${place}`,
        tables: tables.filter(({ name }) => of(name)),
        own: HEADINGS[own],
        others: others.map((other) => HEADINGS[other]),
        better: "larger",
        where: (cell) => !cell.startsWith("0 outlier"),
      }),
    ),
  );
}

function figureHead(): string[] {
  const { perClass, separation, outlierDeviation, sweep } = OUTLIERS;
  return [
    `Figures 4.2 to 4.5: 3 x ${perClass} rows, means ${separation} e_c, unit variance; outlier features of 7 laws; columns permuted.`,
    "The text gives neither means nor laws nor deviations.",
    `Figures: outlier features of deviation ${outlierDeviation}, seeds 1, 2, ...; sweep: deviations ${sweep.deviations.join(", ")}, raw, seeds ${sweep.firstSeed}, ...`,
    "chosen: gamma chosen without labels; best: gamma and round by labels, the start among them, as in the text.",
  ];
}

function figureTables({ points, convergence }: OutlierFigure): Table[] {
  const columns = FIGURE_METHODS.map((method) => HEADINGS[method]);
  const { outlierDeviation, sweep } = OUTLIERS;
  const swept = points.some(({ deviation }) => deviation !== outlierDeviation);
  const kinds = swept
    ? [
        {
          name: "sweep",
          title: "Figure 4.2 over the deviation of the outlier features, raw data",
          own: points,
        },
      ]
    : OUTLIERS.scales.map((scale) => ({
        name: `figure 4.2 ${SCALES[scale]}`,
        title: `Figure 4.2, ${SCALES[scale]} data, outlier features of deviation ${outlierDeviation}`,
        own: points.filter((point) => point.scale === scale),
      }));
  const place = ({ deviation, outliers }: FigurePoint): string =>
    swept
      ? `deviation ${deviation}, ${outliers} of ${sweep.outliers.at(-1)}`
      : `${outliers} outlier features`;
  return [
    ...kinds.flatMap(({ name, title, own }) =>
      (["chosen", "best"] as const).flatMap((which): Table[] => {
        if (own.length === 0) return [];
        const rows = own.map((point): Table["rows"][number] => [
          place(point),
          ...FIGURE_METHODS.map((method): Figure => ({ ours: point[which][method] })),
        ]);
        return [
          {
            name: `convex ${name}, ${which}`,
            title: `${title}, Rand index, ${which}`,
            digits: 3,
            columns,
            rows,
          },
        ];
      }),
    ),
    ...OUTLIERS.scales.flatMap((scale) => convergenceTables(scale, convergence)),
  ];
}

const CONVERGENCE = {
  rcc: "Figure 4.3, RCC at its gamma, after each solve of the fixed point",
  ccml: "Figure 4.4, CCML at the gamma chosen by CC, fixed graph; start, then each alternation",
  ccmlRebuilt: "CCML with the rebuilt graph, gamma chosen in each round",
  ccscml: "Figure 4.5, CCSCML, gamma chosen in each round",
} as const;

function convergenceTables(
  scale: (typeof OUTLIERS.scales)[number],
  convergence: OutlierFigure["convergence"],
): Table[] {
  const own = convergence.filter((one) => one.scale === scale);
  if (own.length === 0) return [];
  return (["rand", "objective"] as const).map((which): Table => {
    const longest = Math.max(...own.map((one) => one[which].length));
    return {
      name: `convex convergence ${SCALES[scale]}, ${which}`,
      title: `${which === "rand" ? "Rand index" : "Objective"} by iteration, ${OUTLIERS.convergence.outliers} outlier features, ${SCALES[scale]} data`,
      digits: which === "rand" ? 3 : 1,
      columns: Array.from({ length: longest }, (_, t) => String(t + 1)),
      rows: own.map((one) => [
        CONVERGENCE[one.method],
        ...Array.from({ length: longest }, (_, t): Figure => ({ ours: one[which][t] })),
      ]),
    };
  });
}

/** Figure 4.8 as a table: the features by their share of the metric, beside those that the text names. */
function relevanceTable({ relevance }: Pick<NonNullable<ConvexReport["figure"]>, "relevance">): Table[] {
  if (relevance.length === 0) return [];
  const places = [1, 2, 3, 4];
  return [
    {
      name: "convex relevance",
      title:
        "Figure 4.8, features (from 1) with the largest shares of the metric of CCML, and those that the text names",
      digits: 0,
      columns: ["text", ...places.map((place) => `place ${place}`)],
      rows: relevance.map(({ set, title, relevance: shares }) => {
        const order = Array.from(shares.keys()).sort((a, b) => shares[b] - shares[a]);
        return [
          `${set}, ${title}`,
          STATED[set].relevant.join(", "),
          ...places.map(
            (place) => `${order[place - 1] + 1} (${(100 * shares[order[place - 1]]).toFixed(0)} %)`,
          ),
        ];
      }),
    },
  ];
}

/** A number of the text that is no comparison. */
function nearlyAll({ points }: OutlierFigure): Claim {
  const least = points.reduce((a, b) => (b.best.ccscml.mean < a.best.ccscml.mean ? b : a));
  const near = points.filter(({ best }) => best.ccscml.mean > 0.97);
  return {
    claim: "CCSCML is near 100 % (above 97 %) under all configurations",
    verdict: near.length === points.length ? "holds" : "does not hold",
    because: `in ${near.length} of ${points.length} settings; the least is ${least.best.ccscml.mean.toFixed(3)} with ${least.outliers} features of deviation ${least.deviation}`,
  };
}
