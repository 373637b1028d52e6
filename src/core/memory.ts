import { nodeModule } from "./node.ts";

/** Bytes of memory that this process can count on: the machine's or, where the system sets one, its container's limit. */
export function machineMemory(): number {
  const os = nodeModule<{ totalmem(): number }>("os");
  if (os === undefined) return BROWSER;
  const host = globalThis as { process?: { constrainedMemory?: () => number } };
  const constrained = host.process?.constrainedMemory?.() ?? 0;
  const total = Math.min(os.totalmem(), (addressSpace ??= addressLimit()));
  return constrained > 0 && constrained < total ? constrained : total;
}

let addressSpace: number | undefined;

/**
 * Bytes of addresses that this process may still take, where it has a limit (`ulimit -v`): a thread or an engine that is
 * started beyond it would end the process.
 */
export function addressRoom(): number {
  const limit = (addressSpace ??= addressLimit());
  const size = limit === Infinity ? null : /^VmSize:\s+(\d+) kB/m.exec(ownFile("status"));
  return size === null ? Infinity : limit - 1024 * Number(size[1]);
}

/** What a thread of Node takes: a heap, room for code, and the C library's own. */
export const THREAD_ADDRESSES: number = 1.2e9;

function addressLimit(): number {
  const limit = /^Max address space\s+(\d+)/m.exec(ownFile("limits"));
  return limit === null ? Infinity : Number(limit[1]);
}

/** What Linux tells of this process; empty elsewhere. */
function ownFile(name: string): string {
  const fs = nodeModule<{ readFileSync(path: string, encoding: "utf8"): string }>("fs");
  try {
    return fs?.readFileSync(`/proc/self/${name}`, "utf8") ?? "";
  } catch {
    return "";
  }
}

/** A tab has no more than this for its array buffers, whatever the machine has. */
const BROWSER = 4 * 2 ** 30;

/** "1.5 GB", "20 MB", "300 kB". */
export function bytesText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
