import type { JSX } from "preact";

const PATHS = {
  undo: "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6",
  redo: "m15 7 5 5-5 5M20 12H10a6 6 0 0 0-6 6",
  move: "M12 3v18M3 12h18M12 3 9.5 5.5M12 3l2.5 2.5M12 21l-2.5-2.5M12 21l2.5-2.5M3 12l2.5-2.5M3 12l2.5 2.5M21 12l-2.5-2.5M21 12l-2.5 2.5",
  lasso:
    "M12 4c5 0 9 2.6 9 6s-4 6-9 6c-1.6 0-3.1-.3-4.4-.7M7.6 15.3C5 14.3 3 12.3 3 10c0-3.4 4-6 9-6M7.6 15.3a2 2 0 1 1-2.8 2.4c0 2.3 1 3.3 2.7 3.3",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  play: "M8 5v14l11-7z",
  pause: "M8 5v14M16 5v14",
  close: "M6 6l12 12M18 6 6 18",
  lock: "M7 11V8a5 5 0 0 1 10 0v3M6 11h12v9H6z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M19 5l-1.5 1.5M6.5 17.5 5 19",
  help: "M9.5 9a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .9-1 1.7v.5M12 17h.010",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
  download: "M12 4v11m0 0-4-4m4 4 4-4M5 20h14",
  put: "M12 3v9m0 0-3-3m3 3 3-3M6 14v5h12v-5",
  paint:
    "M12 3a9 9 0 1 0 0 18c1.5 0 2-1 1.5-2.2-.6-1.4.3-2.8 2-2.8H18a3 3 0 0 0 3-3c0-5.5-4-10-9-10zM7.5 12h.01M10 7.5h.01M15 8h.01",
  brush: "M4 5h16l-6 8v5l-4 2v-7z",
  up: "m6 15 6-6 6 6",
  down: "m6 9 6 6 6-6",
  pencil: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
} as const;

export type IconName = keyof typeof PATHS;

/** A line drawing beside or in place of words; screen readers get the words. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo(): JSX.Element {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <circle cx="11" cy="12" r="6.5" class="logo-a" />
      <circle cx="21" cy="12" r="6.5" class="logo-b" />
      <circle cx="16" cy="20.5" r="6.5" class="logo-c" />
    </svg>
  );
}
