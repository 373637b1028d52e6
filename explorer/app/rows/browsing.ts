import { effect, signal, untracked } from "@preact/signals";
import {
  CLUSTER_KEY,
  NEAR_KEY,
  type Browsed,
  type Brush,
  type ColumnSummary,
  type ContrastQuestion,
  type Questions,
} from "../../protocol.ts";
import { createClient, Withdrawn } from "../client.ts";
import { table } from "../known.ts";
import { partition } from "../shown/partition.ts";
import { highlighted } from "./selection.ts";
import { brushes, inside, near, search, sorting } from "./browsed.ts";

/** The contents of each column. */
export const summaries = signal<ReadonlyMap<string, ColumnSummary>>(new Map());
/** The rows that the filters leave, and their counts for each column. */
export const browsed = signal<Browsed | undefined>(undefined);

let client: ReturnType<typeof createClient> | undefined;
let asking = false;
let again = false;

/** Keeps the listed rows in line with brushes, search, order and cluster. */
export function startBrowsing(): void {
  effect(() => {
    const rows = table.value;
    untracked(() => {
      summaries.value = new Map();
      browsed.value = undefined;
      brushes.value = {};
      search.value = "";
      sorting.value = undefined;
      inside.value = undefined;
    });
    if (rows !== undefined) void summarize();
  });
  effect(() => {
    void brushes.value;
    void search.value;
    void sorting.value;
    void near.value;
    void highlighted.value;
    if (highlighted.value !== undefined || sorting.value?.column === CLUSTER_KEY) void partition.value;
    if (table.value !== undefined) untracked(browse);
  });
}

function worker(): ReturnType<typeof createClient> {
  client ??= createClient(
    () => {},
    () => new Worker(new URL("../../worker/browser.ts", import.meta.url), { type: "module" }),
  );
  return client;
}

async function summarize(): Promise<void> {
  const rows = table.value!;
  const found = await worker()
    .ask("summary", { table: rows })
    .answer.catch(() => []);
  if (table.value === rows) summaries.value = new Map(found.map((one) => [one.name, one]));
}

/** The columns that tell each cluster from the rest. */
export async function askContrast(asked: ContrastQuestion): Promise<Questions["contrast"]["answer"]> {
  return worker()
    .ask("contrast", asked)
    .answer.catch(() => []);
}

/** One question at a time: while it is open only the newest request is kept. */
async function browse(): Promise<void> {
  if (asking) {
    again = true;
    return;
  }
  const rows = table.value;
  if (rows === undefined) return;
  const only = highlighted.value;
  const order = sorting.value;
  if (
    only === undefined &&
    order === undefined &&
    search.value === "" &&
    Object.keys(brushes.value).length === 0
  ) {
    browsed.value = undefined;
    inside.value = undefined;
    return;
  }
  const labelled = only !== undefined || order?.column === CLUSTER_KEY;
  const labels = labelled ? partition.value?.labels : undefined;
  asking = true;
  try {
    const found = await worker().ask("browse", {
      table: rows,
      brushes: brushes.value,
      text: search.value,
      ...(order !== undefined && { order }),
      ...(order?.column === NEAR_KEY && { distances: near.value?.distances }),
      ...(only !== undefined && { only }),
      ...(labels !== undefined && { labels }),
    }).answer;
    if (table.value === rows) {
      browsed.value = found;
      inside.value = found.inside;
    }
  } catch (error) {
    if (!(error instanceof Withdrawn)) browsed.value = undefined;
  } finally {
    asking = false;
    if (again) {
      again = false;
      void browse();
    }
  }
}

/** Sets, changes or (without a value) removes the brush of a column. */
export function brush(name: string, next: Brush | undefined): void {
  const { [name]: _, ...rest } = brushes.value;
  brushes.value = next === undefined ? rest : { ...rest, [name]: next };
}
