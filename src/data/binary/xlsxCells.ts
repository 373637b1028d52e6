import type { Note } from "../../core/index.ts";
import { inputError, note, option, optionError, listed } from "../../core/internal.ts";
import { uniqueNames, type CellOptions, type RawTable } from "../cells/rawColumn.ts";
import { looksLikeHeader } from "../text/dialect.ts";
import { LONGEST_JSON } from "../files/bytes.ts";
import { refuseTooLarge } from "../files/budget.ts";
import { valueStore, type ValueStore } from "../json/rowGatherer.ts";
import { zipArchive } from "./zip.ts";

type CellValue = string | number | boolean | undefined;

/** Cells by row; `errors` are those of a row with an error such as #N/A, which counts as empty. */
type SheetRow = CellValue[] & { errors?: Map<number, string> };

/**
 * Reads a sheet of an Office Open XML workbook (ECMA-376, part 1, section 18): the named one, or the first that is not
 * empty, of hidden sheets only if there is no other. A number is a date if the format of its cell is one.
 */
export async function xlsxCells(bytes: Uint8Array, source: string, options: CellOptions): Promise<RawTable> {
  const archive = zipArchive(bytes, source);
  const part = async (name: string): Promise<string> =>
    new TextDecoder().decode(await archive.read(name, Math.min(options.memory / 4, LONGEST_JSON)));
  const optional = async (name: string): Promise<string> => (archive.names.includes(name) ? part(name) : "");
  if (!archive.names.includes("xl/workbook.xml")) {
    throw inputError(
      `${source} is a zip archive, but no workbook; unpack it, or save the table as CSV or XLSX`,
    );
  }
  const workbook = await part("xl/workbook.xml");
  const targets = new Map(
    elements(await optional("xl/_rels/workbook.xml.rels"), "Relationship").map(({ attributes }) => [
      attribute(attributes, "Id"),
      attribute(attributes, "Target"),
    ]),
  );
  const sheets = elements(workbook, "sheet").map(({ attributes }, k) => {
    const target = targets.get(attribute(attributes, "r:id") ?? attribute(attributes, "id"));
    const path = target === undefined ? `worksheets/sheet${k + 1}.xml` : target;
    return {
      name: attribute(attributes, "name") ?? `sheet ${k + 1}`,
      path: path.startsWith("/") ? path.slice(1) : `xl/${path.replace(/^\.\//, "")}`,
      hidden: (attribute(attributes, "state") ?? "visible") !== "visible",
    };
  });
  const shared = sharedStrings(await optional("xl/sharedStrings.xml"));
  const formats = dateFormats(await optional("xl/styles.xml"));
  const epoch = /<workbookPr[^>]*\bdate1904="(?:1|true)"/.test(workbook) ? SINCE_1904 : SINCE_1900;
  const wanted = chosen(sheets, options.sheet, source);
  const empty: string[] = [];
  for (const sheet of wanted) {
    if (!archive.names.includes(sheet.path)) continue; // a chart
    const xml = await part(sheet.path);
    const { rows, numbers, uncomputed } = sheetRows(xml, shared, formats, epoch, source, options);
    if (rows.length < 2 && wanted.length > 1) {
      empty.push(sheet.name);
      continue;
    }
    if (rows.length === 0) throw inputError(`${source}: the sheet "${sheet.name}" is empty`);
    const notes: Note[] = [];
    if (sheets.length > 1 && options.sheet === undefined) {
      const others = sheets.filter(({ name }) => name !== sheet.name).map(({ name }) => `"${name}"`);
      const message = `the sheet "${sheet.name}" is read; others are ${listed(others)} (${option("sheet")})`;
      notes.push(note("sheet", message, { file: source, option: "sheet" }));
    }
    if (uncomputed > 0) {
      const cells = uncomputed === 1 ? "1 formula has" : `${uncomputed} formulas have`;
      const message =
        `${cells} no stored value and count${uncomputed === 1 ? "s" : ""} as missing; ` +
        "open the file in a spreadsheet program and save it there";
      notes.push(note("formulas", message, { file: source, cells: uncomputed }));
    }
    return tableOf(rows, headings(xml, rows, numbers), source, notes, options);
  }
  if (empty.length === 0) throw inputError(`${source} has no sheet that can be read; save the file again`);
  throw inputError(`${source}: no sheet holds a table (${listed(empty.map((name) => `"${name}"`))})`);
}

interface Sheet {
  readonly name: string;
  readonly path: string;
  readonly hidden: boolean;
}

