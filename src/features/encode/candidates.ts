/** The candidate features of each column, before the weights are decided. */
import { type Column, type ColumnKind, type Table } from "../../data/index.ts";
import { BY_MEANING, missingIn, numbersOf, textOf } from "../../data/internal.ts";
import { learnCyclic, learnNumber } from "./numberEncoding.ts";
import type { Adjustment, Encoding, FeatureScale, NumberEncoding } from "../featureRecord.ts";
import { learnLevels } from "./levelsEncoding.ts";
import { quantile } from "./numberEncoding.ts";
import { learnWords } from "./learnWords.ts";
import { learnVectors } from "./vectorEncoding.ts";

export interface Candidate {
  readonly column: string;
  readonly kind: ColumnKind;
  readonly label: string;
  readonly names: readonly string[];
  readonly encoding: Encoding;
  /** "log, z-score". */
  readonly became: string;
  /** Its share of the column's weight with equal weights, relative to the others; 0: only if it is related to others. */
  readonly share: number;
  readonly adjust?: readonly Adjustment[];
  /** A text whose words are unrelated: it is used only if there is nothing else. */
  readonly alone?: true;
}

export interface CandidateRules {
  readonly scale: FeatureScale;
  /** "clear": only for columns that are clearly skewed or have clear far values. */
  readonly transforms: "usual" | "clear";
  /** Texts to use: all, or the named ones. */
  readonly text: "all" | readonly string[];
  /** Requested columns: even an id among them counts. */
  readonly asked: ReadonlySet<string>;
  /** Amounts, of which many are 0 (`amountColumns`). */
  readonly amounts: ReadonlySet<string>;
  readonly seed: number;
}

/** Why a text is left out that no grouping could follow: its words are in one text, or in all. */
const NO_COMPANY = "left out: too few of its words are in several texts, but not in all";
/** A column with more than this share of missing cells is left out. */
export const MOSTLY_MISSING = 0.5;
/** Of an amount that is 0 in more than this share of the cells, only the mark is offered. */
const MOSTLY_ZERO = 0.7;
/** Days that dates must span for the weekday and for the season. */
const WEEKDAYS = 14;
const SEASONS = 500;

/** Candidates of one column, or why there are none. */
export function columnCandidates(
  column: Column,
  table: Table,
  sample: Int32Array,
  rules: CandidateRules,
): readonly Candidate[] | string {
  const { name, kind } = column;
  if (kind === "constant") return "left out: constant";
  if (kind === "empty") return "left out: empty";
  const asked = rules.asked.has(name);
  if (kind === "id" && !asked) return "left out: id";
  const gaps = missingShare(column, table.rows);
  if (gaps === 1) return "left out: every cell is missing";
  if (gaps > MOSTLY_MISSING && !asked)
    return `left out: ${Math.min(99, Math.round(100 * gaps))} % of its cells are missing`;
  const one = (encoding: Encoding, names: readonly string[], became: string): Candidate[] => [
    { column: name, kind, label: name, names, encoding, became, share: 1 },
  ];
  if (kind === "vector" && column.vectors !== undefined) {
    const direction = rules.scale === "unit" ? true : rules.scale === "none" ? false : undefined;
    const encoding = learnVectors(column.vectors, sample, direction);
    if (encoding === undefined) return "left out: constant";
    const width = encoding.components?.cols ?? encoding.mean.length;
    const names = Array.from({ length: width }, (_, f) => `${name} ${f + 1}`);
    return one(
      encoding,
      names,
      `${width} of ${column.vectors.cols} components${encoding.unit ? ", by angle" : ""}`,
    );
  }
  if (kind === "text") {
    if (rules.text !== "all" && !rules.text.includes(name)) return "left out: text";
    if (rules.text === "all" && column.reading.form === BY_MEANING) return "left out: its meaning counts";
    const learned = learnWords(textOf(column), sample, rules.seed);
    if (learned === undefined) return NO_COMPANY;
    const { encoding, related } = learned;
    const names = Array.from({ length: encoding.vectors.cols }, (_, f) => `${name} ${f + 1}`);
    const became = `${names.length} ${names.length === 1 ? "component" : "components"} of words`;
    const found = one(encoding, names, `${became}${related ? "" : ", no clearer than chance"}`);
    return related || asked ? found : found.map((part) => ({ ...part, alone: true }));
  }
  if (kind === "date") return dateCandidates(column, table.rows, rules);
  const levels = kind === "category" || (kind === "id" && column.values === undefined);
  if (levels) {
    const encoding = learnLevels(column, table.rows, rules.scale);
    if (encoding === undefined) {
      return "left out: no two levels occur often enough";
    }
    const names = encoding.levels.map((level) => `${name} = ${level}`);
    const pooled = encoding.pooled === undefined ? "" : `, ${encoding.pooled.length} rare levels in one`;
    return one(encoding, names, `${names.length} indicators${pooled}`);
  }
  const amount = rules.amounts.has(name);
  const values = numbersOf(column, table.rows);
  if (amount) {
    const none = values.filter((value) => value === 0).length / table.rows;
    if (none > MOSTLY_ZERO) return `left out: ${Math.min(99, Math.round(100 * none))} % of its cells are 0`;
  }
  const learned = learnNumber(amount ? values.map((value) => (value === 0 ? Number.NaN : value)) : values, {
    scale: rules.scale,
    transforms: rules.scale === "auto" && kind === "number" ? rules.transforms : "none",
  });
  if (learned === undefined) return "left out: constant";
  const number: NumberEncoding = amount ? { ...learned, amount } : learned;
  const encoding = kind === "ordered" ? withLevels(number, column) : number;
  return one(encoding, [name], numberText(encoding, rules.scale));
}

