import { batch, computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import type {
  FusionPath,
  MethodChoice,
  MethodShown,
  QuestionKind,
  Questions,
  Solution,
  SolveQuestion,
  TableData,
  View,
} from "../protocol.ts";
import { createClient, Withdrawn, type Asking } from "./client.ts";
import { change, settings, settle } from "./history.ts";
import { clearSelection } from "./selection.ts";
import type { Source } from "./settings.ts";

/** What the page shows of the work: the table, the clustering, the path, and what is under way. */
export const methods = signal<readonly MethodShown[]>([]);
export const table = signal<TableData | undefined>(undefined);
export const solution = signal<Solution | undefined>(undefined);
/** The rows before the first clustering is done. */
export const preview = signal<View | undefined>(undefined);
export const pinned = signal<Solution | undefined>(undefined);
export const path = signal<FusionPath | undefined>(undefined);
/** Why the last wish could not be met. */
export const problem = signal<
  { readonly about: "data" | "method" | "path"; readonly text: string } | undefined
>(undefined);
export const work = signal<Work | undefined>(undefined);
/** A file that the address names and that the page does not have: it has to be dropped again. */
export const wantedFile = signal<string | undefined>(undefined);
/** Many numbers: clustering waits to be asked for. */
export const held = signal(false);
/** For screen readers: what just happened. */
export const announcement = signal("");

export interface Work {
  readonly label: string;
  readonly fraction: number;
  cancel(): void;
}

export const method: ReadonlySignal<MethodShown | undefined> = computed(() =>
  methods.value.find(({ name }) => name === settings.value.method),
);

/** Numbers above which a table is not clustered before anybody asks. */
const MANY = 3e7;
const REMEMBERED = 12;
const client = createClient((list) => (methods.value = list));
const files = new Map<string, Blob>();
const solutions = new Map<string, Solution>();
/** The data that were asked for last, as text, and where the table on the screen comes from. */
let opened = "";
let shownSource: Source | undefined;
let solving: { key: string; asking: Asking<"solve"> } | undefined;
let following: { key: string; asking: Asking<"path"> } | undefined;

export function dropFile(file: File): void {
  files.set(file.name, file);
  const { source } = settings.value;
  const again = wantedFile.value === file.name && source?.kind === "dropped";
  if (again) return void open();
  opened = "";
  change({ ...freshData(), source: { kind: "dropped", name: file.name } });
  // The same name again is no change of settings, but new contents.
  if (opened === "") void open();
}

export function openNamed(
  name: string,
  options: Readonly<Record<string, number>> = {},
  part: object = {},
): void {
  change({ ...freshData(), source: { kind: "named", name, options }, ...part });
}

export function clusterNow(): void {
  held.value = false;
  void solve();
}

/** Back to the start page. */
export function closeData(): void {
  change({ ...freshData(), source: undefined });
}

function freshData(): object {
  return {
    reading: { encode: [] },
    off: [],
    same: [],
    different: [],
    clusters: undefined,
    gamma: undefined,
    pinned: undefined,
    method: "kmeans",
    own: {},
  };
}

export function start(): void {
  const data = computed(() => JSON.stringify([settings.value.source, settings.value.reading]));
  const wish = computed(() => JSON.stringify(solveWish(settings.value)));
  const onPath = computed(() => settings.value.gamma !== undefined);
  effect(() => {
    if (data.value !== opened) untracked(() => void open());
  });
  effect(() => {
    const asked = wish.value !== "" && table.value !== undefined && methods.value.length > 0;
    if (asked) untracked(() => void solve());
  });
  effect(() => {
    const asked = onPath.value && solution.value !== undefined;
    untracked(() => (asked ? void follow() : stopFollowing()));
  });
  if (settings.value.source === undefined) void offerServed();
}

function solveWish({ off, scale, pinned, ...rest }: typeof settings.value): object {
  const { method, clusters, seed, own, same, different } = rest;
  return { off, scale, pinned, method, clusters, seed, own, same, different };
}

/** The file that `kindred explore data.csv` was given. */
async function offerServed(): Promise<void> {
  const answer = await fetch("served.json").catch(() => undefined);
  if (answer === undefined || !answer.ok) return;
  const { name } = (await answer.json()) as { name?: string };
  if (name !== undefined && settings.value.source === undefined) settle({ source: { kind: "served", name } });
}

async function open(): Promise<void> {
  const { source, reading } = settings.value;
  opened = JSON.stringify([source, reading]);
  stop();
  problem.value = undefined;
  wantedFile.value = undefined;
  // While the same file is read in another way, what is known of it stays on the screen.
  if (source === undefined || source !== shownSource) show(undefined);
  shownSource = source;
  if (source === undefined) return;
  const given = await readable(source);
  if (given === undefined) {
    wantedFile.value = source.name;
    return;
  }
  const data =
    given instanceof Blob
      ? ({ kind: "file", name: source.name, file: given } as const)
      : ({ kind: "named", name: source.name, options: given } as const);
  const read = await watched("data", `Reading ${source.name}`, "open", { source: data, reading });
  if (read === undefined || settings.value.source !== source) return;
  const classes = new Set(read.label?.values).size;
  if (settings.value.clusters === undefined && needsClusters(settings.value.method)) {
    settle({
      clusters: classes >= 2 && classes <= 30 ? Math.min(classes, read.rows) : Math.min(3, read.rows),
    });
  }
  held.value = read.values.length > MANY;
  show(read);
  const many = read.names.length === 1 ? "feature" : "features";
  announcement.value = `Opened ${read.source}: ${read.rows} rows, ${read.names.length} ${many}.`;
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
    if (answer?.ok === true) files.set(source.name, await answer.blob());
  }
  return files.get(source.name);
}

