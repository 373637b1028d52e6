import { plural, shortName } from "../../core/internal.ts";
import { columnWords, whyWords, type Table } from "../../data/index.ts";
import type { Decided } from "../../run/index.ts";
import { columns } from "./terminal.ts";

/** Maximum number of listed column decisions. */
const SHOWN_COLUMNS = 40;

/**
 * The column decisions of a table: kind, reason, conversion. In a table of more than `most` columns, those that
 * were treated alike share a line.
 */
export function columnText(
  table: Table,
  prepared?: Pick<Decided, "columns">,
  most: number = SHOWN_COLUMNS,
): string {
  const became = new Map(prepared?.columns.map((column) => [column.name, column] as const));
  const decided = table.columns.map((column): Decision => {
    const own = became.get(column.name);
    const what = own === undefined ? "" : own.became === "" ? own.why : own.became;
    return {
      column,
      taken: columnWords(column),
      what,
      weight: own === undefined || own.became === "" ? 1 : own.weight,
    };
  });
  const lines =
    decided.length <= most
      ? decided.map((one) => [one])
      : alike(decided, ({ taken, what }) => `${taken}\n${what}`);
  const head = ["column", "taken as", "why", ...(prepared === undefined ? [] : ["becomes"])];
  const shown = lines.slice(0, most).map((line) => decisionCells(line, table.rows).slice(0, head.length));
  const left = lines.slice(most).reduce((sum, line) => sum + line.length, 0);
  const more = left > 0 ? [`and ${left} more columns`] : [];
  const all = shown.length < decided.length ? ["(kindred columns lists each column)"] : [];
  return [...columns([head, ...shown], "  "), ...[[...more, ...all].join(" ")].filter(Boolean)].join("\n");
}

interface Decision {
  readonly column: Table["columns"][number];
  readonly taken: string;
  readonly what: string;
  readonly weight: number;
}

/** Number of decisions of one kind with a line each, and of columns that a common line names. */
const FEW_ALIKE = 3;

/** Groups by key, in the order of their first members; a few of one kind stay apart. */
function alike(decided: readonly Decision[], keyOf: (one: Decision) => string): Decision[][] {
  const groups = new Map<string, Decision[]>();
  for (const one of decided) {
    const key = keyOf(one);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const lines = [...groups.values()].flatMap((group) =>
    group.length <= FEW_ALIKE ? group.map((one) => [one]) : [group],
  );
  const place = new Map(decided.map((one, j) => [one, j]));
  return lines.sort((a, b) => place.get(a[0])! - place.get(b[0])!);
}

/** A line of the table of columns, for one or for several columns. */
function decisionCells(line: readonly Decision[], rows: number): string[] {
  const [{ column, taken, what, weight }] = line;
  if (line.length === 1) {
    return [
      shortName(column.name, 32),
      taken,
      whyWords(column, rows),
      `${what}${weightText(weight, weight)}`,
    ];
  }
  const names = line.slice(0, FEW_ALIKE).map((one) => shortName(one.column.name, 16));
  const reasons = new Map<string, number>();
  for (const one of line) reasons.set(one.column.why, (reasons.get(one.column.why) ?? 0) + 1);
  const [why] = [...reasons].reduce((a, b) => (b[1] > a[1] ? b : a));
  const missing = line.map((one) => Math.round((100 * one.column.missing) / rows));
  const [least, largest] = [Math.min(...missing), Math.max(...missing)];
  const weights = line.map((one) => one.weight);
  return [
    `${names.join(", ")} and ${line.length - names.length} more`,
    taken,
    `${reasons.size === 1 ? "" : "mostly "}${why}` +
      (largest === 0 ? "" : `; ${least === largest ? largest : `${least} to ${largest}`} % missing`),
    `${what}${weightText(Math.min(...weights), Math.max(...weights))}`,
  ];
}

/** The column decisions and an empty line, if they are worth printing. */
export function decisions(decided: Decided | undefined): string[] {
  return decided !== undefined && columnsNeedWords(decided)
    ? [columnText(decided.table, decided), "\n\n"]
    : [];
}

/** The columns that are no features, in one line; nothing if there are none. */
export function leftOutText(decided: Decided | undefined): string | undefined {
  if (decided === undefined || !columnsNeedWords(decided)) return undefined;
  const reasons = new Map<string, string[]>();
  for (const { name, became, why } of decided.columns) {
    if (became !== "") continue;
    const reason = why.replace(/^left out: /, "");
    reasons.set(reason, [...(reasons.get(reason) ?? []), shortName(name, 24)]);
  }
  if (reasons.size === 0) return undefined;
  const groups = Array.from(reasons, ([reason, names]) => {
    const more = names.length > FEW_ALIKE ? ` and ${names.length - FEW_ALIKE} more` : "";
    return `${names.slice(0, FEW_ALIKE).join(", ")}${more} (${reason})`;
  });
  const count = [...reasons.values()].flat().length;
  return `${count} of ${plural(decided.columns.length, "column")}: ${groups.join("; ")}`;
}

function weightText(least: number, largest: number): string {
  if (least >= 0.995) return "";
  const [from, to] = [least.toFixed(2), largest.toFixed(2)];
  return `, weight ${from === to ? from : `${from} to ${to}`}`;
}

/** Whether the columns are anything but numbers with equal weights. */
function columnsNeedWords({ columns: made, aside }: Decided): boolean {
  return made.some(
    ({ name, weight, kind }) => !aside.includes(name) && (kind !== "number" || weight < 0.995),
  );
}
