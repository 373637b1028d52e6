import type { ColumnStatistics } from "../scale/index.ts";
import { double } from "./dialect.ts";
import { answer, type Engine } from "./engine.ts";
import type { EngineFeature } from "./engineTable.ts";

export interface ColumnSums {
  readonly statistics: ColumnStatistics;
  /** Cells of each column that are not finite numbers. */
  readonly lacking: readonly number[];
  /** Rows that are left out of the statistics. */
  readonly dropped: number;
}

/**
 * Aggregates of one statement. Wider statements take DuckDB longer to compile than to run; Spark makes one
 * method of them, which Java compiles only up to 8000 bytes: 16 columns of five aggregates take seven times
 * as long as 12.
 */
const WIDEST = { duckdb: 600, spark: 60 };

/**
 * Rows, range, mean and spread of every feature. The engines update the variance about a running mean
 * (Welford), so an offset costs no digits. With `drop`, rows with any missing number are left out of
 * everything.
 *
 * Nearly every table has all its numbers, so cells are examined one by one only if the range or the count of
 * a column shows that some are not finite.
 */
export async function columnSums(
  engine: Engine,
  from: string,
  features: readonly EngineFeature[],
  drop: boolean,
): Promise<ColumnSums> {
  const plain = await sums(engine, from, features, "count(*)", ({ sql }) => sql).catch(() => undefined);
  if (plain !== undefined && isWhole(plain)) return plain;
  const whole = features.map(({ sql }) => finite(sql)).join(" and ");
  const kept = drop ? `count(case when ${whole} then 1 end)` : "count(*)";
  return sums(
    engine,
    from,
    features,
    kept,
    ({ sql }) => `case when ${drop ? whole : finite(sql)} then ${sql} end`,
  );
}

async function sums(
  engine: Engine,
  from: string,
  features: readonly EngineFeature[],
  kept: string,
  known: (feature: EngineFeature) => string,
): Promise<ColumnSums> {
  const found: Record<(typeof PARTS)[number], number[]> = {
    min: [],
    max: [],
    mean: [],
    variance: [],
    lacking: [],
  };
  const counts = { all: 0, kept: 0 };
  const width = Math.floor(WIDEST[engine.dialect.engine] / PARTS.length);
  for (let first = 0; first < features.length; first += width) {
    const part = features.slice(first, first + width);
    const aggregates = part
      .map(known)
      .flatMap((x) => [`min(${x})`, `max(${x})`, `avg(${x})`, `var_pop(${x})`, `count(*) - count(${x})`]);
    const { columns } = await answer(
      engine,
      `select count(*), ${kept}, ${aggregates.join(", ")} from ${from}`,
    );
    const value = (j: number): number => Number(columns[j][0]);
    counts.all = value(0);
    counts.kept = value(1);
    part.forEach((_, p) => {
      PARTS.forEach((name, k) => found[name].push(value(2 + PARTS.length * p + k)));
    });
  }
  return {
    statistics: {
      names: features.map(({ name }) => name),
      rows: counts.kept,
      min: found.min,
      max: found.max,
      mean: found.mean,
      squares: found.variance.map((variance) => variance * counts.kept),
    },
    lacking: found.lacking,
    dropped: counts.all - counts.kept,
  };
}

const PARTS = ["min", "max", "mean", "variance", "lacking"] as const;

/** Both engines treat NaN as the largest number, and ignore null. */
function isWhole({ statistics: { min, max, squares }, lacking }: ColumnSums): boolean {
  return lacking.every(
    (count, f) =>
      count === 0 && Number.isFinite(min[f]) && Number.isFinite(max[f]) && Number.isFinite(squares[f]),
  );
}

/** True for finite numbers: null, NaN and the infinities fail the comparisons. */
export function finite(sql: string): string {
  return `coalesce(abs(${sql}) <= ${double(Number.MAX_VALUE)}, false)`;
}
