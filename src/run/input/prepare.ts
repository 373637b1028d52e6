import type { Note } from "../../core/index.ts";
import { absentColumn, note, option, optionError, inputError } from "../../core/internal.ts";
import {
  type Column,
  type Table,
  type TextColumn,
  type NumberTable,
  scale,
  type ScaleKind,
  type Scaling,
} from "../../data/index.ts";
import { type ColumnRole, numberTable, textColumns } from "../../data/internal.ts";
import {
  byAngle,
  type FeatureColumn,
  learnFeatures,
  tableFeatures,
  type TableFeatures,
} from "../../features/index.ts";
import { timeColumns } from "../../features/internal.ts";
import { isSparse, type Matrix, type Sparse, toDense } from "../../matrix/index.ts";
import type { FitContext } from "../../method/index.ts";
import { type Space, textsOf, type MetricModel, placingIn } from "../../model/index.ts";
import type { ClusterOptions } from "../cluster.ts";
import { knowsRows, methods } from "../methods.ts";
import type { Input } from "./readTable.ts";
import type { TableRequest } from "../request.ts";
import { type AnyMetricData, isMahalanobis } from "../../metric/index.ts";
import { knownColumns } from "../../model/internal.ts";

/** The numbers of a table. */
export interface Prepared {
  readonly table: Table;
  readonly X: Matrix | Sparse;
  /** The table rows behind the rows of X; absent: all of them. */
  readonly rows?: Int32Array;
  /** One per column of X. */
  readonly names: readonly string[];
  /** The table column of each column of X. */
  readonly sources: readonly string[];
  readonly space: Space;
  /** The rows with column weights that ignore hints, if X has all columns. */
  readonly unhinted?: FitContext["unhinted"];
  /** Columns that are never a feature, and do not explain a cluster: known classes, names of rows, ignored ones. */
  readonly aside: readonly string[];
  /** The outcome for each column; empty if the table has only numbers. */
  readonly columns: readonly FeatureColumn[];
  readonly notes: readonly Note[];
}

/** Options that concern the columns of a table. */
export const COLUMN_OPTIONS = [
  "label",
  "id",
  "weight",
  "use",
  "ignore",
  "scale",
  "missing",
  "weights",
  "text",
] as const;

/**
 * The numbers of a table, by the options that concern its columns.
 *
 * @param hinted whether something is known of some rows; by default the options say it
 */
export function prepare(
  table: Table,
  options: ClusterOptions,
  hinted: boolean = knowsRows(options),
): Prepared {
  const { label, id, weight, scale, missing, weights, text, adjust, seed } = options;
  for (const [name, column] of Object.entries({ label, id, weight })) {
    if (column !== undefined) requireColumn(table, name, column);
  }
  const aside = [label, id, weight].filter((name) => name !== undefined);
  const ignore = [...(options.ignore ?? []), ...aside];
  const given = { scale, missing, weights, text, adjust, seed, use: options.use, ignore };
  const { nature, ...features } = tableFeatures(table, given);
  // Hints may concern columns that are unrelated to the others, so all columns count the same for them.
  const heard =
    learnsWeights(options, hinted) && weights === undefined && nature === "any"
      ? learnFeatures(table, { ...given, weights: "equal" })
      : undefined;
  // Rows with gaps in columns of weight 0 are dropped with all columns, but not without them.
  const counts = ({ weight }: FeatureColumn, c: number): boolean => weight === features.columns[c].weight;
  if (heard !== undefined && !heard.columns.every(counts)) {
    const unhinted = { X: features.X, record: features.record };
    return {
      ...preparedOf(table, heard, ignore),
      ...(heard.X.rows === features.X.rows && { unhinted }),
    };
  }
  return preparedOf(table, features, ignore);
}

/** Whether known rows will teach the method column weights. */
function learnsWeights({ method, distances }: ClusterOptions, hinted: boolean): boolean {
  if (!hinted || distances === "plain") return false;
  return methods.some(({ name, weighs }) => name === (method ?? "hints") && weighs === true);
}

function preparedOf(table: Table, features: TableFeatures, aside: readonly string[]): Prepared {
  const { X, record, columns, notes } = features;
  return {
    table,
    X,
    ...(features.rows !== undefined && { rows: features.rows }),
    names: record.parts.flatMap(({ names }) => names),
    sources: record.parts.flatMap(({ column, names }) => names.map(() => column)),
    space: { kind: "features", record },
    aside,
    columns,
    notes: [...notes, ...suspicions(columns), ...squareNote(table)],
  };
}

