import units from "../words/units.json.ts";

/**
 * Amounts as people write them: "$1,188.58", "1.188,58 EUR", "(12.5)", "12 %", "1.2 kg", "1'234", "3.4e-5", "< 5".
 */
export interface AmountParts {
  readonly negative: boolean;
  /** The digits with the marks between them. */
  readonly digits: string;
  readonly exponent: string;
  /** Currency or unit, "" if there is none. */
  readonly unit: string;
  /** Written with <, > or ~. */
  readonly bounded: boolean;
}

const CURRENCY =
  "[$€£¥₹₽₩₺₴₪฿]|(?:US|A|C|R|NZ|HK|S)\\$|EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|RON|INR|AUD|CAD|NZD|BRL|MXN|" +
  "ZAR|TRY|RUB|KRW|SGD|HKD|kr\\.?|Kč|zł|Fr\\.?|Rs\\.?|Ft";
const AMOUNT = new RegExp(
  `^([<>~≈≤≥]=?\\s*)?(\\(\\s*)?([-+−–]\\s*)?(${CURRENCY})?\\s*([-−]\\s*)?` +
    "(\\d(?:[\\d.,'’ \\u00a0\\u202f\\u2009]*\\d)?[.,]?|[.,]\\d+)([eE][-+]?\\d{1,3})?" +
    "\\s*([^\\d\\s,.;:>|/()_'\"-][^\\d;:>|()_'\"]{0,14}[²³]?)?(\\s*\\)|-)?$",
);
/** A currency and nothing else. */
const CURRENCIES: RegExp = new RegExp(`^(?:${CURRENCY})$`);

export function amountParts(text: string): AmountParts | undefined {
  const plain = plainParts(text);
  if (plain !== undefined) return plain;
  const found = AMOUNT.exec(text);
  if (found === null) return ratingParts(text) ?? heightParts(text) ?? partsBefore(text);
  const [, bound, open, sign, before, sign2, digits, exponent, after, close] = found;
  if ((open === undefined) !== (close === undefined || close === "-")) return undefined;
  const minus = (mark: string | undefined): boolean => mark !== undefined && !mark.startsWith("+");
  const unit = currencyFirst(after?.trim() ?? "");
  if (before !== undefined && unit !== "" && !MULTIPLES.has(unit) && !CURRENCIES.test(unit)) return undefined;
  return {
    negative: open !== undefined || close === "-" || minus(sign) !== minus(sign2),
    digits,
    exponent: exponent ?? "",
    unit: before === undefined ? unit : MULTIPLES.has(unit) ? before + unit : before,
    bounded: bound !== undefined,
  };
}

/** "Mio. €", "k€" and "TEUR" as "€Mio.", "€k" and "EURTsd", like "€1.2k". */
function currencyFirst(unit: string): string {
  if (unit.length < 2) return unit;
  const [, written, currency] = MULTIPLE_OF_CURRENCY.exec(unit) ?? [];
  const multiple = written === "T" ? "Tsd" : written;
  return MULTIPLES.has(multiple) ? `${currency}${multiple}` : unit;
}

const MULTIPLE_OF_CURRENCY = new RegExp(`^(\\p{L}+\\.?)\\s*(${CURRENCY})$`, "u");
const RATING =
  /^(\d{1,3}(?:[.,]\d{1,2})?)\s*(?:\/|out of|von)\s*(4|5|6|7|10|20|100)(?:\s+(?:stars?|points?|Sternen?|Punkten?))?$/;

/** "4.1/5" and "4.1 out of 5 stars": points out of so many, with the unit "/5". */
function ratingParts(text: string): AmountParts | undefined {
  const found = RATING.exec(text);
  if (found === null) return undefined;
  const [, digits, most] = found;
  if (Number(digits.replace(",", ".")) > Number(most)) return undefined;
  return { negative: false, digits, exponent: "", unit: `/${most}`, bounded: false };
}

