import { noteText, type Note } from "../../core/notes.ts";
import { flagOf } from "../../core/options.ts";

/** A note in the form of the commands, with the options of the command line. */
export function noteLine(note: Note): string {
  return noteText(note, flagOf);
}
