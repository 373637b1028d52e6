import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { fromHash, toHash, type Settings } from "./settings.ts";

/** The settings with their past and future. Moving along the path is not a step of its own: only where it ends counts. */
const past = signal<readonly Settings[]>([]);
const future = signal<readonly Settings[]>([]);
const present = signal<Settings>(fromHash(location.hash));

export const settings: ReadonlySignal<Settings> = present;
export const canUndo: ReadonlySignal<boolean> = computed(() => past.value.length > 0);
export const canRedo: ReadonlySignal<boolean> = computed(() => future.value.length > 0);

const MOST = 200;
let joining = "";

/**
 * A change that can be undone.
 *
 * @param join changes of the same name in a row, such as the movements of a slider, are undone together
 */
export function change(part: Partial<Settings>, join = ""): void {
  const next = { ...present.value, ...part };
  if (toHash(next) === toHash(present.value)) return;
  if (join === "" || join !== joining) past.value = [...past.value, present.value].slice(-MOST);
  joining = join;
  future.value = [];
  show(next);
}

/** A decision of the program's own, such as the number of classes found in a file: part of the last change. */
export function settle(part: Partial<Settings>): void {
  show({ ...present.value, ...part });
}

export function undo(): void {
  const last = past.value.at(-1);
  if (last === undefined) return;
  past.value = past.value.slice(0, -1);
  future.value = [present.value, ...future.value];
  joining = "";
  show(last);
}

export function redo(): void {
  const [next, ...rest] = future.value;
  if (next === undefined) return;
  past.value = [...past.value, present.value];
  future.value = rest;
  joining = "";
  show(next);
}

function show(next: Settings): void {
  present.value = next;
  history.replaceState(null, "", `#${toHash(next)}`);
}

/** An address typed or followed while the page is open. */
addEventListener("hashchange", () => {
  if (location.hash.slice(1) !== toHash(present.value)) change(fromHash(location.hash));
});
