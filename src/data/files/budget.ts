import { bytesText, fileError, inputError, nodeModule, machineMemory, option } from "../../core/internal.ts";
import type { CellOptions } from "../cells/rawColumn.ts";

/**
 * The memory budget of a table, measured by the real size of its source. A file only declares how many rows
 * or values it has; a few bytes can declare billions. Every reader asks here before it allocates a declared
 * size.
 */
export interface Budget {
  /** Maximum number of bytes of the unpacked numbers of the source. */
  limit(): number;
  /** Throws an error that begins with `what` if the bytes exceed it. */
  require(bytes: number, what: string): void;
  /** Counts bytes read from a source of unknown length. */
  count(bytes: number): void;
}

/** Budget for any source. */
const FLOOR = 2 ** 30;
/** Beyond that, bytes of memory for each byte of the source. */
const RATIO = 256;

/** Columns of a table that names them. */
export const MOST_COLUMNS: number = 2 ** 20;
/** Maximum number of columns of a table whose cells decide the kinds. */
export const MOST_TYPED_COLUMNS: number = 2 ** 18;
/** Columns of a sparse table, which only counts them. */
export const MOST_FEATURES: number = 2 ** 25;

/**
 * @param byteLength of the source, where it is known
 * @param floor what any source may take, in the place of the usual 1 GiB (or KINDRED_READ_BUDGET)
 */
export function readingBudget(byteLength: number | undefined, floor: number = usualFloor()): Budget {
  let counted = 0;
  const limit = (): number => Math.max(floor, RATIO * (byteLength ?? counted));
  return {
    limit,
    require(bytes, what) {
      if (bytes <= limit()) return;
      throw inputError(
        `${what}: that would take ${bytesText(bytes)} of memory, more than the ${bytesText(limit())} that a source of ` +
          `${bytesText(byteLength ?? counted)} may; set KINDRED_READ_BUDGET=${gigabytes(bytes)} if it is meant`,
      );
    },
    count(bytes) {
      counted += bytes;
    },
  };
}

/**
 * For a packed file of unknown unpacked length: an eighth of the budget of any source, and beyond that a
 * number of bytes for each byte read.
 */
export function unpackingRoom(floor: number = usualFloor()): Pick<Budget, "require" | "count"> {
  let counted = 0;
  return {
    require(bytes, what) {
      if (bytes <= floor / 8 || bytes <= RATIO * counted) return;
      throw inputError(
        `${what} unpacks to more than ${bytesText(floor / 8)}, over ${RATIO} times its own length, as no table does; ` +
          `set KINDRED_READ_BUDGET=${gigabytes(8 * bytes)} if it is meant, or unpack it first`,
      );
    },
    count(bytes) {
      counted += bytes;
    },
  };
}

export function tooManyColumns(source: string): Error {
  return inputError(
    `${source} has more than ${MOST_TYPED_COLUMNS} columns; take some of them, or exchange rows and columns if the rows ` +
      "are what should be columns",
  );
}

function gigabytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 30)}GB`;
}

function usualFloor(): number {
  const given = nodeModule<{ env: Record<string, string | undefined> }>("process")?.env.KINDRED_READ_BUDGET;
  if (given === undefined || given === "") return FLOOR;
  const found = /^(\d+(?:\.\d+)?)\s*([kmgt]?)b?$/i.exec(given.trim());
  if (found === null) {
    throw fileError(`KINDRED_READ_BUDGET=${given}: expected an amount of memory such as 4GB`);
  }
  return Number(found[1]) * 1024 ** " kmgt".indexOf(found[2].toLowerCase() || " ");
}

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
