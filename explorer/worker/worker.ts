import { load as loadMixed } from "virtual:later-mixed";
import { load as loadModels } from "virtual:later-models";
import { load as loadNeighbors } from "virtual:later-neighbors";
import { load as loadRules } from "virtual:later-rules";
import { load as loadWords } from "virtual:later-words";
import type {
  FromWorker,
  KnownTable,
  QuestionKind,
  Questions,
  TableData,
  ToWorker,
  Told,
} from "../protocol.ts";
import { inWords, notesOf } from "./failure.ts";
import { openTable, readSeparate } from "./openTable.ts";
import { look } from "./rows.ts";
import { methodOptions, shownMethods } from "./shownMethods.ts";

type Answers = {
  [K in Exclude<QuestionKind, "summary" | "browse" | "contrast">]: (
    asked: Questions[K]["asked"],
    onProgress: (told: Told) => void,
  ) => Questions[K]["answer"] | Promise<Questions[K]["answer"]>;
};

const answers: Answers = {
  options: methodOptions,
  open: async (asked, onProgress) => kept(await openTable(asked, onProgress)),
  look,
  solve: async (asked, onProgress) => (await import("./solve.ts")).solve(asked, onProgress),
  path: async (asked, onProgress) => (await import("./fusionPath.ts")).fusionPath(asked, onProgress),
  layout: async (asked, onProgress) => (await import("./layout.ts")).layout(asked, onProgress),
  judge: async (asked) => (await import("./judge.ts")).judge(asked),
  compare: async (asked, onProgress) => (await import("./compare.ts")).compare(asked, onProgress),
  place: async (asked) => (await import("./place.ts")).place(asked, readSeparate, notesOf),
  copy: async (asked) => (await import("./copyRows.ts")).copyRows(asked),
  fingerprint: async (asked) => (await import("./fingerprint.ts")).fingerprint(asked),
  report: async (asked) => (await import("./report.ts")).report(asked),
};

/** The search for neighbours may be approximate from this number of rows on (src/graph/nearestNeighbors.ts). */
const MANY_ROWS = 10_000;

/** From this number of rows on, some of them may be a sample (src/judge/allRows.ts). */
const SAMPLED_ROWS = 1000;

/** The tables opened last or sent with a question: one, and another that may still be asked about. */
const tables: TableData[] = [];

function kept(table: TableData): TableData {
  tables.unshift(table);
  tables.length = Math.min(tables.length, 2);
  return table;
}

function say(message: FromWorker): void {
  globalThis.postMessage(message, { transfer: [] });
}

globalThis.addEventListener("message", async ({ data }: MessageEvent<ToWorker>) => {
  const { id, kind, asked } = data;
  try {
    const whole = withTable(asked);
    const { table, method = "auto" } = whole as { table?: TableData; method?: string };
    if ((table?.rows ?? 0) >= MANY_ROWS) await loadNeighbors();
    if ((table?.rows ?? 0) >= SAMPLED_ROWS) await loadRules();
    if (table !== undefined && hasLevels(table)) await loadMixed();
    const wordy = table?.columns.some(({ kind }) => kind === "text" || kind === "vector") === true;
    if (wordy || kind === "place") await loadWords();
    if (method !== "auto" || kind === "compare" || kind === "place") await loadModels();
    const answer = await answers[kind as keyof Answers](whole as never, (told) =>
      say({ type: "progress", id, told }),
    );
    say({ type: "answer", id, answer });
  } catch (error) {
    say({ type: "failure", id, message: inWords(error) });
  }
});

/** Whether columns become levels (src/features/encode/candidates.ts), which have a mixture of their own. */
function hasLevels({ columns, label }: TableData): boolean {
  return columns.some(
    ({ kind, name, values }) =>
      name !== label && (kind === "category" || (kind === "id" && values === undefined)),
  );
}

/** A question about a known table refers to it by its number. */
function withTable(asked: unknown): unknown {
  const { table } = asked as { table?: TableData | KnownTable };
  if (table === undefined) return asked;
  const known = tables.find(({ key }) => key === table.key);
  if (known !== undefined) return { ...(asked as object), table: known };
  if (!("columns" in table)) throw new Error("the table of this question is not here");
  return { ...(asked as object), table: kept(table) };
}

// An uncaught error reaches the page as an error of the worker.
globalThis.addEventListener("messageerror", () => {
  throw new Error("a question could not be read");
});

say({ type: "hello", methods: shownMethods() });
// The first clustering should not wait for its code.
void import("./solve.ts");
