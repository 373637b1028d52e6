/**
 * A table of typed columns becomes a matrix of numbers, and the record that does the same to other rows.
 *
 * Every column becomes features that have variance 1 together, whatever its kind. Then, without labels, columns are
 * weighted by what they tell about others (columnWeights.ts); one that tells nothing is left out. Columns that say the
 * same share one weight, a category that determines another stands for it, a battery of ratings loses its row mean.
 */
import { inputError, option, optionError } from "../core/errors.ts";
import { knownNames } from "../core/nearName.ts";
import { given, integer, oneOf, resolveOptions } from "../core/options.ts";
import { note, type Note } from "../core/notes.ts";
import { progressGate, type OnProgress } from "../core/progress.ts";
import type { Column, Table } from "../data/columns/column.ts";
import { columnSpreads } from "../data/spread.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { gram } from "../matrix/multiply.ts";
import { storeMatrix } from "../matrix/storedMatrix.ts";
import { applyFeatures, unfilledMatrix } from "./applyFeatures.ts";
import { batteries } from "./batteries.ts";
import {
  columnCandidates,
  missingMarks,
  numberText,
  type Candidate,
  type CandidateRules,
} from "./candidates.ts";
import { levelsOf, missingTest } from "./columnCells.ts";
import { columnWeights, significance, strength, type Weights } from "./columnWeights.ts";
import { codedAngles, codedCells, codedLevels, codedNumbers, dependence, type Coded } from "./dependence.ts";
import { determinedLevels } from "./determinedLevels.ts";
import { encodePart, rawNumbers, type Cells } from "./encodePart.ts";
import type {
  CopiesEncoding,
  FeatureColumn,
  FeaturePart,
  FeatureRecord,
  FeatureScale,
  MissingCells,
  NumberEncoding,
} from "./featureRecord.ts";
import { learnFill } from "./fillModel.ts";
import { learnNumber } from "./numberEncoding.ts";
import { sampleRows } from "./sampleRows.ts";
import { tellTogether } from "./tellTogether.ts";

export interface FeatureOptions {
  /**
   * "auto" (default): skewed numbers are transformed, far values limited, then z-scores; "zscore", "minmax", "robust"
   * (median and quartiles) and "none" do only that; "unit": z-scores, and each row is divided by its norm.
   */
  scale?: FeatureScale;
  /** Missing cells: "fill" (default) from the training rows, "drop" the row, or "refuse" the table. */
  missing?: MissingCells;
  /** "auto" (default): a column counts by what it tells about others; "equal": all count the same. */
  weights?: "auto" | "equal";
  /** Names of the columns to use, and no others. */
  use?: readonly string[];
  /** Names of columns to leave out. */
  ignore?: readonly string[];
  /**
   * Columns of free text to use; "auto" (default): those whose words tell about other columns; "none".
   */
  text?: "auto" | "none" | readonly string[];
  /**
   * Columns whose levels shift the others (the language of a text, the laboratory of a sample): the mean of each level is
   * taken away from all numbers, texts and vectors, and the column itself is left out.
   */
  adjust?: readonly string[];
  seed?: number;
  /** Returning false stops what is left to be learned: columns then count the same. */
  onProgress?: OnProgress;
}

export interface TableFeatures {
  /** Rows x features. */
  readonly X: Matrix;
  /** The rows of the table that the rows of X are; absent: all of them. Only with missing "drop". */
  readonly rows?: Int32Array;
  readonly record: FeatureRecord;
  /** One entry per column of the table. */
  readonly columns: readonly FeatureColumn[];
  readonly notes: readonly Note[];
}

/** Rows that dependence, components and fills are learned from; the rest only passes through. */
const LEARNED_ROWS = 20_000;
const PAIR_ROWS = 10_000;
/** The same for tables of numbers without gaps, where it is only asked whether most columns tell nothing. */
const PLAIN_PAIR_ROWS = 2000;
/** Rows times pairs of parts; beyond it fewer rows are compared. */
const PAIR_WORK = 2e9;
const MOST_PARTS = 2000;
const NEAR_COPY = 0.97;

