import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult, DuckDBVector } from "@duckdb/node-api";
import { inputError, optionError } from "../core/errors.ts";
import { given, integer, resolveOptions } from "../core/options.ts";
import { duckdbDialect } from "./dialect.ts";
import type { Engine, EngineBatch, EngineColumn } from "./engine.ts";

export interface DuckdbOptions {
  /** A database file; without it tables are in memory, and files are named in the queries. */
  readonly database?: string;
  readonly threads?: number;
  /** What DuckDB may hold in memory, such as "512MB"; beyond it, it writes temporary files. */
  readonly memory?: string;
}

/** DuckDB in this process; needs the package `@duckdb/node-api`. */
export async function duckdb(options: DuckdbOptions = {}): Promise<Engine> {
  const { database, threads, memory } = resolveOptions<DuckdbOptions, typeof RULES>("duckdb", options, RULES);
  const { DuckDBInstance, version } = await load();
  const settings = {
    ...(threads !== undefined && { threads: String(threads) }),
    ...(memory !== undefined && { memory_limit: memory }),
  };
  const instance = await told(() => DuckDBInstance.create(database ?? ":memory:", settings));
  // A stream of rows occupies its connection; statements in between have their own.
  const connections = new Set<DuckDBConnection>();
  const connected = async <T>(use: (connection: DuckDBConnection) => Promise<T>): Promise<T> => {
    const connection = await told(() => instance.connect());
    connections.add(connection);
    try {
      return await use(connection);
    } finally {
      connections.delete(connection);
      connection.closeSync();
    }
  };
  return {
    name: `DuckDB ${version()}`,
    dialect: duckdbDialect,
    async *query(sql) {
      const connection = await told(() => instance.connect());
      connections.add(connection);
      try {
        const result = await told(() => connection.stream(sql));
        for (;;) {
          const chunk = await told(() => result.fetchChunk());
          if (chunk === null || chunk.rowCount === 0) return;
          yield batchOf(result, chunk);
        }
      } finally {
        connections.delete(connection);
        connection.interrupt();
        connection.closeSync();
      }
    },
    run: (sql) =>
      connected(async (connection) => {
        await told(() => connection.run(sql));
      }),
    close() {
      for (const connection of connections) connection.interrupt();
      instance.closeSync();
      return Promise.resolve();
    },
  };
}

const isText = (value: unknown): boolean => typeof value === "string";
const RULES = {
  database: given<string>("the path of a database", isText),
  threads: integer({ min: 1 }),
  memory: given<string>('an amount such as "512MB"', isText),
};

async function load(): Promise<typeof import("@duckdb/node-api")> {
  // Not a literal, so that bundlers do not look for what browsers do not have.
  const name = "@duckdb/node-api";
  try {
    return (await import(/* @vite-ignore */ name)) as typeof import("@duckdb/node-api");
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw optionError(`the engine duckdb needs a package that is not installed: npm install ${name}`);
  }
}

/** DuckDB's own words, on one line. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as Error).name === "KindredError") throw error;
    const [first] = (error as Error).message.split("\n");
    throw inputError(`DuckDB: ${first}`);
  }
}

function batchOf(result: DuckDBResult, chunk: DuckDBDataChunk): EngineBatch {
  const rows = chunk.rowCount;
  return {
    names: result.columnNames(),
    rows,
    columns: Array.from({ length: chunk.columnCount }, (_, j) => columnOf(chunk.getColumnVector(j), rows)),
  };
}

/** What vectors of plain numbers have. */
interface NumberVector {
  readonly items: ArrayLike<number | bigint>;
  /** `data` is null where no value is. */
  readonly validity: { readonly data: unknown; itemValid(index: number): boolean };
}

const NUMBERS = /^U?(?:TINY|SMALL|BIG)?INT(?:EGER)?$|^DOUBLE$|^FLOAT$/;
/** Numbers that are not held as such. */
const WRITTEN = /^DECIMAL|HUGEINT$|^BIGNUM$/;

function columnOf(vector: DuckDBVector, rows: number): EngineColumn {
  const type = vector.type.toString();
  if (NUMBERS.test(type)) {
    const { items, validity } = vector as unknown as NumberVector;
    const values = items instanceof Float64Array ? items.slice(0, rows) : new Float64Array(rows);
    if (!(items instanceof Float64Array)) for (let i = 0; i < rows; i++) values[i] = Number(items[i]);
    if (validity.data !== null) {
      for (let i = 0; i < rows; i++) if (!validity.itemValid(i)) values[i] = NaN;
    }
    return values;
  }
  const values = Array.from({ length: rows }, (_, i) => vector.getItem(i));
  if (WRITTEN.test(type)) {
    return Float64Array.from(values, (value) => (value === null ? NaN : Number(String(value))));
  }
  return values.map((value) => (value === null ? null : String(value)));
}
