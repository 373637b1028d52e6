/**
 * Converts a table of typed columns to a matrix of numbers, with a record that converts other rows in the
 * same way.
 *
 * The features of every column together have variance 1, for any kind. Then, without labels, columns are
 * weighted by their relation to others (columnWeights.ts); an unrelated column is left out. Redundant columns
 * share one weight, a category that determines another represents it, and a battery of ratings loses its row
 * mean.
 */
import type { Note } from "../core/index.ts";
import {
  absentColumn,
  given,
  inputError,
  note,
  oneOf,
  option,
  optionError,
  progressGate,
  progressRule,
  resolveOptions,
  seedRule,
  type OptionsOf,
  type ResolvedOptions,
} from "../core/internal.ts";
import type { Column, Table } from "../data/index.ts";
import { requireTable } from "../data/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { applyFeatures } from "./applyFeatures.ts";
import { adjustedFor } from "./encode/adjustedFor.ts";
import { withBatteries } from "./encode/batteries.ts";
import { amountColumns } from "./encode/amounts.ts";
import { columnCandidates, marks, type Candidate, type CandidateRules } from "./encode/candidates.ts";
import { dateDifferences } from "./encode/dateDifferences.ts";
import { cellsOf, encodePart, type Cells } from "./encode/encodePart.ts";
import type { FeatureColumn, FeaturePart, FeatureRecord } from "./featureRecord.ts";
import { missingTest } from "./columnCells.ts";
import { LEARNED_ROWS, drawnRows } from "./drawnRows.ts";
import { mostTell, PLAIN_PAIR_ROWS } from "./weigh/mostTell.ts";
import { tellTogether } from "./weigh/tellTogether.ts";
import { equalWeights, weighCandidates, type Decided } from "./weigh/weighCandidates.ts";
import { withFill } from "./withFill.ts";

const NAMES = given<readonly string[]>(
  "an array of column names",
  (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
);

const RULES = {
  /**
   * "auto": skewed numbers are transformed, far values limited, then z-scores; "zscore", "minmax", "robust"
   * (median and quartiles) and "none" do only that; "unit": z-scores, and each row is divided by its norm.
   */
  scale: oneOf(["auto", "zscore", "minmax", "robust", "unit", "none"], "auto"),
  /** Missing cells: "fill" from the training rows, "drop" the row, or "refuse" the table. */
  missing: oneOf(["fill", "drop", "refuse"], "fill"),
  /** "auto": weights by relation to other columns; "equal": the same weight for all. */
  weights: oneOf(["auto", "equal"], "auto"),
  /** Names of the columns to use, and no others. */
  use: NAMES,
  /** Names of columns to leave out. */
  ignore: NAMES,
  /** Columns of free text to use; "auto": those whose words relate to other columns; "none". */
  text: given<"auto" | "none" | readonly string[]>(
    `"auto", "none" or an array of column names`,
    (value) => value === "auto" || value === "none" || NAMES.accepts(value),
    "auto",
  ),
  /**
   * Columns whose levels shift the others (the language of a text, the laboratory of a sample): the mean of
   * each level is subtracted from all numbers, texts and vectors, and the column itself is left out.
   */
  adjust: NAMES,
  seed: seedRule,
  /** Returning false stops the learning: columns then have equal weights. */
  onProgress: progressRule,
};

export type FeatureOptions = OptionsOf<typeof RULES>;
type Settings = ResolvedOptions<typeof RULES>;

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

export function learnFeatures(table: Table, options: FeatureOptions = {}): TableFeatures {
  const settings = resolveOptions("learnFeatures", options, RULES);
  const { scale, missing, seed } = settings;
  requireTable(table, "learnFeatures");
  checkNames(table, settings);
  if (table.rows === 0) throw inputError(`${table.source}: there are no rows`);
  const notes: Note[] = [];
  const chosen = new Set(settings.use ?? table.columns.map((column) => column.name));
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
  candidates.push(...dateDifferences(table, chosen, sample, rules));
  for (const mark of marks(table, amounts, sample, "zero")) {
    // A column that is mostly 0 has no other feature.
    candidates.push({ ...mark, share: why.has(mark.column) ? 1 : 0 });
  }
  if (candidates.length === 0) throw inputError(nothingLeft(table, why));
  const weighing = settings.weights === "auto" && candidates.length > 1 && candidates.length <= MOST_PARTS;
  if (weighing && !plain && missing === "fill") {
    candidates.push(...marks(table, withGaps, sample, "missing"));
  }
  if (scale === "auto" && !plain) {
    candidates = withBatteries(candidates, cells, sample, notes);
  }
  candidates = candidates.map((candidate) => adjustedFor(candidate, settings.adjust ?? [], cells, sample));
  let decided: Decided[] | undefined;
  const allTell = plain && weighing && mostTell(candidates, cells, sample);
  if (weighing && !allTell && gate({ fraction: 0.5, label: "weights" })) {
    const said = new Map(why);
    const told: Note[] = [];
    const found = weighCandidates(candidates, cells, sample, { text: settings.text, plain }, said, told);
    const kept = new Set(found.map(({ candidate }) => candidate.column)).size;
    // In a table of numbers without gaps all columns have the same weight, unless most of them are unrelated,
    // alone and together.
    if (
      !plain ||
      (2 * kept <= candidates.length && !tellTogether(without(candidates, found, cells, sample)))
    ) {
      decided = found;
      for (const [name, reason] of said) why.set(name, reason);
      notes.push(...told);
    }
  }
  decided ??= equalWeights(candidates, why, true);
  if (gate.stopped) notes.push(note("stopped", "stopped by onProgress: all columns have the same weight"));
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

function checkNames(table: Table, { use, ignore, adjust, text }: Settings): void {
  const known = new Map(table.columns.map((column) => [column.name, column]));
  const check = (asked: string, names: readonly string[]): void => {
    for (const name of names) {
      if (!known.has(name)) {
        throw absentColumn(asked, name, table.source, [...known.keys()]);
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

/** Numbers only, without gaps: such a table is only standardised. */
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

/** The outcome for each column; near copies belong to all the columns that they average. */
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
