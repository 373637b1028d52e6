import { option, optionError } from "../core/internal.ts";
import { columnWords, engineWords, featureWords, fileWords } from "./request.ts";

/** Refuses the first of these options that is given. */
export function refuse(request: object, names: readonly string[], why: (option: string) => string): void {
  const given = request as Readonly<Record<string, unknown>>;
  const name = names.find((one) => given[one] !== undefined);
  if (name !== undefined) throw optionError(why(option(name)));
}

/** Options for columns of any kind: plain numbers have no use for them. */
export const OF_ANY_KIND: readonly string[] = [
  "as",
  "na",
  "weights",
  "text",
  "adjust",
  "encoding",
  "sheet",
  "vector",
];

/** Options for files: a table of an engine, or a data set by name, has none. */
export const OF_FILES: readonly string[] = [...Object.keys(fileWords), "batch", "categorical"];

/** Options for the tables of an engine. */
export const OF_ENGINES: readonly string[] = Object.keys(engineWords).filter((name) => name !== "engine");

/** Options for the reading of columns, which a model holds. */
export const OF_MODELS: readonly string[] = ["as", "categorical", "strict", "missing"];

/** All options that decide what the rows are, in the order of their help. */
export const OF_READING: readonly string[] = [columnWords, featureWords, fileWords].flatMap(Object.keys);
