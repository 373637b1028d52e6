import { existsSync, readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { plural } from "../../core/internal.ts";
import { engine, engines, threads } from "../../matrix/index.ts";
import { openOutputs } from "../output/outputs.ts";
import { columns } from "../output/terminal.ts";
import { manifest } from "../manifest.ts";

/** An optional part of Kindred. */
interface OptionalPart {
  readonly name: string;
  readonly gives: string;
  readonly available: boolean;
  /** What it is, or how to install it. */
  readonly detail: string;
}

export function define(command: Command): void {
  command.option("--json", "print one JSON object").action(async () => {
    const outputs = await openOutputs(command, []);
    const state = examine();
    await outputs.answer({ json: () => state, text: () => describe(state) });
  });
}

type State = ReturnType<typeof examine>;

function examine() {
  const { version, dependencies } = manifest();
  const names = Object.keys(dependencies);
  return {
    version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
    memory: totalmem(),
    engine: engine().name,
    threads: threads(),
    engines: engines(),
    packages: Object.fromEntries(names.map((name) => [name, installedVersion(name) ?? null])),
    optional: optionalParts(),
  };
}

function optionalParts(): OptionalPart[] {
  const duckdb = installedVersion("@duckdb/node-api");
  const protocol = installedVersion("@modelcontextprotocol/sdk");
  const folder = process.env.KINDRED_DATA ?? "";
  const index = folder !== "" && existsSync(join(folder, "index.json"));
  return [
    {
      name: "DuckDB",
      gives: "the engine duckdb, for queries and data larger than memory; faster streaming of Parquet",
      available: duckdb !== undefined,
      detail: duckdb ?? "npm install @duckdb/node-api",
    },
    {
      name: "Model Context Protocol",
      gives: "kindred mcp, for assistants",
      available: protocol !== undefined,
      detail: protocol ?? "npm install @modelcontextprotocol/sdk",
    },
    {
      name: "data folder",
      gives: "more named data sets (KINDRED_DATA or --data)",
      available: index,
      detail: index
        ? folder
        : folder === ""
          ? "set KINDRED_DATA to a folder with an index.json"
          : `KINDRED_DATA is ${folder}, which has no index.json`,
    },
  ];
}

function describe(state: State): string {
  const gib = (state.memory / 2 ** 30).toFixed(1);
  const mark = (available: boolean): string => (available ? "yes" : "no");
  const lines = [
    `kindred ${state.version}, Node ${state.node}, ${state.platform}, ${state.cores} cores, ${gib} GiB`,
    `engine ${state.engine}, ${plural(state.threads, "thread")}`,
    "",
    ...columns([
      ["engine", "usable", ""],
      ...state.engines.map(({ name, available, detail }) => [name, mark(available), detail]),
    ]),
    "",
    ...columns([
      ["optional", "found", "", ""],
      ...state.optional.map(({ name, gives, available, detail }) => [name, mark(available), gives, detail]),
    ]),
    "",
    ...columns([
      ["package", "version"],
      ...Object.entries(state.packages).map(([name, found]) => [name, found ?? "missing: run npm install"]),
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

/** The version of a package as Node would find it from here, or undefined. */
function installedVersion(name: string): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const manifest = join(folder, "node_modules", name, "package.json");
    if (existsSync(manifest))
      return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
    if (dirname(folder) === folder) return undefined;
  }
}
