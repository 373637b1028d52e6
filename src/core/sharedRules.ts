import type { OnProgress } from "./progress.ts";
import { given, integer } from "./options.ts";

/** The rules that many methods take as they are. */
export const seedRule = integer({ min: 0, default: 0 });
export const progressRule = given<OnProgress>("a function", (value) => typeof value === "function");
export const namesRule = given<readonly string[]>(
  "an array of column names",
  (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
);
