import { matrix, symmetricEigen, takeColumns } from "kindred/matrix";
import { clusterPage } from "kindred/report";
import { allScores } from "kindred/score";
import { version } from "../../package.json";
import type { ReportQuestion } from "../protocol.ts";
import { scaledRows } from "./solve.ts";

/** The self-contained page about the clustering on the screen. */
export function report(asked: ReportQuestion): string {
  const { table, solution, command, code } = asked;
  const { scaled, columns } = scaledRows(asked);
  const { X, names } = scaled;
  const raw = takeColumns(matrix(table.rows, table.names.length, table.values), columns);
  const { metric } = solution;
  const scores = table.label === undefined ? undefined : allScores(solution.labels, table.label.values);
  return clusterPage({
    source: table.source,
    method: asked.method,
    labels: solution.labels,
    sizes: solution.sizes,
    X,
    names,
    values: { X: raw, names },
    ...(table.ids !== undefined && { rowName: (row: number) => table.ids!.values[row] }),
    made: [
      ["scaling", asked.scale],
      ["seed", String(asked.seed)],
      ["hints", `${asked.same.length} same, ${asked.different.length} different`],
      ...solution.facts,
    ],
    converged: solution.converged,
    warnings: solution.warnings,
    notes: table.notes,
    ...(table.label !== undefined && { classes: table.label }),
    ...(scores !== undefined && {
      scores: [
        ["adjusted Rand", scores.adjustedRand],
        ["NMI", scores.nmi],
        ["accuracy", scores.accuracy],
      ] as const,
    }),
    ...(metric !== undefined && { drawing: { metric: drawnMetric(metric, X.cols) } }),
    command,
    code,
    version,
  });
}

function drawnMetric(
  values: Float64Array,
  d: number,
): object & {
  matrix: ReturnType<typeof matrix>;
  relevance: number[];
  eigenvalues: Float64Array;
} {
  const M = matrix(d, d, values);
  const trace = Array.from({ length: d }, (_, f) => values[f * d + f]);
  const sum = trace.reduce((all, value) => all + value, 0) || 1;
  return { matrix: M, relevance: trace.map((value) => value / sum), eigenvalues: symmetricEigen(M).values };
}
