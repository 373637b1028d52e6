import type { ColumnKind, ColumnReading } from "../columns/column.ts";
import { compactDay } from "./dates.ts";

/** The kind of a column of numbers. */
export interface NumberKind {
  readonly kind: ColumnKind;
  readonly why: string;
  readonly reading: ColumnReading;
  /** Numbers that mark a missing value, with their counts. */
  readonly sentinels: readonly { readonly value: number; readonly count: number }[];
}

const SENTINELS = [-1, -9, -88, -98, -99, -888, -999, -9999, -99999, 99, 999, 9999, 99999, 999999];

const ID_NAME =
  /(?:^|[^a-z])(?:id|ids|nr|no|key|uuid|guid|num|number|nummer|index|idx|row|rownum|respondent|ref|reference|serial|account|isbn|ean|gtin|upc|imei|iban|ssn|mrn|pk|matricula|unnamed: 0)$/;
const CODE_NAME =
  /(?:^|[^a-z])(?:zip|zipcode|zip code|postcode|post code|postal code|postal|plz|cap|cp|icd|sku|code|fips|area code)$/;
/** Names of columns with few codes: 200, 404 and 500 are not amounts. */
const LEVEL_NAME = /(?:^|[^a-z])(?:code|status|type|category|region|department|dept)$/;
const YEAR_NAME = /(?:^|[^a-z])(?:year|yr|jahr|baujahr|annee|année|ano|año|anno|vintage)(?:$|[^a-z])/;
const TIME_NAME =
  /time|date|stamp|epoch|(?:^|[^a-z])ts(?:$|[^a-z])|_at$|created|updated|modified|zeit|datum|fecha|login|last seen/;

const DATE_NAME = /(?:^|[^a-z])(?:date|datum|fecha|dob|birthday)(?:$|[^a-z])/;

/** Names that always mean an id: their numbers are not amounts, even if they repeat. */
const KEY_NAME = /(?:^|[^a-z])(?:id|ids|uuid|guid|key|pk)$/;

/**
 * A name in lower case with separate words: "customerID" and "Customer-Nr." as "customer id" and "customer
 * nr".
 */
export function plainName(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replaceAll(/[\s_.-]+/g, " ")
    .trim();
}

export function isIdName(name: string): boolean {
  return ID_NAME.test(plainName(name));
}

export function isCodeName(name: string): boolean {
  return CODE_NAME.test(plainName(name));
}

/**
 * Decides the kind of a column of numbers by one pass over it and by a sorted sample.
 *
 * @param values NaN where missing
 * @param reading how the cells became numbers
 * @param strict takes no number for a mark of a missing value
 */
