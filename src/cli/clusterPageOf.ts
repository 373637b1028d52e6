import { existsSync } from "node:fs";
import type { Scaled, NumberTable } from "../data/index.ts";
import { isSparse, type Matrix, type Sparse, toDense } from "../matrix/index.ts";
import { clusterPage } from "../report/index.ts";
import { type ClusterResult, duration, scalingName, SCORE_NAMES, type Scores } from "./clusterReport.ts";
import { equivalentCode } from "./equivalentCode.ts";
import type { InputOptions } from "./input.ts";
import type { Clustering } from "./methods.ts";
import { version } from "./manifest.ts";

interface Finished {
  readonly result: ClusterResult;
  readonly fitted: Clustering;
  readonly table: NumberTable;
  /** The rows as they were clustered. */
  readonly scaled: Pick<Scaled<Matrix | Sparse>, "X" | "names">;
  readonly source: string;
  readonly options: InputOptions & { readonly metric?: string };
  /** The command line after `kindred`. */
  readonly args: readonly string[];
}

/** Numbers up to which sparse rows are written out to be drawn. */
const MOST_NUMBERS = 2e7;

/** The page of `kindred cluster --report`. */
export function clusterPageOf({ result, fitted, table, scaled, source, options, args }: Finished): string {
  const X = drawable(scaled.X);
  const values = drawable(table.X);
  const { ids } = table;
  const { scores } = result;
  const classes =
    options.label === undefined || table.label === undefined
      ? undefined
      : { name: table.label.name, values: table.label.values };
  return clusterPage({
    source: result.data.source,
    method: result.method,
    labels: result.labels,
    sizes: result.sizes,
    ...(X !== undefined && { X }),
    names: scaled.names,
    ...(values !== undefined && { values: { X: values, names: table.names } }),
    ...(ids !== undefined && { rowName: (row: number) => String(ids.values[row]) }),
    made: [
      ...(fitted.details?.lines ?? []),
      ["scaling", scalingName(result)],
      ...(result.seed === null ? [] : [["seed", String(result.seed)] as const]),
      ["time", `${duration(result.seconds)} (reading ${duration(result.readSeconds)})`],
      ["engine", result.engine],
    ],
    converged: result.converged,
    ...(result.iterations !== null && { iterations: result.iterations }),
    ...(result.objective !== null && { objective: result.objective }),
    ...(result.certificate !== null && { certificate: result.certificate }),
    warnings: result.warnings,
    notes: result.data.notes,
    ...(classes !== undefined && { classes }),
    ...(scores !== null && {
      scores: (Object.keys(SCORE_NAMES) as (keyof Scores)[]).map(
        (key) => [SCORE_NAMES[key], scores[key]] as const,
      ),
    }),
    ...(fitted.drawing !== undefined && { drawing: fitted.drawing }),
    command: `kindred ${args.map(quoted).join(" ")}`,
    ...codeOf(result, fitted, source, options),
    version: version(),
  });
}

function codeOf(
  { scaling }: ClusterResult,
  fitted: Clustering,
  source: string,
  options: Finished["options"],
): { code?: string } {
  if (options.metric !== undefined || options.batch !== undefined) return {};
  const { label, id, ignore, missing, format, header, decimal, delimiter, categorical } = options;
  const named = !existsSync(source);
  if (named && (ignore ?? missing) !== undefined) return {};
  const reading = { label, id, ignore, missing, format, header, decimal, delimiter, categorical };
  const code = equivalentCode({ source, named, reading, scale: scaling.kind }, fitted.call);
  return code === undefined ? {} : { code };
}

function drawable(X: Matrix | Sparse): Matrix | undefined {
  if (!isSparse(X)) return X;
  return X.rows * X.cols <= MOST_NUMBERS ? toDense(X) : undefined;
}

function quoted(argument: string): string {
  return /^[\w./:=,@%+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
