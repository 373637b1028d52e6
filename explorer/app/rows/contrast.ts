import { effect, signal } from "@preact/signals";
import type { Contrast } from "kindred/report";
import { solution, table } from "../known.ts";
import { clustered, type Partition } from "../shown/partition.ts";
import { askContrast } from "./browsing.ts";

/** The columns that tell each cluster from the rest, for the partition they belong to. */
export const contrasts = signal<
  { readonly of: Partition; readonly columns: readonly (readonly Contrast[])[] } | undefined
>(undefined);

// This module is loaded when the clusters are first shown one by one.
effect(() => {
  const rows = table.value;
  const shown = clustered.value;
  const profiles = solution.value?.profiles;
  if (rows === undefined || shown === undefined || profiles === undefined) return;
  if (contrasts.peek()?.of === shown) return;
  void askContrast({ table: rows, labels: shown.labels, profiles }).then((columns) => {
    if (clustered.peek() === shown) contrasts.value = { of: shown, columns };
  });
});
