import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { kindred, listing, oneLine, scratch } from "../command.ts";

const library = pathToFileURL(join(import.meta.dirname, "../../../dist/index.js")).href;

/** The program that the page prints, as text. */
function program(page: string): string {
  const shown = /In a program:<\/p>\s*<pre[^>]*><code>([^]*?)<\/code>/.exec(page)![1];
  return shown
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

const METHODS = [
  "kmeans",
  "cc",
  "ccscml",
  "ward",
  "gmm",
  "spectral",
  "ncut",
  "divisive",
  "kernel-kmeans",
  "aml",
  "cpd-uml",
];

test.each(METHODS)("the program in the report of %s gives the same labels as the command", async (method) => {
  const cwd = scratch();
  const args = ["cluster", "iris", "--clusters", "3", "--method", method, "--label", "class"];
  const { code, stdout } = await kindred([...args, "--json", "--report", "r.html"], { cwd });
  expect(code).toBe(0);
  const text = program(readFileSync(join(cwd, "r.html"), "utf8"));
  writeFileSync(
    join(cwd, "again.mjs"),
    text
      .replace('"kindred"', JSON.stringify(library))
      .replace("console.log(result.labels)", "console.log(JSON.stringify(Array.from(result.labels)))"),
  );
  const again = execFileSync(process.execPath, ["again.mjs"], { cwd, encoding: "utf8" });
  expect(JSON.parse(again)).toEqual(JSON.parse(stdout).labels);
});

test("the report of a file names its options, its rows and the command", async () => {
  const cwd = scratch();
  writeFileSync(join(cwd, "my data.csv"), "who,x,y\nann,0,0\nbob,0,1\ncia,5,5\ndan,5,6\n");
  const args = ["cluster", "my data.csv", "--id", "who", "-m", "kmeans", "-k", "2", "--report", "r.html"];
  const { code, stderr } = await kindred(args, { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "wrote r.html\n" });
  const page = readFileSync(join(cwd, "r.html"), "utf8");
  expect(page).toContain("2 clusters of my data.csv");
  expect(page).toContain("cia: who cia, x 5, y 5, cluster ");
  expect(page).toContain("kindred cluster &#39;my data.csv&#39; --id who");
  expect(program(page)).toContain('await readTable("my data.csv");');
  expect(program(page)).toContain('cluster(table, { id: "who", method: "kmeans", clusters: 2 })');
  expect(page).not.toMatch(/NaN|Infinity|undefined/);
});

test("a place that cannot be written is refused before anything is computed", async () => {
  const cwd = scratch();
  const args = ["cluster", "iris", "-k", "3", "--report", "missing/r.html"];
  expect(await kindred(args, { cwd })).toMatchObject(
    oneLine(1, /--report missing\/r\.html: the folder missing/),
  );
  expect(listing(cwd)).toEqual([]);
});

test("the program of a clustering with pairs has the pairs", async () => {
  const cwd = scratch();
  writeFileSync(join(cwd, "ml.csv"), "a,b\n0,1\n");
  writeFileSync(join(cwd, "cl.csv"), "a,b\n0,149\n");
  const args = ["cluster", "iris", "-k", "3", "--must-link", "ml.csv", "--cannot-link", "cl.csv"];
  await kindred([...args, "--report", "r.html"], { cwd });
  const text = program(readFileSync(join(cwd, "r.html"), "utf8"));
  expect(text).toContain("mustLink: [[0,1]], cannotLink: [[0,149]]");
});
