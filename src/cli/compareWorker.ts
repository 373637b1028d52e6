import { parentPort } from "node:worker_threads";
import { setThreads } from "../matrix/index.ts";
import { takeRows, type Matrix } from "../matrix/matrix.ts";
import { defaultsOf, methods } from "./methods.ts";
import type { Reply } from "./taskPool.ts";

/** One method on the rows, or on some of them. */
export interface CompareTask {
  readonly method: string;
  /** Shared by all threads. */
  readonly X: Matrix;
  readonly names: readonly string[];
  readonly clusters: number | undefined;
  readonly seed: number;
  /** The rows of a resample; all rows when absent. */
  readonly rows?: Int32Array;
}

export interface CompareFit {
  readonly labels: Int32Array;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly seconds: number;
}

/** A thread of `kindred compare`: one method after the other, with its defaults, each on this one thread. */
setThreads(1);
parentPort!.on("message", async (task: CompareTask) => {
  let reply: Reply<CompareFit>;
  try {
    reply = { result: await fit(task) };
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    reply = { failure: { message, stack } };
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort!.postMessage(reply);
});

async function fit({ method: name, X, names, clusters, seed, rows }: CompareTask): Promise<CompareFit> {
  const method = await methods.find((known) => known.name === name)!.load();
  const start = performance.now();
  const { labels, converged, warnings } = await method.run(rows === undefined ? X : takeRows(X, rows), {
    clusters,
    ...(method.accepts.seed && { seed }),
    onProgress: () => {},
    names,
    own: defaultsOf(method),
  });
  return { labels, converged, warnings, seconds: (performance.now() - start) / 1000 };
}
