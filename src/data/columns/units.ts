import { CURRENCIES, isCurrency, MULTIPLE_AT_END, MULTIPLES } from "./amount.ts";
import { molarMass } from "./molarMass.ts";

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
 * @param name of the column, which may name a substance
 */
export function unitFactors(counts: ReadonlyMap<string, number>, name = ""): UnitFactors | undefined {
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
    const found = unitConversion(unit, main, name);
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

/**
 * The conversion of one unit to another of the same quantity: kg to g, °F to °C, g/L to mg/dL, days to weeks, and mmol/L to
 * mg/dL if the name of the column names the substance; undefined if there is none.
 */
export function unitConversion(from: string, to: string, name = ""): UnitConversion | undefined {
  const warmth = [warmthOf(from), warmthOf(to)];
  if (from !== to && warmth[0] !== undefined && warmth[1] !== undefined) {
    const [[a, b], [c, d]] = [warmth[0], warmth[1]];
    return { factor: a / c, offset: (b - d) / c };
  }
  if (stem(from) === stem(to)) return { factor: 1, offset: 0 };
  if (isOutOf(from) && isOutOf(to)) return { factor: Number(to.slice(1)) / Number(from.slice(1)), offset: 0 };
  const ratio = simpleRatio(from, to) ?? ratioOfParts(from, to, name);
  return ratio === undefined ? undefined : { factor: ratio, offset: 0 };
}

/** Points out of so many: "/5". */
export function isOutOf(unit: string): boolean {
  return /^\/\d+$/.test(unit);
}

/** Letters that may also be a unit (metres, kelvin, bytes): after all numbers of a column they are one. */
const AMBIGUOUS = new Set(["m", "K", "B"]);

/** How a number with any unit is read in a column with the unit `own`; undefined if it cannot be converted. */
export function unitRead(unit: string, own: string, name = ""): UnitConversion | undefined {
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
  return unitConversion(unit, own, name);
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

/** Both of the form A/B: the parts are converted one by one, and moles to grams by the substance. */
function ratioOfParts(from: string, to: string, name: string): number | undefined {
  const [a, b] = [from.split("/"), to.split("/")];
  if (a.length !== 2 || b.length !== 2) return undefined;
  const part = (k: number): number | undefined =>
    stem(a[k].trim()) === stem(b[k].trim()) ? 1 : simpleRatio(a[k].trim(), b[k].trim());
  const [above, below] = [part(0) ?? molesAsGrams(a[0].trim(), b[0].trim(), name), part(1)];
  return above === undefined || below === undefined ? undefined : above / below;
}

function molesAsGrams(from: string, to: string, name: string): number | undefined {
  const grams = (mol: string, g: string): number | undefined => {
    const [moles, unit] = [simpleRatio(mol, "mol"), simpleRatio("g", g)];
    const mass = moles === undefined || unit === undefined ? undefined : molarMass(name);
    return mass && moles! * mass * unit!;
  };
  const back = grams(to, from);
  return grams(from, to) ?? (back && 1 / back);
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
const SIGNS: ReadonlyMap<string, string> = new Map([
  ["€", "EUR"],
  ["£", "GBP"],
  ["₹", "INR"],
  ["US$", "USD"],
]);

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

const DAY = 86_400;
const HORSEPOWER = 745.69987158227;

/** Units of the same quantity, each in multiples of the first. */
const FAMILIES: readonly Readonly<Record<string, number>>[] = [
  {
    m: 1,
    nm: 1e-9,
    µm: 1e-6,
    mm: 1e-3,
    cm: 1e-2,
    dm: 0.1,
    km: 1e3,
    in: 0.0254,
    inch: 0.0254,
    '"': 0.0254,
    ft: 0.3048,
    feet: 0.3048,
    yd: 0.9144,
    mi: 1609.344,
    mile: 1609.344,
  },
  {
    g: 1,
    ng: 1e-9,
    pg: 1e-12,
    µg: 1e-6,
    mcg: 1e-6,
    mg: 1e-3,
    kg: 1e3,
    t: 1e6,
    lb: 453.59237,
    oz: 28.349523125,
  },
  {
    l: 1,
    µl: 1e-6,
    ml: 1e-3,
    cl: 1e-2,
    dl: 0.1,
    hl: 100,
    "m³": 1e3,
    m3: 1e3,
    "cm³": 1e-3,
    cm3: 1e-3,
    cc: 1e-3,
  },
  {
    s: 1,
    µs: 1e-6,
    ms: 1e-3,
    sec: 1,
    second: 1,
    min: 60,
    minute: 60,
    h: 3600,
    hr: 3600,
    hour: 3600,
    d: DAY,
    day: DAY,
    week: 7 * DAY,
    month: 30.4375 * DAY,
    year: 365.25 * DAY,
  },
  { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, kb: 1e3, mb: 1e6, gb: 1e9 },
  {
    W: 1,
    mW: 1e-3,
    kW: 1e3,
    MW: 1e6,
    GW: 1e9,
    hp: HORSEPOWER,
    HP: HORSEPOWER,
    bhp: HORSEPOWER,
    PS: 735.49875,
  },
  { Wh: 1, kWh: 1e3, MWh: 1e6, GWh: 1e9 },
  { J: 1, kJ: 1e3, MJ: 1e6, cal: 4.184, kcal: 4184 },
  { Hz: 1, kHz: 1e3, MHz: 1e6, GHz: 1e9 },
  { V: 1, µV: 1e-6, mV: 1e-3, kV: 1e3 },
  { A: 1, µA: 1e-6, mA: 1e-3, kA: 1e3 },
  { Pa: 1, hPa: 100, kPa: 1e3, MPa: 1e6, mbar: 100, bar: 1e5, mmHg: 133.322387415, psi: 6894.757293168 },
  { mol: 1, pmol: 1e-12, nmol: 1e-9, µmol: 1e-6, mmol: 1e-3 },
  { IU: 1, mIU: 1e-3, µIU: 1e-6 },
  { U: 1, mU: 1e-3, kU: 1e3 },
  {
    "m²": 1,
    m2: 1,
    sqm: 1,
    "km²": 1e6,
    km2: 1e6,
    "cm²": 1e-4,
    cm2: 1e-4,
    ha: 1e4,
    acre: 4046.8564224,
    sqft: 0.09290304,
    "sq ft": 0.09290304,
    "ft²": 0.09290304,
  },
  { "m/s": 1, "km/h": 1 / 3.6, kmh: 1 / 3.6, kph: 1 / 3.6, mph: 0.44704 },
];

/** In degrees Celsius a temperature is a t + b; some write the ordinal sign for the one of degrees. */
function warmthOf(unit: string): readonly [number, number] | undefined {
  return WARMTH.get(unit.replace(/^[°º]/, ""));
}

const WARMTH: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["C", [1, 0]],
  ["F", [5 / 9, -160 / 9]],
  ["K", [1, -273.15]],
]);
