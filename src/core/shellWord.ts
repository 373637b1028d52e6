/**
 * A word as a shell takes it (POSIX, bash, zsh), whatever it holds: names of files and columns come from elsewhere, and
 * commands are copied. Controls and marks of the direction of writing, which a terminal would act on while it is pasted into,
 * are spelt out ($'...').
 */
export function shellWord(word: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word)) return word;
  if (!SPELT.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const spelt = word
    .replaceAll(/[\\']/g, "\\$&")
    .replaceAll(new RegExp(SPELT, "gu"), (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `$'${spelt}'`;
}

// Controls, line separators, marks of the direction of writing.
const SPELT = /\p{Cc}|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;
