import { form, medianOfSorted, percent, shortName, sizesOf, inputError } from "../core/internal.ts";
import { cellText, type Column, type Table } from "../data/index.ts";
import { cellParts } from "../features/index.ts";
import { BETWEEN, phrasesOf } from "../features/internal.ts";
import { ascending, requireCount, requireList, describeValue } from "../matrix/internal.ts";

/** A column in which a cluster differs from all rows. */
const differenceForm = form.record({
  column: form.text(),
  /** Category: the level; list: the thing; path: its beginning; text: the word. */
  level: form.optional(form.text()),
  /** Median of the cluster and of all rows; share of the level for a category. */
  here: form.number(),
  overall: form.number(),
  /**
   * The cluster's mean rank (or share) minus that of all rows, in standard deviations. If cells are missing, times the
   * square root of the known share: few cells say little about a cluster.
   */
  effect: form.number(),
  /** Share of the column's variance, by ranks, that the partition explains: 0 to 1. */
  explained: form.number(),
  /** "revenue 12.5 (overall 250)", "plan: 100 % free (36 % overall)". */
  words: form.text(),
  /** In few words, for the name of a cluster: "high revenue", "free", "newsletter yes". */
  called: form.text(),
});

/** What makes one cluster differ from all rows, in the columns and units of the table. */
export const profileForm = form.record({
  cluster: form.whole({ min: 0, below: "clusters" }),
  /** The name of the cluster: given, or suggested from its distinguishing columns. */
  name: form.text(),
  rows: form.whole({ min: 0 }),
  /** Of all rows. */
  share: form.number({ min: 0, max: 1 }),
  /** One sentence. */
  words: form.text(),
  /** All columns that vary, the most distinguishing first. */
  differences: form.list(differenceForm),
});

export interface Profile extends form.StoredOf<typeof profileForm> {}
export interface Difference extends form.StoredOf<typeof differenceForm> {}

/** Effects above which a column is mentioned, and above which the word is "very". */
const WORTH = 0.5;
const VERY = 1.5;
/** Standard errors above which a word is: one of many that tell a topic is in few of its texts. */
const WORTH_WORD = 5;
const MOST_WORDS = 4;

/**
 * The columns that distinguish each cluster, in numbers and in words. Numbers are compared by ranks, so a single huge
 * value does not represent a cluster; for a category the level whose share differs most is given, for a text the words.
 * If no column distinguishes a cluster, as with vectors, its typical rows describe it.
 *
 * @param names names of the clusters that somebody gave; empty ones are suggested
 * @param typical the typical rows of each cluster
 */
export function profilesOf(
  table: Table,
  labels: ArrayLike<number>,
  clusters: number,
  names: readonly (string | undefined)[] = [],
  typical: readonly (readonly number[])[] = [],
): Profile[] {
  const n = table.rows;
  requireList(labels, "the labels");
  requireCount(clusters, "the number of clusters");
  for (let i = 0; i < n; i++) {
    if (!(Number.isInteger(labels[i]) && labels[i] < clusters))
      throw inputError(`row ${i} has the label ${describeValue(labels[i])}; there are ${clusters} clusters`);
  }
  const sizes = sizesOf(labels, clusters);
  const found: Difference[][] = Array.from({ length: clusters }, () => []);
  for (const column of table.columns) {
    const parts = partsOf(column, n);
    if (parts !== undefined) {
      partDifferences(column, parts, labels, sizes).forEach((words, k) => found[k].push(...words));
      continue;
    }
    const differences =
      column.kind === "category"
        ? levelDifferences(column, labels, sizes)
        : column.kind === "number" || column.kind === "ordered" || column.kind === "date"
          ? rankDifferences(column, labels, sizes)
          : [];
    differences.forEach((difference, k) => {
      if (difference !== undefined) found[k].push(difference);
    });
  }
  for (const differences of found) {
    differences.sort((a, b) => telling(b) - telling(a) || (a.column < b.column ? -1 : 1));
  }
  const like = typical.map((rows) => rows.slice(0, MOST_LIKE).map((row) => nameOfRow(table, row)));
  const texts = new Set(table.columns.filter(({ kind }) => kind === "text").map(({ name }) => name));
  const told = found.map((differences, k) =>
    differences.filter(
      ({ column, effect }) =>
        Math.abs(effect) >= WORTH || (texts.has(column) && effect * Math.sqrt(sizes[k]) >= WORTH_WORD),
    ),
  );
  const suggested = distinctNames(
    told.map((differences, k) => suggestion(differences, like[k] ?? [], texts)),
  );
  return found.map((differences, cluster) => ({
    cluster,
    name: names[cluster] ?? suggested[cluster],
    rows: sizes[cluster],
    share: n === 0 ? 0 : sizes[cluster] / n,
    words: sentence(sizes[cluster], n, told[cluster], like[cluster] ?? [], texts),
    differences,
  }));
}

