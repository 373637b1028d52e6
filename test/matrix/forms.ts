import { tableFromArrays } from "@uwdata/flechette";
import { fromRows, type MatrixLike } from "../../src/matrix/index.ts";

/** The same rows of three numbers in every form that memory has. */
export function formsOf(rows: readonly (readonly number[])[]): Readonly<Record<string, MatrixLike>> {
  const n = rows.length;
  const flat = rows.flat();
  const [a, b, c] = [0, 1, 2].map((f) => rows.map((row) => row[f]));
  return {
    "a matrix": fromRows(rows),
    "arrays of arrays": rows,
    "typed arrays of rows": rows.map((row) => Float64Array.from(row)),
    "Float64Array with a shape": { data: Float64Array.from(flat), shape: [n, 3] },
    "Float32Array with a shape": { data: Float32Array.from(flat), shape: [n, 3] },
    "a matrix of plain numbers, as JSON has it": { rows: n, cols: 3, data: flat as never },
    objects: rows.map(([x, y, z]) => ({ a: x, b: y, c: z })),
    "an Arrow table": arrow(rows),
    "a flechette table": tableFromArrays({ a, b, c }) as unknown as MatrixLike,
    "an Arquero table": arquero(rows),
    "columns by name": { a, b, c: Float64Array.from(c) },
    "a set of rows": new Set(rows),
    "a tensor with dims": { data: Float64Array.from(flat), dims: [n, 3] },
    "a tensor of TensorFlow.js": { shape: [n, 3], data: () => undefined, dataSync: () => flat },
    "a transposed ndarray": { data: [...a, ...b, ...c], shape: [n, 3], stride: [1, n], offset: 0 },
    "a window of an ndarray": {
      data: [-1, ...rows.flatMap((row) => [...row, -1])],
      shape: [n, 3],
      strides: [4, 1],
      offset: 1,
    },
    "a reversed ndarray": {
      data: [...rows].reverse().flat(),
      shape: [n, 3],
      stride: [-3, 1],
      offset: 3 * (n - 1),
    },
  };
}

function arquero(rows: readonly (readonly number[])[]): MatrixLike {
  const names = ["a", "b", "c"];
  const getter = (name: string) => (i: number) => rows[i][names.indexOf(name)];
  return { numRows: () => rows.length, columnNames: () => names, getter };
}

/** The parts of a table of apache-arrow: columns have `get`, names are in the schema. */
function arrow(rows: readonly (readonly number[])[]): MatrixLike {
  const fields = ["a", "b", "c"].map((name) => ({ name }));
  const columns = fields.map((_, f) => ({ get: (i: number): number => rows[i][f] }));
  const getChildAt = (f: number): unknown => columns[f] ?? null;
  return { numRows: rows.length, numCols: 3, schema: { fields }, getChildAt } as MatrixLike;
}
