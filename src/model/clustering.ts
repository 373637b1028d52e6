import { KindredError, type Note } from "../core/index.ts";
import { inputError, note, option, plural } from "../core/internal.ts";
import type { Table } from "../data/index.ts";
import { type Rows, tableOf } from "../data/internal.ts";
import { type Placed, placingOf, type Trust } from "../method/index.ts";
import { labelRows, nearPlace, oneOf } from "../method/internal.ts";
import { loadAnyMetric } from "../metric/index.ts";
import { checkedModel, type ClusteringData, type ModelFile } from "./modelForm.ts";
import { MODEL_FORMAT } from "./placedForm.ts";
import { type Scorer, scorerOf } from "./scorer.ts";
import { placingIn, spaceOf } from "./space.ts";

/** A clustering of any method: the result, its trust, and the rule for new rows. */
export interface Clustering extends ClusteringData {
  /** One per row; -1 for a row that belongs to no cluster. */
  readonly labels: Int32Array;
  /** The placement of rows: a table of readTable, objects, or other forms that `cluster` takes. */
  assign(rows: Rows): Assigned;
  /**
   * The function that places one row after the other, for services: `const score = model.scorer(); score({ age: 34 })`.
   */
  scorer(): Scorer;
  /** The model file. */
  toJSON(): ModelFile;
}

/** "doubtful; in tests, groups this sure matched the true ones by 0.50 of 1". */
export function trustWords({ word, why }: Pick<Trust, "word" | "why">): string {
  return `${word === "none" ? "no clear groups" : word}; ${why}`;
}

export interface Assigned extends Placed {
  readonly notes: readonly Note[];
}

/** A clustering from its parts. Its functions are not enumerable, so it passes through `structuredClone`. */
export function clusteringOf(
  data: ClusteringData,
  labels: Int32Array,
  guard: <T>(work: () => T) => T = (work) => work(),
): Clustering {
  const clustering = { ...data, labels };
  let place: ((table: Table) => Assigned) | undefined;
  Object.defineProperties(clustering, {
    assign: {
      value: (rows: Rows): Assigned =>
        guard(() => {
          const table = tableOf(rows, "assign");
          return table.rows === 0 ? NOTHING : (place ??= assigning(data))(table);
        }),
    },
    scorer: {
      value: (): Scorer =>
        guard(() => {
          const { placing, space } = data;
          const score = scorerOf(
            data,
            nearPlace(placing) ?? oneOf(placingOf(placing)),
            space.metric && loadAnyMetric(space.metric),
          );
          return (row) => guard(() => score(row));
        }),
    },
    toJSON: {
      value: (): ModelFile => ({
        kindred: MODEL_FORMAT,
        kind: "clustering",
        ...data,
        labels: Array.from(labels),
      }),
    },
  });
  return clustering as Clustering;
}

/** The placement of no rows. */
const NOTHING: Assigned = {
  labels: new Int32Array(),
  distances: new Float64Array(),
  next: new Int32Array(),
  nextDistances: new Float64Array(),
  notes: [],
};

function assigning({ space, placing, columns }: ClusteringData): (table: Table) => Assigned {
  const spaced = placingIn({ columns, space });
  const place = placingOf(placing);
  return (table) => {
    const { X, rows, notes } = spaced(table);
    if (X.cols !== placing.means.cols) {
      throw inputError(`the rows have ${X.cols} features, but the model has ${placing.means.cols}`);
    }
    const placed = finitePlaces(place(X));
    if (rows === undefined) return { ...placed, notes };
    return { ...spread(placed, rows, table.rows), notes: [...notes, unplaced(table.rows - rows.length)] };
  };
}

/** The clusters of the rows of a table and nothing else, which is less work where rows are placed by many others. */
export function labelling(data: ClusteringData): (table: Table) => Pick<Assigned, "labels" | "notes"> {
  const { space, placing, columns } = data;
  const spaced = placingIn({ columns, space });
  const assign = assigning(data);
  return (table) => {
    const { X, rows, notes } = spaced(table);
    // What is wrong with rows that are far away is told there.
    if (X.cols !== placing.means.cols || X.data.some((value) => !(Math.abs(value) < FAR)))
      return assign(table);
    const found = labelRows(placing, X);
    if (rows === undefined) return { labels: found, notes };
    const labels = new Int32Array(table.rows).fill(-1);
    rows.forEach((row, i) => (labels[row] = found[i]));
    return { labels, notes: [...notes, unplaced(table.rows - rows.length)] };
  };
}

/** Squares of smaller numbers, and their sums, are in the number range. */
const FAR = 1e100;

/** Numbers of a model that are too large together give no placement. */
function finitePlaces(placed: Placed): Placed {
  const row = placed.distances.findIndex((value, i) => !Number.isFinite(value) && placed.labels[i] >= 0);
  if (row < 0) return placed;
  throw inputError(
    `row ${row} is too far from every cluster of the model to be measured: is it in the same units?`,
    {
      code: "too-far",
      row,
    },
  );
}

/** Rows left out for missing cells are in no cluster. */
function spread(placed: Placed, rows: Int32Array, n: number): Placed {
  const labels = new Int32Array(n).fill(-1);
  const next = new Int32Array(n).fill(-1);
  const distances = new Float64Array(n).fill(Infinity);
  const nextDistances = new Float64Array(n).fill(Infinity);
  rows.forEach((row, i) => {
    labels[row] = placed.labels[i];
    next[row] = placed.next[i];
    distances[row] = placed.distances[i];
    nextDistances[row] = placed.nextDistances[i];
  });
  return { labels, distances, next, nextDistances };
}

function unplaced(count: number): Note {
  return note(
    "rows-unplaced",
    `${plural(count, "row")} with missing cells ${count === 1 ? "is" : "are"} in no cluster`,
    { option: "missing" },
  );
}

/** Names of clusters that nothing is called by. */
export function spareNames(names: readonly string[] | undefined, clusters: number): Note[] {
  if (names === undefined || names.length <= clusters) return [];
  return [
    note(
      "names",
      `${option("names")} has ${names.length} names for ${clusters} clusters; the last are not used`,
    ),
  ];
}

/** A model from the content of its file: `loadModel(JSON.parse(text))`. */
export function loadModel(parsed: unknown): Clustering {
  if (typeof parsed === "string") {
    throw inputError("loadModel takes the parsed content of a model file: loadModel(JSON.parse(text))");
  }
  const { kindred: _, kind: __, labels, ...data } = checkedModel(parsed);
  // Shapes and references are checked before anything is computed.
  fitted(() => {
    placingOf(data.placing);
    spaceOf(data.space);
  });
  return clusteringOf(data, Int32Array.from(labels), fitted);
}

/** Valid parts of a file may still not fit each other. */
function fitted<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new KindredError(
      "input",
      "the parts of the model do not fit together: it is damaged",
      {},
      { cause: error },
    );
  }
}
