// Tries the package as it is built with the tools of its users: four bundlers, whose pages must run and stay small, and older
// versions of TypeScript. The tools come from the npm registry and are kept in .cache/, outside the dependencies.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { check, closing } from "./check.mjs";

const TOOLS = {
  esbuild: "0.28.2",
  rollup: "4.68.5",
  "@rollup/plugin-node-resolve": "16.0.3",
  webpack: "5.112.2",
  typescript5: "npm:typescript@5.9.3",
  typescript6: "npm:typescript@6.0.3",
};
/**
 * What a page imports, and the most that it may load at once, in gzipped bytes. esbuild never divides a file between what is
 * loaded at once and what is loaded on demand, so it has bounds of its own.
 */
const PAGES = {
  adjustedRand: { from: "kindred/score", most: 4000 },
  kmeans: { from: "kindred/cluster", most: 36_000 },
  loadScorer: { from: "kindred/place", most: 31_000 },
  loadModel: { from: "kindred", most: 100_000, esbuild: 235_000 },
  cluster: { from: "kindred", most: 190_000, esbuild: 265_000 },
};

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tools = installed();
const scratch = fs.mkdtempSync(join(tmpdir(), "kindred-tools-"));
const project = join(scratch, "project");
fs.mkdirSync(join(project, "node_modules"), { recursive: true });
fs.writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
fs.symlinkSync(root, join(project, "node_modules", "kindred"), "dir");

const load = (name) => import(pathToFileURL(join(tools, "node_modules", name)).href);
/** Each bundler: writes the page into a folder, the entry as page.js. */
const BUNDLERS = {
  async esbuild(input, outdir) {
    const { build } = await load("esbuild/lib/main.js");
    const shared = { bundle: true, splitting: true, format: "esm", minify: true, platform: "browser" };
    await build({ ...shared, entryPoints: [input], outdir, external: ["node:*"], logLevel: "error" });
  },
  async Rollup(input, dir) {
    const { rollup } = await load("rollup/dist/es/rollup.js");
    const { nodeResolve } = await load("@rollup/plugin-node-resolve/dist/es/index.js");
    const { transform } = await load("esbuild/lib/main.js");
    const plugins = [nodeResolve({ browser: true })];
    const bundle = await rollup({ input, plugins, external: /^node:/, onwarn() {} });
    await bundle.write({ dir, format: "esm", entryFileNames: "page.js" });
    // Rollup does not minify.
    for (const name of fs.readdirSync(dir)) {
      const path = join(dir, name);
      const { code } = await transform(fs.readFileSync(path, "utf8"), { minify: true, format: "esm" });
      fs.writeFileSync(path, code);
    }
  },
  async webpack(input, path) {
    const { default: webpack } = await load("webpack/lib/index.js");
    const output = { path, filename: "page.js", library: { type: "module" }, module: true };
    const externals = ({ request }, done) => done(null, request.startsWith("node:") ? request : undefined);
    const config = { mode: "production", target: "web", entry: input, output, externals, performance: false };
    const stats = await new Promise((resolve, reject) =>
      webpack({ ...config, context: dirname(input), experiments: { outputModule: true } }, (error, found) =>
        error ? reject(error) : resolve(found),
      ),
    );
    if (stats.hasErrors()) throw new Error(stats.toString("errors-only"));
  },
  async Vite(input, outDir) {
    const { build } = await import("vite");
    const output = { entryFileNames: "page.js", chunkFileNames: "[name]-[hash].js" };
    const rolldownOptions = { input, output, preserveEntrySignatures: "strict", external: /^node:/ };
    const options = { outDir, emptyOutDir: true, modulePreload: false, rolldownOptions };
    await build({ root: dirname(input), configFile: false, logLevel: "error", build: options });
  },
};