export function learnFeatures(table: Table, options: FeatureOptions = {}): TableFeatures {
  const settings = resolveOptions<FeatureOptions, typeof RULES>("learnFeatures", options, RULES);
  const { scale, missing, seed } = settings;
  checkNames(table, settings);
  if (table.rows === 0) throw inputError(`${table.source}: there are no rows`);
  const notes: Note[] = [];
  const chosen = new Set(settings.use ?? table.columns.map((column) => column.name));
  for (const name of [...(settings.ignore ?? []), ...(settings.adjust ?? [])]) chosen.delete(name);
  const sample = sampleRows(table, LEARNED_ROWS, seed);
  const cells: Cells = { rows: table.rows, column: namedColumns(table) };
  const why = new Map<string, string>();
  const plain = plainTable(table, chosen) && settings.adjust === undefined;
  const rules: CandidateRules = {
    scale,
    transforms: plain ? "clear" : "usual",
    text: settings.text === "auto" ? "all" : settings.text === "none" ? [] : settings.text,
    asked: new Set(settings.use),
    seed,
  };
  let candidates: Candidate[] = [];
  const withGaps: Column[] = [];
  const gate = progressGate(settings.onProgress);
  for (const [c, column] of table.columns.entries()) {
    gate({ fraction: (0.5 * c) / table.columns.length, label: `column ${column.name}` });
    if (!chosen.has(column.name)) {
      const adjusted = settings.adjust?.includes(column.name) === true;
      why.set(column.name, adjusted ? "left out: the others are adjusted for it" : "left out: as asked");
      continue;
    }
    const found = columnCandidates(column, table, sample, rules);
    if (typeof found === "string") why.set(column.name, found);
    else candidates.push(...found);
    if (typeof found !== "string" || /% of its cells/.test(found)) withGaps.push(column);
  }
  if (candidates.length === 0) throw inputError(nothingLeft(table, why));
  const weighing = settings.weights === "auto" && candidates.length > 1 && candidates.length <= MOST_PARTS;
  if (weighing && !plain && missing === "fill") candidates.push(...missingMarks(table, withGaps, sample));
  if (scale === "auto" && !plain) {
    candidates = withBatteries(candidates, cells, sample, notes);
  }
  candidates = candidates.map((candidate) => adjusted(candidate, settings.adjust ?? [], cells, sample));
  let decided: Decided[] | undefined;
  const allTell = plain && weighing && mostTell(candidates, cells, sample);
  if (weighing && !allTell && gate({ fraction: 0.5, label: "weights" })) {
    const said = new Map(why);
    const told: Note[] = [];
    const found = weighted(candidates, cells, sample, { settings, plain }, said, told);
    const kept = new Set(found.map(({ candidate }) => candidate.column)).size;
    // In a table of numbers without gaps all count the same, unless most of them tell nothing, alone or together.
    if (
      !plain ||
      (2 * kept <= candidates.length && !tellTogether(without(candidates, found, cells, sample)))
    ) {
      decided = found;
      for (const [name, reason] of said) why.set(name, reason);
      notes.push(...told);
    }
  }
  decided ??= equal(candidates, why, true);
  if (gate.stopped) notes.push(note("stopped", "stopped by onProgress: all columns count the same"));
  gate({ fraction: 0.8, label: "features" });
  const parts: FeaturePart[] = decided.map(({ candidate, weight }) => ({
    column: candidate.column,
    kind: candidate.kind,
    label: candidate.label,
    names: candidate.names,
    weight,
    variances: candidate.names.map(() => weight / candidate.names.length),
    encoding: candidate.encoding,
    ...(candidate.adjust !== undefined && { adjust: candidate.adjust }),
  }));
  const record = withFill({ version: 1, scale, missing, parts }, cells, sample);
  const applied = applyFeatures(record, table);
  if (applied.X.rows === 0) {
    throw inputError(`${table.source}: every row has missing cells; fill them instead of dropping rows`);
  }
  if (table.rows > LEARNED_ROWS && (weighing || record.fill !== undefined)) {
    notes.push(
      note(
        "sampled",
        `weights, components and fills were learned from ${LEARNED_ROWS} of ${table.rows} rows`,
      ),
    );
  }
  const byColumn = decidedByColumn(decided);
  const columns = table.columns.map((column): FeatureColumn => {
    const own = byColumn.get(column.name) ?? [];
    const weight = own.reduce((sum, entry) => sum + entry.weight, 0);
    return {
      name: column.name,
      kind: column.kind,
      became: own.map(({ candidate }) => candidate.became).join("; "),
      weight,
      why: why.get(column.name) ?? (weight > 0 ? "kept" : "left out"),
    };
  });
  return { ...applied, record, columns, notes: [...notes, ...applied.notes] };
}

