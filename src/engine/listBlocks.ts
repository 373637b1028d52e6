import { double } from "../core/internal.ts";
import { type Dialect } from "./dialect.ts";
import type { EngineFeature } from "./engineTable.ts";

/**
 * Features that are the numbers of one list, on Spark. Code for each of d numbers, or of K d products, takes Spark longer to
 * compile than to run on some 100 000 rows. So a row meets a few blocks of a constant list (`explode`): a block holds positions
 * in the vector and the values that belong to them (shifts, coordinates of centres), and the code for one block serves
 * them all. The values are data of that code, so it is the same in every pass, and is compiled once.
 */
export interface FeatureList {
  /** The column of lists. */
  readonly list: string;
  /** Feature f is (number at[f] - center[f]) / scale[f]. */
  readonly at: readonly number[];
  readonly center: readonly number[];
  readonly scale: readonly number[];
}

/** The numbers from which blocks take less than code for each. */
const LEAST = 32;

/** The list whose numbers all features are, on Spark. */
export function featureList(
  { engine }: Dialect,
  features: readonly EngineFeature[],
): FeatureList | undefined {
  if (engine !== "spark" || features.length < LEAST) return undefined;
  const list = features[0].number?.list;
  const numbers = features.flatMap(({ number }) =>
    number === undefined || number.list !== list ? [] : [number],
  );
  if (list === undefined || numbers.length < features.length) return undefined;
  return {
    list,
    at: numbers.map(({ at }) => at),
    center: numbers.map(({ center = 0 }) => center),
    scale: numbers.map(({ scale = 1 }) => scale),
  };
}

export interface ListBlocks {
  /** What each row meets, as `lateral view` of a FROM clause with the list. */
  readonly view: string;
  /** How many there are. */
  readonly count: number;
  /** Features of a block. */
  readonly width: number;
  /** The first feature of a block. */
  readonly first: string;
  /** Feature j of a block, 0 where a number is missing; null there if `known` is false. */
  feature(j: number, known?: boolean): string;
  /** Value g of feature j of a block. */
  given(j: number, g: number): string;
}

/** @param given the values that belong to a feature, equally many for each. */
export function listBlocks(
  { list, at, center, scale }: FeatureList,
  width: number,
  given: (f: number) => readonly number[],
): ListBlocks {
  const d = at.length;
  const centered = center.some((value) => value !== 0);
  const scaled = scale.some((value) => value !== 1);
  const none = given(0).map(() => 0);
  const fields = (f: number, j: number): string[] => [
    `'i${j}', ${f < d ? at[f] : -1}`,
    ...(centered ? [`'m${j}', ${double(center[f] ?? 0)}`] : []),
    ...(scaled ? [`'r${j}', ${double(scale[f] ?? 1)}`] : []),
    ...(f < d ? given(f) : none).map((value, g) => `'g${j}_${g}', ${double(value)}`),
  ];
  const blocks = Array.from({ length: Math.ceil(d / width) }, (_, b) => {
    const parts = Array.from({ length: width }, (__, j) => fields(b * width + j, j)).flat();
    return `named_struct('b', ${b * width}, ${parts.join(", ")})`;
  });
  const e = "kindred_block";
  return {
    view: `lateral view explode(array(${blocks.join(", ")})) as ${e}`,
    count: blocks.length,
    width,
    first: `${e}.b`,
    feature(j, known = true) {
      const number = `cast(get(${list}, ${e}.i${j}) as double)`;
      const value = known ? `coalesce(${number}, 0e0)` : number;
      const less = centered ? `(${value} - ${e}.m${j})` : value;
      return scaled ? `(${less} / ${e}.r${j})` : less;
    },
    given: (j, g) => `${e}.g${j}_${g}`,
  };
}

/** The features of a list that was returned as it is. */
export function featuresOfLists(
  { at, center, scale }: FeatureList,
  lists: Float64Array,
  rows: number,
): Float64Array {
  const [d, length] = [at.length, lists.length / Math.max(1, rows)];
  const values = new Float64Array(rows * d);
  for (let i = 0; i < rows; i++) {
    for (let f = 0; f < d; f++) values[i * d + f] = (lists[i * length + at[f]] - center[f]) / scale[f];
  }
  return values;
}
