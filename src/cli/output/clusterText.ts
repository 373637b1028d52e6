import { plural, shortName } from "../../core/internal.ts";
import { columnWords, whyWords, type Table } from "../../data/index.ts";
import type { Decided, Report } from "../../run/index.ts";
import type { ClassScores } from "../../run/internal.ts";
import { textsOf, type Clustering } from "../../model/index.ts";
import { trustWords } from "../../model/internal.ts";
import { columns } from "./terminal.ts";
import { noteFacts } from "./terminal.ts";

export const SCORE_NAMES: Record<keyof ClassScores, string> = {
  rand: "Rand",
  adjustedRand: "adjusted Rand",
  nmi: "NMI",
  accuracy: "accuracy",
  purity: "purity",
};

/**
 * Maximum numbers of classes with a column of their own, of clusters with a row, and of listed column
 * decisions.
 */
const SHOWN_CLASSES = 8;
const SHOWN_CLUSTERS = 30;
const SHOWN_COLUMNS = 40;

/**
 * The column decisions of a table: kind, reason, conversion. In a table of more than `most` columns, those that
 * were treated alike share a line.
 */
export function columnText(
  table: Table,
  prepared?: Pick<Decided, "columns">,
  most: number = SHOWN_COLUMNS,
): string {
  const became = new Map(prepared?.columns.map((column) => [column.name, column] as const));
  const decided = table.columns.map((column): Decision => {
    const own = became.get(column.name);
    const what = own === undefined ? "" : own.became === "" ? own.why : own.became;
    return {
      column,
      taken: columnWords(column),
      what,
      weight: own === undefined || own.became === "" ? 1 : own.weight,
    };
  });
  const lines =
    decided.length <= most
      ? decided.map((one) => [one])
      : alike(decided, ({ taken, what }) => `${taken}\n${what}`);
  const head = ["column", "taken as", "why", ...(prepared === undefined ? [] : ["becomes"])];
  const shown = lines.slice(0, most).map((line) => decisionCells(line, table.rows).slice(0, head.length));
  const left = lines.slice(most).reduce((sum, line) => sum + line.length, 0);
  const more = left > 0 ? [`and ${left} more columns`] : [];
  const all = shown.length < decided.length ? ["(kindred columns lists each column)"] : [];
  return [...columns([head, ...shown], "  "), ...[[...more, ...all].join(" ")].filter(Boolean)].join("\n");
}

interface Decision {
  readonly column: Table["columns"][number];
  readonly taken: string;
  readonly what: string;
  readonly weight: number;
}

/** Number of decisions of one kind with a line each, and of columns that a common line names. */
const FEW_ALIKE = 3;

