/**
 * Cases that went wrong once, by kind and seed, and what was wrong with them. They are tried in every run of the tests.
 */
export const FOUND: readonly (readonly [kind: string, seed: number, what: string])[] = [
  ["files", 1001166, "a row group without a number of rows"],
  ["files", 1001193, "JSON of which the error quotes line ends"],
  ["files", 1001630, "a Parquet column without a name"],
  ["files", 1001700, "a Parquet page of an unknown encoding"],
  ["files", 1002579, "an Arrow field without a name"],
  ["models", 3000662, "a column of an unknown kind"],
  ["models", 3002590, "a metric under which rows overflow"],
  ["models", 3003001, "a filling without loadings"],
  ["models", 3007756, "a level that is no text"],
  ["models", 3005972, "neighbours too far away to be squared"],
  ["library", 1000049, "heights of a tree rounded to no digits"],
  ["library", 1000158, "LCVQE of values too large to be squared"],
  ["library", 1005323, "a graph that is none"],
  ["library", 2001679, "convex clustering of denormal values"],
  ["library", 2001794, "RCA of a constant table"],
  ["library", 5000140, "two thousand million restarts"],
  ["library", 5003951, "Bregman divergences of denormal values"],
  ["library", 6004434, "means of values near the largest number"],
  ["library", 6006987, "FME of columns too small to be squared"],
];
