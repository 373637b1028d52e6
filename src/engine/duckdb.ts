import type { DuckDBConnection, DuckDBDataChunk, DuckDBListVector, DuckDBVector } from "@duckdb/node-api";
import { KindredError } from "../core/index.ts";
import { addressRoom, bytesText, inputError, nodeModule, optionError, rule } from "../core/internal.ts";
import { duckdbDialect, ROW } from "./dialect.ts";
import { type Engine, type EngineBatch, type EngineColumn, statementsOf } from "./engine.ts";

const isText = (value: unknown): boolean => typeof value === "string";

const RULES = {
  /** A database file; without it tables are in memory, and files are named in the queries. */
  database: rule.given<string>("the path of a database", isText, ":memory:"),
  /** Opens the file for reading: other processes may read it at the same time, and nothing can change it. */
  readOnly: rule.flag(false),
  threads: rule.integer({ min: 1 }),
  /** Memory limit of DuckDB, such as "512MB"; beyond it DuckDB writes temporary files. */
  memory: rule.given<string>(
    'an amount such as "512MB" or "80%"',
    (value) => isText(value) && /^\d+(?:\.\d+)?\s*(?:[kmgt]i?b|%)$/i.test(value as string),
  ),
  /** Statements to run first: `install postgres; load postgres; attach '...' as pg (type postgres)`. */
  setup: rule.given<string>("statements of SQL", isText, ""),
};

export type DuckdbOptions = rule.OptionsOf<typeof RULES>;

/** DuckDB in this process; needs the package `@duckdb/node-api`. */
export async function duckdb(options: DuckdbOptions = {}): Promise<Engine> {
  const { database, readOnly, threads, memory, setup } = rule.resolveOptions("duckdb", options, RULES);
  const { DuckDBInstance, version } = await load();
  const settings = {
    ...(threads !== undefined && { threads: String(threads) }),
    ...(memory !== undefined && { memory_limit: memory }),
  };
  const instance = await told(() => DuckDBInstance.create(readOnly ? ":memory:" : database, settings));
  // A stream of rows occupies its connection; statements in between use another. Idle ones are used again.
  const connections = new Set<DuckDBConnection>();
  const idle: DuckDBConnection[] = [];
  const ofConnections: string[] = [];
  const connect = async (): Promise<DuckDBConnection> => {
    const free = idle.pop();
    if (free !== undefined) return free;
    const connection = await told(() => instance.connect());
    connections.add(connection);
    for (const statement of ofConnections) await told(() => connection.run(statement));
    return connection;
  };
  const run = async (sql: string): Promise<void> => {
    const connection = await connect();
    try {
      await told(() => connection.run(sql));
    } finally {
      idle.push(connection);
    }
  };
  // An open connection keeps the lock on the file.
  const close = (): void => {
    for (const connection of connections) {
      connection.interrupt();
      if (idle.includes(connection)) connection.closeSync();
    }
    instance.closeSync();
  };
  try {
    const first = readOnly ? attached(database) : [];
    for (const statement of [...first, ...statementsOf(setup, "duckdb", "the setup")]) {
      await run(statement);
      if (OF_CONNECTION.test(statement)) ofConnections.push(statement);
    }
  } catch (error) {
    close();
    throw error;
  }
  return {
    name: `DuckDB ${version()}`,
    dialect: duckdbDialect,
    threads: threads ?? nodeModule<{ availableParallelism(): number }>("os")?.availableParallelism() ?? 1,
    async *query(sql) {
      const connection = await connect();
      let ended = false;
      try {
        const result = await told(() => connection.stream(sql));
        const names = result.columnNames();
        const readers = result
          .columnTypes()
          .map((type, j) =>
            names[j] === ROW && LIST.test(String(type)) ? rowsOfLists : columnReader(String(type)),
          );
        for (let count = 0; ; count++) {
          const chunk = await told(() => result.fetchChunk());
          ended = chunk === null || chunk.rowCount === 0;
          if (chunk === null || ended) return;
          if (chunk.rowCount < FULL / 2) counted.set(chunk, new ArrayBuffer(8 * FULL * names.length));
          yield batchOf(names, readers, chunk, count % KEPT > 0);
        }
      } finally {
        if (ended) idle.push(connection);
        else {
          connections.delete(connection);
          connection.interrupt();
          connection.closeSync();
        }
      }
    },
    run,
    close() {
      close();
      return Promise.resolve();
    },
  };
}

