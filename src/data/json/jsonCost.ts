import { bytesText, inputError } from "../../core/internal.ts";

/** Memory limit of all parsed values of a document. */
const LARGEST = 1.5 * 2 ** 30;

/**
 * Refuses JSON that would exhaust the memory of the process when parsed whole: an empty array is two bytes in
 * the file and many times that in memory. The count covers arrays, objects and the values that commas
 * separate.
 */
export function requireParsable(bytes: Uint8Array, source: string): void {
  if (bytes.length < SMALL) return;
  let containers = 0;
  let commas = 0;
  let inString = false;
  for (let p = 0; p < bytes.length; p++) {
    const byte = bytes[p];
    if (byte === QUOTE) inString = !inString;
    else if (inString) {
      if (byte === BACKSLASH) p++;
    } else if (byte === COMMA) commas++;
    else if (byte === BRACKET || byte === BRACE) containers++;
  }
  const cost = 2 * bytes.length + 64 * containers + 24 * commas;
  if (cost <= LARGEST) return;
  throw inputError(
    `${source} would take about ${bytesText(cost)} of memory as one JSON document; ` +
      "write it as NDJSON, CSV, Parquet or Arrow, which are read in parts",
  );
}

const SMALL = 1 << 20;
const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const BRACKET = 91;
const BRACE = 123;
