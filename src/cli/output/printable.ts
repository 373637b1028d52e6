/**
 * Text as a terminal may show it. What files hold, their names, the names of columns and labels, can be made to move the
 * cursor, to set colours or the title of a window, or to turn the direction of writing: such characters are written as
 * \\uXXXX, which is also how JSON spells them. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// Controls but for tab and line feed, line separators, and marks of the direction of writing.
const UNPRINTABLE = /[^\P{Cc}\t\n]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;
