import { aligned } from "./aligned.ts";
import { errorOf, type Spread } from "./learners.ts";

/** One number of a text, and ours. */
export interface Figure {
  readonly text?: number | undefined;
  /** The standard deviation that the text prints. */
  readonly textSpread?: number | undefined;
  /** With its standard deviation over the draws. */
  readonly ours?: Pick<Spread, "mean" | "deviation" | "count"> | undefined;
  /** Stands behind our number. */
  readonly mark?: string;
}

/** A table of a text or about it: the one form of every reproduced number, printed for a terminal and for a page. */
export interface Table {
  /** By which a page asks for it. */
  readonly name: string;
  readonly title: string;
  readonly digits: number;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly [name: string, ...cells: (Figure | string)[]])[];
  /** Sentences below it, made from the numbers. */
  readonly remarks?: readonly string[];
}

/** A statement of a text, and what the numbers of this run say about it. */
export interface Claim {
  readonly claim: string;
  readonly verdict:
    | "holds"
    | "does not hold"
    | "the opposite holds"
    | "not decided"
    | `holds ${"where" | "in"} ${string}`;
  readonly because: string;
}

/** The verdict on a statement about `of` cases, by the names of those where it holds. */
export function verdictOf(holding: readonly string[], of: number): Claim["verdict"] {
  if (holding.length === of) return "holds";
  if (holding.length === 0) return "does not hold";
  return holding.length <= 5
    ? `holds where ${holding.join("; ")}`
    : `holds in ${holding.length} of ${of} cells`;
}

/** A statement of a text that one row or column of some tables is better than others, as data. */
export interface Ranking {
  readonly claim: string;
  readonly tables: readonly (Table | undefined)[];
  readonly own: string;
  readonly others: readonly string[];
  readonly better: "larger" | "smaller";
  /** Which cells count; all unless given. */
  readonly where?: (cell: string) => boolean;
  /** How many others may be better. */
  readonly places?: number;
  /** Holds where no other is better, too. */
  readonly level?: boolean;
}

/** Its verdict: better means by more than two standard errors of the difference, where there are several draws. */
export function ranked({
  claim,
  tables,
  own,
  others,
  better,
  where,
  places = 0,
  level = false,
}: Ranking): Claim[] {
  const sign = better === "larger" ? 1 : -1;
  const cells = tables.flatMap((table) => {
    if (table === undefined) return [];
    const mine = series(table, own);
    return [...mine].flatMap(([key, value]) => {
      const name = tables.length > 1 ? `${table.name.replace(/^\S+ /, "")}: ${key}` : key;
      const rivals = others.flatMap((other) => series(table, other).get(key) ?? []);
      if (rivals.length === 0 || where?.(key) === false) return [];
      const ahead = rivals.map((rival) => sign * (value.mean - rival.mean));
      // Differences below 1e-9 are rounding.
      const doubt = rivals.map((rival) => 2 * Math.hypot(errorOf(value), errorOf(rival)) + 1e-9);
      const sure = ahead.filter((lead, r) => (level ? lead >= -doubt[r] : lead > doubt[r]));
      return [{ name, least: Math.min(...ahead), holds: rivals.length - sure.length <= places }];
    });
  });
  if (cells.length === 0) return [];
  const holding = cells.filter(({ holds }) => holds).map(({ name }) => name);
  const [worst, best] = [Math.min, Math.max].map((pick) => pick(...cells.map(({ least }) => least)));
  const because = `${holding.length} of ${cells.length}; ahead of the best other by ${lead(worst)} to ${lead(best)}`;
  return [{ claim, verdict: verdictOf(holding, cells.length), because }];
}

const lead = (value: number): number => (Math.abs(value) < 1e-9 ? 0 : Number(value.toPrecision(3)));

/** The numbers of a row, by column, or of a column, by row. */
function series(
  { columns, rows }: Table,
  name: string,
): Map<string, Pick<Spread, "mean" | "deviation" | "count">> {
  const cells = rows.flatMap(([row, ...values]) =>
    values.map((cell, c) => ({
      row,
      column: columns[c],
      ours: typeof cell === "string" ? undefined : cell.ours,
    })),
  );
  return new Map(
    cells.flatMap(({ row, column, ours }) => {
      if (ours === undefined || (row !== name && column !== name)) return [];
      return [[row === name ? column : row, ours] as const];
    }),
  );
}

/** What a run has to say. */
export interface Findings {
  /** Of the claims on a page, if the command has several runs; its name otherwise. */
  readonly part?: string;
  readonly title: string;
  /** The protocol, line by line. */
  readonly head: readonly string[];
  readonly tables: readonly Table[];
  readonly claims: readonly Claim[];
  readonly end: readonly string[];
}

/** Where a number comes from: a page has no number without it. */
export interface Origin {
  readonly version: string;
  readonly command: string;
}

/** A number without draws, as it is. */
export function exactly(value: number | undefined): Figure["ours"] {
  return value === undefined ? undefined : { mean: value, deviation: 0, count: 1 };
}

export const LEGEND =
  "ours ± standard deviation over the draws (the text's value, the difference; ! where the two intervals, each value ± its deviation, do not meet)";

