import { flagOf, shellWord, type ClusteringMethod } from "kindred/method";
import { hintsOf } from "../app/hints/hintsOf.ts";
import { GAMMA, type Origin, type OwnValue, type SolveQuestion } from "../protocol.ts";

/** The command and the program that give the same labels as the page. */
export function equivalent(
  asked: SolveQuestion,
  method: Pick<ClusteringMethod, "name" | "needs">,
): { command: string; code: string } {
  return { command: command(asked, method), code: code(asked, method) };
}

/** The file name of downloaded hints. */
export const HINTS_FILE = "hints.csv";

type Method = Pick<ClusteringMethod, "name" | "needs">;

function command(asked: SolveQuestion, method: Method): string {
  const { origin, label } = asked.table;
  const words = ["kindred cluster", shellWord(fileOf(origin))];
  const flag = (name: string, value: string | number | undefined): void => {
    if (value !== undefined) words.push(`${name} ${shellWord(String(value))}`);
  };
  flag("--with", origin.with);
  flag("--label", label);
  const off = leftOut(asked);
  if (off.length > 0) flag("--ignore", off.map(listed).join(","));
  const kinds = Object.entries(origin.as).map(([name, kind]) => listed(`${name}=${kind}`));
  if (kinds.length > 0) flag("--as", kinds.join(","));
  // The columns of a generated set are numbers, also when they are read from a file.
  if (origin.generator !== undefined) flag("--vector", "none");
  if (asked.scale !== "auto") flag("--scale", asked.scale);
  if (asked.weights !== "auto") flag("--weights", asked.weights);
  if (asked.missing !== "fill") flag("--missing", asked.missing);
  if (method.needs.labels === "required") flag("--known", label);
  flag("--method", method.name);
  flag("--clusters", asked.clusters);
  if (asked.seed !== 0) flag("--seed", asked.seed);
  for (const [name, value] of Object.entries(asked.own)) {
    const option = flagOf(name);
    if (value === true) words.push(shellWord(option));
    else if (value === false) words.push(shellWord(`--no-${option.slice(2)}`));
    else flag(shellWord(option), String(value));
  }
  if (hasHints(asked, method)) flag("--hints", HINTS_FILE);
  const line = words.join(" ");
  return origin.generator === undefined ? line : `${generatorCommand(origin)}\n${line}`;
}

/** A generated set with options of its own is written to a file first. A name is never taken for an option. */
function fileOf({ name, generator }: Origin): string {
  const file = generator === undefined ? name : `${name}.csv`;
  return file.startsWith("-") ? `./${file}` : file;
}

function generatorCommand(origin: Origin): string {
  const flags = Object.entries(origin.generator ?? {}).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
  return `kindred data ${[origin.name, ...flags].map(shellWord).join(" ")} > ${shellWord(fileOf(origin))}`;
}

/** A name in a list that commas separate. */
function listed(name: string): string {
  return /[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

function leftOut({ table, off }: SolveQuestion): string[] {
  return off.filter((name) => name !== table.label && table.columns.some((column) => column.name === name));
}

function hasHints({ same, different, statements }: SolveQuestion, { needs }: Method): boolean {
  return needs.pairs !== undefined && same.length + different.length + statements.length > 0;
}

function code(asked: SolveQuestion, method: Method): string {
  const { origin, label } = asked.table;
  const columns: (readonly [string, string])[] = [];
  if (label !== undefined) columns.push(["label", JSON.stringify(label)]);
  const off = leftOut(asked);
  if (off.length > 0) columns.push(["ignore", JSON.stringify(off)]);
  if (asked.scale !== "auto") columns.push(["scale", JSON.stringify(asked.scale)]);
  if (asked.weights !== "auto") columns.push(["weights", JSON.stringify(asked.weights)]);
  if (asked.missing !== "fill") columns.push(["missing", JSON.stringify(asked.missing)]);
  const options: (readonly [string, string])[] = [["method", JSON.stringify(method.name)]];
  if (asked.clusters !== undefined) options.push(["clusters", String(asked.clusters)]);
  if (asked.seed !== 0) options.push(["seed", String(asked.seed)]);
  for (const [name, value] of Object.entries(asked.own)) options.push([key(name), valueText(value)]);
  if (hasHints(asked, method)) options.push(["hints", "hints"]);
  const known = method.needs.labels === "required" && label !== undefined;
  if (known) options.push(["labels", "textsOf(classes)"]);
  const hints = hasHints(asked, method) ? [`const hints = ${hintsText(asked)};`] : [];
  if (origin.kind === "sparse") {
    const scale = columns.filter(([name]) => name === "scale");
    return [
      'import { readNumbers } from "kindred/data";',
      'import { clusterRun, prepareNumbers } from "kindred/run";',
      "",
      `const numbers = await readNumbers(${JSON.stringify(origin.name)});`,
      ...hints,
      `const rows = prepareNumbers(numbers${scale.length === 0 ? "" : `, ${literal(scale)}`});`,
      `const { labels } = (await clusterRun(rows, ${literal(options)})).clustering;`,
    ].join("\n");
  }
  return [
    ...(known ? ['import { textsOf } from "kindred/model";'] : []),
    `import { cluster, ${origin.kind === "named" ? "namedData" : "readTable"} } from "kindred";`,
    "",
    `const table = await ${reading(origin)};`,
    ...hints,
    ...(known
      ? [`const classes = table.columns.find(({ name }) => name === ${JSON.stringify(label)});`]
      : []),
    `const { labels } = await cluster(table, ${literal([...columns, ...options])});`,
  ].join("\n");
}

function hintsText(asked: SolveQuestion): string {
  const { pairs, groups, not } = hintsOf(asked);
  const parts: string[] = [];
  const list = (name: string, entries: readonly string[]): void => {
    if (entries.length > 0) parts.push(`${name}: [${entries.join(", ")}]`);
  };
  list(
    "pairs",
    pairs.map(({ a, b, same }) => `{ a: ${a}, b: ${b}, same: ${same} }`),
  );
  list(
    "groups",
    groups.map((rows) => `[${rows.join(", ")}]`),
  );
  list(
    "not",
    not.map(({ row, rows = [] }) => `{ row: ${row}, rows: [${rows.join(", ")}] }`),
  );
  return `{ ${parts.join(", ")} }`;
}

function reading({ name, kind, generator, as, with: beside }: Origin): string {
  const kinds = Object.keys(as).length === 0 ? {} : { as };
  const given = { ...kinds, ...(beside !== undefined && { with: beside }) };
  const options =
    kind === "named" ? generator && { generator } : Object.keys(given).length === 0 ? undefined : given;
  const more = options === undefined ? "" : `, ${JSON.stringify(options)}`;
  return `${kind === "named" ? "namedData" : "readTable"}(${JSON.stringify(name)}${more})`;
}

function key(name: string): string {
  return /^[a-z]\w*$/i.test(name) ? name : JSON.stringify(name);
}

/** An object literal. */
function literal(entries: readonly (readonly [string, string])[]): string {
  return `{ ${entries.map(([name, value]) => (name === value ? name : `${name}: ${value}`)).join(", ")} }`;
}

/** A placeholder for gamma is not quoted. */
function valueText(value: OwnValue): string {
  return value === GAMMA ? GAMMA : JSON.stringify(value);
}
