/**
 * The values of one column in a row group of a Parquet file, page by page. The scan of hyparquet trusts the
 * counts in page headers and in run lengths, where a few bytes can declare billions; and it pushes value by
 * value where nulls are allowed, which takes most of the reading time. Here every count is checked against
 * the rows of the row group and the bytes of the page, and numbers go into one array of the row group.
 *
 * Format: apache/parquet-format, README.md and Encodings.md.
 */
import type { ColumnChunk, DecodedArray, PageHeader, ParquetParsers, SchemaTree } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { convert, DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { decompressPage } from "hyparquet/src/datapage.js";
import { deltaBinaryUnpack, deltaLengthByteArray } from "hyparquet/src/delta.js";
import { byteStreamSplit } from "hyparquet/src/encoding.js";
import { readPlain } from "hyparquet/src/plain.js";
import { readVarInt } from "hyparquet/src/thrift.js";
import type { ByteSlices } from "../files/bytes.ts";
import { bytesCode, bytesText } from "./byteTexts.ts";
import { decimalNumber } from "./wholeNumbers.ts";
import { MOST_PER_BYTE, pageCodecs } from "./unpack.ts";

type Column = Parameters<typeof convert>[1];

interface Place {
  readonly view: DataView<ArrayBufferLike>;
  offset: number;
}

/** Whether a column holds plain numbers; its values fit into an array of doubles, NaN for null. */
export function isPlainNumbers({ element }: SchemaTree): boolean {
  const { type, converted_type: converted, logical_type: logical } = element;
  return (
    (type === "DOUBLE" || type === "FLOAT" || type === "INT32" || type === "INT64") &&
    (converted === undefined || /^U?INT_/.test(converted)) &&
    (logical === undefined || logical.type === "INTEGER")
  );
}

/** Whether each row has at most one value; other values are lists or records. */
export function isFlat({ element, children }: SchemaTree): boolean {
  const shape = element.logical_type?.type;
  const isShape = shape === "GEOMETRY" || shape === "GEOGRAPHY";
  return children.length === 0 && element.repetition_type !== "REPEATED" && !isShape;
}

interface FlatOptions {
  readonly parsers?: ParquetParsers;
  /** Integers of 64 bits are values, because a double does not hold all of their digits. */
  readonly exact?: boolean;
}

/**
 * The values of a flat column: doubles for plain numbers, NaN for null, otherwise values or null.
 *
 * @param schemaPath the root and the column
 * @param limit bytes that its pages may be unpacked to
 */
export async function readFlatColumn(
  file: ByteSlices,
  chunks: Chunks,
  schemaPath: SchemaTree[],
  rows: number,
  limit: number,
  { parsers = DEFAULT_PARSERS, exact = false }: FlatOptions = {},
): Promise<ArrayLike<unknown>> {
  const field = schemaPath[schemaPath.length - 1];
  const { name, type } = field.element;
  const numbers = isPlainNumbers(field) && !(exact && type === "INT64");
  const result: Float64Array | unknown[] = numbers ? new Float64Array(rows) : [];
  const chunk = chunkOf(chunks, schemaPath);
  let read = 0;
  for await (const { count, definition, values } of columnPages(file, chunk, schemaPath, {
    most: rows,
    limit,
    parsers,
    asNumbers: numbers,
  })) {
    if (result instanceof Float64Array) putNumbers(values, definition, result, read);
    else putValues(values, definition, result);
    read += count;
  }
  if (read < rows) throw new Error(`column ${name} has ${read} values for ${rows} rows`);
  return result;
}

/** Reads everything under a field that is not flat, to check that it can be read. */
export async function requireLeaves(
  file: ByteSlices,
  chunks: Chunks,
  schemaPath: SchemaTree[],
  limit: number,
): Promise<void> {
  const field = schemaPath[schemaPath.length - 1];
  if (field.children.length > 0) {
    for (const child of field.children) await requireLeaves(file, chunks, [...schemaPath, child], limit);
    return;
  }
  const own = chunkOf(chunks, schemaPath);
  const most = Math.min(Number(own.meta_data!.num_values), Math.floor(limit / 64));
  const pages = columnPages(file, own, schemaPath, { most, limit, strict: true });
  while ((await pages.next()).done !== true);
}

/** A page of a column. */
interface ColumnPage {
  /** Values and nulls. */
  readonly count: number;
  /** Levels of repetition; undefined if nothing repeats. */
  readonly repetition: Uint8Array | undefined;
  /** Levels of definition; undefined if every value is present. */
  readonly definition: Uint8Array | undefined;
  /** Those that are there. */
  readonly values: ArrayLike<unknown>;
}

interface PageOptions {
  /** Values and nulls that the column may have. */
  readonly most: number;
  /** Maximum number of bytes of an unpacked page. */
  readonly limit: number;
  readonly parsers?: ParquetParsers;
  /** Dictionaries of numbers as doubles. */
  readonly asNumbers?: boolean;
  /** Refuses runs that are longer than their page. */
  readonly strict?: boolean;
}

export async function* columnPages(
  file: ByteSlices,
  { meta_data: meta, file_path: elsewhere }: ColumnChunk,
  schemaPath: SchemaTree[],
  { most, limit, parsers = DEFAULT_PARSERS, asNumbers = false, strict = false }: PageOptions,
): AsyncGenerator<ColumnPage, void, undefined> {
  const { element } = schemaPath[schemaPath.length - 1];
  if (elsewhere !== undefined) throw new Error(`column ${element.name} is in another file, ${elsewhere}`);
  const { type, codec, path_in_schema: pathInSchema, total_compressed_size: size } = meta!;
  if (type !== element.type) throw new Error(`column ${element.name} is of two types`);
  if (codec === undefined) throw new Error(`column ${element.name} is compressed in an unknown way`);
  const dictionaryAt = Number(meta!.dictionary_page_offset || meta!.data_page_offset);
  const start = Math.min(dictionaryAt, Number(meta!.data_page_offset));
  const end = start + Number(size);
  if (!(start >= 0 && end >= start && end <= file.byteLength)) {
    throw new Error(`column ${element.name} lies outside of the file`);
  }
  const place: Place = { view: new DataView(await file.slice(start, end)), offset: 0 };
  const column: Column = { pathInSchema, type, element, schemaPath, codec, compressors: pageCodecs, parsers };
  const nodes = schemaPath.slice(1).map((node) => node.element.repetition_type);
  const levels: Levels = {
    repetition: nodes.filter((kind) => kind === "REPEATED").length,
    definition: nodes.filter((kind) => kind !== "REQUIRED").length,
    strict,
  };
  let dictionary: ArrayLike<unknown> | undefined;
  let read = 0;
  // Pages after the last value are ignored; if values repeat, only the end of the column ends it.
  while (place.offset < place.view.byteLength && (read < most || levels.repetition > 0)) {
    const header = parquetHeader(place);
    const bytes = pageBytes(place, header, codec, limit);
    const paged = header.data_page_header ?? header.data_page_header_v2;
    if (paged === undefined) {
      if (header.dictionary_page_header === undefined) continue; // an index
      const count = header.dictionary_page_header.num_values;
      const page = decompressPage(bytes, header.uncompressed_page_size, codec, pageCodecs);
      const entries = converted(plainValues(whole(page), count, column), column);
      dictionary = asNumbers ? doubles(entries) : entries;
      continue;
    }
    const count = paged.num_values;
    if (!(count >= 0 && count <= most - read))
      throw new Error(`column ${element.name} has more values than rows`);
    const page =
      header.data_page_header === undefined
        ? openPageV2(bytes, header, column, levels)
        : openPage(decompressPage(bytes, header.uncompressed_page_size, codec, pageCodecs), count, levels);
    const { repetition, definition } = page;
    const present = definition === undefined ? count : countOf(definition, levels.definition);
    const values = pageValues(page.values, present, paged.encoding, column, dictionary, limit);
    yield { count, repetition, definition, values };
    read += count;
  }
}

/** The fields of a schema that can be columns, and the rows of its row groups. */
export function requireDirectory(
  fields: readonly SchemaTree[],
  groups: readonly { num_rows: bigint }[],
): void {
  for (const { element } of fields) {
    if (typeof element.name !== "string") throw new Error("a column has no name");
  }
  for (const { num_rows: rows } of groups) {
    if (!(rows >= 0n && rows <= 0x7fffffffn))
      throw new Error("the number of rows of a row group makes no sense");
  }
}

/** Entries of a dictionary as doubles; without a function per entry, because there may be one per row. */
function doubles(entries: ArrayLike<unknown>): Float64Array {
  if (entries instanceof Float64Array || entries instanceof Float32Array || entries instanceof Int32Array) {
    return new Float64Array(entries);
  }
  const numbers = new Float64Array(entries.length);
  for (let k = 0; k < entries.length; k++) numbers[k] = Number(entries[k]);
  return numbers;
}

/** The parts of columns in a row group by their paths: there may be very many. */
type Chunks = ReadonlyMap<string, readonly ColumnChunk[]>;

export function chunksByPath(chunks: readonly ColumnChunk[]): Chunks {
  const byPath = new Map<string, ColumnChunk[]>();
  for (const chunk of chunks) {
    const path = chunk.meta_data?.path_in_schema.join("\0") ?? "";
    const known = byPath.get(path);
    if (known === undefined) byPath.set(path, [chunk]);
    else known.push(chunk);
  }
  return byPath;
}

/** @param schemaPath the root, and what leads to the values */
export function chunkOf(chunks: Chunks, schemaPath: readonly SchemaTree[]): ColumnChunk {
  const path = schemaPath.slice(1).map(({ element }) => element.name);
  const found = chunks.get(path.join("\0")) ?? [];
  if (found.length === 1) return found[0];
  const name = path.join(".");
  throw new Error(
    found.length === 0
      ? `column "${name}" is not in a row group`
      : `${found.length} columns are named "${name}"; rename all but one of them`,
  );
}

/** The raw bytes of the page. */
function pageBytes(place: Place, header: PageHeader, codec: string, limit: number): Uint8Array {
  const { compressed_page_size: packed, uncompressed_page_size: unpacked } = header;
  const { view } = place;
  if (!(packed >= 0 && packed <= view.byteLength - place.offset)) {
    throw new Error("a page is longer than its column");
  }
  const most = Math.min(limit, packed * (MOST_PER_BYTE[codec] ?? Infinity) + 64);
  if (!(unpacked >= 0 && unpacked <= most)) throw new Error("a page declares an impossible length");
  const bytes = new Uint8Array(view.buffer, view.byteOffset + place.offset, packed);
  place.offset += packed;
  return bytes;
}

/** The highest levels of a column. */
interface Levels {
  readonly repetition: number;
  readonly definition: number;
  readonly strict: boolean;
}

interface OpenPage {
  readonly repetition: Uint8Array | undefined;
  readonly definition: Uint8Array | undefined;
  readonly values: Place;
}

/** Version 1: the levels precede the values, each with their length. */
function openPage(page: Uint8Array, count: number, highest: Levels): OpenPage {
  const values = whole(page);
  const next = (most: number): Uint8Array | undefined => {
    if (most === 0) return undefined;
    const length = values.view.getUint32(values.offset, true);
    const from = values.offset + 4;
    if (length > page.length - from) throw new Error("the levels of a page are longer than the page");
    values.offset = from + length;
    return page.subarray(from, from + length);
  };
  const repetition = next(highest.repetition);
  return {
    repetition: repetition && levelsOf(repetition, count, highest.repetition, highest.strict),
    definition: whereMissing(next(highest.definition), count, highest),
    values,
  };
}

/** Version 2: the levels are not compressed, and the header gives their lengths. */
function openPageV2(bytes: Uint8Array, header: PageHeader, column: Column, highest: Levels): OpenPage {
  const {
    num_values: count,
    repetition_levels_byte_length: first,
    definition_levels_byte_length: second,
    is_compressed: compressed,
  } = header.data_page_header_v2!;
  const size = header.uncompressed_page_size - first - second;
  if (!(first >= 0 && second >= 0 && first + second <= bytes.length && size >= 0)) {
    throw new Error("the levels of a page are longer than the page");
  }
  const levels = (from: number, length: number, most: number): Uint8Array | undefined =>
    most === 0 ? undefined : bytes.subarray(from, from + length);
  const repeated = levels(0, first, highest.repetition);
  const repetition = repeated && levelsOf(repeated, count, highest.repetition, highest.strict);
  const definition = whereMissing(levels(first, second, highest.definition), count, highest);
  const packed = bytes.subarray(first + second);
  const page =
    compressed === false || packed.length === 0
      ? packed
      : decompressPage(packed, size, column.codec, column.compressors);
  return { repetition, definition, values: whole(page) };
}

function levelsOf(bytes: Uint8Array, count: number, most: number, strict: boolean): Uint8Array {
  if (most > 255) throw new Error("the schema is nested too deeply");
  const levels = new Uint8Array(count);
  readHybrid(bytes, 32 - Math.clz32(most), levels, strict);
  for (let i = 0; i < count; i++)
    if (levels[i] > most) throw new Error("a level is higher than the schema has");
  return levels;
}

/**
 * The levels of definition; undefined if all are the highest, which carry no information. Most pages have a
 * single run.
 */
function whereMissing(
  bytes: Uint8Array | undefined,
  count: number,
  { definition: most, strict }: Levels,
): Uint8Array | undefined {
  if (bytes === undefined || isOneRun(bytes, count, most, strict)) return undefined;
  const levels = levelsOf(bytes, count, most, strict);
  for (let i = 0; i < count; i++) if (levels[i] !== most) return levels;
  return undefined;
}

/** Whether the hybrid of runs and groups (parquetHybrid.ts) begins with a run of at least `count` times `value`. */
function isOneRun(bytes: Uint8Array, count: number, value: number, strict: boolean): boolean {
  let header = 0;
  let p = 0;
  for (let shift = 0; ; shift += 7) {
    if (p >= bytes.length || shift > 21) return false;
    header |= (bytes[p] & 127) << shift;
    if (bytes[p++] < 128) break;
  }
  const run = header >> 1;
  return (header & 1) === 0 && bytes[p] === value && (strict ? run === count : run >= count);
}

function whole(page: Uint8Array): Place {
  return { view: new DataView(page.buffer, page.byteOffset, page.byteLength), offset: 0 };
}

function countOf(levels: Uint8Array, most: number): number {
  let total = 0;
  for (let i = 0; i < levels.length; i++) if (levels[i] === most) total++;
  return total;
}

function pageValues(
  place: Place,
  count: number,
  encoding: string | undefined,
  column: Column,
  dictionary: ArrayLike<unknown> | undefined,
  limit: number,
): ArrayLike<unknown> {
  if (count === 0) return [];
  const { view } = place;
  const { type, element } = column;
  const rest = (): Uint8Array =>
    new Uint8Array(view.buffer, view.byteOffset + place.offset, view.byteLength - place.offset);
  switch (encoding) {
    case "PLAIN_DICTIONARY":
    case "RLE_DICTIONARY":
      return entriesOf(rest(), count, dictionary, element.name);
    case "PLAIN":
      return converted(plainValues(place, count, column), column);
    case "RLE": {
      if (type !== "BOOLEAN") break;
      const bits = new Uint8Array(count);
      readHybrid(rest().subarray(4), 1, bits); // behind its length
      return Array.from(bits, (bit) => bit === 1);
    }
    case "BYTE_STREAM_SPLIT":
      requireBytes(place, count * widthOf(column));
      return converted(byteStreamSplit(place, count, type, element.type_length), column);
    case "DELTA_BINARY_PACKED": {
      const values = type === "INT32" ? new Int32Array(count) : new BigInt64Array(count);
      unpackDeltas(place, count, values);
      return converted(values, column);
    }
    case "DELTA_LENGTH_BYTE_ARRAY": {
      requireDeltas(place);
      const values = Array<Uint8Array>(count);
      deltaLengthByteArray(place, count, values);
      requireBytes(place, 0);
      return converted(values, column);
    }
    case "DELTA_BYTE_ARRAY":
      return converted(frontCoded(place, count, limit), column);
  }
  throw new Error(
    `column ${element.name} has values in an encoding that is not supported${encoding === undefined ? "" : ` (${encoding})`}`,
  );
}

function plainValues(place: Place, count: number, column: Column): DecodedArray {
  const { type, element } = column;
  const { view } = place;
  if (!(count >= 0 && count <= 8 * view.byteLength)) throw new Error("a page has more values than bytes");
  requireBytes(place, type === "BOOLEAN" ? count / 8 : count * widthOf(column));
  const values = readPlain(place, type, count, element.type_length);
  requireBytes(place, 0);
  return values;
}

/** The values by their logical type. */
function converted(data: DecodedArray, column: Column): ArrayLike<unknown> {
  const { element } = column;
  if (isDecimal(element)) return decimals(data, element);
  if (element.converted_type === undefined && element.logical_type === undefined) {
    if (element.type === "BYTE_ARRAY") return Array.from(data as ArrayLike<Uint8Array>, bytesText);
    if (element.type === "FIXED_LEN_BYTE_ARRAY") return Array.from(data as ArrayLike<Uint8Array>, bytesCode);
  }
  return convert(data, column);
}

function isDecimal({ converted_type: converted, logical_type: logical }: Element): boolean {
  return converted === "DECIMAL" || logical?.type === "DECIMAL";
}

type Element = SchemaTree["element"];

function decimals(data: DecodedArray, { name, scale, logical_type: logical }: Element): unknown[] {
  const power = scale ?? (logical?.type === "DECIMAL" ? logical.scale : 0);
  return Array.from(data as ArrayLike<unknown>, (value) => {
    if (!(value instanceof Uint8Array)) return decimalNumber(value as number | bigint, power);
    if (value.length > LONGEST_DECIMAL)
      throw new Error(`column ${name} has decimals of ${value.length} bytes`);
    return decimalNumber(signedInteger(value), power);
  });
}

/** Two's complement, the highest byte first. */
function signedInteger(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt.asIntN(8 * bytes.length, BigInt(bytesCode(bytes)));
}

const LONGEST_DECIMAL = 64;

/** Bytes of a value; for values with their own length, the bytes of the length. */
function widthOf({ type, element }: Column): number {
  if (type === "FIXED_LEN_BYTE_ARRAY") {
    if (!(element.type_length! > 0)) throw new Error(`column ${element.name} has values without a length`);
    return element.type_length!;
  }
  return { BOOLEAN: 1, INT32: 4, INT64: 8, INT96: 12, FLOAT: 4, DOUBLE: 8, BYTE_ARRAY: 4 }[type];
}

function requireBytes({ view, offset }: Place, count: number): void {
  if (!(offset + count <= view.byteLength)) throw new Error("the values of a page end too early");
}

function entriesOf(
  bytes: Uint8Array,
  count: number,
  dictionary: ArrayLike<unknown> | undefined,
  name: string,
): ArrayLike<unknown> {
  if (dictionary === undefined) throw new Error(`column ${name} has no dictionary`);
  const width = bytes[0];
  if (!(width <= 32)) throw new Error("the width of dictionary entries makes no sense");
  const indices = new Uint32Array(count);
  if (width > 0) readHybrid(bytes.subarray(1), width, indices);
  const values = dictionary instanceof Float64Array ? new Float64Array(count) : Array<unknown>(count);
  for (let i = 0; i < count; i++) {
    const index = indices[i];
    if (index >= dictionary.length)
      throw new Error(`column ${name} refers to an entry that its dictionary lacks`);
    values[i] = dictionary[index];
  }
  return values;
}

/** The decoder trusts the sizes of blocks, and a negative one makes it walk backwards. */
function requireDeltas({ view, offset }: Place): void {
  const place = { view, offset };
  const block = readVarInt(place);
  const miniblocks = readVarInt(place);
  const each = block / miniblocks;
  if (!(block > 0 && block <= 1 << 24 && miniblocks > 0 && Number.isInteger(each) && each % 8 === 0)) {
    throw new Error("the blocks of differences make no sense");
  }
}

function unpackDeltas(place: Place, count: number, into: Int32Array | BigInt64Array): void {
  requireDeltas(place);
  deltaBinaryUnpack(place, count, into);
}

/**
 * Each text shares a prefix with the one before: a page can be far longer than its bytes, which `limit`
 * bounds.
 */
function frontCoded(place: Place, count: number, limit: number): Uint8Array[] {
  const shared = new Int32Array(count);
  const own = new Int32Array(count);
  unpackDeltas(place, count, shared);
  unpackDeltas(place, count, own);
  const { view } = place;
  const values: Uint8Array[] = [];
  let before: Uint8Array = new Uint8Array(0);
  let total = 0;
  for (let i = 0; i < count; i++) {
    if (!(shared[i] >= 0 && shared[i] <= before.length && own[i] >= 0)) {
      throw new Error("a text shares more characters with the text before than that has");
    }
    requireBytes(place, own[i]);
    total += shared[i] + own[i];
    if (total > limit) throw new Error("the texts of a page are too long");
    const value = new Uint8Array(shared[i] + own[i]);
    value.set(before.subarray(0, shared[i]));
    value.set(new Uint8Array(view.buffer, view.byteOffset + place.offset, own[i]), shared[i]);
    place.offset += own[i];
    values.push((before = value));
  }
  return values;
}

function putNumbers(
  values: ArrayLike<unknown>,
  levels: Uint8Array | undefined,
  into: Float64Array,
  at: number,
): void {
  if (levels !== undefined) {
    let next = 0;
    for (let i = 0; i < levels.length; i++)
      into[at + i] = levels[i] === 1 ? Number(values[next++]) : Number.NaN;
  } else if (
    values instanceof Float64Array ||
    values instanceof Float32Array ||
    values instanceof Int32Array
  ) {
    into.set(values, at);
  } else {
    for (let i = 0; i < values.length; i++) into[at + i] = Number(values[i]);
  }
}

function putValues(values: ArrayLike<unknown>, levels: Uint8Array | undefined, into: unknown[]): void {
  let next = 0;
  const count = levels?.length ?? values.length;
  for (let i = 0; i < count; i++) into.push(levels === undefined || levels[i] === 1 ? values[next++] : null);
}

/**
 * Fills `into` from Parquet's hybrid of runs and bit-packed groups (parquet-format, Encodings.md, "Run Length Encoding /
 * Bit-Packing Hybrid"). A run that declares too many values fills the available room.
 *
 * @param width bits of a value, 1 to 32
 * @param strict a run that is longer is an error
 */
function readHybrid(
  bytes: Uint8Array,
  width: number,
  into: Uint8Array | Uint32Array,
  strict: boolean = false,
): void {
  const end = new Error("the runs of a page end too early");
  const valueBytes = (width + 7) >> 3;
  let p = 0;
  let filled = 0;
  while (filled < into.length) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      if (p >= bytes.length || shift > 28) throw end;
      header += (bytes[p] & 127) * 2 ** shift;
      if (bytes[p++] < 128) break;
    }
    const count = Math.floor(header / 2);
    const groups = header % 2 === 1;
    if (strict && count * (groups ? 8 : 1) > into.length - filled + (groups ? 7 : 0)) {
      throw new Error("a run is longer than its page");
    }
    if (!groups) {
      if (count > 0 && p + valueBytes > bytes.length) throw end;
      let value = 0;
      for (let k = 0; k < valueBytes; k++) value += bytes[p + k] * 2 ** (8 * k);
      p += valueBytes;
      into.fill(value, filled, Math.min(into.length, filled + count));
      filled += count;
      continue;
    }
    // Groups of eight values; the last may be cut off if the rest is not needed.
    const values = Math.min(8 * count, into.length - filled);
    if (p + Math.ceil((values * width) / 8) > bytes.length) throw end;
    unpackBits(bytes, p, width, into, filled, values);
    p += count * width;
    filled += 8 * count;
  }
}

function unpackBits(
  bytes: Uint8Array,
  from: number,
  width: number,
  into: Uint8Array | Uint32Array,
  at: number,
  count: number,
): void {
  let p = from;
  if (width <= 24) {
    // The buffered bits stay below 31.
    const mask = (1 << width) - 1;
    let held = 0;
    let bits = 0;
    for (let i = 0; i < count; i++) {
      while (bits < width) {
        held |= bytes[p++] << bits;
        bits += 8;
      }
      into[at + i] = held & mask;
      held >>>= width;
      bits -= width;
    }
    return;
  }
  let held = 0;
  let bits = 0;
  const power = 2 ** width;
  for (let i = 0; i < count; i++) {
    while (bits < width) {
      held += bytes[p++] * 2 ** bits;
      bits += 8;
    }
    into[at + i] = held % power;
    held = Math.floor(held / power);
    bits -= width;
  }
}