/** Methods are known by the worker, which may not have spoken yet; k-means and its kin need K. */
function needsClusters(name: string): boolean {
  return methods.value.find((one) => one.name === name)?.clusters !== "optional";
}

async function solve(): Promise<void> {
  const rows = table.value;
  if (rows === undefined || held.value) return;
  const wish = settings.value;
  const question = questionFor(rows, wish);
  if (solution.value === undefined && preview.value === undefined) showRows(question);
  const found = await solved(question, `Clustering by ${titleOf(question.method)}`);
  if (found === undefined || table.value !== rows) return;
  solution.value = found;
  problem.value = undefined;
  const sizes = found.sizes.join(", ");
  announcement.value = `${found.sizes.length} clusters of sizes ${sizes}, by ${titleOf(found.method)}.`;
  if (wish.pinned === undefined || wish.pinned === "classes") {
    pinned.value = undefined;
    return;
  }
  const other = await solved(questionFor(rows, { ...wish, ...wish.pinned }), "Clustering the pinned result");
  if (other !== undefined && table.value === rows) pinned.value = other;
}

/** Points to look at while the first clustering is under way; if they cannot be shown, that will say why. */
function showRows({ table: rows, off, scale }: SolveQuestion): void {
  client
    .ask("look", { table: rows, off, scale })
    .answer.then((view) => {
      if (table.value === rows) preview.value = view;
    })
    .catch(() => {});
}

export function questionFor(
  rows: TableData,
  wish: MethodChoice & Pick<SolveQuestion, "off" | "scale">,
): SolveQuestion {
  const { off, scale, method, clusters, seed, own, same, different } = wish;
  const taken = methods.value.find(({ name }) => name === method)?.pairs !== "no";
  return {
    table: rows,
    off,
    scale,
    method,
    ...(clusters !== undefined && { clusters }),
    seed,
    own,
    same: taken ? same : [],
    different: taken ? different : [],
  };
}

async function solved(question: SolveQuestion, label: string): Promise<Solution | undefined> {
  const { table: rows, ...rest } = question;
  const key = `${opened} ${JSON.stringify(rest)}`;
  const known = solutions.get(key);
  if (solving !== undefined && solving.key !== key) solving.asking.cancel();
  if (known !== undefined) return known;
  if (solving?.key === key) return undefined;
  const asking = begin("method", label, "solve", question);
  solving = { key, asking };
  const found = await finish(asking, "method");
  if (solving?.asking === asking) solving = undefined;
  if (found !== undefined) remember(key, found);
  return rows === table.value ? found : undefined;
}

function remember(key: string, found: Solution): void {
  solutions.set(key, found);
  for (const old of solutions.keys()) {
    if (solutions.size <= REMEMBERED) break;
    solutions.delete(old);
  }
}

async function follow(): Promise<void> {
  const rows = table.value;
  const found = solution.value;
  if (rows === undefined || found === undefined) return;
  const { off, scale } = settings.value;
  const key = `${opened} ${JSON.stringify([off, scale])} ${found.metric?.join(" ") ?? ""}`;
  if (following?.key === key) return;
  stopFollowing();
  const asking = begin("path", "Following the clusterpath", "path", {
    table: rows,
    off,
    scale,
    metric: found.metric,
  });
  following = { key, asking };
  const answer = await finish(asking, "path");
  if (following?.asking !== asking) return;
  if (answer === undefined) {
    following = undefined;
    settle({ gamma: undefined });
    return;
  }
  path.value = answer;
  announcement.value = `The clusterpath has ${answer.steps.length} steps; the slider moves along it.`;
}

function stopFollowing(): void {
  following?.asking.cancel();
  following = undefined;
  path.value = undefined;
}

function stop(): void {
  solving?.asking.cancel();
  solving = undefined;
  stopFollowing();
}

export function ask<K extends QuestionKind>(kind: K, asked: Questions[K]["asked"]): Asking<K>["answer"] {
  return client.ask(kind, asked).answer;
}

function titleOf(name: string): string {
  return methods.value.find((one) => one.name === name)?.title ?? name;
}

type About = NonNullable<typeof problem.value>["about"];

async function watched<K extends QuestionKind>(
  about: About,
  label: string,
  kind: K,
  asked: Questions[K]["asked"],
): Promise<Questions[K]["answer"] | undefined> {
  return finish(begin(about, label, kind, asked), about);
}

/** Asks, and shows what is under way: with a way to end it. */
function begin<K extends QuestionKind>(
  about: About,
  label: string,
  kind: K,
  asked: Questions[K]["asked"],
): Asking<K> {
  let asking: Asking<K> | undefined;
  const cancel = (): void => {
    asking?.cancel();
    work.value = undefined;
    announcement.value = "Stopped.";
    if (about === "method")
      problem.value = { about, text: "Stopped. The last result is still shown, if there was one." };
    if (about === "data") settle({ source: undefined });
  };
  work.value = { label, fraction: 0, cancel };
  asking = client.ask(kind, asked, (told) => {
    work.value = { label: `${label}: ${told.label}`, fraction: told.fraction, cancel };
  });
  return asking;
}

async function finish<K extends QuestionKind>(
  asking: Asking<K>,
  about: About,
): Promise<Questions[K]["answer"] | undefined> {
  try {
    const answer = await asking.answer;
    work.value = undefined;
    return answer;
  } catch (error) {
    if (error instanceof Withdrawn) return undefined;
    work.value = undefined;
    problem.value = { about, text: (error as Error).message };
    announcement.value = (error as Error).message;
    return undefined;
  }
}