try {
  for (const [bundler, bundle] of Object.entries(BUNDLERS)) {
    for (const [name, { from, ...bounds }] of Object.entries(PAGES)) {
      const most = bounds[bundler] ?? bounds.most;
      await check(`${bundler}: a page with ${name}`, async () => {
        const input = join(project, "page.js");
        fs.writeFileSync(input, `export { ${name} } from "${from}";\n`);
        const folder = join(project, `${bundler}-${name}`);
        await bundle(input, folder);
        const bytes = loadedAtOnce(folder);
        if (bytes > most) throw new Error(`it loads ${bytes} bytes gzipped at once, ${most} at most`);
        await works(join(folder, "page.js"), name);
        return `${(bytes / 1000).toFixed(1)} kB gzipped at once`;
      });
    }
  }
  for (const version of ["typescript5", "typescript6"]) {
    const { version: exact } = JSON.parse(
      fs.readFileSync(join(tools, "node_modules", version, "package.json"), "utf8"),
    );
    await check(`TypeScript ${exact}: the types of every entry, right calls and wrong ones, strict`, () => {
      const { exports } = JSON.parse(fs.readFileSync(join(root, "package.json"), "utf8"));
      const entries = Object.keys(exports).filter((entry) => !/\.json$|\/thread$/.test(entry));
      const lines = entries.map((entry, i) => `export * as m${i} from "kindred${entry.slice(1)}";`);
      fs.writeFileSync(join(project, "entries.ts"), lines.join("\n"));
      for (const name of ["calls.ts", "program.ts"])
        fs.copyFileSync(join(root, "test", "program", name), join(project, name));
      const flags = "--noEmit --strict --module nodenext --target es2022 --lib es2023,dom --types node".split(
        " ",
      );
      const types = ["--typeRoots", join(root, "node_modules", "@types")];
      const tsc = join(tools, "node_modules", version, "bin", "tsc");
      const files = ["entries.ts", "calls.ts", "program.ts"];
      const { status, stdout } = spawnSync(process.execPath, [tsc, ...flags, ...types, ...files], {
        cwd: project,
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(stdout);
    });
  }
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}
closing();

/** The page and everything that it imports before it runs. */
function loadedAtOnce(folder) {
  const texts = new Map();
  const read = (name) => {
    if (texts.has(name) || !fs.existsSync(join(folder, name))) return;
    const text = fs.readFileSync(join(folder, name), "utf8");
    texts.set(name, text);
    for (const [, file] of text.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+)"/g)) read(file);
  };
  read("page.js");
  return gzipSync([...texts.values()].join("")).length;
}

/** What was bundled computes. */
async function works(page, name) {
  const made = await import(pathToFileURL(page).href);
  const rows = [[1], [2], [9], [8]];
  const { cluster } = name === "cluster" ? made : await import("../dist/index.js");
  const found = await cluster(rows, { method: "kmeans", clusters: 2, scale: "none" });
  const file = () => JSON.parse(JSON.stringify(found));
  const answer = {
    adjustedRand: () => made.adjustedRand([0, 0, 1], [1, 1, 0]) === 1,
    kmeans: () => made.kmeans(rows, { clusters: 2 }).sizes.join() === "2,2",
    loadScorer: async () => (await made.loadScorer(file()))([9]).cluster === found.labels[2],
    loadModel: () => made.loadModel(file()).assign([[9]]).labels[0] === found.labels[2],
    cluster: () => found.labels[0] === found.labels[1] && found.labels[0] !== found.labels[2],
  };
  if (!(await answer[name]())) throw new Error("its answer is wrong");
}

function installed() {
  const folder = join(root, ".cache", "tools");
  const manifest = JSON.stringify({ private: true, type: "module", dependencies: TOOLS });
  const path = join(folder, "package.json");
  if (fs.existsSync(path) && fs.readFileSync(path, "utf8") === manifest) return folder;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path, manifest);
  const args = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--silent"];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) {
    fs.rmSync(path);
    throw new Error("the tools cannot be installed");
  }
  return folder;
}
