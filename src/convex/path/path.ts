import { progressGate, type ProgressGate } from "../../core/internal.ts";
import { components, type Components, type Edges } from "../../graph/index.ts";
import type { Certificate } from "../solve/problem.ts";

/**
 * The clusterpath: one convex problem at many gammas, from complete fusion of every component of the graph
 * downwards.
 *
 * The step in log gamma is even where clusters form and long where nothing changes: an interval whose ends
 * differ in `level` (for a path: the number of clusters) is halved until its ends are at most `ratio` apart,
 * and further if the level jumps over a wanted one. The number of big components can rise and fall again,
 * so an interval is also halved if its lower end holds far fewer rows in them.
 */
export interface PathStep {
  readonly gamma: number;
  /** Components of the fused edges, including singletons. */
  readonly clusters: number;
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  readonly certificate: Certificate;
  readonly converged: boolean;
  readonly iterations: number;
}

/** The part of a solution that the path needs; the solvers' ConvexSolution has it. */
export interface Solved {
  readonly gamma: number;
  readonly fused: Uint8Array;
  readonly certificate: Certificate;
  readonly converged: boolean;
  readonly iterations: number;
}

/** The data behind the clusters of a solution. */
export interface Nodes {
  readonly graph: Edges;
  /** The node of each row, if nodes represent several rows. */
  readonly group?: Int32Array;
  /** Or, if the rows are elsewhere, the number of rows of each node. */
  readonly masses?: Float64Array;
}

export interface PathPlan<S extends Solved> extends Nodes {
  /** Solves at gamma; `start` is the solution at the next larger gamma. */
  readonly solve: (gamma: number, start?: S) => S;
  /** Bounds on the gamma of complete fusion. */
  readonly bounds: { readonly lower: number; readonly upper: number };
  /** Exactly these gammas instead of a search. */
  readonly gammas?: ArrayLike<number>;
  readonly ratio?: number;
  /** The quantity that controls the spacing; the number of clusters if absent. */
  readonly level?: (step: PathStep) => number;
  /** A level that the path should not jump over. */
  readonly wanted?: number;
  /** Ends the path after this step. */
  readonly enough: (step: PathStep) => boolean;
  /** Whether the end is near: then the middle of a long step is solved, too, and first if that may save the end. */
  readonly ending?: (step: PathStep) => boolean;
  readonly maxSteps?: number;
  /** Receives every step with its solution once, in the order of solving. */
  readonly visit?: (step: PathStep, solution: S) => void;
  readonly progress?: ProgressGate;
}

export interface Path {
  /** From large to small gamma. */
  readonly steps: readonly PathStep[];
  /** The path ended because of `enough`, or all given gammas are done; not by a limit or a stop. */
  readonly complete: boolean;
}

/** Halvings of one interval in search of the wanted level. */
const HALVINGS = 7;
/** The longest step is this power of the ratio. */
const LONGEST = 8;