export function numberKind(
  name: string,
  values: Float64Array,
  reading: ColumnReading,
  strict: boolean,
): NumberKind {
  const rows = values.length;
  const bare = reading.form === undefined;
  let pass = onePass(values, undefined);
  const sentinels: { value: number; count: number }[] = [];
  if (!strict) {
    for (const value of SENTINELS) {
      if (value !== pass.min && value !== pass.max) continue;
      const count = sentinelCount(values, value, pass.count);
      if (count === 0) continue;
      sentinels.push({ value, count });
      pass = onePass(values, new Set(sentinels.map((sentinel) => sentinel.value)));
    }
  }
  const { count, whole, min, max, few } = pass;
  const base: ColumnReading =
    sentinels.length === 0
      ? reading
      : {
          ...reading,
          missingMarks: [...(reading.missingMarks ?? []), ...sentinels.map(({ value }) => String(value))],
        };
  const made = (kind: ColumnKind, why: string, more: ColumnReading = {}): NumberKind => ({
    kind,
    why,
    reading: { ...base, ...more },
    sentinels,
  });
  if (count === 0) return made("empty", "no cell holds a value");
  const levels = few?.map(String) ?? [];
  const different = few?.length ?? Infinity;
  const codes = (all: readonly string[]): NumberKind =>
    made("category", `codes, ${all.length} levels`, { levels: all, form: "code" });
  if (different === 1) {
    if (count >= rows / 2) return made("constant", `always ${levels[0]}`, { levels });
    return made("category", `${levels[0]} or empty`, { levels });
  }
  const day = bare && whole ? dateForm(name, values, pass) : undefined;
  if (day !== undefined) return made("date", day.why, { dateOrder: day.order });
  if (bare && whole && !YEAR_NAME.test(plainName(name))) {
    const isDense = count > 30 && count >= 0.9 * rows && max - min + 1 <= 2 * rows;
    if (isIdName(name) && count >= 5 && isDifferent(values, pass, NAMED_SHARE))
      return made("id", "whole numbers, mostly different, and the name says so");
    if (rises(values, pass) || (isDense && isDifferent(values, pass, DIFFERENT)))
      return made("id", "numbers the rows");
  }
  if (bare && whole && KEY_NAME.test(plainName(name)))
    return different >= 10 ? made("id", "the name says so") : codes(levels);
  if (bare && whole) {
    if (isCodeName(name) && different > 11) {
      const all = distinctValues(values);
      return all.length >= 0.5 * count ? made("id", "codes, mostly different") : codes(all.map(String));
    }
    if (few !== undefined && different > 2 && LEVEL_NAME.test(plainName(name))) return codes(levels);
    // Two rows with two numbers show no levels.
    if (different === 2 && count > 2) {
      const form = min === 0 && max === 1 ? { form: "yes-no" } : {};
      return made("category", `2 values, ${levels.join(" and ")}`, { levels, ...form });
    }
    if (different <= 11 && min >= -5 && max <= 11) {
      const all = Array.from({ length: max - min + 1 }, (_, k) => String(min + k));
      return made("ordered", `whole numbers ${min} to ${max}`, { levels: all });
    }
  }
  return made("number", numberWords(reading, whole, min));
}

function numberWords(reading: ColumnReading, whole: boolean, min: number): string {
  switch (reading.form) {
    case "money":
      return `amounts in ${reading.unit}`;
    case "percentage":
      return "percentages";
    case "unit":
      return reading.units === undefined
        ? `amounts in ${reading.unit}`
        : `amounts, converted to ${reading.unit || "ones"}`;
    case "duration":
      return "lengths of time, in seconds";
    default: {
      const comma = reading.decimal === "," ? ", decimal comma" : "";
      return (whole && min >= 0 ? "whole numbers" : "numbers") + comma;
    }
  }
}

interface Pass {
  readonly count: number;
  readonly whole: boolean;
  readonly min: number;
  readonly max: number;
  /** The values in order, if they are few. */
  readonly few?: readonly number[];
}

const FEW = 64;

function onePass(values: Float64Array, without: ReadonlySet<number> | undefined): Pass {
  let count = 0;
  let whole = true;
  let min = Infinity;
  let max = -Infinity;
  const seen = new Set<number>();
  let last = Number.NaN;
  let open = true;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value !== value || (without !== undefined && without.has(value))) continue;
    count++;
    if (value < min) min = value;
    if (value > max) max = value;
    if (whole && Math.floor(value) !== value) whole = false;
    if (open && value !== last) {
      seen.add(value);
      if (seen.size > FEW) open = false;
      last = value;
    }
  }
  const few = open ? [...seen].sort((a, b) => a - b) : undefined;
  return { count, whole, min, max, ...(few && { few }) };
}

/** The count of an extreme value, if it is far from the others and repeated; otherwise 0. */
function sentinelCount(values: Float64Array, sentinel: number, count: number): number {
  let equal = 0;
  const rest: number[] = [];
  let min = Infinity;
  let max = -Infinity;
  const step = Math.max(1, Math.floor(values.length / 20_000));
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value !== value) continue;
    if (value === sentinel) {
      equal++;
      continue;
    }
    if (value < min) min = value;
    if (value > max) max = value;
    if (i % step === 0) rest.push(value);
  }
  if (equal < Math.max(3, 0.003 * count) || equal > 0.6 * count || rest.length < 3) return 0;
  // Among few values -1 is one of them: -1 and 1, or -1, 0 and 1.
  if (new Set(rest).size < (sentinel === -1 ? 4 : 2)) return 0;
  rest.sort((a, b) => a - b);
  const at = (p: number): number => rest[Math.min(rest.length - 1, Math.floor(p * rest.length))];
  const spread = Math.max(at(0.75) - at(0.25), 1e-9);
  const negative = sentinel < 0 && min >= 0 && (sentinel <= -9 || at(0.5) > 5);
  const below = sentinel < min && sentinel < at(0.25) - 5 * spread && sentinel < min - 0.5 * (max - min);
  const above = sentinel > max && sentinel > at(0.75) + 5 * spread && sentinel > max + 0.5 * (max - min);
  return negative || below || above ? equal : 0;
}

