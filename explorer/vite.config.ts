import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig } from "vite";
import { notices } from "./notices.ts";

const { page, worker } = notices();

const src = resolve(import.meta.dirname, "../src");

const chosen = chosenFiles();

/**
 * The files of kindred/cluster that the rooms use which choose among methods, by what these import from it, and what that
 * imports.
 */
function chosenFiles(): ReadonlySet<string> {
  const listed = (text: string): string[] =>
    text
      .split(",")
      .map((name) => name.trim().replace(/ as .*/, ""))
      .filter((name) => name !== "" && !name.startsWith("type "));
  const named = new Set<string>();
  for (const room of ["method", "model", "compare", "hints", "front"]) {
    for (const file of readdirSync(`${src}/${room}`)) {
      if (!file.endsWith(".ts")) continue;
      const text = readFileSync(`${src}/${room}/${file}`, "utf8");
      for (const [, names] of text.matchAll(/import \{([^}]*)\} from "\.\.\/cluster\/index\.ts"/g)) {
        for (const name of listed(names)) named.add(name);
      }
    }
  }
  const files = new Set<string>();
  const take = (file: string): void => {
    if (files.has(file) || !file.startsWith(`${src}/cluster/`) || file === `${src}/cluster/index.ts`) return;
    files.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, from] of text.matchAll(/^import (?!type )[^"]* from "(\.[^"]+)"/gm))
      take(resolve(file, "..", from));
  };
  const index = readFileSync(`${src}/cluster/index.ts`, "utf8");
  for (const [, names, file] of index.matchAll(/export \{([^}]*)\} from "([^"]+)"/g)) {
    if (listed(names).some((name) => named.has(name))) take(resolve(src, "cluster", file));
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
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  worker: {
    format: "es",
    plugins: () => [worker],
    // What the automatic choice uses of kindred/cluster comes without the methods that it does not.
    rolldownOptions: {
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
