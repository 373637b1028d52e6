import { bytesText, fileError, fileSystem, inputError } from "../core/internal.ts";
import { reason } from "../data/internal.ts";

/**
 * The text of a file that is read at once. Devices and pipes do not say how long they are, so the bytes are counted as they
 * come.
 *
 * @param longest bytes
 * @param what that is never longer: "model"
 */
export function wholeText(path: string, longest: number, what: string): string {
  const parts: Uint8Array[] = [];
  let length = 0;
  const fs = fileSystem();
  if (fs === undefined) throw fileError(`${path} cannot be read here: files are read by their content`);
  try {
    const file = fs.openSync(path, "r");
    try {
      for (;;) {
        const part = new Uint8Array(Math.min(1 << 26, Math.max(1 << 16, length)));
        const count = fs.readSync(file, part, 0, part.length, null);
        if (count === 0) break;
        parts.push(part.subarray(0, count));
        length += count;
        if (length > longest) break;
      }
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    throw fileError(`${path} cannot be read (${reason(error)})`, error);
  }
  if (length > longest) throw inputError(`${path} is longer than ${bytesText(longest)}, which no ${what} is`);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}
