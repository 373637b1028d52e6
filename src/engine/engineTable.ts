import { absentColumn, double, inputError, option, optionError, rule } from "../core/internal.ts";
import type { Scaling } from "../data/index.ts";
import { assignRoles, type Role } from "../data/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import type { ColumnStatistics } from "../scale/index.ts";
import { columnSums, finite, wholeRow } from "./columnSums.ts";
import { linear, type Dialect } from "./dialect.ts";
import { oneStatement, answer, type Engine } from "./engine.ts";

/** The rows of a table or query on an engine as numbers: every feature is an expression over its columns. */
export interface EngineTable {
  readonly engine: Engine;
  /** The FROM clause, without the rows that are left out. */
  readonly from: string;
  /** The FROM clause whose columns labels are written beside, if `from` has more. */
  readonly shown?: string;
  readonly features: readonly EngineFeature[];
  /** The columns that the features are made of, where some are vectors: a vector is read at once. */
  readonly cells?: readonly string[];
  /** Columns of `from`, by their own names. */
  readonly label?: string;
  readonly id?: string;
  /** The same as text, as from files: the label 1.0 is "1"; null if unknown. */
  readonly labelText?: string;
  readonly idText?: string;
  /** The treatment of rows with a missing number, which have not been checked. Absent: there are none. */
  readonly missing?: "refuse" | "drop";
  /** The user's name, for messages. */
  readonly source: string;
  readonly notes: readonly string[];
}

export interface EngineFeature {
  readonly name: string;
  /** A double that is never null. */
  readonly sql: string;
  /** Where it is a number of a list: its position from 0; less `center`, over `scale`, if the features are scaled. */
  readonly number?: {
    readonly list: string;
    readonly at: number;
    readonly center?: number;
    readonly scale?: number;
  };
}

/** A table, or a query. */
export type EngineSource = { readonly table: string } | { readonly query: string };

const RULES = {
  /** The column of known classes. */
  label: rule.text("a column name"),
  /** The column that names the rows. */
  id: rule.text("a column name"),
  ignore: rule.names,
  /** Default "refuse": a cell without a finite number is an error; "drop" leaves its row out. */
  missing: rule.oneOf(["refuse", "drop"]),
};

export type EngineTableOptions = rule.OptionsOf<typeof RULES>;

/** An option of functions that take a table: the result of `engineTable` for the same features saves a pass over it. */
export const columnsRule = rule.given<ColumnStatistics>(
  "the statistics that engineTable found",
  (value) => typeof value === "object" && value !== null && "mean" in value,
);

/**
 * Opens a table on an engine: gives each column its role, refuses or leaves out rows with a cell that is not
 * a finite number, and finds the range, mean and spread of every feature, in one pass.
 */
export async function engineTable(
  engine: Engine,
  source: EngineSource,
  options: EngineTableOptions = {},
): Promise<CheckedTable> {
  return checkedTable(await openEngineTable(engine, source, options));
}

/** A table whose cells are all finite numbers, with the statistics of the check. */
export interface CheckedTable {
  readonly table: EngineTable;
  readonly statistics: ColumnStatistics;
}

/** The same without a pass over the rows: later readers refuse or leave out rows with a missing number. */
export async function openEngineTable(
  engine: Engine,
  source: EngineSource,
  options: EngineTableOptions = {},
): Promise<EngineTable> {
  const resolved = rule.resolveOptions("engineTable", options, RULES);
  const { told, from } = standingFor(engine, source);
  const columns = await withLengths(engine, told, from, await columnsOf(engine, from), resolved);
  return tableOfColumns(engine, told, from, columns, resolved);
}

/** Columns of lists of numbers with the length that all their lists have: a pass over them where the type does not tell. */
async function withLengths(
  engine: Engine,
  told: string,
  from: string,
  columns: readonly Column[],
  { label, id, ignore = [] }: EngineTableOptions,
): Promise<readonly Column[]> {
  const { name: quoted, length } = engine.dialect;
  const unknown = columns.filter(
    ({ name, kind, dimension }) =>
      kind === "vector" && dimension === undefined && ![label, id, ...ignore].includes(name),
  );
  if (unknown.length === 0) return columns;
  const asked = unknown.flatMap(({ name }) => ["min", "max"].map((end) => `${end}(${length(quoted(name))})`));
  const found = (await answer(engine, `select ${asked.join(", ")} from ${from}`)).columns;
  const lengths = new Map(
    unknown.map(({ name }, j) => [name, [Number(found[2 * j]?.[0]), Number(found[2 * j + 1]?.[0])]]),
  );
  return columns.map((column) => {
    const [least, most] = lengths.get(column.name) ?? [];
    if (least === undefined) return column;
    if (least === most && least > 0) return { ...column, dimension: least };
    const lists = most > 0 ? `lists of ${least} to ${most} numbers` : "no numbers";
    throw inputError(
      `${told}: column "${column.name}" has ${lists}; a vector has as many in every row: ignore the column, or make ` +
        `them alike in a query`,
      { column: column.name },
    );
  });
}

