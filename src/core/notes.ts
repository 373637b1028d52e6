/** Something a person should know, as data: `message` is for people, the rest for programs. */
export interface Note {
  /** What kind of note it is: "filled", "stopped", "unknown-level". Programs look at this, never at the message. */
  readonly code: string;
  readonly message: string;
  readonly option?: string;
  readonly column?: string;
  readonly row?: number;
  readonly file?: string;
}

export function note(code: string, message: string, about: Omit<Note, "code" | "message"> = {}): Note {
  return { code, message, ...about };
}
