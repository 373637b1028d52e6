import { inputError, option, optionError } from "../../core/internal.ts";
import { chunkReader, partsOf, type ByteReader } from "../files/bytes.ts";

/**
 * The encoding of text whose structure is ASCII. UTF-8 has rules that text in another encoding soon breaks;
 * such text is read as Windows-1252, which also covers Latin-1.
 *
 * @param known the encoding, where all parts of a file decided it before
 */
export function textDecoderFor(
  parts: readonly Uint8Array[],
  given: string | undefined,
  source: string,
  known?: string,
): { readonly decoder: TextDecoder; readonly name: string; readonly unsure: boolean } {
  if (known !== undefined) return { decoder: decoderNamed(known), name: known, unsure: false };
  if (given !== undefined && !/^utf-?16/i.test(given)) {
    const decoder = decoderNamed(given);
    if (decoder.encoding === "utf-8" && !parts.every(isUtf8)) {
      throw inputError(`${source} is not UTF-8; try ${option("encoding")} windows-1252`);
    }
    return { decoder, name: given, unsure: false };
  }
  if (parts.every(isUtf8)) return { decoder: new TextDecoder(), name: "UTF-8", unsure: false };
  const { valid, invalid } = countSequences(parts);
  // A few stray bytes in a text full of valid sequences do not make it another encoding.
  if (valid > 10 * invalid)
    return { decoder: new TextDecoder(), name: "UTF-8 with damaged characters", unsure: true };
  return { decoder: new Windows1252(), name: "Windows-1252", unsure: true };
}

function decoderNamed(encoding: string): TextDecoder {
  const name = /^(?:cp|win-?)?125(\d)$/i.test(encoding) ? `windows-125${encoding.slice(-1)}` : encoding;
  try {
    const decoder = new TextDecoder(name);
    return decoder.encoding === "windows-1252" ? new Windows1252() : decoder;
  } catch {
    throw optionError(
      `${option("encoding")} must be the name of an encoding such as utf-8, utf-16le or windows-1252, got "${encoding}"`,
    );
  }
}

/** The characters of the bytes 128 to 159; five of them are controls. */
const FROM_128 = "\u20ac\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Some versions of Node read these bytes as Latin-1, where they are controls: no euro sign, no quotes. */
class Windows1252 extends TextDecoder {
  constructor() {
    super("windows-1252");
  }

  override decode(...args: Parameters<TextDecoder["decode"]>): string {
    return super
      .decode(...args)
      .replace(/[\u0080-\u009f]/g, (character) => FROM_128[character.charCodeAt(0) - 128]);
  }
}

const strict = new TextDecoder("utf-8", { fatal: true });

function isUtf8(bytes: Uint8Array): boolean {
  try {
    for (let from = 0; from < bytes.length;) {
      let to = Math.min(bytes.length, from + (1 << 24));
      while (to < bytes.length && (bytes[to] & 0xc0) === 0x80 && to > from + (1 << 23)) to--;
      strict.decode(bytes.subarray(from, to));
      from = to;
    }
    return true;
  } catch {
    return false;
  }
}

function countSequences(parts: readonly Uint8Array[]): { valid: number; invalid: number } {
  let valid = 0;
  let invalid = 0;
  for (const bytes of parts) {
    for (let p = 0; p < bytes.length; p++) {
      const byte = bytes[p];
      if (byte < 128) continue;
      const more =
        byte >= 0xc2 && byte < 0xe0
          ? 1
          : byte >= 0xe0 && byte < 0xf0
            ? 2
            : byte >= 0xf0 && byte < 0xf5
              ? 3
              : 0;
      let good = more > 0;
      for (let k = 1; k <= more; k++) good &&= (bytes[p + k] & 0xc0) === 0x80;
      if (good) {
        valid++;
        p += more;
      } else invalid++;
    }
  }
  return { valid, invalid };
}

/** UTF-16 by its byte order mark, or by the zero bytes of ASCII characters. */
export function utf16Of(head: Uint8Array, given: string | undefined): "utf-16le" | "utf-16be" | undefined {
  if (given !== undefined && /^utf-?16/i.test(given)) {
    if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
    return /be$/i.test(given) ? "utf-16be" : "utf-16le";
  }
  if (given !== undefined) return undefined;
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const count = Math.min(head.length & ~1, 2000);
  if (count < 8) return undefined;
  let even = 0;
  let odd = 0;
  for (let p = 0; p < count; p += 2) {
    if (head[p] === 0) even++;
    if (head[p + 1] === 0) odd++;
  }
  if (odd > 0.4 * (count / 2) && even === 0) return "utf-16le";
  return even > 0.4 * (count / 2) && odd === 0 ? "utf-16be" : undefined;
}

/** The same text as UTF-8. */
export function asUtf8(reader: ByteReader, encoding: string, source: string): ByteReader {
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const part of partsOf(reader)) yield encoder.encode(decoder.decode(part, { stream: true }));
    yield encoder.encode(decoder.decode());
  }
  return chunkReader(chunks(), source, reader);
}

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
