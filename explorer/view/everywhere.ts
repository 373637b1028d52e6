import { signal } from "@preact/signals";
import { dropFile } from "../app/data/data.ts";
import { redo, undo } from "../app/history.ts";
import { focusables } from "./keepFocus.ts";

/** A file is being dragged over the page. */
export const over = signal(false);
/** Keys and gestures are shown. */
export const helpOpen = signal(false);

/**
 * Global actions: files may be dropped anywhere, and undo, help and the next part of the page have keys, the
 * first two not inside fields.
 */
export function listenEverywhere(): void {
  addEventListener("dragover", (event) => {
    event.preventDefault();
    over.value = true;
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) over.value = false;
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    over.value = false;
    const file = event.dataTransfer?.files[0];
    if (file !== undefined) void dropFile(file);
  });
  addEventListener("keydown", (event) => {
    if (event.key === "F6") {
      event.preventDefault();
      toNextPart(event.shiftKey ? -1 : 1);
      return;
    }
    const typing = isTyping(event.target);
    if (event.key === "?" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      helpOpen.value = true;
      return;
    }
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || typing) return;
    event.preventDefault();
    if (event.shiftKey) redo();
    else undo();
  });
}

/** Parts of the page, and what is wanted first in them. */
const PARTS = "header, .card, .stage, .table-panel, .side, .start";
const FIRST = ".plot, [role=tab][aria-selected=true], input[type=search], .columns > summary";

/** The focus goes to the next part of the page, or the one before. */
function toNextPart(steps: number): void {
  if (document.querySelector("dialog[open]") !== null) return;
  const parts = [...document.querySelectorAll<HTMLElement>(PARTS)];
  const at = parts.findIndex((part) => part.contains(document.activeElement));
  const next = parts[(Math.max(at, steps < 0 ? 0 : -1) + steps + parts.length) % parts.length];
  (next?.querySelector<HTMLElement>(FIRST) ?? (next && focusables(next)[0]))?.focus();
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "range", "file"].includes(target.type);
}
