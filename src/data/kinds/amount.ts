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
export const CURRENCIES: RegExp = new RegExp(`^(?:${CURRENCY})$`);

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
export const MULTIPLE_AT_END: RegExp = /(?:[kKmMB]|mn|bn|million|billion|(?:Tsd|Mio|Mrd)\.?)$/;

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
