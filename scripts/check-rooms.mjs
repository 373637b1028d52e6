// Keeps the order of the rooms (docs/architecture.md): a room imports only from rooms named before it, and never a
// Node module by a static import outside the command line, so that the library also loads in browsers.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOMS = {
  core: [],
  matrix: ["core"],
  score: ["core", "matrix"],
  data: ["core", "matrix", "score"],
  features: ["core", "matrix", "score", "data"],
  graph: ["core", "matrix"],
  optimize: ["core", "matrix"],
  metric: ["core", "matrix", "score", "data", "graph", "optimize"],
  cluster: ["core", "matrix", "data", "graph", "optimize", "metric", "score"],
  convex: ["core", "matrix", "data", "graph", "optimize", "metric", "score", "cluster"],
  embed: ["core", "matrix", "data", "graph", "optimize", "metric", "score", "cluster"],
  select: ["core", "matrix", "score", "data"],
  classify: ["core", "matrix", "score", "data", "graph", "optimize", "select"],
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
    "embed",
    "select",
    "classify",
  ],
};
ROOMS.engine = [...ROOMS.scale, "scale"];
const METHODS = Object.keys(ROOMS);
ROOMS.reproduce = [...METHODS];
ROOMS.report = [...METHODS];
ROOMS.cli = [...METHODS, "reproduce", "report"];

const source = join(dirname(fileURLToPath(import.meta.url)), "..", "src");
const problems = [];
for (const file of walk(source)) {
  if (!file.endsWith(".ts") || file.endsWith(".as.ts")) continue;
  const room = relative(source, file).split(sep)[0];
  if (room.endsWith(".ts")) continue;
  if (!(room in ROOMS)) problems.push(`${relative(source, file)}: room "${room}" is not in the order`);
  for (const [, target] of readFileSync(file, "utf8").matchAll(
    /(?<!typeof )(?:from|import)\s*\(?\s*"([^"]+)"/g,
  )) {
    if (target.startsWith(".")) {
      const other = relative(source, resolve(dirname(file), target)).split(sep)[0];
      if (other !== room && !ROOMS[room]?.includes(other)) {
        problems.push(`${relative(source, file)}: ${room} may not import from ${other}`);
      }
    } else if (target.startsWith("node:") && room !== "cli") {
      problems.push(`${relative(source, file)}: "${target}" would not load in a browser (use core/node.ts)`);
    }
  }
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? walk(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}
