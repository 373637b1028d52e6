import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { kindred, oneLine, scratch, type Outcome } from "../command.ts";

let folder = "";
beforeEach(() => {
  folder = scratch();
});

function put(name: string, content: string | Uint8Array): void {
  writeFileSync(join(folder, name), content);
}

function score(...args: string[]): Promise<Outcome> {
  return kindred(["score", ...args], { cwd: folder });
}

async function scoreJson(...args: string[]): Promise<Record<string, number>> {
  const { code, stdout, stderr } = await score(...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Record<string, number>;
}

test("prints every score of the last columns", async () => {
  put("p.csv", "id,cluster\n1,0\n2,0\n3,1\n4,1\n5,1\n6,2\n");
  put("t.csv", "x,y,class\n1,1,a\n1,2,a\n2,2,a\n3,1,b\n3,3,b\n9,9,c\n");
  const { code, stdout, stderr } = await score("p.csv", "t.csv");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^predicted +p\.csv, "cluster": 3 clusters$/m);
  expect(stdout).toMatch(/^truth +t\.csv, "class": 3 classes$/m);
  expect(stdout).toMatch(/^rows +6$/m);
  // pairs: 4 together in p, 4 together in t, 2 in both, 15 in all
  expect(stdout).toMatch(/^Rand +0\.7333/m);
  expect(stdout).toMatch(/^accuracy +0\.8333/m);
  expect(stdout).toMatch(/^purity +0\.8333/m);
  expect(stdout).toMatch(/^pair F1 +0\.5000/m);
  const json = await scoreJson("p.csv", "t.csv");
  expect(json).toMatchObject({ rows: 6, omitted: 0, clusters: 3, classes: 3, precision: 0.5, recall: 0.5 });
  expect(json.rand).toBeCloseTo(11 / 15, 12);
  expect(json.adjustedRand).toBeCloseTo((2 - 16 / 15) / (4 - 16 / 15), 12);
});

describe("columns", () => {
  test("are chosen by name, in text of any shape", async () => {
    put("p.tsv", 'who\tguess\tnote\n"a\tb"\tx\tfirst, of all\nc\tx\t"two\nlines"\nd\ty\t-\n');
    put("t.csv", "\ufeffkind;other\r\nq;1\r\nq;2\r\nr;3\r\n");
    const { adjustedRand } = await scoreJson("p.tsv", "t.csv", "--predicted", "guess", "--truth", "kind");
    expect(adjustedRand).toBe(1);
  });

  test("need no header", async () => {
    put("p.csv", "0\n0\n1\n1\n");
    put("t.csv", "a\na\nb\nb\n");
    expect(await scoreJson("p.csv", "t.csv", "--no-header")).toMatchObject({ rows: 4, adjustedRand: 1 });
  });

  test("come from what cluster --json printed, from gzip and from standard input", async () => {
    put("r.json", JSON.stringify({ method: "kmeans", labels: [1, 1, 0, null] }));
    put("t.csv.gz", gzipSync("class\nu\nu\nv\nv\n"));
    expect(await scoreJson("r.json", "t.csv.gz")).toMatchObject({ rows: 3, omitted: 1, accuracy: 1 });
    const { stdout } = await kindred(["score", "-", "r.json", "--json"], {
      cwd: folder,
      input: "c\n1\n1\n2\n2\n",
    });
    expect(JSON.parse(stdout)).toMatchObject({ rows: 3, accuracy: 1 });
  });

  test("may have unknown labels, left out or counted", async () => {
    put("p.csv", "c\n0\n0\n1\n1\n");
    put("t.csv", "c\n-1\n1\n2\n-1\n");
    expect(await scoreJson("p.csv", "t.csv")).toMatchObject({ rows: 2, omitted: 2 });
    expect(await scoreJson("p.csv", "t.csv", "--unknown", "class")).toMatchObject({
      rows: 4,
      omitted: 0,
      classes: 3,
    });
    put("words.csv", "c\nNA\n1\n2\nn/a\n");
    expect(await scoreJson("p.csv", "words.csv")).toMatchObject({ rows: 2, omitted: 2, classes: 2 });
    const { stdout } = await score("p.csv", "t.csv");
    expect(stdout).toMatch(/^rows +2 \(2 with an unknown label left out\)$/m);
  });
});

