// Compiles every src/**/kernel/NAME.as.ts that has an export to WebAssembly and embeds it, base64, in NAME.wasm.ts
// beside it: `simd` is the deterministic build, `relaxed` what is to be changed in it to get the one with fused
// multiply-add, `Exports` the types of its functions. Sources that only export functions for other kernels are named _NAME.as.ts and are not compiled on their own.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { main as compileAssemblyScript } from "assemblyscript/asc";

/** Least number of bytes that are copied from one build to the other. */
const LEAST_COPY = 4;

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const sources = walk(join(root, "src")).filter((file) => /[/\\]kernel[/\\][^/\\]+\.as\.ts$/.test(file));
const fingerprint = createHash("sha256");
for (const file of [...sources, fileURLToPath(import.meta.url)]) fingerprint.update(readFileSync(file));
const stamp = fingerprint.digest("hex");

for (const file of sources) {
  if (/[/\\]_[^/\\]+$/.test(file)) continue;
  const target = file.replace(/\.as\.ts$/, ".wasm.ts");
  if (existsSync(target) && readFileSync(target, "utf8").includes(stamp)) continue;
  const bytes = await compile(file, []);
  const simd = bytes.toString("base64");
  const relaxed = changes(bytes, await compile(file, ["--enable", "relaxed-simd"])).toString("base64");
  writeFileSync(
    target,
    `// Made by scripts/build-kernels.mjs from ${relative(dirname(file), file)} (${stamp}); do not edit.\n` +
      `export const simd: string = "${simd}";\nexport const relaxed: string = "${relaxed}";\n\n` +
      `export interface Exports {\n${signatures(file).join("\n")}\n}\n`,
  );
  console.error(`built ${relative(root, target)} (${Math.round(bytes.length / 102.4) / 10} kB)`);
}

async function compile(file, features) {
  const flags = [
    "-O3",
    "--noAssert",
    "--runtime",
    "stub",
    "--enable",
    "simd",
    "--importMemory",
    "--initialMemory",
    "1",
    "--maximumMemory", // declared, so that the same binary can take a shared memory (src/matrix/wasm.ts)
    "65536",
  ];
  const name = relative(root, file);
  const { error, stderr, stdout } = await compileAssemblyScript(
    [name, ...flags, ...features, "--outFile", "out.wasm", "--stats"],
    {
      readFile: (path, base) => {
        const full = join(root, path.startsWith(base ?? "\0") ? path : path);
        return existsSync(full) ? readFileSync(full, "utf8") : null;
      },
      writeFile: (path, contents) => {
        if (path.endsWith(".wasm")) compile.binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error) {
    console.error(stderr.toString(), stdout.toString());
    throw new Error(`${name} does not compile: ${error.message}`);
  }
  return Buffer.from(compile.binary);
}

/**
 * How `to` is made of `from`, in as few bytes as possible: again and again how many bytes to put in, these, how far to jump
 * from the end of the last copy (twice the distance, less 1 if it is backwards), and how many bytes to copy from there. Counts
 * have seven bits a byte, the lowest first. src/matrix/wasm.ts reads it.
 *
 * cost[j] is the least for the first j bytes of `to`, steps[j] the last step to it and where its copy ends in `from`.
 */
function changes(from, to) {
  const cost = new Float64Array(to.length + 1).fill(Infinity);
  const steps = [{ end: 0 }];
  const reach = (j, price, step) => {
    if (price < cost[j]) [cost[j], steps[j]] = [price, step];
  };
  cost[0] = 0;
  const copies = copiesAt(from, to);
  for (let j = 0; j < to.length; j++) {
    for (let added = 0; cost[j] < Infinity && j + added <= to.length; added++) {
      const at = j + added;
      const price = cost[j] + added + bytesOf(added);
      if (price > cost[at] + 2 * LEAST_COPY) break; // some other way to this place is better
      const { end } = steps[j];
      if (at === to.length) reach(at, price + 2, { j, added, jump: 0, copied: 0, end });
      for (const { place, length } of copies[at] ?? []) {
        const jump = place < end ? 2 * (end - place) - 1 : 2 * (place - end);
        const step = { j, added, jump, copied: length, end: place + length };
        reach(at + length, price + bytesOf(jump) + bytesOf(length), step);
      }
    }
  }
  const parts = [];
  for (let j = to.length; j > 0; j = steps[j].j) {
    const { j: start, added, jump, copied } = steps[j];
    parts.push([
      ...counted(added),
      ...to.subarray(start, start + added),
      ...counted(jump),
      ...counted(copied),
    ]);
  }
  return Buffer.from(parts.reverse().flat());
}

/** For each place of `to` the places of `from` with the same bytes, and how many are the same. */
function copiesAt(from, to) {
  const places = new Map();
  for (let i = 0; i + LEAST_COPY <= from.length; i++) {
    const word = from.readUInt32LE(i);
    if (places.has(word)) places.get(word).push(i);
    else places.set(word, [i]);
  }
  return Array.from({ length: Math.max(0, to.length - LEAST_COPY + 1) }, (_, j) =>
    (places.get(to.readUInt32LE(j)) ?? []).map((place) => {
      let length = LEAST_COPY;
      while (j + length < to.length && from[place + length] === to[j + length]) length++;
      return { place, length };
    }),
  );
}

function counted(count) {
  const bytes = [];
  for (; count > 127; count >>>= 7) bytes.push((count & 127) | 128);
  return [...bytes, count];
}

function bytesOf(count) {
  return count < 128 ? 1 : count < 16384 ? 2 : 3;
}

/** The exported functions as TypeScript sees them; what is passed on from another source is looked up there. */
function signatures(file, wanted = () => true) {
  const text = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  const own = [...text.matchAll(/export function (\w+)\(([^)]*)\): (\w+)/g)]
    .filter(([, name]) => wanted(name))
    .map(([, name, given, result]) => {
      const parameters = given.split(",").map((part) => part.trim());
      const typed = parameters
        .filter(Boolean)
        .map((part) => part.replace(/: (\w+)$/, (_, type) => `: ${typeOf(type)}`));
      return `  ${name}(${typed.join(", ")}): ${typeOf(result)};`;
    });
  const constants = [...text.matchAll(/export const (\w+):/g)]
    .filter(([, name]) => wanted(name))
    .map(([, name]) => `  readonly ${name}: WebAssembly.Global;`);
  const passed = [...text.matchAll(/export \{([^}]*)\} from "([^"]+)"/g)].flatMap(([, names, from]) => {
    const listed = names.split(",").map((name) => name.trim());
    return signatures(join(dirname(file), `${from}.ts`), (name) => listed.includes(name));
  });
  return [...constants, ...own, ...passed];
}

function typeOf(type) {
  if (/^[iu]64$/.test(type)) return "bigint";
  return type === "void" ? "void" : "number";
}

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? walk(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}
