import { batch } from "@preact/signals";
import type { Beside, TableData } from "../../protocol.ts";
import { ask, begin, finish } from "../asking.ts";
import type { Asking } from "../client.ts";
import { stopFollowing } from "../solve/following.ts";
import { forgetFile, keepFile, keptFile } from "./keptFiles.ts";
import { change, settings, settle } from "../history.ts";
import {
  announcement,
  caution,
  held,
  layout,
  methods,
  path,
  pinned,
  preview,
  problem,
  solution,
  table,
  wantedFile,
} from "../known.ts";
import { clearSelection } from "../rows/selection.ts";
import type { SessionData } from "./sessionFile.ts";
import { FRESH, type Settings, type Source } from "../settings.ts";
import { stopSolving } from "../solve/solving.ts";

/** Number of cells above which a table is clustered only on request. */
const MANY = 5e6;
const files = new Map<string, Blob>();
/** The data requested last, as text, and the source of the table on the screen. */
let asked = "";
let shown: Source | undefined;
/** The number of requests for data, and the current reading of a file. */
let turns = 0;
let opening: Asking<"open"> | undefined;

/** The ending of session file names. */
export const ENDING = ".kindred.json";
/** Bytes of a session, which holds no rows. */
const MOST_SESSION = 1 << 26;
/** The data described by the session that was opened last. */
let expected: SessionData | undefined;

