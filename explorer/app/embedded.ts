import { effect } from "@preact/signals";
import { settings } from "./history.ts";
import { hintsOf } from "./hints/hintsOf.ts";
import { solution, table } from "./known.ts";
import { first, highlighted, second } from "./rows/selection.ts";
import { calledNames } from "./shown/partition.ts";

/** Tells the page around this one, such as a notebook, what is on the screen: plain data, after every change. */
export function tellAround(): void {
  effect(() => {
    const { skipped, ...said } = settings.value;
    const shown = {
      rows: table.value?.rows ?? 0,
      method: solution.value?.method ?? "",
      labels: Array.from(solution.value?.labels ?? []),
      names: calledNames.value,
      cluster: highlighted.value ?? null,
      selected: first.value,
      others: second.value,
      hints: { ...hintsOf(said), skipped },
    };
    window.parent.postMessage({ kindred: shown }, "*");
  });
}
