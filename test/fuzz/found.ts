/**
 * Damaged files that went wrong once, by their seed, and what was wrong with them. They are tried in every run of the tests;
 * what random calls and models found is in found.test.ts, since their seeds mean other cases when a method is added.
 */
export const FOUND: readonly (readonly [kind: string, seed: number, what: string])[] = [
  ["files", 1001166, "a row group without a number of rows"],
  ["files", 1001193, "JSON of which the error quotes line ends"],
  ["files", 1001630, "a Parquet column without a name"],
  ["files", 1001700, "a Parquet page of an unknown encoding"],
  ["files", 1002579, "an Arrow field without a name"],
  ["files", 9017324, "a Parquet column of an unknown type"],
  ["files", 9019637, "a Parquet column of an unknown codec"],
  ["files", 103039272, "a Parquet column whose name has line ends"],
  ["files", 9035379, "an Arrow dictionary of two thousand million entries"],
  ["sql", 11_000_043, "texts in a column that the model reads as numbers"],
];
