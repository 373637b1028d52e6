import { optionError } from "../../core/errors.ts";
import type { RawColumn, RawTable } from "./cells/rawColumn.ts";

/** Columns that are one vector: a common prefix and running numbers. */
export interface VectorGroup {
  readonly name: string;
  readonly columns: readonly string[];
}

/** From this many columns on a group is taken for a vector unasked; under a name that says so, from fewer. */
const MANY = 32;
const NAMED = 8;
const VECTOR_NAME =
  /^(?:emb|embed|embedding|embeddings|vec|vector|dim|latent|feat|feature|pc|pca|component|hidden|z)$/i;
/** The scales of the columns of a vector are alike: between their 10 % and 90 % quantiles lies at most this factor. */
const ALIKE = 30;

/** The columns with one prefix and running numbers, in order; undefined where there are not at least two. */
export function prefixGroup(names: readonly string[], prefix: string): VectorGroup | undefined {
  const found: { name: string; at: number }[] = [];
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const digits = /^[\s_.\-[(]*(\d+)[\])]?$/.exec(name.slice(prefix.length))?.[1];
    if (digits !== undefined) found.push({ name, at: Number(digits) });
  }
  if (found.length < 2) return undefined;
  found.sort((a, b) => a.at - b.at);
  const running = found.every(({ at }, k) => at === found[0].at + k) && found[0].at <= 1;
  return running ? { name: prefix, columns: found.map(({ name }) => name) } : undefined;
}

/** Groups of columns that are vectors, as far as names and numbers tell. */
export function findVectorGroups(raw: RawTable, taken: ReadonlySet<string>): VectorGroup[] {
  const prefixes = new Map<string, number>();
  for (const { name } of raw.columns) {
    const prefix = /^(.*?)[\s_.\-[(]*\d+[\])]?$/.exec(name)?.[1];
    if (prefix !== undefined && !taken.has(name)) prefixes.set(prefix, (prefixes.get(prefix) ?? 0) + 1);
  }
  const byName = new Map(raw.columns.map((column) => [column.name, column]));
  const names = raw.columns.map(({ name }) => name).filter((name) => !taken.has(name));
  const groups: VectorGroup[] = [];
  for (const [prefix, count] of prefixes) {
    const needed = VECTOR_NAME.test(prefix.replace(/^.*[\s_.-](?=\w+$)/, "")) ? NAMED : MANY;
    if (count < needed) continue;
    const group = prefixGroup(names, prefix);
    if (group === undefined || group.columns.length < needed) continue;
    if (
      alike(
        group.columns.map((name) => byName.get(name)!),
        raw.rows,
      )
    ) {
      groups.push({ name: prefix === "" ? "vector" : prefix, columns: group.columns });
    }
  }
  return groups;
}

/** Numbers only, of one scale, and not answers on a short scale. */
function alike(columns: readonly RawColumn[], rows: number): boolean {
  const scales: number[] = [];
  const values = new Set<number>();
  let whole = true;
  const step = Math.max(1, Math.floor(rows / 500));
  for (const { numbers, codes } of columns) {
    if (numbers === undefined || codes !== undefined) return false;
    let sum = 0;
    let squares = 0;
    let count = 0;
    let empty = 0;
    for (let i = 0; i < rows; i += step) {
      const value = numbers[i];
      if (value !== value) {
        empty++;
        continue;
      }
      sum += value;
      squares += value * value;
      count++;
      if (value % 1 !== 0) whole = false;
      if (values.size <= 32) values.add(value);
    }
    if (empty > 0.05 * (count + empty)) return false;
    const variance = count === 0 ? 0 : squares / count - (sum / count) ** 2;
    if (variance > 1e-12 * Math.max(1, squares / count)) scales.push(Math.sqrt(variance));
  }
  if (scales.length < columns.length / 2) return false;
  if (whole && values.size <= 12) return false;
  scales.sort((a, b) => a - b);
  return (
    scales[Math.floor(0.9 * (scales.length - 1))] <= ALIKE * scales[Math.floor(0.1 * (scales.length - 1))]
  );
}

/** The group as one column of vectors. */
export function groupColumn(raw: RawTable, { name, columns }: VectorGroup, source: string): RawColumn {
  const { rows } = raw;
  const dimensions = columns.length;
  const vectors = new Float64Array(rows * dimensions);
  columns.forEach((column, j) => {
    const found = raw.columns.find((candidate) => candidate.name === column)!;
    const { numbers, texts, codes } = found;
    if (numbers === undefined) {
      throw optionError(
        `${source}: column "${column}" holds no numbers, so it cannot be part of the vector "${name}"`,
      );
    }
    for (let i = 0; i < rows; i++) vectors[i * dimensions + j] = numbers[i];
    if (codes !== undefined && texts !== undefined) {
      for (let i = 0; i < rows; i++) if (codes[i] >= 0) vectors[i * dimensions + j] = Number(texts[codes[i]]);
    }
  });
  return { name, vectors, dimensions };
}
