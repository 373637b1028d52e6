import { columns } from "./columns.ts";

/** What `kindred cluster --json` prints, field by field (docs/cli.md). */
export interface ClusterResult {
  readonly method: string;
  readonly clusters: number;
  /** One per row, in the order of the rows. */
  readonly labels: readonly number[];
  readonly sizes: readonly number[];
  readonly scores: Scores | null;
  readonly converged: boolean;
  readonly iterations: number | null;
  readonly objective: number | null;
  readonly certificate: object | null;
  /** What only this method has to say. */
  readonly details: object | null;
  readonly warnings: readonly string[];
  /** The clustering alone. */
  readonly seconds: number;
  readonly readSeconds: number;
  readonly seed: number | null;
  readonly scaling: {
    readonly kind: string;
    readonly batch: string | null;
    readonly dropped: readonly string[];
  };
  readonly data: {
    readonly source: string;
    readonly rows: number;
    readonly features: number;
    readonly label: string | null;
    readonly notes: readonly string[];
  };
  readonly engine: string;
  /** Null where the engine is on other machines. */
  readonly threads: number | null;
}

export interface Scores {
  readonly rand: number;
  readonly adjustedRand: number;
  readonly nmi: number;
  readonly accuracy: number;
  readonly purity: number;
}

export const SCORE_NAMES: Record<keyof Scores, string> = {
  rand: "Rand",
  adjustedRand: "adjusted Rand",
  nmi: "NMI",
  accuracy: "accuracy",
  purity: "purity",
};

/** Classes that get a column of their own, and clusters that get a row. */
const SHOWN_CLASSES = 8;
const SHOWN_CLUSTERS = 30;

/** The result for people. `classes` is the known class of each row, if there is one. */
export function clusterReport(
  result: ClusterResult,
  classes: readonly string[] | undefined,
  details: readonly (readonly [string, string])[] = [],
): string {
  const lines = [
    ...columns(
      [
        ["data", `${result.data.source}, ${result.data.rows} rows x ${result.data.features} features`],
        ["scaling", scalingName(result)],
        ["method", `${result.method}, ${plural(result.clusters, "cluster")}${seeded(result)}`],
        ["result", outcome(result)],
        ...details.map(([name, text]) => [name, text]),
        ["time", `${duration(result.seconds)} (reading ${duration(result.readSeconds)})`],
        ["engine", engineLine(result)],
        ...result.data.notes.map((note) => ["note", note]),
        ...result.warnings.map((warning) => ["warning", warning]),
      ],
      "   ",
    ),
    "",
    ...sizes(result, classes),
  ];
  const { scores } = result;
  if (scores !== null) {
    const keys = Object.keys(SCORE_NAMES) as (keyof Scores)[];
    const rows = keys.map((key) => [SCORE_NAMES[key], scores[key].toFixed(4)]);
    lines.push("", ...columns([[`against ${result.data.label}`, "score"], ...rows]));
  }
  return `${lines.join("\n")}\n`;
}

function engineLine({ engine, threads }: ClusterResult): string {
  return threads === null ? engine : `${engine}, ${plural(threads, "thread")}`;
}

export function scalingName({ scaling: { kind, batch } }: ClusterResult): string {
  const said = { zscore: "z-score", minmax: "min-max", none: "none" }[kind] ?? kind;
  return batch === null ? said : `${said}, within each ${batch}`;
}

function seeded({ seed }: ClusterResult): string {
  return seed === null ? "" : `, seed ${seed}`;
}

function outcome({ converged, iterations, objective }: ClusterResult): string {
  const parts = [converged ? "converged" : "NOT converged"];
  if (iterations !== null) parts[0] += ` after ${plural(iterations, "iteration")}`;
  if (objective !== null) parts.push(`objective ${Number(objective.toPrecision(8))}`);
  return parts.join(", ");
}

/** One row per cluster: its size and how many rows of each known class it holds. */
function sizes({ sizes, labels, data }: ClusterResult, classes: readonly string[] | undefined): string[] {
  const n = data.rows;
  const counts = new Map<string, Int32Array>();
  classes?.forEach((name, i) => {
    let count = counts.get(name);
    if (count === undefined) counts.set(name, (count = new Int32Array(sizes.length)));
    count[labels[i]]++;
  });
  const shown =
    counts.size <= SHOWN_CLASSES
      ? [...counts.keys()].toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
      : [];
  const order = Array.from(sizes.keys());
  const kept = order.slice(0, SHOWN_CLUSTERS);
  const lines = columns([
    ["cluster", "rows", "share", ...shown.map((name) => (name === "" ? "unknown" : `${data.label} ${name}`))],
    ...kept.map((k) => [
      String(k),
      String(sizes[k]),
      `${((100 * sizes[k]) / n).toFixed(1)} %`,
      ...shown.map((name) => String(counts.get(name)![k])),
    ]),
  ]);
  if (order.length > kept.length)
    lines.push(`and ${order.length - kept.length} more clusters (--json has all)`);
  return lines;
}

export function duration(seconds: number): string {
  return seconds < 0.9995 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(2)} s`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
