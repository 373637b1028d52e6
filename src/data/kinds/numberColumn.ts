import type { Note } from "../../core/index.ts";
import { note, option, plural, listed } from "../../core/internal.ts";
import {
  amountParts,
  amountValue,
  decimalVote,
  isAmbiguous,
  isCurrency,
  isOutOf,
  unitFactors,
} from "./amount.ts";
import { applyReading } from "../columns/applyReading.ts";
import { type RawColumn } from "../cells/rawColumn.ts";
import { quoted } from "../files/budget.ts";
import type { ColumnReading, ColumnKind } from "../columns/column.ts";
import {
  columnNote,
  HALF,
  marksNote,
  MOST,
  read,
  shareOf,
  unreadNotes,
  type Facts,
  type Typed,
} from "./columnFacts.ts";
import { compactDay } from "./dates.ts";

const FEW_WORDS = 5;

export function amounts(facts: Facts, forced = false): Typed | undefined {
  const { raw, context } = facts;
  const { texts, counts } = facts.tally;
  const share = shareOf(facts, (text) => amountParts(text) !== undefined, true);
  if (share < (forced ? 0 : HALF)) return undefined;
  // Codes: leading zeros, or more digits than a number holds.
  const coded = shareOf(facts, (text) => /^0\d+$/.test(text) || /^-?\d{16,}$/.test(text), false);
  if (!forced && coded > 0.05) return undefined;
  const units = new Map<string, number>();
  const others: number[] = [];
  let points = 0;
  let commas = 0;
  let ambiguous = 0;
  let passed = facts.numbers;
  let bounded = 0;
  for (let k = 0; k < texts.length; k++) {
    const parts = amountParts(texts[k]);
    if (parts === undefined) {
      others.push(k);
      continue;
    }
    passed += counts[k];
    units.set(parts.unit, (units.get(parts.unit) ?? 0) + counts[k]);
    if (parts.bounded) bounded += counts[k];
    // A number with an exponent has no thousands marks.
    const scientific = parts.exponent === "" ? undefined : /[.,]/.exec(parts.digits)?.[0];
    const vote = (scientific as "." | "," | undefined) ?? decimalVote(parts.digits);
    if (vote === ".") points += counts[k];
    else if (vote === ",") commas += counts[k];
    else if (isAmbiguous(parts.digits)) ambiguous += counts[k];
  }
  if (facts.numbers > 0) {
    units.set("", (units.get("") ?? 0) + facts.numbers);
    if (raw.numbers!.some((value) => value % 1 !== 0 && value === value)) {
      if (context.tableDecimal === ",") commas += facts.numbers;
      else points += facts.numbers;
    }
  }
  const fewWords =
    others.length <= FEW_WORDS && others.every((k) => !/\d/.test(texts[k]) && texts[k].length <= 30);
  const enough = passed >= MOST * facts.total || (fewWords && passed >= HALF * facts.total);
  if (!forced && !enough) return undefined;
  // "3/5" without decimals is a step of a scale, and "1/2" a date or a share.
  if (!forced && points + commas === 0 && [...units.keys()].some(isOutOf)) return undefined;
  const family = unitFactors(units);
  if (family === undefined && !forced) return undefined;
  const shown: "." | "," | undefined = commas > points ? "," : points > 0 ? "." : undefined;
  const decimal = context.decimal ?? shown ?? byGroups(facts) ?? context.tableDecimal ?? ".";
  // Marks that make no sense with this decimal mark show that the cells are not amounts: 192.168.1.1, 3.12.4.
  let senseless = 0;
  for (const k of facts.sample) {
    const parts = amountParts(texts[k]);
    if (parts !== undefined && (amountValue(parts, ".") ?? amountValue(parts, ",")) === undefined)
      senseless += counts[k];
  }
  if (!forced && senseless > (1 - MOST) * facts.weight) return undefined;

  const notes: Note[] = [];
  const marks: string[] = [];
  if (others.length > 0 && fewWords && !context.strict) {
    // Repeated words among many different numbers are marks of missing cells; a few odd cells are mistakes.
    const repeated = others.filter((k) => counts[k] >= 2 || others.length <= 2);
    if (!forced && passed < MOST * facts.total && !manyNumbers(facts)) return undefined;
    for (const k of repeated) marks.push(texts[k]);
    const rows = repeated.reduce((sum, k) => sum + counts[k], 0);
    if (marks.length > 0) notes.push(marksNote(raw.name, marks, rows, " among numbers"));
  }
  if (ambiguous > 0 && shown === undefined && context.decimal === undefined) {
    const example = texts.find((text) => isAmbiguous(amountParts(text)?.digits ?? ""));
    const message =
      `"${example}" could have a decimal or a thousands mark; "${decimal}" is taken as the ` +
      `decimal mark (${option("decimal")} ${decimal === "." ? "," : "."} for the other)`;
    notes.push(columnNote("ambiguous-decimal", raw.name, message));
  }
  if (family?.mixed === true) notes.push(currenciesNote(raw.name, units));
  if (family?.foreign !== undefined) {
    const message =
      `column "${raw.name}" holds amounts in ${family.unit}; ${listed(family.foreign)} cannot be converted to ` +
      `it, so these cells count as missing`;
    notes.push(note("foreign-units", message, { column: raw.name, values: family.foreign }));
  }
  if (family?.remarks !== undefined) {
    const signs = family.remarks.map((sign) => `"${sign}"`);
    const message =
      `${listed(signs)} after some of the numbers is taken as a remark, not as a unit; ` +
      `${option("as")} ${quoted(raw.name)}=category keeps it`;
    notes.push(columnNote("remarks", raw.name, message, { values: family.remarks }));
  }
  if (bounded > 0) notes.push(boundedNote(raw.name, texts, bounded));
  const unit = family?.unit ?? "";
  const form = amountForm(unit, family?.factors !== undefined);
  const reading: ColumnReading = {
    ...facts.base,
    ...(form !== undefined && { form }),
    decimal,
    ...(unit !== "" && { unit }),
    ...(family?.factors !== undefined && { units: family.factors }),
    ...(family?.offsets !== undefined && { offsets: family.offsets }),
    ...(marks.length > 0 && { missingMarks: [...(facts.base.missingMarks ?? []), ...marks] }),
  };
  const typed = numberColumn(facts, reading, notes, forced);
  return {
    ...typed,
    ...(shown !== undefined && { shows: { decimal: shown } }),
    ...(shown === undefined && ambiguous > 0 && { open: "decimal" as const }),
  };
}

