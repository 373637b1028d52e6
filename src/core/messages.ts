import type { Progress } from "./progress.ts";

/** What Kindred tells people: errors, which end the work, and notes; both are data for programs. */

/**
 * The only error that Kindred throws on purpose.
 *
 * `kind` says what to change: `input` (the data), `option` (an argument), `file` (reading or writing) or
 * `numeric` (the problem has no usable answer as posed). The message names the cell, row, option or file and
 * says what to do about it; the command line prints it as one line. The other fields are for programs.
 */
export class KindredError extends Error {
  override readonly name = "KindredError";
  readonly kind: "input" | "option" | "file" | "numeric";
  /** The cause, for programs; equal to the kind if nothing more is known. */
  readonly code: string;
  readonly option?: string;
  readonly column?: string;
  readonly row?: number;
  readonly file?: string;
  /** The message with its option marks. */
  readonly #marked: string;

  constructor(kind: KindredError["kind"], message: string, about: About = {}, options?: ErrorOptions) {
    // A name with line breaks does not break the sentence, and a long one does not hide it.
    const line = clipped(message.replaceAll(/\s*[\r\n]+\s*/g, " "));
    super(spelled(line, calledOption), options);
    this.kind = kind;
    this.#marked = line;
    const { code = kind, option = firstOption(line), column, row, file } = about;
    this.code = code;
    if (option !== undefined) this.option = option;
    if (column !== undefined) this.column = column;
    if (row !== undefined) this.row = row;
    if (file !== undefined) this.file = file;
  }

  /** The message with options in the spelling of an interface: `--max-iterations`, the label of a control. */
  told(spell: (option: string) => string): string {
    return spelled(this.#marked, spell);
  }

  /** The same error with a prefix, such as the file that it concerns. */
  within(before: string, about: About = {}): KindredError {
    const { kind, code, option, column, row, file } = this;
    return new KindredError(kind, `${before}${this.#marked}`, { code, option, column, row, file, ...about });
  }
}

/** The subject of an error. */
interface About {
  readonly code?: string;
  readonly option?: string;
  readonly column?: string;
  readonly row?: number;
  readonly file?: string;
}

export function inputError(message: string, about?: About): KindredError {
  return new KindredError("input", message, about);
}

export function optionError(message: string, about?: About): KindredError {
  return new KindredError("option", message, about);
}

export function fileError(message: string, cause?: unknown, about?: About): KindredError {
  return new KindredError("file", message, about, cause === undefined ? undefined : { cause });
}

export function numericError(message: string, about?: About): KindredError {
  return new KindredError("numeric", message, about);
}

// Characters for private use, which no message contains otherwise.
const OPEN = "\uE000";
const CLOSE = "\uE001";
const MARKED: RegExp = /\uE000(\w+)\uE001/g;

/** The name of an option in a message or note; each interface has its own spelling. */
export function option(name: string): string {
  return `${OPEN}${name}${CLOSE}`;
}

/** A text with its options in the spelling of `spell`. */
export function spelled(text: string, spell: (option: string) => string): string {
  return text.replace(MARKED, (_, name: string) => spell(name));
}

/** The library's own spelling of an option. */
function calledOption(name: string): string {
  return `option "${name}"`;
}

function firstOption(text: string): string | undefined {
  return new RegExp(MARKED.source).exec(text)?.[1];
}

/** Characters of the longest message, and of its end: what to do. */
const LONGEST = 4000;
const END = 1000;

/** A message without its middle if it is long, cut between words, so that no option mark is torn. */
function clipped(message: string): string {
  if (message.length <= LONGEST) return message;
  const start = message.slice(0, LONGEST - END).replace(/\S*$/, "");
  return `${start}... ${message.slice(-END).replace(/^\S*\s*/, "")}`.trim();
}

/** A message that quotes a name from a file, which may contain line ends. */
export function inOneLine(message: string): string {
  return message.replace(/\s*[\n\r\u2028\u2029]\s*/g, " ");
}

/** For clusterings, before columns are judged: a single row makes all columns constant. */
export function requireRows(source: string, rows: number): void {
  if (rows >= 2) return;
  throw inputError(`${source} has ${rows} row${rows === 1 ? "" : "s"}; clustering needs at least two`);
}

/** Refuses the name of a file that an engine cannot write labels to. */
export function requireLabelFile(file: string): void {
  if (/\.(?:parquet|csv)$/.test(file)) return;
  throw optionError(`labels are written as .parquet or .csv, which ${file} does not end in`);
}

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
    return group === undefined
      ? []
      : [{ code: note.code, text: clipped(`${tell(note)}${othersText(group)}`) }];
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

/** What a thread says of its work. */
export type Reply<R> =
  | { readonly result: R }
  | { readonly failure: Failure }
  | { readonly progress: Progress };

/** An error that crosses threads; `kind` and `about` are those of a KindredError. */
interface Failure {
  readonly message: string;
  readonly stack?: string;
  readonly kind?: KindredError["kind"];
  readonly about?: About;
}

/** An error as plain data; the options in its message stay marked. */
export function failureOf(error: unknown): Failure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof KindredError)) return { message, stack };
  const { kind, code, option: about, column, row, file } = error;
  return { message: error.told(option), stack, kind, about: { code, option: about, column, row, file } };
}

/** The error again, in another thread. */
export function errorOf({ message, stack, kind, about }: Failure): Error {
  const error = kind === undefined ? new Error(message) : new KindredError(kind, message, about);
  return Object.assign(error, { stack });
}