/** Ours minus the text's, and whether the intervals of the two, each with its deviation, are apart beyond the text's rounding. */
export function difference({ text, textSpread = 0, ours }: Figure) {
  if (text === undefined || ours === undefined) return undefined;
  const value = ours.mean - text;
  const decimals = /\.(\d+)/.exec(String(text))?.[1].length ?? 0;
  const reach = ours.deviation + textSpread + 0.5 * 10 ** -decimals;
  return { value, apart: Math.abs(value) > reach * (1 + 1e-9) };
}

export function cellText(cell: Figure | string, digits: number): string {
  if (typeof cell === "string") return cell;
  const { text, ours, mark = "" } = cell;
  const parts: string[] = [];
  if (ours !== undefined) {
    const several = ours.count > 1 ? ` ± ${ours.deviation.toFixed(digits)}` : "";
    parts.push(`${ours.mean.toFixed(digits)}${mark}${several}`);
  }
  const apart = difference(cell);
  if (apart !== undefined) {
    const size = Math.abs(apart.value).toFixed(digits);
    const sign = Number(size) === 0 ? "" : apart.value > 0 ? "+" : "-";
    parts.push(`(${text}, ${sign}${size}${apart.apart ? " !" : ""})`);
  } else if (text !== undefined) parts.push(`(${text})`);
  return parts.join(" ");
}

/** What the numbers of a table say about the text's: nothing here is written by hand. */
export function comparison({ digits, columns, rows }: Table): string[] {
  const compared = rows.flatMap(([name, ...cells]) =>
    cells.flatMap((cell, c) => {
      const found = typeof cell === "string" ? undefined : difference(cell);
      return found === undefined ? [] : [{ ...found, at: `${name}, ${columns[c]}` }];
    }),
  );
  if (compared.length === 0) return [];
  const apart = compared.filter((one) => one.apart);
  const largest = compared.reduce((a, b) => (Math.abs(b.value) > Math.abs(a.value) ? b : a));
  const above = apart.filter(({ value }) => value > 0).length;
  return [
    `${apart.length} of ${compared.length} numbers differ from the text's beyond the spread, ${above} above and ` +
      `${apart.length - above} below; the largest difference is ${largest.value.toFixed(digits)} (${largest.at}).`,
  ];
}

/** How many draws the numbers of a table have. */
function drawsOf({ rows }: Table): string {
  const counts = rows.flatMap(([, ...cells]) =>
    cells.flatMap((cell) => (typeof cell === "string" ? [] : (cell.ours?.count ?? []))),
  );
  if (counts.length === 0) return "";
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (most === 1) return "one draw in each cell";
  return least === most ? `${most} draws in each cell` : `${least} to ${most} draws in a cell`;
}

function grid(table: Table): string[][] {
  const { digits, columns, rows } = table;
  return [
    ["", ...columns],
    ...rows.map(([name, ...cells]) => [name, ...cells.map((cell) => cellText(cell, digits))]),
  ];
}

function below(table: Table): string[] {
  return [...comparison(table), ...(table.remarks ?? [])];
}

/** For a terminal. */
export function findingsText({ title, head, tables, claims, end }: Findings): string[] {
  return [
    title,
    "",
    ...head.map((line) => `  ${line}`),
    ...(tables.length === 0 ? [] : [`  Numbers: ${LEGEND}`]),
    "",
    ...tables.flatMap((table) => [
      [table.title, drawsOf(table)].filter((part) => part !== "").join("; "),
      ...aligned(grid(table)).map((line) => `  ${line}`),
      ...below(table).map((line) => `  ${line}`),
      "",
    ]),
    ...(claims.length === 0
      ? []
      : [
          "Claims of the text, and the result here",
          ...claims.map(({ claim, verdict, because }) => `  ${claim}: ${verdict} (${because})`),
          "",
        ]),
    ...end,
  ];
}

const escaped = (cell: string): string => cell.replaceAll("|", "\\|");

/** For a page: the table, what its numbers say, and where they come from. */
export function tableMarkdown(table: Table, { version, command }: Origin): string {
  const [head, ...rows] = grid(table).map((cells) => `| ${cells.map(escaped).join(" | ")} |`);
  const rule = `|${" --- |".repeat(table.columns.length + 1)}`;
  const from = [`Kindred ${version}`, drawsOf(table), `\`${command}\``].filter((part) => part !== "");
  return [
    `${table.title}:`,
    "",
    head,
    rule,
    ...rows,
    "",
    ...below(table).flatMap((line) => [line, ""]),
    `*${from.join("; ")}.*`,
  ].join("\n");
}

export function claimsMarkdown(claims: readonly Claim[], { version, command }: Origin): string {
  return [
    "| claim | result | evidence |",
    "| --- | --- | --- |",
    ...claims.map(
      ({ claim, verdict, because }) => `| ${[claim, verdict, because].map(escaped).join(" | ")} |`,
    ),
    "",
    `*Kindred ${version}; \`${command}\`.*`,
  ].join("\n");
}

export const BLOCK = /<!-- begin (.+?) -->\n[^]*?<!-- end \1 -->/g;

/** A page whose marked blocks are those of this run; a block that the run did not make stays as it is. */
export function filledPage(page: string, blocks: ReadonlyMap<string, string>): string {
  return page.replaceAll(BLOCK, (old: string, name: string) => {
    const block = blocks.get(name);
    return block === undefined ? old : `<!-- begin ${name} -->\n\n${block}\n\n<!-- end ${name} -->`;
  });
}
