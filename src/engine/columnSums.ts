import { double } from "../core/internal.ts";
import type { ColumnStatistics } from "../scale/index.ts";
import { compiledInParts, answer, type Engine } from "./engine.ts";
import type { EngineFeature, EngineTable } from "./engineTable.ts";
import { featureList, listBlocks, type FeatureList } from "./listBlocks.ts";

export type SummedTable = Pick<EngineTable, "engine" | "from" | "features">;

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
 * Rows, extent, mean and spread of every feature, by sums about a value near the mean, so an offset costs no digits. With
 * `drop`, rows that lack a number anywhere are left out of everything.
 *
 * Nearly every table has all its numbers, so cells are examined one by one only if the range or the count of
 * a column shows that some are not finite.
 */
export async function columnSums(table: SummedTable, drop: boolean): Promise<ColumnSums> {
  const { engine, features } = table;
  const list = featureList(engine.dialect, features);
  if (list !== undefined) return listSums(table, list, drop);
  if (engine.dialect.engine === "spark" && PARTS * features.length > ONE_METHOD) {
    return compiledInParts(engine, () => allSums(table, drop));
  }
  return allSums(table, drop);
}

/** The condition that a row has all its numbers. */
export function wholeRow({ engine, features }: SummedTable): string {
  const list = featureList(engine.dialect, features);
  // The numbers that are no features have been found constant, so they are whole.
  if (list !== undefined) return `coalesce(forall(${list.list}, x -> ${finite("x")}), false)`;
  return features.map(({ sql }) => finite(sql)).join(" and ");
}

async function allSums(table: SummedTable, drop: boolean): Promise<ColumnSums> {
  const { engine, from, features } = table;
  const plain = await sums(engine, from, features, "count(*)").catch(() => undefined);
  if (plain !== undefined && isWhole(plain)) return plain;
  const whole = wholeRow(table);
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
  const cells = (known === undefined ? neverNull : counted)(from, xs);
  const pass = (moments: Moments): Promise<Pass> => onePass(engine, cells, xs.length, kept, moments);
  const names = features.map(({ name }) => name);
  return told(names, await aboutMeans(pass, await fewMeans(engine, from, xs)));
}

/** A pass about values near the means, and another one where they were not near. */
async function aboutMeans(pass: (moments: Moments) => Promise<Pass>, near: readonly number[]): Promise<Pass> {
  const found = await pass(momentsAbout(near));
  return found.columns.some(isFar) ? pass(momentsAbout(found.columns.map(({ mean }) => mean))) : found;
}

/** The same sums of the numbers of a list, in blocks (listBlocks.ts): 200 000 rows of 384 took 4 CPU s instead of 60. */
async function listSums(table: SummedTable, list: FeatureList, drop: boolean): Promise<ColumnSums> {
  const { engine, from, features } = table;
  const names = features.map(({ name }) => name);
  const few = await listPass(
    engine,
    `(select * from ${from} limit 100) as kindred_few`,
    list,
    momentsAbout([]),
  );
  const near = few.columns.map(({ mean }) => mean);
  const sumsOf = async (rows: string, known = (x: string): string => x): Promise<ColumnSums> =>
    told(names, await aboutMeans((moments) => listPass(engine, rows, list, moments, known), near));
  const plain = await sumsOf(from);
  if (isWhole(plain)) return plain;
  if (!drop) return sumsOf(from, (x) => `case when ${finite(x)} then ${x} end`);
  const kept = await sumsOf(`(select * from ${from} where ${wholeRow(table)}) as kindred_kept`);
  return { ...kept, dropped: plain.statistics.rows - kept.statistics.rows };
}

/** Features of a block: the code of the aggregates of more is beyond what Java compiles. */
const LIST_WIDTH = 4;

async function listPass(
  engine: Engine,
  from: string,
  list: FeatureList,
  moments: Moments,
  known: (x: string) => string = (x) => x,
): Promise<Pass> {
  const d = list.at.length;
  const blocks = listBlocks(list, LIST_WIDTH, (f) => [moments.shift(f)]);
  const js = Array.from({ length: LIST_WIDTH }, (_, j) => j);
  const xs = js.map((j) => `${known(blocks.feature(j, false))} as x${j}, ${blocks.given(j, 0)} as s${j}`);
  const cells = `(select ${blocks.first} as b, ${xs.join(", ")} from ${from} ${blocks.view}) as kindred_cells`;
  const asked = js.map(
    (j) => `min(x${j}), max(x${j}), sum(x${j} - s${j}), sum((x${j} - s${j}) * (x${j} - s${j})), count(x${j})`,
  );
  const found = await answer(engine, `select b, count(*), ${asked.join(", ")} from ${cells} group by b`);
  const columns = Array.from({ length: d }, () => columnFound([NaN, NaN, 0, 0, 0], 0, moments, 0));
  let all = 0;
  for (let g = 0; g < found.rows; g++) {
    const value = (c: number): number => Number(found.columns[c][g]);
    const first = value(0);
    all = value(1);
    for (const j of js.slice(0, d - first)) {
      const own = Array.from({ length: PARTS }, (_, c) => value(2 + PARTS * j + c));
      columns[first + j] = columnFound(own, all, moments, first + j);
    }
  }
  return { all, rows: all, columns };
}

/** Two aggregates of a column, and what they tell. */
type Moments = ReturnType<typeof momentsAbout>;

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

/** Sums about a shift near the data take Spark a quarter of the time of its variance. */
function momentsAbout(shift: readonly number[]) {
  const at = (f: number): number => (Number.isFinite(shift[f]) ? shift[f] : 0);
  const less = (x: string, f: number): string => (at(f) === 0 ? x : `(${x} - ${double(at(f))})`);
  return {
    /** What is subtracted from a column. */
    shift: at,
    sql: (x: string, f: number) => [`sum(${less(x, f)})`, `sum(${less(x, f)} * ${less(x, f)})`],
    read: (sum: number, squares: number, count: number, f: number) => {
      const off = sum / count;
      return { mean: at(f) + off, variance: Math.max(0, squares / count - off * off), off };
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
      const own = Array.from({ length: MOMENTS }, (__, k) => value(2 + MOMENTS * p + k));
      const count = value(Math.min(2 + MOMENTS * part.length + p, asked.length - 1));
      columns.push(columnFound([...own, count], counts.all, moments, first + p));
    });
  }
  return { ...counts, columns };
}

function columnFound(
  [min, max, a, b, count]: readonly number[],
  all: number,
  moments: Moments,
  f: number,
): ColumnFound {
  // A constant is its own mean, to the last digit.
  const own = min === max ? { mean: min, variance: 0, off: 0 } : moments.read(a, b, count, f);
  return { min, max, lacking: all - count, ...own };
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
