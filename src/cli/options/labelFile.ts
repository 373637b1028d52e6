import { inputError, optionError } from "../../core/internal.ts";
import { delimitedLines, isMissingWord, parseNumber, wholeText } from "../../data/internal.ts";

export interface LabelColumn {
  /** The file and the column, for people. */
  readonly told: string;
  readonly values: readonly (string | number | null)[];
}

export interface LabelFileOptions {
  /** The column that holds the labels; default: the last. */
  readonly column?: string;
  readonly header?: boolean;
}

/**
 * One labeling from a file: a column of delimited text, or the `labels` of the output of `kindred cluster
 * --json`. The rest of the file may contain anything, which is why this is not `readNumbers`.
 */
export async function readLabels(path: string, options: LabelFileOptions): Promise<LabelColumn> {
  const { bytes, name } = await wholeText(path);
  const first = bytes.find((byte) => byte > 32);
  if (first === undefined) throw inputError(`${name} is empty`);
  return first === 0x7b ? fromJson(bytes, name, options) : fromDelimited(bytes, name, options);
}

function fromJson(bytes: Uint8Array, name: string, { column = "labels" }: LabelFileOptions): LabelColumn {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  } catch (error) {
    throw inputError(`${name} is not valid JSON: ${(error as Error).message}`);
  }
  const values = parsed[column];
  if (!Array.isArray(values) || !values.every(isLabel)) {
    throw inputError(`${name} has no array of labels called "${column}"`);
  }
  return { told: `${name}, "${column}"`, values };
}

function isLabel(value: unknown): value is string | number | null {
  return typeof value === "string" || typeof value === "number" || value === null;
}

function fromDelimited(bytes: Uint8Array, name: string, options: LabelFileOptions): LabelColumn {
  let names: readonly string[] | undefined;
  let width = 0;
  let chosen = 0;
  const values: (string | null)[] = [];
  for (const { line, cells } of delimitedLines(bytes, name)) {
    if (width === 0) {
      width = cells.length;
      if (options.header ?? looksLikeHeader(cells, options)) names = cells;
      chosen = choose(names, width, name, options);
      if (names !== undefined) continue;
    }
    if (cells.length !== width) {
      throw inputError(`${name} line ${line}: ${cells.length} cells, but the first row has ${width}`);
    }
    const cell = cells[chosen];
    values.push(isMissingWord(cell.trim()) ? null : cell);
  }
  if (values.length === 0) throw inputError(`${name} has no rows of data`);
  return { told: `${name}, ${names === undefined ? `column ${chosen + 1}` : `"${names[chosen]}"`}`, values };
}

function choose(
  names: readonly string[] | undefined,
  width: number,
  file: string,
  { column }: LabelFileOptions,
): number {
  if (column === undefined) return width - 1;
  const found = names?.indexOf(column) ?? -1;
  if (found >= 0) return found;
  const known =
    names === undefined
      ? "it has no header"
      : `its columns are ${names.map((name) => `"${name}"`).join(", ")}`;
  throw optionError(`${file} has no column "${column}"; ${known}`);
}

function looksLikeHeader(cells: readonly string[], { column }: LabelFileOptions): boolean {
  return (
    (column !== undefined && cells.includes(column)) || cells.every((cell) => parseNumber(cell) === undefined)
  );
}
