import { existsSync } from "node:fs";
import { fileError, hasWildcard, optionError } from "../../core/internal.ts";
import type { BatchOptions } from "../../scale/index.ts";
import type { PassOptions } from "./passInput.ts";

/** Data read in batches: with --stream, and always for a pattern of several files. */
export function isStreamed(source: string, stream: boolean | undefined): boolean {
  return stream === true || (hasWildcard(source) && !existsSync(source));
}

/** For commands that read their data more than once. */
export function requireReopenable(source: string, why: string): void {
  if (source === "-") throw optionError(`standard input can be read only once, and ${why}`);
}

/** The options of reading, for a stream; options that need all rows first are refused. */
export function streamOptions(source: string, options: PassOptions): BatchOptions {
  if (source !== "-" && !hasWildcard(source) && !existsSync(source)) {
    throw fileError(`there is no file ${source}; a stream is read from files or from - (standard input)`);
  }
  const refused = {
    "--batch": options.batch !== undefined,
    "--categorical": options.categorical !== undefined,
    "--data": options.data !== undefined,
  };
  for (const [option, given] of Object.entries(refused)) {
    if (given) throw optionError(`${option}: not for a stream, because it needs a look at the rows first`);
  }
  const { label, id, ignore, missing, format, header, decimal } = options;
  const delimiter = options.delimiter === "tab" ? "\t" : options.delimiter;
  const given = { label, id, ignore, missing, format, header, delimiter, decimal };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
