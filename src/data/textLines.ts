import { inputError } from "../core/errors.ts";
import type { ByteReader } from "./bytes.ts";

const LONGEST_LINE = 1 << 28;

/** The lines of UTF-8 text, numbered from 1, blank ones left out. */
export async function* textLines(
  reader: ByteReader,
  source: string,
): AsyncGenerator<{ readonly text: string; readonly line: number }> {
  const decoder = new TextDecoder(); // leaves out a byte order mark
  const buffer = new Uint8Array(1 << 18);
  let rest = "";
  let line = 0;
  for (;;) {
    const count = await reader.read(buffer);
    const text = count === 0 ? decoder.decode() : decoder.decode(buffer.subarray(0, count), { stream: true });
    const parts = (rest + text).split("\n");
    rest = count === 0 ? "" : parts.pop()!;
    if (rest.length > LONGEST_LINE) throw inputError(`${source} line ${line + parts.length + 1} is too long`);
    for (const part of parts) {
      line++;
      const trimmed = part.trim();
      if (trimmed !== "") yield { text: trimmed, line };
    }
    if (count === 0) return;
  }
}
