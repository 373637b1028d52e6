import { signal, type ReadonlySignal } from "@preact/signals";

/** Whether the media query holds, with updates. */
function follows(query: string): ReadonlySignal<boolean> {
  const media = matchMedia(query);
  const now = signal(media.matches);
  media.addEventListener("change", () => (now.value = media.matches));
  return now;
}

/** As narrow as a phone. */
export const narrow: ReadonlySignal<boolean> = follows("(max-width: 700px)");
/** Nothing should move by itself. */
export const still: ReadonlySignal<boolean> = follows("(prefers-reduced-motion: reduce)");
