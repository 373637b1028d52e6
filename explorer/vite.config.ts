import { defineConfig, type Plugin } from "vite";
import { isList, pastLists } from "../scripts/pastLists.mjs";
import { notices } from "./notices.ts";

const { page, worker } = notices();

/**
 * The page runs the build of a kernel whose results are the same everywhere: the other one stays out of it. Its bytes are
 * written as letters, in which what compresses the page finds what repeats.
 */
const oneBuild: Plugin = {
  name: "one-build",
  enforce: "pre",
  transform: (code, id) =>
    id.endsWith(".wasm.ts")
      ? code
          .replace(
            /^(export const simd: string = )"(.*)";$/m,
            (_, start, base64) => `${start}"${letters(base64)}";`,
          )
          .replace(/^export const relaxed: string = .*$/m, 'export const relaxed: string = "";')
      : undefined,
};

/** Printable bytes represent themselves, the others use the letters from U+0100 on. */
function letters(base64: string): string {
  const plain = (byte: number): boolean => byte >= 32 && byte < 127 && byte !== 34 && byte !== 92;
  return Array.from(Buffer.from(base64, "base64"), (byte) =>
    String.fromCharCode(plain(byte) ? byte : 256 + byte),
  ).join("");
}

/** A page has no flags to set. */
const FLAGS = 'if (build === "relaxed") allowRelaxed();';
const noSystem: Plugin = {
  name: "no-system",
  enforce: "pre",
  transform(code, id) {
    if (!id.endsWith("/src/matrix/wasm.ts")) return undefined;
    if (!code.includes(FLAGS)) throw new Error(`${id} no longer has the line ${FLAGS}`);
    return code.replace(FLAGS, "");
  },
};

/**
 * The rows of the page are tables and matrices: it reads no objects of a program, and no rows of other libraries, and places
 * no rows one by one.
 */
const ONLY_TABLES: Readonly<Record<string, string>> = {
  "data/columns/asTable.ts":
    "export const tableOf = (table) => table; export const asTable = tableOf; export const arrivedTable = tableOf;",
  "model/scorer.ts": "export const scorerOf = undefined;",
  "matrix/memoryRows.ts": `
    export const isList = (value) => Array.isArray(value) || ArrayBuffer.isView(value);
    export const memoryRows = (rows) =>
      Array.isArray(rows) ? { rows: rows.length, cols: rows[0]?.length ?? 0, at: (i, f) => rows[i][f] } : undefined;
    export const requireList = () => {};
    export const requireCount = requireList;
    export const nameOfColumn = String;
    export const describeValue = String;`,
};
/** Rules for one row after the other, which only a scorer has. */
const ONE_ROW = "nearPlace(placing) ?? oneOf(placingOf(placing))";
const noRows: Plugin = {
  name: "no-rows",
  enforce: "pre",
  transform(code, id) {
    if (!id.endsWith("/src/model/clustering.ts")) return undefined;
    if (!code.includes(ONE_ROW)) throw new Error(`${id} no longer has ${ONE_ROW}`);
    return code.replace(ONE_ROW, "undefined");
  },
};

/** The fit of a few sets, which a test makes again. */
const noSmallFit: Plugin = {
  name: "no-small-fit",
  enforce: "pre",
  transform(code, id) {
    if (!id.endsWith("/judge/fitted.json.ts")) return undefined;
    const small = /"small":\{"beta":\[[^\]]*\],"gamma":\[[^\]]*\]\},/;
    if (!small.test(code)) throw new Error(`${id} has no small fit`);
    return code.replace(small, "");
  },
};

const onlyTables: Plugin = {
  name: "only-tables",
  enforce: "pre",
  transform: (_, id) => Object.entries(ONLY_TABLES).find(([file]) => id.endsWith(`/src/${file}`))?.[1],
};

const SOURCES = `${import.meta.dirname}/../src`;

/** Rooms import from the files behind the lists of other rooms, so that a chunk holds the files it needs. */
const byFile: Plugin = {
  name: "by-file",
  enforce: "pre",
  transform: (code, id) =>
    /[\\/]src[\\/].*(?<!\.wasm)\.ts$/.test(id) && !isList(id) ? pastLists(code, id) : undefined,
};

/** What a file stores, and which options it has, are values: where nothing reads them, they stay out of the chunk. */
const pureForms: Plugin = {
  name: "pure-forms",
  enforce: "pre",
  transform: (code, id) =>
    /[\\/]core[\\/](codec|options)\.ts$/.test(id)
      ? code.replace(/^export function (?!load|checked|require|resolve)/gm, "/* @__NO_SIDE_EFFECTS__ */ $&")
      : undefined,
};

/**
 * A part of the library that few tables need: calls from these files reach its functions once `load` of the module
 * `virtual:later-NAME` has loaded them.
 */
