// Checks the order of the rooms and the boundary between them (docs/explanation/architecture.md): a room imports
// only from rooms listed before it, through their lists (index.ts or internal.ts) or on demand, and never a Node
// module by a static import outside cells and the command line, so that the library also loads in browsers. Code
// on top of the library, explorer/ and reproduction/, imports its public entries only. Every value that a module
// exports is imported by another one, and every name in internal.ts by another room.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOMS = {
  core: [],
  matrix: ["core"],
  score: ["core", "matrix"],
  data: ["core", "matrix", "score"],
  graph: ["core", "matrix"],
  optimize: ["core", "matrix"],
  features: ["core", "matrix", "score", "data"],
  metric: ["core", "matrix", "score", "data", "graph", "optimize"],
  cluster: ["core", "matrix", "score", "data", "graph", "optimize", "metric"],
  convex: ["core", "matrix", "score", "data", "graph", "optimize"],
  recipes: ["core", "matrix", "score", "data", "graph", "cluster", "convex"],
  embed: ["core", "matrix", "score", "graph", "metric", "cluster"],
  select: ["core", "matrix", "score", "data"],
  classify: ["core", "matrix", "score", "graph", "metric", "select"],
};
ROOMS.scale = [
  "core",
  "matrix",
  "score",
  "data",
  "metric",
  "cluster",
  "convex",
  "recipes",
  "embed",
  "select",
  "classify",
];
ROOMS.engine = [...ROOMS.scale, "scale"];
ROOMS.method = [...ROOMS.engine, "engine", "features", "graph"];
ROOMS.model = [...ROOMS.method, "method"];
ROOMS.rows = [...ROOMS.model, "model"];
ROOMS.judge = [...ROOMS.model, "model", "optimize"];
ROOMS.hints = [...ROOMS.judge, "judge"];
ROOMS.run = [...ROOMS.hints, "hints", "rows"];
ROOMS.worker = [...ROOMS.run, "run"];
ROOMS.place = [...ROOMS.model, "model"];
ROOMS.report = Object.keys(ROOMS);
ROOMS.cells = ["core", "matrix"];
ROOMS.cli = Object.keys(ROOMS);

const LIST = /^[^/]+\/(?:index|internal)\.ts$/;

const EXPORTED = /^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm;

/** Rooms for Node alone. */
const NODE = ["cells", "cli"];

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "src");
const problems = [];
for (const file of walk(source)) {
  if (!file.endsWith(".ts") || file.endsWith(".as.ts")) continue;
  const room = relative(source, file).split(sep)[0];
  if (room.endsWith(".ts")) continue;
  if (!(room in ROOMS)) problems.push(`${relative(source, file)}: room "${room}" is not in the order`);
  for (const { target, onDemand } of importsOf(file)) {
    if (target.startsWith(".")) {
      const parts = relative(source, resolve(dirname(file), target)).split(sep);
      const [other, named] = [parts[0], parts.join("/")];
      if (other !== room && !ROOMS[room]?.includes(other)) {
        problems.push(`${relative(source, file)}: ${room} may not import from ${other}`);
      }
      if (onDemand) continue;
      if (other !== room && !LIST.test(named)) {
        problems.push(
          `${relative(source, file)}: import from ${other}/index.ts or internal.ts, not ${named}`,
        );
      }
      if (other === room && LIST.test(named)) {
        problems.push(`${relative(source, file)}: ${named} is for others (import the file that it names)`);
      }
    } else if (target.startsWith("node:") && !NODE.includes(room)) {
      problems.push(`${relative(source, file)}: "${target}" would not load in a browser (use core/host.ts)`);
    }
  }
}
for (const folder of ["explorer", "reproduction"]) {
  for (const file of walk(join(root, folder)).filter((name) => /\.tsx?$/.test(name))) {
    for (const { target } of importsOf(file)) {
      if (relative(root, resolve(dirname(file), target)).startsWith(`src${sep}`)) {
        problems.push(`${relative(root, file)}: "${target}" is not public (import kindred or kindred/ROOM)`);
      }
    }
  }
}
problems.push(...Object.keys(ROOMS).flatMap(needlessNames), ...unusedExports());
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

function importsOf(file) {
  const imports = readFileSync(file, "utf8").matchAll(/(?<!typeof |")(?:from|import)\s*(\()?\s*"([^"\n]+)"/g);
  return Array.from(imports, ([, call, target]) => ({ target, onDemand: call !== undefined }));
}

/** The names in internal.ts of a room that are public, or that no other room imports. */
function needlessNames(room) {
  const [open, internal] = ["index.ts", "internal.ts"].map((list) => join(source, room, list));
  if (!existsSync(internal)) return [];
  const isPublic = new Set(listed(open, /^\./));
  const used = new Set(walk(source).flatMap((file) => listed(file, new RegExp(`/${room}/internal\\.ts$`))));
  return listed(internal, /^\./).flatMap((name) => {
    if (isPublic.has(name)) return [`${room}/internal.ts: "${name}" is in index.ts (remove it here)`];
    return used.has(name) ? [] : [`${room}/internal.ts: no other room imports "${name}" (remove it here)`];
  });
}

/** The names that a file imports from the files of this address, or lists from them. */
function listed(file, address) {
  if (!existsSync(file)) return [];
  const statements = readFileSync(file, "utf8").matchAll(/^(?:im|ex)port (?:type )?{([^}]*)} from "(.+)"/gm);
  return [...statements]
    .filter(([, , target]) => address.test(target))
    .flatMap(([, names]) => Array.from(names.matchAll(/(?:type )?(\w+)(?: as \w+)?/g), ([, name]) => name));
}

/**
 * Exported values that no other file names beside an import of their file, or by `import()` as a whole. A list may
 * give all values of a file one name (`export * as rule from "./options.ts"`): then "rule.integer" is looked for.
 */
function unusedExports() {
  const folders = ["src", "explorer", "reproduction", "bench", "scripts", "test"];
  const files = folders
    .flatMap((folder) => walk(join(root, folder)))
    .filter((file) => /\.(?:tsx?|mjs)$/.test(file) && !/\.(?:as|wasm|json)\.ts$/.test(file));
  const texts = new Map(files.map((file) => [file, readFileSync(file, "utf8")]));
  const everything = [...texts.values()].join("\n");
  const importers = new Map(files.map((file) => [file, []]));
  for (const file of files) {
    for (const { target } of importsOf(file)) {
      importers.get(resolve(dirname(file), target))?.push(texts.get(file));
    }
  }
  return files
    .filter((file) => file.startsWith(source))
    .flatMap((file) => {
      const others = importers.get(file);
      const named = new RegExp(`^export \\* as (\\w+) from "./${basename(file)}"`, "m");
      const together = others.flatMap((text) => named.exec(text)?.[1] ?? []);
      if (others.some((text) => new RegExp(`import\\("[^"]*/${basename(file)}"\\)`).test(text))) return [];
      return Array.from(texts.get(file).matchAll(EXPORTED), ([, name]) => name)
        .filter((name) => !others.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
        .filter((name) => !together.some((all) => everything.includes(`${all}.${name}`)))
        .map((name) => `${relative(root, file)}: no file imports "${name}" (remove it, or its "export")`);
    });
}

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? walk(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}