export function clusterPath<S extends Solved>(plan: PathPlan<S>): Path {
  const { solve, ratio = 1.25, maxSteps = plan.gammas?.length ?? 250, enough, visit } = plan;
  const level = plan.level ?? ((step: PathStep) => step.clusters);
  const progress = plan.progress ?? progressGate(undefined);
  const steps: PathStep[] = [];
  const point = (gamma: number, start?: Point<S>): Point<S> => {
    const solution = solve(gamma, start?.solution);
    return { step: describe(plan, solution), solution };
  };
  const take = (taken: Point<S>): Point<S> => {
    steps.push(taken.step);
    visit?.(taken.step, taken.solution);
    return taken;
  };
  const at = (gamma: number, start?: Point<S>): Point<S> => take(point(gamma, start));
  const going = (): boolean =>
    steps.length < maxSteps &&
    progress({ fraction: Math.min(0.99, steps.length / 60), label: `path, ${steps.length} gammas` });

  if (plan.gammas !== undefined) {
    const descending = Float64Array.from(plan.gammas).sort().reverse();
    let previous: Point<S> | undefined;
    for (const gamma of descending) {
      if (previous !== undefined && !going()) break;
      previous = at(gamma, previous);
    }
    return { steps, complete: steps.length === descending.length };
  }

  const between = (high: Point<S>, low: Point<S>, halvings: number, known?: Point<S>): void => {
    const [above, below] = [level(high.step), level(low.step)];
    const width = high.step.gamma / low.step.gamma;
    const jumps = plan.wanted !== undefined && above < plan.wanted && plan.wanted < below;
    // The same number of big components, but with far fewer rows: some may have appeared and vanished in
    // between.
    const quiet = above === below && !(plan.ending?.(low.step) === true && !plan.ending(high.step));
    if (quiet || !(width > ratio * 1.001 || (jumps && halvings > 0)) || !going()) return;
    const middle = take(known ?? point(Math.sqrt(high.step.gamma * low.step.gamma), high));
    const left = width > ratio * 1.001 ? halvings : halvings - 1;
    between(high, middle, left);
    between(middle, low, left);
  };

  /** The end of a step from `high` to gamma: not beyond its middle, if that already ends the path. */
  const ahead = (high: Point<S>, gamma: number): { end: number | Point<S>; middle?: Point<S> } => {
    let end: number | Point<S> = gamma;
    let lowest = gamma;
    while (plan.ending?.(high.step) === true && high.step.gamma / lowest > ratio * 1.001) {
      const halfway = Math.sqrt(high.step.gamma * lowest);
      // The product of tiny gammas is 0.
      if (!(halfway > lowest)) break;
      const middle = point(halfway, high);
      if (!enough(middle.step)) return { end, middle };
      end = middle;
      lowest = middle.step.gamma;
    }
    return { end };
  };

  let high = completeFusion(plan, at);
  let power = 1;
  let complete = enough(high.step);
  while (!complete && going()) {
    const { end, middle } = ahead(high, high.step.gamma / ratio ** power);
    const low = typeof end === "number" ? at(end, high) : take(end);
    between(high, low, HALVINGS, middle);
    power = level(low.step) === level(high.step) ? Math.min(LONGEST, 2 * power) : 1;
    complete = enough(low.step);
    high = low;
  }
  return { steps: steps.sort((a, b) => b.gamma - a.gamma), complete };
}

interface Point<S> {
  readonly step: PathStep;
  readonly solution: S;
}

/** The fused edges' components at one solution. */
export function describe({ graph, group, masses }: Nodes, solution: Solved): PathStep {
  const { labels, count, sizes } = rowComponents(graph, group, masses, solution.fused);
  const { gamma, certificate, converged, iterations } = solution;
  return { gamma, clusters: count, labels, sizes, certificate, converged, iterations };
}

/**
 * Components in terms of rows, if a node represents several: with `group` the labels and sizes are of rows,
 * with `masses` only the sizes.
 */
export function rowComponents(
  graph: Edges,
  group?: Int32Array,
  masses?: Float64Array,
  kept?: ArrayLike<number>,
): Components {
  const found = components(graph, kept);
  if (group === undefined && masses === undefined) return found;
  const labels = group === undefined ? found.labels : group.map((g) => found.labels[g]);
  const sizes = new Int32Array(found.count);
  for (let i = 0; i < labels.length; i++) sizes[labels[i]] += masses === undefined ? 1 : masses[i];
  return { count: found.count, labels, sizes };
}

/** A gamma, at most `ratio` too large, at which every component of the graph is fused. */
function completeFusion<S extends Solved>(
  { graph, bounds, ratio = 1.25 }: PathPlan<S>,
  at: (gamma: number, start?: Point<S>) => Point<S>,
): Point<S> {
  const parts = components(graph).count;
  // All points of a component equal: any gamma fuses them.
  let high = at(bounds.upper > 0 ? bounds.upper * (1 + 1e-9) : 1);
  let low = bounds.lower;
  while (low > 0 && high.step.gamma > low * ratio) {
    const middle = at(Math.sqrt(low * high.step.gamma), high);
    if (middle.step.clusters > parts) low = middle.step.gamma;
    else high = middle;
  }
  return high;
}
