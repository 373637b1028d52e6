import type { FromWorker, MethodShown, QuestionKind, Questions, Told, ToWorker } from "../protocol.ts";

/** A question that was withdrawn before it was answered. */
export class Withdrawn extends Error {}

interface Waiting {
  readonly message: ToWorker;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: (told: Told) => void;
}

export interface Asking<K extends QuestionKind> {
  readonly answer: Promise<Questions[K]["answer"]>;
  /** Ends the worker in the middle of the work and starts another, which takes over what else was asked. */
  cancel(): void;
}

/** The worker, and the questions it has not answered yet. */
export function createClient(onMethods: (methods: readonly MethodShown[]) => void): {
  ask<K extends QuestionKind>(
    kind: K,
    asked: Questions[K]["asked"],
    onProgress?: (told: Told) => void,
  ): Asking<K>;
} {
  const waiting = new Map<number, Waiting>();
  let count = 0;
  let worker = start();

  function start(): Worker {
    const fresh = new Worker(new URL("../worker/worker.ts", import.meta.url), { type: "module" });
    fresh.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => hear(data));
    fresh.addEventListener("error", (event) => {
      event.preventDefault();
      const told = event.message === undefined || event.message === "" ? "it ended" : event.message;
      const lost = [...waiting.values()];
      waiting.clear();
      restart();
      for (const { reject } of lost) {
        reject(
          new Error(
            `The computation broke off (${told}), perhaps for want of memory. ` +
              "Nothing is lost: take fewer rows, or a lighter method such as k-means.",
          ),
        );
      }
    });
    return fresh;
  }

  function hear(message: FromWorker): void {
    if (message.type === "hello") return onMethods(message.methods);
    const one = waiting.get(message.id);
    if (one === undefined) return;
    if (message.type === "progress") return one.onProgress(message.told);
    waiting.delete(message.id);
    if (message.type === "answer") one.resolve(message.answer as never);
    else one.reject(new Error(message.message));
  }

  function restart(): void {
    worker.terminate();
    worker = start();
    for (const { message } of waiting.values()) worker.postMessage(message, []);
  }

  return {
    ask(kind, asked, onProgress = () => {}) {
      const id = ++count;
      const message: ToWorker = { id, kind, asked };
      const answer = new Promise<never>((resolve, reject) => {
        waiting.set(id, { message, resolve, reject, onProgress });
      });
      worker.postMessage(message, []);
      return {
        answer,
        cancel() {
          const one = waiting.get(id);
          if (one === undefined) return;
          waiting.delete(id);
          restart();
          one.reject(new Withdrawn("withdrawn"));
        },
      };
    },
  };
}
