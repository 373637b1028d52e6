import { engine } from "../../matrix/index.ts";
import { isMahalanobis, type AnyMetric } from "../../metric/index.ts";
import type { LearnedMetric } from "../../rows/index.ts";
import { spaceText } from "../../run/internal.ts";
import { columns } from "./columns.ts";
import { noteFacts, noteLine } from "./noteLine.ts";

/** The output of `kindred metric --json`. */
export function metricSummary({ metric, relevance, notes, seconds, engine: tables }: LearnedMetric): object {
  const { method, warnings } = metric;
  return {
    method,
    ...(isMahalanobis(metric) && { rank: metric.rank, condition: metric.condition }),
    relevance: Object.fromEntries(relevance.map(({ column, share }) => [column, share])),
    ...("strengths" in metric
      ? { learners: metric.strengths.length, pairError: metric.pairError }
      : {
          converged: metric.converged,
          iterations: metric.iterations,
          objective: metric.objective ?? null,
          certificate: metric.certificate,
          threshold: metric.threshold ?? null,
        }),
    warnings,
    notes: notes.map(noteLine),
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
    ...factsOf(metric),
    [
      "time",
      `${(1000 * learned.seconds).toFixed(1)} ms${learned.engine === undefined ? `, engine ${engine().name}` : ""}`,
    ],
    ...(learned.engine === undefined ? [] : [["engine", learned.engine]]),
    ...noteFacts(learned.notes),
    ...metric.warnings.map((warning) => ["warning", warning]),
  ];
  const shown = relevance.slice(0, 20);
  const bars = shown.map(({ column, share }) => [
    column,
    `${(100 * share).toFixed(1)} %`,
    "#".repeat(Math.round(40 * share)),
  ]);
  const lines = columns(facts, "   ");
  if (bars.length > 0) lines.push("", ...columns([["column", "relevance", ""], ...bars]));
  if (relevance.length > shown.length)
    lines.push(`and ${relevance.length - shown.length} more columns (--json has all)`);
  return `${lines.join("\n")}\n`;
}

/** The kind of the metric, and its fit. */
function factsOf(metric: AnyMetric): string[][] {
  if ("strengths" in metric) {
    const { method, strengths, components, pairError } = metric;
    return [
      ["metric", `${method}, ${strengths.length} mixtures of ${components} components`],
      ["result", `${(100 * pairError).toFixed(1)} % of the pairs on the wrong side`],
      ["same", "distance at most 0.5"],
    ];
  }
  const { method, converged, iterations, objective, certificate, threshold } = metric;
  const kind = isMahalanobis(metric)
    ? `rank ${metric.rank}, condition ${Number(metric.condition.toPrecision(3))}`
    : `${metric.kernel.kind} kernel of ${metric.rows.rows} rows, ${metric.coefficients.rows} dimensions`;
  return [
    ["metric", `${method}, ${kind}`],
    [
      "result",
      `${converged ? "converged" : "NOT converged"} after ${iterations} iteration${iterations === 1 ? "" : "s"}` +
        `${objective === undefined ? "" : `, objective ${Number(objective.toPrecision(8))}`}`,
    ],
    ["proof", `${certificate.kind}: ${certificate.residual.toExponential(1)}`],
    ...(threshold === undefined ? [] : [["same", `distance at most ${Number(threshold.toPrecision(4))}`]]),
  ];
}
