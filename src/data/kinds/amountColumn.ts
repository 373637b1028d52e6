import type { Note } from "../../core/index.ts";
import { note, option, plural } from "../../core/internal.ts";
import { amountParts, amountValue, decimalVote, isAmbiguous, isCurrency } from "./amount.ts";
import { applyReading } from "../columns/applyReading.ts";
import { listed } from "../cells/columnNames.ts";
import { quoted } from "../cells/memoryLimit.ts";
import type { RawColumn } from "../cells/rawColumn.ts";
import type { ColumnReading } from "../columns/column.ts";
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
import { numberKind } from "./numberKind.ts";
import { isOutOf, unitFactors } from "./units.ts";

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
