// Builds the JavaScript in dist/ from src/: every entry of package.json at its own path, and the code of each
// room in a few files, grouped by joint use (USUAL), so that loading the library opens a few files instead of
// hundreds. Modules loaded on demand (commands, methods, file readers) and modules found by their address
// stay separate files. Dependencies stay outside.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { parseAst } from "rolldown/parseAst";
import { droppable } from "./droppable.mjs";
import { isList, pastLists } from "./pastLists.mjs";

/** Modules that find another file by their own address must keep their path. */
const ADDRESSED = /new URL\(\s*"([^"]*)",\s*import\.meta\.url\s*\)/g;

/**
 * The usual entries, and the file of each room for them: a module goes to the first file whose entries all
 * need it, and otherwise to the file of the rest, so no usual run loads code for other entries.
 */
const USUAL = {
  start: ["cli/program"],
  shared: ["index", "cli/commands/cluster"],
  kmeans: ["cluster/kmeans/kmeans"],
  library: ["index"],
  command: ["cli/commands/cluster"],
  cc: ["recipes/cc"],
};

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "src");
const dist = join(root, "dist");
const { exports, bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** The entries of the package, and the rooms that only the repository's own programs import by a list. */
const library = [
  ...Object.values(exports).flatMap((entry) => (entry.default ? [sourceOf(entry.default)] : [])),
  join(source, "cells", "index.ts"),
];
/** Entries that end up in files of their own, so a page that uses one loads nothing of the others. */
const ALONE = ["place/index"];
/** Functions whose calls only make values. */
const PURE = ["form", "rule", "integer", "real", "oneOf", "flag", "given", "required"];
/** Single rows gain nothing from kernels: there all products are small ones. */
const ENGINE = join(source, "matrix", "engine.ts");
const SMALL = `import { smallProducts } from "./engines/small.ts"; export const engine = () => smallProducts, engines = engine, useEngine = engine;`;
const program = Object.values(bin).map(sourceOf);
const addressed = new Map(files(source).flatMap((file) => addressesIn(file)));
const workers = [...addressed.values()].flat();
const statics = staticImports(files(source).filter((file) => /(?<!\.as|\.d)\.ts$/.test(file)));
const together = reached(library);
const usual = Object.entries(USUAL).map(([word, names]) => {
  const needs = names.map((name) => reached([join(source, `${name}.ts`)]));
  return { word, has: (id) => needs.every((needed) => needed.has(id)) };
});
const roomFiles = new Set();

const SHARED = {
  platform: "neutral",
  transform: { target: "es2023" },
  external: (id) => !/^[./]/.test(id) && !id.startsWith(root),
};
const OUTPUT = {
  dir: dist,
  format: "esm",
  minifyInternalExports: false,
  comments: { annotation: true, legal: false, jsdoc: false },
  entryFileNames: "[name].js",
};
const { output } = await build({
  ...SHARED,
  input: Object.fromEntries([...library, ...program, ...workers].map((file) => [nameOf(file), file])),
  // The entries export the same names as their sources, and the room files export what others need.
  preserveEntrySignatures: "allow-extension",
  experimental: { chunkOptimization: false },
  // Some modules are loaded on demand in one place and exported in another: the bundler of the page decides.
  checks: { ineffectiveDynamicImport: false },
  plugins: [droppable(roomFiles)],
  output: {
    ...OUTPUT,
    minify: false,
    chunkFileNames: fileOf,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "rooms", name: groupOf }],
    },
  },
});
for (const name of ALONE) {
  const alone = await build({
    ...SHARED,
    input: { [name]: join(source, `${name}.ts`) },
    // The top level of a module only makes values: what nobody uses is dropped.
    treeshake: { moduleSideEffects: false, manualPureFunctions: PURE },
    plugins: [{ name: "small products", load: (id) => (id === ENGINE ? SMALL : undefined) }],
    output: { ...OUTPUT, minify: true, chunkFileNames: `${dirname(name)}/[name]-[hash].js` },
  });
  output.push(...alone.output);
}
// Read by other programs, not by ours.
const SCHEMAS = ["model/model.schema.json", "cli/output/report.schema.json"];
for (const schema of SCHEMAS) {
  mkdirSync(dirname(join(dist, schema)), { recursive: true });
  copyFileSync(join(source, schema), join(dist, schema));
}
prune(new Set([...SCHEMAS, ...output.map(({ fileName }) => fileName)]));

/**
 * The file of a module. Whatever needs a module also needs its imports, so these are in the same file, in an
 * earlier one or in a room above: no two files import each other.
 */
function groupOf(id, graph) {
  const name = nameOf(id);
  if (addressed.has(id)) return name;
  if (name === "index" || program.includes(id) || workers.includes(id)) return undefined;
  // A list has no code of its own.
  if (isList(id)) return groupOf([...statics.get(id)][0], graph);
  const word = usual.find(({ has }) => has(id))?.word;
  if (!together.has(id)) return word === undefined ? undefined : `${roomOf(id)}/${word}`;
  // Modules that load others on demand stay separate, so a bundler can drop them together with their imports.
  if (graph.getModuleInfo(id).dynamicallyImportedIds.length > 0) return name;
  const file = `${roomOf(id)}/${word ?? roomOf(id)}`;
  roomFiles.add(`${file}.js`);
  return file;
}

function fileOf({ name, facadeModuleId, moduleIds }) {
  // The helper that turns `import * as` into an object.
  if (name === "rolldown-runtime") return "core/namespace.js";
  if (name.includes("/")) return `${name}.js`;
  return `${nameOf(facadeModuleId ?? moduleIds.at(-1))}.js`;
}

/** Removes files of an earlier build that no source makes any more, so they are never published. */
function prune(made) {
  for (const file of files(dist)) {
    const name = relative(dist, file).split(sep).join("/");
    // The explorer's folder is emptied by its own build.
    if (name.startsWith("explorer/") || made.has(name)) continue;
    if (!(name.endsWith(".d.ts") && existsSync(join(source, name.replace(/\.d\.ts$/, ".ts"))))) rmSync(file);
  }
}

/** The modules of `src` that a module names by address. */
function addressesIn(file) {
  const addresses = [...readFileSync(file, "utf8").matchAll(ADDRESSED)].map(([, address]) => address);
  if (addresses.length === 0) return [];
  const modules = addresses.filter((address) => address.endsWith(".js"));
  return [[file, modules.map((address) => join(dirname(file), address.replace(/\.js$/, ".ts")))]];
}

/** All modules loaded with these modules. */
function reached(from) {
  const found = new Set(from);
  for (const id of found) for (const next of statics.get(id) ?? []) found.add(next);
  return found;
}

/** The modules from which each module imports values. */
function staticImports(modules) {
  return new Map(
    modules.map((file) => {
      const { body } = parseAst(pastLists(readFileSync(file, "utf8"), file), { lang: "ts" });
      const values = body.filter(
        ({ source: address, importKind, exportKind, specifiers = [] }) =>
          address?.value.startsWith(".") &&
          importKind !== "type" &&
          exportKind !== "type" &&
          (specifiers.length === 0 ||
            specifiers.some((one) => (one.importKind ?? one.exportKind) !== "type")),
      );
      return [file, new Set(values.map(({ source: address }) => join(dirname(file), address.value)))];
    }),
  );
}

function sourceOf(built) {
  return join(root, built.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts"));
}

function roomOf(file) {
  return nameOf(file).split("/")[0];
}

function nameOf(file) {
  return relative(source, file).split(sep).join("/").replace(/\.ts$/, "");
}

function files(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