function later(name: string, callers: RegExp, functions: Readonly<Record<string, string>>): Plugin {
  const own = `\0virtual:later-${name}`;
  const files = [...new Set(Object.values(functions))];
  const isOne = (id: string): boolean => files.some((file) => id.endsWith(file.slice(file.lastIndexOf("/"))));
  const calls = Object.keys(functions).map(
    (call) => `export const ${call} = (...given) => loaded?.${call}(...given);`,
  );
  const imports = files.map((file) => `import(${JSON.stringify(`${SOURCES}/${file}`)})`);
  return {
    name: `later-${name}`,
    enforce: "pre",
    resolveId: (id, importer) =>
      `\0${id}` === own || (isOne(id) && callers.test(importer ?? "")) ? own : undefined,
    load: (id) =>
      id === own
        ? `let loaded;
           ${calls.join("\n")}
           export const load = async () => {
             loaded ??= Object.assign({}, ...(await Promise.all([${imports.join(", ")}])));
           };`
        : undefined,
  };
}

/** Tables of many rows search approximately; until this is loaded, every search is exact. */
const laterNeighbors = later("neighbors", /[\\/]nearestNeighbors\.ts$/, {
  approximateNeighbors: "graph/approximate/approximateNeighbors.ts",
});

/** The mixture of numbers and categories, which a table of numbers only has no use for. */
const laterMixed = later("mixed", /[\\/]judge[\\/]members\.ts$/, {
  mixedMixture: "cluster/mixture/mixedMixture.ts",
});

/** Models, metrics and graphs that the automatic choice never makes. */
const laterModels = later("models", /[\\/](placing|anyMetric|gaussianEm|spectralGraph)\.ts$/, {
  constrained: "cluster/mixture/constrainedCovariances.ts",
  loadHdbscan: "cluster/density/densityModel.ts",
  loadKernelKmeans: "cluster/mercer/kernelKmeans.ts",
  loadCpdUml: "embed/cpdUml/cpdUmlField.ts",
  kernelFunction: "metric/kernelFunction.ts",
  kernelMatrix: "metric/kernelFunction.ts",
  loadDistBoost: "metric/pairs/distBoost.ts",
  loadKernelMetric: "metric/pairs/pcca.ts",
});

/** Rules for the rows beside a sample. */
const laterRules = later("rules", /[\\/](spreadOut|fit)\.ts$/, {
  gaussiansFrom: "method/heldOutRule.ts",
  heldOutRule: "method/heldOutRule.ts",
  quickPlacing: "method/heldOutRule.ts",
});

/** The words of texts, and vectors. */
const laterWords = later("words", /[\\/](candidates|encodePart)\.ts$/, {
  learnWords: "features/encode/learnWords.ts",
  encodeWords: "features/encode/encodeWords.ts",
  learnVectors: "features/encode/vectorEncoding.ts",
  encodeVectors: "features/encode/vectorEncoding.ts",
});

/** Rooms of which the first load needs a few files, and the rooms that choose among methods and place rows.
 * Mixed tables load their own model. */
const LARGE = /[\\/]src[\\/](cluster|metric|judge|graph|features|model)[\\/](?!index\.ts)/;
const CHOOSING = /[\\/]src[\\/](method|model|judge|run)[\\/](?!fit[\\/](mixedPartition|levels)\.ts)/;

/** Whether a module is imported by these, directly or indirectly. */
function isChosen(id: string, graph: Graph, seen: Set<string> = new Set()): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  const importers = graph.getModuleInfo(id)?.importers ?? [];
  return importers.some((by) => CHOOSING.test(by) || (LARGE.test(by) && isChosen(by, graph, seen)));
}

interface Graph {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null;
}

/**
 * The explorer, into dist/explorer: relative addresses, nothing inlined, workers as modules. The library's
 * entries are built from their sources, which split into finer parts than the published files: the page loads
 * a method when it is chosen. Licences of the packages in it are beside it, in THIRD-PARTY.txt.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [page, oneBuild, noSystem, noRows, noSmallFit, onlyTables, byFile, pureForms],
  resolve: {
    alias: [
      { find: /^kindred$/, replacement: `${import.meta.dirname}/../src/index.ts` },
      { find: /^kindred\/convex$/, replacement: `${import.meta.dirname}/../src/recipes/index.ts` },
      { find: /^kindred\/(\w+)$/, replacement: `${import.meta.dirname}/../src/$1/index.ts` },
    ],
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist/explorer",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false, ineffectiveDynamicImport: false } },
  },
  worker: {
    format: "es",
    plugins: () => [
      worker,
      oneBuild,
      noSystem,
      noRows,
      noSmallFit,
      onlyTables,
      byFile,
      pureForms,
      laterNeighbors,
      laterMixed,
      laterModels,
      laterRules,
      laterWords,
    ],
    rolldownOptions: {
      checks: { pluginTimings: false, ineffectiveDynamicImport: false },
      // The parts of these rooms that the automatic choice needs are bundled into one file, without their
      // other methods.
      output: {
        codeSplitting: {
          groups: [
            {
              test: LARGE,
              debugName: "chosen",
              name: (id, graph) => (isChosen(id, graph) ? "chosen" : null),
            },
          ],
        },
      },
    },
  },
});
