import { contrastsOf } from "kindred/report";
import type { FromWorker, QuestionKind, Questions, TableData, ToWorker } from "../protocol.ts";
import { browse, summarize } from "./browse.ts";

/**
 * The worker that looks through the rows: histograms, brushes, search and order. It is a separate worker, so
 * none of them waits for a clustering.
 */
let table: TableData | undefined;

function say(message: FromWorker): void {
  globalThis.postMessage(message, { transfer: [] });
}

function answer<K extends QuestionKind>(kind: K, asked: Questions[K]["asked"]): unknown {
  const given = asked as { readonly table: TableData };
  if ("columns" in given.table) table = given.table;
  if (table === undefined) throw new Error("the table of this question is not here");
  if (kind === "summary") return summarize(table);
  if (kind === "browse") return browse(table, asked as Questions["browse"]["asked"]);
  if (kind === "contrast") {
    const { labels, profiles } = asked as Questions["contrast"]["asked"];
    return contrastsOf(table, labels, profiles);
  }
  throw new Error(`this worker does not ${kind}`);
}

globalThis.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  const { id, kind, asked } = data;
  try {
    say({ type: "answer", id, answer: answer(kind, asked as never) });
  } catch (error) {
    say({ type: "failure", id, message: error instanceof Error ? error.message : String(error) });
  }
});

say({ type: "hello", methods: [] });