/**
 * "€ 1.025" beside "€ 319": with decimals of a fixed number every cell would have the mark, and decimals without closing
 * zeros end in none. So the mark groups thousands if smaller whole numbers have none, and money or a closing zero is seen.
 * If no other column shows its mark, "€ 63.378" in every cell is money in thousands, too: prices with three decimals
 * (of fuel) have one digit before them.
 */
function byGroups({ tally: { texts }, numbers, context }: Facts): "." | "," | undefined {
  if (numbers > 0) return undefined;
  const marks = new Set<string>();
  let [plain, likely, money] = [0, false, context.tableDecimal === undefined];
  for (const text of texts) {
    const parts = amountParts(text);
    if (parts === undefined) continue;
    const { digits, unit } = parts;
    money &&= isCurrency(unit) && /^\d{2,3}[.,]/.test(digits);
    if (isAmbiguous(digits)) {
      marks.add(/[.,]/.exec(digits)![0]);
      likely ||= digits.endsWith("0") || isCurrency(unit);
    } else if (/^\d{1,3}$/.test(digits)) plain++;
    else return undefined;
  }
  if ((plain === 0 && !money) || !likely || marks.size !== 1) return undefined;
  return marks.has(".") ? "," : ".";
}

function amountForm(unit: string, several: boolean): string | undefined {
  if (unit === "") return several ? "unit" : undefined;
  if (isCurrency(unit)) return "money";
  return unit === "%" || unit === "‰" ? "percentage" : "unit";
}

