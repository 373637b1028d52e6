import { random } from "../../core/index.ts";
import { takeRows, type Matrix, type NearestRows } from "../../matrix/index.ts";
import { columnMeans, valueOrder } from "../../matrix/internal.ts";
import {
  cellPlan,
  cellsNeeded,
  exactCost,
  fours,
  recallOf,
  screens,
  trueNeighbors,
  type CellPlan,
} from "./cellPlan.ts";
import { divideRows } from "./divideRows.ts";
import { mainDirections } from "./mainDirections.ts";
import { cellKernel, fillRows, projectRows, reserveRows, scaled } from "./rowSpace.ts";
import { searchCells } from "./searchCells.ts";

export interface ApproximateNeighbors extends NearestRows {
  /** Estimated share of the true neighbours that were found. */
  readonly recall: number;
}

export interface ApproximateSearch {
  readonly seed: number;
  /** The share of the true neighbours to find. */
  readonly enough: number;
  /** The largest absolute value of the rows. */
  readonly largest: number;
}

/** Directions of largest variance that rows are compared in first. */
const DIRECTIONS = 96;
/** Numbers of directions to compare in; 0: all columns. */
const DEPTHS = [16, 24, 32, 48, 64, 96];
/** Rows that give the directions. */
const DIRECTION_ROWS = 1000;

/**
 * Nearest neighbours, most of them; undefined where an exact search takes no longer. What they approximate is a page:
 * `bruteForce` in test/graph/bruteForce.ts.
 *
 * 1. Rows are divided into cells (k-means with about 2 sqrt(n) centres, in the directions of largest variance).
 * 2. The true neighbours of a sample of rows decide how many directions, candidates and cells are needed.
 * 3. Every row is compared with those of its own cell and of the next cells, by blocks of products, in as many directions
 *    as needed; the best candidates are then measured in all columns.
 * 4. Another sample says which share was found. If it is less than `enough`, the search is repeated with a larger plan.
 *
 * Distances are those of `nearestRows`, in single precision while searching. The same seed gives the same answer, for
 * every order of the rows. If `goOn` returns false, the search ends with the own cell and the next.
 */
export function approximateNeighbors(
  X: Matrix,
  k: number,
  { seed, enough, largest }: ApproximateSearch,
  goOn: (fraction: number) => boolean = () => true,
): ApproximateNeighbors | undefined {
  const { rows: n, cols: d } = X;
  if (n < LEAST_ROWS || k > n / 8) return undefined;
  const stream = random(seed);
  const sampled = Math.min(2 * SAMPLE, n);
  const scale = unitScale(largest);
  // Rows are drawn in the order of their values, so the order of the input does not matter.
  const byValue = valueOrder(X);
  const drawn = stream.sample(Math.min(n, DIRECTION_ROWS), n).map((p) => byValue[p]);
  const someRows = takeRows(X, drawn);
  const means = columnMeans(someRows);
  const kernel = cellKernel();
  return kernel.scope(() => {
    const V = mainDirections(scaled(someRows, { means, scale }), Math.min(d, DIRECTIONS), stream);
    const space = reserveRows(kernel, X, V.rows, { means, scale });
    const depths = DEPTHS.filter((depth) => depth <= space.q && depth < d);
    projectRows(space, V);
    const cells = divideRows(space, byValue, stream, k);
    const values = fillRows(space, cells.rowAt);
    const sample = stream.sample(sampled, n);
    let going = goOn(0.2);
    const truth = trueNeighbors(X, cells, sample, k);
    going &&= goOn(0.4);
    const half = Math.floor(sampled / 2);
    const evidence = {
      rows: n,
      columns: d,
      ...cellsNeeded(cells, sample, half, truth, k),
      screens: screens(space, depths, sample.subarray(0, half), truth, k, enough),
    };
    const leastPlan: CellPlan = { directions: depths[0] ?? 0, kept: fours(2 * k), cells: 1, cost: 0 };
    let wanted = enough + Math.min(MARGIN, (1 - enough) / 2);
    for (let attempt = 0; attempt < MOST_PLANS; attempt++) {
      going &&= goOn(0.5 + 0.15 * attempt);
      const plan = going ? cellPlan(evidence, wanted) : leastPlan;
      if (plan === undefined || plan.cost > WORTHWHILE * exactCost(n, d)) return undefined;
      const nearest = searchCells(space, cells, k, plan, values);
      if (nearest === undefined) return undefined;
      const recall = recallOf(nearest, cells, sample, half, truth, k);
      if (recall >= enough || !going) return { ...nearest, recall };
      wanted = Math.min(1, wanted + MARGIN + enough - recall);
    }
    return undefined;
  });
}

/** Rows that the plan is made from, and others that check the result. */
const SAMPLE = 128;
/** A plan finds this much more than is wanted in its sample, because others may be harder. */
const MARGIN = 0.012;
const MOST_PLANS = 3;

/** A power of two that brings the largest entry, less any mean, below 1. */
function unitScale(largest: number): number {
  return largest > 0 ? 2 ** -Math.max(-1021, Math.min(1021, Math.floor(Math.log2(largest)) + 2)) : 1;
}

/** A plan must be this much cheaper than an exact search, which has no sample to compare with. */
const WORTHWHILE = 0.6;
/** With fewer rows the samples alone take as long as comparing all. */
const LEAST_ROWS = 2000;