/** Groups by key, in the order of their first members; a few of one kind stay apart. */
function alike(decided: readonly Decision[], keyOf: (one: Decision) => string): Decision[][] {
  const groups = new Map<string, Decision[]>();
  for (const one of decided) {
    const key = keyOf(one);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const lines = [...groups.values()].flatMap((group) =>
    group.length <= FEW_ALIKE ? group.map((one) => [one]) : [group],
  );
  const place = new Map(decided.map((one, j) => [one, j]));
  return lines.sort((a, b) => place.get(a[0])! - place.get(b[0])!);
}

/** A line of the table of columns, for one or for several columns. */
function decisionCells(line: readonly Decision[], rows: number): string[] {
  const [{ column, taken, what, weight }] = line;
  if (line.length === 1) {
    return [
      shortName(column.name, 32),
      taken,
      whyWords(column, rows),
      `${what}${weightText(weight, weight)}`,
    ];
  }
  const names = line.slice(0, FEW_ALIKE).map((one) => shortName(one.column.name, 16));
  const reasons = new Map<string, number>();
  for (const one of line) reasons.set(one.column.why, (reasons.get(one.column.why) ?? 0) + 1);
  const [why] = [...reasons].reduce((a, b) => (b[1] > a[1] ? b : a));
  const missing = line.map((one) => Math.round((100 * one.column.missing) / rows));
  const [least, largest] = [Math.min(...missing), Math.max(...missing)];
  const weights = line.map((one) => one.weight);
  return [
    `${names.join(", ")} and ${line.length - names.length} more`,
    taken,
    `${reasons.size === 1 ? "" : "mostly "}${why}` +
      (largest === 0 ? "" : `; ${least === largest ? largest : `${least} to ${largest}`} % missing`),
    `${what}${weightText(Math.min(...weights), Math.max(...weights))}`,
  ];
}

/** The column decisions and an empty line, if they are worth printing. */
export function decisions(decided: Decided | undefined): string[] {
  return decided !== undefined && columnsNeedWords(decided)
    ? [columnText(decided.table, decided), "\n\n"]
    : [];
}

function weightText(least: number, largest: number): string {
  if (least >= 0.995) return "";
  const [from, to] = [least.toFixed(2), largest.toFixed(2)];
  return `, weight ${from === to ? from : `${from} to ${to}`}`;
}

/** Whether the columns are anything but numbers with equal weights. */
function columnsNeedWords({ columns: made, aside }: Decided): boolean {
  return made.some(
    ({ name, weight, kind }) => !aside.includes(name) && (kind !== "number" || weight < 0.995),
  );
}

/** The result for people. */
export function clusterText(report: Report): string {
  const { clustering, facts, ...about } = report;
  const { method, clusters, seed, proof, trust, notes } = clustering;
  const lines = [
    ...columns(
      [
        ["data", `${about.source}, ${plural(about.rows, "row")} x ${plural(about.features, "feature")}`],
        ["scaling", about.scaling],
        ["method", `${method}, ${plural(clusters, "cluster")}${seed === null ? "" : `, seed ${seed}`}`],
        ...(trust === undefined ? [] : [["trust", `${trustWords(trust)}: ${trust.why}`]]),
        ...facts.map(([name, text]) => [name, text]),
        ["solver", solverText(proof)],
        ["time", `${duration(about.seconds)} (reading ${duration(about.readSeconds)})`],
        [
          "engine",
          about.threads === null ? about.engine : `${about.engine}, ${plural(about.threads, "thread")}`,
        ],
        ...noteFacts([...notes, ...about.notes]),
      ],
      "   ",
    ),
    "",
    ...clusterTable(report),
  ];
  if (about.scores !== null) {
    const { scores } = about;
    const keys = Object.keys(SCORE_NAMES) as (keyof ClassScores)[];
    const rows = keys.map((key) => [SCORE_NAMES[key], scores[key].toFixed(4)]);
    lines.push("", ...columns([[`against ${about.label}`, "score"], ...rows]));
  }
  return `${lines.join("\n")}\n`;
}

/** About the method's own objective, not about whether the groups are right. */
function solverText({ converged, iterations, objective }: Clustering["proof"]): string {
  const parts = [converged ? "converged" : "NOT converged"];
  if (iterations !== null) parts[0] += ` after ${plural(iterations, "iteration")}`;
  if (objective !== null) parts.push(`objective ${Number(objective.toPrecision(8))}`);
  return parts.join(", ");
}

/** One row per cluster: its size, its rows of each known class, and its distinguishing columns. */
function clusterTable({ clustering, rows: n, label, classes }: Report): string[] {
  const { sizes, labels, profiles } = clustering;
  const counts = new Map<string, Int32Array>();
  classes?.forEach((name, i) => {
    let count = counts.get(name);
    if (count === undefined) counts.set(name, (count = new Int32Array(sizes.length)));
    if (labels[i] >= 0) count[labels[i]]++;
  });
  const shown =
    counts.size <= SHOWN_CLASSES
      ? [...counts.keys()].toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
      : [];
  const kept = Array.from(sizes.keys()).slice(0, SHOWN_CLUSTERS);
  const table = columns([
    ["cluster", "rows", "share", ...shown.map((name) => (name === "" ? "unknown" : `${label} ${name}`))],
    ...kept.map((k) => [
      String(k),
      String(sizes[k]),
      `${((100 * sizes[k]) / n).toFixed(1)} %`,
      ...shown.map((name) => String(counts.get(name)![k])),
    ]),
  ]);
  const none = labels.reduce((count, value) => count + (value < 0 ? 1 : 0), 0);
  const told = profiles.filter(({ differences }) => differences.length > 0);
  return [
    ...table,
    ...(none > 0 ? [`${plural(none, "row")} in no cluster`] : []),
    ...(sizes.length > kept.length
      ? [`and ${sizes.length - kept.length} more clusters (--json has all)`]
      : []),
    ...(told.length === 0
      ? []
      : [
          "",
          ...kept.flatMap((k) =>
            profiles[k] === undefined ? [] : [`${k}  ${profiles[k].name}: ${profiles[k].words}`],
          ),
        ]),
  ];
}

/** The most typical rows of each cluster, shown by recognisable columns. */
export function representativeText(
  { representatives, names }: Clustering,
  table: Table,
  show: readonly string[],
): string {
  const shown = show.map((name) => {
    const column = table.columns.find((known) => known.name === name)!;
    return { name, texts: textsOf(column) };
  });
  const lines = representatives.flatMap(({ cluster, typical, borderline }) => [
    `cluster ${cluster}, ${names[cluster]}`,
    ...columns(
      [
        ["", "row", ...shown.map(({ name }) => name)],
        ...[
          ...typical.slice(0, 3).map((i) => ["typical", i] as const),
          ...borderline.slice(0, 2).map((i) => ["borderline", i] as const),
        ].map(([kind, i]) => [kind, String(i), ...shown.map(({ texts }) => clipped(texts[i], 60))]),
      ],
      "  ",
    ).map((line) => `  ${line}`),
  ]);
  return `\n${lines.join("\n")}\n`;
}

export function duration(seconds: number): string {
  return seconds < 0.9995 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(2)} s`;
}

function clipped(text: string, most: number): string {
  const letters = [...text.replace(/\s+/g, " ")];
  return letters.length <= most ? letters.join("") : `${letters.slice(0, most - 1).join("")}…`;
}
