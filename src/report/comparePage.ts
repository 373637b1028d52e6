import type { ComparedPartition, Comparison } from "../run/index.ts";
import { matching } from "../run/internal.ts";
import { plural } from "../core/internal.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import { disagreementWords } from "./clusterPage.ts";
import { heatMap } from "./heatMap.ts";
import { html, type Markup } from "./html.ts";
import { type Cell, facts, noteParagraphs, page, remark, section, table } from "./page.ts";
import { picture } from "./picture.ts";
import { scatterPlot } from "./scatterPlot.ts";

export interface ComparePage {
  readonly comparison: Comparison;
  /** The command for each partition. */
  readonly commands: readonly string[];
  /** The rows; absent if there are too many numbers to draw. */
  readonly X?: Matrix;
  readonly names: readonly string[];
  /** The table rows behind the rows of X; absent: all. */
  readonly drawn?: Int32Array;
  readonly command?: string;
  readonly version: string;
}

const MOST_PICTURES = 8;
const MOST_SIZES = 8;

/** The page of a comparison: distinct partitions side by side, their differences and their agreement. */
export function comparePage(result: ComparePage): string {
  const { comparison, commands } = result;
  const { source, partitions, rows, features, recommendation } = comparison;
  const title = `Clusterings of ${source.split(/[\\/]/).pop()}, compared`;
  const body = html`
    <header>
      <h1>${title}</h1>
      <p class="lead">
        ${rows} rows, ${features} features, ${numberWords(comparison)}.
        ${recommendation.words.charAt(0).toUpperCase() + recommendation.words.slice(1)}
      </p>
    </header>
    <section>
      <h2>Distinct partitions, the recommended first</h2>
      ${partitionTable(comparison)}
      <p class="note">
        Methods that gave the same partition (adjusted Rand index of at least 0.98) are one line.
        ${
          isJudged(comparison)
            ? "Expected: adjusted Rand index to be expected with the true groups, by all plausible partitions."
            : undefined
        }
        Agrees: adjusted Rand index with the recommended partition.
      </p>
      ${disagreementWords(best(partitions), "No grouping")}
      <pre tabindex="0">${commands[0]}</pre>
    </section>
    ${section("The recommended clusters", recommendedFacts(recommendation))} ${pictures(result)}
    ${partitions.length < 2 ? undefined : agreementSection(comparison)} ${endSection(result)}
  `;
  return page(`${title} - Kindred`, body, result.version);
}

function recommendedFacts({ profiles }: Comparison["recommendation"]): Markup {
  return facts(profiles.map(({ cluster, name, words }) => [`${cluster}, ${name}`, words] as const));
}

/** The number of clusters: found, or requested. */
function numberWords({ clusters, found, partitions }: Comparison): string {
  const count = plural(clusters, "cluster");
  if (found && partitions[0].clusters < 2 && clusters > 1) return `other methods were asked for ${count}`;
  return `${count} ${found ? "found" : "asked for"}`;
}

/** The best agreement with known classes; nothing if there are none. */
function best(partitions: readonly ComparedPartition[]): number | undefined {
  const scores = partitions.flatMap(({ scores: own }) => (own === undefined ? [] : [own.adjustedRand]));
  return scores.length === 0 ? undefined : Math.max(...scores);
}

function isJudged({ partitions }: Comparison): boolean {
  return partitions.some(({ expected }) => expected !== null);
}

function partitionTable(comparison: Comparison): Markup {
  const { partitions, label } = comparison;
  const judged = isJudged(comparison);
  const scored = partitions.some(({ scores }) => scores !== undefined);
  const stable = partitions.some(({ stability }) => stability !== undefined);
  const heads = [
    "clusters",
    ...(judged ? ["expected"] : []),
    "agrees",
    ...(stable ? ["stability"] : []),
    ...(scored ? [`ARI (${label})`, "NMI", "accuracy"] : []),
  ];
  return table(
    [{ text: "methods" }, { text: "sizes" }, ...heads.map((text): Cell => ({ text, kind: "number" }))],
    partitions.map((one, p) => ({
      kind: p === 0 ? "better" : "",
      cells: [
        { text: `${p + 1}. ${names(one)}` },
        { text: sizes(one) },
        ...cells(one, { judged, scored, stable }).map((text): Cell => ({ text, kind: "number" })),
      ],
    })),
    { label: "Table of partitions" },
  );
}

