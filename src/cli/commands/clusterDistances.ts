import type { Command } from "commander";
import {
  affinityPropagation,
  agglomerative,
  communities,
  dbscan,
  genie,
  hdbscan,
  kMedoids,
  optics,
  spectralGraph,
  type Partitioned,
} from "../../cluster/index.ts";
import { note, optionError, plural } from "../../core/internal.ts";
import { type Measure, rowDistances } from "../../features/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import { methodNamed, type Request } from "../../run/index.ts";
import { idsOf, ownOptions, readDistances, readGraph, readInput, sourcesOf } from "../../run/internal.ts";
import { columns, factLines, withProgress } from "../output/terminal.ts";
import { openOutputs } from "../output/outputs.ts";

/** The rows of a request that come as distances, as a graph, or as a table that is measured by name. */
export interface GivenDistances {
  readonly distances?: string;
  readonly edges?: string;
  readonly measure?: Measure;
}

type Options = Readonly<Record<string, unknown>>;
const given = (linkage: "average" | "complete" | "single") => (D: Matrix, options: Options) =>
  agglomerative(D, { ...options, linkage, metric: "precomputed" });

/** What takes distances, by the name of the method. */
const BY_DISTANCES: Readonly<Record<string, (D: Matrix, options: Options) => Partitioned>> = {
  hdbscan: (D, options) => hdbscan(D, { ...options, metric: "precomputed" }),
  dbscan: (D, options) => dbscan(D, { ...options, metric: "precomputed" }),
  optics: (D, options) => optics(D, { ...options, metric: "precomputed" }),
  average: given("average"),
  complete: given("complete"),
  single: given("single"),
  genie: (D, options) => genie(D, { ...(options as { clusters: number }), metric: "precomputed" }),
  "k-medoids": (D, options) => kMedoids(D, { ...(options as { clusters: number }), metric: "precomputed" }),
  "affinity-propagation": (D, options) => affinityPropagation(D, { ...options, metric: "precomputed" }),
};

const BY_GRAPH: Readonly<
  Record<string, (graph: Parameters<typeof communities>[0], options: Options) => Partitioned>
> = {
  leiden: communities,
  spectral: (graph, { clusters, seed }) =>
    spectralGraph(graph, { clusters: clusters as number, seed: seed as number }),
};

