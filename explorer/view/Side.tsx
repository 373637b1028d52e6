import { signal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { placed } from "../app/known.ts";
import { focused } from "../app/rows/selection.ts";
import { later } from "./later.tsx";
import { Result } from "./result/Result.tsx";

const Clusters = later(async () => (await import("./result/Clusters.tsx")).Clusters);
const PointCard = later(async () => (await import("./rows/PointCard.tsx")).PointCard);
const Compare = later(async () => (await import("./compare/Compare.tsx")).Compare);
const Export = later(async () => (await import("./Export.tsx")).Export);

const TABS = [
  ["result", "Result", Result],
  ["clusters", "Clusters", Clusters],
  ["point", "Point", PointCard],
  ["compare", "Compare", Compare],
  ["export", "Export", Export],
] as const;

const open = signal<(typeof TABS)[number][0]>("result");

/** The panels, one at a time. */
export function Side(): JSX.Element {
  useSignalEffect(() => {
    if (focused.value !== undefined && open.peek() === "result") open.value = "point";
  });
  useSignalEffect(() => {
    if (placed.value !== undefined) open.value = "compare";
  });
  useEffect(keepFocusInSight, []);
  const move = (event: KeyboardEvent): void => {
    const steps = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (steps === undefined) return;
    const at = TABS.findIndex(([name]) => name === open.value);
    const [next] = TABS[(at + steps + TABS.length) % TABS.length];
    open.value = next;
    document.getElementById(`tab-${next}`)?.focus();
  };
  const [, , Shown] = TABS.find(([name]) => name === open.value)!;
  return (
    <aside class="side" aria-label="Result">
      <h2 class="unseen">What was found</h2>
      <div class="tabs" role="tablist" aria-label="What to show" onKeyDown={move}>
        {TABS.map(([name, title]) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={open.value === name}
            aria-controls="tab-panel"
            tabIndex={open.value === name ? 0 : -1}
            onClick={() => (open.value = name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div
        id="tab-panel"
        class="tab-panel"
        role="tabpanel"
        aria-labelledby={`tab-${open.value}`}
        tabIndex={0}
      >
        <Shown />
      </div>
    </aside>
  );
}

/** What a result adds above a button must not push it out of the sight of a person who works by keys. */
function keepFocusInSight(): () => void {
  const panel = document.getElementById("tab-panel")!;
  const watch = new ResizeObserver(() => {
    const { activeElement } = document;
    if (activeElement !== panel && panel.contains(activeElement) && activeElement!.matches(":focus-visible"))
      activeElement!.scrollIntoView({ block: "nearest" });
  });
  watch.observe(panel);
  return () => watch.disconnect();
}
