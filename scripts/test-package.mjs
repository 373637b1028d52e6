// Tests the package from a user's view: packs it, lints the tarball (publint, attw), installs it into an
// empty project and uses every entry point, the types and the command there. No network: the dependencies are
// linked.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { check, closing } from "./check.mjs";

/** Flags of tsc. */
const STRICT = ["--strict", "--module", "nodenext", "--target", "es2023", "--lib", "es2023,dom"];

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const manifest = JSON.parse(fs.readFileSync(join(root, "package.json"), "utf8"));
/** What a program imports: no JSON, and not what only a worker runs. */
const entries = Object.keys(manifest.exports).filter((entry) => !/\.json$|\/thread$/.test(entry));
const specifiers = entries.map((entry) => manifest.name + entry.slice(1));
const scratch = fs.mkdtempSync(join(tmpdir(), "kindred-package-"));
/** Rooms for the command and the reproductions alone. */
const INTERNAL = ["core", "cells"];
/** Entries for programs on a server. */
const NOT_FOR_PAGES = /\/(engine|rows)$/;
/** Maximum size of an entry point in a page, in gzipped bytes. */
const LARGEST = 600_000;

try {
  const packed = JSON.parse(npm(root, ["pack", "--ignore-scripts", "--json", "--pack-destination", scratch]));
  const { filename, files, size } = Object.values(packed)[0];
  const tarball = join(scratch, filename);
  const bin = (name) => join(root, "node_modules", ".bin", name);

  await check(
    `the tarball holds dist, docs and license only (${files.length} files, ${Math.round(size / 1024)} kB)`,
    () => {
      const stray = files.filter(
        ({ path }) =>
          !/^(dist\/|docs\/|[^/]+\.md$|reproduction\/README\.md$|LICENSE$|package\.json$)/.test(path),
      );
      if (stray.length > 0) throw new Error(`stray files: ${stray.map(({ path }) => path).join(", ")}`);
    },
  );
  await check("the links of its README lead into it", () => {
    const paths = new Set(files.map(({ path }) => path));
    const text = fs.readFileSync(join(root, "README.md"), "utf8");
    const links = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, target]) => target);
    const broken = links.filter((target) => !/^[a-z]+:/.test(target) && !paths.has(target));
    if (broken.length > 0) throw new Error(`not in the package: ${broken.join(", ")}`);
  });
  await check("installing it runs no script", () => {
    const own = ["preinstall", "install", "postinstall", "prepare"].filter((name) => manifest.scripts[name]);
    if (own.length > 0) throw new Error(`package.json has ${own.join(", ")}`);
  });
  await check("the explorer is in it", () => {
    if (!files.some(({ path }) => path === "dist/explorer/index.html")) throw new Error("it is not");
  });
  await check("the licences of what the explorer bundles are in it", () => {
    if (!files.some(({ path }) => path === "dist/explorer/THIRD-PARTY.txt")) throw new Error("they are not");
    const notices = fs.readFileSync(join(root, "dist", "explorer", "THIRD-PARTY.txt"), "utf8");
    const bundled = [
      "preact",
      "@preact/signals",
      "@preact/signals-core",
      ...Object.keys(manifest.dependencies),
    ];
    const expected = bundled.filter((name) => name !== "commander");
    const missing = expected.filter((name) => !notices.includes(`\n${name} `));
    if (missing.length > 0) throw new Error(`no notice of ${missing.join(", ")}`);
    const parts = notices.split(/^-{72}$/m).slice(1);
    const bare = parts.filter((part) => !/copyright/i.test(part) || part.length < 400);
    if (bare.length > 0) throw new Error(`a notice without its text: ${bare[0].trim().slice(0, 60)}`);
  });
  await check("every room has an entry point", () => {
    const rooms = fs
      .readdirSync(join(root, "src"))
      .filter((room) => fs.existsSync(join(root, "src", room, "index.ts")));
    const opened = JSON.stringify(manifest.exports);
    const hidden = rooms.filter(
      (room) =>
        !INTERNAL.includes(room) &&
        !entries.includes(`./${room}`) &&
        !opened.includes(`"./dist/${room}/index.js"`),
    );
    if (hidden.length > 0) throw new Error(`not in the exports of package.json: ${hidden.join(", ")}`);
  });
  await check("publint --strict", () => run(scratch, bin("publint"), ["run", "--strict", tarball]));
  await check("attw, ESM only", () => run(scratch, bin("attw"), [tarball, "--profile", "esm-only"]));

  const project = join(scratch, "project");
  fs.mkdirSync(project);
  await check("installs into an empty project", () => {
    const dependencies = { [manifest.name]: `file:${tarball}` };
    for (const name of Object.keys(manifest.dependencies)) {
      dependencies[name] = `file:${join(root, "node_modules", name)}`;
    }
    fs.writeFileSync(
      join(project, "package.json"),
      JSON.stringify({ private: true, type: "module", dependencies }),
    );
    npm(project, [
      "install",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--omit=peer",
      "--omit=optional",
    ]);
  });
  await check(`imports ${specifiers.join(", ")}`, () => {
    const source = specifiers.map(
      (specifier) =>
        `if (Object.keys(await import("${specifier}")).length === 0) throw new Error("${specifier} is empty");\n`,
    );
    fs.writeFileSync(join(project, "imports.js"), source.join(""));
    run(project, process.execPath, ["imports.js"]);
  });
  await check("its types hold in a strict project", () => {
    const source = specifiers.map((specifier, i) => `import * as m${i} from "${specifier}";\nvoid m${i};\n`);
    fs.writeFileSync(join(project, "types.ts"), source.join(""));
    run(project, bin("tsc"), [...STRICT, "--noEmit", "types.ts"]);
  });
  await check("the program of the architecture is typed, strict, and runs", () => {
    const source = fs.readFileSync(join(root, "test", "program", "program.ts"), "utf8");
    fs.writeFileSync(join(project, "program.ts"), source);
    run(project, bin("tsc"), [...STRICT, "--outDir", "out", "program.ts"]);
    const caller = `
      import { customersCsv, HINTS, program } from "./out/program.js";
      const bytes = (text) => new TextEncoder().encode(text);
      const lines = await program(bytes(customersCsv()), bytes(HINTS), bytes(customersCsv()));
      if (lines.length !== 3 || lines[2] !== "120 true") throw new Error(lines.join("; "));
    `;
    fs.writeFileSync(join(project, "caller.js"), caller);
    run(project, process.execPath, ["caller.js"]);
  });
  await check("editors show a comment for every exported function", () => {
    const bare = new Set();
    for (const entry of Object.values(manifest.exports).filter(({ types }) => types !== undefined)) {
      const list = fs.readFileSync(join(root, entry.types), "utf8");
      for (const [, names, from] of list.matchAll(/export \{([^}]*)\} from "([^"]+)"/g)) {
        const file = join(root, dirname(entry.types), from.replace(/\.[jt]s$/, ".d.ts"));
        const declared = fs.readFileSync(file, "utf8");
        for (const name of names.match(/\w+(?= as )|(?<! as )\b\w+\b(?! as )/g) ?? []) {
          const found = new RegExp(`(\\*/\\n)?export declare function ${name}\\b`).exec(declared);
          if (found !== null && found[1] === undefined) bare.add(name);
        }
      }
    }
    if (bare.size > 0) throw new Error(`without one: ${[...bare].join(", ")}`);
  });
  await check("right calls compile, wrong ones do not, and every method has its options", async () => {
    const { methods } = await import("../dist/run/index.js");
    const each = methods.map(({ name }) => `await cluster([], { method: "${name}", seed: 1 });`);
    fs.writeFileSync(join(project, "methods.ts"), `import { cluster } from "kindred";\n${each.join("\n")}\n`);
    const calls = fs.readFileSync(join(root, "test", "program", "calls.ts"), "utf8");
    fs.writeFileSync(join(project, "calls.ts"), calls);
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023"];
    const types = ["--types", "node", "--typeRoots", join(root, "node_modules", "@types")];
    run(project, bin("tsc"), [...flags, ...types, "calls.ts", "methods.ts"]);
  });
  await check("every program of the documentation is strict TypeScript", () => {
    const folder = join(project, "documented");
    fs.mkdirSync(folder);
    for (const page of files.map(({ path }) => path).filter((path) => path.endsWith(".md"))) {
      const lines = fs.readFileSync(join(root, page), "utf8").split("\n");
      for (let start = lines.indexOf("```ts"); start >= 0; start = lines.indexOf("```ts", start + 1)) {
        const code = lines.slice(start + 1, lines.indexOf("```", start));
        const name = `${page.replaceAll("/", "_")}-line-${start + 1}.ts`;
        fs.writeFileSync(join(folder, name), [...code, "export {};", ""].join("\n"));
      }
    }
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: "nodenext",
      target: "es2023",
      lib: ["es2023", "dom", "dom.iterable"],
      types: ["node"],
      typeRoots: [join(root, "node_modules", "@types")],
      // Optional packages, which this project did not install.
      paths: {
        "@duckdb/node-api": [join(root, "node_modules", "@duckdb", "node-api", "lib", "index.d.ts")],
        "@modelcontextprotocol/sdk/*": [
          join(root, "node_modules", "@modelcontextprotocol", "sdk", "dist", "esm", "*"),
        ],
      },
      skipLibCheck: true,
    };
    fs.writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    run(project, bin("tsc"), ["-p", folder]);
  });
  await check("a page that only uses k-means holds little else", async () => {
    await smallerThan(80_500, `export { kmeans } from "${manifest.name}/cluster";`);
  });
  await check("the command that clusters loads no engine, stream, classifier, comparison or page", () => {
    const loaded = loadedWith(join(root, "dist", "cli", "commands", "cluster.js"));
    const rooms = new Set([...loaded].map((file) => relative(join(root, "dist"), file).split(sep)[0]));
    // The rows of every request come by src/rows; what reads streams and engines is loaded when they are asked for.
    const needless = ["engine", "scale", "classify", "judge", "hints", "report"];
    const found = needless.filter((room) => rooms.has(room));
    if (found.length > 0) throw new Error(`it loads ${found.join(", ")}`);
  });
  await check("a bundle of one function holds nothing of the others", async () => {
    await smallerThan(6000, `export { adjustedRand } from "${manifest.name}/score";`);
  });
  await check("a page that only places rows holds little else", async () => {
    const code = await bundled(`export { loadScorer } from "${manifest.name}/place";`, { later: false });
    const packedSize = gzipSync(code).length;
    if (packedSize > 31_000) throw new Error(`${packedSize} bytes gzipped, 31000 at most`);
  });
  await check("entry points in a page, all of each: their sizes", async () => {
    const pages = specifiers.filter((specifier) => !NOT_FOR_PAGES.test(specifier));
    for (const specifier of pages) {
      const code = await bundled(`export * from "${specifier}";`);
      const packedSize = gzipSync(code).length;
      console.log(`  ${specifier.padEnd(18)} ${kilobytes(code.length)}, ${kilobytes(packedSize)} gzipped`);
      if (packedSize > LARGEST) throw new Error(`${specifier}: ${packedSize} bytes gzipped`);
    }
  });
  await check("npx kindred cluster wine --clusters 3 --json", () => {
    const result = JSON.parse(npx(project, ["kindred", "cluster", "wine", "--clusters", "3", "--json"]));
    if (result.labels.length !== 178) throw new Error(`expected 178 labels, got ${result.labels.length}`);
  });
  await check("npx kindred --version", () => {
    const version = npx(project, ["kindred", "--version"]).trim();
    if (version !== manifest.version) throw new Error(`expected ${manifest.version}, got ${version}`);
  });
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}
closing();

