import type { Pair } from "kindred/data";
import { settings } from "./history.ts";
import { partition } from "./partition.ts";
import { ask } from "./asking.ts";
import { announcement, problem, solution, table } from "./known.ts";
import { questionFor } from "./solving.ts";

/** Hands a file to the browser's downloads. */
function save(name: string, text: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  announcement.value = `Saved ${name}.`;
}

/** One label per row, with the ids where there are any: what `kindred cluster --out` writes. */
export function saveLabels(): void {
  const shown = partition.value;
  const rows = table.value;
  if (shown === undefined || rows === undefined) return;
  const { ids } = rows;
  const lines = [ids === undefined ? "cluster" : `${cell(ids.name)},cluster`];
  for (let i = 0; i < rows.rows; i++) {
    lines.push(ids === undefined ? String(shown.labels[i]) : `${cell(ids.values[i])},${shown.labels[i]}`);
  }
  save(`${baseName()}-labels.csv`, `${lines.join("\n")}\n`, "text/csv");
}

export function saveModel(): void {
  const model = solution.value?.model;
  if (model === undefined) return;
  save(`${baseName()}-model.json`, `${JSON.stringify(model)}\n`, "application/json");
}

/** The pairs as `--must-link` and `--cannot-link` read them. */
export function saveHints(kind: "same" | "different"): void {
  const ids = table.value?.ids?.values;
  const name = (row: number): string => (ids === undefined ? String(row) : cell(ids[row]));
  const lines = settings.value[kind].map(([i, j]: Pair) => `${name(i)},${name(j)}`);
  save(`${kind}.csv`, `${lines.join("\n")}\n`, "text/csv");
}

export async function saveReport(): Promise<void> {
  const found = solution.value;
  const rows = table.value;
  if (found === undefined || rows === undefined) return;
  const { labels, sizes, converged, warnings, facts, metric, command, code } = found;
  try {
    const page = await ask("report", {
      ...questionFor(rows, settings.value),
      solution: { labels, sizes, converged, warnings, facts, metric },
      command,
      code,
    });
    save(`${baseName()}-report.html`, page, "text/html");
  } catch (error) {
    problem.value = { about: "method", text: (error as Error).message };
  }
}

export async function copy(text: string, what: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  announcement.value = `Copied the ${what}.`;
}

function baseName(): string {
  return (table.value?.source ?? "kindred").replace(/\.[^.]*$/, "");
}

function cell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
