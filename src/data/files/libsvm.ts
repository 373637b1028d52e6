import { inputError, option, optionError } from "../../core/internal.ts";
import { sparse } from "../../matrix/index.ts";
import { MOST_FEATURES } from "./budget.ts";
import type { ByteReader } from "./bytes.ts";
import { textLines } from "./formats.ts";
import { parseNumber } from "../text/cellScanner.ts";
import type { NumberTable } from "../table.ts";
import type { ReadOptions } from "./readNumbers.ts";

/**
 * Reads LIBSVM / SVMlight text: `label index:value ...`, indices from 1 and ascending, `#` starts a comment.
 * The features are called f1, f2, ...; the label column is "label", or the name in the option `label`
 * ("class").
 */
export async function readLibsvm(
  reader: ByteReader,
  source: string,
  options: ReadOptions,
): Promise<NumberTable> {
  const labelName = options.label ?? "label";
  if (labelName !== "label" && labelName !== "class") {
    throw optionError(
      `${option("label")} names the column "${labelName}", which ${source} does not have: LIBSVM has only "label"`,
    );
  }
  const labels: string[] = [];
  const interned = new Map<string, string>();
  const offsets = growing((length) => new Int32Array(length));
  const indices = growing((length) => new Int32Array(length));
  const values = growing((length) => new Float64Array(length));
  offsets.push(0);
  let largest = 0;
  for await (const { text, line } of textLines(reader, source)) {
    const where = `${source} line ${line}`;
    const tokens = tokensOf(text);
    const { value: label, done } = tokens.next();
    if (done === true) continue;
    if (label.includes(":")) throw inputError(`${where}: the label is missing before "${label}"`);
    if (!interned.has(label)) interned.set(label, label);
    labels.push(interned.get(label)!);
    let previous = 0;
    for (const entry of tokens) {
      const colon = entry.indexOf(":");
      if (entry.startsWith("qid:")) continue; // the query of a ranking set is no feature
      const index = Number(entry.slice(0, colon));
      if (colon < 1 || !/^\d+$/.test(entry.slice(0, colon)) || index > 0x7fffffff) {
        throw inputError(`${where}: "${entry}" is not "index:value"`);
      }
      if (index === 0) throw inputError(`${where}: index 0; LIBSVM counts features from 1`);
      if (index <= previous)
        throw inputError(`${where}: index ${index} comes after ${previous}; indices must ascend`);
      const value = parseNumber(entry.slice(colon + 1));
      if (value === undefined || !Number.isFinite(value)) {
        throw inputError(`${where}, feature ${index}: "${entry.slice(colon + 1)}" is not a finite number`);
      }
      previous = index;
      if (value === 0) continue;
      indices.push(index - 1);
      values.push(value);
    }
    if (options.features !== undefined && previous > options.features) {
      throw inputError(`${where}: index ${previous}, but ${option("features")} says ${options.features}`);
    }
    if (previous > largest) largest = previous;
    offsets.push(indices.length);
  }
  if (labels.length === 0) throw inputError(`${source} has no rows of data`);
  const cols = options.features ?? largest;
  if (cols === 0) throw inputError(`${source}: no row has a feature`);
  requireColumns(largest, indices.length, source);
  return {
    names: Array.from({ length: cols }, (_, j) => `f${j + 1}`),
    X: sparse(labels.length, cols, offsets.take(), indices.take(), values.take()),
    label: { name: labelName, values: labels },
    source,
    notes: options.features === undefined ? [`the largest index, ${largest}, is the number of features`] : [],
  };
}

/** The words of a line before its comment, one at a time: a line may have millions. */
function* tokensOf(text: string): Generator<string, undefined> {
  const comment = text.indexOf("#");
  const end = comment < 0 ? text.length : comment;
  const space = /\s/g;
  for (let from = 0; from < end;) {
    space.lastIndex = from;
    const at = space.exec(text)?.index ?? end;
    const stop = Math.min(at, end);
    if (stop > from) yield text.slice(from, stop);
    from = stop + 1;
  }
}

/** An index is only a number in the file: columns are made only as far as entries fill them. */
function requireColumns(largest: number, entries: number, source: string): void {
  if (largest <= Math.max(FREE_COLUMNS, Math.min(entries, MOST_FEATURES))) return;
  throw inputError(
    `${source}: the largest index, ${largest}, would make that many columns out of ${entries} ` +
      `${entries === 1 ? "entry" : "entries"}; number the features without large gaps`,
  );
}

/** Number of columns that any file may have. */
const FREE_COLUMNS = 2 ** 20;

function growing<T extends Int32Array | Float64Array>(
  make: (length: number) => T,
): { push(value: number): void; take(): T; readonly length: number } {
  let data = make(1024);
  let length = 0;
  return {
    push(value) {
      if (length === data.length) {
        const larger = make(length * 2);
        larger.set(data);
        data = larger;
      }
      data[length++] = value;
    },
    take: () => data.slice(0, length) as T,
    get length() {
      return length;
    },
  };
}