const NAMES = given<readonly string[]>(
  "an array of column names",
  (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
);

const RULES = {
  scale: oneOf(["auto", "zscore", "minmax", "robust", "unit", "none"] as const, "auto"),
  missing: oneOf(["fill", "drop", "refuse"] as const, "fill"),
  weights: oneOf(["auto", "equal"] as const, "auto"),
  use: NAMES,
  ignore: NAMES,
  adjust: NAMES,
  text: given<"auto" | "none" | readonly string[]>(
    `"auto", "none" or an array of column names`,
    (value) => value === "auto" || value === "none" || NAMES.accepts(value),
    "auto",
  ),
  seed: integer({ min: 0, default: 0 }),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};

type Settings = ReturnType<typeof resolveOptions<FeatureOptions, typeof RULES>>;

interface Decided {
  readonly candidate: Candidate;
  readonly weight: number;
}

function checkNames(table: Table, { use, ignore, adjust, text }: Settings): void {
  const known = new Map(table.columns.map((column) => [column.name, column]));
  const check = (asked: string, names: readonly string[]): void => {
    for (const name of names) {
      if (!known.has(name)) {
        throw optionError(
          `${option(asked)} names the column "${name}", which ${table.source} does not have; ` +
            knownNames(name, [...known.keys()], "columns"),
        );
      }
    }
  };
  check("use", use ?? []);
  check("ignore", ignore ?? []);
  check("adjust", adjust ?? []);
  if (typeof text !== "string") {
    check("text", text);
    for (const name of text) {
      const { kind } = known.get(name)!;
      if (kind !== "text") {
        throw optionError(
          `${option("text")} names the column "${name}", which is taken as ${kind}; ${option("as")} ${name}=text reads it as text`,
        );
      }
    }
  }
}

/** Numbers only, without gaps: such a table is standardised and nothing else. */
function plainTable(table: Table, chosen: ReadonlySet<string>): boolean {
  return table.columns.every((column) => {
    if (!chosen.has(column.name)) return true;
    if (column.kind === "id" || column.kind === "constant" || column.kind === "empty") return true;
    if (column.kind !== "number" && column.kind !== "ordered") return false;
    const test = missingTest(column);
    for (let i = 0; i < table.rows; i++) if (test(i)) return false;
    return true;
  });
}

function nothingLeft(table: Table, why: ReadonlyMap<string, string>): string {
  const reasons = [...why]
    .slice(0, 5)
    .map(([name, reason]) => `${name} ${reason.replace("left out: ", "(")})`);
  return `${table.source}: no column can be used: ${reasons.join(", ")}; ${option("as")} says what a column is`;
}

function namedColumns(table: Table): (name: string) => Column | undefined {
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  return (name) => byName.get(name);
}

/** What became of each column; near copies belong to all the columns that they are the mean of. */
function decidedByColumn(decided: readonly Decided[]): Map<string, Decided[]> {
  const found = new Map<string, Decided[]>();
  for (const entry of decided) {
    const { column, encoding } = entry.candidate;
    const names =
      encoding.form === "copies" ? new Set(encoding.members.map((member) => member.column)) : [column];
    for (const name of names) {
      const own = found.get(name);
      if (own === undefined) found.set(name, [entry]);
      else own.push(entry);
    }
  }
  return found;
}

function equal(candidates: readonly Candidate[], why: Map<string, string>, asked: boolean): Decided[] {
  const reason = asked ? "kept" : "kept: no column tells about another, so all count the same";
  for (const { column } of candidates) if (!why.has(column)) why.set(column, reason);
  return candidates
    .filter(({ share }) => share > 0)
    .map((candidate) => ({ candidate, weight: candidate.share }));
}

/** Ratings on one scale that share a general factor: the row's mean is taken away. */
function withBatteries(
  candidates: readonly Candidate[],
  cells: Cells,
  sample: Int32Array,
  notes: Note[],
): Candidate[] {
  const all = Int32Array.from({ length: cells.rows }, (_, i) => i);
  const out = [...candidates];
  const ratings = candidates.flatMap(({ kind, encoding, column }, place) =>
    kind === "ordered" && encoding.form === "number"
      ? [{ place, column, values: rawNumbers(encoding, column, cells, sample) }]
      : [],
  );
  for (const group of batteries(ratings.map(({ values }) => values))) {
    const members = group.map((g) => ratings[g]);
    const names = members.map(({ column }) => column);
    for (const { place, column } of members) {
      const before = candidates[place].encoding as NumberEncoding;
      const raw = rawNumbers({ ...before, lessMeanOf: names }, column, cells, all);
      const learned = learnNumber(raw, { scale: "zscore", transforms: "none" });
      if (learned === undefined) continue;
      const { levels, levelValues } = before;
      const encoding: NumberEncoding = {
        ...learned,
        ...(levels !== undefined && levelValues !== undefined && { levels, levelValues }),
        lessMeanOf: names,
      };
      out[place] = { ...candidates[place], encoding, became: numberText(encoding, "auto") };
    }
    notes.push(
      note(
        "battery",
        `${names.length} ratings on one scale rise and fall together (${names.slice(0, 3).join(", ")}, ...): ` +
          "each row's mean over them is taken away",
      ),
    );
  }
  return out;
}

function weighted(
  given: readonly Candidate[],
  cells: Cells,
  sample: Int32Array,
  { settings, plain }: { settings: Settings; plain: boolean },
  why: Map<string, string>,
  notes: Note[],
): Decided[] {
  const pairs = (given.length * (given.length - 1)) / 2;
  const most = Math.max(
    1000,
    Math.min(plain ? PLAIN_PAIR_ROWS : PAIR_ROWS, Math.floor(PAIR_WORK / Math.max(1, pairs))),
  );
  const rows = sample.subarray(0, Math.min(sample.length, most));
  const encode = (candidate: Candidate): Float64Array => encodePart(candidate, cells, rows);
  let blocks = given.map(encode);
  let coded = given.map((candidate, k) => codedPart(candidate, blocks[k]));
  const merged = plain ? given : withoutCopies(given, coded, cells);
  if (merged.length < given.length) {
    for (const { encoding } of merged) {
      if (encoding.form === "copies") {
        notes.push(
          note(
            "near-copies",
            `${encoding.members.map(({ column }) => column).join(", ")} say the same and count as one column`,
          ),
        );
      }
    }
    blocks = merged.map(encode);
    coded = merged.map((candidate, k) => codedPart(candidate, blocks[k]));
  }
  const found = dependence(coded, (i, j) => sameColumn(merged[i], merged[j]));
  const bar = significance(merged.length);
  const { groups, dropped } = determinedLevels(
    merged.map((candidate, k) => levelCodes(candidate, blocks[k])),
    found,
    bar,
  );
  for (const group of groups) {
    for (const i of group) {
      for (const j of group) found.score[i * found.size + j] = -Infinity;
    }
  }
  const own = new Map<number, number>();
  merged.forEach((candidate, k) => {
    if (candidate.kind !== "vector" && candidate.kind !== "text") return;
    const value = ownStrength(blocks[k], candidate.names.length);
    if (value > 0) own.set(k, value);
  });
  const result = columnWeights(found, own, new Set(dropped.keys()));
  explain(merged, result, dropped, settings, why);
  if (!result.found) {
    notes.push(note("independent", "no column tells about another: all count the same"));
    const kept = merged.filter((candidate, k) => !dropped.has(k) && keepText(candidate, settings));
    return equal(kept.length > 0 ? kept : merged, why, false);
  }
  return merged.flatMap((candidate, k) => {
    const weight = result.weights[k] * fairShare(merged, result, k);
    return weight > 0 ? [{ candidate, weight }] : [];
  });
}

/** Whether most columns have a significant correlation of ranks with another one: then nothing else is asked. */
function mostTell(candidates: readonly Candidate[], cells: Cells, sample: Int32Array): boolean {
  const rows = sample.subarray(0, PLAIN_PAIR_ROWS);
  const n = rows.length;
  const size = candidates.length;
  const Z = matrix(n, size);
  candidates.forEach((candidate, f) => {
    const { scores } = codedNumbers(encodePart(candidate, cells, rows));
    let square = 0;
    for (let i = 0; i < n; i++) square += scores![i] ** 2;
    if (square > 0) for (let i = 0; i < n; i++) Z.data[i * size + f] = scores![i] / Math.sqrt(square);
  });
  const R = gram(Z).data;
  const bar = significance(size) / Math.sqrt(n);
  let tell = 0;
  for (let f = 0; f < size; f++) {
    for (let g = 0; g < size; g++) {
      if (f === g || !(Math.abs(R[f * size + g]) > bar)) continue;
      tell++;
      break;
    }
  }
  return 2 * tell > size;
}

/** The numbers of the candidates that were left out. */
function without(
  candidates: readonly Candidate[],
  found: readonly Decided[],
  cells: Cells,
  sample: Int32Array,
): Float64Array[] {
  const kept = new Set(found.map(({ candidate }) => candidate));
  const rows = sample.subarray(0, PLAIN_PAIR_ROWS);
  return candidates
    .filter((candidate) => !kept.has(candidate))
    .map((candidate) => encodePart(candidate, cells, rows));
}

/** Parts of one column together count no more than one column does. */
function fairShare(candidates: readonly Candidate[], { weights }: Weights, k: number): number {
  let sum = 0;
  candidates.forEach(({ column, encoding }, j) => {
    if (column === candidates[k].column && encoding.form !== "mark") sum += weights[j];
  });
  return candidates[k].encoding.form === "mark" || sum <= 1 ? 1 : 1 / sum;
}

/** A text that tells about nothing counts only if it was asked for. */
function keepText({ kind, column }: Candidate, { text }: Settings): boolean {
  return kind !== "text" || (typeof text !== "string" && text.includes(column));
}

function explain(
  candidates: readonly Candidate[],
  { weights, tells, found }: Weights,
  dropped: ReadonlyMap<number, number>,
  settings: Settings,
  why: Map<string, string>,
): void {
  const names = new Map<string, number[]>();
  candidates.forEach((candidate, k) => {
    const own =
      candidate.encoding.form === "copies"
        ? candidate.encoding.members.map(({ column }) => column)
        : [candidate.column];
    for (const name of own) names.set(name, [...(names.get(name) ?? []), k]);
  });
  for (const [name, parts] of names) {
    const before = why.get(name);
    if (before !== undefined) {
      // Set aside for its gaps, which tell nevertheless.
      if (parts.some((k) => weights[k] > 0))
        why.set(name, before.replace("left out: ", "only where it is missing: "));
      continue;
    }
    const main = parts.filter((k) => candidates[k].encoding.form !== "mark");
    const kept = parts.filter((k) => weights[k] > 0);
    const stand = main.find((k) => dropped.has(k));
    if (stand !== undefined && kept.length === 0) {
      why.set(name, `left out: ${candidates[dropped.get(stand)!].column} says the same`);
    } else if (!found) {
      const text = main.length > 0 && !main.some((k) => keepText(candidates[k], settings));
      why.set(
        name,
        text
          ? "left out: tells nothing about any other column"
          : "kept: no column tells about another, so all count the same",
      );
    } else if (kept.length === 0) {
      const some = parts.some((k) => tells[k].length > 0);
      why.set(
        name,
        some
          ? "left out: tells only about columns that tell little"
          : "left out: tells nothing about any other column",
      );
    } else {
      const about = [
        ...new Set(
          kept.flatMap((k) => tells[k].filter((j) => weights[j] > 0).map((j) => candidates[j].label)),
        ),
      ];
      const copies = candidates[kept[0]].encoding;
      const shared = copies.form === "copies" ? ` (one weight for ${copies.members.length} near copies)` : "";
      why.set(
        name,
        about.length === 0
          ? `kept: its own features go together${shared}`
          : `kept: tells about ${about.slice(0, 3).join(", ")}${about.length > 3 ? ", ..." : ""}${shared}`,
      );
    }
  }
}

function codedPart(candidate: Candidate, block: Float64Array): Coded {
  const { encoding, names } = candidate;
  switch (encoding.form) {
    case "number":
    case "copies":
      return codedNumbers(block);
    case "mark":
      return codedLevels(block.map((value) => (value > 0 ? 1 : 0)));
    case "cyclic":
      return codedAngles(block);
    case "levels":
      return encoding.cells === "list"
        ? codedCells(block, names.length)
        : codedLevels(levelCodes(candidate, block)!);
    default:
      return names.length === 1
        ? codedNumbers(block)
        : codedCells(block, Math.min(names.length, 30), names.length);
  }
}

/** The level of each row of a category, of a path its first step; -1 where missing. */
function levelCodes({ encoding, names }: Candidate, block: Float64Array): Int32Array | undefined {
  if (encoding.form !== "levels" || encoding.cells === "list") return undefined;
  const width = names.length;
  const first = encoding.depths?.[0] ?? width;
  return Int32Array.from({ length: block.length / width }, (_, r) => {
    if (Number.isNaN(block[r * width])) return -1;
    for (let f = 0; f < first; f++)
      if (block[r * width + f] + encoding.offsets[f] / encoding.spread > 1e-9) return f;
    return -1;
  });
}

function sameColumn(a: Candidate, b: Candidate): boolean {
  if (a.column === b.column) return true;
  const marked = (mark: Candidate, other: Candidate): boolean =>
    mark.encoding.form === "mark" && mark.encoding.of.includes(other.column);
  return marked(a, b) || marked(b, a);
}

/** How much the first features of a vector or text tell about each other. */
function ownStrength(block: Float64Array, width: number): number {
  if (width < 2) return 0;
  const count = Math.min(6, width);
  const parts = Array.from({ length: count }, (_, f) =>
    codedNumbers(Float64Array.from({ length: block.length / width }, (__, r) => block[r * width + f])),
  );
  const { size, information, excess, score } = dependence(parts, () => false);
  const bar = significance(6);
  let most = 0;
  for (let p = 0; p < size * size; p++) {
    if (score[p] > bar) most = Math.max(most, strength(information[p], excess[p]));
  }
  return most;
}

/** Ordered parts that rank the rows alike become their mean. */
function withoutCopies(candidates: readonly Candidate[], coded: readonly Coded[], cells: Cells): Candidate[] {
  const numbers = Array.from(candidates.keys()).filter((k) => candidates[k].encoding.form === "number");
  const { size, correlation } = dependence(
    numbers.map((k) => coded[k]),
    () => true,
  );
  const taken = new Set<number>();
  const replaced = new Map<number, Candidate>();
  for (let a = 0; a < size; a++) {
    if (taken.has(numbers[a])) continue;
    const group = [a];
    for (let b = a + 1; b < size; b++) {
      const r = correlation[a * size + b];
      if (!taken.has(numbers[b]) && Math.abs(r) >= NEAR_COPY) group.push(b);
    }
    if (group.length < 2) continue;
    const members = group.map((g) => ({
      column: candidates[numbers[g]].column,
      sign: g === a || correlation[a * size + g] > 0 ? (1 as const) : (-1 as const),
      encoding: candidates[numbers[g]].encoding as NumberEncoding,
    }));
    for (const g of group.slice(1)) taken.add(numbers[g]);
    const start: CopiesEncoding = { form: "copies", members, center: 0, spread: 1 };
    const first = candidates[numbers[a]];
    const all = Int32Array.from({ length: cells.rows }, (_, i) => i);
    const mean = encodePart({ column: first.column, encoding: start }, cells, all).filter(
      (value) => !Number.isNaN(value),
    );
    const [spread] = columnSpreads(matrix(mean.length, 1, mean), [first.column]);
    replaced.set(numbers[a], {
      ...first,
      label: members.map(({ column }) => column).join(" + "),
      names: [members.map(({ column }) => column).join(" + ")],
      encoding: { ...start, center: spread.mean, spread: spread.deviation || 1 },
      became: `mean of ${members.length} near copies`,
    });
  }
  return candidates.flatMap((candidate, k) => (taken.has(k) ? [] : [replaced.get(k) ?? candidate]));
}

/** Takes the mean of each level of the named columns away from numbers, dates, texts and vectors. */
function adjusted(
  candidate: Candidate,
  names: readonly string[],
  cells: Cells,
  sample: Int32Array,
): Candidate {
  if (candidate.encoding.form === "levels" || candidate.encoding.form === "mark") return candidate;
  let out = candidate;
  for (const column of names) {
    const block = encodePart(out, cells, sample);
    const width = candidate.names.length;
    const { levels, codes } = levelsOf(cells.column(column), cells.rows);
    const means = matrix(levels.length, width);
    const counts = new Float64Array(levels.length);
    for (let r = 0; r < sample.length; r++) {
      const code = codes[sample[r]];
      if (code < 0 || Number.isNaN(block[r * width])) continue;
      counts[code]++;
      for (let f = 0; f < width; f++) means.data[code * width + f] += block[r * width + f];
    }
    // A level of few rows has no mean worth taking away.
    for (let p = 0; p < means.data.length; p++) {
      const count = counts[Math.floor(p / width)];
      means.data[p] = count < 5 ? 0 : means.data[p] / count;
    }
    out = { ...out, adjust: [...(out.adjust ?? []), { column, levels, means: storeMatrix(means) }] };
  }
  return out;
}

/** Cells of the covariance that one round of the fill may cost. */
const FILL_WORK = 5e8;

function withFill(record: FeatureRecord, cells: Cells, sample: Int32Array): FeatureRecord {
  const width = record.parts.reduce((sum, part) => sum + part.names.length, 0);
  const rows = sample.subarray(0, Math.max(1000, Math.floor(FILL_WORK / width ** 2)));
  const X = unfilledMatrix(record.parts, cells, rows);
  const variances = featureVariances(X);
  let first = 0;
  const parts = record.parts.map((part) => {
    const own = Array.from(variances.subarray(first, (first += part.names.length)));
    return { ...part, variances: own };
  });
  return record.missing === "fill" ? { ...record, parts, fill: learnFill(X) } : { ...record, parts };
}

function featureVariances({ cols, data }: Matrix): Float64Array {
  const counts = new Float64Array(cols);
  const means = new Float64Array(cols);
  const squares = new Float64Array(cols);
  for (let p = 0; p < data.length; p++) {
    if (Number.isNaN(data[p])) continue;
    const f = p % cols;
    counts[f]++;
    const step = Math.max(-1e150, Math.min(1e150, data[p] - means[f]));
    means[f] += step / counts[f];
    squares[f] += step * step * (1 - 1 / counts[f]);
  }
  // Kept below what sums of them can hold.
  return squares.map((square, f) => (counts[f] > 0 ? Math.min(square / counts[f], 1e290) : 0));
}
