/**
 * Threads: workers that share one WebAssembly memory and one control block, and take tasks from a common
 * counter. The caller also takes tasks and then waits, so a round is synchronous; a worker that has not
 * started yet simply takes none. Workers sleep in `Atomics.wait` between rounds and do not keep a process
 * alive.
 *
 * In Node the pool starts with the first round that is worth it. In a browser `await startThreads()` must come first
 * (a worker cannot start while its parent waits), from a worker of a page that is cross-origin isolated; otherwise
 * everything runs on one thread, with the same results.
 */
import {
  addressRoom,
  environment,
  allowed,
  nodeModule,
  option,
  optionError,
  THREAD_ADDRESSES,
} from "../core/internal.ts";
import { createArena, type Arena } from "./wasm.ts";
import { workerSource } from "./worker.ts";

/** Words of the control block; `worker.ts` uses their numbers. */
const GENERATION = 0;
const REMAINING = 1;
const FINISHED = 2;
const COUNT = 3;
const FAILED = 4;
const KERNEL = 5;
const EXPORT = 6;
const ARGUMENTS = 7;
const MODULE_START = 8;
const MODULE_LENGTH = 9;
const ROUND = 10;
/**
 * Position in doubles of the arguments in the control block: scratch address, scratch bytes, then the
 * caller's own.
 */
const FIRST_ARGUMENT = 8;
const MOST_ARGUMENTS = 64;
const FIRST_MODULE_BYTE = 1024;
const CONTROL_BYTES = 2 ** 20;
const MOST_THREADS = 64;

/** What one round runs: `exports[export](task, scratch, ...args)` for task = 0 .. tasks - 1. */
export interface Round {
  readonly kernel: number;
  readonly exportIndex: number;
  readonly call: (...args: number[]) => void;
  readonly tasks: number;
  /** Bytes of scratch memory for each thread. */
  readonly scratchBytes: number;
  readonly args: readonly number[];
}

export interface Pool {
  readonly arena: Arena;
  /** Number of threads for a round, including the caller. */
  readonly size: number;
  /** Registers a module with the workers, and returns its number. */
  addModule(bytes: Uint8Array): number;
  run(round: Round): void;
  stop(): void;
}

interface WorkerHandle {
  terminate(): unknown;
}

let wanted: number | undefined;
let current: Pool | undefined;

/** Number of threads for the kernels: KINDRED_THREADS, or the number of cores. */
export function threads(): number {
  return (wanted ??= initialThreads());
}

/**
 * Sets the number of threads. With 1 those that run sleep until they are wanted again, or until `stopThreads`. Results do
 * not depend on it.
 */
export function setThreads(count: number): void {
  if (!Number.isInteger(count) || count < 1 || count > MOST_THREADS) {
    throw optionError(`${option("threads")} must be an integer from 1 to ${MOST_THREADS}, got ${count}`);
  }
  wanted = count;
  if (current !== undefined && count > 1 && current.size !== count) stopThreads();
}

/** The pool, started if necessary, or undefined if only one thread is allowed. */
export function pool(): Pool | undefined {
  if (threads() === 1) return undefined;
  if (current === undefined && nodeModule("worker_threads") !== undefined) {
    if (addressRoom() < threads() * THREAD_ADDRESSES) {
      wanted = 1;
      return undefined;
    }
    current = createPool(threads(), startInNode);
  }
  return current;
}

/** Starts the workers of a browser, and resolves when they are ready. In Node there is no need to call it. */
export async function startThreads(): Promise<number> {
  if (pool() !== undefined || threads() === 1) return threads();
  const isWindow = typeof document !== "undefined";
  if (isWindow || typeof SharedArrayBuffer === "undefined" || typeof Worker === "undefined") {
    wanted = 1;
    return 1;
  }
  const ready: Promise<void>[] = [];
  current = createPool(threads(), (data) => startInBrowser(data, ready));
  await Promise.all(ready);
  return threads();
}

/** Ends the workers and frees their shared memory; the next parallel round starts again. */
export function stopThreads(): void {
  current?.stop();
  current = undefined;
  for (const own of helpers.values()) for (const { worker } of own) worker.terminate();
  helpers.clear();
}

/** A thread of Node that runs a module of the library beside this one. */
export interface Helper<M> {
  post(message: M): void;
}

const helpers = new Map<
  string,
  { readonly worker: NodeWorker; readonly post: (message: unknown) => void }[]
>();

/**
 * Threads that run the module, one less than `threads()` and at most `most`; they stay for the next call and do not keep a
 * process alive. None in a browser, and where the file is not, as in a bundle.
 */
