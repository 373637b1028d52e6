import type { ColumnStatistics } from "../scale/index.ts";
import { compiledInParts } from "./compiledInParts.ts";
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

/** Aggregates of one statement: wider ones take longer to compile than to run. */
const WIDEST = 600;

/**
 * Aggregates of which Spark makes one method that Java still compiles; of more, the parts are compiled one by one. 100 000
 * rows of 60 columns took 2.7 CPU s so, 4.6 in five statements of 12 columns, and 11.5 with `var_pop` in one (compiled).
 */
const ONE_METHOD = 60;

/**
 * Rows, extent, mean and spread of every feature. DuckDB updates the variance about a running mean (Welford), Spark sums
 * about a value near the mean, so an offset costs no digits. With `drop`, rows that lack a number anywhere are left out of everything.
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
  if (engine.dialect.engine === "spark" && PARTS * features.length > ONE_METHOD) {
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
  const plain = await sums(engine, from, features, "count(*)").catch(() => undefined);
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
  /** What stands for a cell that may lack its number; without it, one that lacks is only noticed. */
  known?: (feature: EngineFeature) => string,
): Promise<ColumnSums> {
  const xs = features.map(known ?? (({ sql }) => sql));
  const isSpark = engine.dialect.engine === "spark";
  const cells = (isSpark && known === undefined ? neverNull : counted)(from, xs);
  const pass = (moments: Moments): Promise<Pass> => onePass(engine, cells, xs.length, kept, moments);
  const names = features.map(({ name }) => name);
  if (!isSpark) return told(names, await pass(WELFORD));
  const found = await pass(momentsAbout(await fewMeans(engine, from, xs)));
  if (!found.columns.some(isFar)) return told(names, found);
  return told(names, await pass(momentsAbout(found.columns.map(({ mean }) => mean))));
}

/** Two aggregates of a column, and what they tell. */
interface Moments {
  sql(x: string, f: number): readonly [string, string];
  read(a: number, b: number, count: number, f: number): Pick<ColumnFound, "mean" | "variance" | "off">;
}

interface ColumnFound {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly variance: number;
  /** From the shift to the mean. */
  readonly off: number;
  readonly lacking: number;
}

interface Pass {
  readonly all: number;
  readonly rows: number;
  readonly columns: readonly ColumnFound[];
}

const WELFORD: Moments = {
  sql: (x) => [`avg(${x})`, `var_pop(${x})`],
  read: (mean, variance) => ({ mean, variance, off: 0 }),
};

/** Sums about a shift near the data take Spark a quarter of the time of its variance. */
function momentsAbout(shift: readonly number[]): Moments {
  const at = shift.map((value) => (Number.isFinite(value) ? value : 0));
  const less = (x: string, f: number): string => (at[f] === 0 ? x : `(${x} - ${double(at[f])})`);
  return {
    sql: (x, f) => [`sum(${less(x, f)})`, `sum(${less(x, f)} * ${less(x, f)})`],
    read: (sum, squares, count, f) => {
      const off = sum / count;
      return { mean: at[f] + off, variance: Math.max(0, squares / count - off * off), off };
    },
  };
}

/** Whether the mean is so far from the shift that the variance may lack digits. */
function isFar({ off, variance, min, max }: ColumnFound): boolean {
  return max > min && off * off > FAR * variance;
}

const FAR = 1e4;

/** Near the values of each column: the mean of its first rows. */
async function fewMeans(engine: Engine, from: string, xs: readonly string[]): Promise<number[]> {
  const cells = xs.map((x, f) => `${x} as kindred_x${f}`);
  const means = xs.map((_, f) => `avg(kindred_x${f})`);
  const { columns } = await answer(
    engine,
    `select ${means.join(", ")} from (select ${cells.join(", ")} from ${from} limit 100) as kindred_few`,
  );
  return columns.map((column) => Number(column[0]));
}

interface Cells {
  /** The FROM clause of columns `first` to `end`. */
  from(first: number, end: number): string;
  /** A column in it. */
  x(f: number): string;
  /** The aggregates that count the cells of these columns. */
  counts(first: number, end: number): readonly string[];
}

function counted(from: string, xs: readonly string[]): Cells {
  return {
    from: () => from,
    x: (f) => xs[f],
    counts: (first, end) => xs.slice(first, end).map((x) => `count(${x})`),
  };
}

/**
 * The rows without null are counted once, and a null is summed as zero: nearly no table has one, and the code for cells that
 * may be null takes Spark longer. Every cell is read once, which matters for those of vectors.
 */
function neverNull(from: string, xs: readonly string[]): Cells {
  const x = (f: number): string => `kindred_x${f}`;
  return {
    from(first, end) {
      const part = xs.slice(first, end);
      const cells = part.map((sql, p) => `coalesce(${sql}, 0e0) as ${x(first + p)}`);
      return `(select ${cells.join(", ")}, ${part.join(" + ")} as kindred_whole from ${from}) as kindred_cells`;
    },
    x,
    counts: () => ["count(kindred_whole)"],
  };
}

async function onePass(
  engine: Engine,
  cells: Cells,
  width: number,
  kept: string,
  moments: Moments,
): Promise<Pass> {
  const columns: ColumnFound[] = [];
  const counts = { all: 0, rows: 0 };
  const most = Math.floor(WIDEST / PARTS);
  for (let first = 0; first < width; first += most) {
    const end = Math.min(width, first + most);
    const part = Array.from({ length: end - first }, (_, p) => cells.x(first + p));
    const asked = [
      "count(*)",
      kept,
      ...part.flatMap((x, p) => [`min(${x})`, `max(${x})`, ...moments.sql(x, first + p)]),
      ...cells.counts(first, end),
    ];
    const found = await answer(engine, `select ${asked.join(", ")} from ${cells.from(first, end)}`);
    const value = (j: number): number => Number(found.columns[j][0]);
    counts.all = value(0);
    counts.rows = value(1);
    part.forEach((_, p) => {
      const [min, max, a, b] = Array.from({ length: MOMENTS }, (__, k) => value(2 + MOMENTS * p + k));
      const count = value(Math.min(2 + MOMENTS * part.length + p, asked.length - 1));
      // A constant is its own mean, to the last digit.
      const own = min === max ? { mean: min, variance: 0, off: 0 } : moments.read(a, b, count, first + p);
      columns.push({ min, max, lacking: counts.all - count, ...own });
    });
  }
  return { ...counts, columns };
}

/** Aggregates of a column, and those with its count. */
const MOMENTS = 4;
const PARTS = MOMENTS + 1;

function told(names: readonly string[], { all, rows, columns }: Pass): ColumnSums {
  return {
    statistics: {
      names: [...names],
      rows,
      min: columns.map(({ min }) => min),
      max: columns.map(({ max }) => max),
      mean: columns.map(({ mean }) => mean),
      squares: columns.map(({ variance }) => variance * rows),
    },
    lacking: columns.map(({ lacking }) => lacking),
    dropped: all - rows,
  };
}

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