/** A column of classes among the features makes a clustering look better than it is. */
function suspicions(columns: readonly FeatureColumn[]): Note[] {
  return columns
    .filter(({ name, weight }) => weight > 0 && /^(?:class|label|target|species)$/i.test(name))
    .map(({ name }) =>
      note(
        "label-used",
        `"${name}" counts like any other column; ${option("label")} ${name} keeps it for scores only`,
        {
          column: name,
          option: "label",
        },
      ),
    );
}

/** A table that looks like the distances between its rows: as many numbers as rows, symmetric, 0 on the diagonal. */
function squareNote({ columns, rows: n }: Table): Note[] {
  const own = columns.flatMap(({ kind, values }) =>
    kind === "number" && values !== undefined ? [values] : [],
  );
  if (n < 4 || own.length !== n) return [];
  for (let i = 0; i < n; i++) {
    if (own[i][i] !== 0) return [];
    for (let j = 0; j < i; j++) if (!(own[j][i] >= 0 && own[i][j] === own[j][i])) return [];
  }
  const message = `the columns look like the distances between the ${n} rows; ${option("distances")} takes them as such`;
  return [note("distances", message, { option: "distances" })];
}

/**
 * The table for describing clusters: without the columns that were set aside, and with the times between dates that are
 * features.
 */
export function describedTable({ table, aside, space }: Pick<Prepared, "table" | "aside" | "space">): Table {
  const times = space.kind === "features" ? timeColumns(space.record, table) : [];
  if (aside.length === 0 && times.length === 0) return table;
  return { ...table, columns: [...table.columns.filter(({ name }) => !aside.includes(name)), ...times] };
}

export function requireColumn(table: Table, asked: string, name: string): Column {
  const column = table.columns.find((known) => known.name === name);
  if (column !== undefined) return column;
  const names = table.columns.map((known) => known.name);
  throw absentColumn(asked, name, table.source, names);
}

/** The texts of a column, by its name or its role, in the kept rows. */
export function keptTexts(
  { columns }: Table,
  rows: Int32Array | undefined,
  named: string | undefined,
  role?: ColumnRole,
): TextColumn | undefined {
  const column =
    columns.find(({ name }) => name === named) ??
    columns.find((one) => role !== undefined && one.role === role);
  if (column === undefined) return undefined;
  const values = textsOf(column);
  return { name: column.name, values: rows === undefined ? values : Array.from(rows, (i) => values[i]) };
}

/** Numbers up to which sparse rows are made dense. */
export const MOST_NUMBERS = 4e7;

/** The numbers of a table, by the options that concern its columns. */
export function prepareInput(
  { table, numbers }: Input,
  options: TableRequest & {
    readonly seed?: number;
    readonly method?: string;
    readonly distances?: string;
    /** The column with the weights of the rows. */
    readonly weight?: string;
    /** There are hints about some rows. */
    readonly hinted?: boolean;
  },
  by?: MeasuredBy,
): Prepared {
  const { label, id, use, ignore, scale, missing, weights, adjust, seed } = options;
  const text = textOption(options);
  const free = scale === undefined || scale === "auto";
  if (options.weight !== undefined && (numbers !== undefined || by !== undefined)) {
    throw optionError(`${option("weight")} is for tables that are read column by column, without a metric`);
  }
  if (numbers !== undefined && by === undefined && free && isSparse(numbers.X)) {
    // Sparse rows are often counts, which are compared by angle; others are scaled without centring.
    const { rows, cols } = numbers.X;
    if (rows * cols <= MOST_NUMBERS && byAngle(toDense(numbers.X))) {
      return prepare(numberTable(numbers), { label: numbers.label?.name, seed });
    }
  }
  if (numbers !== undefined) {
    const kind = scale === undefined || scale === "auto" ? "zscore" : scale;
    if (kind !== "zscore" && kind !== "minmax" && kind !== "none") {
      throw optionError(`${option("scale")} ${kind} is for tables that are read column by column`);
    }
    return prepareNumbers(numbers, { scale: kind, by });
  }
  if (by !== undefined) {
    const aside = [named(table, label), id, ...(ignore ?? [])].filter((name) => name !== undefined);
    return prepareMeasured(table, by, aside);
  }
  const { method, distances } = options;
  const roles = { label: named(table, label), id, weight: options.weight };
  const columns = { ...roles, use, ignore, scale, missing, weights, text, adjust };
  return prepare(table, { ...columns, method, distances, seed }, options.hinted ?? false);
}

