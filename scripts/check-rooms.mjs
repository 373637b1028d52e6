// Checks the order of the rooms (docs/explanation/architecture.md): a room imports only from rooms listed
// before it, and never a Node module by a static import outside cells and the command line, so that the
// library also loads in browsers. Code on top of the library, explorer/ and reproduction/, imports its public
// entries only.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOMS = {
  core: [],
  matrix: ["core"],
  score: ["core", "matrix"],
  data: ["core", "matrix", "score"],
  graph: ["core", "matrix"],
  optimize: ["core", "matrix"],
  metric: ["core", "matrix", "score", "data", "graph", "optimize"],
  cluster: ["core", "matrix", "data", "graph", "optimize", "metric", "score"],
  convex: ["core", "matrix", "data", "graph", "optimize", "metric", "score", "cluster"],
  compare: ["core", "matrix", "data", "graph", "score", "cluster", "convex"],
  embed: ["core", "matrix", "data", "graph", "optimize", "metric", "score", "cluster"],
  select: ["core", "matrix", "score", "data"],
  classify: ["core", "matrix", "score", "data", "graph", "optimize", "select", "metric"],
  scale: [
    "core",
    "matrix",
    "data",
    "graph",
    "optimize",
    "metric",
    "score",
    "cluster",
    "convex",
    "compare",
    "embed",
    "select",
    "classify",
  ],
};
ROOMS.features = ["core", "matrix", "data"];
ROOMS.engine = [...ROOMS.scale, "scale"];
ROOMS.method = [...ROOMS.engine, "engine", "features"];
ROOMS.model = [...ROOMS.method, "method"];
ROOMS.rows = [...ROOMS.model, "model"];
ROOMS.compare = [...ROOMS.model, "model"];
ROOMS.hints = [...ROOMS.compare, "compare"];
ROOMS.front = [...ROOMS.hints, "hints"];
const METHODS = Object.keys(ROOMS);
ROOMS.report = [...METHODS];
ROOMS.cells = ["core", "matrix"];
ROOMS.cli = [...METHODS, "report", "cells"];

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
  for (const target of importsOf(file)) {
    if (target.startsWith(".")) {
      const other = relative(source, resolve(dirname(file), target)).split(sep)[0];
      if (other !== room && !ROOMS[room]?.includes(other)) {
        problems.push(`${relative(source, file)}: ${room} may not import from ${other}`);
      }
    } else if (target.startsWith("node:") && !NODE.includes(room)) {
      problems.push(`${relative(source, file)}: "${target}" would not load in a browser (use core/node.ts)`);
    }
  }
}
for (const folder of ["explorer", "reproduction"]) {
  for (const file of walk(join(root, folder)).filter((name) => /\.tsx?$/.test(name))) {
    for (const target of importsOf(file)) {
      if (relative(root, resolve(dirname(file), target)).startsWith(`src${sep}`)) {
        problems.push(`${relative(root, file)}: "${target}" is not public (import kindred or kindred/ROOM)`);
      }
    }
  }
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

function importsOf(file) {
  const imports = readFileSync(file, "utf8").matchAll(/(?<!typeof )(?:from|import)\s*\(?\s*"([^"]+)"/g);
  return Array.from(imports, ([, target]) => target);
}

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? walk(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}