function missingShare(column: Column, rows: number): number {
  const test = missingIn(column);
  let count = 0;
  for (let i = 0; i < rows; i++) if (test(i)) count++;
  return rows === 0 ? 0 : count / rows;
}

export function numberText(encoding: NumberEncoding, scale: FeatureScale): string {
  const steps: string[] = [];
  if (encoding.amount === true) steps.push("where not 0");
  if (encoding.transform !== "none") steps.push(encoding.transform);
  if (encoding.clip !== undefined) steps.push("far values limited");
  const scaled = {
    auto: "z-score",
    unit: "z-score",
    zscore: "z-score",
    minmax: "0 to 1",
    robust: "by quartiles",
  };
  steps.push(scale === "none" ? "as it is" : scaled[scale]);
  return steps.join(", ");
}

function withLevels(encoding: NumberEncoding, { levels, codes, values }: Column): NumberEncoding {
  if (levels === undefined || codes === undefined || values === undefined) return encoding;
  const levelValues = levels.map(() => Number.NaN);
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) levelValues[codes[i]] = values[i];
  const seen = levels.map((_, k) => k).filter((k) => Number.isFinite(levelValues[k]));
  return { ...encoding, levels: seen.map((k) => levels[k]), levelValues: seen.map((k) => levelValues[k]) };
}

function dateCandidates(column: Column, rows: number, rules: CandidateRules): readonly Candidate[] | string {
  const { name, kind } = column;
  const days = numbersOf(column, rows);
  let least = Infinity;
  let most = -Infinity;
  let hours = 0;
  let present = 0;
  for (const day of days) {
    if (Number.isNaN(day)) continue;
    least = Math.min(least, day);
    most = Math.max(most, day);
    if (Math.abs(day - Math.round(day)) > 1e-9) hours++;
    present++;
  }
  const span = most - least;
  const clock = column.reading.form === "clock";
  const isYear = column.reading.form === "year";
  if (!clock && column.isAsked !== true && isRegular(days))
    return "left out: it numbers the rows, in equal steps";
  const found: { label: string; encoding: Encoding; became: string; names: string[] }[] = [];
  if (!clock) {
    const encoding = learnNumber(days, { scale: rules.scale, transforms: "none" });
    if (encoding !== undefined) {
      found.push({
        label: name,
        encoding,
        became: "days, " + numberText(encoding, rules.scale),
        names: [name],
      });
    }
  }
  const cyclic = (period: "day" | "week" | "year", word: string): void => {
    const encoding = learnCyclic(days, period);
    if (encoding === undefined) return;
    const label = `${name} (${word})`;
    found.push({ label, encoding, became: word, names: [`${label} cos`, `${label} sin`] });
  };
  if (!clock && !isYear && span >= WEEKDAYS) cyclic("week", "weekday");
  if (!clock && !isYear && span >= SEASONS) cyclic("year", "season");
  if (clock || hours > present / 2) cyclic("day", "hour");
  if (found.length === 0) return "left out: constant";
  // With equal weights, the first part represents the column, beside the time since another date.
  return found.map((part, p) => ({ column: name, kind, ...part, share: p === 0 ? 1 : 0 }));
}

