import type { Command } from "commander";
import { convexPath, convexPathOptions, type ConvexPath, type Norm } from "../../recipes/index.ts";
import type { Note } from "../../core/index.ts";
import { optionError, plural, requireRows } from "../../core/internal.ts";
import { scale } from "../../data/index.ts";
import { toRows, type Matrix } from "../../matrix/index.ts";
import { centerPlane, clusterpathPlot, type CenterPlane } from "../../report/index.ts";
import type { RowsRequest } from "../../run/index.ts";
import { ownOptions, readRows, sourcesOf, spaceText } from "../../run/internal.ts";
import { valueOf, addEngineWords, addTableWords, DATA_HELP, methodFlags } from "../options/words.ts";
import { decisions } from "../output/columnText.ts";
import { columns, factLines, withProgress } from "../output/terminal.ts";
import { openOutputs } from "../output/outputs.ts";

type PathFlags = RowsRequest & {
  readonly norm?: Norm;
  readonly gammas?: readonly number[];
  readonly centers?: boolean;
  readonly json?: boolean;
};

/** The centres and the duals at one gamma. */
interface Solution {
  readonly U: number[][];
  readonly Z: number[][];
}

const RULES = convexPathOptions;

export function define(command: Command): void {
  command.argument("[data...]", DATA_HELP);
  for (const flag of methodFlags(RULES)) command.addOption(flag);
  command.option(
    "--gammas <list>",
    "use exactly these gammas, separated by commas",
    valueOf({ kind: "numbers", min: 0 }),
  );
  addTableWords(command);
  addEngineWords(command);
  command
    .option("--json", "print the path as one JSON object")
    .option("--centers", "with --json or --out: the centres, the edges and their duals at every gamma")
    .option("--out <file>", "write the path as JSON")
    .option("--svg <file>", "draw the paths of the centres in the plane of two principal components")
    .action((given: readonly string[], flags: PathFlags) => path(command, given, flags));
}

async function path(command: Command, given: readonly string[], flags: PathFlags): Promise<void> {
  const outputs = await openOutputs(command, ["out", "svg"]);
  if (flags.centers === true && flags.json !== true && !outputs.has("out")) {
    throw optionError("--centers adds to the JSON object: also give --json or --out FILE");
  }
  const { X, space, prepared, notes } = await withProgress((onProgress) =>
    readRows(sourcesOf(given, flags), flags, onProgress),
  );
  const { source } = prepared.table;
  requireRows(source, X.rows);
  // As in convexPath: without constant columns.
  const { X: varying, kept } = scale(X, "none");
  const view = !outputs.has("svg") ? undefined : centerPlane(varying);
  const places = new Map<number, Matrix>();
  const solutions = new Map<number, Solution>();
  const found = await withProgress((onProgress) =>
    convexPath(X, {
      ...ownOptions(RULES, flags),
      gammas: flags.gammas,
      scale: "none",
      onProgress,
      onStep: ({ gamma }, U, Z) => {
        if (view !== undefined && gamma > 0) places.set(gamma, view.project(U, gamma));
        if (flags.centers === true) solutions.set(gamma, { U: toRows(U), Z: toRows(Z) });
      },
    }),
  );
  const columnsKept = kept.map((j) => prepared.names[j]);
  const json = (): object =>
    pathJson(found, source, spaceText(space), notes, flags, { columns: columnsKept, solutions });
  if (outputs.has("out")) await outputs.write("out", [`${JSON.stringify(json())}\n`]);
  if (view !== undefined) await outputs.write("svg", [drawnPath(found, varying, view, places)]);
  await outputs.answer({
    json,
    text: () => [...decisions(prepared), pathReport(found, source, notes)].join(""),
  });
}

/**
 * The path, from large to small gamma; `fusions` is a merge table (rows first, then one cluster per fusion).
 */
