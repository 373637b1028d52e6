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
import type { Column } from "../../data/index.ts";
import { levelsOf } from "../columnCells.ts";
import type { FeatureScale, LevelsEncoding } from "../featureRecord.ts";

/** A level with fewer rows than this, or than this share of them, is pooled; maximum number of indicators. */
const RARE_ROWS = 5;
const RARE_SHARE = 0.005;
const MOST_LEVELS = 60;
const DEPTHS = 3;

/** undefined if fewer than two indicators are left. */
export function learnLevels(column: Column, rows: number, scale: FeatureScale): LevelsEncoding | undefined {
  const { levels, codes } = levelsOf(column, rows);
  const counts = new Float64Array(levels.length);
  let present = 0;
  for (const code of codes) {
    if (code < 0) continue;
    counts[code]++;
    present++;
  }
  if (present === 0) return undefined;
  const { form, separator } = column.reading;
  if (form === "list") return learnList(levels, counts, present, scale, separator);
  if (form === "path") return learnPath(levels, counts, present, scale, separator);
  return finish("one", [commonLevels(counts, levels, present)], present, scale);
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
  const { cells, levels, pooled, depths, separator } = encoding;
  if (cells === "list") {
    const known = new Map(levels.map((level, f) => [level, f]));
    return (cell) => tokensOf(cell, separator).flatMap((token) => known.get(token) ?? []);
  }
  const rare = new Set(pooled);
  if (cells === "one") {
    const known = new Map(levels.map((level, f) => [level, f]));
    return (cell) => {
      if (rare.has(cell)) return [levels.length - 1];
      const place = known.get(cell);
      return place === undefined ? undefined : [place];
    };
  }
  let begin = 0;
  const byDepth = (depths ?? []).map((count) => {
    const own = new Map(levels.slice(begin, begin + count).map((level, f) => [level, begin + f]));
    begin += count;
    return { own, last: begin - 1 };
  });
  return (cell) => {
    const steps = stepsOf(cell, separator);
    const set: number[] = [];
    for (let d = 0; d < byDepth.length; d++) {
      const prefix = steps.slice(0, d + 1).join(" > ");
      if (rare.has(prefix)) set.push(byDepth[d].last);
      else if (byDepth[d].own.has(prefix)) set.push(byDepth[d].own.get(prefix)!);
    }
    return set.length === 0 ? undefined : set;
  };
}

interface Kept {
  readonly levels: readonly string[];
  readonly counts: readonly number[];
  readonly pooled: readonly string[];
  readonly pooledCount: number;
}

/** Common levels, the most frequent first and ties by name, and the levels to pool. */
function commonLevels(counts: Float64Array, levels: readonly string[], present: number): Kept {
  const least = Math.max(RARE_ROWS, RARE_SHARE * present);
  const order = Array.from(levels.keys())
    .filter((k) => counts[k] > 0)
    .sort((a, b) => counts[b] - counts[a] || (levels[a] < levels[b] ? -1 : 1));
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

function finish(
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

function learnPath(
  levels: readonly string[],
  counts: Float64Array,
  present: number,
  scale: FeatureScale,
  separator: string | undefined,
): LevelsEncoding | undefined {
  const steps = levels.map((level) => stepsOf(level, separator));
  const depth = Math.min(
    DEPTHS,
    steps.reduce((most, path) => Math.max(most, path.length), 0),
  );
  const kept: Kept[] = [];
  for (let d = 0; d < depth; d++) {
    const sums = new Map<string, number>();
    steps.forEach((path, k) => {
      if (path.length <= d || counts[k] === 0) return;
      const prefix = path.slice(0, d + 1).join(" > ");
      sums.set(prefix, (sums.get(prefix) ?? 0) + counts[k]);
    });
    kept.push(commonLevels(Float64Array.from(sums.values()), [...sums.keys()], present));
  }
  const encoding = finish("path", kept, present, scale);
  return encoding && separator !== undefined ? { ...encoding, separator } : encoding;
}

function learnList(
  levels: readonly string[],
  counts: Float64Array,
  present: number,
  scale: FeatureScale,
  separator: string | undefined,
): LevelsEncoding | undefined {
  const sums = new Map<string, number>();
  levels.forEach((level, k) => {
    for (const token of new Set(tokensOf(level, separator)))
      sums.set(token, (sums.get(token) ?? 0) + counts[k]);
  });
  const kept = commonLevels(Float64Array.from(sums.values()), [...sums.keys()], present);
  const shares = kept.counts.map((count) => count / present);
  const variance = shares.reduce((sum, p) => sum + p * (1 - p), 0);
  if (variance <= 0) return undefined;
  return {
    form: "levels",
    cells: "list",
    ...(separator !== undefined && { separator }),
    levels: kept.levels,
    ...scaledIndicators(shares, variance, scale),
  };
}

/** What a cell of a list has, and the beginnings of a path: what their indicators stand for. */
export function cellParts(cell: string, form: "list" | "path", separator: string | undefined): string[] {
  if (form === "list") return [...new Set(tokensOf(cell, separator))];
  const steps = stepsOf(cell, separator);
  return steps.map((_, d) => steps.slice(0, d + 1).join(" > "));
}

function stepsOf(path: string, separator: string | undefined): string[] {
  const steps = partsOf(path, separator ?? /[>/\\]|::/u);
  // "/" is the root.
  return steps.length === 0 ? [path] : steps;
}

function tokensOf(list: string, separator: string | undefined): string[] {
  return partsOf(list, separator ?? /[;|,]/u);
}

function partsOf(cell: string, separator: string | RegExp): string[] {
  return cell
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
