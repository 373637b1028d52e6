/**
 * The rows of a table on an engine, placed by a model: by the model's SQL if that agrees with the model on a
 * sample of the rows, otherwise in streamed batches.
 */
import { KindredError, type Note } from "../core/index.ts";
import { inputError, note, knownNames } from "../core/internal.ts";
import type { Table } from "../data/index.ts";
import { typeLike } from "../data/internal.ts";
import {
  answer,
  engineCells,
  sampleOnEngine,
  writeFoundLabels,
  writeLabels,
  type EngineBatch,
  type EngineTable,
  type LabelTarget,
} from "../engine/index.ts";
import { countOf, columnsOf } from "../engine/internal.ts";
import { storeMatrix } from "../matrix/index.ts";
import type { PlacingRule } from "../method/index.ts";
import { MOST_POINTS, prototypesOf } from "../method/internal.ts";
import { clusteringOf, modelSql, placingIn, type Clustering, type TableSpace } from "../model/index.ts";
import { checkSql, labelling, recordsOf, usedColumns } from "../model/internal.ts";
import { rowChecks, type RowChecks } from "./rowChecks.ts";

export interface PlaceOnEngineOptions {
  /** The target of the labels; absent: rows are only counted. */
  readonly to?: LabelTarget;
  readonly replace?: boolean;
  /** Count, over all rows, the cells that the model cannot use because its training rows lacked them. */
  readonly check?: boolean;
  /** The FROM clause of the rows for comparing the SQL; default: 2000 random rows. */
  readonly sample?: string;
  readonly onRows?: (rows: number) => void;
}

export interface PlacedOnEngine {
  /** Rows of each cluster; absent if nothing was written and counting would need a stream. */
  readonly sizes?: readonly number[];
  readonly way: "sql" | "batches";
  readonly notes: readonly Note[];
}

export async function placeOnEngine(
  given: EngineTable,
  model: Clustering,
  { to, replace = false, check = false, sample, onRows }: PlaceOnEngineOptions = {},
): Promise<PlacedOnEngine> {
  const table = await withElements(given, model);
  const { engine } = table;
  const checks = rowChecks(model.columns);
  const { clusters } = model;
  const { rule: plain, byHeart } = byCentres(model);
  const drawn = sample ?? (await sampleOnEngine(table, { rows: CHECKED })).from;
  let rule = plain;
  // An engine takes longer to compare every row with so many than to send it, or to compare it with a few.
  const byRows = model.placing.kind === "rows" && model.placing.rows.rows > MOST_POINTS;
  let why = byRows ? `${model.method} places rows by its training rows` : await unlike(table, rule, drawn);
  const stand: Note[] = [];
  // Streamed rows of Spark cannot be written back.
  if (why !== undefined && engine.dialect.engine === "spark" && BY_ROWS.has(model.placing.kind)) {
    const few = await byPrototypes(table, model, drawn);
    rule = few.rule;
    stand.push(few.told);
    why = await unlike(table, rule, drawn);
  }
  if (why === undefined) {
    const rows = (carried: readonly string[]): string =>
      `(select ${[...carried, `coalesce(kindred_c, -1) as kindred_cluster`].join(", ")} ` +
      `from (${labelled(table, rule, table.from)}) as kindred_placed) as kindred_labelled`;
    const placed = async (sizes: readonly number[]): Promise<PlacedOnEngine> => ({
      sizes,
      way: "sql",
      notes: [
        ...stand,
        ...(byHeart === 0 ? [] : [exceptionsNote(byHeart)]),
        ...(check ? await checkedThere(table, model, checks) : []),
      ],
    });
    try {
      if (to === undefined) {
        const sql = `select kindred_cluster, count(*) from ${rows([])} group by kindred_cluster`;
        return await placed(counted(await answer(engine, sql), clusters));
      }
      return await placed(
        Array.from(await writeLabels(table, { clusters, clusterRows: rows }, to, { replace })),
      );
    } catch (error) {
      if (!CAST.test((error as Error).message)) throw error;
    }
  }
  const reason = why ?? "some cells do not have the type that the SQL expects";
  if (engine.dialect.engine !== "duckdb") {
    throw inputError(
      `${engine.name} cannot label the rows by SQL: ${reason}; take a method whose clusters have centres, such as kmeans or gmm`,
      { code: "no-sql" },
    );
  }
  const notes = new Map<string, Note>();
  notes.set("", note("placed-here", `the rows were streamed to be labelled: ${reason}`));
  if (to === undefined) {
    const found = check ? await checkedThere(table, model, checks) : [];
    return { way: "batches", notes: [...notes.values(), ...found] };
  }
  const label = labelling(model);
  let seen = 0;
  const place = (batch: EngineBatch): Int32Array => {
    const like = typedCells(batch, table.source, model);
    const { labels, notes: told } = label(like);
    seen += labels.length;
    checks.add(like);
    for (const one of told) {
      const key = `${one.code} ${one.column ?? ""}`;
      if (QUIET.test(one.code) || notes.has(key)) continue;
      notes.set(key, { ...one, message: `${one.message} (in the first batch of rows that has such)` });
    }
    return labels;
  };
  const sizes = await writeFoundLabels(table, clusters, place, to, { replace, ...(onRows && { onRows }) });
  return {
    sizes: Array.from(sizes),
    way: "batches",
    notes: [...notes.values(), ...checks.notes(seen), ...(check ? [checkedNote(seen)] : [])],
  };
}