/** A database of memory beside a file that is only read: tables in between have their place, and names mean the file's. */
function attached(database: string): string[] {
  const stem = /([^/\\.]*)[^/\\]*$/.exec(database)![1];
  const name = duckdbDialect.name(/^(?:|memory|temp|system)$/i.test(stem) ? `${stem}_file` : stem);
  return [`attach ${duckdbDialect.text(database)} as ${name} (read_only)`, `use ${name}`];
}

/** Settings of one connection, repeated in each; comments may stand before them. */
const OF_CONNECTION =
  /^(?:\s|--[^\n]*\n|\/\*[^]*?\*\/)*(?:use|set|pragma|create\s+(?:or\s+replace\s+)?temp)/i;
/** Memory of the library, its buffers and its threads. */
const ENGINE_ADDRESSES = 3e9;

async function load(): Promise<typeof import("@duckdb/node-api")> {
  // Not a literal, so that bundlers do not look for a package that browsers lack.
  const name = "@duckdb/node-api";
  const room = addressRoom();
  if (room < ENGINE_ADDRESSES) {
    throw inputError(
      `the engine duckdb needs ${bytesText(ENGINE_ADDRESSES)} of addresses, and ${bytesText(Math.max(0, room))} are left ` +
        "of what this process may take; allow more (ulimit -v)",
    );
  }
  try {
    return (await import(/* @vite-ignore */ name)) as typeof import("@duckdb/node-api");
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw optionError(`the engine duckdb needs a package that is not installed: npm install ${name}`);
  }
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as Error).name === "KindredError") throw error;
    throw new KindredError("input", `DuckDB: ${onOneLine((error as Error).message)}`, {}, { cause: error });
  }
}