/** Whether the numbers of a column with words are more than a few codes. */
function manyNumbers({ raw, tally }: Facts): boolean {
  const seen = new Set<number | string>();
  if (raw.numbers !== undefined) {
    for (const value of raw.numbers) {
      if (value !== value) continue;
      if (value % 1 !== 0) return true;
      seen.add(value);
      if (seen.size > 11) return true;
    }
  }
  for (const text of tally.texts) {
    if (amountParts(text) === undefined) continue;
    seen.add(text);
    if (seen.size > 11) return true;
  }
  return false;
}

/** Reads numbers, then examines them: they may be ids, levels or dates. */
export function numberColumn(facts: Facts, reading: ColumnReading, notes: Note[], forced = false): Typed {
  const { raw, context } = facts;
  const { rows, strict } = context;
  const applied = applyReading({ name: raw.name, kind: "number", reading }, raw, rows);
  const values = applied.column.values!;
  // Asked for as numbers, no number is a mark.
  const found = numberKind(raw.name, values, reading, strict || forced);
  for (const { value, count } of found.sentinels) {
    const message =
      `${value} (${plural(count, "row")}) stands apart from the other numbers and counts as missing; ` +
      `${option("as")} ${quoted(raw.name)}=number keeps it`;
    notes.push(columnNote("sentinel", raw.name, message, { cells: count, values: [String(value)] }));
  }
  // Amounts are never levels or ids.
  const isAmount = reading.form === "money" || reading.form === "unit" || reading.form === "percentage";
  const isOther = (found.kind === "id" || found.kind === "category") && isAmount && raw.codes !== undefined;
  const kind = forced || isOther ? "number" : found.kind;
  notes.push(...unreadNotes({ ...applied, column: { ...applied.column, kind } }, context));
  const { unread } = applied;
  if (kind === "number" && found.sentinels.length === 0)
    return { column: { ...applied.column, why: found.why, reading: found.reading }, notes, unread };
  // Numbers that were written as text are levels as numbers: their values are used.
  const source: RawColumn =
    raw.codes === undefined || kind === "number" ? raw : { name: raw.name, numbers: values };
  const { column } = read({ raw: source, context }, kind, found.why, found.reading);
  return { column, notes, unread };
}

/** What is to be said of the amounts of a column that a model reads, whatever its own rows were. */
export function amountNotes({ name, texts = [], codes = new Int32Array(0) }: RawColumn): Note[] {
  const counts = new Int32Array(texts.length);
  for (const code of codes) if (code >= 0) counts[code]++;
  const units = new Map<string, number>();
  let bounded = 0;
  for (const [k, text] of texts.entries()) {
    const parts = amountParts(text);
    if (parts === undefined) continue;
    units.set(parts.unit, (units.get(parts.unit) ?? 0) + counts[k]);
    if (parts.bounded) bounded += counts[k];
  }
  return [
    ...(unitFactors(units)?.mixed === true ? [currenciesNote(name, units)] : []),
    ...(bounded > 0 ? [boundedNote(name, texts, bounded)] : []),
  ];
}

function currenciesNote(column: string, units: ReadonlyMap<string, number>): Note {
  const all = [...units.keys()].filter((unit) => unit !== "").sort();
  const message = `column "${column}" holds several currencies (${all.join(", ")}), which are not converted`;
  return note("mixed-units", message, { column, values: all });
}

function boundedNote(column: string, texts: readonly string[], cells: number): Note {
  const example = texts.find((text) => amountParts(text)?.bounded === true);
  const which = cells === 1 ? `1 cell, "${example}", is` : `${cells} cells such as "${example}" are`;
  return columnNote("bounded", column, `${which} read without the sign`, { cells });
}

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
  let i = 0;
  // Most columns of fractions are known as such after some values.
  for (; i < values.length; i++) {
    if (!open && !whole && without === undefined) break;
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
  for (; i < values.length; i++) {
    const value = values[i];
    if (value !== value) continue;
    count++;
    if (value < min) min = value;
    if (value > max) max = value;
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
