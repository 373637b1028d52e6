import { optionError } from "../core/internal.ts";
import type { Dialect } from "./dialect.ts";

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
