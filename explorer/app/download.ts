import { writeCsv, type WritableTable } from "kindred/data";
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
  if (shown === undefined) return;
  const columns = [{ name: "cluster", values: shown.labels }];
  save(`${baseName()}-labels.csv`, csv({ ids: table.value?.ids, columns }), "text/csv");
}

export function saveModel(): void {
  const model = solution.value?.model;
  if (model === undefined) return;
  save(`${baseName()}-model.json`, `${JSON.stringify(model)}\n`, "application/json");
}

/** The pairs as `--must-link` and `--cannot-link` read them. */
export function saveHints(kind: "same" | "different"): void {
  const ids = table.value?.ids?.values;
  const side = (at: 0 | 1): (string | number)[] =>
    settings.value[kind].map((pair) => ids?.[pair[at]] ?? pair[at]);
  const columns = [
    { name: "row", values: side(0) },
    { name: kind === "same" ? "same as" : "different from", values: side(1) },
  ];
  save(`${kind}.csv`, csv({ columns }), "text/csv");
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

function csv(written: WritableTable): string {
  return [...writeCsv(written)].join("");
}
