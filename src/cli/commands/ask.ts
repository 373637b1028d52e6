import { existsSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { KindredError, type OnProgress } from "../../core/index.ts";
import { clipped, inputError, option, optionError, percent, plural, shellWord } from "../../core/internal.ts";
import {
  cellText,
  fillHints,
  readText,
  writeHints,
  type Column,
  type Hints,
  type Table,
} from "../../data/index.ts";
import { hintCount } from "../../data/internal.ts";
import { readHints, type Prepared, type TableRequest } from "../../run/index.ts";
import {
  hintRowsLine,
  hintRowsOf,
  idsOf,
  keptHints,
  prepareInput,
  readInput,
  readSeeds,
  requireColumn,
  type RowIds,
  rowNames,
  unhintedLibrary,
} from "../../run/internal.ts";
import { askQuestions, type AskedPair, type Reply } from "../../hints/index.ts";
import { isSparse, toDense, type Matrix } from "../../matrix/index.ts";
import { textsOf } from "../../model/index.ts";
import { integerAtLeast, nameList, seedOption, addTableWords, DATA_HELP } from "../options/words.ts";
import { answerFile } from "../output/answerFile.ts";
import { columns, tell, withProgress } from "../output/terminal.ts";
import { noteInputs, outputFile } from "../output/outputs.ts";

type AskFlags = TableRequest & {
  readonly clusters?: number;
  readonly budget: number;
  readonly answers?: string;
  readonly known?: string;
  readonly hints: string;
  readonly show?: readonly string[];
  readonly seed?: number;
};

/** `kindred ask`: which pairs of rows to judge next. */
export function define(command: Command): void {
  command
    .argument("<data...>", DATA_HELP)
    .option("-k, --clusters <n>", "number of clusters (default: found)", integerAtLeast(1))
    .option("--budget <n>", "number of answers", integerAtLeast(1), 20)
    .option(
      "--hints <file>",
      "file for the answers; existing answers are kept and not asked again",
      "hints.csv",
    )
    .option(
      "--answers <file>",
      "take the answers from known labels (one per row, or row,label) instead of asking",
    )
    .option("--known <column>", "take the answers from this column, where it is not empty, instead of asking")
    .option("--show <columns>", "columns of the rows to show (default: those that differ most)", nameList)
    .addOption(seedOption());
  addTableWords(command);
  command.addHelpText("after", "\nkindred cluster DATA --hints FILE learns from the answers.");
  command.action((sources: readonly string[], flags: AskFlags) => ask(command, sources, flags));
}

async function ask(command: Command, sources: readonly string[], options: AskFlags): Promise<void> {
  await noteInputs(command);
  const { path } = outputFile(options.hints, "--hints");
  if (options.answers !== undefined && options.known !== undefined) {
    throw optionError(`${option("answers")} and ${option("known")}: give one of them`);
  }
  const byHand = options.answers === undefined && options.known === undefined;
  if (sources[0] === "-" && byHand) {
    throw optionError(
      `the questions are answered on standard input: give the table as a file, or ${option("answers")}`,
    );
  }
  const { table, prepared, X, ids, earlier, unhinted } = await withProgress((onProgress) =>
    startOf(sources, path, options, onProgress),
  );
  const { clusters, budget, seed } = options;
  const before = hintCount(earlier.hints);
  const hints = prepared.rows === undefined ? earlier.hints : keptHints(earlier.hints, prepared.rows).hints;
  const { library, clusters: without } = unhinted;
  const questions = askQuestions(X, { clusters, budget, seed, hints, library, without, scale: "none" });
  const tableRow = (i: number): number => prepared.rows?.[i] ?? i;
  const file = answerFile(path, earlier.head);
  const add = ({ a, b, reply }: Answer): void => {
    const said =
      reply === "skip" ? { skipped: [[a, b] as const] } : { pairs: [{ a, b, same: reply === "same" }] };
    const [, line] = writeHints(said, earlier.ids?.values).split("\n");
    file.add(line);
  };
  let given: readonly Answer[];
  if (before > 0) tell(`${path} is continued: it has ${plural(before, "answer")} (${ANOTHER})`);
  if (byHand) {
    tell(
      `Do the two rows belong together? Differences are marked with *. Each answer is saved to ${path} at once.`,
    );
    const named = (i: number): string => (ids === undefined ? `row ${i}` : clipped(ids.values[i], WIDEST));
    const shown = (a: number, b: number): string => cards(a, b, table, { show: options.show, ids, named });
    given = await interview(questions, { tableRow, budget, shown, named, add, undo: file.undo });
  } else {
    const known =
      options.answers === undefined
        ? textsOf(requireColumn(table, "known", options.known!))
        : await readAnswers(options.answers, table, options.id, ids);
    given = answered(questions, tableRow, known);
    for (const answer of given) add(answer);
  }
  const answers = given.filter(({ reply }) => reply !== "skip");
  const same = answers.filter(({ reply }) => reply === "same").length;
  tell(
    given.length === 0
      ? `no answer was given${before > 0 ? `; ${path} is as it was` : ", and no file was written"}`
      : `added ${plural(answers.length, "answer")} (${same} same) to ${path}` +
          (before > 0 ? `, after the ${before} that were there` : ""),
  );
  if (byHand && answers.length + before > 0) {
    const count = clusters === undefined ? [] : ["--clusters", String(clusters)];
    tell(`next: kindred cluster ${[...sources, "--hints", path, ...count].map(shellWord).join(" ")}`);
  }
}

/** The rows and what is known of them, before the first question. */
async function startOf(
  sources: readonly string[],
  path: string,
  options: AskFlags,
  onProgress: OnProgress,
): Promise<Start> {
  const input = await readInput(sources, options, onProgress);
  const { table } = input;
  for (const name of options.show ?? []) requireColumn(table, "show", name);
  if (options.known !== undefined) requireColumn(table, "known", options.known);
  const ids = uniqueIds(table, options.id);
  const ignore = [...(options.ignore ?? []), ...(options.known === undefined ? [] : [options.known])];
  const prepared = prepareInput(input, { ...options, ignore, method: "hints", hinted: true });
  const X = isSparse(prepared.X) ? toDense(prepared.X) : prepared.X;
  const earlier = existsSync(path)
    ? await earlierAnswers(options, table, ids)
    : { hints: fillHints({}), ids, head: [hintRowsLine(table, ids?.name), "a,b,hint"] };
  const { clusters, seed = 0 } = options;
  if (clusters !== undefined && clusters > X.rows) {
    throw optionError(`${option("clusters")} is ${clusters}, but ${table.source} has only ${X.rows} rows`);
  }
  const { space } = prepared;
  const record = space.kind === "features" ? space.record : undefined;
  const unhinted = unhintedLibrary(
    X,
    { clusters, seed, onProgress },
    { record, unhinted: prepared.unhinted },
  );
  return { table, prepared, X, ids, earlier, unhinted };
}

interface Start {
  readonly table: Table;
  readonly prepared: Prepared;
  readonly X: Matrix;
  readonly ids: RowIds | undefined;
  readonly earlier: Earlier;
  readonly unhinted: ReturnType<typeof unhintedLibrary>;
}

const ANOTHER = "--hints FILE begins another one";

/** The answers of a file that is continued, how it calls rows, and the first lines that it lacks. */
interface Earlier {
  readonly hints: Hints;
  /** Undefined: by their numbers. */
  readonly ids: RowIds | undefined;
  readonly head: readonly string[];
}

/** The file may be about another table, as its name is the usual one. */
async function earlierAnswers(
  { hints: path, id }: AskFlags,
  table: Table,
  ids: RowIds | undefined,
): Promise<Earlier> {
  try {
    const { text, name } = await readText(path);
    const byNumber = ids === undefined || hintRowsOf(text)?.by === "number";
    const hints = await readHints(path, table, { id: byNumber ? id : ids.name });
    if (hintCount(hints) > 0 && !/^[^#].*,/m.test(text)) {
      throw inputError(`${name} separates its cells by other marks than commas`);
    }
    return { hints, ids: byNumber ? undefined : ids, head: text.trim() === "" ? ["a,b,hint"] : [] };
  } catch (error) {
    throw error instanceof KindredError ? error.within(`${path} is continued (${ANOTHER}): `) : error;
  }
}

/** Rows are called by the ids that hints use, or else by their numbers. */
async function readAnswers(
  file: string,
  table: Table,
  id: string | undefined,
  ids: RowIds | undefined,
): Promise<string[]> {
  const rows = rowNames(table, id);
  if (rows.ids !== undefined || ids === undefined) return readSeeds(file, rows);
  try {
    return await readSeeds(file, { ...rows, ids });
  } catch (error) {
    return readSeeds(file, rows).catch(() => {
      throw error;
    });
  }
}

/** The names of rows in hints, undefined for their numbers. A named column of ids must be unique. */
function uniqueIds(table: Table, id: string | undefined): RowIds | undefined {
  const ids = idsOf(table, id);
  if (id === undefined || ids === undefined) return ids;
  if (new Set(ids.values).size === table.rows && !ids.values.includes("")) return ids;
  throw inputError(
    `the column "${id}" does not name every row by its own value, so questions cannot go by it`,
  );
}

type Questions = Generator<AskedPair, Hints, Reply>;

/** Rows of the table, and the hints about them. */
interface Answer {
  readonly a: number;
  readonly b: number;
  readonly reply: "same" | "different" | "skip";
}

function answered(
  questions: Questions,
  tableRow: (i: number) => number,
  labels: readonly string[],
): Answer[] {
  const unknown = (label: string): boolean => label === "" || label === "-1";
  const given: Answer[] = [];
  let step = questions.next("skip");
  while (step.done !== true) {
    const [a, b] = [tableRow(step.value.a), tableRow(step.value.b)];
    const reply =
      unknown(labels[a]) || unknown(labels[b]) ? "skip" : labels[a] === labels[b] ? "same" : "different";
    given.push({ a, b, reply });
    step = questions.next(reply);
  }
  return given;
}

/**
 * One question after the other; every answer is saved at once, and the end of the input ends the interview.
 */
async function interview(
  questions: Questions,
  {
    tableRow,
    budget,
    shown,
    named,
    add,
    undo,
  }: {
    readonly tableRow: (i: number) => number;
    readonly budget: number;
    readonly shown: (a: number, b: number) => string;
    readonly named: (row: number) => string;
    readonly add: (answer: Answer) => void;
    readonly undo: () => void;
  },
): Promise<Answer[]> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const lines = terminal[Symbol.asyncIterator]();
  // Lines before the end of the input can still be read; a prompt is then refused.
  let ended = false;
  terminal.once("close", () => (ended = true));
  const prompt = (): void => {
    if (!ended) terminal.prompt();
  };
  terminal.setPrompt("s (same) / d (different) / ? (skip) / u (undo) / g (groups) / q (enough): ");
  const given: Answer[] = [];
  let told = false;
  let step = questions.next("skip");
  while (step.done !== true) {
    const { why, enough, before } = step.value;
    const [a, b] = [tableRow(step.value.a), tableRow(step.value.b)];
    if (enough && !told) {
      told = true;
      tell("\nfurther answers would change little; q ends here");
    }
    const asked = given.filter(({ reply }) => reply !== "skip").length;
    const again = before === undefined ? "" : `you said ${before}; `;
    tell(
      `\nquestion ${asked + 1} of at most ${budget}; ${doubtText(step.value)}\n${again}${why}\n${shown(a, b)}`,
    );
    const groups = (): void => tell(groupsText(step.value as AskedPair, tableRow, named));
    const reply = await judgement(prompt, lines, groups);
    if (reply === undefined) {
      if (ended) tell(""); // the line of the prompt ends
      break;
    }
    if (reply !== "undo") {
      add({ a, b, reply });
      given.push({ a, b, reply });
    } else if (given.pop() !== undefined) undo();
    step = questions.next(reply);
  }
  terminal.close();
  return given;
}

const REPLIES: Readonly<Record<string, Reply>> = {
  s: "same",
  same: "same",
  y: "same",
  yes: "same",
  d: "different",
  different: "different",
  n: "different",
  no: "different",
  "?": "skip",
  skip: "skip",
  "": "skip",
  u: "undo",
  undo: "undo",
};

/** What is in doubt, and what the answer is worth. */
function doubtText({ open, numbers: [first, second], gain }: AskedPair): string {
  const count =
    second === undefined || first.weight > SURE
      ? plural(first.clusters, "group")
      : `${first.clusters} groups (${percent(first.weight)}) or ${second.clusters} (${percent(second.weight)})`;
  const worth = gain > 0 ? `; the answer should settle ${percent(gain)} of the doubt` : "";
  return `${count}; ${percent(open)} of the rows are undecided${worth}`;
}

/** Probability from which on a number of groups is not in doubt. */
const SURE = 0.9;
/** Rows of a group that are named. */
const NAMED_ROWS = 4;

function groupsText(
  { groups }: AskedPair,
  tableRow: (i: number) => number,
  named: (row: number) => string,
): string {
  const lines = groups.map((rows, g) => {
    const some = rows.slice(0, NAMED_ROWS).map((row) => named(tableRow(row)));
    return `  group ${g + 1}: ${plural(rows.length, "row")}, such as ${some.join(", ")}`;
  });
  return `the groups so far:\n${lines.join("\n")}`;
}

const KEYS =
  "the keys are s (same), d (different), ? (skip: costs nothing), u (take the last answer back), g (the groups so far), q (enough)";

async function judgement(
  prompt: () => void,
  lines: AsyncIterator<string>,
  groups: () => void,
): Promise<Reply | undefined> {
  for (;;) {
    prompt();
    const { value, done } = await lines.next();
    if (done === true) return undefined;
    const said = String(value).trim().toLowerCase();
    if (said === "q" || said === "quit") return undefined;
    const reply = REPLIES[said];
    if (reply !== undefined) return reply;
    if (said === "g" || said === "groups") groups();
    else tell(`"${clipped(said, WIDEST)}" is no answer: ${KEYS}`);
  }
}

/** Number of columns that a question shows by default. */
const SHOWN = 10;
const WIDEST = 48;

/** The two rows side by side; differences are marked. */
function cards(
  a: number,
  b: number,
  table: Table,
  {
    show,
    ids,
    named,
  }: Pick<AskFlags, "show"> & { readonly ids: RowIds | undefined; readonly named: (row: number) => string },
): string {
  const useful = table.columns.filter(
    ({ kind, name }) => kind !== "constant" && kind !== "empty" && kind !== "vector" && name !== ids?.name,
  );
  const chosen =
    show === undefined
      ? useful.toSorted((p, q) => apart(q, a, b) - apart(p, a, b)).slice(0, SHOWN)
      : show.map((name) => requireColumn(table, "show", name));
  const rows = chosen.map((column) => {
    const [left, right] = [cellText(column, a), cellText(column, b)];
    return [left === right ? "" : "*", column.name, clipped(left, WIDEST), clipped(right, WIDEST)];
  });
  return columns([["", "", named(a), named(b)], ...rows], "  ")
    .map((line) => `  ${line}`)
    .join("\n");
}

/** The distance of two cells: 0 for equal ones, numbers in units of their column's range. */
function apart(column: Column, a: number, b: number): number {
  const [left, right] = [cellText(column, a), cellText(column, b)];
  if (left === right) return 0;
  const { values } = column;
  if (values === undefined || column.kind === "id") return column.kind === "category" ? 1 : 0.5;
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high > low ? Math.abs(values[a] - values[b]) / (high - low) || 0 : 0;
}