function chosen(
  sheets: readonly Sheet[],
  asked: string | number | undefined,
  source: string,
): readonly Sheet[] {
  if (asked === undefined) {
    return [...sheets.filter(({ hidden }) => !hidden), ...sheets.filter(({ hidden }) => hidden)];
  }
  const byName = sheets.find(({ name }) => name === String(asked));
  const place = Number(asked);
  const sheet = byName ?? (Number.isInteger(place) ? sheets[place - 1] : undefined);
  if (sheet === undefined) {
    const names = sheets.map(({ name }) => `"${name}"`).join(", ");
    throw optionError(`${source} has no sheet "${asked}"; the sheets are ${names}`);
  }
  return [sheet];
}

interface XmlElement {
  readonly attributes: string;
  readonly content: string;
}

/** Elements of a name that do not hold others of the same name. */
function elements(xml: string, name: string): XmlElement[] {
  return [...walk(xml, name)];
}

/**
 * The elements with some names in their order, each with its name. Every end tag is searched once, after the
 * previous one: text with unclosed elements takes no longer than any other.
 */
function* walk(xml: string, names: string): Generator<XmlElement & { readonly name: string }> {
  const opening = new RegExp(`<(?:\\w{1,64}:)?(${names})(?=[\\s/>])`, "g");
  const closings = new Map<string, RegExp>();
  for (let found = opening.exec(xml); found !== null; found = opening.exec(xml)) {
    const [, name] = found;
    const end = xml.indexOf(">", opening.lastIndex);
    if (end < 0) return;
    const empty = xml[end - 1] === "/";
    const attributes = xml.slice(opening.lastIndex, empty ? end - 1 : end);
    opening.lastIndex = end + 1;
    if (empty || name === "row") {
      yield { name, attributes, content: "" };
      continue;
    }
    let closing = closings.get(name);
    if (closing === undefined) closings.set(name, (closing = new RegExp(`</(?:\\w{1,64}:)?${name}>`, "g")));
    closing.lastIndex = end + 1;
    const closed = closing.exec(xml);
    if (closed === null) return;
    yield { name, attributes, content: xml.slice(end + 1, closed.index) };
    opening.lastIndex = closing.lastIndex;
  }
}

const ATTRIBUTES = new Map<string, RegExp>();

function attribute(attributes: string, name: string): string | undefined {
  let pattern = ATTRIBUTES.get(name);
  if (pattern === undefined) {
    ATTRIBUTES.set(name, (pattern = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)));
  }
  const value = pattern.exec(attributes);
  return value === null ? undefined : unescaped(value[1] ?? value[2]);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

function unescaped(text: string): string {
  if (!text.includes("&") && !text.includes("_x")) return text;
  return text
    .replaceAll(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
      if (name !== undefined) return ENTITIES.get(name as string) ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    })
    .replaceAll(/_x([\da-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex as string, 16)));
}

/** The text of a string item: its runs joined, without phonetic hints. */
function itemText(content: string): string {
  let text = "";
  for (const { name, content: inner } of walk(content, "t|rPh")) if (name === "t") text += unescaped(inner);
  return text;
}

function sharedStrings(xml: string): string[] {
  return elements(xml, "si").map(({ content }) => itemText(content));
}

/** The kind of a number by the format of its cell. */
type TimeFormat = "date" | "time" | undefined;

function dateFormats(styles: string): TimeFormat[] {
  const custom = new Map<number, string>();
  for (const { attributes } of elements(styles, "numFmt")) {
    custom.set(Number(attribute(attributes, "numFmtId")), attribute(attributes, "formatCode") ?? "");
  }
  const [cells] = elements(styles, "cellXfs");
  if (cells === undefined) return [];
  return [...cells.content.matchAll(/<(?:\w+:)?xf\b([^>]*)>/g)].map(([, attributes]) => {
    const id = Number(attribute(attributes, "numFmtId") ?? 0);
    const code = custom.get(id);
    if (code !== undefined) return formatKind(code);
    if ((id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58))
      return "date";
    return (id >= 18 && id <= 21) || (id >= 45 && id <= 47) ? "time" : undefined;
  });
}

function formatKind(code: string): TimeFormat {
  const elapsed = /\[(?:h+|m+|s+)\]/i.test(code);
  const bare = code.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, "").split(";")[0];
  if (/[dy]/i.test(bare) || /m{3,}/i.test(bare)) return "date";
  return elapsed || /[hs]/i.test(bare) ? "time" : undefined;
}

const FORMULA = /<(?:\w{1,64}:)?f[\s/>]/;

