/**
 * Converts a table of typed columns to a matrix of numbers, with a record that converts other rows in the
 * same way.
 *
 * The features of every column together have variance 1, for any kind. Then, without labels, columns related to others count
 * more (weighColumns.ts), and copies are left out. A table of numbers without gaps is only standardised.
 */
import type { Note } from "../core/index.ts";
import { absentColumn, inputError, note, option, optionError, progressGate, rule } from "../core/internal.ts";
import type { Table, Column } from "../data/index.ts";
import { missingIn, requireTable } from "../data/internal.ts";
import { type Matrix, matrix } from "../matrix/index.ts";
import { applyFeatures, unfilledMatrix, byAngle, rarity } from "./applyFeatures.ts";
import {
  amountColumns,
  zeroMarks,
  columnCandidates,
  type Candidate,
  type CandidateRules,
} from "./encode/candidates.ts";
import { dateDifferences } from "./encode/dateDifferences.ts";
import { adjustedFor, cellsOf, type Cells } from "./encode/encodePart.ts";
import type { FeatureColumn, FeaturePart, FeatureRecord } from "./featureRecord.ts";
import { learnFill } from "./fillModel.ts";
import { LEARNED_ROWS, drawnRows, writtenOnce } from "./drawnRows.ts";
import { weighColumns, type WeighedColumns } from "./weigh/weighColumns.ts";

/** The kind of a table's numbers: counts such as word counts, switches, or anything else. */
export type Nature = "bits" | "counts" | "any";

/**
 * The features of a table without a requested scaling: counts that are mostly zeros are compared by angle,
 * columns of 0 and 1 are levels, and everything else uses `learnFeatures`.
 */
export function tableFeatures(
  table: Table,
  options: FeatureOptions = {},
): TableFeatures & { readonly nature: Nature } {
  rule.resolveOptions("learnFeatures", options, RULES);
  const free = options.scale === undefined || options.scale === "auto";
  const nature = free ? natureOf(table, options) : "any";
  if (nature === "counts") return { ...featuresOfCounts(table, options), nature };
  if (nature === "bits") return { ...featuresOfBits(table, options), nature };
  return { ...learnFeatures(table, options), nature };
}

const LEAST_BITS = 8;
const LEAST_COUNTED = 50;

function natureOf(table: Table, { use, ignore, adjust }: FeatureOptions): Nature {
  const used = table.columns.filter(
    ({ name, kind }) =>
      kind !== "id" &&
      kind !== "constant" &&
      kind !== "empty" &&
      ignore?.includes(name) !== true &&
      (use?.includes(name) ?? true),
  );
  if (adjust !== undefined && adjust.length > 0) return "any";
  if (used.length < LEAST_BITS || used.some(({ kind, missing }) => kind !== "number" || missing > 0)) {
    return "any";
  }
  if (used.every(({ values }) => values!.every((value) => value === 0 || value === 1))) return "bits";
  if (used.length < LEAST_COUNTED) return "any";
  const X = matrix(table.rows, used.length);
  used.forEach(({ values }, f) => {
    for (let i = 0; i < table.rows; i++) X.data[i * used.length + f] = values![i];
  });
  return byAngle(X) ? "counts" : "any";
}

/** Columns of 0 and 1 are levels, with equal weights. */
function featuresOfBits(table: Table, options: FeatureOptions): TableFeatures {
  const columns = table.columns.map((column): Column => {
    const { name, kind, reading, values, missing } = column;
    if (kind !== "number" || values === undefined || !values.every((value) => value === 0 || value === 1))
      return column;
    const codes = Int32Array.from(values);
    return {
      name,
      kind: "category",
      why: "0 or 1",
      reading: { ...reading, levels: ["0", "1"] },
      missing,
      levels: ["0", "1"],
      codes,
    };
  });
  return learnFeatures({ ...table, columns }, { ...options, weights: "equal" });
}

/**
 * Rows of length 1 of log(1 + x), weighted by the rarity of the column (Salton and Buckley 1988). A z-score
 * would give a word that occurs once the largest weight; with the plain count, words in every text would
 * decide.
 */
function featuresOfCounts(table: Table, options: FeatureOptions): TableFeatures {
  // There are no gaps; in new rows a missing count is 0, so nothing has to be learned.
  const plain = learnFeatures(table, { ...options, scale: "none", weights: "equal", missing: "refuse" });
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  const weights = plain.record.parts.map(({ column }) => {
    let present = 0;
    for (const value of byName.get(column)!.values!) if (value !== 0) present++;
    return rarity(table.rows, present) ** 2;
  });
  const most = weights.reduce((a, b) => Math.max(a, b), 0);
  const parts = plain.record.parts.map((part, p): FeaturePart => {
    const weight = weights[p] / most;
    const encoding = { form: "number", transform: "log", shift: 1, floor: 1, center: 0, spread: 1 } as const;
    return { ...part, encoding, weight, variances: [weight] };
  });
  const own = new Map(parts.map(({ column, weight }) => [column, weight]));
  const columns = plain.columns.map((column): FeatureColumn => {
    const weight = own.get(column.name);
    return weight === undefined ? column : { ...column, weight, became: "log(1 + x), by how rare it is" };
  });
  const record = { ...plain.record, parts, scale: "unit" as const, missing: options.missing ?? "fill" };
  const message = `most cells are 0, so rows are compared by angle; ${option("scale")} zscore compares columns instead`;
  return {
    ...plain,
    record,
    columns,
    X: applyFeatures(record, table).X,
    notes: [...plain.notes, note("by-angle", message, { option: "scale" })],
  };
}

