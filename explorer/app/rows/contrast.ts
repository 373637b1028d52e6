import { effect, signal } from "@preact/signals";
import type { Contrast } from "../../protocol.ts";
import { table } from "../known.ts";
import { clustered, type Partition } from "../shown/partition.ts";
import { askContrast } from "./browsing.ts";

/** The contents of each column in each cluster, for the partition they belong to. */
export const contrasts = signal<{ readonly of: Partition; readonly columns: Contrast } | undefined>(
  undefined,
);

// This module is loaded when the clusters are first shown one by one.
effect(() => {
  const rows = table.value;
  const shown = clustered.value;
  if (rows === undefined || shown === undefined || contrasts.peek()?.of === shown) return;
  void askContrast({ table: rows, labels: shown.labels, clusters: shown.sizes.length }).then((columns) => {
    if (clustered.peek() === shown) contrasts.value = { of: shown, columns };
  });
});
