import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig } from "vite";
import { notices } from "./notices.ts";

const { page, worker } = notices();

const src = resolve(import.meta.dirname, "../src");

/** Rooms of many methods, of which the first load needs a few files. */
const LARGE = ["cluster", "metric"];
const chosen = chosenFiles();

/**
 * The files of these rooms that the rooms use which choose among methods and place rows: by what these import, and what
 * that imports.
 */
function chosenFiles(): ReadonlySet<string> {
  const listed = (text: string): string[] =>
    text
      .split(",")
      .map((name) => name.trim().replace(/ as .*/, ""))
      .filter((name) => name !== "" && !name.startsWith("type "));
  const files = new Set<string>();
  const imports = (file: string): { names: string[]; from: string }[] =>
    Array.from(
      readFileSync(file, "utf8").matchAll(/^import \{([^}]*)\} from "(\.[^"]+)"/gm),
      ([, names, from]) => ({ names: listed(names), from: resolve(file, "..", from) }),
    ).filter(({ names }) => names.length > 0);
  const take = (file: string, names: readonly string[]): void => {
    const room = LARGE.find((one) => file.startsWith(`${src}/${one}/`));
    if (room === undefined || files.has(file)) return;
    if (file === `${src}/${room}/index.ts`) {
      const index = readFileSync(file, "utf8");
      for (const [, exported, from] of index.matchAll(/export \{([^}]*)\} from "([^"]+)"/g)) {
        const own = listed(exported).filter((name) => names.includes(name));
        if (own.length > 0) take(resolve(src, room, from), own);
      }
      return;
    }
    files.add(file);
    for (const one of imports(file)) take(one.from, one.names);
  };
  for (const room of ["method", "model", "compare", "front"]) {
    for (const file of readdirSync(`${src}/${room}`)) {
      if (!file.endsWith(".ts")) continue;
      for (const { names, from } of imports(`${src}/${room}/${file}`)) take(from, names);
    }
  }
  return files;
}

/**
 * The explorer, into dist/explorer: relative addresses, nothing inlined, workers as modules. The library's entries are
 * taken from their sources, which split into finer parts than the files that are published: the page loads a method
 * when it is chosen. Licences of the packages in it are beside it, in THIRD-PARTY.txt.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [page],
  resolve: {
    alias: [{ find: /^kindred\/(\w+)$/, replacement: `${import.meta.dirname}/../src/$1/index.ts` }],
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist/explorer",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false, ineffectiveDynamicImport: false } },
  },
  worker: {
    format: "es",
    plugins: () => [worker],
    // What the automatic choice uses of kindred/cluster comes without the methods that it does not.
    rolldownOptions: {
      checks: { ineffectiveDynamicImport: false },
      output: {
        codeSplitting: {
          groups: [
            {
              name: "chosen",
              test: (id) => chosen.has(id.replace(/[?#].*$/, "")),
            },
          ],
        },
      },
    },
  },
});
