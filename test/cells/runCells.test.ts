import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { cellStore, type CellStore, runCells } from "../../src/cells/index.ts";
import { scratch } from "../cli/command.ts";

interface Task {
  readonly n: number;
  readonly how?: "throws" | "exits" | "dies" | "waits";
}

/** Answers 2n, or fails in one of three ways. */
function worker(folder: string): URL {
  const path = join(folder, "worker.mjs");
  writeFileSync(
    path,
    `import { parentPort, threadId } from "node:worker_threads";
    parentPort.on("message", ({ n, how }) => {
      if (how === "exits") process.exit(3);
      if (how === "dies") throw new Error("the thread died");
      if (how === "waits") return;
      if (how === "throws") parentPort.postMessage({ failure: { message: "no result for " + n } });
      else parentPort.postMessage({ result: { twice: 2 * n, threadId } });
    });`,
  );
  return pathToFileURL(path);
}

interface Outcome {
  readonly done: Map<number, { twice: number; threadId: number }>;
  readonly failed: Map<number, string>;
  readonly kept: number[];
}

async function run(tasks: readonly Task[], store?: CellStore, alone = false, threads = 2): Promise<Outcome> {
  const outcome: Outcome = { done: new Map(), failed: new Map(), kept: [] };
  const stopped = await runCells<Task, { twice: number; threadId: number }>({
    module: worker(scratch()),
    tasks,
    threads,
    alone,
    store,
    factsOf: ({ n }) => ({ n }),
    onDone({ n }, result, kept) {
      outcome.done.set(n, result);
      if (kept) outcome.kept.push(n);
    },
    onFailure: ({ n }, { message }) => void outcome.failed.set(n, message),
  });
  expect(stopped).toBe(false);
  return outcome;
}

test("a cell that fails leaves the others, is not kept, and is tried again", async () => {
  const folder = scratch();
  const tasks: Task[] = [
    { n: 0 },
    { n: 1, how: "throws" },
    { n: 2, how: "exits" },
    { n: 3 },
    { n: 4, how: "dies" },
    { n: 5 },
  ];
  const first = await run(tasks, cellStore(folder));
  expect([...first.done.keys()].toSorted()).toEqual([0, 3, 5]);
  expect(Object.fromEntries(first.failed)).toEqual({
    1: "no result for 1",
    2: "its thread ended with code 3",
    4: "the thread died",
  });
  const second = await run(
    tasks.map(({ n }) => ({ n })),
    cellStore(folder),
  );
  expect(second.kept).toEqual([0, 3, 5]);
  for (const n of second.kept) expect(second.done.get(n)).toEqual(first.done.get(n));
  expect([...second.done].toSorted(([a], [b]) => a - b).map(([, { twice }]) => twice)).toEqual([
    0, 2, 4, 6, 8, 10,
  ]);
  expect(second.failed.size).toBe(0);
});

test("nothing left to do needs no thread", async () => {
  const folder = scratch();
  await run([{ n: 1 }], cellStore(folder));
  const { kept } = await run([{ n: 1, how: "dies" }], cellStore(folder));
  expect(kept).toEqual([1]);
  expect((await run([])).done.size).toBe(0);
});

test("alone: each in a thread of its own", async () => {
  const tasks = [0, 1, 2, 3].map((n) => ({ n }));
  const threadsOf = ({ done }: Outcome): number =>
    new Set([...done.values()].map((one) => one.threadId)).size;
  expect(threadsOf(await run(tasks, undefined, true, 1))).toBe(4);
  expect(threadsOf(await run(tasks, undefined, false, 1))).toBe(1);
});

test("the end of the time leaves what is done", async () => {
  const done: number[] = [];
  const stopped = await runCells<Task, { twice: number }>({
    module: worker(scratch()),
    tasks: [{ n: 1 }],
    threads: 1,
    deadline: performance.now() - 1,
    factsOf: (task) => task,
    onDone: ({ n }) => void done.push(n),
    onFailure: () => {},
  });
  expect({ stopped, done }).toEqual({ stopped: false, done: [] });
});

test("an interrupt ends it at once, and the next one finds no listener, so that it kills", async () => {
  const before = process.listeners("SIGINT");
  const done: number[] = [];
  let stop: (() => void) | undefined;
  const stopped = await runCells<Task, { twice: number }>({
    module: worker(scratch()),
    tasks: [{ n: 1 }, { n: 2, how: "waits" }, { n: 3 }],
    threads: 1,
    factsOf: (task) => task,
    onStart() {
      stop = process.listeners("SIGINT").find((one) => !before.includes(one)) as () => void;
    },
    onDone({ n }) {
      done.push(n);
      setTimeout(() => {
        stop!();
        expect(process.listeners("SIGINT")).toEqual(before);
      });
    },
    onFailure: () => {},
  });
  expect({ stopped, done }).toEqual({ stopped: true, done: [1] });
  expect(process.listeners("SIGINT")).toEqual(before);
});