function cells(
  { clusters, expected, agreement, stability, scores }: ComparedPartition,
  { judged, scored, stable }: Readonly<Record<"judged" | "scored" | "stable", boolean>>,
): string[] {
  const two = (value: number | null | undefined): string =>
    value === null || value === undefined ? "-" : (Math.abs(value) < 0.005 ? 0 : value).toFixed(2);
  return [
    String(clusters),
    ...(judged ? [two(expected)] : []),
    two(agreement),
    ...(stable ? [two(stability)] : []),
    ...(scored ? [scores?.adjustedRand, scores?.nmi, scores?.accuracy].map(two) : []),
  ];
}

function names({ methods }: ComparedPartition): string {
  return methods.map(({ name, converged }) => (converged ? name : `${name} (not converged)`)).join(", ");
}

function sizes({ sizes: all }: ComparedPartition): string {
  const shown = all.toSorted((a, b) => b - a).slice(0, MOST_SIZES);
  return `${shown.join("\u00a0")}${all.length > MOST_SIZES ? " ..." : ""}`;
}

/**
 * One picture for all, that of the recommended partition, which makes them comparable; rows that differ have
 * a ring.
 */
function pictures({ comparison, commands, X, names: columns, drawn }: ComparePage): Markup | undefined {
  if (X === undefined) return undefined;
  const { partitions } = comparison;
  const shown = partitions.slice(0, MOST_PICTURES);
  const labelsOf = ({ labels }: ComparedPartition): Int32Array =>
    Int32Array.from({ length: X.rows }, (_, i) => labels[drawn?.[i] ?? i]);
  const recommended = labelsOf(partitions[0]);
  const view = picture(X, columns, recommended);
  const panels = shown.map((one, p) => {
    const labels = aligned(labelsOf(one), recommended);
    const plot = scatterPlot({
      points: view.points,
      labels,
      clusters: labels.reduce((most, label) => Math.max(most, label + 1), 1),
      axes: view.axes,
      rowName: (row) => `row ${drawn?.[row] ?? row}`,
      equal: X.cols > 1,
      bare: view.layout !== undefined,
      small: true,
      ...(p > 0 && { ringed: (row: number) => labels[row] !== recommended[row] }),
    });
    const { differs } = one;
    const said =
      differs === null
        ? "The recommended partition."
        : `Ringed: the ${differs.rows === 1 ? "row" : `${differs.rows} rows`} that partition 1 has elsewhere: ${differs.words}.`;
    const how = p === 0 ? undefined : html`<pre tabindex="0">${commands[p]}</pre>`;
    return section(`${p + 1}. ${names(one)}`, plot, remark(said), how);
  });
  return html`<div class="pair">${panels}</div>
    ${view.chosen === undefined ? undefined : remark(view.chosen)}
    ${partitions.length > shown.length ? remark(`${shown.length} of ${partitions.length} partitions are drawn.`) : undefined}`;
}

function agreementSection({ partitions, agreement }: Comparison): Markup {
  const size = partitions.length;
  const map = heatMap(
    matrix(size, size, Float64Array.from(agreement.flat())),
    partitions.map(({ methods }, p) => `${p + 1}. ${methods[0].name}`),
  );
  const said = "Adjusted Rand index of every two partitions: full colour is the same partition.";
  return section("Who agrees with whom", map, remark(said));
}

function endSection({ comparison: { failed, notes }, command }: ComparePage): Markup {
  const list = facts([["command", command], ...failed.map(({ name, message }) => [name, message] as const)]);
  return section("How it was made", list, noteParagraphs(notes));
}

/** The labels renamed to match: clusters with a large overlap with a recommended one have its colour. */
function aligned(labels: Int32Array, recommended: Int32Array): Int32Array {
  const named = new Map(matching(recommended, labels));
  const taken = new Set(named.values());
  let next = 0;
  return labels.map((label) => {
    if (label < 0) return -1;
    let name = named.get(label);
    if (name === undefined) {
      while (taken.has(next)) next++;
      taken.add(next);
      named.set(label, (name = next));
    }
    return name;
  });
}
