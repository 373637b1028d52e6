import { computed, effect, untracked } from "@preact/signals";
import { offerServed, openWanted, wantedData } from "./data.ts";
import { follow, stopFollowing } from "./following.ts";
import { settings } from "./history.ts";
import { methods, solution, table } from "./known.ts";
import type { Settings } from "./settings.ts";
import { solve } from "./solving.ts";

/** From now on every change of the settings is followed by the work that it asks for. */
export function start(): void {
  const data = computed(() => wantedData(settings.value));
  const wish = computed(() => wantedClustering(settings.value));
  const onPath = computed(() => settings.value.gamma !== undefined);
  effect(() => {
    void data.value;
    untracked(openWanted);
  });
  effect(() => {
    void wish.value;
    if (table.value !== undefined && methods.value.length > 0) untracked(() => void solve());
  });
  effect(() => {
    const wanted = onPath.value && solution.value !== undefined;
    untracked(() => (wanted ? void follow() : stopFollowing()));
  });
  effect(() => {
    const { source } = settings.value;
    document.title = source === undefined ? "Kindred explorer" : `${source.name} - Kindred explorer`;
  });
  if (settings.value.source === undefined) void offerServed();
}

function wantedClustering({ off, scale, pinned, ...rest }: Settings): string {
  const { method, clusters, seed, own, same, different } = rest;
  return JSON.stringify([off, scale, pinned, method, clusters, seed, own, same, different]);
}
