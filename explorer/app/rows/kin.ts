import type { Solution } from "../../protocol.ts";

/** A near row, and the features that separate it from the row. */
export interface Kin {
  readonly row: number;
  readonly distance: number;
  /** Largest first: shares of all contributions to the squared distance, by absolute value. */
  readonly because: readonly { readonly name: string; readonly share: number }[];
}

const REASONS = 3;

/** The squared distances of all rows from one, in the metric in use. */
export function distancesFrom(row: number, { values, dimensions: r }: Solution["space"]): Float32Array {
  return Float32Array.from({ length: values.length / r }, (_, i) => {
    let squared = 0;
    for (let c = 0; c < r; c++) squared += (values[i * r + c] - values[row * r + c]) ** 2;
    return squared;
  });
}

/** The rows nearest to `row` in the metric in use. */
export function nearestKin(
  row: number,
  count: number,
  { space, ...rest }: Pick<Solution, "space" | "numbers" | "metric">,
): Kin[] {
  const near: { row: number; squared: number }[] = [];
  let limit = Infinity;
  for (const [i, squared] of distancesFrom(row, space).entries()) {
    if (i === row || !(squared < limit)) continue;
    near.push({ row: i, squared });
    near.sort((a, b) => a.squared - b.squared);
    if (near.length > count) near.pop();
    if (near.length === count) limit = near[count - 1].squared;
  }
  return near.map(({ row: other, squared }) => ({
    row: other,
    distance: Math.sqrt(squared),
    because: reasons(row, other, rest),
  }));
}

/**
 * With delta the difference of the rows as numbers, number f contributes delta_f (M delta)_f; contributions
 * of one column are added. Where a metric discounts correlated columns, some contributions are negative: they
 * bring the rows nearer and do not explain a distance.
 */
function reasons(
  a: number,
  b: number,
  { numbers, metric }: Pick<Solution, "numbers" | "metric">,
): Kin["because"] {
  const { values, dimensions: d, sources } = numbers;
  const delta = Float64Array.from({ length: d }, (_, f) => values[a * d + f] - values[b * d + f]);
  const parts = new Map<string, number>();
  for (let f = 0; f < d; f++) {
    let weighed = metric === undefined ? delta[f] : 0;
    if (metric !== undefined) for (let g = 0; g < d; g++) weighed += metric[f * d + g] * delta[g];
    parts.set(sources[f], (parts.get(sources[f]) ?? 0) + delta[f] * weighed);
  }
  const total = [...parts.values()].reduce((sum, share) => sum + Math.abs(share), 0);
  if (!(total > 0)) return [];
  return Array.from(parts, ([name, share]) => ({ name, share: share / total }))
    .sort((x, y) => y.share - x.share)
    .slice(0, REASONS)
    .filter(({ share }) => share > 0.01);
}
