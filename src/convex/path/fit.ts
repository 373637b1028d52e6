import { progressGate } from "../../core/internal.ts";
import { components, type Edges } from "../../graph/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import { valueOrder, equalRows } from "../../matrix/internal.ts";
import { bigSize, countBig } from "./assignment.ts";
import {
  better,
  type Candidate,
  candidatesAt,
  foreignCandidate,
  type Judge,
  persistentCount,
  strictCandidate,
} from "./candidates.ts";
import { clusterPath, describe, type Nodes, type Path, type PathStep, type Solved } from "./path.ts";
import type { Common } from "./setting.ts";

/** A problem with everything fixed but gamma. */
export interface Family<S extends Solved> extends Nodes {
  /** Bounds on the gamma at which every component of the graph is one cluster. */
  readonly bounds: { readonly lower: number; readonly upper: number };
  readonly solve: (gamma: number, start?: S) => S;
}

/** The chosen gamma, its solution, and all candidates. */
export interface Fit<S extends Solved> {
  readonly chosen: Candidate;
  readonly solution: S;
  readonly step: PathStep;
  readonly path: Path;
  /** One or two for each gamma that offers K clusters, from large gamma to small. */
  readonly candidates: readonly Candidate[];
  readonly warnings: readonly string[];
}

/** Follows the path (or solves at the one gamma given) and chooses among its partitions (assignment.ts). */
export function fitPath<S extends Solved>(family: Family<S>, options: Common, judge: Judge): Fit<S> {
  if (options.gamma !== undefined) return fitGamma(family, options, judge, options.gamma);
  const { clusters } = options;
  const { rows } = judge;
  const warnings: string[] = [];
  const candidates: Candidate[] = [];
  const prefer = (
    best: Choice<S> | undefined,
    step: PathStep,
    wanted: number,
    least?: number,
    solution?: S,
  ) => {
    for (const chosen of candidatesAt(step, wanted, judge, least)) {
      candidates.push(chosen);
      if (better(chosen, best?.chosen, wanted, judge)) best = { chosen, step, ...(solution && { solution }) };
    }
    return best;
  };

  const strict = judge.protocol === "strict";
  const least = clusters === undefined ? 0 : bigSize(rows, clusters);
  let best: Choice<S> | undefined;
  const path = clusterPath<S>({
    ...family,
    ...(options.gammas !== undefined && { gammas: options.gammas }),
    ...(clusters !== undefined && { wanted: clusters }),
    ...(clusters !== undefined && !strict && { level: (step: PathStep) => countBig(step.sizes, least) }),
    ...endOfPath(family.graph, judge.space, strict ? { most: clusters } : { least }),
    progress: progressGate(options.onProgress),
    visit: (step, solution) => {
      if (clusters !== undefined) best = prefer(best, step, clusters, undefined, solution);
    },
  });
  if (!path.complete) {
    warnings.push(
      `the path was stopped early, after ${path.steps.length} gammas; the best of these is returned`,
    );
  }

  const wanted = clusters ?? persistentCount(path.steps, rows);
  // Looking back over the path: the solutions were not kept, so the chosen one is solved again below.
  const review = (threshold?: number): Choice<S> | undefined =>
    path.steps.reduce<Choice<S> | undefined>(
      (found, step) => prefer(found, step, wanted, threshold),
      undefined,
    );
  if (clusters === undefined) best = review();
  // Finally single rows are accepted too: merged to K they are nearer to the request than the finest
  // partition; but equal rows are never separated to reach K.
  const smallest = best === undefined && distinctCount(judge.space) < wanted ? 1.5 : 1;
  for (let threshold = bigSize(rows, wanted); best === undefined && threshold > smallest;) {
    threshold = Math.max(smallest, threshold / 2);
    best = review(threshold);
    if (best === undefined) continue;
    const size = Math.ceil(threshold);
    warnings.push(
      `no gamma gave ${wanted} clusters of at least ${Math.ceil(bigSize(rows, wanted))} rows; ` +
        `components of ${size} ${size === 1 ? "row" : "rows"} were accepted`,
    );
  }
  if (best === undefined) {
    const step = path.steps[path.steps.length - 1];
    best = { chosen: lastResort(step, wanted, judge, warnings, `no gamma of the path gave`), step };
  }
  if (best.chosen.sizes.length !== wanted && strict) {
    const counts = availableCounts(path.steps).join(", ");
    warnings.push(`no gamma gave exactly ${wanted} clusters; the path has ${counts}`);
  }
  candidates.sort((a, b) => b.gamma - a.gamma);
  const solution = best.solution ?? family.solve(best.step.gamma);
  return { chosen: best.chosen, step: best.step, solution, path, candidates, warnings };
}

