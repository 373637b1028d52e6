import { readFile, realpath } from "node:fs/promises";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Command } from "commander";
import type { z } from "zod";
import { KindredError } from "../../core/index.ts";
import { fileError, optionError, sizesOf } from "../../core/internal.ts";
import {
  cellText,
  copiedTable,
  readColumns,
  type Hints,
  type PairHint,
  type Table,
} from "../../data/index.ts";
import { askQuestions, type AskedPair, type Reply } from "../../hints/index.ts";
import { isSparse, toDense } from "../../matrix/index.ts";
import { loadModel, type Clustering } from "../../model/index.ts";
import { compare, explain, methods, run, type Report, type Request } from "../../run/index.ts";
import { prepareInput, unhintedLibrary } from "../../run/internal.ts";
import { clusterPageOf } from "../output/clusterPageOf.ts";
import { filesBelow, type FilesBelow } from "../filesBelow.ts";
import { version } from "../manifest.ts";

/** `kindred mcp`: the tools of an assistant (Model Context Protocol), on standard input and output, until the input ends. */
export function define(command: Command): void {
  command.addHelpText(
    "after",
    "\nTools read and write files below the current folder only, and nothing is sent anywhere. It needs the package\n@modelcontextprotocol/sdk (npm install @modelcontextprotocol/sdk).",
  );
  command.action(serve);
}

