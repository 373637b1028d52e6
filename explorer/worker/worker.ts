import { shownMethods } from "../methods.ts";
import type { FromWorker, QuestionKind, Questions, ToWorker, Told } from "../protocol.ts";
import { inWords } from "./failure.ts";
import { openTable } from "./openTable.ts";
import { look, solve } from "./solve.ts";

type Answers = {
  [K in QuestionKind]: (
    asked: Questions[K]["asked"],
    onProgress: (told: Told) => void,
  ) => Questions[K]["answer"] | Promise<Questions[K]["answer"]>;
};

const answers: Answers = {
  open: openTable,
  look,
  solve,
  path: async (asked, onProgress) => (await import("./fusionPath.ts")).fusionPath(asked, onProgress),
  report: async (asked) => (await import("./report.ts")).report(asked),
};

function say(message: FromWorker): void {
  globalThis.postMessage(message, { transfer: [] });
}

globalThis.addEventListener("message", async ({ data }: MessageEvent<ToWorker>) => {
  const { id, kind, asked } = data;
  try {
    const answer = await answers[kind](asked as never, (told) => say({ type: "progress", id, told }));
    say({ type: "answer", id, answer });
  } catch (error) {
    say({ type: "failure", id, message: inWords(error) });
  }
});

// Thrown where nothing catches it, this reaches the page as an error of the worker.
globalThis.addEventListener("messageerror", () => {
  throw new Error("a question could not be read");
});

say({ type: "hello", methods: shownMethods() });
// The first clustering should not wait for its code.
void import("kindred/cluster");