export function helperThreads<M>(address: () => URL, most: number): Helper<M>[] {
  const count = Math.min(threads() - 1, most);
  const files = nodeModule<{ existsSync(file: URL): boolean }>("fs");
  if (count < 1 || files === undefined) return [];
  const file = address();
  if (file.protocol !== "file:" || allowed(() => files.existsSync(file)) !== true) return [];
  const own = helpers.get(file.href) ?? [];
  helpers.set(file.href, own);
  while (own.length < count && addressRoom() >= THREAD_ADDRESSES) {
    const worker = nodeWorker(file, { execArgv: [] });
    // Who fails to start takes no task.
    worker.on("error", () => helpers.delete(file.href));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    own.push({ worker, post: (message) => worker.postMessage(message) });
  }
  return own.slice(0, count);
}

function createPool(size: number, start: (data: object) => WorkerHandle): Pool {
  const arena = createArena("the pool of threads", true, stopThreads);
  const control = new SharedArrayBuffer(CONTROL_BYTES);
  const words = new Int32Array(control);
  const doubles = new Float64Array(control);
  const workers: WorkerHandle[] = [];
  for (let thread = 1; thread < size; thread++) {
    workers.push(start({ memory: arena.memory, control, thread }));
  }
  let nextByte = FIRST_MODULE_BYTE;
  const modules: { start: number; length: number }[] = [];

  return {
    arena,
    size,
    addModule(bytes) {
      if (nextByte + bytes.length > CONTROL_BYTES) throw new Error("there are too many kernels for the pool");
      new Uint8Array(control).set(bytes, nextByte);
      modules.push({ start: nextByte, length: bytes.length });
      nextByte += bytes.length;
      return modules.length - 1;
    },
    run({ kernel, exportIndex, call, tasks, scratchBytes, args }) {
      if (tasks === 0) return;
      if (args.length + 2 > MOST_ARGUMENTS) throw new Error("too many arguments for a parallel kernel");
      const scratch = arena.scope(() => arena.reserve(size * scratchBytes));
      // Nobody reads these words now: every task of the last round is finished, and no new task can be taken
      // before REMAINING is set.
      words[ROUND]++;
      words[COUNT] = tasks;
      words[FAILED] = 0;
      words[KERNEL] = kernel;
      words[EXPORT] = exportIndex;
      words[ARGUMENTS] = args.length;
      words[MODULE_START] = modules[kernel].start;
      words[MODULE_LENGTH] = modules[kernel].length;
      doubles[FIRST_ARGUMENT] = scratch;
      doubles[FIRST_ARGUMENT + 1] = scratchBytes;
      doubles.set(args, FIRST_ARGUMENT + 2);
      Atomics.store(words, FINISHED, 0);
      Atomics.store(words, REMAINING, tasks);
      Atomics.add(words, GENERATION, 1);
      Atomics.notify(words, GENERATION);
      let failure: unknown;
      for (;;) {
        const remaining = Atomics.sub(words, REMAINING, 1);
        if (remaining <= 0) break;
        try {
          call(tasks - remaining, scratch, ...args);
        } catch (error) {
          failure = error;
        }
        Atomics.add(words, FINISHED, 1);
      }
      for (;;) {
        const finished = Atomics.load(words, FINISHED);
        if (finished === tasks) break;
        Atomics.wait(words, FINISHED, finished);
      }
      if (failure !== undefined) throw failure;
      if (Atomics.load(words, FAILED) !== 0) throw new Error("a kernel failed on another thread");
    },
    stop() {
      for (const worker of workers) worker.terminate();
    },
  };
}

function startInNode(data: object): WorkerHandle {
  return nodeWorker(workerSource, { eval: true, workerData: data, execArgv: [], env: {} });
}

interface NodeWorker extends WorkerHandle {
  postMessage(message: unknown): void;
  on(event: "error", hear: () => void): void;
  unref(): void;
}

function nodeWorker(source: string | URL, options: object): NodeWorker {
  const { Worker } = nodeModule<{ Worker: new (source: string | URL, options: object) => NodeWorker }>(
    "worker_threads",
  )!;
  const worker = new Worker(source, options);
  worker.unref();
  return worker;
}

function startInBrowser(data: object, ready: Promise<void>[]): WorkerHandle {
  const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
  const worker = new Worker(url);
  ready.push(
    new Promise((resolve, reject) => {
      worker.addEventListener("message", () => {
        URL.revokeObjectURL(url);
        resolve();
      });
      worker.addEventListener("error", (event) => reject(new Error(event.message)));
    }),
  );
  worker.postMessage(data, []);
  return worker;
}

function initialThreads(): number {
  if (typeof SharedArrayBuffer === "undefined") return 1;
  const asked = environment("KINDRED_THREADS");
  if (asked !== undefined) {
    const count = Number(asked);
    if (Number.isInteger(count) && count >= 1 && count <= MOST_THREADS) return count;
    throw optionError(`KINDRED_THREADS must be a number from 1 to ${MOST_THREADS}, got "${asked}"`);
  }
  const os = nodeModule<{ availableParallelism(): number }>("os");
  const machine = os?.availableParallelism() ?? globalThis.navigator?.hardwareConcurrency ?? 1;
  return Math.max(1, Math.min(machine, 16));
}
