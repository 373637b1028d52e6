import { CURRENCIES, isCurrency, MULTIPLE_AT_END, MULTIPLES } from "./amount.ts";
import words from "../words/units.json.ts";

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
const SIGNS: ReadonlyMap<string, string> = new Map(Object.entries(words.currencies));

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
const FAMILIES: readonly Readonly<Record<string, number>>[] = Object.values(words.quantities);

/** In degrees Celsius a temperature is a t + b; some write the ordinal sign for the one of degrees. */
function warmthOf(unit: string): readonly number[] | undefined {
  return WARMTH.get(unit.replace(/^[°º]/, ""));
}

const WARMTH: ReadonlyMap<string, number[]> = new Map(Object.entries(words.temperatures));
