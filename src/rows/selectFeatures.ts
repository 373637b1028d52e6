import { inputError, option, optionError } from "../core/errors.ts";
import type { OnProgress } from "../core/progress.ts";
import { isSparse, toDense } from "../matrix/index.ts";
import { selections, type Ranked, type SelectionMethod } from "../method/index.ts";
import { requireSums, type Found, type LevelOptions, type RowSource } from "./rowSource.ts";

export interface SelectFeaturesOptions {
  /** How many to select; default 20, or all if there are fewer. */
  readonly features?: number;
  readonly clusters?: number;
  readonly seed?: number;
  readonly onProgress?: OnProgress;
  /** The method's own options, by their names. */
  readonly own?: object;
}

/** Ranked features with the data they are of. */
export interface SelectedFeatures extends Found {
  readonly result: Ranked;
  readonly source: string;
  readonly rows: number;
  /** Of all features. */
  readonly names: readonly string[];
  /** How many classes there are; absent where the method looks at none. */
  readonly classes?: number;
  /** Of selecting; where rows are not in memory, with reading. */
  readonly seconds: number;
}

/** Ranks features by rows in memory, or by the counts of levels of rows that are elsewhere. */
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
    const { X, names, label, batch, source, notes } = rows.table;
    if (method.needs.labels === "required" && label === undefined) throw needsLabel(method);
    requireFeatures(options.features, source, names.length);
    const side = { labels: label?.values, batch: batch?.values };
    const result = select(isSparse(X) ? toDense(X) : X, side, { ...own, ...options, names });
    return {
      result,
      source,
      rows: X.rows,
      names,
      ...(method.needs.labels !== undefined && {
        classes: new Set(label!.values.filter((value) => value !== "")).size,
      }),
      notes,
      seconds: seconds(),
    };
  }
  const { discretize, bins } = (own ?? {}) as LevelOptions;
  const onColumns = ({ length }: readonly string[]): void =>
    requireFeatures(options.features, rows.source, length);
  const { counts, names, notes, engine } = await rows.levels({ discretize, bins, onColumns });
  const { onProgress: _, clusters: __, ...given } = options;
  const result = fromCounts!(counts, { ...own, ...given });
  return {
    result,
    source: rows.source,
    rows: counts.rows + counts.unlabelled,
    names,
    classes: counts.classes.length,
    notes,
    ...(engine !== undefined && { engine }),
    seconds: seconds(),
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
