import { inputError, machineMemory, nodeModule, option } from "../../core/internal.ts";
import type { CellOptions } from "./rawColumn.ts";

/** The share of the machine's memory that a table may take; the work on it needs the rest. */
const SHARE = 0.4;
const UNKNOWN_MACHINE = 4 * 2 ** 30;

/** Maximum number of bytes of a table on this machine. */
export function memoryLimit(): number {
  if (nodeModule("os") !== undefined) return Math.max(2 ** 28, machineMemory() * SHARE);
  const host = globalThis as { navigator?: { deviceMemory?: number } };
  const declared = host.navigator?.deviceMemory;
  return Math.max(2 ** 28, SHARE * (declared === undefined ? UNKNOWN_MACHINE : declared * 2 ** 30));
}

/** Refuses a table that would not fit, and names its largest column. */
export function refuseTooLarge(
  source: string,
  needed: number,
  limit: number,
  column: string | undefined,
): void {
  if (needed <= limit) return;
  const named =
    column === undefined
      ? ""
      : `; the column "${column}" takes most (${option("as")} ${quoted(column)}=ignore)`;
  throw inputError(
    `${source} needs at least ${size(needed)} of memory, and at most ${size(limit)} may be used${named}`,
    { code: "memory" },
  );
}

/** The same as rows are read, up to `place`; a table of numbers has its own budget, which grows with the source. */
export function refuseMoreRows(
  source: string,
  place: string,
  needed: number,
  { memory, numbers }: CellOptions,
  column: string | undefined,
): void {
  if (numbers === undefined) refuseTooLarge(source, needed, memory, column);
  else numbers.requireRoom(needed, `${source} ${place}`);
}

/** A name in the spelling of the command line. */
export function quoted(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `"${name.replaceAll('"', '\\"')}"`;
}

function size(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GB` : `${Math.ceil(bytes / 2 ** 20)} MB`;
}
