import { KindredError } from "../core/index.ts";
import type { Dialect } from "./dialect.ts";
import { optionError } from "../core/internal.ts";

/**
 * Runs SQL over tables that are too large to transfer: DuckDB in this process (`duckdb`), or a Spark cluster
 * (`spark`). Kindred requests sums, which are small, and lets the engine write labels, which are not
 * transferred.
 */
export interface Engine {
  /** With its version, for reports. */
  readonly name: string;
  readonly dialect: Dialect;
  /** Number of threads, if they are on this machine. */
  readonly threads?: number;
  /** The answer in batches as they arrive; leaving the loop ends the query. */
  query(sql: string): AsyncGenerator<EngineBatch, void, undefined>;
  /** A statement whose answer does not matter. */
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** Rows of an answer, column by column. */
export interface EngineBatch {
  readonly names: readonly string[];
  readonly rows: number;
  readonly columns: readonly EngineColumn[];
  /** Releases the memory of the numbers at once; they are invalid then. */
  readonly release?: () => void;
}

/**
 * Numbers of any kind as doubles, with NaN for null; a `row` of the dialect as well, one row after the other;
 * everything else as text.
 */
export type EngineColumn = Float64Array | readonly (string | null)[];

/** Whether an error says that the engine is not there any more: nothing can be cleaned up there, and nothing need be. */
export function isLost(error: unknown): boolean {
  return error instanceof KindredError && error.kind === "file";
}

/** A whole answer, for the small ones; without rows it has no columns either. */
export async function answer(engine: Engine, sql: string): Promise<EngineBatch> {
  const batches: EngineBatch[] = [];
  for await (const batch of engine.query(sql)) if (batch.rows > 0) batches.push(batch);
  return joinedBatches(batches);
}

/** Rows of a FROM clause. */
export async function countOf({
  engine,
  from,
}: {
  readonly engine: Engine;
  readonly from: string;
}): Promise<number> {
  return Number((await answer(engine, `select count(*) from ${from}`)).columns[0][0]);
}

/** Batches of one answer as one. */
export function joinedBatches(batches: readonly EngineBatch[]): EngineBatch {
  if (batches.length === 0) return { names: [], rows: 0, columns: [] };
  if (batches.length === 1) return batches[0];
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
  const columns = batches[0].columns.map((_, j) => joined(batches.map((batch) => batch.columns[j])));
  return { names: batches[0].names, rows, columns };
}

function joined(parts: readonly EngineColumn[]): EngineColumn {
  if (!parts.every((part) => part instanceof Float64Array)) {
    return parts.flatMap((part) => (part instanceof Float64Array ? Array.from(part, String) : part));
  }
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Works under a setting of the session of Spark, which is restored afterwards. */
export async function withSetting<T>(
  engine: Engine,
  [setting, value, usual]: readonly [setting: string, value: string, usual: string],
  work: () => Promise<T>,
): Promise<T> {
  const { names, columns } = await answer(engine, `set ${setting}`);
  const before = String(columns[names.indexOf("value")]?.[0] ?? usual);
  const restore = (): Promise<void> => engine.run(`set ${setting}=${before}`).catch(() => undefined);
  await engine.run(`set ${setting}=${value}`);
  const result = await work().catch(async (error: unknown) => {
    if (!isLost(error)) await restore();
    throw error;
  });
  await restore();
  return result;
}

/**
 * Runs statements with much arithmetic. Spark compiles a stage into one method, and the virtual machine only
 * interprets a method of more than 8000 bytes: the distances to 20 centres in 10 columns then take ten times
 * as long. Without whole-stage code generation the expressions are compiled one by one. The setting belongs
 * to this session, and is restored afterwards.
 */
export async function compiledInParts<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  if (engine.dialect.engine !== "spark") return work();
  return withSetting(engine, ["spark.sql.codegen.wholeStage", "false", "true"], work);
}

/**
 * The query without its final semicolon and trailing comments; it is put in parentheses after FROM, and must
 * not escape from them. Quoted text and comments are skipped.
 */
export function oneStatement(query: string, engine: Dialect["engine"]): string {
  const found = statementsOf(query, engine, "the query");
  if (found.length === 0) throw optionError("the query is empty");
  const tokens = Array.from(found[0].matchAll(tokensOf(engine)), ([token]) => token);
  let depth = 0;
  for (const token of tokens) {
    if (token === "(") depth++;
    else if (token === ")") depth--;
    if (depth < 0) break;
  }
  if (found.length > 1 || depth < 0) throw optionError("the query must be one statement that returns rows");
  if (depth > 0) throw optionError("the query has an unclosed parenthesis");
  return found[0];
}

/** Statements separated by semicolons, without empty ones. */
export function statementsOf(sql: string, engine: Dialect["engine"], told: string): string[] {
  const statements: string[] = [];
  let [start, end] = [0, 0];
  // Text between tokens, and quoted names and texts, make a statement; comments do not.
  let words = false;
  const ended = (until: number): void => {
    if (words) statements.push(sql.slice(start, until).trim());
  };
  for (const match of sql.matchAll(tokensOf(engine))) {
    const [token] = match;
    words ||= /\S/.test(sql.slice(end, match.index)) || !/^(?:--|\/\*|;)/.test(token);
    end = match.index + token.length;
    if (token.length === 1 && /['"`/]/.test(token)) {
      throw optionError(`${told} has an unclosed quote or comment`);
    }
    if (token !== ";") continue;
    ended(match.index);
    start = end;
    words = false;
  }
  words ||= /\S/.test(sql.slice(end));
  ended(sql.length);
  return statements;
}

/**
 * The relevant tokens of SQL: parentheses, ends of statements, and anything that may hide them. Spark's
 * texts have backslashes.
 */
function tokensOf(engine: Dialect["engine"]): RegExp {
  return engine === "spark" ? SPARK_TOKENS : SQL_TOKENS;
}

const OTHER_TOKENS =
  '"(?:[^"]|"")*"|`(?:[^`]|``)*`|--[^\\n]*|/\\*[\\s\\S]*?\\*/|\\$(\\w*)\\$[\\s\\S]*?\\$\\1\\$|[();\'"`]|/(?=\\*)';
const SQL_TOKENS = new RegExp(`'(?:[^']|'')*'|${OTHER_TOKENS}`, "g");
const SPARK_TOKENS = new RegExp(`'(?:[^'\\\\]|\\\\[\\s\\S]|'')*'|${OTHER_TOKENS}`, "g");
