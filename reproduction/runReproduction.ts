import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { KindredError } from "kindred";
import { cellStore, contentHash, runCells } from "kindred/cells";
import { dataFile } from "kindred/data";
import { integerAtLeast } from "./arguments.ts";
import { type AnyTask, dataOfTask } from "./anyTask.ts";
import type { FailedTask } from "./ending.ts";
import { where } from "./knownSets.ts";
import { claimsMarkdown, filledPage, type Findings, findingsText, tableMarkdown } from "./page.ts";

/** For the help of every reproduction. */
export const INTERRUPT =
  "Ctrl-C stops it and prints the finished part; with --resume FOLDER the same command continues.";

/** What every reproduction takes. */
export interface RunOptions {
  readonly data?: string;
  readonly threads?: number;
  readonly resume?: string;
  readonly json?: boolean;
  readonly out?: string;
  readonly pages?: string;
  /** What was typed, without the options that change no number. */
  readonly command: string;
}

const NO_NUMBERS = ["data", "threads", "resume", "json", "out", "pages"];

export function runOptions(command: Command, threads = "at most this many (default: one per core)"): Command {
  return command
    .option("--data <folder>", "folder of the data sets (default: KINDRED_DATA)")
    .option("--threads <n>", threads, integerAtLeast(1))
    .option("--resume <folder>", "keep every finished cell there, and reuse existing ones")
    .option("--json", "print one JSON object")
    .option("--out <folder>", "write the report as text and JSON, and its figures as SVG, there")
    .option("--pages <folder>", "put the tables into the reproduce-... pages of that folder")
    .hook("preAction", (typed) => {
      const words = typed.options.flatMap((option) => {
        const name = option.attributeName();
        if (typed.getOptionValueSource(name) !== "cli" || NO_NUMBERS.includes(name)) return [];
        const value: unknown = typed.getOptionValue(name);
        return typeof value === "boolean" ? option.long! : `${option.long} ${String(value)}`;
      });
      typed.setOptionValue("command", ["npm run reproduce --", typed.name(), ...words].join(" "));
    });
}

/** For cells whose memory is measured: each runs in its own thread, and this transforms its result. */
export interface Alone<R> {
  finish(result: R): R;
}

/** What stands behind a command: a plan of tasks, a report on those that are done, and how both are written. */
export interface Reproduced<P, T extends AnyTask, D, R> {
  /** Of the files in the folder of --out, unless the findings are a part. */
  readonly name: string;
  readonly plan: P & {
    readonly tasks: readonly T[];
    readonly skipped: readonly { readonly set: string; readonly why: string }[];
  };
  readonly labelOf: (task: T) => string;
  readonly alone?: Alone<D>;
  /** `done` is in the order of the tasks, not of completion. */
  report(plan: P, done: { task: T; result: D }[], failed: FailedTask<T>[]): R;
  findings(report: R): Findings;
  pictures?(report: R): Promise<readonly Picture[]> | readonly Picture[];
}

export interface Picture {
  readonly name: string;
  readonly svg: string;
}

/**
 * Computes the tasks of a plan in threads, prints the report, writes it with its pictures to the folder of --out, and puts
 * its tables into the pages of --pages. An interrupt ends the tasks and keeps the finished ones.
 */
