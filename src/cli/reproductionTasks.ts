import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { dataFile } from "../data/index.ts";
import { type AnyTask, dataOfTask, type FailedTask } from "../reproduce/index.ts";
import { integerAtLeast } from "./arguments.ts";
import { contentHash } from "./cellKey.ts";
import { howToResume, runCells } from "./cellRun.ts";
import { cellStore, RESUME_HELP } from "./cellStore.ts";
import { madeFolder, outputFile, type OutputFile, reason } from "./outputFile.ts";
import { progressLine } from "./progressLine.ts";
import { tell } from "./stdout.ts";

/** For the help of every reproduction. */
export const INTERRUPT =
  "Ctrl-C ends it and prints what is done; with --resume FOLDER the same command goes on from there.";

/** What every reproduction takes. */
export interface RunOptions {
  readonly data?: string;
  readonly threads?: number;
  readonly resume?: string;
  readonly json?: boolean;
}

export function runOptions(command: Command, threads = "at most this many (default: one per core)"): Command {
  return command
    .option("--data <folder>", "folder of the data sets (default: KINDRED_DATA)")
    .option("--threads <n>", threads, integerAtLeast(1))
    .option("--resume <folder>", RESUME_HELP)
    .option("--json", "print one JSON object");
}

export interface ReproductionTasks<T> {
  readonly tasks: readonly T[];
  readonly skipped: readonly { readonly set: string; readonly why: string }[];
}

export interface ReproductionRun<T, R> {
  /** In the order of the tasks, whichever was done first. */
  readonly done: { readonly task: T; readonly result: R }[];
  readonly failed: FailedTask<T>[];
  /** After the report: says how to go on, and sets the exit code. */
  conclude(): void;
}

/** For cells whose memory is measured: each in a thread of its own, and what is made of its result. */
export interface Alone<R> {
  finish(result: R): R;
}

/** Computes the tasks of a reproduction in threads; an interrupt ends them and leaves what is done. */
export async function runReproduction<T extends AnyTask, R>(
  { tasks, skipped }: ReproductionTasks<T>,
  { data, threads = availableParallelism(), resume }: RunOptions,
  labelOf: (task: T) => string,
  alone?: Alone<R>,
): Promise<ReproductionRun<T, R>> {
  const store = resume === undefined ? undefined : cellStore(resume);
  const content = new Map<string, string>();
  if (store !== undefined) {
    for (const name of new Set(tasks.flatMap(dataOfTask))) content.set(name, await contentOf(name, data));
  }
  const results = new Map<T, R>();
  const failed: FailedTask<T>[] = [];
  const progress = progressLine();
  let kept = 0;
  const step = (task: T): void => {
    const [ended, all] = [results.size + failed.length - kept, tasks.length - kept];
    progress.onProgress({ fraction: ended / all, label: labelOf(task) });
  };
  const stopped = await runCells<T, R>({
    module: new URL("./reproduceWorker.js", import.meta.url),
    tasks,
    threads: alone === undefined ? threads : 1,
    ...(alone !== undefined && { alone: true, finish: alone.finish }),
    store,
    // Where the data lie does not matter; what they are does.
    factsOf: (task) => ({
      ...task,
      folder: undefined,
      data: dataOfTask(task).map((name) => content.get(name)),
    }),
    onStart(found) {
      kept = found;
      // Only now: whoever reads this may interrupt, and is heard.
      for (const { set, why } of skipped) tell(`kindred: ${set} is skipped: ${why}`);
      if (store !== undefined)
        tell(`kindred: ${kept} of ${tasks.length} cells are taken from ${store.folder}`);
    },
    onDone(task, result, old) {
      results.set(task, result);
      if (!old) step(task);
    },
    onFailure(task, { message }) {
      failed.push({ task, cell: labelOf(task), why: message });
      step(task);
    },
  }).finally(() => progress.done());
  return {
    done: tasks.flatMap((task) => {
      const result = results.get(task);
      return result === undefined ? [] : [{ task, result }];
    }),
    failed,
    conclude() {
      if (stopped) tell(howToResume(store, results.size, tasks.length));
      else if (failed.length > 0)
        tell(`kindred: ${failed.length} of ${tasks.length} cells failed, see the report`);
      if (stopped) process.exitCode = 130;
      else if (failed.length > 0) process.exitCode = 1;
    },
  };
}

/** Of the file and of what its index says about it; embedded and generated sets are part of the program. */
async function contentOf(name: string, folder: string | undefined): Promise<string> {
  const file = await dataFile(name, folder === undefined ? {} : { folder });
  if (file === undefined) return name;
  const { path, ...layout } = file;
  try {
    return contentHash(JSON.stringify(layout), readFileSync(path));
  } catch (error) {
    return `unreadable: ${reason(error)}`; // the cells that need it will fail, each with its message
  }
}

/** Makes the folder of --out now, before long work, and returns what checks a file of it. */
export function reproductionFolder(folder: string): (name: string) => OutputFile {
  madeFolder(folder, "--out");
  return (name) => outputFile(join(folder, name), "--out");
}
