import { KindredError } from "../core/index.ts";
import { errorOf, nodeModule, option, optionError, type Reply } from "../core/internal.ts";
import type { Hints } from "../data/index.ts";
import { asTable, type AsyncRows, type Rows } from "../data/internal.ts";
import type { HintedClustering, LearnFromHintsOptions } from "../hints/index.ts";
import { asMatrix, type MatrixLike } from "../matrix/index.ts";
import { clusteringOf, type Clustering } from "../model/index.ts";
import type { ClusterOptions, CompareOptions, Comparison, MethodName } from "../run/index.ts";

/** A worker of a page, or a thread of Node. */
export interface Thread {
  postMessage(message: unknown): void;
  terminate(): unknown;
}

export interface InThread {
  /** Makes the worker where a bundler does not: `() => new Worker("thread.js", { type: "module" })` of `kindred/worker/thread`. */
  readonly thread?: () => Thread;
}

/** A call as it is posted to the thread. */
export interface Asked {
  readonly name: "cluster" | "compare" | "learnFromHints";
  readonly data: readonly unknown[];
  readonly options: object;
  /** The options that are functions, which are called on this side. */
  readonly heard: readonly string[];
  readonly stop: Stop;
}

/** How a busy thread learns that its best so far is wanted: shared memory, or an address that is no longer valid. */
export interface Stop {
  readonly flag?: Int32Array;
  readonly url?: string;
}

/**
 * `cluster` in a thread of its own: the same result, and the event loop stays free.
 *
 *     const abort = new AbortController();
 *     const found = await cluster(rows, { signal: abort.signal, onProgress: ({ fraction }) => show(fraction) });
 *
 * An abort ends the thread at once, and the promise is rejected with its reason. `onProgress` that returns false asks for the
 * best so far.
 */
export async function cluster<const M extends MethodName = "auto">(
  rows: Rows | AsyncRows,
  options: ClusterOptions<M> & InThread = {},
): Promise<Clustering> {
  const { labels, ...data } = await inThread<Clustering>("cluster", [await sentRows(rows)], options);
  return clusteringOf(data, labels);
}

/**
 * `compare` in a thread of its own.
 *
 *     const { recommendation } = await compare(rows, { budget: 20, signal: AbortSignal.timeout(30_000) });
 */
export async function compare(
  rows: Rows | AsyncRows,
  options: CompareOptions & InThread = {},
): Promise<Comparison> {
  return inThread("compare", [await sentRows(rows)], options);
}

/**
 * `learnFromHints` in a thread of its own.
 *
 *     const { labels } = await learnFromHints(X, { pairs: [{ a: 0, b: 1, same: true }] }, { signal });
 */
export async function learnFromHints(
  data: MatrixLike,
  hints: Partial<Hints>,
  options: LearnFromHintsOptions & InThread = {},
): Promise<HintedClustering> {
  return inThread("learnFromHints", [asMatrix(data, "learnFromHints"), hints], options);
}

/** Functions whose answer the call needs cannot be asked in another thread. */
const ANSWERING = ["run", "spell", "nameOf"];

function inThread<R>(
  name: Asked["name"],
  data: readonly unknown[],
  { signal, thread, ...all }: InThread & { readonly signal?: AbortSignal | undefined },
): Promise<R> {
  const given = Object.entries(all);
  const isFunction = ([, value]: [string, unknown]): boolean => typeof value === "function";
  const callbacks = new Map(given.filter(isFunction) as [string, (...args: unknown[]) => unknown][]);
  const refused = ANSWERING.find((own) => callbacks.has(own));
  if (refused !== undefined)
    throw optionError(`${option(refused)} is a function that another thread cannot call`);
  const options = Object.fromEntries(given.filter((entry) => !isFunction(entry)));
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const { stop, ask } = stopOf();
    const worker = (thread ?? startThread)() as Thread & Events;
    const end = (settle: () => void): void => {
      signal?.removeEventListener("abort", abort);
      ask();
      void worker.terminate();
      settle();
    };
    const abort = (): void => end(() => reject(signal!.reason as Error));
    const hear = (reply: Reply<R> | { readonly called: string; readonly args: readonly unknown[] }): void => {
      if ("called" in reply) {
        try {
          const going = callbacks.get(reply.called)!(...reply.args);
          if (reply.called === "onProgress" && going === false) ask();
        } catch (error) {
          end(() => reject(error as Error));
        }
      } else if ("result" in reply) end(() => resolve(reply.result));
      else if ("failure" in reply) end(() => reject(errorOf(reply.failure)));
    };
    const fail = (error: { readonly message?: string }): void =>
      end(() =>
        reject(new KindredError("numeric", `the thread ended: ${error.message ?? "it did not start"}`)),
      );
    if (worker.on === undefined) {
      worker.addEventListener!("message", (event) => hear((event as { readonly data: Reply<R> }).data));
      worker.addEventListener!("error", (event) => fail(event as { readonly message?: string }));
    } else
      worker.on("message", (reply) => hear(reply as Reply<R>)).on("error", (error) => fail(error as Error));
    signal?.addEventListener("abort", abort);
    const asked: Asked = { name, data, options, heard: [...callbacks.keys()], stop };
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
      worker.postMessage(asked);
    } catch (error) {
      end(() =>
        reject(
          optionError(`${name}: the options must be plain data and callbacks (${(error as Error).message})`),
        ),
      );
    }
  });
}

/** What both kinds of threads have to listen with. */
interface Events {
  on?(event: string, hear: (data: unknown) => void): Events & { on: NonNullable<Events["on"]> };
  addEventListener?(event: string, hear: (event: unknown) => void): void;
}

function startThread(): Thread {
  // Bundlers find the thread by exactly these words.
  if (typeof Worker !== "undefined") {
    return new Worker(new URL("./thread.js", import.meta.url), { type: "module" }) as Thread;
  }
  const threads = nodeModule<{ Worker: new (file: URL) => Thread }>("worker_threads");
  if (threads === undefined) throw optionError(`there are no workers here: give ${option("thread")}`);
  // Not in those words: a bundler for pages has nothing to find here.
  const here = import.meta.url;
  return new threads.Worker(new URL("./thread.js", here));
}

function stopOf(): { readonly stop: Stop; readonly ask: () => void } {
  if (typeof SharedArrayBuffer !== "undefined") {
    const flag = new Int32Array(new SharedArrayBuffer(4));
    return { stop: { flag }, ask: () => void Atomics.store(flag, 0, 1) };
  }
  const url = URL.createObjectURL(new Blob());
  return { stop: { url }, ask: () => URL.revokeObjectURL(url) };
}

/** Rows as they can be posted: lists and plain objects are, and what a library made is read here. */
async function sentRows(rows: Rows | AsyncRows): Promise<unknown> {
  if (typeof rows === "object" && rows !== null && Symbol.asyncIterator in rows) {
    const list: object[] = [];
    for await (const row of rows) list.push(row);
    return list;
  }
  if (Array.isArray(rows)) return rows;
  const made = Object.getPrototypeOf(rows ?? 0) as unknown;
  const isPlain = made === Object.prototype || made === null;
  const hasCode = isPlain && Object.values(rows).some((part) => typeof part === "function");
  return isPlain && !hasCode && !(Symbol.iterator in rows) ? rows : asTable(rows);
}
