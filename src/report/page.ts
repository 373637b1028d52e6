import { noteText, toldNotes, type Note } from "../core/index.ts";
import { rule } from "../core/internal.ts";
import { html, type Markup, raw } from "./html.ts";

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

/** The look of a page: its own colours in light and dark, no fonts or files from elsewhere, and a form for paper. */
const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fdfdfb; --ink: #20242a; --soft: #5a626d; --line: #e2e4e0; --card: #ffffff; --accent: #0072b2; --warn: #9a4a00;
}
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171b; --ink: #e8eaed; --soft: #a4acb8; --line: #2c3138; --card: #1b1f24; --accent: #6cb8e6; --warn: #f0a860; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 0.3rem; letter-spacing: -0.01em; }
h2 { font-size: 1.2rem; margin: 0 0 0.8rem; }
.lead { color: var(--soft); margin: 0 0 1.6rem; max-width: 46rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.2rem 1.4rem; margin: 0 0 1.2rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1.2rem; }
.pair > section { min-width: 0; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
svg .name { fill: var(--ink); font-size: 12px; }
.grid { stroke: var(--line); stroke-width: 1; }
.points path { fill-opacity: 0.78; stroke: var(--card); stroke-width: 0.5; }
.numbers text { font-size: 13px; font-weight: 700; fill: var(--ink); stroke: var(--card); stroke-width: 3px; paint-order: stroke; }
.multiples { list-style: none; display: grid; grid-template-columns: repeat(auto-fill, minmax(110px, 1fr)); gap: 0.5rem; margin: 0.8rem 0 0; padding: 0; font-size: 0.85rem; text-align: center; }
.multiples svg { border: 1px solid var(--line); border-radius: 6px; }
.multiples path { fill: none; stroke-linecap: round; }
.multiples .behind { stroke: var(--line); stroke-width: 14; }
.multiples .own { stroke-width: 18; }
.pair svg[role="img"]:not(.map) text { font-size: 20px; }
.pair .numbers text { font-size: 22px; stroke-width: 5px; }
.ring { fill: none; stroke: var(--ink); stroke-width: 1.2; }
.field { stroke: var(--soft); stroke-opacity: 0.45; stroke-width: 0.8; fill: none; }
.trail { fill: none; stroke-width: 0.9; stroke-opacity: 0.6; stroke-linejoin: round; }
.start { fill-opacity: 0.8; }
.end { fill: none; stroke: var(--ink); stroke-width: 1.4; }
.line { stroke: var(--accent); stroke-width: 2; fill: none; stroke-linejoin: round; }
.mark line { stroke: var(--warn); stroke-dasharray: 4 3; }
.mark text { fill: var(--warn); }
.tree path { fill: none; stroke-width: 1.4; }
.map .above, .blocks .above { fill: #d55e00; } .map .below, .blocks .below { fill: #0072b2; }
.blocks .cut { stroke: currentColor; stroke-width: 1.5; }
.swatch { display: inline-block; width: 0.85em; height: 0.85em; vertical-align: -0.06em; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.3rem 1.2rem; margin: 0.6rem 0 0; padding: 0; font-size: 0.9rem; color: var(--soft); }
.legend li { max-width: 100%; }
.note, .small { color: var(--soft); font-size: 0.9rem; }
.warning { color: var(--warn); }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { text-align: left; padding: 0.28rem 0.8rem 0.28rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; } td.number, .whole { white-space: nowrap; }
thead th { color: var(--soft); font-weight: 500; }
tbody th { font-weight: 500; }
.bars td { width: 55%; white-space: nowrap; }
.bars th { overflow-wrap: anywhere; }
.bars svg { display: inline-block; width: calc(100% - 4.2rem); height: 0.7em; }
.bars rect { fill: var(--accent); }
.bars span { display: inline-block; width: 3.8rem; text-align: right; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.2rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
pre { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 0.8rem 1rem; overflow-x: auto; font: 13px/1.5 ui-monospace, monospace; margin: 0.4rem 0 0.9rem; }
footer { color: var(--soft); font-size: 0.88rem; }
.better { font-weight: 600; }
.contrasts { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1.4rem; }
.contrasts figure { margin: 0; break-inside: avoid; } .contrasts figcaption { margin-bottom: 0.4rem; }
@media (max-width: 40rem) { main { padding: 1.2rem 0.8rem 3rem; } section { padding: 1rem; } svg[role="img"]:not(.map) text { font-size: 19px; } svg .leaves text { font-size: 11px !important; } td { min-width: 9rem; } td.number, .bars td { min-width: 0; } .pair { grid-template-columns: 1fr; } .profiles thead { position: absolute; clip-path: inset(50%); } .profiles tr { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 0.1rem 0.8rem; padding: 0.4rem 0; border-bottom: 1px solid var(--line); } .profiles :is(th, td) { min-width: 0; border: 0; padding: 0; } .profiles .small { grid-column: 1 / -1; } dl { grid-template-columns: 1fr; } dt { margin-top: 0.4rem; } }
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --line: #ccc; --card: #fff; --accent: #0072b2; --warn: #7a3a00; }
  body { font-size: 11pt; } main { max-width: none; padding: 0; }
  section { break-inside: avoid; border: 0; padding: 0.4rem 0; }
}
`;