describe("faults end in one line", () => {
  test.each<[string, string, string[], RegExp, number]>([
    ["c\n0\n1\n", "c\n0\n1\n1\n", [], /differ in length: 2 rows in p\.csv, "c", 3 in t\.csv, "c"/, 1],
    ["", "c\n0\n", [], /p\.csv is empty/, 1],
    ["c\n", "c\n0\n", [], /p\.csv has no rows of data/, 1],
    ["a,c\n1,0\n1\n", "c\n0\n1\n", [], /p\.csv line 3: 1 cells, but the first row has 2/, 1],
    ["c\n0\n", "c\n0\n", ["--truth", "klass"], /t\.csv has no column "klass"; its columns are "c"/, 2],
    ["0\n1\n", "c\n0\n", ["--predicted", "c"], /p\.csv has no column "c"; it has no header/, 2],
    ['c\n"0\n', "c\n0\n", [], /p\.csv line 2: the quote that opens here is never closed/, 1],
    ["{", "c\n0\n", [], /p\.csv is not valid JSON/, 1],
    ['{"labels": 3}', "c\n0\n", [], /p\.csv has no array of labels called "labels"/, 1],
    ["c,d\n0,\n1,\n", "c\n0\n1\n", [], /no labels to compare/, 1],
  ])("%j and %j", async (predicted, truth, args, message, exitCode) => {
    put("p.csv", predicted);
    put("t.csv", truth);
    expect(await score("p.csv", "t.csv", ...args)).toEqual(oneLine(exitCode, message));
  });
});

describe("further scores", () => {
  const rows =
    "x,y,z\n" +
    Array.from({ length: 24 }, (_, i) => `${i % 2 === 0 ? i / 10 : 20 + i / 10},${i % 5},q${i}`).join("\n");
  const labels = "c\n" + Array.from({ length: 24 }, (_, i) => i % 2).join("\n");

  test("intervals with --resamples, the same for the same seed", async () => {
    put("p.csv", labels);
    put("t.csv", labels.replace("0\n1", "1\n1"));
    const { code, stdout } = await score("p.csv", "t.csv", "--resamples", "100");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^adjusted Rand +0\.8\d+ +0\.\d{4} to 1\.0000 +the same/m);
    const a = await scoreJson("p.csv", "t.csv", "--resamples", "100", "--seed", "3");
    expect(a).toEqual(await scoreJson("p.csv", "t.csv", "--resamples", "100", "--seed", "3"));
    expect(Object.keys(a.intervals)).toContain("pairSets");
  });

  test("of the labels by the table alone, with --rows", async () => {
    put("p.csv", labels);
    put("rows.csv", rows);
    const { code, stdout, stderr } = await score("p.csv", "--rows", "rows.csv", "--use", "x,y");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const title of [
      "silhouette",
      "Davies-Bouldin",
      "Calinski-Harabasz",
      "Dunn",
      "gap",
      "prediction strength",
    ]) {
      expect(stdout).toMatch(new RegExp(`^${title} +-?\\d`, "m"));
    }
    const { data } = (await scoreJson(
      "p.csv",
      "--rows",
      "rows.csv",
      "--use",
      "x",
      "--scale",
      "none",
    )) as unknown as {
      data: Record<string, number>;
    };
    // 0, .2, ..., 2.2 and 20.1, ..., 22.3: a gap of 17.9, a width of 2.2.
    expect(data.dunn).toBeCloseTo(17.9 / 2.2, 9);
  });

  test("are refused with neither classes nor a table, and for a table of another length", async () => {
    put("p.csv", labels);
    put("rows.csv", "x\n1\n2\n");
    expect((await score("p.csv")).stderr).toContain("give the known classes as the second file");
    expect((await score("p.csv", "--rows", "rows.csv")).stderr).toContain("24 rows in p.csv");
  });
});
