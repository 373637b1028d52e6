import { inputError, option } from "../../core/internal.ts";
import { refuseTooLarge } from "../files/budget.ts";
import type { CellOptions, RawColumn, RawTable } from "../cells/rawColumn.ts";
import { zipArchive } from "./zip.ts";

interface NpyArray {
  readonly rows: number;
  readonly cols: number;
  /** Row-major. */
  readonly data: Float64Array;
  readonly flat: boolean;
}

/**
 * Reads a NumPy array (NEP 1): a wide 2-d array gives a vector per row, a narrow one a column per position, a
 * 1-d one a column.
 */
export function npyCells(bytes: Uint8Array, source: string, options: CellOptions): RawTable {
  const array = npyArray(bytes, source, options);
  return { source, rows: array.rows, columns: arrayColumns("vector", array), notes: [] };
}

/** Several arrays in a zip archive; all have the same number of rows. */
export async function npzCells(bytes: Uint8Array, source: string, options: CellOptions): Promise<RawTable> {
  const archive = zipArchive(bytes, source);
  const names = archive.names.filter((name) => name.endsWith(".npy"));
  if (names.length === 0) throw inputError(`${source} holds no arrays`);
  const columns: RawColumn[] = [];
  let rows: number | undefined;
  let first = "";
  let held = 0;
  for (const name of names) {
    const called = name.slice(0, -4);
    if (options.ignore?.has(called) === true) continue;
    // Unpacked in pieces, joined, and converted to columns: this needs three times the array for a while.
    const memory = options.memory - held;
    const unpacked = await archive.read(name, memory / 3);
    const array = npyArray(unpacked, `${source}, array "${called}"`, { ...options, memory });
    held += array.data.byteLength;
    rows ??= array.rows;
    if (first === "") first = called;
    if (array.rows !== rows) {
      throw inputError(
        `${source}: array "${first}" has ${rows} rows, but array "${called}" has ${array.rows}; ` +
          `${option("as")} ${called}=ignore leaves it out`,
      );
    }
    columns.push(...arrayColumns(called, array));
  }
  if (rows === undefined || rows === 0) throw inputError(`${source} has no rows of data`);
  return { source, rows, columns, notes: [] };
}

function arrayColumns(name: string, { rows, cols, data, flat }: NpyArray): RawColumn[] {
  if (flat) return [{ name: name === "vector" ? "value" : name, numbers: data }];
  if (cols >= VECTOR) return [{ name, vectors: data, dimensions: cols }];
  return Array.from({ length: cols }, (_, j) => {
    const numbers = new Float64Array(rows);
    for (let i = 0; i < rows; i++) numbers[i] = data[i * cols + j];
    return { name: name === "vector" ? `c${j}` : cols === 1 ? name : `${name}_${j}`, numbers };
  });
}

/** Rows with fewer numbers than this give separate columns. */
const VECTOR = 16;

