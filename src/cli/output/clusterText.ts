import { clipped, plural } from "../../core/internal.ts";
import type { Table } from "../../data/index.ts";
import type { Report } from "../../run/index.ts";
import type { ClassScores } from "../../run/internal.ts";
import { textsOf, type Clustering, type Profile } from "../../model/index.ts";
import { trustWords } from "../../model/internal.ts";
import { leftOutText } from "./columnText.ts";
import { apart, columns, noteFacts, strong, wrapped } from "./terminal.ts";

export const SCORE_NAMES: Record<keyof ClassScores, string> = {
  rand: "Rand",
  adjustedRand: "adjusted Rand",
  nmi: "NMI",
  accuracy: "accuracy",
  purity: "purity",
};

/**
 * Maximum numbers of classes with a column of their own, and of clusters with a row.
 */
const SHOWN_CLASSES = 8;
const SHOWN_CLUSTERS = 30;

/** What `kindred cluster` prints: the answer first, then the clusters, what to know of the columns, and what to do next. */
export function clusterText(report: Report, { verbose, next }: ClusterTextOptions): string {
  const { clustering, facts, scores, decided, ...about } = report;
  const { method, clusters, seed, proof, trust, notes } = clustering;
  const after = [
    ...(next.length > 0 ? ["", ...nextLines(next)] : []),
    ...(verbose
      ? []
      : [
          "",
          `(${duration(about.seconds + about.readSeconds)}; --verbose shows columns, method, solver and engine)`,
        ]),
  ];
  const table = clusterTable(report);
  const leftOut = leftOutText(decided);
  const count = plural(clusters, "cluster");
  const where = `in ${about.source} (${plural(about.rows, "row")})`;
  const lines = [
    strong(trust?.word === "none" ? `No clear groups ${where}; ${count} at best` : `${count} ${where}`),
    ...(trust === undefined ? [] : wrapped(`Trust: ${trustWords(trust)}`)),
    "",
    ...table,
  ];
  if (scores !== null) {
    const keys = Object.keys(SCORE_NAMES) as (keyof ClassScores)[];
    const rows = keys.map((key) => [SCORE_NAMES[key], scores[key].toFixed(4)]);
    lines.push("", ...columns([[`against ${about.label}`, "score"], ...rows]));
  }
  const more = verbose
    ? [
        ["data", `${about.source}, ${plural(about.rows, "row")} x ${plural(about.features, "feature")}`],
        ["scaling", about.scaling],
        ["method", `${method}, ${plural(clusters, "cluster")}${seed === null ? "" : `, seed ${seed}`}`],
        ...facts.map(([name, text]) => [name, text]),
        ["solver", solverText(proof)],
        ["time", `${duration(about.seconds)} (reading ${duration(about.readSeconds)})`],
        [
          "engine",
          about.threads === null ? about.engine : `${about.engine}, ${plural(about.threads, "thread")}`,
        ],
      ]
    : [
        // What the default tried is told with --verbose; a method that was named speaks for itself.
        ...facts.filter(([name]) => method !== "auto" || OF_ANSWER.has(name)).map((fact) => [...fact]),
        ...(proof.converged ? [] : [["solver", solverText(proof)]]),
        ...(leftOut === undefined ? [] : [["left out", leftOut]]),
      ];
  const told = [...more, ...noteFacts([...notes, ...about.notes])];
  if (told.length > 0) lines.push("", ...columns(told, "   "));
  return `${[...lines, ...after].join("\n")}\n`;
}

/** What the default says of other answers. */
const OF_ANSWER: ReadonlySet<string> = new Set(["also plausible", "equal weights"]);

interface ClusterTextOptions {
  /** Also how the result came about. */
  readonly verbose: boolean;
  readonly next: NextCommands;
}

/** Commands that may follow, and what for. */
export type NextCommands = readonly (readonly [why: string, command: string])[];

/** Commands are not wrapped, so that they can be copied. */
function nextLines(next: NextCommands): string[] {
  const width = Math.max(...next.map(([why]) => why.length));
  return ["Next", ...next.map(([why, command]) => `  ${why.padEnd(width)}  ${command}`)];
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
  const told = profiles.some(({ differences }) => differences.length > 0);
  // Beside classes there is no room for words.
  const beside = told && shown.length === 0;
  const wordsOf = (k: number): string[] => (beside ? [clusterWords(profiles[k])] : []);
  const kept = Array.from(sizes.keys()).slice(0, SHOWN_CLUSTERS);
  const table = columns([
    [
      "cluster",
      "rows",
      "share",
      ...shown.map((name) => (name === "" ? "unknown" : `${label} ${name}`)),
      ...(beside ? ["what sets it apart"] : []),
    ],
    ...kept.map((k) => [
      String(k),
      String(sizes[k]),
      `${((100 * sizes[k]) / n).toFixed(1)} %`,
      ...shown.map((name) => String(counts.get(name)![k])),
      ...wordsOf(k),
    ]),
  ]);
  const none = labels.reduce((count, value) => count + (value < 0 ? 1 : 0), 0);
  return [
    ...table,
    ...(none > 0 ? [`${plural(none, "row")} in no cluster`] : []),
    ...(sizes.length > kept.length
      ? [`and ${sizes.length - kept.length} more clusters (--json has all)`]
      : []),
    ...(told && !beside ? ["", ...columns(kept.map((k) => [String(k), clusterWords(profiles[k])]))] : []),
  ];
}

/** The name, and the columns; the rows have a column of their own. */
function clusterWords(profile: Profile | undefined): string {
  if (profile === undefined) return "";
  const words = profile.words.replace(/^\d+ of \d+ rows(?:; )?/, "");
  return words === "" ? profile.name : apart(profile.name, words);
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