const MOST_COLUMNS = 16_384;
const MOST_ROWS = 1_048_576;

function sheetRows(
  xml: string,
  shared: readonly string[],
  formats: readonly TimeFormat[],
  epoch: number,
  source: string,
  options: CellOptions,
): { readonly rows: SheetRow[]; readonly numbers: number[]; readonly uncomputed: number } {
  const rows: SheetRow[] = [];
  /** The number of each row in the sheet, from 1. */
  const numbers: number[] = [];
  let number = 0;
  let current: SheetRow = [];
  let cells = 0; // with the empty ones before
  let checked = 0;
  let filled = false;
  let uncomputed = 0; // formulas without a value
  const put = (): void => {
    if (filled) {
      if (rows.length === MOST_ROWS) throw inputError(`${source} has more rows than a sheet can hold`);
      rows.push(current);
      numbers.push(number);
    }
    current = [];
    filled = false;
  };
  for (const { name, attributes, content } of walk(xml, "row|c")) {
    if (name === "row") {
      put();
      number = Number(attribute(attributes, "r") ?? number + 1);
      continue;
    }
    const reference = attribute(attributes, "r");
    const column = reference === undefined ? current.length : columnIndex(reference);
    if (column < 0 || column >= MOST_COLUMNS) {
      const which = reference === undefined ? `cell ${column + 1} of a row` : `the cell ${reference}`;
      throw inputError(`${source}: ${which} lies outside of a sheet`);
    }
    if (content === "") continue;
    const type = attribute(attributes, "t");
    if (type === "e") {
      const error = unescaped(elements(content, "v")[0]?.content ?? "");
      if (options.asWritten !== undefined) (current.errors ??= new Map()).set(column, error);
      continue;
    }
    const value = cellValue(type, content, shared, source);
    if (value === undefined && FORMULA.test(content)) uncomputed++;
    if (value === undefined || (typeof value === "string" && value.trim() === "")) continue;
    const format = formats[Number(attribute(attributes, "s") ?? -1)];
    cells += Math.max(1, column + 1 - current.length);
    while (current.length < column) current.push(undefined);
    current[column] =
      typeof value === "number" && format !== undefined ? timeText(value, format, epoch) : value;
    filled = true;
    if (cells > checked + 0xffff) {
      checked = cells;
      refuseTooLarge(source, cells * 32, options.memory, undefined);
    }
  }
  put();
  return { rows, numbers, uncomputed };
}

/** The cells that lie over a row of names: by column the text of the row above, "" if it has none. */
type Headings = (row: number) => readonly string[] | undefined;

/** Headings of several columns, or of a column with one name only, are merged cells above the names. */
function headings(xml: string, rows: readonly CellValue[][], numbers: readonly number[]): Headings {
  return (row) => {
    const above = numbers[row] - 1;
    if (row === 0 || numbers[row - 1] !== above) return undefined;
    const found: string[] = [];
    let covered = 0;
    for (const { attributes } of walk(xml, "mergeCell")) {
      const ends = (attribute(attributes, "ref") ?? "").split(":");
      const [top, bottom] = ends.map((cell) => Number(/\d+$/.exec(cell)?.[0] ?? 0));
      const [left, right] = ends.map(columnIndex);
      if (ends.length !== 2 || top > above || bottom < above || !(right < MOST_COLUMNS)) continue;
      const place = numbers.slice(0, row).indexOf(top);
      const text = place < 0 ? undefined : rows[place][left];
      if (text === undefined || (covered += right - left + 1) > MOST_COLUMNS) continue;
      for (let j = left; j <= right; j++) found[j] = String(text);
    }
    if (found.length === 0) return undefined;
    rows[row - 1].forEach((cell, j) => (found[j] ??= cell === undefined ? "" : String(cell)));
    // A title over the whole table is no heading.
    const texts = Array.from(found, (text) => text ?? "");
    return new Set(texts.filter((text) => text !== "")).size > 1 ? texts : undefined;
  };
}

/** "AB12" is column 27. */
function columnIndex(reference: string): number {
  let index = 0;
  for (let p = 0; p < reference.length; p++) {
    const letter = reference.charCodeAt(p) & ~32;
    if (letter < 65 || letter > 90) break;
    index = index * 26 + letter - 64;
  }
  return index - 1;
}

