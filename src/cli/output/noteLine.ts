import { noteText, toldNotes, type Note, type ToldNote } from "../../core/index.ts";
import { flagOf } from "../../core/internal.ts";

/** A note in the form of the commands, with the options of the command line. */
export function noteLine(note: Note): string {
  return noteText(note, flagOf);
}

/** Notes for people: many of one kind are one line. */
export function noteLines(notes: readonly Note[]): ToldNote[] {
  return toldNotes(notes, noteLine);
}

/** The same as lines of a list of facts; a warning of the method is called one. */
export function noteFacts(notes: readonly Note[]): [string, string][] {
  return noteLines(notes).map(({ code, text }) => [code === "method" ? "warning" : "note", text]);
}