/** "none" and "auto" are not columns. */
export function textOption({ text }: TableRequest): ClusterOptions["text"] {
  return text?.length === 1 && (text[0] === "none" || text[0] === "auto") ? text[0] : text;
}

/** The classes of a named data set are never a feature. */
function named({ columns }: Table, label: string | undefined): string | undefined {
  return label ?? columns.find(({ role }) => role === "classes")?.name;
}

/** An existing metric, with its preprocessing. */
interface MeasuredBy extends MetricModel {
  /** Its file. */
  readonly path?: string;
}

/**
 * A table with only numbers, on a common scale: every column has the same weight, and no cell is filled. For
 * sparse rows, rows that are scaled in groups, and rows under an existing metric.
 */
export function prepareNumbers(
  numbers: NumberTable,
  { scale: kind = "zscore", by }: { readonly scale?: ScaleKind; readonly by?: MeasuredBy } = {},
): Prepared {
  const table = isSparse(numbers.X) ? sparseTable(numbers) : numberTable(numbers);
  if (by?.space.kind === "scaling") return measured(numbers, by.space.scaling, by, table);
  const { X, names, scaling, notes } = scale(numbers.X, kind, {
    names: numbers.names,
    batch: numbers.batch?.values,
  });
  return {
    table,
    X,
    names,
    sources: names,
    space: {
      kind: "scaling",
      scaling,
      ...(numbers.batch !== undefined && { batch: numbers.batch.name }),
    },
    aside: asideOf(numbers),
    columns: [],
    notes: notes.map((message) => note("scaling", message)),
  };
}

const asideOf = ({ label, ids, batch }: NumberTable): string[] =>
  [label, ids, batch].flatMap((column) => (column === undefined ? [] : [column.name]));

/** Sparse columns are too many for a description of each. */
function sparseTable(numbers: NumberTable): Prepared["table"] {
  const { X, source, notes } = numbers;
  return {
    source,
    rows: X.rows,
    columns: textColumns(numbers),
    notes: notes.map((message) => note("reading", message)),
  };
}

function measured(
  numbers: NumberTable,
  scaling: Scaling,
  by: MeasuredBy,
  table: Prepared["table"],
): Prepared {
  const { names } = numbers;
  const absent = scaling.columns.filter((name) => !names.includes(name));
  if (absent.length > 0) {
    throw inputError(`${numbers.source} has no column "${absent[0]}", which the metric was learned on`, {
      column: absent[0],
    });
  }
  const scaled = knownColumns(numbers, scaling);
  const space = { kind: "scaling" as const, scaling, ...(numbers.batch && { batch: numbers.batch.name }) };
  return { ...underMetric(scaled, by, space), table, aside: asideOf(numbers) };
}

/** The rows of a table with columns of any kind, under a metric learned on such a table. */
function prepareMeasured(table: Table, by: MeasuredBy, aside: readonly string[]): Prepared {
  const { X, rows, notes } = placingIn(by)(table);
  const under = underMetric(X, by, by.space);
  return {
    ...under,
    table,
    ...(rows !== undefined && { rows }),
    aside,
    notes: [...notes, ...under.notes],
  };
}

function underMetric(
  scaled: Matrix,
  { metric, path }: MeasuredBy,
  space: Space,
): Pick<Prepared, "X" | "names" | "sources" | "space" | "columns" | "notes"> {
  const X = metric.transform(scaled) as Matrix;
  const turned = Array.from({ length: X.cols }, (_, r) => `${metric.method}${r + 1}`);
  return {
    X,
    names: turned,
    sources: turned,
    space: { ...space, metric: JSON.parse(JSON.stringify(metric)) as AnyMetricData },
    columns: [],
    notes: [
      note(
        "metric",
        `distances by the ${metric.method} metric${path === undefined ? "" : ` of ${path}`} (${isMahalanobis(metric) ? `rank ${metric.rank}` : `${X.cols} dimensions`}); ` +
          "if it was learned from these rows, their scores and trust are too high",
      ),
    ],
  };
}