function telling({ effect, explained }: Difference): number {
  return Math.abs(effect) * Math.sqrt(explained);
}

function rankDifferences(
  column: Column,
  labels: ArrayLike<number>,
  sizes: Int32Array,
): (Difference | undefined)[] {
  const values = column.values!;
  const order = ascending(values);
  const m = order.length;
  const all = new Float64Array(m);
  for (let p = 0; p < m; p++) all[p] = values[order[p]];
  if (m < 2 || all[0] === all[m - 1]) return [];
  const K = sizes.length;
  const sums = new Float64Array(K);
  const counts = new Int32Array(K);
  const ofCluster = Array.from(sizes, (size) => new Float64Array(size));
  let squares = 0;
  const middle = (m - 1) / 2;
  for (let p = 0, q = 0; p < m; p = q) {
    while (q < m && all[q] === all[p]) q++;
    // Equal values share their mean position.
    const rank = (p + q - 1) / 2 - middle;
    squares += (q - p) * rank * rank;
    for (let r = p; r < q; r++) {
      const k = labels[order[r]];
      if (k < 0) continue;
      sums[k] += rank;
      ofCluster[k][counts[k]++] = all[r];
    }
  }
  const own = ofCluster.map((sorted, k) => sorted.subarray(0, counts[k]));
  let between = 0;
  for (let k = 0; k < K; k++) if (counts[k] > 0) between += (sums[k] * sums[k]) / counts[k];
  const explained = Math.min(1, between / squares);
  const deviation = Math.sqrt(squares / m);
  const overall = medianOfSorted(all);
  const name = shortName(column.name);
  return Array.from(counts, (count, k) => {
    if (count === 0) return undefined;
    const here = medianOfSorted(own[k]);
    const effect = (sums[k] / count / deviation) * Math.sqrt(count / sizes[k]);
    const [shown, common] = [cellWords(column, here), cellWords(column, overall)];
    const words = shown === common ? shareWords(column, own[k], all) : `${name} ${shown} (overall ${common})`;
    const [less, more] =
      column.kind === "date"
        ? ["early", "late"]
        : column.reading.form === BETWEEN
          ? ["few", "many"]
          : ["low", "high"];
    const size = `${Math.abs(effect) >= VERY ? "very " : ""}${effect > 0 ? more : less}`;
    // Levels are clearer than high and low: the first grade is the best.
    const called = column.kind === "ordered" && shown !== common ? `${name} ${shown}` : `${size} ${name}`;
    return { column: column.name, here, overall, effect, explained, words, called };
  });
}

/** If the medians are equal: the value whose share of rows at or above it differs most from that of all rows. */
function shareWords(column: Column, own: Float64Array, all: Float64Array): string {
  let [best, most, here, overall] = [all[0], 0, 1, 1];
  for (let p = 0, q = 0; p < all.length; p++) {
    if (p > 0 && all[p] === all[p - 1]) continue;
    while (q < own.length && own[q] < all[p]) q++;
    const [inAll, inOwn] = [1 - p / all.length, 1 - q / own.length];
    if (Math.abs(inOwn - inAll) > Math.abs(most)) {
      [best, most, here, overall] = [all[p], inOwn - inAll, inOwn, inAll];
    }
  }
  const value = cellWords(column, best);
  const name = shortName(column.name);
  return most >= 0
    ? `${name}: ${percent(here)} at least ${value} (${percent(overall)} overall)`
    : `${name}: ${percent(1 - here)} below ${value} (${percent(1 - overall)} overall)`;
}

