import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kindred, oneLine, scratch } from "./command.ts";

/** Two groups, so the cluster of a row follows from its number; cells with a spelling that reading does not keep. */
const rows = Array.from({ length: 60 }, (_, i) => {
  const amount = i === 5 ? "free" : i === 7 ? "1,234.50" : (10 + (i % 2) * 1200 + i / 1000).toFixed(5);
  return [String(i).padStart(4, "0"), amount, `${10 + (i % 2) * 30} kg`, i % 2 ? "TRUE" : "False"];
});
const header = ["id", "amount", "weight", "ok"];

const quoted = (cell: string): string => (cell.includes(",") ? `"${cell}"` : cell);
const lines = [header, ...rows].map((row) => row.map(quoted).join(","));
/** Blank lines in between. */
const text = lines.flatMap((line, i) => (i % 7 === 3 ? [line, "", ""] : [line])).join("\r\n");

function folder(): string {
  const cwd = scratch();
  writeFileSync(join(cwd, "data.csv"), text);
  return cwd;
}

/** The lines of a copy must be those of the file; returns what follows them. */
function appendedTo(copy: string, original: readonly string[] = lines, separator = ","): string[] {
  const copied = copy.trimEnd().split("\n");
  expect(copied.map((line, i) => line.slice(0, original[i]?.length))).toEqual(original);
  return copied.map((line, i) => line.slice(original[i].length + separator.length));
}

/** Rows of even and of odd numbers are different clusters. */
function alternate(labels: readonly string[]): boolean {
  const clusters = labels.map((label) => label.split(/[,\t]/)[0]);
  return clusters[0] !== clusters[1] && clusters.every((cluster, i) => cluster === clusters[i % 2]);
}

test("cluster --append and apply copy every cell as it is written, and labels do not shift", async () => {
  const cwd = folder();
  const args = ["cluster", "data.csv", "-k", "2", "--out", "out.csv", "--append", "--model", "m.json"];
  expect((await kindred(args, { cwd })).code).toBe(0);
  const [names, ...labels] = appendedTo(readFileSync(join(cwd, "out.csv"), "utf8"));
  expect(names).toBe("cluster,cluster_name");
  expect(alternate(labels)).toBe(true);

  const { stdout } = await kindred(["apply", "m.json", "data.csv"], { cwd });
  const [found, ...placed] = appendedTo(stdout);
  expect(found).toBe("cluster,distance,second");
  expect(alternate(placed)).toBe(true);
  const piped = await kindred(["apply", "m.json", "-"], { cwd, input: text });
  expect(piped.stdout).toBe(stdout);
});

test("a copy has the columns of --use, and a name that is taken becomes another", async () => {
  const cwd = folder();
  const own = lines.map((line, i) => `${line},${i === 0 ? "cluster" : "7.0"}`);
  writeFileSync(join(cwd, "own.csv"), own.join("\n"));
  await kindred(["cluster", "data.csv", "-k", "2", "--model", "m.json"], { cwd });
  const all = await kindred(["apply", "m.json", "own.csv"], { cwd });
  expect(appendedTo(all.stdout, own)[0]).toBe("cluster_found,distance,second");
  const some = await kindred(["apply", "m.json", "own.csv", "--ignore", "cluster"], { cwd });
  expect(appendedTo(some.stdout)[0]).toBe("cluster,distance,second");
});

test("--out with the ending .tsv is separated by tabs", async () => {
  const cwd = folder();
  const args = ["cluster", "data.csv", "-k", "2", "--out", "out.tsv", "--append"];
  await kindred(args, { cwd });
  const tabs = [header, ...rows].map((row) => row.join("\t"));
  const [names, ...labels] = appendedTo(readFileSync(join(cwd, "out.tsv"), "utf8"), tabs, "\t");
  expect(names).toBe("cluster\tcluster_name");
  expect(alternate(labels)).toBe(true);
});

test.each([["kmeans"], ["ward"]])("--stream --append copies the rows, too: %s", async (method) => {
  const cwd = folder();
  const numbers = rows.map(([id, , , ok], i) => [id, ((i % 2) * 9 + (i % 5) / 10).toFixed(4), ok].join(","));
  const original = ["id,x,ok", ...numbers];
  writeFileSync(join(cwd, "numbers.csv"), original.join("\n\n"));
  const stream = ["--stream", "-m", method, "-k", "2", "--names", "low,high", "--append", "--out", "-"];
  for (const aside of [["--id", "id", "--ignore", "ok"], []]) {
    const { stdout } = await kindred(["cluster", "numbers.csv", ...aside, ...stream], { cwd });
    expect(alternate(appendedTo(stdout, original).slice(1))).toBe(true);
  }
  const mixed = await kindred(["cluster", "data.csv", ...stream], { cwd });
  expect(alternate(appendedTo(mixed.stdout).slice(1))).toBe(true);
  expect(new Set(appendedTo(mixed.stdout).slice(1))).toEqual(new Set(["0,low", "1,high"]));
  const dropped = await kindred(["cluster", "data.csv", "--missing", "drop", ...stream], { cwd });
  expect(dropped).toEqual(oneLine(2, /--append copies all rows, but --missing drop/));
});

test("plain numbers by --strict: the copy has all columns", async () => {
  const cwd = scratch();
  const original = ["x,y", ...rows.map((_, i) => `${((i % 2) * 9 + i / 100).toFixed(4)},0.50`)];
  writeFileSync(join(cwd, "data.csv"), original.join("\n"));
  const args = ["cluster", "data.csv", "--strict", "-k", "2", "--append", "--out", "-"];
  expect(alternate(appendedTo((await kindred(args, { cwd })).stdout, original).slice(1))).toBe(true);
});

test("with an engine --append is refused: it writes the rows in any case", async () => {
  const args = ["cluster", "--engine", "duckdb", "--query", "select 1 as x", "-m", "kmeans", "-k", "1"];
  const out = join(scratch(), "o.csv");
  expect(await kindred([...args, "--append", "--out", out])).toEqual(oneLine(2, /--append is for files/));
});

test("select --out writes the cells as they are written", async () => {
  const cwd = folder();
  const args = ["select", "data.csv", "--label", "ok", "--features", "1", "--id", "id", "--out", "-"];
  const { stdout } = await kindred(args, { cwd });
  const [names, ...cells] = stdout.trimEnd().split("\n");
  const column = header.indexOf(names.split(",")[1]);
  expect(column).toBeGreaterThan(0);
  expect(cells).toEqual(rows.map((row) => [row[0], quoted(row[column]), row[3]].join(",")));
});
