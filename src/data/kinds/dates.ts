import words from "../words/months.json.ts";

/**
 * Dates and times as people write them. A date whose first two numbers may be day and month in either order
 * leaves the order open; the whole column decides.
 */
export interface FoundDate {
  readonly year: number;
  /** Day and month; `open` dates have them in the written order. */
  readonly first: number;
  readonly second: number;
  readonly open: boolean;
  /** Seconds of the day; undefined if no time is given. */
  readonly seconds?: number;
}

/** An offset from UTC, or the name of a zone, whose time is taken as it is written. */
const ZONE = "(Z|(?:UTC|GMT)?\\s?[+-]\\d{1,2}(?::?\\d{2})?|UTC|GMT|[A-Z]{1,4}T)";
const TIME =
  "(?:(?:T|,?\\s+(?:at\\s+|um\\s+)?|:)(\\d{1,2}):(\\d{2})(?::(\\d{2}(?:[.,]\\d+)?))?\\s*([AaPp]\\.?[Mm]\\.?)?" +
  `\\s*(?:Uhr|${ZONE})?)?`;
const YEAR_FIRST = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${TIME}$`);
const YEAR_LAST = new RegExp(`^(\\d{1,2})([-/.])\\s?(\\d{1,2})\\2\\s?(\\d{4}|\\d{2})${TIME}$`);
const DAY_MONTH_NAME = new RegExp(
  `^(?:\\p{L}{2,10}\\.?,?\\s+)?(\\d{1,2})(?:\\.|st|nd|rd|th)?[\\s/-]*(?:de\\s+)?(\\p{L}{3,10})\\.?[\\s,/-]*(?:de\\s+)?(\\d{4}|\\d{2})${TIME}$`,
  "u",
);
const MONTH_NAME_DAY = new RegExp(
  `^(?:\\p{L}{3,9}\\.?,?\\s+)?(\\p{L}{3,10})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})${TIME}$`,
  "u",
);
/** The year after the time: "Sat Feb 17 02:07:27 2024", "Sat Feb 17 02:07:27 +0000 2024". */
const YEAR_AT_END = new RegExp(
  `^(?:\\p{L}{3}\\s+)?(\\p{L}{3})\\s+(\\d{1,2})\\s+(\\d{2}):(\\d{2}):(\\d{2}(?:\\.\\d+)?)()\\s+(?:${ZONE}\\s+)?(\\d{4})$`,
  "u",
);
/** "2024年2月17日 14:05", "2024년 2월 17일", "2024年2月". */
const EAST_ASIAN = new RegExp(
  `^(\\d{4})\\s?[年년]\\s?(\\d{1,2})\\s?[月월](?:\\s?(\\d{1,2})\\s?[日일]${TIME})?$`,
);
const COMPACT = /^((?:19|20)\d{2})(0[1-9]|1[0-2])([0-2]\d|3[01])(?:T(\d{2})(\d{2})(\d{2})()(Z)?)?$/;
const YEAR_MONTH = /^(\d{4})[-/](0[1-9]|1[0-2])$/;
const MONTH_NUMBER_YEAR = /^(0?[1-9]|1[0-2])[-/]((?:19|20)\d{2})$/;
const MONTH_YEAR = /^(\p{L}{3,10})\.?[\s-]+(\d{4}|'?\d{2})$/u;
const QUARTER = /^(?:(\d{4})[\s-]?Q([1-4])|Q([1-4])[\s/-]?(\d{4}))$/i;

const MONTHS: ReadonlyMap<string, number> = new Map(
  words.months.flatMap((names, k) => names.map((name) => [name, k + 1] as const)),
);

/** Forms of dates: the groups of year, month, day and time in the order in which they are tried. */
const FORMS: readonly {
  readonly pattern: RegExp;
  readonly year: number;
  readonly month: number;
  readonly day?: number;
  readonly time?: number;
  /** Month and day may be exchanged. */
  readonly open?: boolean;
}[] = [
  { pattern: YEAR_FIRST, year: 1, month: 3, day: 4, time: 5 },
  { pattern: YEAR_LAST, day: 1, month: 3, year: 4, time: 5, open: true },
  { pattern: COMPACT, year: 1, month: 2, day: 3, time: 4 },
  { pattern: YEAR_MONTH, year: 1, month: 2 },
  { pattern: MONTH_NUMBER_YEAR, month: 1, year: 2 },
  { pattern: EAST_ASIAN, year: 1, month: 2, day: 3, time: 4 },
  { pattern: DAY_MONTH_NAME, day: 1, month: 2, year: 3, time: 4 },
  { pattern: MONTH_NAME_DAY, month: 1, day: 2, year: 3, time: 4 },
  { pattern: YEAR_AT_END, month: 1, day: 2, time: 3, year: 8 },
  { pattern: MONTH_YEAR, month: 1, year: 2 },
];

export function findDate(text: string): FoundDate | undefined {
  if (text.length > 40) {
    // The long name of a zone, after its offset.
    const at = text.length > 80 ? -1 : text.indexOf(" (");
    return at < 0 || at > 40 || !text.endsWith(")") ? undefined : findDate(text.slice(0, at));
  }
  if (text.length < 6) return undefined;
  const iso = isoDate(text);
  if (iso !== undefined) return iso;
  const isDigit = text.charCodeAt(0) >= 48 && text.charCodeAt(0) <= 57;
  for (const { pattern, year, month, day = 0, time, open = false } of isDigit ? FORMS : NAMED_FIRST) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const name = found[month];
    const second = /^\d/.test(name) ? Number(name) : MONTHS.get(name.toLowerCase());
    if (second === undefined) return undefined;
    const first = day === 0 ? 1 : Number(found[day] ?? 1);
    const seconds = time === undefined ? undefined : timeOf(found, time);
    return made(fullYear(found[year].replace("'", "")), first, second, open, seconds);
  }
  const quarter = QUARTER.exec(text);
  if (quarter === null) return undefined;
  const [, year, before, after, last] = quarter;
  return made(Number(year ?? last), 1, Number(before ?? after) * 3 - 2, false, undefined);
}

/** Those that may begin with a word. */
const NAMED_FIRST = FORMS.slice(6);

/** 2024-03-01 and 2024-03-01T10:20:30, the most common form, without a regular expression. */
function isoDate(text: string): FoundDate | undefined {
  const { length } = text;
  if ((length !== 10 && length !== 19) || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45)
    return undefined;
  const month = two(text, 5);
  const day = two(text, 8);
  const year = two(text, 0) * 100 + two(text, 2);
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= 31)) return undefined;
  if (length === 10) return { year, first: day, second: month, open: false };
  const mark = text.charCodeAt(10);
  if ((mark !== 84 && mark !== 32) || text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58)
    return undefined;
  const hour = two(text, 11);
  const minute = two(text, 14);
  const second = two(text, 17);
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  return { year, first: day, second: month, open: false, seconds: hour * 3600 + minute * 60 + second };
}

/** Two digits as a number, or NaN. */
function two(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

function made(
  year: number,
  first: number,
  second: number,
  open: boolean,
  seconds: number | null | undefined,
): FoundDate | undefined {
  if (seconds === null || first > 31 || second > 31 || first < 1 || second < 1) return undefined;
  if (!open && second > 12) return undefined;
  return { year, first, second, open, ...(seconds !== undefined && { seconds }) };
}

function fullYear(text: string): number {
  const year = Number(text);
  return text.length > 2 ? year : year + (year < 70 ? 2000 : 1900);
}

/** Seconds of the day, minus the offset from UTC if there is one; null for an impossible time. */
function timeOf(found: RegExpExecArray, at: number): number | null | undefined {
  const [hour, minute, second, half, zone] = found.slice(at, at + 5);
  if (hour === undefined) return undefined;
  const h = hourOf(hour, half);
  const s = Number((second ?? "0").replace(",", "."));
  if (!(h <= 24) || Number(minute) > 59 || s >= 61) return null;
  const [, sign, hours, minutes] = /([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(zone ?? "") ?? [];
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === "-" ? -60 : 60);
  return h * 3600 + Number(minute) * 60 + s - offset;
}

/** NaN where am or pm follows an hour that no clock has. */
function hourOf(text: string, half: string | undefined): number {
  const hour = Number(text);
  if (half === undefined || half === "") return hour;
  return hour >= 1 && hour <= 12 ? (hour % 12) + (/^p/i.test(half) ? 12 : 0) : Number.NaN;
}

/** Days since 1970-01-01, undefined for an impossible day. */
export function dayNumber(date: FoundDate, order: "dmy" | "mdy"): number | undefined {
  const swap = date.open && order === "mdy";
  const day = swap ? date.second : date.first;
  const month = swap ? date.first : date.second;
  const found = new Date(0);
  found.setUTCFullYear(date.year, month - 1, day);
  if (month > 12 || found.getUTCDate() !== day) return undefined;
  return found.getTime() / 86_400_000 + (date.seconds ?? 0) / 86_400;
}

/** 20240301 as a day, 202403 as the first of a month; otherwise undefined. */
export function compactDay(value: number): number | undefined {
  if (!Number.isInteger(value)) return undefined;
  const full = value >= 1e6 ? value : value * 100 + 1;
  const year = Math.floor(full / 10_000);
  const month = Math.floor(full / 100) % 100;
  const day = full % 100;
  if (year < 1800 || year > 2200 || month < 1 || day < 1) return undefined;
  return dayNumber({ year, first: day, second: month, open: false }, "dmy");
}

const CLOCK = /^(\d{1,3}):(\d{2})(?::(\d{2}(?:[.,]\d+)?))?\s*([AaPp]\.?[Mm]\.?)?$/;

export interface FoundClock {
  readonly seconds: number;
  readonly padded: boolean;
  readonly parts: number;
  /** Written with am or pm. */
  readonly half: boolean;
}

/** "14:05", "2:05 pm", "00:03:12". */
export function findClock(text: string): FoundClock | undefined {
  const found = CLOCK.exec(text);
  if (found === null) return undefined;
  const [, a, b, c, half] = found;
  const s = Number((c ?? "0").replace(",", "."));
  const h = hourOf(a, half);
  if (Number(b) > 59 || s >= 60 || Number.isNaN(h)) return undefined;
  return {
    seconds: h * 3600 + Number(b) * 60 + s,
    padded: a.length >= 2,
    parts: c === undefined ? 2 : 3,
    half: half !== undefined,
  };
}

const N = "(\\d+(?:[.,]\\d+)?)\\s*";
const DURATION = new RegExp(
  `^(?:${N}(?:y|yr|yrs|years?|jahre?n?|ans?)\\.?,?\\s*)?(?:${N}(?:mo|mos|months?|monate?n?|mois)\\.?,?\\s*)?` +
    `(?:${N}(?:w|wk|wks|weeks?|wochen?)\\.?,?\\s*)?(?:${N}(?:d|days?|tage?n?|jours?)\\.?,?\\s*)?` +
    `(?:${N}(?:h|hr|hrs|hours?|std|stunden?|heures?)\\.?,?\\s*)?(?:${N}(?:m|min|mins|minutes?|minuten?)\\.?,?\\s*)?` +
    `(?:${N}(?:s|sec|secs|seconds?|sekunden?|sek|secondes?)\\.?)?$`,
  "i",
);
const ISO_DURATION =
  /^P(?:([\d.]+)Y)?(?:([\d.]+)M)?(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$/;
const SECONDS = [31_557_600, 2_629_800, 604_800, 86_400, 3600, 60, 1];

/** "1 h 20 min", "3 days", "PT1H30M": seconds; otherwise undefined. */
export function findDuration(text: string): number | undefined {
  const code = text.charCodeAt(0);
  const found = code === 80 ? ISO_DURATION.exec(text) : code >= 48 && code <= 57 ? DURATION.exec(text) : null;
  if (found === null) return undefined;
  let seconds = 0;
  let any = false;
  for (let k = 0; k < 7; k++) {
    if (found[k + 1] === undefined) continue;
    any = true;
    seconds += Number(found[k + 1].replace(",", ".")) * SECONDS[k];
  }
  return any ? seconds : undefined;
}
