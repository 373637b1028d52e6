/**
 * A column of levels becomes one indicator per level. Together they have the variance of one standardised
 * number:
 *
 *     y_f = (1[level = f] - p_f) / sqrt(sum_g p_g (1 - p_g))
 *
 * Rare levels share one indicator. A path ("tools > saws") gives indicators of its prefixes, a list ("red;
 * blue") one for each token. No indicator is divided by its own standard deviation: a rare level would
 * otherwise have more weight than a common one.
 */
import { levelsOf } from "../../data/internal.ts";
import type { Column } from "../../data/index.ts";
import type { FeatureScale, LevelsEncoding } from "../featureRecord.ts";

/** A level with fewer rows than this, or than this share of them, is pooled; maximum number of indicators. */
const RARE_ROWS = 5;
const RARE_SHARE = 0.005;
const MOST_LEVELS = 60;
const DEPTHS = 3;

/** undefined if fewer than two indicators are left, or no thing of a list tells rows apart. */
export function learnLevels(column: Column, rows: number, scale: FeatureScale): LevelsEncoding | undefined {
  const { levels, codes } = levelsOf(column, rows);
  const counts = new Float64Array(levels.length);
  let present = 0;
  for (const code of codes) {
    if (code < 0) continue;
    counts[code]++;
    present++;
  }
  const { form, separator } = column.reading;
  const cells = form === "list" || form === "path" ? form : "one";
  const sums: Map<string, number>[] = [];
  levels.forEach((level, k) => {
    if (counts[k] === 0) return;
    cellParts(level, cells, separator).forEach((part, p) => {
      const depth = cells === "path" ? p : 0;
      if (depth >= DEPTHS) return;
      const own = (sums[depth] ??= new Map<string, number>());
      own.set(part, (own.get(part) ?? 0) + counts[k]);
    });
  });
  const kept = sums.map((own) => commonLevels(own, present));
  const encoding = cells === "list" ? listOf(kept, present, scale) : pooledOf(cells, kept, present, scale);
  return encoding && separator !== undefined && cells !== "one" ? { ...encoding, separator } : encoding;
}

/** Fills rows x width of out; NaN if the cell is missing or its level is unknown, which is counted. */
export function encodeLevels(
  encoding: LevelsEncoding,
  column: Column | undefined,
  rows: ArrayLike<number>,
  total: number,
  unknown: (level: string, count: number) => void = () => {},
): Float64Array {
  const { offsets, spread } = encoding;
  const width = encoding.levels.length;
  const out = new Float64Array(rows.length * width).fill(Number.NaN);
  const given = levelsOf(column, total);
  const places = given.levels.map(indicatorsOf(encoding));
  const counts = new Int32Array(given.levels.length);
  for (let r = 0; r < rows.length; r++) {
    const code = given.codes[rows[r]];
    if (code < 0) continue;
    const set = places[code];
    if (set === undefined) {
      counts[code]++;
      continue;
    }
    for (let f = 0; f < width; f++) out[r * width + f] = -offsets[f] / spread;
    for (const f of set) out[r * width + f] = (1 - offsets[f]) / spread;
  }
  counts.forEach((count, k) => {
    if (count > 0) unknown(given.levels[k], count);
  });
  return out;
}

/** The indicators that a cell sets; undefined for an unknown level. */
function indicatorsOf(encoding: LevelsEncoding): (cell: string) => readonly number[] | undefined {
  const { cells, levels, pooled, depths = [levels.length], separator } = encoding;
  const places = new Map(levels.map((level, f) => [level, f]));
  const rare = new Set(pooled);
  // The indicator of the rare levels of a depth comes after its others.
  const last: number[] = [];
  let end = 0;
  for (const count of depths) {
    const depth = cells === "path" ? levels[end].split(STEP).length - 1 : 0;
    last[depth] = (end += count) - 1;
  }
  return (cell) => {
    const set = cellParts(cell, cells, separator).flatMap((part, p) =>
      rare.has(part) ? (last[p] ?? []) : (places.get(part) ?? []),
    );
    return set.length === 0 && cells !== "list" ? undefined : set;
  };
}