/** Numbers of words or phrases of a text, and of things of a list, that describe a cluster. */
const TEXT_WORDS = 4;
const THINGS = 2;
/** So many of the words that describe a cluster best are looked at for phrases. */
const CONSIDERED = 20;
/** The most different words are sought among this many of the most frequent ones. */
const VOCABULARY = 5000;

/** The words and phrases of each text, the things of each list, the beginnings of each path; undefined for other columns. */
function partsOf(column: Column, n: number): ReadonlySet<string>[] | undefined {
  if (column.kind === "text") {
    return Array.from({ length: n }, (_, i) => phrasesOf(cellText(column, i)));
  }
  const { form, separator } = column.reading ?? {};
  if (column.kind !== "category" || (form !== "list" && form !== "path")) return undefined;
  const ofLevel = column.levels!.map((level) => new Set(cellParts(level, form, separator)));
  const none = new Set<string>();
  return Array.from(column.codes!, (code) => (code < 0 ? none : ofLevel[code]));
}

/**
 * The parts whose share in the cluster's cells exceeds their share in all cells most. The words of texts are ranked by their
 * share in the cluster times log(1 + rows of a cluster / rows with the word), so common words come last (class-based TF-IDF,
 * Grootendorst 2022).
 */
function partDifferences(
  column: Column,
  parts: readonly ReadonlySet<string>[],
  labels: ArrayLike<number>,
  sizes: Int32Array,
): Difference[][] {
  const K = sizes.length;
  const n = labels.length;
  const shown = column.kind === "text" ? (part: string) => `"${part}"` : (part: string) => shortName(part);
  const name = shortName(column.name);
  const frequency = new Map<string, number>();
  for (const words of parts) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const least = Math.max(3, 0.002 * n);
  const vocabulary = [...frequency]
    .filter(([, count]) => count >= least && count < n)
    .sort(([a, p], [b, q]) => q - p || (a < b ? -1 : 1))
    .slice(0, VOCABULARY);
  const place = new Map(vocabulary.map(([word], w) => [word, w]));
  const counts = new Int32Array(K * vocabulary.length);
  parts.forEach((words, i) => {
    if (labels[i] < 0) return;
    for (const word of words) {
      const w = place.get(word);
      if (w !== undefined) counts[labels[i] * vocabulary.length + w]++;
    }
  });
  return Array.from(sizes, (size, k) => {
    const differences = vocabulary.map(([level, count], w): Difference => {
      const overall = count / n;
      const here = size === 0 ? 0 : counts[k * vocabulary.length + w] / size;
      const variance = overall * (1 - overall);
      let between = 0;
      for (let j = 0; j < K; j++) {
        if (sizes[j] === 0) continue;
        const share = counts[j * vocabulary.length + w] / sizes[j];
        between += (sizes[j] / n) * (share - overall) ** 2;
      }
      const explained = Math.min(1, between / variance);
      const words = `${name}: ${percent(here)} with ${shown(level)} (${percent(overall)} overall)`;
      const effect = (here - overall) / Math.sqrt(variance);
      return {
        column: column.name,
        level,
        here,
        overall,
        effect,
        explained,
        words,
        called: `${column.kind === "text" ? "" : howOften(here, effect)}${shortName(level)}`,
      };
    });
    const rank = (one: Difference): number =>
      column.kind === "text" ? one.here! * Math.log(1 + 1 / (K * one.overall!)) : telling(one);
    const ranked = differences
      .filter(({ effect }) => effect > 0)
      .sort((a, b) => rank(b) - rank(a) || (a.level! < b.level! ? -1 : 1));
    return column.kind === "text" ? withoutRepeats(ranked) : ranked.slice(0, THINGS);
  });
}

/**
 * The first words, each once. A phrase of two that describe the cluster stands for both if it is half as frequent as either.
 */
