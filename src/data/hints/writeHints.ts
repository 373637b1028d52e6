import { fillHints, type Hints } from "./hints.ts";

/** The text for `readHints`, by row numbers or by ids; pairs in their given order. */
export function writeHints(hints: Partial<Hints>, ids?: readonly string[]): string {
  const { pairs, groups, labels, not, skipped = [] } = fillHints(hints);
  const row = (i: number): string => (ids === undefined ? String(i) : quoted(ids[i]));
  const lines = ["a,b,hint"];
  for (const { a, b, same } of pairs) lines.push(`${row(a)},${row(b)},${same ? "same" : "different"}`);
  for (const [a, b] of skipped) lines.push(`${row(a)},${row(b)},skip`);
  for (const group of groups) {
    if (group.length === 2) lines.push(`${row(group[0])},${row(group[1])},same`);
    else if (group.length > 2) lines.push(`${group.map(row).join(",")},same`);
  }
  for (const { row: i, label } of labels) lines.push(`${row(i)},${quoted(label)}`);
  for (const { row: i, label, rows = [] } of not) {
    if (label !== undefined) lines.push(`${row(i)},${quoted(label)},not`);
    for (const other of rows) lines.push(`${row(i)},${row(other)},different`);
  }
  return `${lines.join("\n")}\n`;
}

function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
