import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { namedData } from "../../../src/data/index.ts";
import { asTable } from "../../../src/data/columns/asTable.ts";
import { loadModel } from "../../../src/model/index.ts";
import { kindred, listing, scratch } from "../command.ts";

interface Json {
  method: string;
  clusters: number;
  labels: number[];
  sizes: number[];
  scores: Record<string, number> | null;
  converged: boolean;
  certificate: object | null;
  notes: { code: string; message: string }[];
  seconds: number;
  seed: number | null;
  scaling: string;
  data: { source: string; rows: number; features: number; label: string | null };
  engine: string;
}

/** Runs `kindred cluster --method kmeans ... --json`, which must succeed in silence. */
async function clusterJson(args: readonly string[], input?: string | Uint8Array): Promise<Json> {
  const { code, stdout, stderr } = await kindred(["cluster", "--method", "kmeans", ...args, "--json"], {
    input,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.endsWith("}\n")).toBe(true);
  return JSON.parse(stdout) as Json;
}

let wineCsv = "";
beforeAll(async () => {
  wineCsv = (await kindred(["data", "wine"])).stdout;
});

function file(name: string, content: string | Uint8Array): string {
  const path = join(scratch(), name);
  writeFileSync(path, content);
  return path;
}

describe("the report", () => {
  test("says what was read, how it was scaled, what came out and how good it is", async () => {
    const { code, stdout, stderr } = await kindred(
      "cluster wine --clusters 3 --label class --method kmeans --verbose".split(" "),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^data +wine, 178 rows x 13 features$/m);
    expect(stdout).toMatch(/^scaling +z-score, by kind of column$/m);
    expect(stdout).toMatch(/^method +kmeans, 3 clusters, seed 0$/m);
    expect(stdout).toMatch(/^solver +converged after \d+ iterations, objective 1277\.9285$/m);
    expect(stdout).toMatch(/^time +[\d.]+ m?s \(reading [\d.]+ m?s\)$/m);
    expect(stdout).toMatch(/^engine +simd, \d+ threads?$/m);
    expect(stdout).toMatch(/^cluster +rows +share +class 1 +class 2 +class 3$/m);
    expect(stdout).toMatch(/^ +\d+ +62 +34\.8 % +59 +3 +0$/m);
    expect(stdout).toMatch(/^adjusted Rand +0\.8975$/m);
  });

  test("without known classes there are no scores", async () => {
    const { stdout } = await kindred(["cluster", "wine", "-m", "kmeans", "--clusters", "3"]);
    expect(stdout).toMatch(/^cluster +rows +share +what sets it apart$/m);
    expect(stdout).not.toContain("Rand");
  });

  test("is one screen of 80 columns: the answer, the clusters, what to do next", async () => {
    const args = ["cluster", "wine", "-k", "3", "--label", "class"];
    const { stdout } = await kindred(args, { env: { COLUMNS: "80" } });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toBe("3 clusters in wine (178 rows)");
    expect(lines[1]).toMatch(
      /^Trust: (?:clear|doubtful); in tests, groups this sure matched the true ones by 0\.\d\d of 1$/,
    );
    expect(lines.length).toBeLessThan(40);
    const commands = lines.filter((line) => line.includes("  kindred "));
    expect(commands.map((line) => line.replace(/^.* {2}/, ""))).toEqual([
      "kindred columns wine",
      "kindred compare wine",
      "kindred cluster wine -k 3 --label class --out rows.csv --append",
    ]);
    const others = lines.filter((line) => !commands.includes(line));
    expect(others.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.at(-1)).toContain("--verbose shows columns, method, solver and engine");
  });

  test("colour is for terminals that want it", async () => {
    const asked = { env: { FORCE_COLOR: "1", NO_COLOR: "1" } };
    const { stdout } = await kindred(["cluster", "wine", "-m", "kmeans", "-k", "3"], asked);
    for (const sign of ["\u001b", "\uE010", "\uE011"]) expect(stdout).not.toContain(sign);
  });

  test("tells what was left out, filled in and suspicious", async () => {
    const lines = Array.from({ length: 40 }, (_, i) => {
      const far = i % 2;
      return `${10 * far + (i % 5) / 10},${i === 3 ? "" : 8 * far + (i % 3) / 10},7,${far === 0 ? "one" : "two"}`;
    });
    const path = file("t.csv", `a,b,still,class\n${lines.join("\n")}\n`);
    const { code, stdout } = await kindred(["cluster", path, "-m", "kmeans", "-k", "2", "--verbose"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^still +constant .*left out: constant$/m);
    expect(stdout).toMatch(/^note +1 missing cell was filled from other rows \(b\)$/m);
    expect(stdout).toMatch(
      /^note +"class" counts like any other column; --label class keeps it for scores only$/m,
    );
  });
});

describe("--json", () => {
  test("is one object with every field", async () => {
    const result = await clusterJson(["wine", "--clusters", "3", "--label", "class"]);
    expect(result).toMatchObject({
      method: "kmeans",
      clusters: 3,
      converged: true,
      notes: [],
      seed: 0,
      scaling: "z-score, by kind of column",
      data: { source: "wine", rows: 178, features: 13, label: "class" },
      engine: "simd",
    });
    expect(result.labels).toHaveLength(178);
    expect(result.sizes.toSorted((a, b) => a - b)).toEqual([51, 62, 65]);
    for (const [k, size] of result.sizes.entries()) {
      expect(result.labels.filter((label) => label === k)).toHaveLength(size);
    }
    expect(Object.keys(result.scores!)).toEqual(["rand", "adjustedRand", "nmi", "accuracy", "purity"]);
    expect(result.scores!.adjustedRand).toBeCloseTo(0.8975, 4);
    expect(result.scores!.accuracy).toBeCloseTo(172 / 178, 12);
    expect(result.certificate).toMatchObject({ kind: "local optimum", reassigned: 0 });
    expect(result.seconds).toBeGreaterThan(0);
  });

  test("has null scores without known classes", async () => {
    const { scores, data } = await clusterJson(["wine", "--clusters", "3"]);
    expect(scores).toBeNull();
    expect(data.label).toBeNull();
  });
});

describe("the label column", () => {
  test("is used for nothing but the scores", async () => {
    const path = file("wine.csv", wineCsv);
    const lines = wineCsv.trimEnd().split("\n");
    const noise = lines.map((line, i) => (i === 0 ? line : line.replace(/\d+$/, String(i % 5))));
    const other = file("noise.csv", `${noise.join("\n")}\n`);
    const labelled = await clusterJson([path, "-k", "3", "--label", "class"]);
    const ignored = await clusterJson([path, "-k", "3", "--ignore", "class"]);
    const noisy = await clusterJson([other, "-k", "3", "--label", "class"]);
    expect(ignored.labels).toEqual(labelled.labels);
    expect(noisy.labels).toEqual(labelled.labels);
    expect(noisy.scores!.adjustedRand).toBeLessThan(0.1);
  });

  test("may be unknown in some rows, which the scores leave out", async () => {
    const path = file("t.csv", "x,class\n0,a\n0.1,a\n5,b\n5.1,\n5.2,b\n");
    const { scores, notes } = await clusterJson([path, "-k", "2", "-l", "class"]);
    expect(scores!.adjustedRand).toBe(1);
    expect(notes.map(({ message }) => message)).toEqual([
      "1 of 5 rows has no known class and is left out of the scores",
    ]);
  });

  test("of signs has two classes, though -1 elsewhere means unknown", async () => {
    const path = file("t.libsvm", "-1 1:1 2:0.5\n-1 1:1.1 2:0.4\n+1 1:5 2:4\n+1 1:5.2 2:4.1\n");
    const { scores, notes } = await clusterJson([path, "-k", "2", "--label", "label"]);
    expect(scores!.accuracy).toBe(1);
    expect(notes.filter(({ code }) => code === "unknown-class")).toEqual([]);
  });
});

describe("reading", () => {
  test("a file of the name of a data set comes first", async () => {
    const folder = scratch();
    writeFileSync(join(folder, "wine"), "x\n1\n2\n9\n");
    const { stdout } = await kindred(["cluster", "wine", "-m", "kmeans", "-k", "2", "--json"], {
      cwd: folder,
    });
    expect((JSON.parse(stdout) as Json).labels).toHaveLength(3);
  });

  test("standard input and gzip", async () => {
    const plain = await clusterJson(["-", "-k", "3", "--label", "class"], wineCsv);
    const packed = await clusterJson([file("w.csv.gz", gzipSync(wineCsv)), "-k", "3", "--label", "class"]);
    const embedded = await clusterJson(["wine", "-k", "3", "--label", "class"]);
    expect(plain.labels).toEqual(embedded.labels);
    expect(packed.labels).toEqual(embedded.labels);
  });

  test("a name of a data folder", async () => {
    const folder = scratch();
    writeFileSync(join(folder, "tiny.csv"), "x,y,class\n0,0,a\n0,1,a\n9,9,b\n9,8,b\n");
    const index = {
      datasets: [{ name: "tiny", file: "tiny.csv", format: "csv", rows: 4, features: 2, n_classes: 2 }],
    };
    writeFileSync(join(folder, "index.json"), JSON.stringify(index));
    const { scores } = await clusterJson(["tiny", "-k", "2", "--label", "class", "--data", folder]);
    expect(scores!.accuracy).toBe(1);
    const listed = await kindred(["data"], { env: { KINDRED_DATA: folder } });
    expect(listed.stdout).toMatch(/^tiny +4 +2 +2 +folder/m);
  });

  test("ids, categories, batches, formats", async () => {
    const rows = [
      "name,run,colour,x",
      "r1,one,red,1",
      "r2,one,red,2",
      "r3,one,blue,8",
      "r4,two,red,101",
      "r5,two,blue,109",
      "r6,two,blue,108",
    ];
    const path = file("t.txt", `${rows.join("\n")}\n`);
    const shared = [path, "-k", "2", "--id", "name", "--ignore", "colour", "--format", "csv"];
    const within = await clusterJson([...shared, "--batch", "run", "--scale", "minmax"]);
    expect(within.scaling).toBe("min-max, within each run");
    const [first] = within.labels;
    expect(within.labels.map((label) => label === first)).toEqual([true, true, false, true, false, false]);
    const all = await clusterJson([path, "-k", "2", "--id", "name", "--ignore", "run"]);
    expect(all.data.features).toBe(3);
    const levels = await kindred(["cluster", path, "-k", "2", "--strict", "--categorical", "colour"]);
    expect(levels.stderr).toMatch(
      "--categorical cannot be combined with --strict, which reads plain numbers",
    );
  });

  test("text without a header, with other marks", async () => {
    const path = file("t.csv", "1,5|0,25\n1,75|0\n9|8,5\n");
    const { data, labels } = await clusterJson([
      path,
      "-k",
      "2",
      "--no-header",
      "--delimiter",
      "|",
      "--decimal",
      ",",
    ]);
    expect(data).toMatchObject({ rows: 3, features: 2 });
    expect(labels[0] === labels[1] && labels[1] !== labels[2]).toBe(true);
    const tabs = await clusterJson(["-", "-k", "2", "--delimiter", "tab"], "a\tb\n1\t2\n2\t3\n9\t9\n");
    expect(tabs.data.features).toBe(2);
  });

  test("columns of a named data set can be ignored", async () => {
    const { data } = await clusterJson(["iris", "-k", "3", "--ignore", "sepal_length,sepal_width"]);
    expect(data.features).toBe(2);
  });
});

describe("the method", () => {
  test("need not be named", async () => {
    const { code, stdout } = await kindred([
      "cluster",
      "wine",
      "--clusters",
      "3",
      "--label",
      "class",
      "--json",
    ]);
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as Json;
    expect(result.labels).toHaveLength(178);
    expect(result.clusters).toBe(3);
    expect(result.scores!.adjustedRand).toBeGreaterThan(0.8);
  });

  test("repeats itself for a seed", async () => {
    const args = ["moons", "-k", "7", "--restarts", "1", "--seed"];
    const one = await clusterJson([...args, "3"]);
    const again = await clusterJson([...args, "3"]);
    const other = await clusterJson([...args, "4"]);
    expect(again.labels).toEqual(one.labels);
    expect(other.labels).not.toEqual(one.labels);
    expect(one.seed).toBe(3);
  });

  test("gives the same clusters under every engine and number of threads", async () => {
    const simd = await clusterJson(["wine", "-k", "3"]);
    const relaxed = await clusterJson(["wine", "-k", "3", "--arithmetic", "relaxed", "--threads", "1"]);
    expect(relaxed.engine).toBe("relaxed");
    expect(relaxed.labels).toEqual(simd.labels);
  });

  test("says when it did not converge", async () => {
    const args = ["cluster", "blobs", "-m", "kmeans", "-k", "9", "--max-iterations", "1", "--restarts", "1"];
    const { stdout } = await kindred(args);
    expect(stdout).toMatch(/^solver +NOT converged after 1 iteration/m);
    expect(JSON.parse((await kindred([...args, "--json"])).stdout)).toMatchObject({ converged: false });
  });

  test("its options are in the help of the command", async () => {
    const { stdout } = await kindred(["cluster", "--method", "kmeans", "--help"]);
    expect(stdout).toMatch(/^Options of kmeans:\n +--restarts <n>/m);
    expect(stdout).toMatch(/^Methods .*:\n +auto /m);
  });
});

describe("files", () => {
  test("--out has one label per row, with the ids if there are any", async () => {
    const folder = scratch();
    const path = join(folder, "t.csv");
    writeFileSync(path, 'who,x\n"a, b",1\nc,2\nd,9\n');
    const out = join(folder, "labels.csv");
    const result = await clusterJson([path, "-k", "2", "--id", "who", "--out", out]);
    const [a, c, d] = result.labels;
    expect(readFileSync(out, "utf8")).toBe(`who,cluster\n"a, b",${a}\nc,${c}\nd,${d}\n`);
    const { code, stderr } = await kindred([
      "cluster",
      path,
      "--method=kmeans",
      "-k",
      "2",
      "--ignore",
      "who",
      "--out",
      out,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `wrote ${out}\n` });
    expect(readFileSync(out, "utf8").split("\n")[0]).toBe("cluster");
    expect(listing(folder)).toEqual(["labels.csv", "t.csv"]);
  });

  test("--out - gives the labels to the next command and the report to people", async () => {
    const { code, stdout, stderr } = await kindred("cluster wine -m kmeans -k 3 --out -".split(" "));
    expect(code).toBe(0);
    expect(stdout.split("\n")).toHaveLength(180);
    expect(stderr).toContain("178 rows");
    const truth = file("wine.csv", wineCsv);
    const scored = await kindred(["score", "-", truth, "--json"], { input: stdout });
    expect(JSON.parse(scored.stdout)).toMatchObject({ rows: 178, clusters: 3, classes: 3 });
  });

  test("--model keeps what is needed to place new rows", async () => {
    const out = join(scratch(), "m.json");
    const result = await clusterJson(["wine", "-k", "3", "--model", out]);
    const model = loadModel(JSON.parse(readFileSync(out, "utf8")));
    expect(model.method).toBe("kmeans");
    const { X, names } = await namedData("wine");
    const placed = model.assign(asTable({ X, names, source: "wine", notes: [] }));
    expect(Array.from(placed.labels)).toEqual(result.labels);
  });

  test("both files may be replaced, and nothing else appears", async () => {
    const folder = scratch();
    mkdirSync(join(folder, "out"));
    const paths = ["labels.csv", "m.json"].map((name) => join(folder, "out", name));
    for (let i = 0; i < 2; i++) {
      await clusterJson(["iris", "-k", "3", "--out", paths[0], "--model", paths[1]]);
      expect(listing(join(folder, "out"))).toEqual(["labels.csv", "m.json"]);
    }
  });
});
