import { existsSync } from "node:fs";
import type { OnProgress } from "../../core/progress.ts";
import { readNumbers, type NumberTable } from "../../data/index.ts";
import { readInput, type InputOptions } from "./input.ts";

/** Rows to classify: the column of classes is taken as such if it is there. */
export async function readNewRows(
  source: string,
  label: string,
  options: InputOptions,
  onProgress: OnProgress,
): Promise<NumberTable> {
  if (source !== "-" && !existsSync(source))
    return readInput(source, { ...options, label: undefined }, onProgress);
  const { id, ignore, categorical, missing, format, header, decimal } = options;
  const all = categorical?.length === 1 && categorical[0] === "all";
  return readNumbers(source, {
    missing,
    format,
    header,
    decimal,
    delimiter: options.delimiter === "tab" ? "\t" : options.delimiter,
    onProgress,
    roles: (found) => ({
      ...(found.some(({ name }) => name === label) && { label }),
      id,
      ignore,
      categorical: all ? "onehot" : categorical,
    }),
  });
}
