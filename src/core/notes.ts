import { calledOption, MARKED, spelled } from "./errors.ts";

/** A note for people, as data: `message` is for people, the rest for programs. */
export interface Note {
  /** The kind of note: "filled", "stopped", "unknown-level". Programs use this, never the message. */
  readonly code: string;
  readonly message: string;
  /** The message in pieces, if it names options; `noteText` joins them in the spelling of an interface. */
  readonly parts?: readonly (string | { readonly option: string })[];
  readonly option?: string;
  readonly column?: string;
  readonly row?: number;
  readonly file?: string;
  /** Number of cells of the column that it concerns. */
  readonly cells?: number;
  /** The cells, marks or units of the column that it quotes. */
  readonly values?: readonly string[];
}

/** @param message options in it are marked by `option()` */
export function note(
  code: string,
  message: string,
  about: Omit<Note, "code" | "message" | "parts"> = {},
): Note {
  // Texts and names of options alternate.
  const pieces = message.split(MARKED);
  if (pieces.length === 1) return { code, message, ...about };
  const parts = pieces
    .map((piece, i) => (i % 2 === 0 ? piece : { option: piece }))
    .filter((piece) => piece !== "");
  return { code, message: spelled(message, calledOption), parts, option: pieces[1], ...about };
}

/** The message with options in the spelling of an interface: `--max-iterations`, the label of a control. */
export function noteText({ message, parts }: Note, spell: (option: string) => string): string {
  return parts?.map((part) => (typeof part === "string" ? part : spell(part.option))).join("") ?? message;
}

/** A note as people read it. */
export interface ToldNote {
  readonly code: string;
  readonly text: string;
}

/** Number of notes of one kind that are told one by one, and of columns that are named for the others. */
const FEW = 3;

/**
 * Notes in words. More than a few of one kind, each about another column, become one sentence: the first of
 * them, the names of some other columns, the number of the rest, and the number of cells.
 *
 * @param tell a note in the words of an interface
 */
export function toldNotes(notes: readonly Note[], tell: (note: Note) => string): ToldNote[] {
  const told = new Map<Note, readonly Note[]>(notes.map((note) => [note, [note]]));
  const ofColumns = notes.filter(({ column }) => column !== undefined);
  for (const kind of grouped(ofColumns, ({ code }) => code)) {
    if (kind.length <= FEW) continue;
    const alike = grouped(kind, quotedValues);
    for (const group of alike.length <= FEW ? alike : [kind]) {
      for (const note of group) told.delete(note);
      told.set(group[0], group);
    }
  }
  return notes.flatMap((note) => {
    const group = told.get(note);
    return group === undefined ? [] : [{ code: note.code, text: `${tell(note)}${othersText(group)}` }];
  });
}

function grouped(notes: readonly Note[], keyOf: (note: Note) => string): Note[][] {
  const groups = new Map<string, Note[]>();
  for (const note of notes) {
    const key = keyOf(note);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [note]);
    else group.push(note);
  }
  return [...groups.values()];
}

function quotedValues({ values = [] }: Note): string {
  return JSON.stringify(values);
}

/** The columns and cells of a group beyond its first note. */
function othersText(group: readonly Note[]): string {
  if (group.length === 1) return "";
  const others = group.slice(1);
  const more = others.length - FEW;
  const names = others.slice(0, FEW).map(({ column }) => column);
  const all = names.join(", ") + (more > 0 ? ` and ${more.toLocaleString("en")} more` : "");
  const cells = group.reduce((sum, { cells: own = Number.NaN }) => sum + own, 0);
  const total = Number.isNaN(cells) ? "" : `; ${cells.toLocaleString("en")} cells in all`;
  return ` (${grouped(group, quotedValues).length === 1 ? "likewise" : "similarly"} ${all}${total})`;
}
