/**
 * JSON, in which integers with more digits than a number holds become strings: they are likely to be codes of
 * 19 digits, and their neighbours would be the same number.
 */
export function parseJson(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  const quoted = text.replaceAll(STRING_OR_NUMBER, (token) =>
    /^-?\d{16,}$/.test(token) && String(Number(token)) !== token ? `"${token}"` : token,
  );
  return JSON.parse(quoted);
}

const LONG_INTEGER = /[[:,\s]-?\d{16,}\s*[\]},]/;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The error in JSON in one line; it quotes the text. */
export function jsonReason(error: unknown): string {
  const reason = (error as Error).message.replaceAll(/\s+/g, " ");
  // As Python's json writes missing numbers.
  const isNaNWritten = /^Unexpected token '?[NI]/.test(reason);
  return isNaNWritten ? `${reason}; if it is NaN or Infinity, write null` : reason;
}