/** The engine counts the unusable cells in one pass over the table. */
async function checkedThere(
  { engine, from }: EngineTable,
  model: Clustering,
  checks: RowChecks,
): Promise<Note[]> {
  const asked = checkSql(model, engine.dialect.engine, `(select * from ${from})`);
  if (asked === undefined) return [];
  const counts = (await answer(engine, asked.query)).columns;
  for (const [k, { column, what }] of asked.counted.entries()) {
    const count = Number(counts[k][0] ?? 0);
    if (!(count > 0)) continue;
    if (what === "unread") checks.addUnread(column, count);
    else {
      const { rows, columns } = await answer(engine, asked.unknown(column));
      let rest = count;
      for (let g = 0; g < rows; g++) {
        checks.addUnknown(column, String(columns[0][g]), Number(columns[1][g]));
        rest -= Number(columns[1][g]);
      }
      if (rest > 0) checks.addUnknown(column, "other levels", rest);
    }
  }
  const all = await countOf({ engine, from });
  return [...checks.notes(all), checkedNote(all)];
}

function checkedNote(rows: number): Note {
  return note("checked", `the sample decided the kinds of the columns, and all ${rows} rows were checked`);
}

/** Number of rows for comparing the SQL if no sample is given. */
const CHECKED = 2000;

/** Notes that repeat in each batch: they are dropped, or counted over all batches. */
const QUIET = /^(?:extra-columns|columns-ignored|rows-unplaced|unknown-level|not-\w+)$/;

/** The messages of engines about a cell of the wrong type. */
const CAST = /Conversion Error|Could not convert|CAST_INVALID_INPUT|out of range/i;

/**
 * The model without its exceptional training rows: they belong to the sample, and SQL places them like all
 * others.
 */
function byCentres(model: Clustering): { readonly rule: Clustering; readonly byHeart: number } {
  const { placing } = model;
  if (placing.kind !== "centers" || placing.exceptions === undefined) return { rule: model, byHeart: 0 };
  const { exceptions, ...plain } = placing;
  return {
    rule: clusteringOf({ ...model, placing: plain }, model.labels),
    byHeart: exceptions.labels.length,
  };
}

/** Rules that compare a row with the training rows. */
const BY_ROWS: ReadonlySet<string> = new Set(["rows", "density", "kernel-kmeans", "cpd-uml"]);

/** The model with a few points instead of its training rows, and their accuracy on a sample of the table. */
async function byPrototypes(
  table: EngineTable,
  model: Clustering,
  sample: string,
): Promise<{ readonly rule: Clustering; readonly told: Note }> {
  const { engine, source } = table;
  const cells = typedCells(await answer(engine, `select * from ${sample}`), source, model);
  const { X, rows } = placingIn(model)(cells);
  const { labels: all } = model.assign(cells);
  const labels = rows === undefined ? all : Int32Array.from(rows, (row) => all[row]);
  const { points, labels: own, agreement } = prototypesOf(X, labels, model.clusters, MOST_POINTS);
  const noise = labels.reduce((sum, label) => sum + (label < 0 ? 1 : 0), 0);
  const placing: PlacingRule = {
    kind: "rows",
    rows: storeMatrix(points),
    labels: Array.from(own),
    agreement,
    means: model.placing.means,
  };
  return {
    rule: clusteringOf({ ...model, placing }, model.labels),
    told: note(
      "by-prototypes",
      `${engine.name} compares every row with ${points.rows} points that represent the training rows of ${model.method}: ` +
        `of a sample, ${(100 * agreement).toFixed(1)} % get the same cluster as from the model` +
        (noise === 0 ? "" : `, and rows in no cluster (${noise} of ${labels.length}) go to the nearest`),
    ),
  };
}

