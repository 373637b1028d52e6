import { inputError } from "../../core/internal.ts";
import type { Source } from "../../data/index.ts";
import { delimitedLines, parseNumber, wholeText } from "../../data/internal.ts";
import { edgeList, type Edges } from "../../graph/index.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";

/** The rows of a matrix of distances, or the nodes of a graph, with their names. */
export interface Named {
  readonly names: readonly string[];
  readonly source: string;
}

export interface Distances extends Named {
  readonly D: Matrix;
  readonly form: "square" | "condensed" | "edge list";
}

/**
 * Reads distances between rows: a square of numbers, with or without names in the first row and column; the condensed form of
 * scipy, n (n - 1) / 2 numbers in one row or column; or a list of edges, lines of two names and a distance, which must have all.
 */
export async function readDistances(source: Source): Promise<Distances> {
  const { lines, name } = await linesOf(source);
  const found = squareOf(lines) ?? condensedOf(lines);
  if (found !== undefined) return { ...found, source: name };
  const edges = edgesOf(lines, name);
  const n = edges.names.length;
  const D = matrix(n, n);
  D.data.fill(Number.NaN);
  for (let i = 0; i < n; i++) D.data[i * (n + 1)] = 0;
  for (const { a, b, value } of edges.list) D.data[a * n + b] = D.data[b * n + a] = value;
  const gap = D.data.findIndex(Number.isNaN);
  if (gap >= 0) {
    const [a, b] = [Math.floor(gap / n), gap % n].map((i) => edges.names[i]);
    throw inputError(
      `${name} has no distance of ${a} and ${b}; a list of distances has all pairs. For weights of some pairs use --edges`,
    );
  }
  return { D, names: edges.names, form: "edge list", source: name };
}

/** Reads a weighted graph: lines of two names and a weight, which is 1 if it is absent. */
export async function readGraph(source: Source): Promise<Named & { readonly graph: Edges }> {
  const { lines, name } = await linesOf(source);
  const { names, list } = edgesOf(lines, name);
  const weights = new Map<string, number>();
  for (const { a, b, value } of list) {
    if (a === b) continue;
    const key = `${Math.min(a, b)} ${Math.max(a, b)}`;
    weights.set(key, (weights.get(key) ?? 0) + value);
  }
  const pairs = Array.from(weights.keys(), (key) => key.split(" ").map(Number) as [number, number]);
  return { graph: edgeList(names.length, pairs, [...weights.values()]), names, source: name };
}

interface Line {
  readonly line: number;
  readonly cells: readonly string[];
}

async function linesOf(source: Source): Promise<{ lines: Line[]; name: string }> {
  const { bytes, name } = await wholeText(source);
  const lines = [...delimitedLines(bytes, name)].filter(({ cells }) =>
    cells.some((cell) => cell.trim() !== ""),
  );
  if (lines.length === 0) throw inputError(`${name} is empty`);
  return { lines, name };
}

const numberOf = (cell: string): number => parseNumber(cell.trim()) ?? Number.NaN;

function squareOf(lines: readonly Line[]): Omit<Distances, "source"> | undefined {
  const width = lines[0].cells.length;
  // Two names and a number are an edge.
  if (lines.some(({ cells }) => cells.length !== width)) return undefined;
  for (const [top, left] of [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ] as const) {
    const n = lines.length - top;
    if (width - left !== n || n < 2) continue;
    const values = lines.slice(top).flatMap(({ cells }) => cells.slice(left).map(numberOf));
    if (
      values.some(Number.isNaN) ||
      Array.from({ length: n }, (_, i) => values[i * (n + 1)]).some((d) => d !== 0)
    )
      continue;
    const names =
      top === 1
        ? lines[0].cells.slice(left)
        : left === 1
          ? lines.map(({ cells }) => cells[0])
          : Array.from({ length: n }, (_, i) => String(i));
    return { D: matrix(n, n, Float64Array.from(values)), names, form: "square" };
  }
  return undefined;
}

function condensedOf(lines: readonly Line[]): Omit<Distances, "source"> | undefined {
  const flat =
    lines.length === 1
      ? lines[0].cells
      : lines.every(({ cells }) => cells.length === 1)
        ? lines.map(({ cells }) => cells[0])
        : [];
  const values = flat.map(numberOf);
  const own = Number.isNaN(values[0]) ? values.slice(1) : values;
  const n = Math.round((1 + Math.sqrt(1 + 8 * own.length)) / 2);
  if (own.length === 0 || own.some(Number.isNaN) || (n * (n - 1)) / 2 !== own.length) return undefined;
  const D = matrix(n, n);
  for (let i = 0, p = 0; i < n; i++)
    for (let j = i + 1; j < n; j++, p++) D.data[i * n + j] = D.data[j * n + i] = own[p];
  return { D, names: Array.from({ length: n }, (_, i) => String(i)), form: "condensed" };
}

function edgesOf(lines: readonly Line[], name: string) {
  const names: string[] = [];
  const places = new Map<string, number>();
  const place = (text: string): number => {
    const known = places.get(text);
    if (known !== undefined) return known;
    places.set(text, names.length);
    names.push(text);
    return names.length - 1;
  };
  const list: { a: number; b: number; value: number }[] = [];
  const named = lines.length > 1 && isHeader(lines[0], lines.slice(1));
  lines.forEach(({ line, cells }, at) => {
    if (at === 0 && named) return;
    const [a, b, weight = "1"] = cells.map((cell) => cell.trim());
    const value = numberOf(weight);
    if (cells.length < 2 || cells.length > 3 || Number.isNaN(value)) {
      // The first line may name the columns.
      if (at === 0 && cells.length >= 2 && cells.length <= 3) return;
      throw inputError(
        `${name} line ${line}: neither a square, a condensed form nor a list of edges; an edge is two names and a number`,
      );
    }
    list.push({ a: place(a), b: place(b), value });
  });
  return { names, list };
}

/** Two words that call ends of edges, and that no other line has. */
function isHeader({ cells }: Line, others: readonly Line[]): boolean {
  const [a, b] = cells.map((cell) => cell.trim());
  const word =
    /^(?:from|to|source|target|src|dst|start|end|node_?[12ab]?|id_?[12ab]?|[abijuvxy]|row_?[12ab]?)$/i;
  if (!word.test(a) || !word.test(b)) return false;
  return others.every((line) => !line.cells.slice(0, 2).some((cell) => [a, b].includes(cell.trim())));
}
