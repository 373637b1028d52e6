import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { method, solution } from "../app/known.ts";
import { clustersText } from "../app/solve/solving.ts";
import { ClusterCount } from "./result/MethodPanel.tsx";

const STOPS = ["low", "half", "full"] as const;
const WORDS = { low: "a little", half: "half", full: "all" } as const;
const stop = signal<(typeof STOPS)[number]>("half");
let from: { readonly y: number; readonly at: number } | undefined;

/** On a phone: everything except the plot, on a sheet with three stops. */
export function Sheet({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const at = STOPS.indexOf(stop.value);
  const go = (to: number): void => {
    stop.value = STOPS[Math.min(STOPS.length - 1, Math.max(0, to))];
  };
  const count = solution.value?.sizes.length;
  return (
    <div class={`sheet ${stop.value}`}>
      <div class="sheet-head">
        <button
          type="button"
          class="handle"
          aria-label={`Sheet: ${WORDS[stop.value]} of it is shown; show ${at === 2 ? "less" : "more"}`}
          onPointerDown={(event) => {
            from = { y: event.clientY, at };
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerUp={(event) => {
            const moved = from === undefined ? 0 : from.y - event.clientY;
            if (Math.abs(moved) > 24)
              go((from?.at ?? at) + (Math.abs(moved) > 260 ? 2 : 1) * Math.sign(moved));
            else go(at === 2 ? 0 : at + 1);
            from = undefined;
          }}
          onKeyDown={(event) => {
            const steps = { ArrowUp: 1, ArrowDown: -1, Enter: at === 2 ? -2 : 1, " ": at === 2 ? -2 : 1 }[
              event.key
            ];
            if (steps === undefined) return;
            event.preventDefault();
            go(at + steps);
          }}
        >
          <span class="grip" />
        </button>
        <div class="row spread">
          <strong>{count === undefined ? "Not clustered yet" : clustersText(count)}</strong>
          {method.value !== undefined && <ClusterCount chosen={method.value} />}
        </div>
      </div>
      <div class="sheet-body">{children}</div>
    </div>
  );
}