/** How the columns of a table become features; `cluster` takes the same. */
export const columnOptions = {
  /**
   * "auto": skewed numbers are transformed, far values limited, then z-scores; "zscore", "minmax", "robust"
   * (median and quartiles) and "none" do only that; "unit": z-scores, and each row is divided by its norm.
   */
  scale: rule.oneOf(["auto", "zscore", "minmax", "robust", "unit", "none"], "auto"),
  /** Missing cells: "fill" from the training rows, "drop" the row, or "refuse" the table. */
  missing: rule.oneOf(["fill", "drop", "refuse"], "fill"),
  /** "auto": weights by relation to other columns; "equal": the same weight for all. */
  weights: rule.oneOf(["auto", "equal"], "auto"),
  /** Names of the columns to use, and no others. */
  use: rule.names,
  /** Names of columns to leave out. */
  ignore: rule.names,
  /** Columns of free text to use; "auto": those whose words relate to other columns; "none". */
  text: rule.given<"auto" | "none" | readonly string[]>(
    `"auto", "none" or an array of column names`,
    (value) => value === "auto" || value === "none" || rule.names.accepts(value),
    "auto",
  ),
  /**
   * Columns whose levels shift the others (the language of a text, the laboratory of a sample): the mean of
   * each level is subtracted from all numbers, texts and vectors, and the column itself is left out.
   */
  adjust: rule.names,
};

const RULES = {
  ...columnOptions,
  seed: rule.seed,
  /** Returning false stops the learning: columns then have equal weights. */
  onProgress: rule.progress,
};

export type FeatureOptions = rule.OptionsOf<typeof RULES>;
type Settings = rule.ResolvedOptions<typeof RULES>;

export interface TableFeatures {
  /** Rows x features. */
  readonly X: Matrix;
  /** The table rows behind the rows of X; absent: all of them. Only with missing "drop". */
  readonly rows?: Int32Array;
  readonly record: FeatureRecord;
  /** One entry per column of the table. */
  readonly columns: readonly FeatureColumn[];
  readonly notes: readonly Note[];
}

const MOST_PARTS = 2000;

