import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileError } from "../core/errors.ts";
import { outputFile, type OutputFile } from "./outputFile.ts";
import { progressLine } from "./progressLine.ts";
import { tell } from "./stdout.ts";
import { taskPool } from "./taskPool.ts";

export interface ReproductionTasks<T> {
  readonly tasks: readonly T[];
  readonly skipped: readonly { readonly set: string; readonly why: string }[];
}

/** Runs the tasks of a reproduction in threads; an interrupt ends them and leaves what is done. */
export async function runReproduction<T, R>(
  { tasks, skipped }: ReproductionTasks<T>,
  threads: number,
  labelOf: (task: T) => string,
): Promise<{ readonly done: { readonly task: T; readonly result: R }[]; readonly stopped: boolean }> {
  const done: { task: T; result: R }[] = [];
  let stopped = false;
  const progress = progressLine();
  const module = new URL("./reproduceWorker.js", import.meta.url);
  const pool = taskPool<T, R>(module, tasks, threads, (task, result) => {
    done.push({ task, result });
    progress.onProgress({ fraction: done.length / tasks.length, label: labelOf(task) });
  });
  const stop = (): void => {
    stopped = true;
    pool.stop();
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  // Only now: whoever reads this may interrupt, and is heard.
  for (const { set, why } of skipped) tell(`kindred: ${set} is skipped: ${why}`);
  try {
    await pool.finished;
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    progress.done();
  }
  return { done, stopped };
}

/** Makes the folder of --out now, before long work, and returns what checks a file of it. */
export function reproductionFolder(folder: string): (name: string) => OutputFile {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw fileError(`--out ${folder}: the folder cannot be made (${(error as Error).message})`, error);
  }
  return (name) => outputFile(join(folder, name), "--out");
}
