import type { OnProgress } from "../core/index.ts";
import { inputError, option, optionError } from "../core/internal.ts";
import { splitKinds } from "../features/index.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import { selections, type Ranked, type SelectionMethod } from "../method/index.ts";
import { applyDiscretization, discretize, type DiscretizationKind } from "../select/index.ts";
import {
  asNotes,
  requireSums,
  type Outcome,
  type LevelOptions,
  type RowSource,
  type TableRows,
} from "./rowSource.ts";

export interface SelectFeaturesOptions {
  /** Number of features to select; default 20, or all if there are fewer. */
  readonly features?: number;
  readonly clusters?: number;
  readonly seed?: number;
  readonly onProgress?: OnProgress;
  /** The method's own options, by their names. */
  readonly own?: object;
}

/** Ranked columns with their data. */
export interface SelectedFeatures extends Outcome {
  readonly result: Ranked;
  readonly source: string;
  readonly rows: number;
  /** For all candidate columns; `result.features` are positions in it. */
  readonly names: readonly string[];
  /** Number of classes; absent if the method uses none. */
  readonly classes?: number;
  /** Time of selecting; with reading if the rows are not in memory. */
  readonly seconds: number;
}

/** Ranks features by rows in memory, or by the counts of levels of other rows. */
export async function selectFeatures(
  rows: RowSource,
  method: SelectionMethod,
  { own, ...options }: SelectFeaturesOptions,
): Promise<SelectedFeatures> {
  requireSums(method, rows.kind, selections);
  const { select, fromCounts } = await method.open();
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  if (rows.kind === "table") {
    const { label, batch, source, notes } = rows;
    if (method.needs.labels === "required" && label === undefined) throw needsLabel(method);
    const side = { labels: label?.values, batch: batch?.values };
    const given = method.needs.labels === undefined ? asPrepared(rows) : asLevels(rows, own ?? {});
    const names = [...new Set(given.sources)];
    requireFeatures(options.features, source, names.length);
    const single = names.length === given.sources.length;
    const wanted =
      single || options.features === undefined ? options : { ...options, features: given.X.cols };
    const all = select(given.X, side, { ...own, ...given.own, ...wanted, names: given.names });
    const result = single ? all : byColumn(all, given.sources, names, options.features ?? names.length);
    return {
      result,
      source,
      rows: rows.X.rows,
      names,
      ...(method.needs.labels !== undefined && {
        classes: new Set(label!.values.filter((value) => value !== "")).size,
      }),
      notes,
      seconds: seconds(),
    };
  }
  const { discretize: cuts, bins } = (own ?? {}) as LevelOptions;
  const onColumns = ({ length }: readonly string[]): void =>
    requireFeatures(options.features, rows.source, length);
  const { counts, names, notes, engine } = await rows.levels({ discretize: cuts, bins, onColumns });
  const { onProgress: _, clusters: __, ...given } = options;
  const result = fromCounts!(counts, { ...own, ...given });
  return {
    result,
    source: rows.source,
    rows: counts.rows + counts.unlabelled,
    names,
    classes: counts.classes.length,
    notes: asNotes(notes),
    ...(engine !== undefined && { engine }),
    seconds: seconds(),
  };
}

/** The candidates of a method: numbers or levels, and the table column of each. */
interface Candidates {
  readonly X: Matrix;
  readonly names: readonly string[];
  readonly sources: readonly string[];
  readonly own: object;
}

/** Comparable features must not be scaled again. */
function asPrepared({ X, names, sources, space }: TableRows): Candidates {
  return { X, names, sources, own: space.kind === "features" ? { scale: "none" } : {} };
}

/**
 * For methods that compare levels, a category is one variable with its own levels, and not several columns of
 * 0 and 1; a missing level is a separate level. Numbers are cut into levels as requested.
 */
function asLevels({ X, names, sources, space }: TableRows, own: LevelOptions): Candidates {
  const split = space.kind === "features" ? splitKinds(space.record, X) : undefined;
  if (split === undefined || split.codes.length === 0) return { X, names, sources, own: {} };
  const { discretize: kind, bins } = own;
  const cut = {
    ...(kind !== undefined && { kind: kind as DiscretizationKind }),
    ...(bins !== undefined && { bins }),
  };
  const numbers = split.features.map((f) => names[f]);
  const levels =
    split.X.cols === 0
      ? undefined
      : applyDiscretization(discretize(split.X, { ...cut, names: numbers }), split.X);
  const variables = [
    ...split.features.map((f, j) => ({
      name: names[f],
      source: sources[f],
      of: (i: number): number => levels!.codes[j * X.rows + i],
    })),
    ...split.codes.map(({ column, codes, levels: count }) => ({
      name: column,
      source: column,
      of: (i: number): number => (codes[i] < 0 ? count : codes[i]),
    })),
  ];
  const order = [...new Set(sources)];
  variables.sort((a, b) => order.indexOf(a.source) - order.indexOf(b.source));
  const D = matrix(X.rows, variables.length);
  for (let i = 0; i < X.rows; i++) variables.forEach(({ of }, j) => (D.data[i * D.cols + j] = of(i)));
  return {
    X: D,
    names: variables.map(({ name }) => name),
    sources: variables.map(({ source }) => source),
    own: { discretize: "given", bins: undefined },
  };
}

/** A column has the rank of its best feature. */
function byColumn(
  ranked: Ranked,
  sources: readonly string[],
  names: readonly string[],
  most: number,
): Ranked {
  const ranks = ranked.features
    .map((_, rank) => rank)
    .filter(
      (rank) => ranked.features.findIndex((f) => sources[f] === sources[ranked.features[rank]]) === rank,
    )
    .slice(0, most);
  return {
    ...ranked,
    features: ranks.map((rank) => names.indexOf(sources[ranked.features[rank]])),
    figures: Object.fromEntries(
      Object.entries(ranked.figures).map(([name, values]) => [name, ranks.map((rank) => values[rank])]),
    ),
  };
}

export function needsLabel({ name }: SelectionMethod): Error {
  const free = selections.filter(({ needs }) => needs.labels === undefined).map((method) => method.name);
  return optionError(
    `${name} needs ${option("label")}, the column of known classes; ${free.join(", ")} works without`,
  );
}

function requireFeatures(wanted: number | undefined, source: string, available: number): void {
  if (wanted === undefined || wanted <= available) return;
  throw inputError(`${option("features")} ${wanted}: ${source} has only ${available} features`);
}