const HEADER =
  /^\s*\{(?=.*'descr'\s*:\s*'([<>|=])(f|i|u|b)(\d+)')(?=.*'fortran_order'\s*:\s*(True|False))(?=.*'shape'\s*:\s*\(([\d,\sL]*)\))/s;

const LONGEST_HEADER = 1 << 20;

function npyArray(bytes: Uint8Array, source: string, options: CellOptions): NpyArray {
  if (bytes.length < 12 || bytes[0] !== 0x93 || String.fromCharCode(...bytes.subarray(1, 6)) !== "NUMPY") {
    throw inputError(`${source} is not an array of NumPy`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const long = bytes[6] >= 2;
  const headerLength = long ? view.getUint32(8, true) : view.getUint16(8, true);
  const from = long ? 12 : 10;
  const start = from + headerLength;
  if (headerLength > LONGEST_HEADER) throw inputError(`${source}: its header is too long; it is damaged`);
  if (start > bytes.length) throw inputError(`${source} ends inside its header; it is damaged`);
  const text = new TextDecoder("latin1").decode(bytes.subarray(from, start));
  const found = HEADER.exec(text);
  if (found === null && /'descr'\s*:\s*'[<>|=][fiub]\d+'/.test(text)) {
    throw inputError(`${source}: its header does not give the shape of an array; it is damaged`);
  }
  if (found === null) {
    const type = /'descr'\s*:\s*([^,]+(?:,[^']*'[^,]*)?)/.exec(text)?.[1] ?? "unknown";
    throw inputError(
      `${source}: numbers of a plain type are needed, such as float32; the array has ${type.trim().replaceAll(/\s+/g, " ")}`,
    );
  }
  const [, endian, type, width, fortran, shape] = found;
  const size = Number(width);
  const sizes = shape
    .split(",")
    .map((part) => part.replace("L", "").trim())
    .filter((part) => part !== "")
    .map(Number);
  if (sizes.length === 0 || sizes.length > 3) {
    throw inputError(`${source}: an array of 1 or 2 dimensions is needed; this one has ${sizes.length}`);
  }
  const rows = sizes[0];
  const cols = sizes.length === 1 ? 1 : sizes.slice(1).reduce((product, length) => product * length, 1);
  const needed = rows * cols * size;
  if (!Number.isSafeInteger(needed) || bytes.length - start < needed) {
    throw inputError(
      `${source} declares ${rows} x ${cols} numbers, but holds only ${Math.floor((bytes.length - start) / size)}; ` +
        `it is damaged or was cut off`,
    );
  }
  if (rows * cols === 0) throw inputError(`${source} has no rows of data`);
  const copies = sizes.length > 1 && cols < VECTOR ? 2 : 1;
  refuseTooLarge(source, bytes.length + copies * rows * cols * 8, options.memory, undefined);
  if (fortran === "True" && sizes.length > 2) {
    throw inputError(
      `${source}: an array of 3 dimensions in Fortran order cannot be read; save it in C order`,
    );
  }
  const Type = TYPES[type + width];
  if (Type === undefined) throw inputError(`${source}: numbers of type ${type}${size} cannot be read`);
  const values = decoded(bytes, start, rows * cols, Type, endian === ">");
  if (type + width === "f2") for (let i = 0; i < values.length; i++) values[i] = half(values[i]);
  for (let i = 0; i < values.length; i++) if (values[i] - values[i] !== 0) values[i] = Number.NaN;
  if (fortran !== "True" || cols === 1 || rows === 1)
    return { rows, cols, data: values, flat: sizes.length === 1 };
  const data = new Float64Array(values.length);
  for (let j = 0; j < cols; j++) for (let i = 0; i < rows; i++) data[i * cols + j] = values[j * rows + i];
  return { rows, cols, data, flat: false };
}

function decoded(
  bytes: Uint8Array,
  start: number,
  count: number,
  Type: TypedArray,
  big: boolean,
): Float64Array {
  const size = Type.BYTES_PER_ELEMENT;
  const isNative = big !== LITTLE || size === 1;
  const isInPlace = isNative && (bytes.byteOffset + start) % size === 0;
  const own = isInPlace ? bytes.subarray(start) : bytes.slice(start, start + count * size);
  if (!isNative) for (let p = 0; p < own.length; p += size) own.subarray(p, p + size).reverse();
  const numbers = new Type(own.buffer as ArrayBuffer, own.byteOffset, count);
  const isBig = numbers instanceof BigInt64Array || numbers instanceof BigUint64Array;
  return isBig ? Float64Array.from(numbers, Number) : new Float64Array(numbers);
}

const LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

interface TypedArray {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, from: number, length: number): ArrayLike<number> | BigInt64Array | BigUint64Array;
}

const TYPES: Readonly<Record<string, TypedArray | undefined>> = {
  f2: Uint16Array,
  f4: Float32Array,
  f8: Float64Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  i8: BigInt64Array,
  u1: Uint8Array,
  b1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  u8: BigUint64Array,
};

/** IEEE 754 binary16. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
