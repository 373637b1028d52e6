// Compiles every src/**/kernel/NAME.as.ts that has an export to WebAssembly and embeds it, base64, in NAME.wasm.ts
// beside it: `simd` is the deterministic build, `relaxed` what is to be changed in it to get the one with fused
// multiply-add, `Exports` the types of its functions. Sources that only export functions for other kernels are named _NAME.as.ts and are not compiled on their own.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { main as compileAssemblyScript } from "assemblyscript/asc";

/** Equal bytes from which on two builds count as the same again, and how far away these are looked for. */
const SAME = 6;
const FAR = 600;

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
 * How `to` is made of `from`: again and again how many bytes to copy, how many to leave out, how many to put in, and these
 * (counts in seven bits a byte, the lowest first). src/matrix/wasm.ts reads it.
 */
function changes(from, to) {
  const out = [];
  for (let [i, j] = [0, 0]; j < to.length;) {
    let copied = 0;
    while (j + copied < to.length && from[i + copied] === to[j + copied]) copied++;
    [i, j] = [i + copied, j + copied];
    const [dropped, added] = nextSame(from.subarray(i), to.subarray(j));
    for (let count of [copied, dropped, added]) {
      for (; count > 127; count >>>= 7) out.push((count & 127) | 128);
      out.push(count);
    }
    out.push(...to.subarray(j, j + added));
    [i, j] = [i + dropped, j + added];
  }
  return Buffer.from(out);
}

/** The least that is left out of one and put in from the other before both go on the same; all of it if they do not. */
function nextSame(from, to) {
  for (let total = 0; total < FAR; total++) {
    for (let dropped = 0; dropped <= total; dropped++) {
      const added = total - dropped;
      const part = to.subarray(added, added + SAME);
      if (part.length === SAME && part.equals(from.subarray(dropped, dropped + SAME)))
        return [dropped, added];
    }
  }
  return [from.length, to.length];
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
