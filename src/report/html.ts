/** Text that is already HTML; everything else in a page is escaped. */
export interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | undefined | readonly Part[];

/** A template whose values are escaped, unless they are `Markup`. Arrays are joined, `undefined` is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Markup {
  let markup = strings[0];
  values.forEach((value, v) => {
    markup += render(value) + strings[v + 1];
  });
  return { markup };
}

/** Trusted text: formatted numbers, style sheets, paths of a picture. */
export function raw(markup: string): Markup {
  return { markup };
}

function render(part: Part): string {
  if (part === undefined) return "";
  if (typeof part === "object") return "markup" in part ? part.markup : part.map(render).join("");
  return escape(String(part));
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPED[character]);
}

const ESCAPED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
