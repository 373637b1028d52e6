import { random } from "../../src/core/random.ts";
import type { Column, ColumnReading, Table } from "../../src/data/columns/column.ts";

/** Columns of a table made by hand. */
export function numbers(name: string, values: ArrayLike<number>, kind: "number" | "date" = "number"): Column {
  const own = Float64Array.from(values);
  return { name, kind, why: "", reading: {}, missing: own.filter(Number.isNaN).length, values: own };
}

export function categories(name: string, cells: readonly string[], reading: ColumnReading = {}): Column {
  const levels = [...new Set(cells)].filter((cell) => cell !== "");
  const codes = Int32Array.from(cells, (cell) => levels.indexOf(cell));
  return {
    name,
    kind: "category",
    why: "",
    reading,
    missing: codes.filter((code) => code < 0).length,
    levels,
    codes,
  };
}

export function ordered(name: string, cells: readonly string[], levels: readonly string[]): Column {
  const codes = Int32Array.from(cells, (cell) => levels.indexOf(cell));
  return {
    name,
    kind: "ordered",
    why: "",
    reading: { levels },
    missing: codes.filter((code) => code < 0).length,
    levels,
    codes,
    values: Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : code)),
  };
}

export function texts(name: string, cells: readonly string[], kind: "text" | "id" = "text"): Column {
  return { name, kind, why: "", reading: {}, missing: 0, cells };
}

export function tableOf(columns: readonly Column[]): Table {
  const first = columns[0];
  const rows = first.values?.length ?? first.codes?.length ?? first.cells?.length ?? first.vectors?.rows ?? 0;
  return { source: "made", rows, columns, notes: [] };
}

/** The given rows of a table, in the given order. */
export function pickRows(table: Table, rows: readonly number[]): Table {
  return {
    ...table,
    rows: rows.length,
    columns: table.columns.map((column) => ({
      ...column,
      ...(column.values && { values: Float64Array.from(rows, (i) => column.values![i]) }),
      ...(column.codes && { codes: Int32Array.from(rows, (i) => column.codes![i]) }),
      ...(column.cells && { cells: rows.map((i) => column.cells![i]) }),
      ...(column.vectors && {
        vectors: {
          rows: rows.length,
          cols: column.vectors.cols,
          data: Float64Array.from(
            rows.flatMap((i) =>
              Array.from(
                column.vectors!.data.subarray(i * column.vectors!.cols, (i + 1) * column.vectors!.cols),
              ),
            ),
          ),
        },
      }),
    })),
  };
}

const WORDS = [
  ["sun", "beach", "sand", "palm", "swim"],
  ["snow", "slope", "ski", "lift", "pine"],
  ["tram", "museum", "market", "bridge", "square"],
];

/** Three groups, columns of every kind: some tell, some do not, cells are missing. */
export function mixedTable(n: number = 600, seed: number = 1): { table: Table; truth: Int32Array } {
  const g = random(seed);
  const truth = Int32Array.from({ length: n }, () => g.integer(3));
  const pick = (values: readonly string[]): string => values[g.integer(values.length)];
  const cells = (make: (k: number) => string): string[] => Array.from(truth, make);
  const dimensions = 12;
  const centers = Array.from({ length: 3 * dimensions }, () => g.normal());
  const vectors = {
    rows: n,
    cols: dimensions,
    data: Float64Array.from(
      { length: n * dimensions },
      (_, p) => centers[truth[Math.floor(p / dimensions)] * dimensions + (p % dimensions)] + 0.6 * g.normal(),
    ),
  };
  for (let j = 0; j < dimensions; j++) vectors.data[5 * dimensions + j] = Number.NaN;
  const size = Float64Array.from(truth, (k) => [2, 6, 10][k] + g.normal());
  const columns: Column[] = [
    texts(
      "key",
      Array.from(truth, (_, i) => `k${i}`),
      "id",
    ),
    { name: "always", kind: "constant", why: "", reading: {}, missing: 0 },
    { name: "never", kind: "empty", why: "", reading: {}, missing: n },
    numbers(
      "price",
      Float64Array.from(truth, (k) => (g.uniform() < 0.1 ? Number.NaN : Math.exp(k + 0.7 * g.normal()))),
    ),
    numbers("size", size),
    numbers(
      "size in feet",
      size.map((value) => 3.28 * value + 0.01 * g.normal()),
    ),
    numbers(
      "noise",
      Float64Array.from(truth, () => g.normal()),
    ),
    categories(
      "plan",
      cells((k) =>
        g.uniform() < 0.05 ? "" : g.uniform() < 0.8 ? ["a", "b", "c"][k] : pick(["a", "b", "c", "d"]),
      ),
    ),
    categories(
      "place",
      cells(() => pick(["north", "south", "east"])),
    ),
    categories(
      "tags",
      cells((k) => [["x", "y", "z"][k], pick(["x", "y", "z"])].join("; ")),
      {
        form: "list",
        separator: ";",
      },
    ),
    categories(
      "path",
      cells((k) => `${["t", "u", "v"][k]} > ${pick(["one", "two"])}`),
      {
        form: "path",
        separator: ">",
      },
    ),
    ordered(
      "grade",
      cells((k) => ["low", "mid", "high"][g.uniform() < 0.7 ? k : g.integer(3)]),
      ["low", "mid", "high"],
    ),
    numbers(
      "joined",
      Float64Array.from(
        truth,
        (k) => 15000 + 7 * g.integer(150) + (k === 0 ? g.integer(2) : 2 + g.integer(5)) + (8 + k) / 24,
      ),
      "date",
    ),
    texts(
      "note",
      cells((k) =>
        Array.from({ length: 7 }, () =>
          g.uniform() < 0.5 ? pick(WORDS[k]) : pick(["the", "a", "of", "and"]),
        ).join(" "),
      ),
    ),
    { name: "embedding", kind: "vector", why: "", reading: {}, missing: 1, vectors },
  ];
  return { table: tableOf(columns), truth };
}