/** Opens a table or a session, or places the rows by a model. */
export async function dropFile(file: File): Promise<void> {
  if (file.name.toLowerCase().endsWith(ENDING)) return openSession(file);
  const head = await file
    .slice(0, 64)
    .text()
    .catch(() => "");
  if (/^\s*\{\s*"kindred":\s*["\d.]+,\s*"kind":\s*"/.test(head))
    return (await import("./placing.ts")).placeRows(file);
  return openFile(file);
}

async function openFile(file: File): Promise<void> {
  if (
    wantedFile.value !== undefined &&
    expected?.fingerprint !== undefined &&
    file.name !== wantedFile.value
  ) {
    // The same contents under another name belong to the session.
    const found = await ask("fingerprint", { file }).catch(() => undefined);
    if (found === expected.fingerprint) {
      files.set(file.name, file);
      return settle({ source: { kind: "dropped", name: file.name } });
    }
  }
  files.set(file.name, file);
  if (wantedFile.value === file.name) return void open();
  expected = undefined;
  caution.value = undefined;
  asked = "";
  startWith({ kind: "dropped", name: file.name });
  // The same name again changes no setting, but the contents may be new.
  if (asked === "") void open();
}

/** Continues a saved session; asks for its data file if the page does not have it. */
async function openSession(file: File): Promise<void> {
  const { readSession } = await import("./sessionFile.ts");
  try {
    if (file.size > MOST_SESSION) throw new Error(`${file.name} is too long for a session of the explorer.`);
    const { settings: saved, data } = readSession(file.name, await file.text());
    expected = data;
    const { source } = saved;
    const served = settings.value.source?.kind === "served" && settings.value.source.name === data.name;
    change({ ...freshStart(), ...saved, source: served ? settings.value.source : source });
    announcement.value = `Opened the session ${file.name}.`;
  } catch (error) {
    caution.value = (error as Error).message;
    announcement.value = (error as Error).message;
  }
}

/** Warns if the data differ from those of the session: its hints and names refer to rows. */
async function checkExpected(read: TableData, file: Blob | undefined): Promise<void> {
  const was = expected;
  expected = undefined;
  caution.value = undefined;
  if (was === undefined || file === undefined || was.fingerprint === undefined) return;
  const now = await ask("fingerprint", { file }).catch(() => undefined);
  if (now === undefined || now === was.fingerprint || table.value !== read) return;
  const rows = was.rows === read.rows ? "" : ` It had ${was.rows} rows, and has ${read.rows} now.`;
  caution.value =
    `${read.source} has changed since the session was saved.${rows} ` +
    "Hints, names and merged clusters refer to rows by number: check them.";
}

/** The file on the screen, if it is a file. */
export function openedFile(): Blob | undefined {
  const { source } = settings.value;
  return source === undefined || source.kind === "named" ? undefined : files.get(source.name);
}

/** Keeps the file on the screen in this browser, or forgets it. */
export async function keepOpened(keep: boolean): Promise<void> {
  const { source } = settings.value;
  const file = openedFile();
  if (source === undefined || file === undefined) return;
  try {
    await (keep ? keepFile(source.name, file) : forgetFile(source.name));
    announcement.value = keep ? `${source.name} is kept in this browser.` : `${source.name} is forgotten.`;
  } catch (error) {
    caution.value = `${source.name} could not be kept in this browser (${(error as Error).message}).`;
  }
}

/** Opens a file that is kept in this browser. */
export function openKept(name: string): void {
  startWith({ kind: "dropped", name });
}

export function openNamed(
  name: string,
  options: Readonly<Record<string, number>> = {},
  part: Partial<Settings> = {},
): void {
  startWith({ kind: "named", name, options }, part);
}

/** Back to the start page. */
export function closeData(): void {
  startWith(undefined);
}

/** Data that could not be read are no step to go back to. */
function startWith(source: Source | undefined, part: Partial<Settings> = {}): void {
  const failed = problem.value?.about === "data" && table.value === undefined;
  (failed ? settle : change)({ ...freshStart(), source, ...part });
}

/** New data discard the choices for the old data. */
function freshStart(): Partial<Settings> {
  return {
    ...FRESH,
    gamma: undefined,
    pinned: undefined,
    axes: undefined,
    color: undefined,
    slots: undefined,
  };
}

export function wantedData({ source, reading }: Settings): string {
  return JSON.stringify([source, reading]);
}

/** Opens the data named by the settings, unless they are open already. */
export function openWanted(): void {
  if (wantedData(settings.value) !== asked) void open();
}

/** The files passed to `kindred explore data.csv --with more.csv`. */
export async function offerServed(): Promise<void> {
  const { name } = await servedNames();
  if (name !== undefined && settings.value.source === undefined) settle({ source: { kind: "served", name } });
}

async function open(): Promise<void> {
  const { source, reading } = settings.value;
  asked = wantedData(settings.value);
  const turn = ++turns;
  opening?.cancel();
  stopSolving();
  stopFollowing();
  problem.value = undefined;
  wantedFile.value = undefined;
  // While the same file is read in another way, the old results stay on the screen.
  if (source === undefined || source !== shown) show(undefined);
  shown = source;
  if (source === undefined) return;
  const given = await readable(source);
  if (turn !== turns) return;
  if (given === undefined) {
    wantedFile.value = source.name;
    return;
  }
  const data =
    given instanceof Blob
      ? ({ kind: "file", name: source.name, file: given, ...(await besideOf(source)) } as const)
      : ({ kind: "named", name: source.name, options: given } as const);
  const question = { key: turn, source: data, reading };
  opening = begin(`Reading ${source.name}`, "open", question, closeData);
  const read = await finish(opening, "data");
  if (read === undefined || turn !== turns) return;
  chooseClusters(read);
  held.value = read.rows * width(read) > MANY;
  show(read);
  void checkExpected(read, given instanceof Blob ? given : undefined);
  const many = read.columns.length === 1 ? "column" : "columns";
  announcement.value = `Opened ${read.source}: ${read.rows} rows, ${read.columns.length} ${many}.`;
}

/** Numbers per row: a vector has many. */
function width({ columns }: TableData): number {
  return columns.reduce((sum, { vectors }) => sum + (vectors?.cols ?? 1), 0);
}

/** Used when a number of clusters is needed and none was chosen. */
function chooseClusters(read: TableData): void {
  const { clusters, method } = settings.value;
  const needs = methods.value.find(({ name }) => name === method)?.needs;
  const needed = needs?.clusters === "required" || needs?.instead !== undefined;
  if (clusters === undefined && needed) settle({ clusters: Math.min(read.rows, 3) });
}

/** Another table: nothing known about the last one holds for it. */
function show(read: TableData | undefined): void {
  batch(() => {
    table.value = read;
    solution.value = undefined;
    preview.value = undefined;
    pinned.value = undefined;
    path.value = undefined;
    layout.value = undefined;
    clearSelection();
  });
}

/** What is served beside the data of the command. */
async function besideOf({ kind }: Source): Promise<{ readonly with?: Beside }> {
  const { beside: name } = kind === "served" ? await servedNames() : {};
  const file = name === undefined ? undefined : await served("beside");
  return name === undefined || file === undefined ? {} : { with: { name, file } };
}

async function servedNames(): Promise<{ readonly name?: string; readonly beside?: string }> {
  const answer = await served("served.json");
  return answer === undefined ? {} : (JSON.parse(await answer.text()) as object);
}

async function served(path: "data" | "beside" | "served.json"): Promise<Blob | undefined> {
  const answer = await fetch(path).catch(() => undefined);
  return answer?.ok === true ? answer.blob().catch(() => undefined) : undefined;
}

async function readable(source: Source): Promise<Blob | Readonly<Record<string, number>> | undefined> {
  if (source.kind === "named") return source.options;
  if (source.kind === "served" && !files.has(source.name)) {
    const file = await served("data");
    if (file !== undefined) files.set(source.name, file);
  }
  if (!files.has(source.name)) {
    const file = await keptFile(source.name);
    if (file !== undefined) files.set(source.name, file);
  }
  return files.get(source.name);
}