/** A table with columns of any type, and without roles except the id. */
export async function openEngineCells(
  engine: Engine,
  source: EngineSource,
  id?: string,
): Promise<{ readonly table: EngineTable; readonly columns: readonly Column[] }> {
  const { told, from } = standingFor(engine, source);
  const columns = await columnsOf(engine, from);
  const named = id === undefined ? undefined : columns.find(({ name }) => name === id);
  if (id !== undefined && named === undefined) {
    const names = columns.map(({ name }) => name);
    throw absentColumn("id", id, told, names);
  }
  return {
    table: {
      engine,
      from,
      features: [],
      source: told,
      notes: [],
      ...(named && { id, idText: textOf(named, engine.dialect) }),
    },
    columns,
  };
}

function standingFor(engine: Engine, source: EngineSource): { readonly told: string; readonly from: string } {
  if ("table" in source) return { told: source.table, from: tableName(source.table, engine.dialect) };
  const query = oneStatement(source.query, engine.dialect.engine);
  return { told: "the query", from: `(${query}\n) as kindred_rows` };
}

/** The table of a FROM clause with known columns. */
export function tableOfColumns(
  engine: Engine,
  told: string,
  from: string,
  columns: readonly Column[],
  options: EngineTableOptions,
): EngineTable {
  const { dialect } = engine;
  const { roles } = assignRoles(
    told,
    columns.map(({ name }) => name),
    options,
  );
  const ofRole = (role: Role): Column[] => columns.filter((_, j) => roles[j] === role);
  const numeric = ofRole("number");
  const wrong = numeric.find(({ kind, dimension }) => kind !== "number" && dimension === undefined);
  if (wrong !== undefined) {
    throw inputError(
      `${told}: column "${wrong.name}" is of type ${wrong.type}, not a number; ` +
        `name it as label, id or ignored, or make it a number in a query`,
    );
  }
  const [label] = ofRole("label");
  const [id] = ofRole("id");
  return {
    engine,
    from,
    features: numeric.flatMap((column) => featuresOf(column, dialect)),
    ...(numeric.some(({ dimension }) => dimension !== undefined) && {
      cells: numeric.map(({ name }) => dialect.name(name)),
    }),
    source: told,
    notes: [],
    missing: options.missing ?? "refuse",
    ...(label && { label: label.name, labelText: textOf(label, dialect) }),
    ...(id && { id: id.name, idText: textOf(id, dialect) }),
  };
}

/** A column of numbers is one, a column of vectors as many as they have numbers: "v 1", "v 2", ... as of a file. */
function featuresOf({ name, dimension }: Column, dialect: Dialect): EngineFeature[] {
  const column = dialect.name(name);
  if (dimension === undefined) return [{ name, sql: `cast(${column} as double)` }];
  return Array.from({ length: dimension }, (_, f) => ({
    name: `${name} ${f + 1}`,
    sql: `cast(${dialect.element(column, f)} as double)`,
    number: { list: column, at: f },
  }));
}

/** Checks every cell of a table; see `engineTable`. */
export async function checkedTable(opened: EngineTable): Promise<CheckedTable> {
  const { missing, ...table } = opened;
  const drop = missing === "drop";
  const { statistics, dropped, lacking } = await columnSums(table, drop);
  const first = drop ? -1 : lacking.findIndex((count) => count > 0);
  if (first >= 0) throw lackingError(table, first, lacking[first]);
  if (statistics.rows === 0) throw noRows(table, dropped);
  if (dropped === 0) return { table, statistics };
  const from = `(select * from ${table.from} where ${wholeRow(table)}) as kindred_kept`;
  return { table: { ...table, from, notes: [droppedNote(dropped)] }, statistics };
}

