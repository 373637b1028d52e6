import { CommanderError } from "commander";
import { printable } from "./printable.ts";
import { KindredError } from "../core/errors.ts";

/** How a command ends: its exit code, and the one line that says why (none if help was printed). */
export interface Failure {
  readonly code: 0 | 1 | 2;
  readonly line?: string;
}

/** A command line that was not understood, or undefined if the failure is of another kind. */
export function usageOf(error: unknown, verb: string | undefined): Failure | undefined {
  if (!(error instanceof CommanderError)) return undefined;
  if (error.exitCode === 0) return { code: 0 };
  const told = oneLine(error.message.replace(/^error: /, ""));
  const help = verb === undefined ? "kindred --help" : `kindred ${verb} --help`;
  return { code: 2, line: `kindred: ${told} (see ${help})` };
}

/**
 * A run that failed. A KindredError says what to do in its own words; anything else is a fault of the program, and its
 * line tells how to get the stack. KINDRED_DEBUG=1 prints the stack of either.
 *
 * @param flags the options of the command, such as --clusters
 */
export function failureOf(error: unknown, flags: readonly string[] = []): Failure {
  const debug = process.env.KINDRED_DEBUG === "1";
  const stack = debug && error instanceof Error ? `\n${stackOf(error)}` : "";
  if (error instanceof KindredError) {
    const told = oneLine(asFlags(error.message, flags));
    return { code: error.kind === "option" ? 2 : 1, line: `kindred: ${told}${stack}` };
  }
  if (isOutOfMemory(error)) {
    const told =
      "there is not enough memory for this; take fewer rows or columns, --stream, or another method";
    return { code: 1, line: `kindred: ${told}${stack}` };
  }
  const told = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const advice = debug ? "" : " (a fault in kindred; KINDRED_DEBUG=1 prints the stack)";
  return { code: 1, line: `kindred: unexpected ${oneLine(told)}${advice}${stack}` };
}

/** The library speaks of "maxIterations", this command of --max-iterations; where a column is named it is left alone. */
function asFlags(message: string, flags: readonly string[]): string {
  const flag = (name: string): string | undefined => {
    const long = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return flags.includes(long) ? long : undefined;
  };
  return message
    .replace(/^[a-z]\w*: (?:option )?"(\w+)"/i, (whole, name: string) => flag(name) ?? whole)
    .replace(/\boption "(\w+)"/g, (whole, name: string) => flag(name) ?? whole)
    .replace(/\b(?:set|use|with|give(?: one of| the column to)?) (?:"\w+"(?:, | or | and |))+/g, (list) =>
      list.replace(/"(\w+)"/g, (quoted, name: string) => flag(name) ?? quoted),
    )
    .replace(/(^|: )(\w+)(?= names the column )/, (whole, before: string, name: string) => {
      const found = flag(name);
      return found === undefined ? whole : before + found;
    });
}

/** What the engine says where an array does not fit. */
function isOutOfMemory(error: unknown): boolean {
  return (
    error instanceof RangeError &&
    /allocation failed|invalid (?:typed )?array length|invalid array buffer length|out of memory|invalid string length/i.test(
      error.message,
    )
  );
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}

/** Messages quote what files hold: no character of that may end the line, or move the cursor of a terminal. */
function oneLine(message: string): string {
  return printable(message.trim().replace(/\s*\n\s*/g, " "));
}
