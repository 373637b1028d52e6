import type { Note } from "../core/index.ts";
import { clipped, percent, plural } from "../core/internal.ts";
import { cellText, type Table } from "../data/index.ts";
import type { Matrix } from "../matrix/index.ts";
import type { Profile, Representatives, Trust } from "../model/index.ts";
import { trustWords } from "../model/internal.ts";
import { short } from "./axis.ts";
import { barChart, lineChart } from "./charts.ts";
import { type Clusterpath, clusterpathPlot } from "./clusterpathPlot.ts";
import { contrastPicture, contrastsOf } from "./contrast.ts";
import { dendrogramPlot } from "./dendrogramPlot.ts";
import type { Drawing } from "../method/index.ts";
import { blockMap, heatMap } from "./heatMap.ts";
import { html, type Markup } from "./html.ts";
import { type Cell, facts, noteParagraphs, page, remark, section, table } from "./page.ts";
import { picture, type Picture } from "./picture.ts";
import { clusterColor } from "./palette.ts";
import { plane } from "./plane.ts";
import { scatterPlot, swatch } from "./scatterPlot.ts";

/** A clustering with its context. */
export interface ClusterRun {
  readonly source: string;
  readonly method: string;
  readonly labels: ArrayLike<number>;
  readonly sizes: ArrayLike<number>;
  /** The clustered rows; absent if there are too many numbers to draw. */
  readonly X?: Matrix;
  readonly names: readonly string[];
  /** The original rows. */
  readonly table?: Table;
  /** What makes each cluster differ. */
  readonly profiles: readonly Profile[];
  /** How far the groups can be trusted, separate from the convergence of the method. */
  readonly trust?: Trust;
  /** Typical rows of each cluster. */
  readonly representatives?: readonly Representatives[];
  readonly rowName?: (row: number) => string;
  /** Scaling, seed, time, ...: how this was made. */
  readonly made: readonly (readonly [string, string])[];
  readonly converged: boolean;
  readonly iterations?: number;
  readonly objective?: number;
  readonly certificate?: object;
  readonly notes: readonly Note[];
  /** Known classes, which the clustering did not use. */
  readonly classes?: { readonly name: string; readonly values: readonly string[] };
  readonly scores?: readonly (readonly [string, number])[];
  readonly drawing?: Drawing;
  /** The paths of the centres of a convex method, where they are known. */
  readonly clusterpath?: Clusterpath;
  /** The equivalent command and program. */
  readonly command?: string;
  readonly code?: string;
  readonly version: string;
}

/** The page of one clustering: the result, the reasons, the quality, and how to repeat it. */
export function clusterPage(run: ClusterRun): string {
  const { X, drawing } = run;
  const title = `${plural(run.sizes.length, "cluster")} of ${baseName(run.source)}`;
  const body = html`
    <header>
      <h1>${title}</h1>
      <p class="lead">
        ${run.labels.length} rows, ${run.names.length} features, by
        ${run.method === "auto" ? "the automatic choice" : run.method}. ${outcome(run)}
      </p>
    </header>
    ${X === undefined ? undefined : scatter(run, X)} ${profileSection(run)} ${contrastSection(run)}
    ${classSection(run)} ${blockSection(run)} ${metricSection(run)} ${treeSection(run)} ${pathSection(run)}
    ${proofSection(run)} ${drawing?.history === undefined ? undefined : historySection(drawing.history)}
    ${againSection(run)}
  `;
  return page(`${title} - Kindred`, body, run.version);
}

function outcome({ converged, trust }: ClusterRun): Markup {
  if (!converged) return html`<span class="warning">The method did not converge: see below.</span>`;
  if (trust === undefined) return html`The section on trust is below.`;
  return html`Trust: ${trustWords(trust)}.`;
}

function scatter(run: ClusterRun, X: Matrix): Markup {
  const { metric, moved } = run.drawing ?? {};
  // A deformation is shown by lines, which only a projection has.
  const flat = moved === undefined ? undefined : plane(X, run.names, run.labels, metric);
  const view: Picture = flat ?? picture(X, run.names, run.labels, metric);
  const name = run.rowName ?? ((row: number) => `row ${row}`);
  const plot = scatterPlot({
    points: view.points,
    labels: run.labels,
    clusters: run.sizes.length,
    axes: view.axes,
    called: run.profiles.map((profile) => profile.name),
    // The claim that distances are not stretched must be true.
    equal: view.chosen !== undefined,
    bare: view.layout !== undefined,
    rowName: (row) => `${name(row)}: ${rowWords(run.table, row)}`,
    ...(moved !== undefined && { moved: flat!.project(moved) }),
  });
  return section(
    "The rows",
    plot,
    view.chosen === undefined ? undefined : remark(view.chosen),
    moved && remark("Lines show where the learned deformation moves each row before they are grouped."),
  );
}

/** Letters of a cell or a name at most. */
const LONGEST = 40;

/** Number of columns in a tooltip. */
const MOST_COLUMNS = 8;

