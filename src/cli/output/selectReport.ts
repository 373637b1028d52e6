import type { SelectedFeatures } from "../../rows/index.ts";
import { columns } from "./columns.ts";
import { noteFacts, noteLine } from "./noteLine.ts";

/** The output of `kindred select --json`. */
export function selectSummary(selected: SelectedFeatures, method: string): object {
  const { result, source, rows, names, notes, engine, seconds } = selected;
  return {
    method,
    features: result.features.map((f, rank) => ({
      name: names[f],
      column: f,
      ...Object.fromEntries(Object.entries(result.figures).map(([name, values]) => [name, values[rank]])),
    })),
    ...result.details,
    data: { source, rows, features: names.length, notes: notes.map(noteLine) },
    warnings: result.warnings,
    ...(engine !== undefined && { engine }),
    seconds,
  };
}

/**
 * The same for people.
 *
 * @param label the name of the column of classes
 */
export function selectReport(selected: SelectedFeatures, method: string, label: string | undefined): string {
  const { result, source, rows, names, classes, notes, engine, seconds } = selected;
  const { features, figures, facts, tree, warnings } = result;
  const told = classes === undefined ? "" : `, ${classes} classes of "${label}"`;
  const lines = columns(
    [
      ["data", `${source}, ${rows} rows x ${names.length} columns${told}`],
      ["method", `${method}, ${features.length} of ${names.length} columns`],
      ...facts,
      ["time", `${(1000 * seconds).toFixed(1)} ms`],
      ...(engine === undefined ? [] : [["engine", engine]]),
      ...noteFacts(notes),
      ...warnings.map((warning) => ["warning", warning]),
    ],
    "   ",
  );
  const headings = Object.keys(figures);
  const ranks = features.map((f, rank) => [
    String(rank + 1),
    names[f],
    ...headings.map((name) => figures[name][rank].toFixed(4)),
  ]);
  lines.push("", ...columns([["rank", "column", ...headings], ...ranks]));
  if (tree !== undefined) lines.push("", "tree of the selected features and the class:", tree.trimEnd());
  return `${lines.join("\n")}\n`;
}
