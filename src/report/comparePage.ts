import { adjustedRand } from "../score/rand.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { heatMap } from "./heatMap.ts";
import { html, type Markup } from "./html.ts";
import { facts, page } from "./page.ts";
import { plane } from "./plane.ts";
import { scatterPlot } from "./scatterPlot.ts";

/** What is known of one method of a comparison. */
export interface ComparedMethod {
  readonly method: string;
  readonly clusters: number;
  readonly seconds: number;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly modularity: number;
  readonly silhouette: number;
  readonly agreement?: number;
  readonly stability?: number;
  /** Against known classes, where there are any. */
  readonly scores?: { readonly adjustedRand: number; readonly nmi: number; readonly accuracy: number };
}

/** A comparison, the recommended method first. */
export interface CompareResult {
  readonly source: string;
  readonly rows: number;
  readonly features: number;
  readonly clusters: number;
  readonly label: string | null;
  readonly methods: readonly ComparedMethod[];
  readonly failed: readonly { readonly method: string; readonly why: string }[];
  readonly recommendation: string;
  readonly rule: string;
  readonly notes: readonly string[];
}

export interface ComparePage extends CompareResult {
  readonly X: Matrix;
  readonly names: readonly string[];
  /** In the order of `methods`. */
  readonly labels: readonly ArrayLike<number>[];
  readonly command?: string;
  readonly version: string;
}

const MOST_PICTURES = 6;
/** Adjusted Rand index from which one picture stands for two partitions. */
const SAME = 0.98;

/** The page of a comparison: the table, who agrees with whom, and the partitions themselves. */
export function comparePage(result: ComparePage): string {
  const { source, methods, rows, features, clusters, recommendation, labels, X, names } = result;
  const title = `Clusterings of ${source.split(/[\\/]/).pop()}, compared`;
  // One plane for all pictures, so that they can be compared: that of the recommended partition.
  const view = plane(X, names, labels[0]);
  const pictures = distinct(labels).map(
    ({ first, same }) =>
      html`<section>
        <h2>${first + 1}. ${methods[first].method}</h2>
        ${scatterPlot({
          points: view.points,
          labels: aligned(labels[first], labels[0]),
          clusters: Math.max(methods[first].clusters, methods[0].clusters),
          axes: view.axes,
          rowName: (row) => `row ${row}`,
        })}
        ${
          same.length === 0
            ? undefined
            : html`<p class="note">Nearly the same: ${same.map((m) => methods[m].method).join(", ")}.</p>`
        }
      </section>`,
  );
  const body = html`
    <header>
      <h1>${title}</h1>
      <p class="lead">
        ${rows} rows, ${features} features, ${clusters} clusters asked for. ${recommendation}
      </p>
    </header>
    <section>
      <h2>Side by side</h2>
      <div class="wide" tabindex="0" role="region" aria-label="table">${table(result)}</div>
      <p class="note">${result.rule}</p>
    </section>
    <div class="pair">${pictures}</div>
    ${methods.length < 2 ? undefined : agreementSection(methods, labels)} ${endSection(result)}
  `;
  return page(`${title} - Kindred`, body, result.version);
}

const HEADS = ["clusters", "modularity", "silhouette", "stability", "agreement", "seconds"] as const;

function table({ methods, label }: CompareResult): Markup {
  const scored = methods.some(({ scores }) => scores !== undefined);
  const heads = [...HEADS, ...(scored ? [`ARI (${label})`, "NMI", "accuracy"] : [])];
  return html`<table>
    <thead>
      <tr>
        <th scope="col">method</th>
        ${heads.map((head) => html`<th scope="col" class="number">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${methods.map(
        (row, m) =>
          html`<tr class="${m === 0 ? "better" : ""}">
            <th scope="row">${row.method}${row.converged ? "" : " (not converged)"}</th>
            ${cells(row, scored).map((cell) => html`<td class="number">${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** The numbers of a row as text, in the order of the heads. */
export function cells(row: ComparedMethod, scored: boolean): string[] {
  const three = (value: number | undefined): string => (value === undefined ? "-" : value.toFixed(3));
  const { scores } = row;
  return [
    String(row.clusters),
    three(row.modularity),
    three(row.silhouette),
    three(row.stability),
    three(row.agreement),
    row.seconds.toFixed(2),
    ...(scored ? [three(scores?.adjustedRand), three(scores?.nmi), three(scores?.accuracy)] : []),
  ];
}

function agreementSection(methods: readonly ComparedMethod[], labels: readonly ArrayLike<number>[]): Markup {
  const size = methods.length;
  const M = matrix(size, size);
  for (let a = 0; a < size; a++) {
    for (let b = 0; b < size; b++) M.data[a * size + b] = a === b ? 1 : adjustedRand(labels[a], labels[b]);
  }
  return html`<section>
    <h2>Who agrees with whom</h2>
    ${heatMap(
      M,
      methods.map(({ method }) => method),
    )}
    <p class="note">Adjusted Rand index of every two partitions: full colour is the same partition.</p>
  </section>`;
}

function endSection({ failed, notes, command }: ComparePage): Markup {
  return html`<section>
    <h2>How it was made</h2>
    ${facts([["command", command], ...failed.map(({ method, why }) => [method, why] as const)])}
    ${notes.map((note) => html`<p class="note">${note}</p>`)}
  </section>`;
}

/** The partitions to draw, in their order, each with those that look the same. */
function distinct(labels: readonly ArrayLike<number>[]): { first: number; same: number[] }[] {
  const drawn: { first: number; same: number[] }[] = [];
  labels.forEach((own, m) => {
    const like = drawn.find(({ first }) => adjustedRand(labels[first], own) >= SAME);
    if (like !== undefined) like.same.push(m);
    else drawn.push({ first: m, same: [] });
  });
  return drawn.slice(0, MOST_PICTURES);
}

/** The labels renamed so that clusters which share most rows with one of `other` have its colour. */
function aligned(labels: ArrayLike<number>, other: ArrayLike<number>): Int32Array {
  const counts = new Map<string, { from: number; to: number; count: number }>();
  for (let i = 0; i < labels.length; i++) {
    const key = `${labels[i]} ${other[i]}`;
    const held = counts.get(key) ?? { from: labels[i], to: other[i], count: 0 };
    held.count++;
    counts.set(key, held);
  }
  const named = new Map<number, number>();
  const taken = new Set<number>();
  for (const { from, to } of [...counts.values()].toSorted((a, b) => b.count - a.count)) {
    if (named.has(from) || taken.has(to)) continue;
    named.set(from, to);
    taken.add(to);
  }
  let next = 0;
  return Int32Array.from({ length: labels.length }, (_, i) => {
    let name = named.get(labels[i]);
    if (name === undefined) {
      while (taken.has(next)) next++;
      taken.add(next);
      named.set(labels[i], (name = next));
    }
    return name;
  });
}
