import { clusterRun, detailsBy, methodNamed, type AnyOptions, type Run } from "kindred/run";
import { parseValue, type Tree } from "kindred/method";
import { textsOf, type Clustering } from "kindred/model";
import { editWords } from "../app/solve/editWords.ts";
import type {
  Feature,
  OwnValue,
  Solution,
  SolveQuestion,
  TableData,
  Taught,
  Told,
  TreeShown,
} from "../protocol.ts";
import { metricSpace } from "./metricSpace.ts";
import { hintsOf } from "../app/hints/hintsOf.ts";
import { numberRows, rowsKey, spread, spreadView, type NumberRows } from "./rows.ts";
import { notesOf } from "./failure.ts";

/** Clusters the rows like `kindred cluster`, and prepares the views of the page. */
export async function solve(given: SolveQuestion, onProgress: (told: Told) => void): Promise<Solution> {
  const asked = await typed(given);
  const rows = numberRows(asked);
  const { prepared, X } = rows;
  // Answers change what columns count for, not the plain view.
  const { view } = asked.told === true ? numberRows({ ...asked, told: false }).plain : rows.plain;
  const start = performance.now();
  const run = await shownRun(asked, rows, onProgress);
  const seconds = (performance.now() - start) / 1000;
  const { clustering, fitted } = run;
  const { labels } = clustering;
  const used = prepared.rows === undefined ? labels : Int32Array.from(prepared.rows, (row) => labels[row]);
  const metric = fitted.metric?.rows === X.cols && fitted.metric.cols === X.cols ? fitted.metric : undefined;
  const learned = metric === undefined ? undefined : metricSpace(X, prepared.names, { metric, labels: used });
  const values =
    learned === undefined
      ? rows.values
      : spread(Float32Array.from(learned.space.data), learned.space.cols, prepared);
  return {
    method: clustering.method,
    labels,
    sizes: clustering.sizes,
    names: clustering.names,
    converged: clustering.proof.converged,
    ...gapOf(clustering.proof.certificate),
    ...(clustering.trust !== undefined && { trust: clustering.trust }),
    warnings: [...notesOf(clustering.notes), ...run.warnings],
    facts: facts(run),
    seconds,
    columns: prepared.columns,
    features: featuresOf(clustering),
    ...(metric !== undefined && { metric: metric.data }),
    numbers: { values: rows.values, dimensions: X.cols, sources: prepared.sources },
    space: { values, dimensions: (learned?.space ?? X).cols },
    plain: spreadView(view, prepared),
    ...(learned !== undefined && { learned: spreadView(learned.view, prepared) }),
    profiles: clustering.profiles,
    representatives: clustering.representatives,
    ...(fitted.drawing.tree !== undefined && { tree: lastMerges(fitted.drawing.tree, labels) }),
    given: methodNamed(asked.method).needs.labels === "required",
    ...choiceOf(clustering),
    ...taughtBy(run),
    ...(await import("./equivalent.ts")).equivalent(asked, methodNamed(asked.method)),
    // After manual merges or splits, the model is that of the clustering before them.
    model: new Blob([`${JSON.stringify(run.before)}\n`], { type: "application/json" }),
  };
}

function gapOf(certificate: object | null): { gap?: number } {
  const { relativeGap } = (certificate ?? {}) as { relativeGap?: unknown };
  return typeof relativeGap === "number" ? { gap: relativeGap } : {};
}

/** Options in the method's types: the page has them as numbers and words. */
export async function typed(asked: SolveQuestion): Promise<SolveQuestion> {
  if (Object.keys(asked.own).length === 0) return asked;
  const { options } = await methodNamed(asked.method).open();
  const own = Object.entries(asked.own).map(([name, value]) => {
    const control = options[name]?.control;
    const meant = control && parseValue(control, String(value as OwnValue));
    return [name, (meant as OwnValue | undefined) ?? value] as const;
  });
  return { ...asked, own: Object.fromEntries(own) };
}

/** A run with manual changes to its clusters, the clustering before them, and the changes in words. */
export interface ShownRun extends Run {
  readonly before: Clustering;
  readonly byHand: readonly string[];
  readonly warnings: readonly string[];
}

export async function shownRun(
  asked: SolveQuestion,
  rows: NumberRows,
  onProgress: (told: Told) => void = () => {},
): Promise<ShownRun> {
  const found = await runOf(asked, rows, onProgress);
  const before = found.clustering;
  if (asked.edits.length === 0) return { ...found, before, byHand: [], warnings: [] };
  const { edited } = await import("./editing.ts");
  const { run, warnings } = await edited(found, asked, rows, onProgress);
  return { ...run, before, byHand: asked.edits.map(editWords), warnings };
}

let last: { readonly key: string; readonly run: Run } | undefined;

/** The requested clustering; the last one is cached, so its report needs no second run. */
async function runOf(
  asked: SolveQuestion,
  { prepared }: NumberRows,
  onProgress: (told: Told) => void,
): Promise<Run> {
  const { table: _, edits: __, ...rest } = asked;
  const key = `${rowsKey(asked)} ${JSON.stringify(rest)}`;
  if (last?.key === key) return last.run;
  const run = await clusterRun(prepared, {
    ...optionsOf(asked),
    onProgress: ({ fraction, label }: Told) => onProgress({ fraction, label }),
  });
  last = { key, run };
  return run;
}

