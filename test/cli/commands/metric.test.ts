import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kindred } from "../command.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-metric-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
let wine: string;

beforeAll(async () => {
  wine = at("wine.csv");
  writeFileSync(wine, (await kindred(["data", "wine"])).stdout);
  writeFileSync(at("pairs.csv"), "a,b\n0,1\n0,100\n");
  writeFileSync(at("apart.csv"), "a,b\n0,100\n5,150\n70,140\n");
  writeFileSync(at("alike.csv"), "a,b\n0,1\n2,3\n60,61\n140,141\n");
});

async function model(name: string, ...args: string[]): Promise<string> {
  const { code, stderr } = await kindred(["metric", wine, "--model", at(name), ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: `wrote ${at(name)}\n` });
  return at(name);
}

describe("kindred metric", () => {
  test("tells relevance, rank, condition, proof and time", async () => {
    const { code, stdout, stderr } = await kindred(["metric", wine, "--method", "mlca", "--label", "class"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^metric +mlca, rank 2, condition 1\.11$/m);
    expect(stdout).toMatch(/^proof +normal equations .*e-1[3-9]$/m);
    expect(stdout).toMatch(/^flavanoids +30\.3 %/m);
  });

  test("learns from files of pairs, and from pairs drawn from classes", async () => {
    const files = ["--must-link", at("alike.csv"), "--cannot-link", at("apart.csv")];
    const given = await kindred([
      "metric",
      wine,
      "--method",
      "kissme",
      "--ignore",
      "class",
      ...files,
      "--json",
    ]);
    expect(given.code).toBe(0);
    expect(JSON.parse(given.stdout)).toMatchObject({ method: "kissme", converged: true });
    const drawn = [
      "metric",
      wine,
      "--method",
      "kissme",
      "--label",
      "class",
      "--pairs",
      "100",
      "--seed",
      "3",
      "--json",
    ];
    const [first, second] = [await kindred(drawn), await kindred(drawn)].map(
      ({ stdout }) => JSON.parse(stdout) as { relevance: object },
    );
    expect(second.relevance).toEqual(first.relevance);
  });

  test.each([
    [["--method", "mlca"], "mlca needs --label"],
    [["--method", "kissme"], "kissme needs --must-link and --cannot-link files, or --label with --pairs"],
    [["--method", "rca"], "rca needs --chunklets"],
    [["--method", "mlca", "--label", "class", "--pairs", "5"], "--pairs: mlca does not use it"],
    [["--method", "unheard", "--label", "class"], "argument 'unheard' is invalid. The choices are mlca, lda"],
  ])("%j is a usage error", async (args, message) => {
    const { code, stderr } = await kindred(["metric", wine, ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  const kissme = (files: readonly string[]): ReturnType<typeof kindred> =>
    kindred(["metric", wine, "--method", "kissme", "--ignore", "class", ...files]);
  test.each([
    ["a,b\n0,500\n", '"500" is not a row'],
    ["a,b\n3,3\n", "joins a row with itself"],
    ["a,b\n0,1,2\n", "line 2: a pair has two cells, this line has 3"],
    ["500,600\n1,2\n", '"500" is not a row'],
  ])("names what is wrong with the pairs %j", async (text, message) => {
    writeFileSync(at("wrong.csv"), text);
    const files = ["--must-link", at("wrong.csv"), "--cannot-link", at("apart.csv")];
    const { code, stderr } = await kissme(files);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("names contradictory pairs and the chain that joins them", async () => {
    writeFileSync(at("chain.csv"), "a,b\n0,1\n1,2\n");
    writeFileSync(at("cut.csv"), "a,b\n0,2\n");
    const files = ["--must-link", at("chain.csv"), "--cannot-link", at("cut.csv")];
    const { code, stderr } = await kissme(files);
    expect(code).toBe(1);
    expect(stderr).toContain("0 = 1 = 2");
  });
});

describe("kindred apply", () => {
  test("transforms rows, whatever the order of their columns", async () => {
    const m = await model("order.json", "--label", "class");
    const straight = await kindred(["apply", m, wine, "--label", "class"]);
    const rows = readFileSync(wine, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(","));
    writeFileSync(at("reversed.csv"), rows.map((cells) => cells.toReversed().join(",")).join("\n"));
    const reversed = await kindred(["apply", m, at("reversed.csv"), "--label", "class"]);
    expect(straight.stdout.split("\n")[0]).toBe("mlca1,mlca2,class");
    expect(reversed.stdout).toBe(straight.stdout);
  });

  test("measures pairs, also by id, and calls them the same or not", async () => {
    const m = await model("pairs.json", "--method", "kissme", "--label", "class", "--pairs", "200");
    const byRow = await kindred(["apply", m, wine, "--label", "class", "--distances", at("pairs.csv")]);
    expect(byRow.stdout).toMatch(/^a,b,distance,same\n0,1,[\d.]+,1\n0,100,[\d.]+,0\n$/);
    const [head, ...rows] = readFileSync(wine, "utf8").trim().split("\n");
    writeFileSync(at("named.csv"), [`id,${head}`, ...rows.map((line, i) => `w${i},${line}`)].join("\n"));
    writeFileSync(at("named-pairs.csv"), "first,second\nw0,w1\nw0,w100\n");
    const named = ["--label", "class", "--id", "id", "--distances", at("named-pairs.csv")];
    const byId = await kindred(["apply", m, at("named.csv"), ...named]);
    expect(byId.stdout).toBe(byRow.stdout.replace("0,1,", "w0,w1,").replace("0,100,", "w0,w100,"));
  });

  test("refuses other columns by name, and files that are no metric", async () => {
    const m = await model("columns.json", "--label", "class");
    const other = await kindred(["apply", m, "iris"]);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('lacks the columns "alcohol"');
    const kept = await kindred(["apply", m, wine]);
    expect(kept.code).toBe(0);
    expect(kept.stdout.split("\n")[0]).toMatch(/^mlca1,mlca2/);
    writeFileSync(at("empty.json"), "{}");
    expect((await kindred(["apply", at("empty.json"), wine])).stderr).toContain(
      "empty.json is no model of Kindred",
    );
    expect((await kindred(["apply", at("none.json"), wine])).stderr).toContain(
      "cannot be read (there is no such file)",
    );
  });
});

describe("kindred cluster --metric", () => {
  test("clusters under the metric and says so", async () => {
    const m = await model("cluster.json", "--label", "class");
    const args = [
      "cluster",
      wine,
      "--method",
      "kmeans",
      "--clusters",
      "3",
      "--label",
      "class",
      "--metric",
      m,
    ];
    const { code, stdout } = await kindred(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^note +distances by the mlca metric of .*cluster\.json \(rank 2\); if it was learned from these rows/m,
    );
    expect(stdout).toMatch(/^adjusted Rand +1\.0000/m);
    const both = await kindred([...args, "--scale", "none"]);
    expect({ code: both.code, scale: both.stderr.includes("the metric has its own scaling") }).toEqual({
      code: 2,
      scale: true,
    });
  });
});

test("kindred metrics lists what exists", async () => {
  const { stdout } = await kindred(["metrics", "--json"]);
  const { metrics } = JSON.parse(stdout) as { metrics: { name: string; needs: string }[] };
  expect(metrics.map(({ name }) => name)).toEqual(expect.arrayContaining(["mlca", "lda", "rca", "kissme"]));
  expect((await kindred(["metrics"])).stdout).toContain("learns from");
});

describe("metrics that are no matrix, and triplets", () => {
  const pairs = ["--label", "class", "--pairs", "100"];

  test("kernel PCCA is written, applied, and clustered by", async () => {
    const file = await model("kernel.json", "--method", "pcca-kernel", ...pairs, "--dims", "5");
    const { stdout } = await kindred(["apply", file, wine, "--distances", at("pairs.csv")]);
    const [, near, far] = stdout.trim().split("\n");
    expect(near.split(",").at(-1)).toBe("1");
    expect(far.split(",").at(-1)).toBe("0");
    const moved = (await kindred(["apply", file, wine])).stdout.split("\n")[0];
    expect(moved.split(",").filter((name) => name.startsWith("pcca"))).toHaveLength(5);
    const { stdout: text } = await kindred([
      "cluster",
      wine,
      "-k",
      "3",
      "--label",
      "class",
      "--metric",
      file,
    ]);
    expect(text).toMatch(/adjusted Rand +(0\.[89]|1)/);
  });

  test("DistBoost says what share of the pairs it gets wrong", async () => {
    const { stdout } = await kindred([
      "metric",
      wine,
      "--method",
      "dist-boost",
      "--components",
      "3",
      ...pairs,
    ]);
    expect(stdout).toMatch(/^metric +dist-boost, \d+ mixtures of 3 components$/m);
    expect(stdout).toMatch(/^result +\d+\.\d % of the pairs/m);
    const json = await kindred(["metric", wine, "--method", "dist-boost", ...pairs, "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ method: "dist-boost", learners: expect.any(Number) });
  });

  test("triplets are read from a file of three columns", async () => {
    writeFileSync(at("triplets.csv"), "row,nearer,farther\n0,1,100\n60,61,140\n140,141,5\n2,3,70\n");
    const { stdout, code } = await kindred([
      "metric",
      wine,
      "--method",
      "triplets",
      "--ignore",
      "class",
      "--triplets",
      at("triplets.csv"),
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^proof +duality gap, relative: \d/m);
    const wrong = async (text: string, ...args: string[]): Promise<string> => {
      writeFileSync(at("wrong.csv"), text);
      const { code: failed, stderr } = await kindred([
        "metric",
        wine,
        ...args,
        "--triplets",
        at("wrong.csv"),
      ]);
      expect(failed).not.toBe(0);
      return stderr;
    };
    const by = ["--method", "triplets"];
    expect(await wrong("a,b\n0,1\n", ...by)).toMatch(/line 1: a triplet has three cells, this line has 2/);
    expect(await wrong("a,b,c\n0,1,1\n", ...by)).toMatch(/line 2: the triplet names a row twice/);
    expect(await wrong("a,b,c\n0,1,900\n", ...by)).toMatch(/"900" is not a row/);
    expect(await wrong("a,b,c\n0,1,2\n", "--label", "class")).toMatch(/--triplets: mlca does not use it/);
    const { stderr } = await kindred(["metric", wine, ...by]);
    expect(stderr).toMatch(/triplets needs --triplets/);
  });
});