interface Kept {
  readonly levels: readonly string[];
  readonly counts: readonly number[];
  readonly pooled: readonly string[];
  readonly pooledCount: number;
}

/** Common levels, the most frequent first and ties by name, and the levels to pool. */
function commonLevels(sums: ReadonlyMap<string, number>, present: number): Kept {
  const levels = [...sums.keys()];
  const counts = [...sums.values()];
  const least = Math.max(RARE_ROWS, RARE_SHARE * present);
  const order = Array.from(levels.keys()).sort(
    (a, b) => counts[b] - counts[a] || (levels[a] < levels[b] ? -1 : 1),
  );
  let common = order.filter((k, place) => counts[k] >= least && place < MOST_LEVELS);
  // In a small table every level is rare: then nothing is pooled.
  if (common.length === 0 && order.length <= MOST_LEVELS && order.length < present) common = order;
  if (order.length === common.length + 1) common = order;
  const rest = order.filter((k) => !common.includes(k));
  return {
    levels: common.map((k) => levels[k]),
    counts: common.map((k) => counts[k]),
    pooled: rest.map((k) => levels[k]),
    pooledCount: rest.reduce((sum, k) => sum + counts[k], 0),
  };
}

/** Rare levels share an indicator at each depth. */
function pooledOf(
  cells: "one" | "path",
  kept: readonly Kept[],
  present: number,
  scale: FeatureScale,
): LevelsEncoding | undefined {
  const depths: number[] = [];
  const levels: string[] = [];
  const shares: number[] = [];
  const pooled: string[] = [];
  let variance = 0;
  for (const { levels: own, counts, pooled: rare, pooledCount } of kept) {
    const width = own.length + (rare.length > 0 ? 1 : 0);
    if (width < 2) continue;
    depths.push(width);
    levels.push(...own, ...(rare.length > 0 ? ["(other)"] : []));
    shares.push(...counts.map((count) => count / present));
    if (rare.length > 0) shares.push(pooledCount / present);
    pooled.push(...rare);
  }
  if (levels.length === 0) return undefined;
  for (const p of shares) variance += p * (1 - p);
  return {
    form: "levels",
    cells,
    ...(cells === "path" && { depths }),
    levels,
    ...(pooled.length > 0 && { pooled }),
    ...scaledIndicators(shares, variance, scale),
  };
}

/** With "minmax" two levels are as far apart as the ends of a range; with "none" indicators are 0 and 1. */
function scaledIndicators(
  shares: readonly number[],
  variance: number,
  scale: FeatureScale,
): Pick<LevelsEncoding, "offsets" | "spread"> {
  if (scale === "none") return { offsets: shares.map(() => 0), spread: 1 };
  if (scale === "minmax") return { offsets: shares.map(() => 0), spread: Math.SQRT2 };
  return { offsets: shares, spread: Math.sqrt(variance) };
}

/** The rare things of a list have no indicator. */
function listOf([kept]: readonly Kept[], present: number, scale: FeatureScale): LevelsEncoding | undefined {
  const shares = (kept?.counts ?? []).map((count) => count / present);
  const variance = shares.reduce((sum, p) => sum + p * (1 - p), 0);
  if (variance <= 0) return undefined;
  return { form: "levels", cells: "list", levels: kept.levels, ...scaledIndicators(shares, variance, scale) };
}

/** Between the steps of a path, as their indicators are named. */
const STEP = " > ";

/** What a cell of a list has, and the beginnings of a path: what their indicators stand for. */
export function cellParts(
  cell: string,
  form: LevelsEncoding["cells"],
  separator: string | undefined,
): string[] {
  if (form === "one") return [cell];
  const parts = cell
    .split(separator ?? (form === "list" ? /[;|,]/u : /[>/\\]|::/u))
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (form === "list") return [...new Set(parts)];
  // "/" is the root.
  return parts.length === 0 ? [cell] : parts.map((_, p) => parts.slice(0, p + 1).join(STEP));
}