export function lackingError({ source, features }: EngineTable, feature: number, count: number): Error {
  return inputError(
    `${source}: column "${features[feature].name}" has ${count} cell${count === 1 ? "" : "s"} without a finite number; ` +
      `leave such rows out (${option("missing")} drop) or fill them in a query`,
    { column: features[feature].name },
  );
}

export function noRows({ source }: EngineTable, dropped: number): Error {
  return inputError(`${source} has no rows${dropped > 0 ? " without missing values" : ""}`);
}

export function droppedNote(rows: number): string {
  return `${rows} row${rows === 1 ? "" : "s"} with missing values ${rows === 1 ? "was" : "were"} left out`;
}

/** The same rows with the features scaled; constant ones are left out. */
export function scaledTable(table: EngineTable, scaling: Scaling): EngineTable {
  const [{ center, scale }] = scaling.groups;
  const features = scaling.kept.map((j, p) => {
    const { name, sql, number } = table.features[j];
    const less = scaling.centered ? center[p] : 0;
    const centered = less === 0 ? sql : `(${sql} - ${double(less)})`;
    return {
      name,
      sql: scale[p] === 1 ? centered : `(${centered} / ${double(scale[p])})`,
      ...(number !== undefined &&
        number.scale === undefined && { number: { ...number, center: less, scale: scale[p] } }),
    };
  });
  return { ...table, features };
}

/** The same rows with the features L x, as under a learned metric. */
export function transformedTable(table: EngineTable, L: Matrix, names: readonly string[]): EngineTable {
  const expressions = table.features.map(({ sql }) => sql);
  const features = names.map((name, r) => ({
    name,
    sql: linear(L.data.subarray(r * L.cols, (r + 1) * L.cols), expressions),
  }));
  return { ...table, features };
}

/** A table by its name, which may be qualified: catalog.schema.table. */
export function tableName(name: string, dialect: Dialect): string {
  const parts = name.split(".");
  if (parts.includes("")) throw optionError(`"${name}" is not the name of a table`);
  return parts.map((part) => dialect.name(part)).join(".");
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly kind: "number" | "text" | "vector" | "other";
  /** Numbers of each vector, where that is known. */
  readonly dimension?: number;
}

const NUMBER = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DOUBLE|FLOAT|DECIMAL.*|BOOLEAN)$/i;
/** Numbers that need not be whole. */
const BROKEN = /^(?:DOUBLE|FLOAT|DECIMAL.*)$/i;
/** FLOAT[], FLOAT[384], array<float>. */
const VECTOR =
  /^(?:(?:DOUBLE|FLOAT|(?:TINY|SMALL|BIG)?INT(?:EGER)?)\[(\d*)\]|ARRAY<(?:DOUBLE|FLOAT|(?:TINY|SMALL|BIG)?INT)>)$/i;
const TEXT = /^(?:VARCHAR|STRING|CHAR.*|ENUM.*)$/i;

/** The FROM clause, column by column. */
export async function columnsOf(engine: Engine, from: string): Promise<readonly Column[]> {
  const { rows, columns } = await answer(engine, engine.dialect.describe(from));
  return Array.from({ length: rows }, (_, j) => {
    const [name, type] = [String(columns[0][j]), String(columns[1][j])];
    const vector = VECTOR.exec(type);
    if (vector !== null) {
      const length = Number(vector[1] || 0);
      return { name, type, kind: "vector", ...(length > 0 && { dimension: length }) };
    }
    return { name, type, kind: NUMBER.test(type) ? "number" : TEXT.test(type) ? "text" : "other" };
  });
}

/** Whole numbers without their .0, so the classes of a table equal those of the same rows in a file. */
function textOf({ name, type }: Column, dialect: Dialect): string {
  const column = dialect.name(name);
  if (TEXT.test(type)) return type.startsWith("ENUM") ? `cast(${column} as ${dialect.textType})` : column;
  if (!BROKEN.test(type)) return `cast(${column} as ${dialect.textType})`;
  const value = `cast(${column} as double)`;
  return (
    `case when abs(${value}) < 9e15 and floor(${value}) = ${value} ` +
    `then cast(cast(${value} as bigint) as ${dialect.textType}) ` +
    `when ${finite(value)} then cast(${value} as ${dialect.textType}) end`
  );
}
