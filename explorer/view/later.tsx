import { signal } from "@preact/signals";
import type { JSX } from "preact";

type Part = () => JSX.Element | null;

/** A part of the page whose code is loaded when it is first shown. */
export function later(load: () => Promise<Part>): Part {
  const loaded = signal<{ readonly part: Part } | undefined>(undefined);
  let asked = false;
  return () => {
    if (!asked) {
      asked = true;
      void load().then((part) => (loaded.value = { part }));
    }
    if (loaded.value === undefined) return <p class="remark">Loading …</p>;
    const Shown = loaded.value.part;
    return <Shown />;
  };
}