/** The options of `cluster` beyond those that concern the columns. */
export function optionsOf({
  method,
  clusters,
  seed,
  own,
  same,
  different,
  statements,
  names,
  table,
}: SolveQuestion): AnyOptions {
  const { needs } = methodNamed(method);
  const hints = needs.pairs !== undefined && same.length + different.length + statements.length > 0;
  return {
    method,
    ...own,
    ...(clusters !== undefined && { clusters }),
    seed,
    ...(hints && { hints: hintsOf({ same, different, statements }) }),
    ...(needs.labels === "required" && { labels: knownLabels(table) }),
    ...(names !== undefined && { names }),
  };
}

/** The known classes: the start of a method that needs labels. */
function knownLabels({ columns, label }: TableData): string[] {
  const column = columns.find(({ name }) => name === label);
  if (column === undefined)
    throw new Error("this method starts from “Known classes”: choose the column first");
  return textsOf(column);
}

/** Maximum number of drawn branches of a tree. */
const MOST_MERGES = 39;

/** The last merges of a tree: below them it is folded. Leaves are numbered from 0, then the merges. */
function lastMerges({ merges, rows, height }: Tree, labels: Int32Array): TreeShown {
  const first = Math.max(0, merges.length - MOST_MERGES);
  const drawn = merges.slice(first);
  const members = (name: number): number[] => {
    const found: number[] = [];
    const open = [name];
    while (open.length > 0) {
      const next = open.pop()!;
      if (next < rows) found.push(next);
      else open.push(merges[next - rows].a, merges[next - rows].b);
    }
    return found;
  };
  const leaves: TreeShown["leaves"][number][] = [];
  const places = new Map<number, number>();
  for (const name of drawn.flatMap(({ a, b }) => [a, b])) {
    if (name >= rows + first) continue;
    const own = members(name);
    const cluster = own.every((row) => labels[row] === labels[own[0]]) ? labels[own[0]] : -1;
    places.set(name, leaves.length);
    leaves.push({ size: own.length, row: own[0], cluster });
  }
  drawn.forEach((_, m) => places.set(rows + first + m, leaves.length + m));
  return {
    height,
    leaves,
    merges: drawn.map(({ a, b, height: at }) => ({ a: places.get(a)!, b: places.get(b)!, height: at })),
  };
}

/** Lines that the page shows in its own way. */
const SHOWN_APART: ReadonlySet<string> = new Set(["hints", "columns", "moved", "contradiction", "next", "K"]);

function facts({ fitted, clustering: { proof } }: Run): [string, string][] {
  const list = fitted.facts
    .filter(([name]) => !SHOWN_APART.has(name))
    .map(([name, text]): [string, string] => [name.charAt(0).toUpperCase() + name.slice(1), text]);
  if (proof.objective !== null) list.push(["Objective", String(Number(proof.objective.toPrecision(6)))]);
  if (proof.iterations !== null) list.push(["Iterations", String(proof.iterations)]);
  return list;
}

function featuresOf({ relevance, profiles }: Clustering): Feature[] {
  const explained = new Map<string, number>();
  for (const { differences } of profiles) {
    for (const one of differences) {
      explained.set(one.column, Math.max(one.explained, explained.get(one.column) ?? 0));
    }
  }
  return relevance.map(({ column, share }) => ({
    column,
    weight: share,
    separation: explained.get(column),
  }));
}

/** The findings of the automatic choice about the number of clusters and about rows in no cluster. */
function choiceOf(clustering: Clustering): Pick<Solution, "path" | "outliers"> {
  const details = detailsBy("auto", clustering);
  if (details === undefined) return {};
  const { path, outlierRows } = details;
  return {
    ...(path.length > 1 && { path: path.map(({ clusters, support }) => ({ clusters, support })) }),
    outliers: [...outlierRows],
  };
}

/** By the columns of the table: a category is several numbers but one column. */
function taughtBy({ clustering, prepared }: Run): { taught?: Taught } {
  const details = detailsBy("hints", clustering);
  if (details === undefined) return {};
  const { explained, guarded, moved, contradictions, advice, columns } = details;
  const source = new Map(prepared.names.map((name, f) => [name, prepared.sources[f]]));
  const sums = new Map<string, { before: number; after: number }>();
  for (const { name, before, after } of columns) {
    const column = source.get(name) ?? name;
    const sum = sums.get(column) ?? { before: 0, after: 0 };
    sums.set(column, { before: sum.before + before, after: sum.after + after });
  }
  return {
    taught: {
      answers: explained.answers,
      foreseen: explained.share,
      guarded,
      moved: moved.map(({ row, why }) => ({ row, why })),
      columns: Array.from(sums, ([name, shares]) => ({ name, ...shares })).sort((a, b) => b.after - a.after),
      contradictions,
      // The page names rows, pair by pair.
      advice:
        advice.questions.length === 0
          ? advice.message
          : `about ${Math.round(100 * advice.open)} % of the rows are still undecided; a few more answers would help`,
    },
  };
}
