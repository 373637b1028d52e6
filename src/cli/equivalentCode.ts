import type { Clustering } from "./methods.ts";

/** What the program has to do before it can cluster. */
export interface Prepared {
  readonly source: string;
  /** A data set of Kindred's, not a file. */
  readonly named: boolean;
  /** Options of readNumbers that were given. */
  readonly reading: Readonly<Record<string, unknown>>;
  readonly scale: string;
}

/** Longer lists are not printed: the program reads them from a file of its own. */
const MOST_PAIRS = 40;

/** The program that does what the command did, or nothing where it cannot be said in a few lines. */
export function equivalentCode(
  { source, named, reading, scale }: Prepared,
  call: Clustering["call"],
): string | undefined {
  if (call === undefined || source === "-") return undefined;
  const options = Object.entries(call.options).filter(([name, value]) => {
    return value !== undefined && typeof value !== "function" && name !== "onProgress";
  });
  const printed = options.map(([name, value]) => printedOption(name, value));
  if (printed.includes(undefined)) return undefined;
  const read = Object.entries(reading).filter(([, value]) => value !== undefined);
  const readOptions = read.length === 0 ? "" : `, ${printedObject(read)}`;
  return [
    `import { ${[call.name, named ? "namedData" : "readNumbers", "scale"].toSorted((a, b) => a.localeCompare(b)).join(", ")} } from "kindred";`,
    "",
    named
      ? `const table = await namedData(${JSON.stringify(source)});`
      : `const table = await readNumbers(${JSON.stringify(source)}${readOptions});`,
    `const { X } = scale(table.X, ${JSON.stringify(scale)});`,
    `const result = ${call.name}(X, { ${printed.join(", ")} });`,
    "console.log(result.labels);",
    "",
  ].join("\n");
}

function printedOption(name: string, value: unknown): string | undefined {
  if (Array.isArray(value) && value.length > MOST_PAIRS) return undefined;
  return `${name}: ${JSON.stringify(value)}`;
}

function printedObject(entries: readonly (readonly [string, unknown])[]): string {
  return `{ ${entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ")} }`;
}