const FEET_INCHES =
  /^(\d)\s*(?:['′’]|ft\.?|feet|foot)\s*(\d{1,2}(?:\.5)?)\s*(?:["″”]|''|in\.?|inch(?:es)?)?$/;

/** 5'9" and "5 ft 9 in" as 69 inches. */
function heightParts(text: string): AmountParts | undefined {
  const [, feet, inches] = FEET_INCHES.exec(text) ?? [];
  if (feet === undefined || Number(inches) >= 12) return undefined;
  const digits = String(12 * Number(feet) + Number(inches));
  return { negative: false, digits, exponent: "", unit: "inch", bounded: false };
}

const ENDS =
  /^(.*\S)(\s*["″”]|(?<=[\d\s](?:[kcdm]?m|ft|in))[23]|\s*\/\s*(?:h|hr|hour|d|day|night|wk|week|mo|month|yr|year|sqft|sqm|m²|m2|100\s?km|Stunde|Tag|Nacht|Woche|Monat|Jahr))$/;

/** A unit that ends in a sign for inches, in 2 or 3 for square and cubic, or in a rate: 13.3", "63 m2", "$85/hr". */
function partsBefore(text: string): AmountParts | undefined {
  const [, before, written] = ENDS.exec(text) ?? [];
  if (before === undefined) return undefined;
  const parts = /['’]/.test(before) ? undefined : amountParts(before);
  const end = /["″”]/.test(written) ? '"' : written.replaceAll(/\s/g, "");
  // Inches follow a number alone, the others follow a unit.
  return parts !== undefined && (parts.unit === "") === (end === '"')
    ? { ...parts, unit: parts.unit + end }
    : undefined;
}

/** "$1,188.58", "12 %", "1.2 kg", the most common forms, without a regular expression. */
function plainParts(text: string): AmountParts | undefined {
  const { length } = text;
  let p = 0;
  let c = text.charCodeAt(0);
  const money = c === 36 || c === 0x20ac || c === 0xa3; // $ € £
  if (money) c = text.charCodeAt(++p);
  const start = p;
  if (!(c >= 48 && c <= 57)) return undefined;
  while ((c >= 48 && c <= 57) || c === 44 || c === 46) c = text.charCodeAt(++p);
  const last = text.charCodeAt(p - 1);
  if (last === 44 || last === 46) return undefined;
  const digits = p === length && start === 0 ? text : text.slice(start, p);
  if (p === length) {
    return { negative: false, digits, exponent: "", unit: money ? text[0] : "", bounded: false };
  }
  if (money) return undefined;
  if (c === 32) c = text.charCodeAt(++p);
  const unit = p;
  if (c === 37) p++;
  else while ((c >= 97 && c <= 122) || (c >= 65 && c <= 90)) c = text.charCodeAt(++p);
  if (p !== length || p === unit || p - unit > 15) return undefined;
  return { negative: false, digits, exponent: "", unit: currencyFirst(text.slice(unit)), bounded: false };
}

/** A multiple after a currency: "$M", "€Mio.". */
const MULTIPLE_AT_END: RegExp = /(?:[kKmMB]|mn|bn|million|billion|(?:Tsd|Mio|Mrd)\.?)$/;

export function isCurrency(unit: string): boolean {
  return CURRENCIES.test(unit) || CURRENCIES.test(unit.replace(MULTIPLE_AT_END, ""));
}

/** The decimal mark that the digits imply, if any. */
export function decimalVote(digits: string): "." | "," | undefined {
  const point = digits.lastIndexOf(".");
  const comma = digits.lastIndexOf(",");
  if (point < 0 && comma < 0) return undefined;
  if (point >= 0 && comma >= 0) return comma > point ? "," : ".";
  const mark = point >= 0 ? "." : ",";
  const last = Math.max(point, comma);
  if (digits.indexOf(mark) !== last) return mark === "." ? "," : "."; // twice: it stands between thousands
  const decimals = digits.length - last - 1;
  const ambiguous = decimals === 3 && last >= 1 && last <= 3 && digits.charCodeAt(0) !== 48;
  return ambiguous ? undefined : mark;
}

/** Whether the digits could be read with either decimal mark: "1.234". */
export function isAmbiguous(digits: string): boolean {
  return /[.,]/.test(digits) && decimalVote(digits) === undefined;
}

const GROUPED = {
  ".": /^(?:\d+|\d{1,3}(?:([, '’\u00a0\u202f\u2009])\d{3})(?:\1\d{3})*|\d{1,2}(?:,\d{2})+,\d{3})?(?:\.\d*)?$/,
  ",": /^(?:\d+|\d{1,3}(?:([. '’\u00a0\u202f\u2009])\d{3})(?:\1\d{3})*)?(?:,\d*)?$/,
} as const;

/** The number that the digits spell, or undefined if the marks between them make no sense. */
export function amountValue(parts: AmountParts, decimal: "." | ","): number | undefined {
  let { digits } = parts;
  if (parts.exponent === "") {
    const value = shortValue(digits, decimal);
    if (value === value) return parts.negative ? -value : value;
  }
  if (!/^\d+$/.test(digits)) {
    if (!GROUPED[decimal].test(digits)) return undefined;
    digits =
      decimal === "." ? digits.replaceAll(/[^\d.]/g, "") : digits.replaceAll(/[^\d,]/g, "").replace(",", ".");
  }
  const value = Number(digits + parts.exponent);
  if (!Number.isFinite(value)) return undefined;
  return parts.negative ? -value : value;
}

/**
 * The number with at most 15 digits and correctly placed points or commas; NaN if it needs a closer look. A
 * whole number below 2^53 divided by a power of ten up to 10^22 is the nearest double (Clinger 1990).
 */
function shortValue(digits: string, decimal: "." | ","): number {
  const { length } = digits;
  const mark = decimal === "." ? 46 : 44;
  let value = 0;
  let count = 0;
  let point = -1;
  let group = -1; // the last thousands mark
  for (let p = 0; p < length; p++) {
    const c = digits.charCodeAt(p);
    if (c >= 48 && c <= 57) {
      value = value * 10 + (c - 48);
      count++;
      continue;
    }
    if (point >= 0) return Number.NaN;
    if (group < 0 ? c !== mark && (p < 1 || p > 3) : p - group !== 4) return Number.NaN;
    if (c === mark) point = p;
    else if (c === 90 - mark) group = p;
    else return Number.NaN;
  }
  if (count > 15 || count === 0 || (group >= 0 && point < 0 && length - group !== 4)) return Number.NaN;
  return point < 0 ? value : value / TENS[length - point - 1];
}

const TENS = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15] as const;

/** A number in plain notation and nothing else. */
export function plainNumber(text: string, decimal: "." | "," | undefined): number | undefined {
  const point = decimal === "," && !text.includes(".") ? text.replace(",", ".") : text;
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(point) ? Number(point) : undefined;
}

/** Words and letters for powers of ten. */
export const MULTIPLES: ReadonlyMap<string, number> = new Map(Object.entries(units.multiples));

/** How the units of a column become one. */
export interface UnitFactors {
  /** The unit of the column, "" if its numbers have none. */
  readonly unit: string;
  /** The factor of each other unit, and the offset after it: degrees Fahrenheit among degrees Celsius. */
  readonly factors?: Record<string, number>;
  readonly offsets?: Record<string, number>;
  /** Several currencies, which are not converted. */
  readonly mixed?: boolean;
  /** Units that cannot be converted to that of the column: mg/dL beside mmol/L. Their cells are missing. */
  readonly foreign?: readonly string[];
  /** Signs after some numbers that are no units: "12.4 H" for high among numbers without a unit. */
  readonly remarks?: readonly string[];
}

/** A number in one unit is `factor` times the number plus `offset` in another. */
export interface UnitConversion {
  readonly factor: number;
  readonly offset: number;
}

/**
 * The unit of a column and the factors of its others, relative to the most frequent one; undefined if the
 * units do not belong together and the column does not hold amounts.
 *
 * @param counts how often each unit comes, "" for none
 */
export function unitFactors(counts: ReadonlyMap<string, number>): UnitFactors | undefined {
  const named = [...counts]
    .filter(([unit]) => unit !== "")
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const bare = counts.get("") ?? 0;
  if (named.length === 0) return { unit: "" };
  const remarks = remarksOf(named, bare);
  if (remarks.length > 0) return { unit: "", remarks };
  const main = named[0][0];
  // "1,25 Mio" beside "345.000 €": multiples of that currency.
  if (isAmount(named)) return currencies(named.map(([unit]) => unit));
  // "m" alone is metres; beside "k" it is a million.
  const powers = named.every(([unit]) => MULTIPLES.has(unit)) && named.some(([unit]) => unit !== "m");
  if (powers && (bare > 0 || named.length > 1)) {
    return { unit: "", factors: Object.fromEntries(named.map(([unit]) => [unit, MULTIPLES.get(unit)!])) };
  }
  if (named.length === 1) return { unit: main };
  const factors: Record<string, number> = {};
  const offsets: Record<string, number> = {};
  const foreign: string[] = [];
  let [read, lost] = [bare, 0];
  for (const [unit, count] of named) {
    const found = unitConversion(unit, main);
    if (found === undefined) {
      foreign.push(unit);
      lost += count;
      continue;
    }
    read += count;
    factors[unit] = found.factor;
    if (found.offset !== 0) offsets[unit] = found.offset;
  }
  if (lost > read || (foreign.length > 0 && !named.every(([unit]) => isKnown(unit)))) return undefined;
  // Rooms and seats: 3A and 4B are no amperes beside bytes.
  if (foreign.length > 0 && named.every(([unit]) => unit.length === 1)) return undefined;
  const several = Object.values(factors).some((factor) => factor !== 1) || Object.keys(offsets).length > 0;
  // A number without a unit is taken in the most frequent one; if most have none, it could be any.
  if (several && bare > read - bare) return undefined;
  return {
    unit: main,
    ...(several && { factors }),
    ...(Object.keys(offsets).length > 0 && { offsets }),
    ...(foreign.length > 0 && { foreign }),
  };
}

/** The conversion of one unit to another of the same quantity: kg to g, °F to °C, g/L to mg/dL; undefined if there is none. */
export function unitConversion(from: string, to: string): UnitConversion | undefined {
  const warmth = [warmthOf(from), warmthOf(to)];
  if (from !== to && warmth[0] !== undefined && warmth[1] !== undefined) {
    const [[a, b], [c, d]] = [warmth[0], warmth[1]];
    return { factor: a / c, offset: (b - d) / c };
  }
  if (stem(from) === stem(to)) return { factor: 1, offset: 0 };
  if (isOutOf(from) && isOutOf(to)) return { factor: Number(to.slice(1)) / Number(from.slice(1)), offset: 0 };
  const ratio = simpleRatio(from, to) ?? ratioOfParts(from, to);
  return ratio === undefined ? undefined : { factor: ratio, offset: 0 };
}

/** Points out of so many: "/5". */
export function isOutOf(unit: string): boolean {
  return /^\/\d+$/.test(unit);
}

/** Letters that may also be a unit (metres, kelvin, bytes): after all numbers of a column they are one. */
const AMBIGUOUS = new Set(["m", "K", "B"]);

/** How a number with any unit is read in a column with the unit `own`; undefined if it cannot be converted. */
export function unitRead(unit: string, own: string): UnitConversion | undefined {
  const times = (factor: number): UnitConversion => ({ factor, offset: 0 });
  if (unit === own || own === "") return times(1);
  const multiple = MULTIPLES.get(own);
  if (multiple !== undefined && !AMBIGUOUS.has(own) && (unit === "" || MULTIPLES.has(unit))) {
    return times((MULTIPLES.get(unit) ?? 1) / multiple);
  }
  if (unit === "") return times(1);
  if (isCurrency(own) && (isCurrency(unit) || MULTIPLES.has(unit))) {
    return times(currencyMultiple(unit) / currencyMultiple(own));
  }
  return unitConversion(unit, own);
}

/** "days" and "Day", "kg." and "kg". */
function stem(unit: string): string {
  return unit.toLowerCase().replace(/(?<=\w{2})s$|\.$/, "");
}

function simpleRatio(from: string, to: string): number | undefined {
  const [a, b] = [plain(from), plain(to)];
  const family = FAMILIES.find((units) => Object.hasOwn(units, a) && Object.hasOwn(units, b));
  return family && family[a] / family[b];
}

/** Both of the form A/B: the parts are converted one by one. */
function ratioOfParts(from: string, to: string): number | undefined {
  const [a, b] = [from.split("/"), to.split("/")];
  if (a.length !== 2 || b.length !== 2) return undefined;
  const [above, below] = [0, 1].map((k) =>
    stem(a[k].trim()) === stem(b[k].trim()) ? 1 : simpleRatio(a[k].trim(), b[k].trim()),
  );
  return above === undefined || below === undefined ? undefined : above / below;
}

/** The micro sign in its three spellings; volumes with a capital or a small l; one for several: "days". */
function plain(unit: string): string {
  const micro = unit
    .replace(/^[μµ]|^u(?=(?:g|l|L|m|s|A|V|W|mol)$)/, "µ")
    .replace(/(?<=inch)es$|(?<=\w\w)s$/, "");
  return /^(?:[mcdhµ]?L)$/.test(micro) ? micro.toLowerCase() : micro;
}

/** Whether a unit is one of a quantity that is known here, alone or before or after a stroke. */
function isKnown(unit: string): boolean {
  const known = (part: string): boolean => FAMILIES.some((units) => Object.hasOwn(units, plain(part.trim())));
  const parts = unit.split("/");
  return (
    known(unit) || warmthOf(unit) !== undefined || (parts.length === 2 && known(parts[0]) && known(parts[1]))
  );
}

const LONGEST_REMARK = 3;
const MOST_REMARKS = 5;

/** Short signs after fewer numbers than have none, and not all of them are units: "H" and "L" for high and low. */
function remarksOf(named: readonly (readonly [string, number])[], bare: number): string[] {
  const isUnit = (unit: string): boolean => isCurrency(unit) || /^[%‰/]/.test(unit) || MULTIPLES.has(unit);
  const cells = named.reduce((sum, [, count]) => sum + count, 0);
  if (cells >= bare || named.length > MOST_REMARKS || named.every(([unit]) => isKnown(unit))) return [];
  const short = named.every(([unit]) => unit.length <= LONGEST_REMARK && !isUnit(unit));
  return short ? named.map(([unit]) => unit) : [];
}

function isAmount(named: readonly (readonly [string, number])[]): boolean {
  const paid = named.filter(([unit]) => isCurrency(unit));
  return paid.length > 0 && named.every(([unit]) => isCurrency(unit) || MULTIPLES.has(unit));
}

function currencyMultiple(unit: string): number {
  return CURRENCIES.test(unit) ? 1 : (MULTIPLES.get(MULTIPLE_AT_END.exec(unit)?.[0] ?? "") ?? 1);
}

/** Signs of one currency. */
const SIGNS: ReadonlyMap<string, string> = new Map(Object.entries(units.currencies));

function currencies(units: readonly string[]): UnitFactors {
  const bare = (unit: string): string => (CURRENCIES.test(unit) ? unit : unit.replace(MULTIPLE_AT_END, ""));
  const paid = units.filter(isCurrency);
  const factors: Record<string, number> = {};
  for (const unit of units) {
    if (!CURRENCIES.test(unit)) factors[unit] = currencyMultiple(unit);
  }
  const mixed = new Set(paid.map((unit) => SIGNS.get(bare(unit)) ?? bare(unit))).size > 1;
  return {
    unit: bare(paid[0]),
    ...(Object.keys(factors).length > 0 && { factors }),
    ...(mixed && { mixed }),
  };
}

/** Units of the same quantity, each in multiples of the first. */
const FAMILIES: readonly Readonly<Record<string, number>>[] = Object.values(units.quantities);

/** In degrees Celsius a temperature is a t + b; some write the ordinal sign for the one of degrees. */
function warmthOf(unit: string): readonly number[] | undefined {
  return WARMTH.get(unit.replace(/^[°º]/, ""));
}

const WARMTH: ReadonlyMap<string, number[]> = new Map(Object.entries(units.temperatures));