function withoutRepeats(ranked: readonly Difference[]): Difference[] {
  const chosen: Difference[] = [];
  const best = ranked.slice(0, CONSIDERED);
  const isSingle = ({ level }: Difference): boolean => !level!.includes(" ");
  const phrases = best.filter((one) => !isSingle(one));
  const covered = new Set<Difference>();
  for (const word of best.filter(isSingle)) {
    if (chosen.length === TEXT_WORDS) break;
    if (covered.has(word)) continue;
    const whole = phrases.find(({ level, here }) => {
      const members = best.filter((one) => isSingle(one) && level!.split(" ").includes(one.level!));
      return members.length === 2 && members.includes(word) && members.every((one) => 2 * here! >= one.here!);
    });
    chosen.push(whole ?? word);
    if (whole === undefined) continue;
    for (const one of best) if (whole.level!.split(" ").includes(one.level!)) covered.add(one);
  }
  return chosen;
}

/** By the level whose share in the cluster differs most from its share in all rows. */
function levelDifferences(
  column: Column,
  labels: ArrayLike<number>,
  sizes: Int32Array,
): (Difference | undefined)[] {
  const { codes, levels } = column;
  const K = sizes.length;
  const L = levels!.length;
  const counts = new Int32Array(K * L);
  const all = new Int32Array(L);
  const known = new Int32Array(K);
  let m = 0;
  for (let i = 0; i < codes!.length; i++) {
    if (codes![i] < 0) continue;
    all[codes![i]]++;
    m++;
    if (labels[i] < 0) continue;
    counts[labels[i] * L + codes![i]]++;
    known[labels[i]]++;
  }
  if (m === 0) return [];
  let total = 0;
  let between = 0;
  for (let level = 0; level < L; level++) {
    const share = all[level] / m;
    total += share * (1 - share);
    for (let k = 0; k < K; k++) {
      if (known[k] > 0) between += (known[k] / m) * (counts[k * L + level] / known[k] - share) ** 2;
    }
  }
  if (total < 1e-12) return [];
  const explained = Math.min(1, between / total);
  return Array.from(known, (count, k) => {
    if (count === 0) return undefined;
    let best = -1;
    let most = 0;
    for (let level = 0; level < L; level++) {
      const share = all[level] / m;
      const spread = Math.sqrt(share * (1 - share));
      if (spread === 0) continue;
      const effect = (counts[k * L + level] / count - share) / spread;
      // A present level is clearer than an absent one.
      const weight = effect > 0 ? effect : 0.5 * effect;
      if (best < 0 || Math.abs(weight) > Math.abs(most)) [best, most] = [level, weight];
    }
    if (best < 0) return undefined;
    const overall = all[best] / m;
    const here = counts[k * L + best] / count;
    const effect = ((here - overall) / Math.sqrt(overall * (1 - overall))) * Math.sqrt(count / sizes[k]);
    const level = levels![best];
    const name = shortName(column.name);
    const shown = shortName(level);
    const words = `${name}: ${percent(here)} ${shown} (${percent(overall)} overall)`;
    // "yes", "nein" and "3" mean nothing without their column.
    const alone = L > 2 && /\p{L}{4}/u.test(level);
    const plain = alone ? shown : `${name} ${shown}`;
    const called = `${howOften(here, effect)}${plain}`;
    return { column: column.name, level, here, overall, effect, explained, words, called };
  });
}

/** A level names a cluster by itself if most of the rows have it. */
function howOften(here: number, effect: number): string {
  if (effect > 0) return here > 0.5 ? "" : "often ";
  return here === 0 ? "not " : "rarely ";
}

/** A value of a column in readable form. */
export function cellWords(
  { kind, levels, reading, values = new Float64Array() }: Column,
  value: number,
): string {
  if (Number.isNaN(value)) return "missing";
  if (kind === "ordered" && levels !== undefined)
    return shortName(levels[Math.round(value)] ?? String(value));
  if (reading.form === "clock") return timeOfDay(value);
  if (reading.form === "duration") return lengthOfTime(value);
  if (kind === "date") {
    const date = new Date(value * 86_400_000);
    if (Number.isNaN(date.getTime())) return shortNumber(value);
    const [day] = date.toISOString().split("T");
    return reading.form === "timestamp" && span(values) < A_MONTH ? `${day} ${timeOfDay(value)}` : day;
  }
  const unit = reading.unit === undefined ? "" : ` ${reading.unit}`;
  return `${shortNumber(value)}${unit}`;
}