/** Clusters rows by the distances between them; there are no columns, so there is no model and no page. */
export async function clusterDistances(
  command: Command,
  sources: readonly string[],
  words: Options & GivenDistances,
): Promise<void> {
  const { distances, edges, measure, clusters, seed } = words;
  const asked = [distances, edges, measure].filter((value) => value !== undefined).length;
  if (asked > 1) throw optionError("give one of --distances, --edges and --measure");
  if (measure === undefined && sources.length > 0) {
    throw optionError(
      `--${edges === undefined ? "distances" : "edges"} names the file itself; leave out ${sources[0]}`,
    );
  }
  for (const name of ["model", "report", "hints", "stream", "engine", "append"]) {
    if (command.getOptionValue(name) !== undefined)
      throw optionError(`--${name} needs columns, and distances have none; leave it out`);
  }
  const usual = edges !== undefined ? "leiden" : clusters === undefined ? "hdbscan" : "average";
  const named = command.getOptionValueSource("method") === "cli" ? (words.method as string) : usual;
  const { name } = methodNamed(named);
  const able = edges === undefined ? BY_DISTANCES : BY_GRAPH;
  if (!Object.hasOwn(able, name)) {
    const what = edges === undefined ? "distances" : "a graph";
    throw optionError(`--method ${name} takes no ${what}; ${Object.keys(able).join(", ")} do`);
  }
  const { options: rules } = await methodNamed(name).open();
  // Edges that are given are not made of neighbours.
  const { neighbors: _, graph: __, ...ofRows } = rules;
  const own: Options = {
    ...ownOptions(ofRows, words as Request),
    ...(clusters !== undefined && { clusters }),
    ...(seed !== undefined && "seed" in rules && { seed }),
  };
  if (clusters === undefined && methodNamed(name).needs.clusters === "required") {
    throw optionError(`${name} needs --clusters, the number of clusters`);
  }
  const outputs = await openOutputs(command, ["out"]);
  const started = performance.now();
  const read = await rowsOf(words, sources);
  const readSeconds = (performance.now() - started) / 1000;
  const fit = await withProgress(() =>
    read.graph !== undefined ? BY_GRAPH[name](read.graph, own) : BY_DISTANCES[name](read.D, own),
  );
  const { labels, sizes } = fit;
  const seconds = (performance.now() - started) / 1000 - readSeconds;
  const central = read.D !== undefined ? centralRows(read.D, labels, fit.clusters) : undefined;
  const rowNames = read.names;
  await outputs.writeTable("out", {
    ids: { name: "row", values: rowNames },
    columns: [{ name: "cluster", values: labels }],
  });
  const names = Array.from(sizes, (_, k) =>
    central === undefined ? `${k + 1}` : `like ${rowNames[central[k]]}`,
  );
  const none = labels.filter((label) => label < 0).length;
  const {
    objective = null,
    iterations = null,
    certificate = null,
  } = fit as {
    readonly objective?: number;
    readonly iterations?: number;
    readonly certificate?: object;
  } & Partitioned;
  await outputs.answer({
    json: () => ({
      method: name,
      clusters: fit.clusters,
      labels: Array.from(labels),
      sizes: Array.from(sizes),
      names,
      scores: null,
      converged: fit.converged,
      objective,
      iterations,
      certificate,
      trust: null,
      relevance: [],
      profiles: [],
      representatives: [],
      details: {},
      notes: fit.warnings.map((message) => note("warning", message)),
      seconds,
      readSeconds,
      seed: seed ?? null,
      scaling: "none",
      data: { source: read.source, rows: rowNames.length, features: 0, label: null, columns: [] },
      engine: "memory",
      threads: null,
    }),
    text: () =>
      [
        ...factLines(
          [
            ["data", `${read.source}, ${plural(rowNames.length, "row")}${read.told}`],
            ["method", name],
            ["result", `${plural(fit.clusters, "cluster")}${none > 0 ? `, ${none} rows in none` : ""}`],
          ],
          [],
          fit.warnings,
        ),
        "",
        ...columns([
          ["cluster", "rows", ...(central === undefined ? [] : ["most central row"])],
          ...Array.from(sizes, (size, k) => [
            String(k),
            String(size),
            ...(central === undefined ? [] : [rowNames[central[k]]]),
          ]),
        ]),
        "",
      ].join("\n"),
  });
}

async function rowsOf(
  { distances, edges, measure, use, id, ...words }: Options & GivenDistances,
  sources: readonly string[],
) {
  if (edges !== undefined) return { ...(await readGraph(edges)), D: undefined, told: " as nodes of a graph" };
  if (distances !== undefined) {
    const read = await readDistances(distances);
    return {
      ...read,
      told: `, distances as ${read.form === "edge list" ? "an edge list" : `a ${read.form} matrix`}`,
    };
  }
  const request = { ...words, ...(id !== undefined && { id }) } as Request;
  const { table } = await withProgress((onProgress) =>
    readInput(sourcesOf(sources, request), request, onProgress),
  );
  const ignored = new Set([
    ...((words.ignore as readonly string[]) ?? []),
    id as string,
    words.label as string,
  ]);
  const kept = { ...table, columns: table.columns.filter(({ name }) => !ignored.has(name)) };
  const D = rowDistances(kept, {
    measure: measure!,
    ...(use !== undefined && { use: use as readonly string[] }),
  });
  const ids = idsOf(table, id as string | undefined)?.values;
  const names = ids ?? Array.from({ length: table.rows }, (_, i) => String(i));
  return { D, graph: undefined, names, source: table.source, told: `, ${measure} distances` };
}

/** The row of each cluster with the least sum of distances to the others in it. */
function centralRows(D: Matrix, labels: Int32Array, clusters: number): number[] {
  return Array.from({ length: clusters }, (_, k) => {
    const own = Array.from(labels.keys()).filter((i) => labels[i] === k);
    const total = (i: number): number => own.reduce((sum, j) => sum + D.data[i * D.cols + j], 0);
    const totals = own.map(total);
    return own[totals.indexOf(Math.min(...totals))];
  });
}
