import { signal } from "@preact/signals";
import { dropFile } from "../app/data.ts";
import { redo, undo } from "../app/history.ts";

/** A file is being dragged over the page. */
export const over = signal(false);

/** What works anywhere on the page: files may be dropped, and undo is a key away, but not in fields of numbers. */
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
    const typing = event.target instanceof HTMLInputElement && event.target.type === "number";
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || typing) return;
    event.preventDefault();
    if (event.shiftKey) redo();
    else undo();
  });
}