/** Days up to which the time of a timestamp tells more than its day. */
const A_MONTH = 31;

function span(values: ArrayLike<number>): number {
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    if (values[i] < least) least = values[i];
    if (values[i] > most) most = values[i];
  }
  return most - least;
}

/** 0.2861 of a day: "06:52". */
function timeOfDay(days: number): string {
  const minutes = Math.round(1440 * (days - Math.floor(days))) % 1440;
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

/** The two largest units of a number of seconds: "1 h 25 min", "41 min", "3.2 s". */
function lengthOfTime(seconds: number): string {
  const size = Math.abs(seconds);
  const larger = LENGTHS.findIndex(([, length]) => size >= length);
  if (larger < 0) return `${shortNumber(seconds)} s`;
  const [[name, length], [smaller, step]] = [LENGTHS[larger], LENGTHS[larger + 1] ?? ["s", 1]];
  const steps = Math.round(size / step);
  const [whole, rest] = [Math.floor((steps * step) / length), Math.round(steps % (length / step))];
  return `${seconds < 0 ? "-" : ""}${whole} ${name}${rest === 0 ? "" : ` ${rest} ${smaller}`}`;
}

const LENGTHS: readonly (readonly [string, number])[] = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
];

function shortNumber(value: number): string {
  const rounded = Number(value.toPrecision(4));
  const grouped = Math.abs(rounded) >= 10_000 && Math.abs(rounded) < 1e15;
  return grouped ? rounded.toLocaleString("en-US") : String(rounded);
}

function sentence(
  size: number,
  n: number,
  told: readonly Difference[],
  like: readonly string[],
  texts: ReadonlySet<string>,
): string {
  const rows = `${size} of ${n} rows`;
  const typical = like.length === 0 ? "" : `; typical: ${like.join(", ")}`;
  if (told.length === 0) return `${rows}; no single column distinguishes it${typical}`;
  const words = told.slice(0, MOST_WORDS);
  const ofTexts = words.some(({ column }) => texts.has(column)) ? `; typical: ${like[0]}` : "";
  return `${rows}; ${listed(words, texts)}${like.length === 0 ? "" : ofTexts}`;
}

/** The column of a text is named once. */
function listed(told: readonly Difference[], texts: ReadonlySet<string>): string {
  return told
    .map(({ column, words }, p) =>
      texts.has(column) && told[p - 1]?.column === column ? words.slice(shortName(column).length + 2) : words,
    )
    .join(", ");
}

/** Words of two letters are the most frequent of every language; they name no topic. */
const NO_NAME = /^(?:\p{sc=Latin}|\p{sc=Cyrillic}|\p{sc=Greek}){2}$/u;

/** Two columns name a cluster; a third word of a text makes a topic of them. */
function suggestion(
  told: readonly Difference[],
  like: readonly string[],
  texts: ReadonlySet<string>,
): string {
  if (told.length === 0) return like.length === 0 ? "ordinary" : `like ${like[0]}`;
  const naming = told.filter(({ column, level = "" }) => !texts.has(column) || !NO_NAME.test(level));
  if (naming.length < told.length) return suggestion(naming, like, texts);
  const isTopic = told.slice(0, 2).every(({ column }) => texts.has(column));
  const called = new Set(told.map((one) => one.called));
  return [...called].slice(0, isTopic ? 3 : 2).join(", ");
}

/** Maximum numbers of typical rows in a description, and of letters in a row's name. */
const MOST_LIKE = 3;
const MOST_LETTERS = 40;

/** A row as people know it: by a short text, by its id, by its number. */
function nameOfRow({ columns }: Table, row: number): string {
  for (const kind of ["text", "id"]) {
    const column = columns.find((one) => one.kind === kind);
    const letters = column === undefined ? [] : [...cellText(column, row).replaceAll(/\s+/g, " ").trim()];
    if (letters.length > MOST_LETTERS) return `"${letters.slice(0, MOST_LETTERS - 1).join("")}…"`;
    if (letters.length > 0) return kind === "text" ? `"${letters.join("")}"` : letters.join("");
  }
  return `row ${row}`;
}

/** Equal names get a number. */
function distinctNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}
