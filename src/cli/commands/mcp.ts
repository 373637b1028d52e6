import { readFile, realpath } from "node:fs/promises";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Command } from "commander";
import type { z } from "zod";
import { KindredError, noteText, type Note } from "../../core/index.ts";
import { fileError, optionError, sizesOf } from "../../core/internal.ts";
import { cellText, copiedTable, readColumns, type Hints, type Table } from "../../data/index.ts";
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
    // The package brings it.
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
  readonly pairs: { readonly a: number; readonly b: number; readonly same: boolean }[];
  asked?: AskedPair;
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

  const { text, row, rows, file, out, clustering, method, hints, round, reply } = argumentsOf(z);
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
      const { became: becomes = "", weight = 0, why: used = "" } = became.get(name) ?? {};
      const cells = [0, 1, 2].filter((i) => i < table.rows).map((i) => cellText(table.columns[f], i));
      return { name, kind, why, missing, becomes, weight, used, cells };
    });
    return { file: given.file, rows: table.rows, columns, notes: told(table.notes) };
  });

  add(
    "cluster",
    { ...rows, method, hints, round: round.optional() },
    async ({ file, as, hints = [], round, ...asked }) => {
      const table = await tableOf(file, as);
      const answers = round === undefined ? [] : entry(rounds, round).pairs;
      const pairs = [...hints, ...answers];
      const wrong = pairs.find(({ a, b }) => Math.max(a, b) >= table.rows);
      if (wrong !== undefined) throw optionError(`hints: ${file} has no row ${Math.max(wrong.a, wrong.b)}`);
      const report = await run({ ...asked, rows: table, ...(pairs.length > 0 && { hints: { pairs } }) });
      const name = keep(clusterings, "c", { report, request: { ...asked, rows: [file] } });
      const { clustering } = report;
      const { method, clusters, trust = null, relevance, profiles, notes } = clustering;
      return {
        clustering: name,
        method,
        clusters,
        trust,
        groups: profiles.map((profile) => ({ ...profile, differences: undefined })),
        relevance: relevance.slice(0, 10),
        scores: report.scores,
        notes: told([...notes, ...report.notes]),
      };
    },
  );

  add("compare", rows, async ({ file, as, ...asked }) => {
    const { recommendation, partitions, failed } = await compare(await tableOf(file, as), asked);
    return {
      recommendation: { words: recommendation.words, trust: recommendation.trust },
      partitions: partitions.map((one) => ({
        ...one,
        ...NOT_SHOWN,
        methods: one.methods.map(({ name }) => name),
      })),
      failed: failed.map(({ name, message }) => ({ name, message })),
    };
  });

  add("explain", { clustering, cluster: row.optional() }, ({ clustering, cluster }) => {
    const { report } = entry(clusterings, clustering);
    if (cluster === undefined) return { words: explain(report.clustering) };
    const profile = report.clustering.profiles[cluster];
    if (profile === undefined)
      throw optionError(`${clustering} has clusters 0 to ${report.clustering.clusters - 1}`);
    const { typical = [], borderline = [] } = report.clustering.representatives[cluster] ?? {};
    const shown = (rows: readonly number[]): object =>
      Object.fromEntries(rows.slice(0, 3).map((row) => [row, cellsOf(report.decided!.table, row)]));
    return { ...profile, typical: shown(typical), borderline: shown(borderline) };
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
    const round: Round = { table, questions, tableRow, pairs: [] };
    return question(round, keep(rounds, "q", round), questions.next("skip"));
  });

  add("answer", { round, reply }, ({ round: name, reply }) => {
    const round = entry(rounds, name);
    const { asked, questions, pairs, tableRow } = round;
    if (asked === undefined) throw optionError(`${name} has no open question; give it to cluster`);
    if (reply === "undo") pairs.pop();
    else if (reply !== "skip") {
      pairs.push({ a: tableRow(asked.a), b: tableRow(asked.b), same: reply === "same" });
    }
    return question(round, name, questions.next(reply));
  });

  add(
    "apply",
    {
      clustering: clustering.optional(),
      model: text("a model file below the folder").optional(),
      file,
      out: out.optional(),
    },
    async ({ clustering, model, file, out }) => {
      const placing: Clustering =
        model === undefined
          ? entry(clusterings, clustering).report.clustering
          : loadModel(JSON.parse(await readFile(await files.find(model), "utf8")));
      const table = await tableOf(file);
      const { labels, distances, notes } = placing.assign(table);
      const sizes = Array.from(sizesOf(labels, placing.clusters));
      const first = Array.from(labels.subarray(0, LONGEST_LIST));
      const finite = Array.from(distances, (distance) => (Number.isFinite(distance) ? distance : ""));
      const appended = [
        { name: "cluster", values: labels },
        { name: "distance", values: finite },
      ];
      const written =
        out === undefined
          ? {}
          : await files.write(out, [...copiedTable(table, appended, () => true)].join(""));
      return { rows: table.rows, names: placing.names, sizes, labels: first, notes: told(notes), ...written };
    },
  );

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
  delete round.asked;
  if (done === true) return { round: name, question: null, answers: round.pairs.length };
  round.asked = value;
  const [a, b] = [round.tableRow(value.a), round.tableRow(value.b)];
  const rows = { [a]: cellsOf(round.table, a), [b]: cellsOf(round.table, b) };
  const { why, likely, open: undecided, enough } = value;
  return {
    round: name,
    question: { a, b, why, likely, undecided, enough, rows },
    answers: round.pairs.length,
  };
}

/** What tools take. */
function argumentsOf(z: Zod) {
  const text = (says: string) => z.string().max(4000).describe(says);
  const texts = (says: string) => z.array(z.string()).optional().describe(says);
  const row = z.number().int().min(0);
  const file = text("a table below the folder: CSV, TSV, JSON, NDJSON, Parquet, Arrow, .xlsx, .npy");
  const out = text("a new file below the folder; no file is replaced");
  const clustering = text("of cluster: c1, c2, ...");
  const rows = {
    file,
    as: z
      .record(z.string(), z.string())
      .optional()
      .describe('kinds of columns: { zip: "category", notes: "text" }'),
    label: text("column of known classes: set aside, never a feature").optional(),
    id: text("column that names the rows").optional(),
    use: texts("columns to use, and no others"),
    ignore: texts("columns to leave out"),
    clusters: z.number().int().min(1).optional().describe("number of clusters; without it, it is found"),
    seed: row.optional(),
  };
  const method = z
    .enum(methods.map(({ name }) => name))
    .optional()
    .describe("default: auto");
  const hints = z
    .array(z.strictObject({ a: row, b: row, same: z.boolean() }))
    .optional()
    .describe("pairs of rows that belong together, or do not");
  const round = text("of ask: q1, q2, ...");
  const reply = z.enum(["same", "different", "skip", "undo"]);
  return { text, row, rows, file, out, clustering, method, hints, round, reply };
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

function told(notes: readonly Note[]): string[] {
  return notes.map((note) => noteText(note, (name) => name));
}
