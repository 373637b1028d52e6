import { engine } from "../../matrix/index.ts";
import type { LearnedMetric } from "../../rows/index.ts";
import { spaceText } from "./clusterText.ts";
import { columns } from "./columns.ts";

/** What `kindred metric --json` prints. */
export function metricSummary({ metric, relevance, notes, seconds, engine: tables }: LearnedMetric): object {
  const { method, rank, condition, converged, iterations, objective, certificate, threshold, warnings } =
    metric;
  return {
    method,
    rank,
    condition,
    relevance: Object.fromEntries(relevance.map(({ column, share }) => [column, share])),
    converged,
    iterations,
    objective: objective ?? null,
    certificate,
    threshold: threshold ?? null,
    warnings,
    notes,
    seconds,
    engine: tables ?? engine().name,
  };
}

/** The same for people. */
export function metricReport(learned: LearnedMetric): string {
  const { metric, names, space, relevance } = learned;
  const facts = [
    [
      "data",
      `${learned.source}, ${learned.rows} rows x ${names.length} features, scaling ${spaceText(space)}`,
    ],
    ["metric", `${metric.method}, rank ${metric.rank}, condition ${Number(metric.condition.toPrecision(3))}`],
    [
      "result",
      `${metric.converged ? "converged" : "NOT converged"} after ${metric.iterations} iteration${metric.iterations === 1 ? "" : "s"}` +
        `${metric.objective === undefined ? "" : `, objective ${Number(metric.objective.toPrecision(8))}`}`,
    ],
    ["proof", `${metric.certificate.kind}: ${metric.certificate.residual.toExponential(1)}`],
    ...(metric.threshold === undefined
      ? []
      : [["same", `distance at most ${Number(metric.threshold.toPrecision(4))}`]]),
    [
      "time",
      `${(1000 * learned.seconds).toFixed(1)} ms${learned.engine === undefined ? `, engine ${engine().name}` : ""}`,
    ],
    ...(learned.engine === undefined ? [] : [["engine", learned.engine]]),
    ...learned.notes.map((note) => ["note", note]),
    ...metric.warnings.map((warning) => ["warning", warning]),
  ];
  const shown = relevance.slice(0, 20);
  const bars = shown.map(({ column, share }) => [
    column,
    `${(100 * share).toFixed(1)} %`,
    "#".repeat(Math.round(40 * share)),
  ]);
  const lines = [...columns(facts, "   "), "", ...columns([["column", "relevance", ""], ...bars])];
  if (relevance.length > shown.length)
    lines.push(`and ${relevance.length - shown.length} more columns (--json has all)`);
  return `${lines.join("\n")}\n`;
}
