import { closeSync, openSync, readSync } from "node:fs";
import { bytesText, fileError, inputError } from "../../core/internal.ts";
import { reason } from "../../data/internal.ts";

/**
 * The text of a file that is read at once. Devices and pipes do not say how long they are, so the bytes are counted as they
 * come.
 *
 * @param longest bytes
 * @param what that is never longer: "model"
 */
export function wholeText(path: string, longest: number, what: string): string {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    const file = openSync(path, "r");
    try {
      for (;;) {
        const part = Buffer.allocUnsafe(Math.min(1 << 26, Math.max(1 << 16, length)));
        const count = readSync(file, part, 0, part.length, null);
        if (count === 0) break;
        parts.push(part.subarray(0, count));
        length += count;
        if (length > longest) break;
      }
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fileError(`${path} cannot be read (${reason(error)})`, error);
  }
  if (length > longest) throw inputError(`${path} is longer than ${bytesText(longest)}, which no ${what} is`);
  return Buffer.concat(parts, length).toString("utf8");
}
