/**
 * Entropies from counts. With T(k) = k log k and n rows,
 *
 *     H(X) = (T(n) - sum_a T(n_a)) / n ,     I(X; Y) = (T(n) + sum_ab T(n_ab) - sum_a T(n_a) - sum_b T(n_b)) / n .
 *
 * Miller and Madow (1955) add (occupied cells - 1) / 2n to a plug-in entropy; the same two formulas give it with
 * T(k) - 1/2 for every k > 0. T is stored as integers in units of 2^-s, with the largest 2^s that keeps all
 * sums below 2^53: sums are then exact in any order, so I(X; Y) and I(Y; X), or X and a copy of it with
 * renamed levels, agree in every bit, and ties between features are exact. The rounding of T costs no more
 * than adding doubles would.
 */
export type Estimator = "plug-in" | "miller-madow";
export type Unit = "nats" | "bits";

export interface InformationTable {
  readonly rows: number;
  /** An integer for every count from 0 to n, for any n. */
  T(count: number): number;
  /** Makes a sum of `T` an information: 2^-s / n. */
  readonly scale: number;
}

export function informationTable(rows: number, estimator: Estimator, unit: Unit): InformationTable {
  const log = unit === "bits" ? Math.log2 : Math.log;
  const largest = Math.max(1, rows * log(rows));
  const units = 2 ** (51 - Math.ceil(Math.log2(largest)));
  const correction = estimator === "miller-madow" ? log(Math.E) / 2 : 0;
  return {
    rows,
    T: (k) => (k > 0 ? Math.round((k * log(k) - correction) * units) : 0),
    scale: 1 / (units * rows),
  };
}

/** sum T(n_a) over the cells of a table. */
export function sumOfT({ T }: InformationTable, counts: ArrayLike<number>): number {
  let sum = 0;
  for (let a = 0; a < counts.length; a++) sum += T(counts[a]);
  return sum;
}

/**
 * Rounding makes every T uncertain by at most 1: a sum of (levels_u + 1) (levels_v + 1) of them that is no
 * larger cannot be distinguished from 0, and a negative one (a Miller-Madow information of nearly independent
 * variables) counts as 0.
 */
export function settled(sum: number, levelsU: number, levelsV: number): number {
  return sum > (levelsU + 1) * (levelsV + 1) ? sum : 0;
}