interface Choice<S> {
  readonly chosen: Candidate;
  readonly step: PathStep;
  readonly solution?: S;
}

/** The numbers of clusters that occur on the path, ascending. */
export function availableCounts(steps: readonly PathStep[]): number[] {
  return [...new Set(steps.map((step) => step.clusters))].sort((a, b) => a - b);
}

function fitGamma<S extends Solved>(family: Family<S>, options: Common, judge: Judge, gamma: number): Fit<S> {
  const solution = family.solve(gamma);
  const step = describe(family, solution);
  const path: Path = { steps: [step], complete: true };
  const warnings: string[] = [];
  const offered = options.clusters === undefined ? [] : candidatesAt(step, options.clusters, judge);
  let chosen: Candidate;
  if (options.clusters === undefined) chosen = strictCandidate(step, judge);
  else if (offered.length === 0 && judge.hints?.apart !== undefined) {
    chosen = lastResort(step, options.clusters, judge, warnings, `gamma ${gamma} does not give`);
  } else if (offered.length === 0) {
    chosen = strictCandidate(step, judge);
    warnings.push(
      `gamma ${gamma} gives ${step.clusters} components, of which fewer than ${options.clusters} are big; ` +
        `all of them are returned`,
    );
  } else {
    chosen = offered.reduce((a, b) => (better(b, a, options.clusters as number, judge) ? b : a));
  }
  return { chosen, solution, step, path, candidates: offered.length > 0 ? offered : [chosen], warnings };
}

/** The components themselves or, if cannot-links forbid that, constrained k-means. */
function lastResort(
  step: PathStep,
  clusters: number,
  judge: Judge,
  warnings: string[],
  reason: string,
): Candidate {
  const apart = judge.hints?.apart;
  if (apart === undefined) {
    warnings.push(`${reason} ${clusters} clusters; its finest partition is returned`);
    return strictCandidate(step, judge);
  }
  warnings.push(`${reason} ${clusters} clusters that keep the pairs; constrained k-means made them`);
  return foreignCandidate(step, apart.otherwise(judge.space), judge);
}

/** The number of distinct rows. */
export function distinctCount(X: Matrix): number {
  const order = valueOrder(X);
  return order.filter((row, place) => place === 0 || !equalRows(X, order[place - 1], row)).length;
}

/**
 * The path is complete when more than 60 % of the separable rows are separate; if only big components matter,
 * when they hold less than 35 % of their initial rows; if exactly K are wanted, when there are far more than
 * K.
 */
function endOfPath(
  graph: Edges,
  X: Matrix,
  { least = 0, most: wanted = Infinity }: { readonly least?: number; readonly most?: number },
): { enough: (step: PathStep) => boolean; ending?: (step: PathStep) => boolean } {
  const parts = components(graph).count;
  // Duplicate rows need not separate at any gamma.
  const most = Math.max(parts, Math.min(graph.nodes, distinctCount(X)));
  const end = Math.min(parts + 0.6 * (most - parts), Math.max(parts, wanted) + 10 * wanted);
  let first = 0;
  const covered = ({ sizes }: PathStep): number => {
    let rows = 0;
    for (const size of sizes) if (size >= least) rows += size;
    first = Math.max(first, rows);
    return rows;
  };
  return {
    enough: (step) => {
      const left = covered(step);
      return step.clusters >= end || step.gamma === 0 || (least > 0 && left < 0.35 * first);
    },
    ...(least > 0 && { ending: (step) => covered(step) < ENDING * first }),
  };
}

/** Once the big components hold so much less than at first, they do not last for another long step. */
const ENDING = 0.8;
