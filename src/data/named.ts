import {
  environment,
  fileError,
  inputError,
  knownNames,
  nodeModule,
  option as mark,
  optionError,
  rule,
} from "../core/internal.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import { reason } from "./files/bytes.ts";
import { examples, exampleText } from "./examples.ts";
import { blobs, gaussianMixtureOutliers, law, rings, twoMoons, type Generated } from "./generate.ts";
import type { Format } from "./files/formats.ts";
import type { Missing } from "./files/readNumbers.ts";
import type { NumberTable, TextColumn } from "./table.ts";

const namedDataOptions = {
  /** A folder with an index.json; default: the environment's KINDRED_DATA. */
  folder: rule.given<string>("a path", (value) => typeof value === "string"),
  /** Options of a generator, including the seed. */
  generator: rule.given<Readonly<Record<string, unknown>>>("an object", (value) => typeof value === "object"),
  /** For data of the folder that have missing cells. */
  missing: rule.given<Missing>("a word", (value) => typeof value === "string"),
};

export type NamedDataOptions = Readonly<rule.OptionsOf<typeof namedDataOptions>>;

/** A set that comes with Kindred: its rows are dense, and their classes are known. */
export interface NamedData extends NumberTable {
  readonly X: Matrix;
  readonly label: TextColumn;
}

export type DataName = "wine" | "iris" | "gmm-outliers" | "moons" | "law" | "blobs" | "rings";

export interface DataEntry {
  readonly name: string;
  /** For a generator: with its defaults. */
  readonly rows: number;
  readonly features: number;
  readonly classes: number;
  readonly from: "embedded" | "generated" | "folder";
  readonly description: string;
}

/** The generators by their names in `namedData` and on the command line. */
export const generators: Readonly<
  Record<string, { readonly generate: (options?: object) => Generated; readonly description: string }>
> = {
  "gmm-outliers": {
    generate: gaussianMixtureOutliers,
    description: "three Gaussians in R^3 and up to seven outlier features",
  },
  moons: { generate: twoMoons, description: "two interleaved half circles" },
  law: { generate: law, description: "three classes of two distant Gaussians each" },
  blobs: { generate: blobs, description: "round Gaussian clusters" },
  rings: { generate: rings, description: "concentric rings" },
};

const EMBEDDED: Readonly<
  Record<
    string,
    {
      readonly load: () => Promise<{ readonly default: EmbeddedData }>;
      readonly entry: Omit<DataEntry, "name" | "from">;
    }
  >
> = {
  wine: {
    load: () => import("./sets/wine.json.ts"),
    entry: { rows: 178, features: 13, classes: 3, description: "wines of three cultivars" },
  },
  iris: {
    load: () => import("./sets/iris.json.ts"),
    entry: { rows: 150, features: 4, classes: 3, description: "flowers of three species" },
  },
};

/** A file of `sets`. */
interface EmbeddedData {
  readonly names: readonly string[];
  /** The classes in row order, and the number of rows of each. */
  readonly classes: readonly (readonly (string | number)[])[];
  /** One row each, cells by comma. */
  readonly rows: readonly string[];
}

/** The part of Node's file system that is used here. */
interface TextFiles {
  readFile(path: string, encoding: "utf8"): Promise<string>;
}

/** An entry of a folder's index.json, with the fields used here. */
interface IndexEntry {
  readonly name: string;
  readonly file: string;
  readonly format?: Format;
  readonly rows: number;
  readonly features: number;
  readonly n_classes: number;
  readonly original?: string;
}

/**
 * A data set by name: embedded (wine, iris), generated (gmm-outliers, moons, law, blobs, rings), or of a data folder.
 * The classes are in the label column `class`.
 */
export async function namedData(name: DataName, options?: NamedDataOptions): Promise<NamedData>;
export async function namedData(name: string, options?: NamedDataOptions): Promise<NumberTable>;
export async function namedData(name: string, options: NamedDataOptions = {}): Promise<NumberTable> {
  rule.resolveOptions("namedData", options, namedDataOptions);
  if (Object.hasOwn(generators, name)) {
    refuse(name, "missing", options.missing);
    const generated = generators[name].generate(options.generator);
    const { X, names, labels } = generated;
    const values = Array.from(labels, (label) => String(label + 1));
    return { names, X, label: { name: "class", values }, source: name, notes: [] };
  }
  if (Object.hasOwn(examples, name))
    throw inputError(`namedData: "${name}" has columns that are not numbers; exampleText writes it as CSV`);
  refuse(name, "generator", options.generator);
  if (Object.hasOwn(EMBEDDED, name)) {
    refuse(name, "missing", options.missing);
    return embeddedTable(name, (await EMBEDDED[name].load()).default);
  }
  const { path, format, features } = (await dataFile(name, options))!;
  const { readNumbers } = await import("./files/readNumbers.ts");
  return readNumbers(path, {
    label: "class",
    ...(format !== undefined && { format }),
    ...(format === "libsvm" && { features }),
    ...(options.missing !== undefined && { missing: options.missing }),
  });
}