export function learnFeatures(whole: Table, options: FeatureOptions = {}): TableFeatures {
  const settings = rule.resolveOptions("learnFeatures", options, RULES);
  const { scale, missing, seed } = settings;
  requireTable(whole, "learnFeatures");
  const table = writtenOnce(whole);
  checkNames(table, settings);
  if (table.rows === 0) throw inputError(`${table.source}: there are no rows`);
  const notes: Note[] = [];
  const chosen = new Set(
    settings.use ?? table.columns.filter(({ role }) => role !== "beside").map(({ name }) => name),
  );
  for (const name of [...(settings.ignore ?? []), ...(settings.adjust ?? [])]) chosen.delete(name);
  const sample = drawnRows(table, LEARNED_ROWS, seed);
  const cells = cellsOf(table);
  const why = new Map<string, string>();
  const filled = scale === "auto" && missing === "fill" && settings.weights === "auto";
  const amounts = filled ? amountColumns(table, chosen) : [];
  const plain = amounts.length === 0 && plainTable(table, chosen) && settings.adjust === undefined;
  const rules: CandidateRules = {
    scale,
    transforms: plain ? "clear" : "usual",
    text: settings.text === "auto" ? "all" : settings.text === "none" ? [] : settings.text,
    asked: new Set(settings.use),
    amounts: new Set(amounts.map(({ name }) => name)),
    seed,
  };
  let candidates: Candidate[] = [];
  const gate = progressGate(settings.onProgress);
  for (const [c, column] of table.columns.entries()) {
    gate({ fraction: (0.5 * c) / table.columns.length, label: `column ${column.name}` });
    if (!chosen.has(column.name)) {
      const adjusted = settings.adjust?.includes(column.name) === true;
      const beside = column.role === "beside" && settings.ignore?.includes(column.name) !== true;
      why.set(
        column.name,
        adjusted
          ? "left out: the others are adjusted for it"
          : beside
            ? "left out: from another file, it describes the clusters"
            : "left out: as asked",
      );
      continue;
    }
    const found = columnCandidates(column, table, sample, rules);
    if (typeof found === "string") why.set(column.name, found);
    else candidates.push(...found);
  }
  candidates.push(...dateDifferences(table, chosen, sample, rules));
  candidates.push(...zeroMarks(amounts, table.rows, new Set(why.keys())));
  if (candidates.some(({ alone }) => alone !== true)) {
    for (const { column, alone } of candidates)
      if (alone === true) why.set(column, "left out: its words are unrelated");
    candidates = candidates.filter(({ alone }) => alone !== true);
  }
  if (candidates.length === 0) throw inputError(nothingLeft(table, why));
  candidates = candidates.map((candidate) => adjustedFor(candidate, settings.adjust ?? [], cells, sample));
  const weighing = settings.weights === "auto" && !plain && candidates.length <= MOST_PARTS;
  let weighed = equalWeights(candidates);
  if (weighing && gate({ fraction: 0.5, label: "weights" })) {
    // An unrelated text counts only on request.
    const unasked = ({ kind }: Candidate): boolean => kind === "text" && settings.text === "auto";
    const found = weighColumns(
      candidates.map((candidate) => (unasked(candidate) ? { ...candidate, share: 0 } : candidate)),
      cells,
      sample,
    );
    if (found.parts.length > 0) weighed = found;
  }
  for (const [name, reason] of weighed.why) {
    const before = why.get(name);
    why.set(name, before === undefined ? reason : onlyPart(before, name, weighed));
  }
  if (gate.stopped) notes.push(note("stopped", "stopped by onProgress: all columns have the same weight"));
  gate({ fraction: 0.8, label: "features" });
  const parts = weighed.parts.map(({ part, weight }): FeaturePart => {
    const { became: _, share: __, alone: ___, ...own } = part;
    return { ...own, weight, variances: own.names.map(() => weight / own.names.length) };
  });
  const record = withFill({ version: 2, scale, missing, parts }, cells, sample);
  const applied = applyFeatures(record, whole);
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
  const columns = table.columns.map(({ name, kind }): FeatureColumn => {
    const own = weighed.parts.filter(({ part }) => part.column === name);
    const weight = own.reduce((sum, entry) => sum + entry.weight, 0);
    const became = own.map(({ part }) => part.became).join("; ");
    return { name, kind, became, weight, why: why.get(name) ?? "left out" };
  });
  return { ...applied, record, columns, notes: [...notes, ...applied.notes] };
}

function checkNames(table: Table, { use = [], ignore = [], adjust = [], text }: Settings): void {
  const known = new Map(table.columns.map((column) => [column.name, column.kind]));
  const named = { use, ignore, adjust, text: typeof text === "string" ? [] : text };
  for (const [asked, names] of Object.entries(named)) {
    const absent = names.find((name) => !known.has(name));
    if (absent !== undefined) throw absentColumn(asked, absent, table.source, [...known.keys()]);
  }
  const other = named.text.find((name) => known.get(name) !== "text");
  if (other === undefined) return;
  throw optionError(
    `${option("text")} names the column "${other}", which is taken as ${known.get(other)}; ` +
      `${option("as")} ${other}=text reads it as text`,
  );
}

/** Numbers only, without gaps: such a table is only standardised. */
function plainTable(table: Table, chosen: ReadonlySet<string>): boolean {
  return table.columns.every((column) => {
    if (!chosen.has(column.name)) return true;
    if (column.kind === "id" || column.kind === "constant" || column.kind === "empty") return true;
    if (column.kind !== "number" && column.kind !== "ordered") return false;
    const test = missingIn(column);
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

/** Every column with weight 1. */
function equalWeights(candidates: readonly Candidate[]): WeighedColumns<Candidate> {
  const sums = new Map<string, number>();
  for (const { column, share } of candidates) sums.set(column, (sums.get(column) ?? 0) + share);
  return {
    parts: candidates
      .filter(({ share }) => share > 0)
      .map((part) => ({ part, weight: part.share / sums.get(part.column)! })),
    why: new Map(candidates.map(({ column }) => [column, "kept"])),
  };
}

/** The reason for a column of which only the time since another date, or whether it is 0, is kept. */
function onlyPart(leftOut: string, name: string, { parts }: WeighedColumns<Candidate>): string {
  const encoding = parts.find(({ part }) => part.column === name)?.part.encoding;
  if (encoding === undefined) return leftOut;
  const since = encoding.form === "number" ? encoding.since : undefined;
  return leftOut.replace(
    "left out:",
    `only ${since === undefined ? "whether it is 0" : `the time since ${since}`}:`,
  );
}

/** Limit on the cost of one round of the fill, in cells of the covariance. */
const FILL_WORK = 5e8;

/** The variances of the features, and the fills for missing ones. */
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
  // Limited so that their sums stay finite.
  return squares.map((square, f) => (counts[f] > 0 ? Math.min(square / counts[f], 1e290) : 0));
}
