import { existsSync } from "node:fs";
import type { Report, Request } from "../../run/index.ts";
import { idsOf, readingOf, type ClassScores } from "../../run/internal.ts";
import { convexPath } from "../../recipes/index.ts";
import { literalOf, shellWord } from "../../core/internal.ts";
import { scale } from "../../data/index.ts";
import { isSparse, toDense, type Matrix, type Sparse } from "../../matrix/index.ts";
import type { Clustering } from "../../model/index.ts";
import { centerPlane, clusterPage, type Clusterpath, type ClusterRun } from "../../report/index.ts";
import { version } from "../manifest.ts";
import { duration, SCORE_NAMES } from "./clusterText.ts";

/** Numbers up to which sparse rows are made dense for drawing. */
const MOST_NUMBERS = 2e7;

/**
 * The page of `kindred cluster --report`.
 *
 * @param args the command line after `kindred`
 */
export function clusterPageOf(report: Report, request: Request, args: readonly string[]): string {
  const { classes, scores } = report;
  const { clustering, prepared, fitted } = report.run!;
  const { table } = prepared;
  const code = programOf(report, request);
  const X = drawable(prepared.X);
  const { seed } = clustering;
  const clusterpath = X === undefined ? undefined : clusterpathOf(report, X);
  const names = idsOf(table, request.id)?.values;
  return clusterPage({
    source: report.source,
    method: clustering.method,
    labels: prepared.rows === undefined ? clustering.labels : fitted.labels,
    sizes: clustering.sizes,
    ...pageParts(clustering),
    ...(X !== undefined && { X }),
    names: prepared.names,
    table,
    ...(names !== undefined && { rowName: (row: number) => names[row] }),
    made: [
      ...fitted.facts,
      ["scaling", report.scaling],
      ...(seed === null ? [] : [["seed", String(seed)] as const]),
      ["time", `${duration(report.seconds)} (reading ${duration(report.readSeconds)})`],
      ["engine", report.engine],
    ],
    ...(classes !== undefined &&
      request.label !== undefined && { classes: { name: request.label, values: classes } }),
    ...(scores !== null && {
      scores: (Object.keys(SCORE_NAMES) as (keyof ClassScores)[]).map(
        (key) => [SCORE_NAMES[key], scores[key]] as const,
      ),
    }),
    drawing: fitted.drawing,
    ...(clusterpath !== undefined && { clusterpath }),
    command: `kindred ${args.map(shellWord).join(" ")}`,
    ...(code !== undefined && { code }),
    version: version(),
  });
}

/** What the page says of the clustering alone. */
export function pageParts({
  profiles,
  representatives,
  trust,
  proof,
  notes,
}: Clustering): Pick<
  ClusterRun,
  | "profiles"
  | "representatives"
  | "trust"
  | "converged"
  | "iterations"
  | "objective"
  | "certificate"
  | "notes"
> {
  const { converged, iterations, objective, certificate } = proof;
  return {
    profiles,
    representatives,
    trust,
    converged,
    iterations: iterations ?? undefined,
    objective: objective ?? undefined,
    certificate: certificate ?? undefined,
    notes,
  };
}

/** Rows and gammas up to which the path is solved again for drawing. */
const MOST_ROWS = 1500;
const MOST_GAMMAS = 30;
/** Tolerated difference in the numbers of clusters of one problem, as a share of the rows. */
const OTHER = 0.05;

/**
 * The centres of `cc` along its path, solved again at some of its gammas; undefined for another problem
 * (pairs, representatives) or a large one.
 */
function clusterpathOf({ clustering, pairs, run }: Report, X: Matrix): Clusterpath | undefined {
  const { fitted } = run!;
  const path = fitted.drawing?.path;
  const paired = Object.values(pairs ?? {}).some((list) => Array.isArray(list) && list.length > 0);
  if (clustering.method !== "cc" || path === undefined || paired || X.rows > MOST_ROWS) return undefined;
  const every = Math.ceil(path.gammas.length / MOST_GAMMAS);
  const taken = Array.from(path.gammas, (_, g) => g).filter((g) => g % every === 0 && path.gammas[g] > 0);
  if (taken.length < 2) return undefined;
  const { norm, solver, tolerance, neighbors, kind, alpha, rawAlpha, join } = clustering.options as Readonly<
    Record<string, never>
  >;
  const varying = scale(X, "none").X;
  const view = centerPlane(varying);
  const found: Matrix[] = [];
  const { steps } = convexPath(X, {
    norm,
    solver,
    tolerance,
    neighbors,
    kind,
    alpha,
    rawAlpha,
    join,
    gammas: taken.map((g) => path.gammas[g]),
    onStep: ({ gamma }, U) => found.push(view.project(U, gamma)),
  });
  // From large to small gamma, unchanged. Solves stop at a gap, so a few rows may differ; another problem
  // would not pass.
  const differs = ({ clusters }: { readonly clusters: number }, s: number): boolean =>
    Math.abs(clusters - path.clusters[taken[s]]) > OTHER * X.rows;
  if (steps.some(differs)) return undefined;
  const least = path.gammas[taken[taken.length - 1]];
  return {
    places: [view.project(varying, least), ...found.reverse()],
    labels: fitted.labels,
    axes: view.axes,
  };
}

/** The same in a program; undefined if `cluster` alone cannot do it. */
function programOf({ clustering, run, pairs }: Report, request: Request): string | undefined {
  const { label, id, use, ignore, scale, missing, weights, text, adjust, clusters, seed, names } = request;
  const { metric, batch, strict, labels, known } = request;
  const sources = request.rows as readonly string[];
  const numeric = metric !== undefined || batch !== undefined || strict === true || isSparse(run!.prepared.X);
  if (numeric || labels !== undefined || known !== undefined || sources.includes("-")) return undefined;
  const { method, options: own } = clustering;
  const isFile = sources.length > 1 || existsSync(sources[0]);
  const source = JSON.stringify(sources.length === 1 ? sources[0] : sources);
  const reading = isFile ? literalOf(readingOf(request)) : literalOf({ folder: request.data });
  const read = isFile ? "readTable" : "namedData";
  const columns = { label: label ?? (isFile ? undefined : "class"), id, use, ignore };
  const features = { scale, missing, weights, text, adjust };
  const given = literalOf({ ...columns, ...features, method, clusters, seed, ...own, names, ...pairs });
  const hints =
    request.hints === undefined
      ? undefined
      : `const hints = await readHints(${JSON.stringify(request.hints)}, table${id === undefined ? "" : `, ${literalOf({ id })}`});`;
  return [
    `import { cluster, ${hints === undefined ? "" : "readHints, "}${read} } from "kindred";`,
    "",
    `const table = await ${read}(${source}${reading === "{}" ? "" : `, ${reading}`});`,
    ...(hints === undefined ? [] : [hints]),
    `const result = await cluster(table, ${hints === undefined ? given : given.replace(/ }$/, ", hints }")});`,
    "console.log(result.labels);",
  ].join("\n");
}

/** Rows in the form for pictures. */
export function drawable(X: Matrix | Sparse): Matrix | undefined {
  if (!isSparse(X)) return X;
  return X.rows * X.cols <= MOST_NUMBERS ? toDense(X) : undefined;
}
