import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icons.tsx";
import { helpOpen } from "./everywhere.ts";
import { Privacy } from "./Start.tsx";

/** The keys of the plot, as the help lists them. */
const PLOT_KEYS: readonly (readonly [string, string])[] = [
  ["Arrow keys", "go to the next point in that direction"],
  ["Enter or Space", "add the point to group 1, or remove it"],
  ["Shift + Enter", "the same with group 2"],
  ["S", "mark the chosen points as the same"],
  ["D", "mark the two groups as different"],
  ["[ and ]", "one step along the clusterpath"],
  ["+ and -", "zoom"],
  ["0", "see all points"],
  ["Escape", "forget what is chosen"],
  ["F6, Shift + F6", "the next or last part of the page (anywhere)"],
  ["Ctrl + Z, Ctrl + Shift + Z", "undo, redo (anywhere)"],
  ["?", "this help (anywhere)"],
];

/** Keys and gestures. */
export function Help(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={() => (helpOpen.value = false)}>
      <div class="row spread">
        <h2 id="help-title">Keys and gestures</h2>
        <button type="button" class="bare" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      <p>
        Drag to move, scroll or pinch to zoom, click a point to see its kin, Shift-click to choose it. With
        the lasso, drag around points; hold Shift for the second group.
      </p>
      <p>When the plot has the focus:</p>
      <dl class="keys">
        {PLOT_KEYS.map(([key, text]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p>In the table of rows, the arrow keys, Page Up and Page Down, Home and End go from row to row.</p>
      <Privacy />
    </dialog>
  );
}
