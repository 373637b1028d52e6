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
const CURRENCIES = new RegExp(`^(?:${CURRENCY})$`);

export function amountParts(text: string): AmountParts | undefined {
  const plain = plainParts(text);
  if (plain !== undefined) return plain;
  const found = AMOUNT.exec(text);
  if (found === null) return undefined;
  const [, bound, open, sign, before, sign2, digits, exponent, after, close] = found;
  if ((open === undefined) !== (close === undefined || close === "-")) return undefined;
  const minus = (mark: string | undefined): boolean => mark !== undefined && !mark.startsWith("+");
  const unit = after?.trim() ?? "";
  if (before !== undefined && unit !== "" && !MULTIPLES.has(unit) && !CURRENCIES.test(unit)) return undefined;
  return {
    negative: open !== undefined || close === "-" || minus(sign) !== minus(sign2),
    digits,
    exponent: exponent ?? "",
    unit: before === undefined ? unit : MULTIPLES.has(unit) ? before + unit : before,
    bounded: bound !== undefined,
  };
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
  return { negative: false, digits, exponent: "", unit: text.slice(unit), bounded: false };
}

export function isCurrency(unit: string): boolean {
  return CURRENCIES.test(unit.replace(/(?:k|K|m|M|mn|bn|Mio\.?|Mrd\.?)$/, "")) || CURRENCIES.test(unit);
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

const MULTIPLES: ReadonlyMap<string, number> = new Map([
  ["k", 1e3],
  ["K", 1e3],
  ["Tsd.", 1e3],
  ["m", 1e6],
  ["M", 1e6],
  ["mn", 1e6],
  ["Mio", 1e6],
  ["Mio.", 1e6],
  ["million", 1e6],
  ["bn", 1e9],
  ["B", 1e9],
  ["Mrd", 1e9],
  ["Mrd.", 1e9],
  ["billion", 1e9],
]);

/** Units of the same quantity, each in multiples of the first. */
const FAMILIES: readonly Readonly<Record<string, number>>[] = [
  {
    m: 1,
    mm: 1e-3,
    cm: 1e-2,
    km: 1e3,
    in: 0.0254,
    '"': 0.0254,
    ft: 0.3048,
    yd: 0.9144,
    mi: 1609.344,
    miles: 1609.344,
  },
  { g: 1, mg: 1e-3, µg: 1e-6, kg: 1e3, t: 1e6, lb: 453.59237, lbs: 453.59237, oz: 28.349523125 },
  { l: 1, L: 1, ml: 1e-3, mL: 1e-3, cl: 1e-2, dl: 0.1, hl: 100 },
  { s: 1, ms: 1e-3, min: 60, h: 3600, d: 86400 },
  { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, kb: 1e3, mb: 1e6, gb: 1e9 },
  { W: 1, kW: 1e3, MW: 1e6, GW: 1e9 },
  { Wh: 1, kWh: 1e3, MWh: 1e6 },
  { Hz: 1, kHz: 1e3, MHz: 1e6, GHz: 1e9 },
  { "m²": 1, "km²": 1e6, "cm²": 1e-4, ha: 1e4 },
  { "": 1, k: 1e3, K: 1e3, M: 1e6, B: 1e9, bn: 1e9, Mio: 1e6, "Mio.": 1e6, Mrd: 1e9, "Mrd.": 1e9 },
];

/**
 * The factor of each unit of a column, relative to the most frequent one; undefined if the units do not
 * belong together and the column does not hold amounts.
 *
 * @param counts how often each unit comes, "" for none
 */
export function unitFactors(counts: ReadonlyMap<string, number>):
  | {
      readonly unit: string;
      readonly factors?: Record<string, number>;
      readonly offsets?: Record<string, number>;
      readonly mixed?: boolean;
    }
  | undefined {
  const named = [...counts]
    .filter(([unit]) => unit !== "")
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  if (named.length === 0) return { unit: "" };
  const main = named[0][0];
  if (named.every(([unit]) => isCurrency(unit))) {
    const multiple = (unit: string): number =>
      MULTIPLES.get(/(?:[kKmMB]|mn|bn|Mio\.?|Mrd\.?)$/.exec(unit)?.[0] ?? "") ?? 1;
    const bare = (unit: string): string =>
      CURRENCIES.test(unit) ? unit : unit.replace(/(?:[kKmMB]|mn|bn|Mio\.?|Mrd\.?)$/, "");
    const factors: Record<string, number> = {};
    for (const [unit] of named) if (!CURRENCIES.test(unit)) factors[unit] = multiple(unit);
    const mixed = new Set(named.map(([unit]) => bare(unit))).size > 1;
    return { unit: bare(main), ...(Object.keys(factors).length > 0 && { factors }), ...(mixed && { mixed }) };
  }
  const warmth = named.every(([unit]) => WARMTH.has(unit))
    ? temperature(named.map(([unit]) => unit))
    : undefined;
  if (warmth !== undefined) return warmth;
  const stems = new Set(named.map(([unit]) => unit.toLowerCase().replace(/(?<=\w{2})s$|\.$/, "")));
  const only = named.length === 1 || stems.size === 1;
  const bare = counts.get("") ?? 0;
  const multiples = named.every(([unit]) => MULTIPLES.has(unit));
  if (only && !(multiples && bare > 0)) return { unit: main };
  const family = FAMILIES.find(
    (units) => named.every(([unit]) => Object.hasOwn(units, unit)) && (bare === 0 || "" in units),
  );
  if (family !== undefined) {
    const base = "" in family ? "" : main;
    const factors: Record<string, number> = {};
    for (const [unit] of named) factors[unit] = family[unit] / family[base];
    return { unit: base, factors };
  }
  return undefined;
}

/** Units of temperature: degrees Celsius are a t + b. */
const WARMTH: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["°C", [1, 0]],
  ["C", [1, 0]],
  ["ºC", [1, 0]],
  ["°F", [5 / 9, -160 / 9]],
  ["F", [5 / 9, -160 / 9]],
  ["ºF", [5 / 9, -160 / 9]],
  ["K", [1, -273.15]],
]);

/** Several of them, converted to the most frequent one; undefined if all are the same. */
function temperature(units: readonly string[]):
  | {
      readonly unit: string;
      readonly factors: Record<string, number>;
      readonly offsets: Record<string, number>;
    }
  | undefined {
  const scales = new Set(units.map((unit) => WARMTH.get(unit)!.join(" ")));
  if (scales.size < 2) return undefined;
  const [unit] = units;
  const [a, b] = WARMTH.get(unit)!;
  const factors: Record<string, number> = {};
  const offsets: Record<string, number> = {};
  for (const own of units) {
    const [c, d] = WARMTH.get(own)!;
    factors[own] = c / a;
    offsets[own] = (d - b) / a;
  }
  return { unit, factors, offsets };
}