function rowWords(table: Table | undefined, row: number): string {
  const shown = (table?.columns ?? []).filter(({ kind }) => kind !== "vector" && kind !== "constant");
  return shown
    .slice(0, MOST_COLUMNS)
    .map((column) => `${column.name} ${clipped(cellText(column, row), LONGEST)}`)
    .join(", ");
}

const MOST_DIFFERENCES = 5;

/** Number of typical rows that are named. */
const MOST_TYPICAL = 3;

type Profiled = Pick<ClusterRun, "profiles" | "representatives" | "rowName">;

/** The section of the page about the clusters alone, as HTML for a notebook; "" if nothing sets them apart. */
export function clusterCards(clustering: Profiled): string {
  return profileSection(clustering)?.markup ?? "";
}

function profileSection({ profiles, representatives, rowName }: Profiled): Markup | undefined {
  if (profiles.every(({ differences }) => differences.length === 0)) return undefined;
  // One cluster differs from nothing.
  const one = profiles.length === 1;
  if (one && representatives === undefined) return undefined;
  const title = one ? "Typical rows" : "What makes each cluster differ";
  const heads: Cell[] = [
    { text: "cluster" },
    { text: "name" },
    { text: "rows", kind: "number" },
    ...(one ? [] : [{ text: "here, and over all rows" }]),
    ...(representatives === undefined ? [] : [{ text: "typical rows" }]),
  ];
  const rows = profiles.map(({ cluster, name, rows: count, share, differences }) => ({
    cells: [
      { text: html`${swatch(cluster)} ${cluster}` },
      { text: name },
      { text: `${count} (${percent(share)})`, kind: "number" },
      ...(one ? [] : [{ text: differenceWords(differences), kind: "small" }]),
      ...(representatives === undefined
        ? []
        : [{ text: typicalNames(representatives[cluster], rowName), kind: "small" }]),
    ] as Cell[],
  }));
  const very = profiles.some(({ name }) => /\bvery\b/.test(name))
    ? '; "very" means at least one and a half standard deviations of the ranks'
    : "";
  return section(
    title,
    table(heads, rows, { label: `${title}, as a table`, kind: "profiles" }),
    one
      ? undefined
      : remark(`Numbers are medians. The names are suggested from what tells the cluster apart${very}.`),
  );
}

/** Clusters whose columns are drawn. */
const MOST_DRAWN = 24;

function contrastSection({ table: rows, labels, profiles }: ClusterRun): Markup | undefined {
  // Rows that were left out for missing cells are in the table, and have no label.
  if (rows === undefined || rows.rows !== labels.length || profiles.length < 2) return undefined;
  const drawn = contrastsOf(rows, labels, profiles).slice(0, MOST_DRAWN);
  if (drawn.every((contrasts) => contrasts.length === 0)) return undefined;
  const figures = drawn.map(
    (contrasts, k) =>
      html`<figure>
        <figcaption>${swatch(k)} ${profiles[k].name}</figcaption>
        ${contrastPicture(contrasts, clusterColor(k))}
      </figure>`,
  );
  const said = "Shares of the rows of a cluster in its colour, of all other rows in grey.";
  const left = profiles.length - drawn.length;
  return section(
    "The columns of each cluster, against the rest",
    html`<div class="contrasts">${figures}</div>`,
    remark(left > 0 ? `${said} ${left} more clusters are not drawn.` : said),
  );
}

function differenceWords(differences: Profile["differences"]): string {
  return differences
    .slice(0, MOST_DIFFERENCES)
    .map(({ words }) => words)
    .join("; ");
}

function typicalNames(one: Representatives | undefined, rowName: ClusterRun["rowName"]): Markup[] {
  const names = (one?.typical.slice(0, MOST_TYPICAL) ?? []).map((row) => rowName?.(row) ?? `row ${row}`);
  // A short name such as "T-10352" stays on one line.
  return names.map((name, i) => {
    const text = `${clipped(name, LONGEST)}${i + 1 < names.length ? ", " : ""}`;
    return html`<span class="${name.length <= 16 ? "whole" : ""}">${text}</span>`;
  });
}

/** Agreement below which a partition has no relation to the classes. */
const NO_AGREEMENT = 0.1;

/** Advice if the clusters are not the classes. */
export function disagreementWords(best: number | undefined, what: string): Markup | undefined {
  if (best === undefined || best >= NO_AGREEMENT) return undefined;
  return html`<p class="warning">
    ${what} agrees with your classes (adjusted Rand index ${best.toFixed(2)}): give hints, or leave out
    columns that are about something else.
  </p>`;
}

const MOST_CLASSES = 12;

function classSection({ classes, labels, sizes, scores }: ClusterRun): Markup | undefined {
  if (classes === undefined) return undefined;
  const known = [...new Set(classes.values)].toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const count = (cluster: number, name: string): number =>
    classes.values.reduce((sum, value, i) => sum + Number(value === name && labels[i] === cluster), 0);
  const counts =
    known.length > MOST_CLASSES
      ? undefined
      : table(
          [{ text: "cluster" }, ...known.map((name): Cell => ({ text: name || "unknown", kind: "number" }))],
          Array.from(sizes, (_, k) => ({
            cells: [
              { text: html`${swatch(k)} ${k}` },
              ...known.map((name): Cell => ({ text: String(count(k, name)), kind: "number" })),
            ],
          })),
          { label: "Clusters against classes" },
        );
  return section(
    `Against the known classes (${classes.name})`,
    counts,
    scores && html`<p>${scores.map(([name, value]) => `${name} ${value.toFixed(3)}`).join(", ")}.</p>`,
    disagreementWords(scores?.find(([name]) => name === "adjusted Rand")?.[1], "No cluster"),
    remark("The clustering did not see the classes."),
  );
}

