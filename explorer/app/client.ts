import type {
  FromWorker,
  KnownTable,
  MethodShown,
  QuestionKind,
  Questions,
  TableData,
  Told,
  ToWorker,
} from "../protocol.ts";

/** A question that was withdrawn before it was answered. */
export class Withdrawn extends Error {}

interface Waiting {
  readonly message: ToWorker;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: (told: Told) => void;
}

export interface Asking<K extends QuestionKind> {
  /** Settles in every case: with the answer, with the failure, or as withdrawn. */
  readonly answer: Promise<Questions[K]["answer"]>;
  /** Ends the worker in the middle of its work and starts another, which takes over the other requests. */
  cancel(): void;
}

/**
 * The worker and its unanswered questions. A question is sent after the worker's hello, so a question
 * withdrawn before that costs nothing. A worker that ends without a hello is not replaced until the next
 * question: a new one would fail too.
 */
export function createClient(
  onMethods: (methods: readonly MethodShown[]) => void,
  make: () => Worker = () => new Worker(new URL("../worker/worker.ts", import.meta.url), { type: "module" }),
): {
  ask<K extends QuestionKind>(
    kind: K,
    asked: Questions[K]["asked"],
    onProgress?: (told: Told) => void,
  ): Asking<K>;
  /** Ends the worker, with its cache, unless it has an open question; the next question starts another. */
  rest(): void;
} {
  const waiting = new Map<number, Waiting>();
  let count = 0;
  let worker: Worker | undefined;
  let ready = false;
  /** The table held by the worker. */
  let held: number | undefined;
  start();

  function start(): void {
    ready = false;
    held = undefined;
    try {
      worker = make();
    } catch (error) {
      broken((error as Error).message);
      return;
    }
    const fresh = worker;
    // Messages of a replaced worker are ignored.
    fresh.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
      if (fresh === worker) hear(data);
    });
    fresh.addEventListener("error", (event) => {
      event.preventDefault();
      if (fresh === worker) broken(event.message);
    });
    fresh.addEventListener("messageerror", () => {
      if (fresh === worker) broken("its answer could not be read");
    });
  }

  function broken(told = ""): void {
    const lost = [...waiting.values()];
    waiting.clear();
    const started = ready;
    end();
    if (started) start();
    const why = told === "" ? "" : ` (${told})`;
    const text = started
      ? `The computation failed${why}, perhaps because memory ran out. ` +
        "Nothing is lost: use fewer rows, or a lighter method such as k-means."
      : `The computation could not start${why}. Nothing is lost: try again, or reload the page.`;
    for (const { reject } of lost) reject(new Error(text));
  }

  function end(): void {
    worker?.terminate();
    worker = undefined;
    ready = false;
  }

  function hear(message: FromWorker): void {
    if (message.type === "hello") {
      ready = true;
      for (const id of waiting.keys()) put(id);
      return onMethods(message.methods);
    }
    const one = waiting.get(message.id);
    if (one === undefined) return;
    if (message.type === "progress") return one.onProgress(message.told);
    waiting.delete(message.id);
    if (message.type === "answer" && one.message.kind === "open") held = (message.answer as TableData).key;
    if (message.type === "answer") one.resolve(message.answer as never);
    else one.reject(new Error(message.message));
  }

  function put(id: number): void {
    const one = waiting.get(id);
    if (one === undefined) return;
    try {
      worker?.postMessage(withoutHeld(one.message), []);
    } catch (error) {
      waiting.delete(id);
      one.reject(new Error(`The question could not be sent: ${(error as Error).message}`));
    }
  }

  /** A large table is sent once: the worker keeps it. */
  function withoutHeld(message: ToWorker): ToWorker {
    const { table } = message.asked as { readonly table?: TableData };
    if (table === undefined) return message;
    if (table.key !== held) {
      held = table.key;
      return message;
    }
    const known: KnownTable = { key: table.key };
    return { ...message, asked: { ...(message.asked as object), table: known } };
  }

  return {
    rest() {
      if (waiting.size === 0) end();
    },
    ask(kind, asked, onProgress = () => {}) {
      const id = ++count;
      const message: ToWorker = { id, kind, asked };
      const answer = new Promise<never>((resolve, reject) => {
        waiting.set(id, { message, resolve, reject, onProgress });
      });
      if (worker === undefined) start();
      else if (ready) put(id);
      return {
        answer,
        cancel() {
          const one = waiting.get(id);
          if (one === undefined) return;
          waiting.delete(id);
          if (ready) {
            end();
            start();
          }
          one.reject(new Withdrawn("withdrawn"));
        },
      };
    },
  };
}
