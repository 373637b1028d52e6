import type { Pair } from "kindred/data";
import type { Statement } from "../../protocol.ts";
import { FRESH, fromHash, toHash, type Settings } from "../settings.ts";

/** A session file: all choices, hints and names of a person, and a description of the data. */
export interface SessionFile {
  readonly kind: typeof KIND;
  readonly version: 1;
  readonly data: SessionData;
  readonly settings: Omit<Settings, "source" | "names" | keyof Said>;
  readonly hints: Said;
  readonly names: readonly string[];
}

/** Description of the data: a data file is not part of a session. */
export interface SessionData {
  readonly kind: "named" | "dropped" | "served";
  readonly name: string;
  readonly options?: Readonly<Record<string, number>>;
  readonly rows: number;
  readonly columns: readonly string[];
  /** For a file: its length and a hash of its bytes. */
  readonly fingerprint?: string;
}

interface Said {
  readonly same: readonly Pair[];
  readonly different: readonly Pair[];
  readonly skipped: readonly Pair[];
  readonly statements: readonly Statement[];
}

export const KIND = "kindred-session";

export function writeSession(settings: Settings, data: SessionData): string {
  const { source: _, names, same, different, skipped, statements, ...rest } = settings;
  const hints = { same, different, skipped, statements };
  const file: SessionFile = { kind: KIND, version: 1, data, settings: rest, hints, names };
  return `${JSON.stringify(file, null, 1)}\n`;
}

/** The settings of a session and the description of its data; an error says what is wrong with the file. */
export function readSession(name: string, text: string): { settings: Settings; data: SessionData } {
  const file = parsed(text);
  if (file?.kind !== KIND) throw new Error(`${name} is not a session of the explorer.`);
  if (file.version !== 1) {
    throw new Error(
      `${name} was saved by another version of the explorer (${JSON.stringify(file.version)}).`,
    );
  }
  const { data } = file;
  if (typeof data?.name !== "string") throw new Error(`${name} does not name its data.`);
  const source =
    data.kind === "named"
      ? ({ kind: "named", name: data.name, options: data.options ?? {} } as const)
      : ({ kind: "dropped", name: data.name } as const);
  try {
    const settings = { ...FRESH, ...file.settings, ...file.hints, names: file.names ?? [], source };
    requireLists(settings);
    if (typeof settings.pinned === "object") requireLists({ ...FRESH, ...settings.pinned });
    // The rules are those of an address: meaningless parts are left out.
    return { settings: fromHash(toHash(settings)), data };
  } catch {
    throw new Error(`${name} is damaged: its settings cannot be read.`);
  }
}

/** Statements about rows are in lists, because an object may declare any length. */
function requireLists({ same, different, skipped, statements }: Said): void {
  const rows = statements.flatMap((said) => (said.kind === "apart" ? [said.rows, said.others] : [said.rows]));
  if (![same, different, skipped, ...rows].every(Array.isArray)) throw new TypeError("not a list");
}

function parsed(text: string): Partial<SessionFile> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Partial<SessionFile>) : undefined;
  } catch {
    return undefined;
  }
}