/** Rows and share of equal steps from which on dates number the rows. */
const REGULAR_ROWS = 10;
const REGULAR_SHARE = 0.9;
/** Months have 28 to 31 days. */
const STEP_WIDTH = 0.1;

/** Whether the rows are one at each step of time, as in the log of a sensor. */
function isRegular(days: Float64Array): boolean {
  const sorted = days.filter((day) => !Number.isNaN(day)).sort();
  if (sorted.length < REGULAR_ROWS || sorted.length < days.length) return false;
  const steps = sorted.subarray(1).map((day, i) => day - sorted[i]);
  const usual = quantile(steps.slice().sort(), 0.5);
  const equal = steps.filter((step) => Math.abs(step - usual) <= STEP_WIDTH * usual).length;
  return usual > 0 && equal >= REGULAR_SHARE * steps.length;
}

/**
 * Amounts that are often 0: money spent in a department, rain, visits. Whether there is any and how much there is are
 * two features (two-part model, Cragg 1971): a mark, which counts as it is related to other columns, and the amount where it is
 * not 0. As one number, the zeros lie far from most others and look like a cluster.
 */
export function amountColumns(table: Table, chosen: ReadonlySet<string>): Column[] {
  const used = table.columns.filter(
    ({ name, kind }) => chosen.has(name) && kind !== "id" && kind !== "constant" && kind !== "empty",
  );
  if (used.length < 2 || used.length > MOST_COLUMNS) return [];
  return used.filter((column) => column.kind === "number" && isAmount(numbersOf(column, table.rows)));
}

/** Rows of more columns are mostly counts of words or pixels: their zeros are numbers like others. */
const MOST_COLUMNS = 50;
const LEAST_ZEROS = 10;
const LEAST_SHARE = 0.1;
/** Number of other values, and the frequency of 0 relative to the most frequent of them. */
const VALUES = 10;
const TIMES = 2;

/** Whether 0 is the smallest number and too frequent for one of a smooth or rounded distribution. */
function isAmount(values: Float64Array): boolean {
  const counts = new Map<number, number>();
  let present = 0;
  for (const value of values) {
    if (value < 0) return false;
    if (Number.isNaN(value)) continue;
    present++;
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const zeros = counts.get(0) ?? 0;
  if (zeros < LEAST_ZEROS || zeros < LEAST_SHARE * present || counts.size <= VALUES) return false;
  counts.delete(0);
  for (const count of counts.values()) if (zeros < TIMES * count) return false;
  return true;
}

/** A mark for each amount: 1 where it is 0. `alone`: amounts of which there is no other feature. */
export function zeroMarks(amounts: readonly Column[], rows: number, alone: ReadonlySet<string>): Candidate[] {
  return amounts.map((column) => {
    const { name, kind } = column;
    const share = numbersOf(column, rows).reduce((sum, value) => sum + (value === 0 ? 1 : 0), 0) / rows;
    const spread = Math.sqrt(share * (1 - share)) || 1;
    const label = `zero: ${name}`;
    const became = "mark where 0";
    const encoding = { form: "mark", share, spread } as const;
    return { column: name, kind, label, names: [label], encoding, became, share: Number(alone.has(name)) };
  });
}