/** The location of a set of the data folder, and how to read it. */
export interface DataFile {
  readonly path: string;
  readonly format?: Format;
  readonly features: number;
}

/** The file behind a name; undefined for a set that is embedded or generated. */
export async function dataFile(
  name: string,
  options: { readonly folder?: string } = {},
): Promise<DataFile | undefined> {
  const made = [EMBEDDED, generators, examples].flatMap((kind) => Object.keys(kind));
  if (made.includes(name)) return undefined;
  const folder = dataFolder(options.folder);
  const index = folder === undefined ? [] : await readIndex(folder);
  const entry = index.find((candidate) => candidate.name === name);
  if (folder === undefined || entry === undefined) {
    const known = [...made, ...index.map((one) => one.name)];
    const hint = folder === undefined ? "; KINDRED_DATA can name a folder with more" : "";
    throw inputError(
      `there is no data set "${name}"; ${knownNames(name, known, "data sets", (text) => text)}${hint}`,
    );
  }
  const { file, format, features } = entry;
  return { path: `${folder}/${file}`, ...(format !== undefined && { format }), features };
}

/** Whether `namedData` knows the name. */
export async function isNamedData(name: string, folder?: string): Promise<boolean> {
  if ([EMBEDDED, generators, examples].some((made) => Object.hasOwn(made, name))) return true;
  const found = dataFolder(folder);
  return found !== undefined && (await readIndex(found)).some((entry) => entry.name === name);
}

/** Every name of `namedData`, with a description. */
export async function listData(options: { readonly folder?: string } = {}): Promise<DataEntry[]> {
  const entries: DataEntry[] = [];
  for (const [name, { entry }] of Object.entries(EMBEDDED))
    entries.push({ name, from: "embedded", ...entry });
  for (const [name, { generate, description }] of Object.entries(generators)) {
    const { X, labels } = generate();
    const classes = new Set(labels).size;
    entries.push({ name, rows: X.rows, features: X.cols, classes, from: "generated", description });
  }
  for (const [name, { rows, groups: classes, description }] of Object.entries(examples)) {
    const features = exampleText(name).split("\n", 1)[0].split(",").length;
    entries.push({ name, rows, features, classes, from: "generated", description });
  }
  const folder = dataFolder(options.folder);
  if (folder === undefined) return entries;
  const known = new Set(entries.map((entry) => entry.name));
  for (const { name, rows, features, n_classes: classes, original = "" } of await readIndex(folder)) {
    if (known.has(name)) continue;
    entries.push({ name, rows, features, classes, from: "folder", description: original });
  }
  return entries;
}

function embeddedTable(name: string, { names, classes, rows }: EmbeddedData): NamedData {
  const X = matrix(rows.length, names.length);
  rows.forEach((line, i) => X.data.set(line.split(",").map(Number), i * X.cols));
  const values = classes.flatMap(([label, count]) =>
    Array.from({ length: Number(count) }, () => String(label)),
  );
  return { names, X, label: { name: "class", values }, source: name, notes: [] };
}

function refuse(name: string, option: string, value: unknown): void {
  if (value !== undefined) throw optionError(`namedData: ${mark(option)} does not apply to "${name}"`);
}

const dataFolder = (folder: string | undefined): string | undefined => folder ?? environment("KINDRED_DATA");

async function readIndex(folder: string): Promise<readonly IndexEntry[]> {
  if (typeof folder !== "string") throw optionError("a data folder is a path");
  const fs = nodeModule<TextFiles>("fs/promises");
  if (fs === undefined) throw fileError("a data folder needs Node; pass bytes to readNumbers instead");
  const path = `${folder}/index.json`;
  const text = await fs.readFile(path, "utf8").catch((error: unknown) => {
    throw fileError(`cannot read ${path}: ${reason(error)}`, error);
  });
  try {
    const { datasets } = JSON.parse(text) as { datasets: readonly IndexEntry[] };
    for (const { name, file } of datasets)
      if (typeof name !== "string" || typeof file !== "string") throw new Error();
    return datasets;
  } catch (error) {
    throw fileError(
      `${path} is not an index of data sets ({ "datasets": [{ "name", "file", ... }] })`,
      error,
    );
  }
}
