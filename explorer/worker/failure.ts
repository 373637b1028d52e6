import { noteText, toldNotes, type Note } from "kindred";
import { controlOf } from "./shownMethods.ts";

/** An error message in words for the page. */
export function inWords(error: unknown): string {
  if (!(error instanceof Error)) return `Unexpected: ${String(error)}`;
  if (isMemory(error)) {
    return (
      "This needs more memory than the browser allows a page. Nothing is lost: use fewer rows or columns, " +
      "or a method without a matrix of all pairs of rows, such as k-means."
    );
  }
  if (isKindred(error)) return sentence(error.told(controlOf));
  if (error.constructor === Error) return sentence(error.message);
  return `Unexpected ${error.name}: ${error.message}`;
}

/** Notes in the words of the page; many of one kind are one. */
export function notesOf(notes: readonly Note[]): string[] {
  return toldNotes(notes, noteOf).map(({ text }) => text);
}

/** A note in which options have the names of the page's controls. */
function noteOf(note: Note): string {
  return noteText(note, (option) => (ABSENT.has(option) ? MARK : controlOf(option)))
    .replaceAll(ADVICE, "")
    .replaceAll(MARK, "an option of the command")
    .replace(TICK, "clearing the tick of $1");
}

/** Options of the command that no control of the page stands for: advice to use one is left out. */
const ABSENT: ReadonlySet<string> = new Set([
  "decimal",
  "sheet",
  "encoding",
  "header",
  "delimiter",
  "adjust",
]);
const MARK = "\0";
// eslint-disable-next-line no-control-regex
const ADVICE = / \([^()]*\0[^()]*\)|; [^;]*\0[^;]*/g;

/** The command names a column after its option; here each column has a tick of its own. */
const TICK = /“the tick of a column” ("[^"]*"|\S+)(?= leaves)/;

function isKindred(error: Error): error is Error & { told(spell: (option: string) => string): string } {
  return error.name === "KindredError" && "told" in error;
}

function isMemory(error: Error): boolean {
  const told = /allocation|out of memory|invalid (typed )?array (buffer )?length|could not allocate|grow/i;
  return error instanceof RangeError && (told.test(error.message) || !/stack/i.test(error.message));
}

/** A message gets a capital, unless it begins with a file name. */
function sentence(message: string): string {
  const text = message.replace(/^[a-z]+ /, (word) => word.charAt(0).toUpperCase() + word.slice(1));
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