/** The share of different values from which on a column numbers the rows; and one named like a number of them. */
const DIFFERENT = 0.97;
const NAMED_SHARE = 0.3;
/** Rows and the share of them that rise by 1, from which on a column numbers the rows; months and hours begin again. */
const RISING_ROWS = 30;
const RISING = 0.9;
const RISING_DIFFERENT = 0.5;

/** Whether nearly every number is one more than that of the row before. */
function rises(values: Float64Array, pass: Pass): boolean {
  let steps = 0;
  for (let i = 1; i < values.length; i++) if (values[i] - values[i - 1] === 1) steps++;
  const isRising = steps >= RISING_ROWS && steps >= RISING * (values.length - 1);
  return isRising && isDifferent(values, pass, RISING_DIFFERENT);
}

/** Whether at least this share of the values is different; a sample gives a quick "no" if possible. */
function isDifferent(values: Float64Array, pass: Pass, share: number): boolean {
  if (pass.few !== undefined) return pass.few.length >= share * pass.count;
  const step = Math.max(1, Math.floor(values.length / 4096));
  const sample = new Set<number>();
  let looked = 0;
  for (let i = 0; i < values.length; i += step) {
    if (values[i] !== values[i]) continue;
    sample.add(values[i]);
    looked++;
  }
  if (share > 0.9 && sample.size < share * looked) return false;
  const span = pass.max - pass.min + 1;
  if (span <= 4 * values.length) {
    const seen = new Uint8Array(span);
    let different = 0;
    for (let i = 0; i < values.length; i++) {
      const at = values[i] - pass.min;
      if (at >= 0 && seen[at] === 0) {
        seen[at] = 1;
        different++;
      }
    }
    return different >= share * pass.count;
  }
  return distinctValues(values).length >= share * pass.count;
}

function distinctValues(values: Float64Array): number[] {
  const order = values.filter((value) => value === value).sort();
  const distinct: number[] = [];
  for (const value of order) if (distinct[distinct.length - 1] !== value) distinct.push(value);
  return distinct;
}

/**
 * 20240301; and seconds or milliseconds since 1970 or days of a spreadsheet, only under a name that
 * indicates time.
 */
function dateForm(
  name: string,
  values: Float64Array,
  { min, max, count, few }: Pass,
): { readonly order: "compact" | "epoch-s" | "epoch-ms" | "serial"; readonly why: string } | undefined {
  const timely = TIME_NAME.test(name.toLowerCase());
  const many = timely || few === undefined || few.length > 3;
  const days8 = min >= 18_000_101 && max <= 22_001_231;
  const months6 = min >= 190_001 && max <= 210_012 && count >= 20;
  if ((days8 || months6) && many) {
    let days = 0;
    for (let i = 0; i < values.length; i++) {
      if (values[i] === values[i] && compactDay(values[i]) !== undefined) days++;
    }
    if (days >= 0.98 * count) {
      return { order: "compact", why: `dates written as ${days8 ? "20240301" : "202403"}` };
    }
  }
  if (!timely) return undefined;
  // From 1990 to 2060.
  if (DATE_NAME.test(plainName(name)) && min >= 32_874 && max <= 58_804) {
    return { order: "serial", why: "days as spreadsheets count them" };
  }
  if (min >= 631_152_000 && max <= 2_840_140_800) return { order: "epoch-s", why: "seconds since 1970" };
  if (min >= 631_152_000_000 && max <= 2_840_140_800_000) {
    return { order: "epoch-ms", why: "milliseconds since 1970" };
  }
  return undefined;
}
