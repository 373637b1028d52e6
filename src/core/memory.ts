import { nodeModule } from "./node.ts";

/**
 * Bytes of memory that this process can use: the machine's or, if the system sets one, its container's
 * limit.
 */
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
 * Bytes of addresses left for this process, if it has a limit (`ulimit -v`): a thread or an engine beyond it
 * would end the process.
 */
export function addressRoom(): number {
  const limit = (addressSpace ??= addressLimit());
  const size = limit === Infinity ? null : /^VmSize:\s+(\d+) kB/m.exec(ownFile("status"));
  return size === null ? Infinity : limit - 1024 * Number(size[1]);
}

/** Memory of a Node thread: a heap, room for code, and the C library's own. */
export const THREAD_ADDRESSES: number = 1.2e9;

function addressLimit(): number {
  const limit = /^Max address space\s+(\d+)/m.exec(ownFile("limits"));
  return limit === null ? Infinity : Number(limit[1]);
}

/** The facts that Linux reports about this process; empty elsewhere. */
function ownFile(name: string): string {
  const fs = nodeModule<{ readFileSync(path: string, encoding: "utf8"): string }>("fs");
  try {
    return fs?.readFileSync(`/proc/self/${name}`, "utf8") ?? "";
  } catch {
    return "";
  }
}

/** Maximum of a browser tab for array buffers, on any machine. */
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
