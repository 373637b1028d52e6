import { computed, effect, untracked } from "@preact/signals";
import { ask } from "./asking.ts";
import { startBrowsing } from "./rows/browsing.ts";
import { offerServed, openWanted, wantedData } from "./data/data.ts";
import { follow, stopFollowing } from "./solve/following.ts";
import { settings } from "./history.ts";
import { judging } from "./hints/judging.ts";
import { layOut, stopLayingOut } from "./solve/layingOut.ts";
import { listKept } from "./data/keptFiles.ts";
import { method, methods, options, solution, table } from "./known.ts";
import type { Settings } from "./settings.ts";
import { solve } from "./solve/solving.ts";

/** From now on every change of the settings starts the necessary work. */
export function start(): void {
  const data = computed(() => wantedData(settings.value));
  const wish = computed(() => wantedClustering(settings.value));
  const onPath = computed(() => settings.value.gamma !== undefined);
  effect(() => {
    void data.value;
    untracked(openWanted);
  });
  effect(() => {
    const name = method.value?.name;
    if (name !== undefined) untracked(() => void loadOptions(name));
  });
  let waiting: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    void wish.value;
    clearTimeout(waiting);
    if (table.value === undefined || methods.value.length === 0) return;
    // While rows are judged one after another, learning waits for a pause.
    if (judging.peek() && solution.peek() !== undefined) waiting = setTimeout(() => void solve(), PAUSE_MS);
    else untracked(() => void solve());
  });
  effect(() => {
    const wanted = onPath.value && solution.value !== undefined;
    untracked(() => (wanted ? void follow() : stopFollowing()));
  });
  const laidOut = computed(() => settings.value.view === "layout");
  effect(() => {
    const wanted = laidOut.value && solution.value !== undefined;
    untracked(() => (wanted ? void layOut() : stopLayingOut()));
  });
  effect(() => {
    const { source } = settings.value;
    document.title = source === undefined ? "Kindred explorer" : `${source.name} - Kindred explorer`;
  });
  if (settings.value.source === undefined) void offerServed();
  void listKept();
  startBrowsing();
}

const PAUSE_MS = 900;

function wantedClustering({ off, scale, weights, missing, edits, pinned, ...rest }: Settings): string {
  const { method: name, clusters, seed, own, same, different, statements } = rest;
  const rows = [off, scale, weights, missing];
  return JSON.stringify([rows, edits, pinned, name, clusters, seed, own, same, different, statements]);
}

async function loadOptions(name: string): Promise<void> {
  if (name in options.value) return;
  const list = await ask("options", { method: name }).catch(() => undefined);
  if (list !== undefined) options.value = { ...options.value, [name]: list };
}
