import { signal } from "@preact/signals";
import { dropFile } from "../app/data/data.ts";
import { redo, undo } from "../app/history.ts";
import { helpOpen } from "./Help.tsx";

/** A file is being dragged over the page. */
export const over = signal(false);

/** Global actions: files may be dropped anywhere, and undo and help have keys, except inside fields. */
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
    if (file !== undefined) dropFile(file);
  });
  addEventListener("keydown", (event) => {
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

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "range", "file"].includes(target.type);
}