function exceptionsNote(rows: number): Note {
  return note(
    "by-centre",
    `${rows} of the fitted rows are nearer to the centre of another cluster than to their own; on the engine, rows go to the nearest centre`,
  );
}

/**
 * Why the SQL of a model cannot be used; undefined if it agrees with the model on every row of the sample.
 */
async function unlike(table: EngineTable, model: Clustering, sample: string): Promise<string | undefined> {
  let found: EngineBatch;
  try {
    found = await answer(table.engine, labelled(table, model, sample));
  } catch (error) {
    if (error instanceof KindredError && error.code === "no-sql") return error.message;
    if (CAST.test((error as Error).message)) return "some cells do not have the type that the SQL expects";
    throw error;
  }
  const sql = found.columns[found.names.indexOf("kindred_c")];
  const { labels, distances, nextDistances } = model.assign(typedCells(found, table.source, model));
  for (let i = 0; i < found.rows; i++) {
    const cell = sql[i];
    const label = cell === null || Number.isNaN(Number(cell)) ? -1 : Number(cell);
    if (label === labels[i]) continue;
    const tie = Math.abs(nextDistances[i] - distances[i]) <= 1e-9 * Math.abs(distances[i]);
    if (!tie) return "the SQL of the model disagrees with the model on these columns";
  }
  return undefined;
}

/** The rows with all their columns, and `kindred_c`, the cluster. */
function labelled({ engine }: EngineTable, model: Clustering, from: string): string {
  return modelSql(model, engine.dialect.engine, `(select * from ${from})`, {
    cluster: "kindred_c",
    distance: "kindred_d",
    second: "kindred_n",
  });
}

/** The cells of a batch, interpreted by the model. */
function typedCells(batch: EngineBatch, source: string, model: Clustering): Table {
  return typeLike(engineCells(batch, source), recordsOf(model));
}

function counted({ rows, columns }: EngineBatch, clusters: number): number[] {
  const sizes = Array<number>(clusters).fill(0);
  for (let g = 0; g < rows; g++) {
    const label = Number(columns[0][g]);
    if (label >= 0) sizes[label] = Number(columns[1][g]);
  }
  return sizes;
}

/**
 * A table with the numbers of its vectors that a model names ("v 1", "v 2", ...) as columns beside the
 * others: a model of the sums of an engine knows them by these names. A table without a column that the
 * model needs is refused.
 */
async function withElements(
  table: EngineTable,
  { columns: records, space }: TableSpace,
): Promise<EngineTable> {
  const { engine, from, source, shown = from } = table;
  const { dialect } = engine;
  const columns = await columnsOf(engine, from);
  const known = new Set(columns.map(({ name }) => name.toLowerCase()));
  const parts = new Map(records.map(({ name, reading }) => [name, reading.columns] as const));
  const elements: string[] = [];
  for (const name of usedColumns(space)) {
    if (known.has(name.toLowerCase()) || parts.get(name) !== undefined) continue;
    const [, vector, number] = /^(.*) ([1-9]\d*)$/s.exec(name) ?? [];
    const column = columns.find((one) => one.kind === "vector" && one.name === vector);
    if (column === undefined || Number(number) > (column.dimension ?? Infinity)) {
      const names = columns.map((one) => one.name);
      throw inputError(
        `${source} has no column "${name}", which the model needs; ${knownNames(name, names, "columns")}`,
        { code: "column-absent", column: name },
      );
    }
    const element = dialect.element(dialect.name(vector), Number(number) - 1);
    elements.push(`cast(${element} as double) as ${dialect.name(name)}`);
  }
  if (elements.length === 0) return table;
  return { ...table, from: `(select *, ${elements.join(", ")} from ${from}) as kindred_elements`, shown };
}
