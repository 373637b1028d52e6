import { CommanderError } from "commander";
import { printable } from "./output/terminal.ts";
import { KindredError } from "../core/index.ts";
import { rule } from "../core/internal.ts";

/** Exit codes by kind of failure; 130 and above are signals. */
const EXIT = { done: 0, input: 1, usage: 2, limit: 3, fault: 4 } as const;

/** How a command ends: its exit code, and the one line of explanation (none if help was printed). */
export interface Failure {
  readonly code: (typeof EXIT)[keyof typeof EXIT];
  readonly line?: string;
}

/** Names of options in other tools, and what they are here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "--save": "--model",
  "--output": "--out",
  "--n-clusters": "--clusters",
  "--num-clusters": "--clusters",
  "--algorithm": "--method",
  "--random-state": "--seed",
  "--columns": "--use",
  "--features": "--use",
  "--exclude": "--ignore",
  "--drop": "--ignore",
  "--target": "--label",
  "--index": "--id",
  "--separator": "--delimiter",
  "--sep": "--delimiter",
  "--jobs": "--threads",
  "--n-jobs": "--threads",
  "--constraints": "--hints",
  "--sql": "--query",
};

/**
 * A usage error, or undefined if the failure is of another kind.
 *
 * @param flags the options of the command, long and short: -k is often written as --k
 */
export function usageOf(
  error: unknown,
  verb: string | undefined,
  flags: readonly string[] = [],
): Failure | undefined {
  if (!(error instanceof CommanderError)) return undefined;
  if (error.exitCode === 0) return { code: EXIT.done };
  const told = oneLine(error.message.replace(/^error: /, ""));
  const help = verb === undefined ? "kindred --help" : `kindred ${verb} --help`;
  const [whole, name = ""] = /^unknown option '([^'=]+)[^']*'/.exec(told.toLowerCase()) ?? [];
  const meant = /^--\p{L}$/u.test(name) ? name.slice(1) : ELSEWHERE[name.replaceAll("_", "-")];
  const line =
    whole !== undefined && flags.includes(meant)
      ? `${told.slice(0, whole.length)} (Did you mean ${meant}?)`
      : told;
  return { code: EXIT.usage, line: `kindred: ${line} (see ${help})` };
}

/**
 * A run that failed. The message of a KindredError says what to do; any other error is a bug, and its line
 * says how to get the stack. KINDRED_DEBUG=1 prints the stack in both cases.
 *
 * @param flags the options of the command, such as --clusters
 */
export function failureOf(error: unknown, flags: readonly string[] = []): Failure {
  const debug = process.env.KINDRED_DEBUG === "1";
  const stack = debug && error instanceof Error ? `\n${stackOf(error)}` : "";
  if (error instanceof KindredError) {
    // Options that this command lacks keep their names from the library.
    const spell = (name: string): string =>
      flags.includes(rule.flagOf(name)) ? rule.flagOf(name) : `option "${name}"`;
    const told = oneLine(error.told(spell));
    const code = error.kind === "option" ? EXIT.usage : error.code === "memory" ? EXIT.limit : EXIT.input;
    return { code, line: `kindred: ${told}${stack}` };
  }
  if ((error as { code?: unknown } | null)?.code === "EMFILE") throw error;
  if (isOutOfMemory(error)) return { code: EXIT.limit, line: `kindred: ${NOT_ENOUGH_MEMORY}${stack}` };
  const told = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const advice = debug ? "" : " (a fault in kindred; KINDRED_DEBUG=1 prints the stack)";
  return { code: EXIT.fault, line: `kindred: unexpected ${oneLine(told)}${advice}${stack}` };
}

/** The same for programs, under --json: what kind of failure it is, and what it concerns. */
export function failureJson(error: unknown, { line = "" }: Failure): string {
  const message = line.split("\n")[0].replace(/^kindred: /, "");
  if (!(error instanceof KindredError)) {
    const kind = error instanceof CommanderError ? "option" : isOutOfMemory(error) ? "limit" : "fault";
    return JSON.stringify({ error: { kind, code: kind === "limit" ? "memory" : kind, message } });
  }
  const { kind, code, option, column, row, file } = error;
  return JSON.stringify({ error: { kind, code, option, column, row, file, message } });
}

export const NOT_ENOUGH_MEMORY =
  "there is not enough memory for this; take fewer rows or columns, --stream, or another method";

/** The engine's message when an array does not fit. */
function isOutOfMemory(error: unknown): boolean {
  return (
    error instanceof RangeError &&
    /allocation failed|could not allocate|cannot allocate|invalid (?:typed )?array length|invalid array buffer length|out of memory|invalid string length/i.test(
      error.message,
    )
  );
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}

/** Messages quote file contents, so no character may end the line or move the cursor of a terminal. */
function oneLine(message: string): string {
  return printable(message.trim().replace(/\s*\n\s*/g, " "));
}
