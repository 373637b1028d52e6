import { cellText, copiedTable, writeHints, type AppendedColumn } from "kindred/data";
import { settings } from "../history.ts";
import { calledNames, columnNamed, other, partition, stepNumber } from "../shown/partition.ts";
import { ask } from "../asking.ts";
import { announcement, placed, problem, solution, table } from "../known.ts";
import { MODEL } from "../settings.ts";
import { hintsOf } from "../hints/hintsOf.ts";
import { ENDING, openedFile } from "./data.ts";
import { cardSvg, countsSvg, mapSvg, pngOf } from "./mapPicture.ts";
import { writeSession } from "./sessionFile.ts";
import { questionFor } from "../solve/solving.ts";

/** Hands a file to the browser's downloads. */
function save(name: string, text: BlobPart | BlobPart[], type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(Array.isArray(text) ? text : [text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  announcement.value = `Saved ${name}.`;
}

/** The rows as they are in the file, with the number and the name of their cluster. */
export async function saveLabels(): Promise<void> {
  const [shown, rows, file] = [partition.value, table.value, openedFile()];
  if (shown === undefined || rows === undefined) return;
  const { labels } = shown;
  const columns: AppendedColumn[] = [{ name: "cluster", values: labels }];
  // A step of the path has no names.
  if (stepNumber.value === undefined) {
    const names = Array.from(labels, (label) => (label < 0 ? "" : calledNames.value[label]));
    columns.push({ name: "cluster_name", values: names });
  }
  const model = placed.value;
  if (other.value !== undefined && settings.value.pinned === MODEL + model?.name) {
    const { labels: by, names } = model!;
    columns.push({ name: "model_cluster", values: by });
    columns.push({ name: "model_name", values: Array.from(by, (label) => names[label] ?? "") });
  }
  const name = `${baseName()}-labels.csv`;
  if (file !== undefined && rows.files !== undefined) {
    try {
      return save(name, await ask("copy", { table: rows, file, columns }), "text/csv");
    } catch (error) {
      problem.value = { about: "data", text: (error as Error).message };
      return;
    }
  }
  save(name, [...copiedTable(rows, columns)], "text/csv");
}

/** What `kindred apply` takes. Names given by hand replace suggested ones. */
export async function saveModel(): Promise<void> {
  const model = solution.value?.model;
  if (model === undefined) return;
  const given = settings.value.names.some((name) => name !== "");
  const named = given
    ? `${JSON.stringify({ ...(JSON.parse(await model.text()) as object), names: calledNames.value })}\n`
    : model;
  save(`${baseName()}-model.json`, named, "application/json");
}

/** The hints in the format of `--hints`: by ids where there are any, otherwise by row numbers. */
export function saveHints(): void {
  const rows = table.value;
  if (rows === undefined) return;
  const { skipped } = settings.value;
  const column = columnNamed(rows.id);
  const ids = column && Array.from({ length: rows.rows }, (_, i) => cellText(column, i));
  const hints = { ...hintsOf(settings.value), ...(skipped.length > 0 && { skipped }) };
  save("hints.csv", writeHints(hints, ids), "text/csv");
}

const PICTURES = { map: mapSvg, numbers: countsSvg };

/** The map with its legend, the numbers of clusters that were tried, or the columns of a cluster. */
export async function savePicture(what: keyof typeof PICTURES | number, kind: "svg" | "png"): Promise<void> {
  const svg = typeof what === "number" ? cardSvg(what) : PICTURES[what]();
  if (svg === undefined) return;
  const name = `${baseName()}-${typeof what === "number" ? `cluster-${what}` : what}.${kind}`;
  try {
    save(name, kind === "svg" ? svg : await pngOf(svg), kind === "svg" ? "image/svg+xml" : "image/png");
  } catch (error) {
    problem.value = { about: "method", text: (error as Error).message };
  }
}

export async function copyMap(): Promise<void> {
  const svg = mapSvg();
  if (svg === undefined) return;
  await navigator.clipboard.write([new ClipboardItem({ "image/png": pngOf(svg) })]);
  announcement.value = "Copied the map.";
}

export async function saveReport(): Promise<void> {
  const rows = table.value;
  if (solution.value === undefined || rows === undefined) return;
  const given = settings.value.names.some((name) => name !== "");
  try {
    const question = questionFor(rows, settings.value);
    const page = await ask("report", { ...question, ...(given && { names: calledNames.value }) });
    save(`${baseName()}-report.html`, page, "text/html");
  } catch (error) {
    problem.value = { about: "method", text: (error as Error).message };
  }
}

/** All choices, hints and names, and a fingerprint of the data. */
export async function saveSession(): Promise<void> {
  const [rows, { source }] = [table.value, settings.value];
  if (rows === undefined || source === undefined) return;
  const file = openedFile();
  const fingerprint = file && (await ask("fingerprint", { file }));
  const data = {
    kind: source.kind,
    name: source.name,
    ...(source.kind === "named" && { options: source.options }),
    rows: rows.rows,
    columns: rows.columns.map(({ name }) => name),
    ...(fingerprint !== undefined && { fingerprint }),
  };
  save(`${baseName()}${ENDING}`, writeSession(settings.value, data), "application/json");
}

export async function copy(text: string, what: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  announcement.value = `Copied the ${what}.`;
}

function baseName(): string {
  return (table.value?.source ?? "kindred").replace(/\.[^.]*$/, "");
}
