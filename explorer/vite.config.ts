import { defineConfig } from "vite";
import { notices } from "./notices.ts";

const { page, worker } = notices();

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
              test: /src\/cluster\/(spectral\/(spectral|spectralFamily)|mixture\/mixedMixture|linkage\/(agglomerative|dendrogram)|mercer\/kernelKmeansModel)\.ts$/,
            },
          ],
        },
      },
    },
  },
});