/** DuckDB's own message on one line: without the excerpt of the statement, its suggestions, and passwords. */
function onOneLine(message: string): string {
  const lines = message
    .split(/\n\s*(?:LINE \d+:|Candidate (?:functions|bindings):)/)[0]
    .split("\n")
    .map((line) => line.trim().replace(/^For more info, visit \S+\s*/, ""))
    .filter((line) => line !== "");
  const words = lines.join(" ").replace(/(password|secret|token)\s*=\s*('[^']*'|[^\s'",;)]+)/gi, "$1=...");
  return words.length > LONGEST ? `${words.slice(0, LONGEST)}...` : words;
}

const LONGEST = 600;

/**
 * Of this many chunks the numbers of one are left to the garbage collector. The collector counts these, but
 * not the memory that DuckDB holds for each chunk until its object is collected: with nothing to collect,
 * that memory would grow.
 */
const KEPT = 16;

/**
 * Rows of a full chunk. A chunk of fewer rows, as a filter gives, takes as much memory, which is shown to the
 * collector as a buffer of that size: the chunks of a small sample of 20 million rows took 4 GB.
 */
const FULL = 2048;
const counted = new WeakMap<DuckDBDataChunk, ArrayBuffer>();

function batchOf(
  names: readonly string[],
  readers: readonly ColumnReader[],
  chunk: DuckDBDataChunk,
  releasable: boolean,
): EngineBatch {
  const rows = chunk.rowCount;
  const columns = readers.map((read, j) => read(chunk.getColumnVector(j), rows));
  return { names, rows, columns, ...(releasable && { release: releasing(columns) }) };
}

/** Made apart: a function made beside the chunk would hold it as long as the batch is held. */
function releasing(columns: readonly EngineColumn[]): () => void {
  return () => release(columns);
}

/** Data sent to a closed port is freed; the collector would need a full pass for that. */
let closed: MessagePort | undefined;
function release(columns: readonly EngineColumn[]): void {
  if (closed === undefined) {
    const { port1, port2 } = new MessageChannel();
    port2.close();
    closed = port1;
  }
  const buffers = columns.flatMap((column) => (column instanceof Float64Array ? [column.buffer] : []));
  closed.postMessage(null, [...new Set(buffers)] as ArrayBuffer[]);
}

type ColumnReader = (vector: DuckDBVector, rows: number) => EngineColumn;

/** The fields of vectors of plain numbers. */
interface NumberVector {
  readonly items: ArrayLike<number | bigint>;
  readonly validity: Validity;
}

interface Validity {
  /** A bit for each value; null if all are present. */
  readonly data: BigUint64Array | null;
  itemValid(index: number): boolean;
}

const NUMBERS = /^U?(?:TINY|SMALL|BIG)?INT(?:EGER)?$|^DOUBLE$|^FLOAT$/;
const LIST = /^DOUBLE\[\]$/;
/** Numbers with another storage. */
const WRITTEN = /^DECIMAL|HUGEINT$|^BIGNUM$/;

function columnReader(type: string): ColumnReader {
  if (NUMBERS.test(type)) return numbers;
  if (WRITTEN.test(type)) {
    return (vector, rows) =>
      Float64Array.from(items(vector, rows), (value) => (value === null ? NaN : Number(String(value))));
  }
  if (type === "VARCHAR") return textReader();
  return texts;
}

function texts(vector: DuckDBVector, rows: number): (string | null)[] {
  return items(vector, rows).map((value) => (value === null ? null : String(value)));
}

function items(vector: DuckDBVector, rows: number): unknown[] {
  return Array.from({ length: rows }, (_, i) => vector.getItem(i));
}

function numbers(vector: DuckDBVector, rows: number): Float64Array {
  const { items: own, validity } = vector as unknown as NumberVector;
  // The vector is a copy of DuckDB's, so nothing else writes to it.
  const values = own instanceof Float64Array && own.length === rows ? own : new Float64Array(rows);
  if (values !== own) for (let i = 0; i < rows; i++) values[i] = Number(own[i]);
  if (validity.data !== null) {
    for (let i = 0; i < rows; i++) if (!validity.itemValid(i)) values[i] = NaN;
  }
  return values;
}

/** Lists of equal length lie in sequence: a matrix by rows. */
function rowsOfLists(vector: DuckDBVector): Float64Array {
  const { childVector } = vector as DuckDBListVector;
  return numbers(childVector, childVector.itemCount);
}

/** The binding's storage of text: 16 bytes each, which contain the text itself if it has at most 12. */
interface TextVector {
  readonly dataView?: DataView;
  readonly validity?: Validity;
}

/**
 * Slots of the table of known texts; a column with more than half as many texts (names of rows) is not
 * looked up.
 */
const SLOTS = 4096;

/**
 * Decodes repeated labels once: texts of at most 12 bytes are identified by their 16 bytes.
 */
function textReader(): ColumnReader {
  const keys = new Int32Array(4 * SLOTS);
  const known = Array<string | undefined>(SLOTS);
  let count = 0;
  const lookUp = (vector: DuckDBVector, words: Int32Array, i: number): string => {
    const p = 4 * i;
    const [length, a, b, c] = [words[p], words[p + 1], words[p + 2], words[p + 3]];
    if (length > 12 || count > SLOTS / 2) return String(vector.getItem(i));
    let slot = Math.imul(a ^ Math.imul(b ^ Math.imul(c + length, 0x9e3779b1), 0x85ebca6b), 0xc2b2ae35) >>> 20;
    for (;;) {
      const text = known[slot];
      const q = 4 * slot;
      if (text === undefined) {
        keys.set([length, a, b, c], q);
        count++;
        return (known[slot] = String(vector.getItem(i)));
      }
      if (keys[q] === length && keys[q + 1] === a && keys[q + 2] === b && keys[q + 3] === c) return text;
      slot = (slot + 1) % SLOTS;
    }
  };
  return (vector, rows) => {
    const { dataView, validity } = vector as unknown as TextVector;
    // Bindings with another storage of text are read through their own interface.
    if (dataView === undefined || validity === undefined || dataView.byteOffset % 4 !== 0) {
      return items(vector, rows) as (string | null)[];
    }
    const words = new Int32Array(dataView.buffer, dataView.byteOffset, 4 * rows);
    const read = Array<string | null>(rows);
    for (let i = 0; i < rows; i++) {
      read[i] = validity.data === null || validity.itemValid(i) ? lookUp(vector, words, i) : null;
    }
    return read;
  };
}
