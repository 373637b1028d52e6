/** The elements that can have the focus now. */
const FOCUSABLE =
  "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), summary, [tabindex='0']";
/** Parts of the page within which the focus stays when it can. */
const PART = "dialog, section, aside, header, main";
/** Where an address book of keys would open on a phone. */
const FIELD = "input:not([type=checkbox]):not([type=range]):not([type=file])";

interface Held {
  readonly element: HTMLElement;
  /** Its containers, from the inside out. */
  readonly around: readonly HTMLElement[];
  /** The elements that could have the focus instead: those after it, then those before, the nearest first. */
  readonly near: readonly HTMLElement[];
}

/**
 * The focus never falls to the page itself. If the focused element is removed or disabled, the focus moves to
 * the next one in the smallest remaining part, otherwise to the previous one.
 */
export function keepFocus(): void {
  let held: Held | undefined;
  let byKeys = true;
  addEventListener("focusin", ({ target }) => (held = holding(target)));
  addEventListener("keydown", () => (byKeys = true), { capture: true });
  addEventListener(
    "pointerdown",
    () => {
      byKeys = false;
      held = undefined;
    },
    { capture: true },
  );
  const keep = (): void => {
    if (held === undefined || isThere(held.element)) return;
    const { activeElement } = document;
    if (activeElement !== document.body && activeElement !== null && activeElement !== held.element) return;
    heir(held, byKeys)?.focus({ preventScroll: !byKeys });
  };
  new MutationObserver(keep).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ["disabled"],
  });
}

/** Everything that can have the focus, in the order of the page. */
export function focusables(part: ParentNode): HTMLElement[] {
  return [...part.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(isThere);
}

function isThere(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(":disabled") && element.checkVisibility();
}

function holding(target: EventTarget | null): Held | undefined {
  if (!(target instanceof HTMLElement)) return undefined;
  const around: HTMLElement[] = [];
  for (let at = target.parentElement; at !== null; at = at.parentElement) around.push(at);
  const all = focusables(target.closest(PART)?.parentElement?.closest(PART) ?? document.body);
  const at = all.indexOf(target);
  return {
    element: target,
    around,
    near: [...all.slice(at + 1), ...all.slice(0, Math.max(0, at)).toReversed()],
  };
}

function heir({ around, near }: Held, fields: boolean): HTMLElement | undefined {
  const left = near.filter((one) => isThere(one) && (fields || !one.matches(FIELD)));
  for (const part of around) {
    if (!part.isConnected) continue;
    const main = part.querySelector<HTMLElement>("main");
    if (main !== null) return main;
    const next = left.find((one) => part.contains(one)) ?? focusables(part)[0];
    if (next !== undefined) return next;
    if (part.id === "main") return part;
  }
  return undefined;
}
