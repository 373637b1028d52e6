import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icons.tsx";
import { PLOT_KEYS } from "./plot/plotKeys.ts";
import { Privacy } from "./Start.tsx";

export const helpOpen = signal(false);

/** Keys and gestures. */
export function Help(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (helpOpen.value && dialog.current?.open === false) dialog.current.showModal();
  }, [helpOpen.value]);
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