function pathJson(
  found: ConvexPath,
  source: string,
  scaling: string,
  notes: readonly Note[],
  { norm = 1, centers }: PathFlags,
  kept: { readonly columns: readonly string[]; readonly solutions: ReadonlyMap<number, Solution> },
): object {
  const { steps, fusions, splits, gaps, graph, components, availableCounts, converged, warnings } = found;
  return {
    source,
    scaling,
    norm: String(norm),
    graph: { nodes: graph.nodes, edges: graph.from.length, components },
    gammas: steps.map((step) => step.gamma),
    clusters: steps.map((step) => step.clusters),
    relativeGaps: steps.map((step) => step.certificate.relativeGap),
    objectives: steps.map((step) => step.certificate.primal),
    partitions: steps.map((step) => Array.from(step.labels)),
    fusions: fusions.map(({ a, b, gamma, size }) => [a, b, gamma, size]),
    splits,
    gaps,
    availableCounts,
    converged,
    ...(centers === true && {
      edges: Array.from(graph.from, (i, e) => [i, graph.to[e], graph.weights[e]]),
      columns: kept.columns,
      centers: steps.map((step) => kept.solutions.get(step.gamma)!.U),
      duals: steps.map((step) => kept.solutions.get(step.gamma)!.Z),
    }),
    notes,
    warnings,
  };
}

/** Colours of the picture; rows of smaller clusters are grey. */
const COLOURS = 24;

/**
 * The clusters at the end of the path or, if that is a single cluster, those that last longest: the largest
 * have colours.
 */
function drawnPath(
  { steps, gaps, components }: ConvexPath,
  X: Matrix,
  view: CenterPlane,
  places: ReadonlyMap<number, Matrix>,
): string {
  const lasting = gaps.filter(({ clusters }) => clusters > 1).sort((a, b) => b.length - a.length);
  const count = components > 1 || lasting.length === 0 ? components : lasting[0].clusters;
  const { labels, sizes } = steps.find(({ clusters }) => clusters === count) ?? steps[0];
  const bySize = Array.from(sizes, (_, k) => k).sort((a, b) => sizes[b] - sizes[a] || a - b);
  const rank = new Int32Array(sizes.length).fill(-1);
  for (const [r, k] of bySize.slice(0, COLOURS).entries()) if (sizes[k] > 1) rank[k] = r;
  const gammas = [...places.keys()].sort((a, b) => a - b);
  const markup = clusterpathPlot(
    {
      places: [view.project(X, gammas[0] ?? 1), ...gammas.map((gamma) => places.get(gamma)!)],
      labels: labels.map((k) => rank[k]),
      axes: view.axes,
    },
    true,
  );
  return `${markup.markup}\n`;
}

const SHOWN = 40;

function pathReport(
  { steps, gaps, graph, components, converged, warnings }: ConvexPath,
  source: string,
  notes: readonly Note[],
): string {
  const proof = Math.max(...steps.map((step) => step.certificate.relativeGap));
  // A number of clusters at a single gamma is no gap, and the components are at the end of every path.
  const longest = gaps
    .filter(({ clusters, length }) => clusters > components && length > 0)
    .sort((a, b) => b.length - a.length);
  const head: string[][] = [
    ["data", `${source}, ${graph.nodes} rows`],
    ["graph", `${graph.from.length} edges, ${plural(components, "component")}`],
    [
      "path",
      `${steps.length} gammas, ${converged ? "every solve" : "NOT every solve"} proven, gap at most ${proof.toExponential(1)}`,
    ],
  ];
  if (longest.length > 0) {
    const { clusters, from, to } = longest[0];
    head.push(["longest gap", `${clusters} clusters, gamma ${short(from)} to ${short(to)}`]);
  }
  const every = Math.ceil(steps.length / SHOWN);
  const rows = steps
    .filter((_, s) => s % every === 0 || s === steps.length - 1)
    .map(({ gamma, clusters, sizes }) => [short(gamma), String(clusters), largest(sizes)]);
  const lines = [
    ...factLines(head, notes, warnings),
    "",
    ...columns([["gamma", "clusters", "largest"], ...rows]),
  ];
  return `${lines.join("\n")}\n`;
}

function largest(sizes: Int32Array): string {
  const shown = Array.from(sizes.toSorted().reverse().slice(0, 6)).join(" ");
  return sizes.length > 6 ? `${shown} ...` : shown;
}

function short(value: number): string {
  return String(Number(value.toPrecision(5)));
}
