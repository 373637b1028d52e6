import type { ColumnStatistics } from "../scale/index.ts";
import { compiledInParts } from "./compiledInParts.ts";
import { double } from "./dialect.ts";
import { answer, type Engine } from "./engine.ts";
import type { EngineFeature } from "./engineTable.ts";

export interface ColumnSums {
  readonly statistics: ColumnStatistics;
  /** Cells of each column that are no finite number. */
  readonly lacking: readonly number[];
  /** Rows that are not among those of the statistics. */
  readonly dropped: number;
}

/** Aggregates of one statement: wider ones take longer to compile than to run. */
const WIDEST = 600;

/**
 * Aggregates of which Spark makes one method that Java still compiles: 16 columns of five take it seven times as long as
 * 12. Of more, the parts are compiled one by one.
 */
const ONE_METHOD = 60;

/**
 * Rows, extent, mean and spread of every feature. The engines update the variance about a running mean (Welford), so an
 * offset costs no digits. With `drop`, rows that lack a number anywhere are left out of everything.
 *
 * Nearly every table has all its numbers, so the cells are looked at one by one only where the extent or the count of a
 * column says that some are not finite.
 */
export async function columnSums(
  engine: Engine,
  from: string,
  features: readonly EngineFeature[],
  drop: boolean,
): Promise<ColumnSums> {
  if (engine.dialect.engine === "spark" && PARTS.length * features.length > ONE_METHOD) {
    return compiledInParts(engine, () => allSums(engine, from, features, drop));
  }
  return allSums(engine, from, features, drop);
}

async function allSums(
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
  const width = Math.floor(WIDEST / PARTS.length);
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

/** Both engines take NaN for the largest of numbers, and leave null out. */
function isWhole({ statistics: { min, max, squares }, lacking }: ColumnSums): boolean {
  return lacking.every(
    (count, f) =>
      count === 0 && Number.isFinite(min[f]) && Number.isFinite(max[f]) && Number.isFinite(squares[f]),
  );
}

/** True for finite numbers: null, NaN and the infinities are not among those compared. */
export function finite(sql: string): string {
  return `coalesce(abs(${sql}) <= ${double(Number.MAX_VALUE)}, false)`;
}
