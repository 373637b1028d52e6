import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { type Command, Option } from "commander";
import { askPairs, type Answer, type AskPairsOptions, type Question } from "../../cluster/index.ts";
import { inputError, optionError } from "../../core/errors.ts";
import { scale, type Constraints, type Pair, type ScaleKind, type NumberTable } from "../../data/index.ts";
import { isSparse, toDense, type Matrix } from "../../matrix/index.ts";
import { integerAtLeast } from "../arguments.ts";
import { columns } from "../columns.ts";
import { inputOptions, readInput, type InputOptions } from "../input.ts";
import { outputFile } from "../outputFile.ts";
import { readPairs } from "../pairFile.ts";
import { progressLine } from "../progressLine.ts";
import { readSeeds } from "../seedFile.ts";
import { tell } from "../stdout.ts";

interface AskOptions extends InputOptions {
  readonly clusters: number;
  readonly budget: number;
  readonly strategy?: AskPairsOptions["strategy"];
  readonly answers?: string;
  readonly mustLink: string;
  readonly cannotLink: string;
  readonly scale: ScaleKind;
  readonly seed?: number;
}

export function define(command: Command): void {
  command
    .argument("<data>", "a file, - or the name of a data set")
    .requiredOption("-k, --clusters <n>", "number of clusters", integerAtLeast(1))
    .option("--budget <n>", "number of questions", integerAtLeast(1), 20)
    .addOption(
      new Option("--strategy <name>", "which row to ask about next (default: min-max)").choices([
        "explore",
        "min-max",
        "margin",
      ]),
    )
    .option("--answers <file>", "answer by known labels (one per row, or row,label) instead of asking")
    .option(
      "--must-link <file>",
      "the pairs that belong together: read if it exists, and added to",
      "must-link.csv",
    )
    .option("--cannot-link <file>", "those that do not: read if it exists, and added to", "cannot-link.csv")
    .addOption(
      new Option("--scale <kind>", "put the columns on a common scale")
        .choices(["zscore", "minmax", "none"])
        .default("zscore"),
    )
    .option("--seed <n>", "of every random choice (default: 0)", integerAtLeast(0));
  inputOptions(command);
  command.action(ask);
}

async function ask(source: string, options: AskOptions): Promise<void> {
  if (resolve(options.mustLink) === resolve(options.cannotLink)) {
    throw optionError(`--must-link and --cannot-link are both ${options.mustLink}: give two files`);
  }
  const files = [
    outputFile(options.mustLink, "--must-link"),
    outputFile(options.cannotLink, "--cannot-link"),
  ];
  if (source === "-" && options.answers === undefined) {
    throw optionError("the questions are answered on standard input: give the table as a file, or --answers");
  }
  const progress = progressLine();
  const table = await readInput(source, options, progress.onProgress).finally(() => progress.done());
  const { rows } = table.X;
  if (options.clusters > rows) {
    throw inputError(`--clusters ${options.clusters}: ${table.source} has only ${rows} rows`);
  }
  const scaled = scale(table.X, options.scale, { names: table.names, batch: table.batch?.values });
  const X = isSparse(scaled.X) ? toDense(scaled.X) : scaled.X;
  const { clusters, budget, strategy, seed } = options;
  // Files of an earlier round: what they say is known, and stays in them.
  const earlier = async (path: string): Promise<Pair[]> =>
    existsSync(path) ? readPairs(path, { ...table, rows: table.X.rows }) : [];
  const known = { mustLink: await earlier(options.mustLink), cannotLink: await earlier(options.cannotLink) };
  const questions = askPairs(X, { clusters, budget, strategy, seed, ...known });
  const pairs =
    options.answers === undefined
      ? await interview(questions, table, X, scaled.names, budget)
      : answered(questions, await readSeeds(options.answers, { ...table, rows: table.X.rows }));
  await files[0].write(pairLines([...known.mustLink, ...pairs.mustLink], table));
  await files[1].write(pairLines([...known.cannotLink, ...pairs.cannotLink], table));
  const before = known.mustLink.length + known.cannotLink.length;
  tell(
    `wrote ${pairs.mustLink.length} must-links to ${options.mustLink} and ` +
      `${pairs.cannotLink.length} cannot-links to ${options.cannotLink}` +
      (before > 0 ? `, after the ${before} pairs that were there` : ""),
  );
}

type Questions = Generator<Question, Constraints, Answer>;

function answered(questions: Questions, labels: readonly string[]): Constraints {
  const unknown = (label: string): boolean => label === "" || label === "-1";
  let step = questions.next();
  while (step.done !== true) {
    const [a, b] = step.value.pair.map((row) => labels[row]);
    step = questions.next(unknown(a) || unknown(b) ? null : a === b);
  }
  return step.value;
}

/** One question after the other; the end of the input ends the interview, and what was answered is kept. */
async function interview(
  questions: Questions,
  table: NumberTable,
  X: Matrix,
  names: readonly string[],
  budget: number,
): Promise<Constraints> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const lines = terminal[Symbol.asyncIterator]();
  const pairs: { mustLink: Pair[]; cannotLink: Pair[] } = { mustLink: [], cannotLink: [] };
  let step = questions.next();
  while (step.done !== true) {
    const { pair, number } = step.value;
    tell(`\nquestion ${number} of ${budget}\n${comparison(pair, table, X, names)}`);
    const answer = await judgement(terminal, lines);
    if (answer === undefined) break;
    if (answer !== null) (answer ? pairs.mustLink : pairs.cannotLink).push(pair);
    step = questions.next(answer);
  }
  terminal.close();
  return pairs;
}

async function judgement(
  terminal: ReturnType<typeof createInterface>,
  lines: AsyncIterator<string>,
): Promise<Answer | undefined> {
  for (;;) {
    terminal.setPrompt("do they belong together? y / n / ? (not known) / q (enough): ");
    terminal.prompt();
    const { value, done } = await lines.next();
    if (done === true) return undefined;
    const said = String(value).trim().toLowerCase();
    if (said === "y" || said === "yes") return true;
    if (said === "n" || said === "no") return false;
    if (said === "?" || said === "") return null;
    if (said === "q" || said === "quit") return undefined;
  }
}

/** Columns that a question shows, those that differ most first. */
const SHOWN = 8;

function comparison([i, j]: Pair, table: NumberTable, X: Matrix, names: readonly string[]): string {
  const d = X.cols;
  const apart = (c: number): number => Math.abs(X.data[i * d + c] - X.data[j * d + c]);
  const order = Array.from({ length: d }, (_, c) => c).sort((a, b) => apart(b) - apart(a));
  const original = isSparse(table.X) ? undefined : table.X;
  const cell = (row: number, c: number): string => {
    const at = table.names.indexOf(names[c]);
    const value =
      original === undefined || at < 0 ? X.data[row * d + c] : original.data[row * original.cols + at];
    return String(Number(value.toPrecision(6)));
  };
  const title = (row: number): string => (table.ids === undefined ? `row ${row}` : table.ids.values[row]);
  return columns([
    ["column", title(i), title(j), "apart"],
    ...order.slice(0, SHOWN).map((c) => [names[c], cell(i, c), cell(j, c), apart(c).toFixed(2)]),
  ]).join("\n");
}

function* pairLines(pairs: readonly Pair[], { ids }: NumberTable): Generator<string> {
  const name = (row: number): string => {
    if (ids === undefined) return String(row);
    const id = ids.values[row];
    return /[",\n\r]/.test(id) ? `"${id.replaceAll('"', '""')}"` : id;
  };
  yield "first,second\n";
  for (const [i, j] of pairs) yield `${name(i)},${name(j)}\n`;
}