/** The code of a page with this module: everything that it loads at once or, unless told otherwise, later. */
async function bundled(source, { later = true } = {}) {
  const input = join(scratch, "project", "page.js");
  fs.writeFileSync(input, `${source}\n`);
  const bundle = await rolldown({ cwd: dirname(input), input, platform: "browser", logLevel: "silent" });
  const { output } = await bundle.generate({ minify: true });
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  // A module whose every function was dropped can leave the chunks of its imports on demand, which nothing asks for.
  const loaded = new Set(output.filter(({ isEntry }) => isEntry));
  for (const { imports = [], dynamicImports = [] } of loaded)
    for (const name of [...imports, ...(later ? dynamicImports : [])])
      if (chunks.has(name)) loaded.add(chunks.get(name));
  return [...loaded].map(({ code }) => code ?? "").join("");
}

async function smallerThan(limit, source) {
  const { length } = await bundled(source);
  if (length > limit) throw new Error(`${length} bytes, ${limit} at most`);
}

function kilobytes(bytes) {
  return `${Math.round(bytes / 1000)} kB`.padStart(8);
}

/** A file of dist with all its static imports. */
function loadedWith(file) {
  const found = new Set([file]);
  for (const one of found) {
    const text = fs.readFileSync(one, "utf8");
    for (const [, address] of text.matchAll(/^(?:import|export)\b[^"]*"(\.[^"]+)"/gm))
      found.add(join(dirname(one), address));
  }
  return found;
}

function npm(cwd, args) {
  return run(cwd, "npm", args);
}

function npx(cwd, args) {
  return run(cwd, "npx", ["--no-install", ...args]);
}

function run(cwd, command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}
