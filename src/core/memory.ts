import { nodeModule } from "./node.ts";

/** Bytes of memory that this process can count on: the machine's or, where the system sets one, its container's limit. */
export function machineMemory(): number {
  const os = nodeModule<{ totalmem(): number }>("os");
  if (os === undefined) return BROWSER;
  const host = globalThis as { process?: { constrainedMemory?: () => number } };
  const constrained = host.process?.constrainedMemory?.() ?? 0;
  const total = os.totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
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
