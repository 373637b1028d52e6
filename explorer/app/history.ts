import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { fromHash, toHash, type Settings } from "./settings.ts";

/**
 * The settings with their past and future. Each state is an entry of the browser's history, so back and
 * forward walk through them. Moving along the path is not a step of its own: only the end point counts.
 */
const past = signal<readonly Settings[]>([]);
const future = signal<readonly Settings[]>([]);
const present = signal<Settings>(fromHash(location.hash));

export const settings: ReadonlySignal<Settings> = present;
export const canUndo: ReadonlySignal<boolean> = computed(() => past.value.length > 0);
export const canRedo: ReadonlySignal<boolean> = computed(() => future.value.length > 0);
/** The data that undo would return to, if they are others. */
export const dataBefore: ReadonlySignal<string | undefined> = computed(() => {
  const { source } = past.value.at(-1) ?? present.value;
  return source === present.value.source ? undefined : source?.name;
});

const MOST = 200;
let joining = "";

/** The settings that determine a clustering: manual changes to clusters do not carry over to another one. */
const CLUSTERED_BY = [
  "source",
  "reading",
  "off",
  "scale",
  "weights",
  "missing",
  "method",
  "clusters",
  "seed",
  "own",
  "same",
  "different",
  "statements",
] as const;

/**
 * A change that can be undone.
 *
 * @param join changes of the same name in a row, such as the movements of a slider, are undone together
 */
export function change(part: Partial<Settings>, join = ""): void {
  const anew = CLUSTERED_BY.some((name) => name in part && part[name] !== present.value[name]);
  const next = { ...present.value, ...(anew && { edits: [] }), ...part };
  if (toHash(next) === toHash(present.value)) return;
  const joined = join !== "" && join === joining;
  if (!joined) past.value = [...past.value, present.value].slice(-MOST);
  joining = join;
  future.value = [];
  show(next, joined ? "replace" : "push");
}

/** A decision of the program, such as the number of classes in a file, joins the last change. */
export function settle(part: Partial<Settings>): void {
  show({ ...present.value, ...part }, "replace");
}

export function undo(): void {
  step("back", "push");
}

export function redo(): void {
  step("on", "push");
}

/** Undo is a new entry: the browser's back returns to the state seen last. */
function step(way: "back" | "on", entry: Entry): void {
  const next = way === "back" ? past.value.at(-1) : future.value[0];
  if (next === undefined) return;
  const [before, after] = [past.value, future.value];
  past.value = way === "back" ? before.slice(0, -1) : [...before, present.value];
  future.value = way === "back" ? [present.value, ...after] : after.slice(1);
  joining = "";
  show(next, entry);
}

type Entry = "push" | "replace" | "kept";

function show(next: Settings, entry: Entry): void {
  present.value = next;
  const address = `#${toHash(next)}`;
  try {
    if (entry === "push") history.pushState(null, "", address);
    if (entry === "replace") history.replaceState(null, "", address);
  } catch {
    // Browsers refuse very long addresses, and very many entries in a short time. The page continues without.
  }
}

/** An address that was typed, followed or reached by back or forward while the page is open. */
addEventListener("popstate", () => {
  const hash = location.hash.replace(/^#/, "");
  const next = fromHash(hash);
  const is = (one: Settings | undefined): boolean => one !== undefined && toHash(one) === toHash(next);
  if (is(present.value)) return;
  if (is(past.value.at(-1))) return step("back", "kept");
  if (is(future.value[0])) return step("on", "kept");
  past.value = [...past.value, present.value].slice(-MOST);
  future.value = [];
  joining = "";
  show(next, "kept");
});
