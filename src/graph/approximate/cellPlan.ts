/** How rows are compared: in how many columns, with how many cells, and how many candidates of each row are kept. */
export interface CellPlan {
  /** Main directions used; 0: all columns. */
  readonly directions: number;
  /** Number of candidates of a row. */
  readonly kept: number;
  /** Number of cells beside a row's own. */
  readonly cells: number;
  /** Estimated multiplications of integers. */
  readonly cost: number;
}

export interface CellEvidence {
  readonly rows: number;
  readonly columns: number;
  /**
   * For each pair of a sampled row and one of its true neighbours: how many cells beside its own one of the two has to
   * look at to meet the other; Infinity if too many.
   */
  readonly needed: Float64Array;
  /** The mean number of rows in the first 0, 1, 2 ... cells beside the own one. */
  readonly reached: Float64Array;
  /** Which of the pairs survive a comparison in some directions when so many candidates are kept. */
  readonly screens: readonly Screen[];
}

export interface Screen {
  readonly directions: number;
  readonly kept: number;
  /** Nothing: all survive. */
  readonly survives?: Uint8Array;
}

/** A comparison of two rows costs so many multiplications of integers more than those of its columns. */
const COMPARISON = 170;
/** A multiplication in double precision for a candidate, where rows are read from memory, costs so many of them. */
const AGAIN = 20;
/** A list of candidates is kept in order; per candidate. */
const KEEPING = 5000;
/** A multiplication of an exact search, in single precision. */
const SINGLE = 1.8;
/** A pair of rows of two cells that both look at the other is compared once. */
const ONCE = 0.75;

/** The cheapest plan that finds the share `enough` of the sampled pairs; undefined: none does. */
export function cellPlan(evidence: CellEvidence, enough: number): CellPlan | undefined {
  const { rows: n, columns: d, needed, reached, screens } = evidence;
  const wanted = Math.ceil(enough * needed.length - 1e-9);
  let best: CellPlan | undefined;
  for (const { directions, kept, survives } of screens) {
    const cells = needed.filter((_, p) => survives === undefined || survives[p] === 1).toSorted();
    if (cells.length < wanted) continue;
    const last = wanted === 0 ? 0 : cells[wanted - 1];
    if (last >= reached.length) continue;
    const depth = directions === 0 ? d : directions;
    const cost =
      n * reached[last] * (last === 0 ? 0.5 : ONCE) * (depth + COMPARISON) + n * kept * (AGAIN * d + KEEPING);
    if (best === undefined || cost < best.cost) best = { directions, kept, cells: last, cost };
  }
  return best;
}

/** What an exact search costs. */
export function exactCost(n: number, d: number): number {
  return (n * n * (SINGLE * d + COMPARISON)) / 2;
}