export async function reproduce<P, T extends AnyTask, D, R>(
  { name, plan, labelOf, alone, report, findings, pictures }: Reproduced<P, T, D, R>,
  options: RunOptions,
): Promise<void> {
  const { data, threads = availableParallelism(), resume } = options;
  const { tasks, skipped } = plan;
  // The folder is made now, before long work.
  const write = options.out === undefined ? undefined : outputFolder(options.out);
  const store = resume === undefined ? undefined : cellStore(resume, { option: "--resume", warn: tell });
  const program = store === undefined ? undefined : ownFiles();
  const content = new Map<string, string>();
  if (store !== undefined) {
    for (const name of new Set(tasks.flatMap(dataOfTask))) content.set(name, await contentOf(name, data));
  }
  const results = new Map<T, D>();
  const failed: FailedTask<T>[] = [];
  let kept = 0;
  const step = (task: T): void => {
    const [ended, all] = [results.size + failed.length - kept, tasks.length - kept];
    showProgress(ended / all, labelOf(task));
  };
  const stopped = await runCells<T, D>({
    module: new URL("./worker.js", import.meta.url),
    tasks,
    threads: alone === undefined ? threads : 1,
    ...(alone !== undefined && { alone: true, finish: alone.finish }),
    store,
    // The location of the data does not matter, only their content.
    factsOf: (task) => ({
      ...task,
      folder: undefined,
      program,
      data: dataOfTask(task).map((name) => content.get(name)),
    }),
    onStart(found) {
      kept = found;
      // Only now: after this message an interrupt is handled.
      for (const { set, why } of skipped) tell(`${set} is skipped: ${why}`);
      if (store !== undefined) tell(`${kept} of ${tasks.length} cells are taken from ${store.folder}`);
    },
    onDone(task, result, old) {
      results.set(task, result);
      if (!old) step(task);
    },
    onFailure(task, { message }) {
      failed.push({ task, cell: labelOf(task), why: message });
      step(task);
    },
  }).finally(() => showProgress(1, ""));
  const done = tasks.flatMap((task) => {
    const result = results.get(task);
    return result === undefined ? [] : [{ task, result }];
  });
  const found = report(plan, done, failed);
  const told = findings(found);
  const lines = `${findingsText(told).join("\n")}\n`;
  process.stdout.write(options.json === true ? `${JSON.stringify(found)}\n` : lines);
  // One run of a command after the other may write to the same folder, as `all` does.
  const file = (told.part ?? name).replaceAll(" ", "-");
  write?.(`${file}.txt`, lines);
  write?.(`${file}.json`, `${JSON.stringify(found, undefined, 1)}\n`);
  if (write !== undefined)
    for (const picture of (await pictures?.(found)) ?? []) write(picture.name, picture.svg);
  if (options.pages !== undefined) writePages(options.pages, name, told, options.command);
  const goOn =
    store === undefined
      ? "with --resume FOLDER they would be kept for the next run"
      : `the same command goes on from ${store.folder}`;
  if (stopped) {
    tell(`stopped with ${results.size} of ${tasks.length} cells done; ${goOn}`);
    process.exitCode = 130;
  } else if (failed.length > 0) {
    tell(`${failed.length} of ${tasks.length} cells failed, see the report`);
    process.exitCode = 1;
  }
}

/** The pages of a run have its tables and claims from then on, with the version and the command that made them. */
function writePages(
  folder: string,
  name: string,
  { part = name, tables, claims }: Findings,
  command: string,
): void {
  const origin = { version: libraryVersion(), command };
  const blocks = new Map(tables.map((table) => [table.name, tableMarkdown(table, origin)]));
  if (claims.length > 0) blocks.set(`claims ${part}`, claimsMarkdown(claims, origin));
  for (const file of readdirSync(folder).filter((file) => /^(reproduce-.*|claims)\.md$/.test(file))) {
    const path = join(folder, file);
    const page = readFileSync(path, "utf8");
    const filled = filledPage(page, blocks);
    if (filled !== page) writeFileSync(path, filled);
  }
}

/** Of the built package. */
export function libraryVersion(): string {
  const file = new URL("../package.json", import.meta.resolve("kindred"));
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

/** Of the file and of its index entry; embedded and generated sets are part of the program. */
async function contentOf(name: string, folder: string | undefined): Promise<string> {
  const file = await dataFile(name, where(folder));
  if (file === undefined) return name;
  const { path, ...layout } = file;
  try {
    return contentHash(JSON.stringify(layout), readFileSync(path));
  } catch (error) {
    return `unreadable: ${String(error)}`; // the cells that need it will fail, each with its message
  }
}

/** The result depends on the worker's own files and on the library, whose files the store checks itself; not on printers. */
function ownFiles(): string {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const files = new Map<string, string>();
  const add = (name: string): void => {
    if (files.has(name)) return;
    const text = readFileSync(join(folder, name), "utf8");
    files.set(name, text);
    for (const [, imported] of text.matchAll(/(?:from|import) ?"\.\/([^"]+)"/g)) add(imported);
  };
  add("worker.js");
  return contentHash(...[...files].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text));
}

/** A sentence for people, on standard error. */
export function tell(sentence: string): void {
  process.stderr.write(`reproduce: ${sentence.replace(/\s*\n\s*/g, " ")}\n`);
}

/** One line on a terminal that is overwritten, and cleared at the end. */
function showProgress(fraction: number, label: string): void {
  if (!process.stderr.isTTY) return;
  const line = fraction < 1 ? `${Math.floor(100 * fraction)} %  ${label}` : "";
  process.stderr.write(`\r\u001b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
}

/** Makes the folder of --out now, before long work, and returns a function that writes a file there. */
function outputFolder(folder: string): (name: string, text: string) => void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new KindredError("file", `--out ${folder}: the folder cannot be made (${String(error)})`);
  }
  return (name, text) => writeFileSync(join(folder, name), text);
}
