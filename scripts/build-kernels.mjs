// Compiles every src/**/kernel/NAME.as.ts that has an export to WebAssembly and embeds it, base64, in NAME.wasm.ts
// beside it: `simd` is the deterministic build, `relaxed` the one with fused multiply-add, `Exports` the types of its
// functions. Sources that only export functions for other kernels are named _NAME.as.ts and are not compiled on their own.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { main as compileAssemblyScript } from "assemblyscript/asc";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const sources = walk(join(root, "src")).filter((file) => /[/\\]kernel[/\\][^/\\]+\.as\.ts$/.test(file));
const fingerprint = createHash("sha256");
for (const file of [...sources, fileURLToPath(import.meta.url)]) fingerprint.update(readFileSync(file));
const stamp = fingerprint.digest("hex");

for (const file of sources) {
  if (/[/\\]_[^/\\]+$/.test(file)) continue;
  const target = file.replace(/\.as\.ts$/, ".wasm.ts");
  if (existsSync(target) && readFileSync(target, "utf8").includes(stamp)) continue;
  const simd = await compile(file, []);
  const relaxed = await compile(file, ["--enable", "relaxed-simd"]);
  writeFileSync(
    target,
    `// Made by scripts/build-kernels.mjs from ${relative(dirname(file), file)} (${stamp}); do not edit.\n` +
      `export const simd: string = "${simd}";\nexport const relaxed: string = "${relaxed}";\n\n` +
      `export interface Exports {\n${signatures(file).join("\n")}\n}\n`,
  );
  console.error(`built ${relative(root, target)} (${Math.round((simd.length * 3) / 4 / 102.4) / 10} kB)`);
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
  return Buffer.from(compile.binary).toString("base64");
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
