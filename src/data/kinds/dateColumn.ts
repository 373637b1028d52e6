import type { Note } from "../../core/index.ts";
import { option } from "../../core/internal.ts";
import { numberColumn, plainName } from "./numberColumn.ts";
import { quoted } from "../files/budget.ts";
import type { ColumnReading } from "../columns/column.ts";
import { columnNote, MOST, read, shareOf, type Facts, type Typed } from "./columnFacts.ts";
import { findClock, findDate, findDuration, type FoundDate } from "./dates.ts";

export function declaredDate(facts: Facts): Typed {
  const days = facts.raw.numbers?.every((value) => value !== value || Math.floor(value) === value) ?? true;
  const reading: ColumnReading = { form: days ? "day" : "timestamp", dateOrder: "ymd" };
  return asYears(read(facts, "date", "the file says so", reading));
}

export function dates(facts: Facts, forced = false): Typed | undefined {
  const { raw, context } = facts;
  const { texts, counts } = facts.tally;
  if (!forced && shareOf(facts, (text) => findDate(text) !== undefined, false) < MOST) return undefined;
  // Whether day or month comes first: one number above 12 decides.
  let dayFirst = 0;
  let monthFirst = 0;
  let open = 0;
  let points = 0;
  let timed = 0;
  let found = 0;
  for (let k = 0; k < texts.length; k++) {
    const date: FoundDate | undefined = findDate(texts[k]);
    if (date === undefined) continue;
    found += counts[k];
    if (date.seconds !== undefined) timed += counts[k];
    if (!date.open) continue;
    open += counts[k];
    if (date.first > 12 && date.second <= 12) dayFirst += counts[k];
    else if (date.second > 12 && date.first <= 12) monthFirst += counts[k];
    if (/^\d{1,2}\./.test(texts[k])) points += counts[k];
  }
  if (!forced && found < MOST * facts.total) return undefined;
  if (found === 0) return undefined;
  const notes: Note[] = [];
  const otherOrder = (order: string): string =>
    `${option("as")} ${quoted(raw.name)}=date:${order === "dmy" ? "mdy" : "dmy"}`;
  let dateOrder: "dmy" | "mdy" | "ymd" = "ymd";
  let shows: Typed["shows"];
  let openOrder = false;
  if (open > 0) {
    if (dayFirst > 0 || monthFirst > 0) {
      dateOrder = monthFirst > dayFirst ? "mdy" : "dmy";
      shows = { order: dateOrder };
      if (Math.min(dayFirst, monthFirst) > 0) {
        const message =
          `${dayFirst} dates have the day first and ${monthFirst} the month; those that could be either are read ` +
          `${orderWord(dateOrder)} first; ${otherOrder(dateOrder)} reads them the other way`;
        notes.push(columnNote("mixed-dates", raw.name, message));
      }
    } else {
      openOrder = true;
      const european = points > open / 2 || (context.decimal ?? context.tableDecimal) === ",";
      dateOrder = context.tableOrder ?? (european ? "dmy" : "mdy");
      const message =
        `no date tells whether day or month comes first; read ${orderWord(dateOrder)} first ` +
        `(${otherOrder(dateOrder)} for the other)`;
      notes.push(columnNote("ambiguous-dates", raw.name, message));
    }
  }
  const form = timed > found / 2 ? "timestamp" : "day";
  const why = `${form === "day" ? "dates" : "dates with times"}${open === 0 || dateOrder === "ymd" ? "" : `, ${orderWord(dateOrder)} first`}`;
  const typed = asYears(read(facts, "date", why, { ...facts.base, form, dateOrder }, notes));
  return { ...typed, ...(shows && { shows }), ...(openOrder && { open: "order" as const }) };
}

/** Dates that are all the first of January are years: they have no weekday and no season. */
function asYears(typed: Typed): Typed {
  const { column } = typed;
  const years = new Set<number>();
  for (const day of column.values!) {
    if (day !== day) continue;
    const date = new Date(day * 86_400_000);
    if (date.getTime() !== Date.UTC(date.getUTCFullYear(), 0, 1)) return typed;
    years.add(date.getUTCFullYear());
  }
  if (years.size < 2) return typed;
  const reading = { ...column.reading, form: "year" };
  return { ...typed, column: { ...column, why: "years, written as their first day", reading } };
}

function orderWord(order: "dmy" | "mdy" | "ymd"): string {
  return order === "mdy" ? "month" : order === "dmy" ? "day" : "year";
}

const DURATION_NAME =
  /duration|dauer|length|elapsed|runtime|run time|laufzeit|split|lap|pace|durée|duración|took|wait/;
const CLOCK_NAME = /clock|uhr|time of day|start|end|arrival|departure|open|close|hour|heure|hora|beginn/;

/** hh:mm and hh:mm:ss: a time of day if the hours go round the clock, otherwise a duration. */
export function clocks(facts: Facts): Typed | undefined {
  const isClock = (text: string): boolean => findClock(text) !== undefined;
  if (shareOf(facts, isClock, false) < MOST) return undefined;
  let most = 0;
  let padded = 0;
  let half = 0;
  let seconds = 0;
  let all = 0;
  const { texts, counts } = facts.tally;
  for (let k = 0; k < texts.length; k++) {
    const found = findClock(texts[k]);
    if (found === undefined) continue;
    all += counts[k];
    most = Math.max(most, found.seconds);
    if (found.padded) padded += counts[k];
    if (found.half) half += counts[k];
    if (found.parts === 3) seconds += counts[k];
  }
  if (all < MOST * facts.total) return undefined;
  const name = plainName(facts.raw.name);
  const withinDay = most < 86_400;
  const round = most >= 12 * 3600 && (padded > 0.9 * all || seconds < 0.1 * all);
  const ofDay =
    half > 0 ||
    (withinDay && !DURATION_NAME.test(name) && (round || (CLOCK_NAME.test(name) && most >= 6 * 3600)));
  if (ofDay) return read(facts, "date", "times of day", { ...facts.base, form: "clock" });
  // Two numbers are minutes and seconds, unless hours are written as on a clock.
  const clock =
    seconds > 0.5 * all ? undefined : withinDay && padded > 0.9 * all ? ("h:m" as const) : ("m:s" as const);
  const reading: ColumnReading = { ...facts.base, form: "duration", unit: "s", ...(clock && { clock }) };
  return numberColumn(facts, reading, []);
}

export function durations(facts: Facts): Typed | undefined {
  const isDuration = (text: string): boolean => findDuration(text) !== undefined;
  if (shareOf(facts, isDuration, false) < MOST) return undefined;
  // One unit in all cells is an amount of that unit: "12 m" may as well be metres.
  const units = new Set(facts.sample.map((k) => facts.tally.texts[k].replaceAll(/[\d.,\s]+/g, " ").trim()));
  const several = facts.sample.some((k) => /\d\s*\p{L}\D*\d+\s*\p{L}/u.test(facts.tally.texts[k]));
  if (!several && (units.size <= 1 || unitFamily(units))) return undefined;
  return numberColumn(facts, { ...facts.base, form: "duration", unit: "s" }, []);
}

/** Metres and minutes: "m" beside "km" or "cm" is a length. */
function unitFamily(units: ReadonlySet<string>): boolean {
  return ["km", "cm", "mm"].some((unit) => units.has(unit));
}
