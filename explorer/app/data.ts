import { batch } from "@preact/signals";
import type { TableData } from "../protocol.ts";
import { begin, finish } from "./asking.ts";
import type { Asking } from "./client.ts";
import { stopFollowing } from "./following.ts";
import { change, settings, settle } from "./history.ts";
import {
  announcement,
  held,
  methods,
  path,
  pinned,
  preview,
  problem,
  solution,
  table,
  wantedFile,
} from "./known.ts";
import { clearSelection } from "./selection.ts";
import { FRESH, type Settings, type Source } from "./settings.ts";
import { stopSolving } from "./solving.ts";

/** Numbers above which a table is not clustered before anybody asks. */
const MANY = 5e6;
const files = new Map<string, Blob>();
/** The data that were asked for last, as text, and where the table on the screen comes from. */
let asked = "";
let shown: Source | undefined;
/** How often data were asked for, and the reading of a file that is under way. */
let turns = 0;
let opening: Asking<"open"> | undefined;

export function dropFile(file: File): void {
  files.set(file.name, file);
  if (wantedFile.value === file.name) return void open();
  asked = "";
  change({ ...freshStart(), source: { kind: "dropped", name: file.name } });
  // The same name again is no change of settings, but new contents.
  if (asked === "") void open();
}

export function openNamed(
  name: string,
  options: Readonly<Record<string, number>> = {},
  part: Partial<Settings> = {},
): void {
  change({ ...freshStart(), source: { kind: "named", name, options }, ...part });
}

/** Back to the start page. */
export function closeData(): void {
  change({ ...freshStart(), source: undefined });
}

/** Other data take none of what was chosen for the last. */
function freshStart(): Partial<Settings> {
  return { ...FRESH, gamma: undefined, pinned: undefined };
}

export function wantedData({ source, reading }: Settings): string {
  return JSON.stringify([source, reading]);
}

/** Opens what the settings name, unless that is what was opened last. */
export function openWanted(): void {
  if (wantedData(settings.value) !== asked) void open();
}

/** The file that `kindred explore data.csv` was given. */
export async function offerServed(): Promise<void> {
  const answer = await fetch("served.json").catch(() => undefined);
  if (answer === undefined || !answer.ok) return;
  const { name } = (await answer.json()) as { name?: string };
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
  // While the same file is read in another way, what is known of it stays on the screen.
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
      ? ({ kind: "file", name: source.name, file: given } as const)
      : ({ kind: "named", name: source.name, options: given } as const);
  const question = { key: turn, source: data, reading };
  opening = begin(`Reading ${source.name}`, "open", question, closeData);
  const read = await finish(opening, "data");
  if (read === undefined || turn !== turns) return;
  chooseClusters(read);
  held.value = read.rows * width(read) > MANY;
  show(read);
  const many = read.columns.length === 1 ? "column" : "columns";
  announcement.value = `Opened ${read.source}: ${read.rows} rows, ${read.columns.length} ${many}.`;
}

/** Numbers in a row: a vector has many. */
function width({ columns }: TableData): number {
  return columns.reduce((sum, { vectors }) => sum + (vectors?.cols ?? 1), 0);
}

/** Where a number of clusters is needed and none was chosen. */
function chooseClusters(read: TableData): void {
  const { clusters, method } = settings.value;
  const needed = methods.value.find(({ name }) => name === method)?.needs.clusters === "required";
  if (clusters === undefined && needed) settle({ clusters: Math.min(read.rows, 3) });
}

/** Another table: nothing that was known about the last one holds for it. */
function show(read: TableData | undefined): void {
  batch(() => {
    table.value = read;
    solution.value = undefined;
    preview.value = undefined;
    pinned.value = undefined;
    path.value = undefined;
    clearSelection();
  });
}

async function readable(source: Source): Promise<Blob | Readonly<Record<string, number>> | undefined> {
  if (source.kind === "named") return source.options;
  if (source.kind === "served" && !files.has(source.name)) {
    const answer = await fetch("data").catch(() => undefined);
    const file = answer?.ok === true ? await answer.blob().catch(() => undefined) : undefined;
    if (file !== undefined) files.set(source.name, file);
  }
  return files.get(source.name);
}
