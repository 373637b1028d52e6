// Makes the JavaScript in dist/ from src/: every entry of package.json at its own path, and the rooms' code in two files
// each (dist/metric/metric.js, dist/metric/shared.js), so that loading the library opens a few files instead of hundreds.
// What is loaded on demand (commands, methods, readers of formats) stays in files of its own, and so does what is found
// by its address. Dependencies stay outside.
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { droppable } from "./droppable.mjs";

/** How a module finds another file from its own address; it must keep its own path. */
const ADDRESSED = /new URL\(\s*"([^"]*)",\s*import\.meta\.url\s*\)/g;

/** Rooms that need nearly all of the others, or the whole of one. */
const NEED_ALL = new Set([
  "scale",
  "engine",
  "features",
  "method",
  "model",
  "compare",
  "hints",
  "rows",
  "front",
  "report",
]);

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "src");
const dist = join(root, "dist");
const { exports, bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const library = Object.values(exports).flatMap((entry) => (entry.default ? [sourceOf(entry.default)] : []));
const program = Object.values(bin).map(sourceOf);
const addressed = new Map(files(source).flatMap((file) => addressesIn(file)));
const workers = [...addressed.values()].flat();
const roomFiles = new Set();
let together;
let shared;

const { output } = await build({
  input: Object.fromEntries([...library, ...program, ...workers].map((file) => [nameOf(file), file])),
  platform: "neutral",
  transform: { target: "es2023" },
  external: (id) => !/^[./]/.test(id) && !id.startsWith(root),
  // The entries export what their sources export, and the rooms' files what the others need.
  preserveEntrySignatures: "allow-extension",
  experimental: { chunkOptimization: false },
  plugins: [droppable(roomFiles)],
  output: {
    dir: dist,
    format: "esm",
    minify: false,
    minifyInternalExports: false,
    comments: { annotation: true, legal: false, jsdoc: false },
    entryFileNames: "[name].js",
    chunkFileNames: fileOf,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "rooms", name: groupOf }],
    },
  },
});
// Read by other programs, not by ours.
const SCHEMA = "model/model.schema.json";
copyFileSync(join(source, SCHEMA), join(dist, SCHEMA));
prune(new Set([SCHEMA, ...output.map(({ fileName }) => fileName)]));

/**
 * The file that a module goes to. Two files per room: what other rooms need of it, and the rest, so that who needs one
 * function of a room does not load it all. What is needed on demand only is left to the bundler.
 */
function groupOf(id, graph) {
  const name = nameOf(id);
  if (addressed.has(id)) return name;
  const info = (module) => graph.getModuleInfo(module);
  const imports = (module) => info(module).importedIds.filter((next) => next.startsWith(source));
  together ??= reached(library, imports);
  shared ??= reached(
    [...together]
      .filter((module) => !isIndex(module) && !NEED_ALL.has(roomOf(module)))
      .flatMap((module) => imports(module).filter((next) => roomOf(next) !== roomOf(module))),
    imports,
  );
  if (!together.has(id) || name === "index") return undefined;
  // What loads others on demand stays a module, which a bundler can drop together with what it would load.
  if (info(id).dynamicallyImportedIds.length > 0) return name;
  const room = roomOf(id);
  const needed = shared.has(id) || (isIndex(id) && imports(id).every((module) => shared.has(module)));
  const file = `${room}/${needed ? "shared" : room}`;
  roomFiles.add(`${file}.js`);
  return file;
}

function fileOf({ name, facadeModuleId, moduleIds }) {
  // The helper that makes `import * as` an object.
  if (name === "rolldown-runtime") return "core/namespace.js";
  if (name.includes("/")) return `${name}.js`;
  return `${nameOf(facadeModuleId ?? moduleIds.at(-1))}.js`;
}

/** Removes what an earlier build left and no source makes any more, so that it is never published. */
function prune(made) {
  for (const file of files(dist)) {
    const name = relative(dist, file).split(sep).join("/");
    // The explorer's folder is emptied by its own build.
    if (name.startsWith("explorer/") || made.has(name)) continue;
    if (!(name.endsWith(".d.ts") && existsSync(join(source, name.replace(/\.d\.ts$/, ".ts"))))) rmSync(file);
  }
}

/** The modules of `src` that a module names by address, if it does that. */
function addressesIn(file) {
  const addresses = [...readFileSync(file, "utf8").matchAll(ADDRESSED)].map(([, address]) => address);
  if (addresses.length === 0) return [];
  const modules = addresses.filter((address) => address.endsWith(".js"));
  return [[file, modules.map((address) => join(dirname(file), address.replace(/\.js$/, ".ts")))]];
}

function reached(from, importsOf) {
  const found = new Set(from);
  for (const id of found) for (const next of importsOf(id)) if (next.startsWith(source)) found.add(next);
  return found;
}

function sourceOf(built) {
  return join(root, built.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts"));
}

function roomOf(file) {
  return nameOf(file).split("/")[0];
}

function isIndex(file) {
  return /(^|\/)index$/.test(nameOf(file));
}

function nameOf(file) {
  return relative(source, file).split(sep).join("/").replace(/\.ts$/, "");
}

function files(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
