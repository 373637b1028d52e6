import type { ColumnStatistics } from "../scale/index.ts";
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

/** Aggregates of one statement; wider ones take the engines longer to compile than to run. */
const WIDEST = 600;

/**
 * Rows, extent, mean and spread of every feature. The engines update the variance about a running mean (Welford), so an
 * offset costs no digits. With `drop`, rows that lack a number anywhere are left out of everything.
 */
export async function columnSums(
  engine: Engine,
  from: string,
  features: readonly EngineFeature[],
  drop: boolean,
): Promise<ColumnSums> {
  const whole = features.map(({ sql }) => finite(sql)).join(" and ");
  const parts = { min: [] as number[], max: [], mean: [], variance: [], lacking: [] } as Record<
    "min" | "max" | "mean" | "variance" | "lacking",
    number[]
  >;
  const counts = { all: 0, kept: 0 };
  const width = Math.floor(WIDEST / 5);
  for (let first = 0; first < features.length; first += width) {
    const part = features.slice(first, first + width);
    const aggregates = part.flatMap(({ sql }) => {
      const known = `case when ${drop ? whole : finite(sql)} then ${sql} end`;
      return [
        `min(${known})`,
        `max(${known})`,
        `avg(${known})`,
        `var_pop(${known})`,
        `count(*) - count(${known})`,
      ];
    });
    const kept = drop ? `count(case when ${whole} then 1 end)` : "count(*)";
    const { columns } = await answer(
      engine,
      `select count(*), ${kept}, ${aggregates.join(", ")} from ${from}`,
    );
    const value = (j: number): number => Number(columns[j][0]);
    counts.all = value(0);
    counts.kept = value(1);
    part.forEach((_, p) => {
      (["min", "max", "mean", "variance", "lacking"] as const).forEach((name, k) => {
        parts[name].push(value(2 + 5 * p + k));
      });
    });
  }
  return {
    statistics: {
      names: features.map(({ name }) => name),
      rows: counts.kept,
      min: parts.min,
      max: parts.max,
      mean: parts.mean,
      squares: parts.variance.map((variance) => variance * counts.kept),
    },
    lacking: parts.lacking,
    dropped: counts.all - counts.kept,
  };
}

/** True for finite numbers: null, NaN and the infinities are not among those compared. */
export function finite(sql: string): string {
  return `coalesce(abs(${sql}) <= ${double(Number.MAX_VALUE)}, false)`;
}
