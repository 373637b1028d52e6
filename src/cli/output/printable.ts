/**
 * Text in a form that is safe for a terminal. File contents, file names, column names and labels could move
 * the cursor, set colours or the title of a window, or change the direction of writing: such characters are
 * written as \uXXXX, which is also their form in JSON. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// Controls except tab and line feed, line separators, and marks of the direction of writing.
const UNPRINTABLE = /[^\P{Cc}\t\n]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;
