import { inputError } from "../../core/internal.ts";
import type { ByteReader } from "../files/bytes.ts";

const LONGEST_LINE = 1 << 28;

/** The lines of UTF-8 text, numbered from 1, blank ones left out. */
export async function* textLines(
  reader: ByteReader,
  source: string,
): AsyncGenerator<{ readonly text: string; readonly line: number }> {
  const decoder = new TextDecoder(); // leaves out a byte order mark
  const buffer = new Uint8Array(1 << 18);
  // The pieces of the current line, joined at its end: a long line costs time in proportion to its length.
  let pieces: string[] = [];
  let length = 0;
  let line = 0;
  for (;;) {
    const count = await reader.read(buffer);
    const text = count === 0 ? decoder.decode() : decoder.decode(buffer.subarray(0, count), { stream: true });
    const parts = text.split("\n");
    const rest = count === 0 ? "" : parts.pop()!;
    for (const part of parts) {
      line++;
      const whole = pieces.length === 0 ? part : pieces.join("") + part;
      pieces = [];
      length = 0;
      const trimmed = whole.trim();
      if (trimmed !== "") yield { text: trimmed, line };
    }
    if (count === 0) return;
    if (rest === "") continue;
    pieces.push(rest);
    length += rest.length;
    if (length > LONGEST_LINE) throw inputError(`${source} line ${line + 1} is too long`);
  }
}
