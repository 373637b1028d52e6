/**
 * The time between two dates: ordered and shipped, admitted and discharged. Two dates of a table are a pair if one almost
 * always follows the other, or if their difference varies far less than each of them. The differences form a minimum
 * spanning tree of the dates by their interquartile range, so none is the sum of others, and D dates have at most D - 1.
 * A difference that ranks the rows as one of its dates does (birth and last visit) tells no more than that date.
 */
import type { Column, Table } from "../../data/index.ts";
import { daysBetween, numbersOf } from "../../data/internal.ts";
import { MOSTLY_MISSING, numberText, type Candidate, type CandidateRules } from "./candidates.ts";
import type { NumberEncoding, FeatureRecord } from "../featureRecord.ts";
import { learnNumber } from "./numberEncoding.ts";
import { quantile, quartiles, ranks } from "./numberEncoding.ts";

/** Rows that pairs are judged on, and dates beyond which none are. */
const PAIR_ROWS = 4096;
const MOST_DATES = 20;
/** Share of the rows in which the later date must follow the earlier one. */
const FOLLOWS = 0.95;
/** Interquartile range of the difference, relative to the smaller one of the dates. */
const CLOSE = 0.5;
/** Rank correlation with one of the dates above which the difference is that date. */
const ONE_DATE = 0.97;

export function dateDifferences(
  table: Table,
  chosen: ReadonlySet<string>,
  sample: Int32Array,
  rules: CandidateRules,
): Candidate[] {
  const columns = table.columns.filter(({ name, kind }) => kind === "date" && chosen.has(name));
  if (columns.length < 2 || columns.length > MOST_DATES) return [];
  const rows = sample.subarray(0, PAIR_ROWS);
  const dates = columns.map((column) => {
    const days = numbersOf(column, table.rows);
    return { column, days: Float64Array.from(rows, (row) => days[row]) };
  });
  const pairs: Pair[] = [];
  for (let b = 1; b < dates.length; b++) {
    for (let a = 0; a < b; a++) {
      const found = pairOf(dates[a], dates[b]);
      if (found !== undefined) pairs.push(found);
    }
  }
  return spanningTree(pairs).flatMap(({ earlier, later }) => {
    const learned = learnNumber(daysBetween(earlier, later, table.rows), {
      scale: rules.scale,
      transforms: rules.scale === "auto" ? "usual" : "none",
    });
    if (learned === undefined) return [];
    const label = `time from ${earlier.name} to ${later.name}`;
    const encoding: NumberEncoding = { ...learned, since: earlier.name };
    const became = `days since ${earlier.name}, ${numberText(encoding, rules.scale)}`;
    return { column: later.name, kind: "number", label, names: [label], encoding, became, share: 1 };
  });
}

interface Dates {
  readonly column: Column;
  readonly days: Float64Array;
}

interface Pair {
  readonly earlier: Column;
  readonly later: Column;
  /** The interquartile range of the difference. */
  readonly width: number;
}

function pairOf(a: Dates, b: Dates): Pair | undefined {
  const isClock = ({ column }: Dates): boolean => column.reading.form === "clock";
  if (isClock(a) !== isClock(b)) return undefined;
  const both = Array.from(a.days.keys()).filter((r) => !Number.isNaN(a.days[r] + b.days[r]));
  if (both.length < 2 || both.length < (1 - MOSTLY_MISSING) * a.days.length) return undefined;
  const [x, y] = [a, b].map(({ days }) => Float64Array.from(both, (r) => days[r]));
  const difference = y.map((day, r) => day - x[r]);
  const sorted = difference.slice().sort();
  const middle = quantile(sorted, 0.5);
  const forward = middle !== 0 ? middle > 0 : sorted[0] + sorted[sorted.length - 1] >= 0;
  const after = difference.filter((days) => (forward ? days >= 0 : days <= 0)).length;
  const width = widthOf(sorted);
  const close = width <= CLOSE * Math.min(widthOf(x.slice().sort()), widthOf(y.slice().sort()));
  if (after < FOLLOWS * both.length && !close) return undefined;
  if (Math.max(rankCorrelation(difference, x), rankCorrelation(difference, y)) >= ONE_DATE) return undefined;
  return forward
    ? { earlier: a.column, later: b.column, width }
    : { earlier: b.column, later: a.column, width };
}

function widthOf(sorted: Float64Array): number {
  const [low, high] = quartiles(sorted);
  return high - low;
}

/** The size of Spearman's correlation. */
function rankCorrelation(x: Float64Array, y: Float64Array): number {
  const [a, b] = [ranks(x), ranks(y)];
  const middle = (x.length + 1) / 2;
  let [xy, xx, yy] = [0, 0, 0];
  for (let r = 0; r < a.length; r++) {
    xy += (a[r] - middle) * (b[r] - middle);
    xx += (a[r] - middle) ** 2;
    yy += (b[r] - middle) ** 2;
  }
  return xx > 0 && yy > 0 ? Math.abs(xy) / Math.sqrt(xx * yy) : 1;
}

/** The narrowest pairs that close no circle (Kruskal 1956). */
function spanningTree(pairs: readonly Pair[]): Pair[] {
  const group = new Map<Column, Column>();
  const root = (column: Column): Column => {
    const above = group.get(column);
    return above === undefined ? column : root(above);
  };
  return pairs
    .toSorted((a, b) => a.width - b.width)
    .filter(({ earlier, later }) => {
      const [a, b] = [root(earlier), root(later)];
      if (a === b) return false;
      group.set(a, b);
      return true;
    });
}

/** The times between dates that a record uses, as columns of a table: "days from ordered to shipped". */
export function timeColumns({ parts }: FeatureRecord, table: Table): Column[] {
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  return parts.flatMap(({ column, encoding }): Column | [] => {
    const since = encoding.form === "number" ? encoding.since : undefined;
    if (since === undefined || !byName.has(since) || !byName.has(column)) return [];
    const days = daysBetween(byName.get(since), byName.get(column), table.rows);
    const present = days.filter((value) => !Number.isNaN(value));
    const sizes = present.map(Math.abs).sort();
    const middle = sizes.length === 0 ? 0 : quantile(sizes, 0.5);
    const whole = present.every((value) => Number.isInteger(value));
    const [unit, length] = UNITS.find(([name, , from]) => middle >= from || (whole && name === "days"))!;
    return {
      name: `${unit} from ${since} to ${column}`,
      kind: "number",
      why: "the time between two dates",
      reading: { form: BETWEEN },
      missing: table.rows - present.length,
      values: days.map((value) => value / length),
    };
  });
}

/** The form of such a column. */
export const BETWEEN = "between";
/** Units, their days, and the median in days from which they are used. */
const UNITS: readonly (readonly [string, number, number])[] = [
  ["years", 365.2425, 1096],
  ["days", 1, 2],
  ["hours", 1 / 24, 2 / 24],
  ["minutes", 1 / 1440, 0],
];
