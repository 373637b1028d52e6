import type { MethodEntry } from "../methodEntry.ts";
import { GAMMA, type Origin, type OwnValue, type SolveQuestion } from "../protocol.ts";

/** The command and the program that give the same labels as the page. */
export function equivalent(asked: SolveQuestion, method: MethodEntry): { command: string; code: string } {
  return { command: command(asked, method), code: code(asked, method) };
}

/** Where the page's downloads of hints go. */
export const SAME_FILE = "same.csv";
export const DIFFERENT_FILE = "different.csv";

function command(asked: SolveQuestion, method: MethodEntry): string {
  const { origin } = asked.table;
  const words = ["kindred cluster", shell(fileOf(origin))];
  const flag = (name: string, value: string | number | undefined): void => {
    if (value !== undefined) words.push(`--${name} ${shell(String(value))}`);
  };
  const ignored = [...origin.ignore, ...asked.off];
  flag("label", origin.label);
  flag("id", origin.id);
  if (ignored.length > 0) flag("ignore", ignored.join(","));
  if (origin.encode.length > 0) flag("categorical", origin.encode.join(","));
  flag("missing", origin.missing);
  if (asked.scale !== "zscore") flag("scale", asked.scale);
  flag("method", method.name);
  flag("clusters", asked.clusters);
  if (method.seeded && asked.seed !== 0) flag("seed", asked.seed);
  for (const [name, value] of Object.entries(asked.own)) {
    const spelled = method.options.find((option) => option.name === name);
    const special = spelled?.kind === "choice" ? spelled.flag : undefined;
    const dashed = special ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (value === true) words.push(`--${dashed}`);
    else if (value !== false) flag(dashed, value);
  }
  if (method.pairs !== "no") {
    if (asked.same.length > 0) flag("must-link", SAME_FILE);
    if (asked.different.length > 0) flag("cannot-link", DIFFERENT_FILE);
  }
  const line = words.join(" ");
  return origin.generator === undefined ? line : `${generatorCommand(origin)}\n${line}`;
}

/** A generated set with options of its own is written to a file first. */
function fileOf({ name, generator }: Origin): string {
  return generator === undefined ? name : `${name}.csv`;
}

function generatorCommand(origin: Origin): string {
  const flags = Object.entries(origin.generator ?? {}).map(([name, value]) => `--${name} ${value}`);
  return `kindred data ${origin.name} ${flags.join(" ")} > ${fileOf(origin)}`;
}

function shell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function code(asked: SolveQuestion, method: MethodEntry): string {
  const { table, off, same, different } = asked;
  const pairs = method.pairs !== "no" && same.length + different.length > 0;
  const options = [
    ...(asked.clusters === undefined ? [] : [`clusters: ${asked.clusters}`]),
    ...(method.seeded ? [`seed: ${asked.seed}`] : []),
    ...Object.entries(asked.own).map(([name, value]) => `${name}: ${ownText(name, value)}`),
  ];
  const named = isNamed(table.origin);
  const features =
    named && off.length > 0
      ? [
          `const kept = table.names.flatMap((name, j) => (${JSON.stringify(off)}.includes(name) ? [] : [j]));`,
          `const { X } = scale(takeColumns(table.X, kept), ${JSON.stringify(asked.scale)});`,
        ]
      : [`const { X } = scale(table.X, ${JSON.stringify(asked.scale)});`];
  const imports = [...method.imports, named ? "namedData" : "readNumbers", "scale"];
  if (features.length > 1) imports.push("takeColumns");
  return [
    `import { ${imports.sort((a, b) => a.localeCompare(b, "en")).join(", ")} } from "kindred";`,
    "",
    `const table = await ${reading(table.origin, off)};`,
    ...features,
    ...(pairs
      ? [`const pairs = { mustLink: ${JSON.stringify(same)}, cannotLink: ${JSON.stringify(different)} };`]
      : []),
    `const { labels } = ${method.call({ options, ...(pairs && { pairs: "pairs" }), seed: asked.seed })};`,
  ].join("\n");
}

function isNamed(origin: Origin): boolean {
  return !origin.name.includes(".");
}

function reading(origin: Origin, off: readonly string[]): string {
  if (isNamed(origin)) {
    const generator =
      origin.generator === undefined ? "" : `, { generator: ${JSON.stringify(origin.generator)} }`;
    return `namedData(${JSON.stringify(origin.name)}${generator})`;
  }
  const ignore = [...origin.ignore, ...off];
  const options = {
    ...(origin.label !== undefined && { label: origin.label }),
    ...(origin.id !== undefined && { id: origin.id }),
    ...(ignore.length > 0 && { ignore }),
    ...(origin.encode.length > 0 && { categorical: origin.encode }),
    ...(origin.missing !== undefined && { missing: origin.missing }),
  };
  return `readNumbers(${JSON.stringify(origin.name)}, ${JSON.stringify(options)})`;
}

/** The norm is a number to the library and a word to the command; a gamma that stands for any is no word either. */
function ownText(name: string, value: OwnValue): string {
  const bare = (name === "norm" && value !== "inf") || value === GAMMA;
  return bare ? String(value) : JSON.stringify(value);
}
