import type { Note } from "../../core/index.ts";
import { inputError, note, option, plural } from "../../core/internal.ts";
import type { Hints, Pair, Table } from "../../data/index.ts";
import { hintCount } from "../../data/internal.ts";
import { textsOf } from "../../model/index.ts";
import { readPairFiles, readSeeds, rowNames } from "./pairFile.ts";
import { requireColumn } from "../input/prepare.ts";
import { idsNote, readHints } from "./readHints.ts";
import type { Request } from "../request.ts";

/** What is known of some rows of a table. */
export interface RowKnowledge {
  readonly hints?: Partial<Hints>;
  readonly mustLink?: readonly Pair[];
  readonly cannotLink?: readonly Pair[];
  /** One per row, "" where it is not known. */
  readonly labels?: readonly string[];
  readonly notes: readonly Note[];
}

/** What a request knows of the rows of a table, from its files, from a column, or as it is given. */
export async function knowledgeOf(request: Request, table: Table): Promise<RowKnowledge> {
  const { hints, mustLink, cannotLink, labels, known, id } = request;
  const rows = rowNames(table, id);
  const fileOf = (given: unknown): string | undefined => (typeof given === "string" ? given : undefined);
  const files = { mustLink: fileOf(mustLink), cannotLink: fileOf(cannotLink) };
  const read =
    (files.mustLink ?? files.cannotLink) === undefined ? undefined : await readPairFiles(files, rows);
  const pairs = {
    mustLink: typeof mustLink === "string" ? read!.mustLink : mustLink,
    cannotLink: typeof cannotLink === "string" ? read!.cannotLink : cannotLink,
  };
  const notes: Note[] = [];
  if (hints !== undefined && id === undefined) {
    const meant = idsNote(table);
    if (meant !== undefined) notes.push(meant);
  }
  const minus = known === undefined ? 0 : minusOnes(table, known);
  if (minus > 0) {
    const message = `-1 in "${known}" (${plural(minus, "row")}) counts as unknown`;
    notes.push(note("unknown-label", message, { option: "known", column: known }));
  }
  return {
    hints: typeof hints === "string" ? await hintsOf(hints, table, id) : hints,
    ...pairs,
    labels:
      typeof labels === "string" ? await readSeeds(labels, rows) : (labels ?? knownLabels(table, known)),
    notes,
  };
}

async function hintsOf(path: string, table: Table, id: string | undefined): Promise<Hints> {
  const hints = await readHints(path, table, { id });
  if (hintCount(hints) > 0) return hints;
  throw inputError(`${path} holds no hints; lines are a,b,same or a,b,different or row,label`);
}

/** The column of known groups, "" where a group is not known. */
function knownLabels(table: Table, known: string | undefined): string[] | undefined {
  if (known === undefined) return undefined;
  const labels = textsOf(requireColumn(table, "known", known));
  if (labels.every((label) => label.trim() === "" || label === "-1")) {
    throw inputError(
      `${option("known")}: the column "${known}" of ${table.source} names no group in any row`,
    );
  }
  return labels;
}

function minusOnes(table: Table, known: string): number {
  return textsOf(requireColumn(table, "known", known)).filter((label) => label === "-1").length;
}