async function serve(): Promise<void> {
  const [{ McpServer }, { StdioServerTransport }, { z }] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/mcp.js"),
    import("@modelcontextprotocol/sdk/server/stdio.js"),
    import("zod"),
  ]).catch((error: unknown) => {
    throw fileError("kindred mcp needs a package: npm install @modelcontextprotocol/sdk", error);
  });
  const server = new McpServer({ name: "kindred", version: version() }, { instructions: INSTRUCTIONS });
  addTools(server, z, filesBelow(await realpath(".")));
  // Without an answer, a client waits for one to a message that could not be read.
  server.server.onerror = ({ message }) =>
    void process.stdout.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_700, message } })}\n`,
    );
  await server.connect(new StdioServerTransport());
  await new Promise((ended) => process.stdin.once("close", ended));
}

const INSTRUCTIONS =
  "Finds groups in tables. columns shows how a file is read; cluster makes a clustering (c1, c2, ...), which explain, apply, " +
  "draw and save take. Trust says how far groups as sure as these agreed with the truth of labelled tables; say it to people. " +
  "ask and answer improve the groups by a person's answers: give the round to cluster. Rows are counted from 0.";

/** What each tool is for. */
const TOOLS = {
  columns: "How the columns of a table are read and converted, with their first cells.",
  cluster: "Finds the groups of a table, and says how far to trust them.",
  compare: "Runs every suitable method on a table and recommends a partition.",
  explain: "What the clusters are; with cluster: what sets it apart, its typical and borderline rows.",
  ask: "Begins a round of questions: the pair of rows whose answer helps most.",
  answer: "Answers the open question of a round; gives the next one.",
  apply: "Places the rows of a table in the clusters of a clustering, or of a model file.",
  draw: "Writes a page with the map of the rows, the clusters and their profiles (HTML).",
  save: "Writes the model, which kindred apply and programs read (JSON).",
};

/** Clusterings and rounds of questions that are kept; the oldest are forgotten. */
const MOST_KEPT = 8;
/** Characters of an answer and of a text in it, and entries of a list. */
const LONGEST = 30_000;
const LONGEST_TEXT = 600;
const LONGEST_LIST = 40;

/** A clustering, and the request with its file instead of its table. */
interface Made {
  readonly report: Report;
  readonly request: Request;
}

interface Round {
  readonly table: Table;
  readonly questions: Generator<AskedPair, Hints, Reply>;
  readonly tableRow: (row: number) => number;
  readonly given: { readonly a: number; readonly b: number; readonly reply: Reply }[];
  asked?: AskedPair | undefined;
}

/** Of a partition, what is long or for programs. */
const NOT_SHOWN = { labels: undefined, use: undefined, differs: undefined };

type Zod = typeof z;
type Shape = Readonly<Record<string, z.ZodType>>;

/** The tools, with files below `root`: what each is for, what it takes (anything else is refused before it runs) and does. */
function addTools(server: McpServer, z: Zod, files: FilesBelow): void {
  const clusterings = new Map<string, Made>();
  const rounds = new Map<string, Round>();

  async function tableOf(file: string, as?: Readonly<Record<string, string>>): Promise<Table> {
    const table = await readColumns(await files.find(file), { ...(as && { as }) });
    return { ...table, source: file };
  }

  const { row, rows, clustered, placed, out, clustering, round, reply } = argumentsOf(z);
  const add = <const S extends Shape>(
    name: keyof typeof TOOLS,
    shape: S,
    work: (given: z.infer<z.ZodObject<S>>) => unknown,
  ): void => {
    const annotations = { readOnlyHint: !("out" in shape), openWorldHint: false };
    const inputSchema: z.ZodObject = z.strictObject(shape);
    server.registerTool(name, { description: TOOLS[name], inputSchema, annotations }, (given) =>
      answerOf(async () => work(given as z.infer<z.ZodObject<S>>)),
    );
  };

  add("columns", rows, async (given) => {
    const table = await tableOf(given.file, given.as);
    const prepared = prepareInput({ table }, given);
    const became = new Map(prepared.columns.map((column) => [column.name, column]));
    const columns = table.columns.map(({ name, kind, why, missing }, f) => {
      const cells = [0, 1, 2].filter((i) => i < table.rows).map((i) => cellText(table.columns[f], i));
      return { ...became.get(name), name, kind, why, missing, cells };
    });
    return { file: given.file, rows: table.rows, columns, notes: table.notes.map(messageOf) };
  });

  add("cluster", clustered, async ({ file, as, hints = [], round, ...asked }) => {
    const table = await tableOf(file, as);
    const pairs = [...hints, ...(round === undefined ? [] : pairsOf(entry(rounds, round)))];
    const report = await run({ ...asked, rows: table, ...(pairs.length > 0 && { hints: { pairs } }) });
    const { method, clusters, trust = null, profiles, relevance, ...found } = report.clustering;
    const groups = profiles.map((profile) => ({ ...profile, differences: undefined }));
    const about = { method, clusters, trust, groups, relevance, scores: report.scores };
    const name = keep(clusterings, "c", { report, request: { ...asked, rows: [file] } });
    return { clustering: name, ...about, notes: [...found.notes, ...report.notes].map(messageOf) };
  });

  add("compare", rows, async ({ file, as, ...asked }) => {
    const { recommendation, partitions, failed } = await compare(await tableOf(file, as), asked);
    const { words, trust } = recommendation;
    const shown = partitions.map((one) => ({ ...one, ...NOT_SHOWN, methods: one.methods.map(nameOf) }));
    const lost = failed.map(({ name, message }) => `${name}: ${message}`);
    return { recommendation: { words, trust }, partitions: shown, failed: lost };
  });

  add("explain", { clustering, cluster: row.optional() }, ({ clustering, cluster }) => {
    const { report } = entry(clusterings, clustering);
    const { profiles, representatives, clusters } = report.clustering;
    if (cluster === undefined) return { words: explain(report.clustering) };
    if (cluster >= clusters) throw optionError(`${clustering} has clusters 0 to ${clusters - 1}`);
    const { typical, borderline } = representatives[cluster];
    const shown = (rows: readonly number[]): object =>
      Object.fromEntries(rows.slice(0, 3).map((row) => [row, cellsOf(report.decided!.table, row)]));
    return { ...profiles[cluster], typical: shown(typical), borderline: shown(borderline) };
  });

  add("ask", rows, async ({ file, as, ...asked }) => {
    const table = await tableOf(file, as);
    const { clusters, seed = 0 } = asked;
    const prepared = prepareInput({ table }, { ...asked, method: "hints", hinted: true });
    const X = isSparse(prepared.X) ? toDense(prepared.X) : prepared.X;
    const record = prepared.space.kind === "features" ? prepared.space.record : undefined;
    const { library, clusters: without } = unhintedLibrary(X, { clusters, seed }, { ...prepared, record });
    const questions = askQuestions(X, { clusters, seed, library, without, scale: "none" });
    const tableRow = (row: number): number => prepared.rows?.[row] ?? row;
    const round: Round = { table, questions, tableRow, given: [] };
    return question(round, keep(rounds, "q", round), questions.next("skip"));
  });

  add("answer", { round, reply }, ({ round: name, reply }) => {
    const round = entry(rounds, name);
    const { asked, questions, given, tableRow } = round;
    if (asked === undefined) throw optionError(`${name} has no open question; give it to cluster`);
    if (reply === "undo") given.pop();
    else given.push({ a: tableRow(asked.a), b: tableRow(asked.b), reply });
    return question(round, name, questions.next(reply));
  });

  add("apply", placed, async ({ clustering, model, file, out }) => {
    const placing: Clustering =
      model === undefined
        ? entry(clusterings, clustering).report.clustering
        : loadModel(JSON.parse(await readFile(await files.find(model), "utf8")));
    const table = await tableOf(file);
    const { labels, distances, notes } = placing.assign(table);
    const sizes = Array.from(sizesOf(labels, placing.clusters));
    const finite = Array.from(distances, (distance) => (Number.isFinite(distance) ? distance : ""));
    const cluster = { name: "cluster", values: labels };
    const rows = copiedTable(table, [cluster, { name: "distance", values: finite }]);
    const written = out === undefined ? {} : await files.write(out, [...rows].join(""));
    const first = Array.from(labels.subarray(0, LONGEST_LIST));
    return { rows: table.rows, names: placing.names, sizes, first, notes: notes.map(messageOf), ...written };
  });

  add("draw", { clustering, out }, ({ clustering, out }) => {
    const { report, request } = entry(clusterings, clustering);
    return files.write(out, clusterPageOf(report, request, ["cluster", String(request.rows)]));
  });

  add("save", { clustering, out }, ({ clustering, out }) => {
    return files.write(out, JSON.stringify(entry(clusterings, clustering).report.clustering));
  });
}

/** The open question of a round, with its rows. */
function question(round: Round, name: string, { value, done }: IteratorResult<AskedPair, Hints>): object {
  const about = { round: name, answers: pairsOf(round).length };
  round.asked = done === true ? undefined : value;
  if (done === true) return { ...about, question: null };
  const [a, b] = [round.tableRow(value.a), round.tableRow(value.b)];
  const rows = { [a]: cellsOf(round.table, a), [b]: cellsOf(round.table, b) };
  const { why, likely, open, enough } = value;
  return { ...about, question: { a, b, why, likely, undecided: open, enough, rows } };
}

function pairsOf({ given }: Round): PairHint[] {
  return given.flatMap(({ a, b, reply }) => (reply === "skip" ? [] : [{ a, b, same: reply === "same" }]));
}

/** What tools take. */
function argumentsOf(z: Zod) {
  const text = (says: string) => z.string().max(4000).describe(says);
  const maybe = <T extends z.ZodType>(type: T, says: string) => type.optional().describe(says);
  const row = z.number().int().min(0);
  const pair = z.strictObject({ a: row, b: row, same: z.boolean() });
  const file = text("a table below the folder: CSV, TSV, JSON, NDJSON, Parquet, Arrow, .xlsx, .npy");
  const out = text("a new file below the folder; no file is replaced");
  const clustering = text("of cluster: c1, c2, ...");
  const round = text("of ask: q1, q2, ...");
  const rows = {
    file,
    as: maybe(z.record(z.string(), z.string()), 'kinds of columns: { zip: "category", notes: "text" }'),
    label: text("column of known classes: set aside, never a feature").optional(),
    id: text("column that names the rows").optional(),
    use: maybe(z.array(z.string()), "columns to use, and no others"),
    ignore: maybe(z.array(z.string()), "columns to leave out"),
    clusters: maybe(z.number().int().min(1), "number of clusters; without it, it is found"),
    seed: row.optional(),
  };
  const method = maybe(z.enum(methods.map(nameOf)), "default: auto");
  const hints = maybe(z.array(pair), "pairs of rows that belong together, or do not");
  const clustered = { ...rows, method, hints, round: round.optional() };
  const model = text("a model file below the folder").optional();
  const placed = { clustering: clustering.optional(), model, file, out: out.optional() };
  const reply = z.enum(["same", "different", "skip", "undo"]);
  return { row, rows, clustered, placed, out, clustering, round, reply };
}

/** The answer of a tool, or its error, as text of bounded length. */
async function answerOf(work: () => Promise<unknown>) {
  try {
    const whole = JSON.stringify(await work(), (_, value: unknown) => bounded(value));
    const cut = whole.length > LONGEST ? `${whole.slice(0, LONGEST)}... (cut; ask for less)` : whole;
    return { content: [{ type: "text" as const, text: cut }] };
  } catch (error) {
    const own = error instanceof KindredError;
    const message = own ? error.told((name) => name) : `a fault of Kindred: ${String(error)}`;
    return { content: [{ type: "text" as const, text: message }], isError: true };
  }
}

function bounded(value: unknown): unknown {
  if (typeof value === "string" && value.length > LONGEST_TEXT) return `${value.slice(0, LONGEST_TEXT)}...`;
  if (!Array.isArray(value) || value.length <= LONGEST_LIST) return value;
  return [...(value as unknown[]).slice(0, LONGEST_LIST), `... ${value.length - LONGEST_LIST} more`];
}

/** Keeps a thing under the next name, and forgets the oldest. */
function keep<T>(things: Map<string, T>, letter: string, thing: T): string {
  const last = Number([...things.keys()].at(-1)?.slice(1) ?? 0);
  const name = `${letter}${last + 1}`;
  things.set(name, thing);
  if (things.size > MOST_KEPT) things.delete(things.keys().next().value!);
  return name;
}

function entry<T>(things: ReadonlyMap<string, T>, name: string = "without a name"): T {
  const thing = things.get(name);
  if (thing !== undefined) return thing;
  throw optionError(`there is no ${name}; there are: ${[...things.keys()].join(", ") || "none yet"}`);
}

function cellsOf({ columns }: Table, row: number): Readonly<Record<string, string>> {
  return Object.fromEntries(
    columns.slice(0, LONGEST_LIST).map((column) => [column.name, cellText(column, row)]),
  );
}

const nameOf = ({ name }: { readonly name: string }): string => name;
const messageOf = ({ message }: { readonly message: string }): string => message;
