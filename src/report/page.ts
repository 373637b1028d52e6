import { noteText, toldNotes, type Note } from "../core/index.ts";
import { rule } from "../core/internal.ts";
import { html, type Markup, raw } from "./html.ts";
import { STYLE } from "./style.ts";

/**
 * A whole page in one file. Its content policy forbids every request, so it is the same page offline and
 * sends no data anywhere.
 */
export function page(title: string, body: Markup, version: string): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        />
        <link rel="icon" href="data:," />
        <title>${title}</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <main>
          ${body}
          <footer>Made by Kindred ${version}. This page is one file and loads nothing from elsewhere.</footer>
        </main>
      </body>
    </html> `.markup;
}

/** A part of a page below its heading. */
export function section(
  title: string,
  ...content: readonly (Markup | readonly Markup[] | undefined)[]
): Markup {
  return html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`;
}

/** A sentence in small letters below a picture or a table. */
export function remark(text: string): Markup {
  return html`<p class="note">${text}</p>`;
}

/** A cell of a table with its class. */
export interface Cell {
  readonly text: string | Markup | readonly Markup[];
  readonly kind?: "number" | "small";
}

/** A table whose rows begin with a heading; on narrow screens it scrolls under the name `label`. */
export function table(
  heads: readonly Cell[],
  rows: readonly { readonly cells: readonly Cell[]; readonly kind?: string }[],
  { label, kind = "" }: { readonly label: string; readonly kind?: string },
): Markup {
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}">
    <table class="${kind}">
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col" class="${head.kind ?? ""}">${head.text}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ cells: [first, ...others], kind: of = "" }) =>
            html`<tr class="${of}">
              <th scope="row">${first.text}</th>
              ${others.map((cell) => html`<td class="${cell.kind ?? ""}">${cell.text}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Notes with the options of the command line; many of one kind are one paragraph. */
export function noteParagraphs(notes: readonly Note[]): Markup[] {
  return toldNotes(notes, (note) => noteText(note, rule.flagOf)).map(
    ({ code, text }) => html`<p class="${code === "method" ? "warning" : "note"}">${text}</p>`,
  );
}

/** Pairs of a name and a text, as a list. Pairs without a text are left out. */
export function facts(pairs: readonly (readonly [string, string | Markup | undefined])[]): Markup {
  const known = pairs.filter(([, text]) => text !== undefined);
  return html`<dl>
    ${known.map(
      ([name, text]) =>
        html`<dt>${name}</dt>
          <dd>${text}</dd>`,
    )}
  </dl>`;
}