function metricSection({ drawing, names }: ClusterRun): Markup | undefined {
  const metric = drawing?.metric;
  if (metric === undefined) return undefined;
  const { matrix, relevance, eigenvalues, projection } = metric;
  const bars = names.map((name, f) => ({ name, value: relevance[f] ?? 0 }));
  const components = Array.from({ length: matrix.cols }, (_, c) => `component ${c + 1}`);
  const spectrum = Array.from(eigenvalues, Number).filter((value) => value > 0);
  const range =
    spectrum.length === 0
      ? ""
      : ` Eigenvalues from ${short(spectrum[0])} to ${short(spectrum[spectrum.length - 1])}, rank ${spectrum.length}.`;
  const map = heatMap(matrix, projection === undefined && matrix.cols === names.length ? names : components);
  const meaning = `Orange cells weigh differences, blue ones discount those that go together.${range}`;
  return html`<div class="pair">
    ${section("Which features count", barChart(bars, ["feature", "share of the metric"]))}
    ${section("The metric", map, remark(meaning))}
  </div>`;
}

function blockSection({ X, labels, drawing }: ClusterRun): Markup | undefined {
  if (X === undefined || drawing?.columnGroups === undefined) return undefined;
  return section(
    "Rows and columns in blocks",
    blockMap(X, labels, drawing.columnGroups),
    remark("Orange cells are high, blue ones low; lines separate the groups of rows and of columns."),
  );
}

function treeSection({ drawing, labels }: ClusterRun): Markup | undefined {
  const tree = drawing?.tree;
  if (tree === undefined || tree.merges.length === 0) return undefined;
  return section(
    "How the rows join",
    dendrogramPlot(tree, labels),
    remark("Coloured branches lie within one cluster; the others are above the cut."),
  );
}

function pathSection({ drawing, clusterpath }: ClusterRun): Markup | undefined {
  const path = drawing?.path;
  if (path === undefined || path.gammas.length < 2) return undefined;
  const order = Array.from(path.gammas, (_, i) => i)
    .filter((i) => path.gammas[i] > 0)
    .toSorted((a, b) => path.gammas[a] - path.gammas[b]);
  const line = lineChart({
    x: order.map((i) => path.gammas[i]),
    y: order.map((i) => path.clusters[i]),
    names: { x: "gamma", y: "clusters, single rows included" },
    log: "xy",
    steps: true,
    mark: { x: path.chosen, text: "chosen" },
    label: "Number of clusters against gamma, the chosen gamma marked",
  });
  if (clusterpath === undefined) return section("The clusterpath", line);
  const said =
    "The centres as gamma grows: every row starts where it is and moves to the centre (ring) that it shares at " +
    "the largest gamma.";
  return section("The clusterpath", line, clusterpathPlot(clusterpath), remark(said));
}

function historySection(history: ArrayLike<number>): Markup | undefined {
  if (history.length < 2) return undefined;
  const steps = Array.from(history, (_, i) => i);
  const names = { x: "step", y: "objective" };
  return section(
    "How it got there",
    lineChart({ x: steps, y: history, names, label: "The objective after each step" }),
  );
}

function proofSection(run: ClusterRun): Markup {
  const { converged, iterations, objective, certificate, notes, trust } = run;
  const proof = Object.entries(certificate ?? {}).filter(([, value]) => typeof value === "number");
  return section(
    "Can it be trusted?",
    facts([
      ["the groups", trust === undefined ? undefined : trustWords(trust)],
      ["the solver converged", converged ? "yes" : html`<span class="warning">no</span>`],
      ["iterations", iterations === undefined ? undefined : String(iterations)],
      ["objective", objective === undefined ? undefined : String(Number(objective.toPrecision(6)))],
      ...proof.map(([name, value]) => [spaced(name), short(value as number)] as [string, string]),
      ...run.made.map(([name, text]) => [name === "K" ? "number of clusters" : name, text] as const),
    ]),
    noteParagraphs(notes),
  );
}

function againSection({ command, code }: ClusterRun): Markup | undefined {
  if (command === undefined && code === undefined) return undefined;
  const shown = (where: string, text: string | undefined): Markup | undefined =>
    text === undefined
      ? undefined
      : html`<p class="small">In a ${where}:</p>
          <pre tabindex="0"><code>${text}</code></pre>`;
  return section("Make it again", shown("terminal", command), shown("program", code));
}

function baseName(source: string): string {
  return source.split(/[\\/]/).pop()!;
}

/** relativeGap -> relative gap. */
function spaced(name: string): string {
  return name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
}
