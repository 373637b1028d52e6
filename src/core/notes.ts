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