function cellValue(
  type: string | undefined,
  content: string,
  shared: readonly string[],
  source: string,
): CellValue {
  if (type === "inlineStr") return itemText(content);
  const value = elements(content, "v")[0]?.content;
  if (value === undefined) return undefined;
  switch (type) {
    case "s":
      if (shared[Number(value)] === undefined) {
        throw inputError(
          `${source} is damaged: a cell refers to text ${value.slice(0, 20)}, and there are ${shared.length} texts`,
        );
      }
      return shared[Number(value)];
    case "str":
      return unescaped(value);
    case "b":
      return value.trim() === "1";
    case "d":
      return value.trim().replace(/T00:00:00(?:\.0+)?Z?$/, "");
    default: {
      // An empty value is that of a formula that nothing has computed yet.
      const number = value.trim() === "" ? Number.NaN : Number(value);
      return Number.isFinite(number) ? number : undefined;
    }
  }
}

/** Days from 1970-01-01 to day 0 of a sheet. */
const SINCE_1900 = -25_569;
const SINCE_1904 = -24_107;

function timeText(value: number, format: "date" | "time", epoch: number): string {
  if (format === "time" || (value >= 0 && value < 1)) {
    const total = Math.round(value * 86_400);
    const two = (part: number): string => String(part).padStart(2, "0");
    return `${two(Math.floor(total / 3600))}:${two(Math.floor(total / 60) % 60)}:${two(total % 60)}`;
  }
  // Spreadsheets count a 29th of February 1900, which never was.
  const days = epoch === SINCE_1900 && value < 60 ? value + 1 : value;
  const date = new Date(Math.round((days + epoch) * 86_400) * 1000);
  if (Number.isNaN(date.getTime())) return String(value);
  const text = date.toISOString();
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text.slice(0, 19).replace("T", " ");
}

/** Whether one heading lies over two columns. */
function spans(texts: readonly string[] | undefined): boolean {
  return texts?.some((text, j) => text !== "" && text === texts[j + 1]) ?? false;
}

function tableOf(
  rows: readonly SheetRow[],
  above: Headings,
  source: string,
  notes: Note[],
  options: CellOptions,
): RawTable {
  const widths = rows.slice(0, 50).map((row) => row.filter((cell) => cell !== undefined).length);
  const usual = Math.max(...widths);
  // Titles above the table occupy a cell or two.
  let first = Math.max(
    0,
    widths.findIndex((width) => width >= Math.max(1, 0.6 * usual)),
  );
  // Headings over several columns, and their names in the next line.
  const isName = (cell: CellValue): boolean => cell === undefined || typeof cell === "string";
  if (options.header !== false && rows[first + 1]?.every(isName) && spans(above(first + 1))) first++;
  const table = rows.slice(first);
  let columns = 0;
  for (const row of table) columns = Math.max(columns, row.length);
  const text = (cell: CellValue): string => (cell === undefined ? "" : String(cell).trim());
  const head = table.slice(0, 200).map((row) => Array.from({ length: columns }, (_, j) => text(row[j])));
  const header = options.header ?? looksLikeHeader(head, ".");
  const over = header ? above(first) : undefined;
  const skipped = over === undefined ? first : first - 1;
  if (skipped > 0) {
    const which = skipped === 1 ? "1 row above the table was" : `${skipped} rows above the table were`;
    notes.push(note("skipped-lines", `${which} left out`, { file: source }));
  }
  if (!header) {
    const message = `no header found: the columns are called c0 to c${columns - 1}`;
    notes.push(note("no-header", message, { file: source }));
  }
  const body = header ? table.slice(1) : table;
  if (body.length === 0) throw inputError(`${source} has no rows of data`);
  // A column without name and values is ignored.
  const used = Array.from({ length: columns }, (_, j) => j).filter(
    (j) => head[0][j] !== "" || body.some((row) => row[j] !== undefined),
  );
  // A name that comes twice is told apart by the heading over it.
  const own = used.map((j) => String(table[0][j] ?? ""));
  const twice = new Set(own.filter((name, k) => own.indexOf(name) < k));
  const full = used.map((j, k) => {
    const name = own[k];
    const heading = over?.[j] ?? "";
    if (heading === "" || heading === name) return name;
    return name === "" ? heading : twice.has(name) ? `${heading} ${name}` : name;
  });
  const headings = header ? full : used.map((j) => `c${j}`);
  const names = uniqueNames(headings, notes, source);
  const stores: ValueStore[] = names.map((name) => valueStore(name, options, undefined, body.length));
  body.forEach((row, i) => used.forEach((j, k) => stores[k].add(i, row[j] ?? row.errors?.get(j))));
  const cells = stores.map((store) => store.finish(body.length));
  return { source, rows: body.length, columns: cells, notes, headings };
}
