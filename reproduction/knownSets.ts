import { KindredError } from "kindred";
import { listData, namedData } from "kindred/data";
import { isSparse, type Matrix } from "kindred/matrix";

/** The sets of a table whose data are at hand; the others are skipped, with the reason. */
export async function knownSets<S extends string>(
  sets: readonly S[],
  dataOf: (set: S) => string,
  folder: string | undefined,
) {
  const listed = new Set((await listData(where(folder))).map(({ name }) => name));
  const skipped = sets
    .filter((set) => !listed.has(dataOf(set)))
    .map((set) => ({
      set,
      why: `there is no data set "${dataOf(set)}"; --data or KINDRED_DATA names a folder that has it`,
    }));
  return { sets: sets.filter((set) => listed.has(dataOf(set))), skipped };
}

/** The folder of the data sets as an option; absent: the environment's KINDRED_DATA. */
export function where(folder: string | undefined): { folder?: string } {
  return folder === undefined ? {} : { folder };
}

export interface ClassedSet {
  readonly X: Matrix;
  readonly truth: readonly string[];
  readonly source: string;
}

/** A dense set with classes. */
export async function classedSet(
  name: string,
  folder: string | undefined,
  missing?: "mean",
): Promise<ClassedSet> {
  const { X, label, source } = await namedData(name, { ...where(folder), ...(missing && { missing }) });
  if (isSparse(X) || label === undefined) {
    throw new KindredError("input", `the data set "${name}" must be dense and have classes`);
  }
  return { X, truth: label.values, source };
}
