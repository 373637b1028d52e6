import { listData } from "kindred/data";

export interface KnownSets<S extends string> {
  readonly sets: readonly S[];
  readonly skipped: readonly { readonly set: S; readonly why: string }[];
}

/** The sets of a table whose data are at hand; the others are skipped, with the reason. */
export async function knownSets<S extends string>(
  sets: readonly S[],
  dataOf: (set: S) => string,
  folder: string | undefined,
): Promise<KnownSets<S>> {
  const listed = new Set((await listData(folder === undefined ? {} : { folder })).map(({ name }) => name));
  const skipped = sets
    .filter((set) => !listed.has(dataOf(set)))
    .map((set) => ({
      set,
      why: `there is no data set "${dataOf(set)}"; --data or KINDRED_DATA names a folder that has it`,
    }));
  return { sets: sets.filter((set) => listed.has(dataOf(set))), skipped };
}
