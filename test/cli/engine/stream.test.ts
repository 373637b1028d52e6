import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adjustedRand } from "../../../src/score/index.ts";
import { command, kindred, listing, oneLine, scratch } from "../command.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-streams-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  const wine = (await kindred(["data", "wine"])).stdout;
  writeFileSync(at("wine.csv"), wine);
  const [header, ...rows] = wine.trimEnd().split("\n");
  mkdirSync(at("parts"));
  for (const [k, from] of [0, 50, 100].entries()) {
    const part = rows.slice(from, k === 2 ? undefined : from + 50);
    writeFileSync(at(`parts/${k}.csv`), `${[header, ...part].join("\n")}\n`);
  }
});

interface Model {
  readonly scaling: object;
  readonly metric: { readonly factor: { readonly data: readonly number[] } };
}

/** L'L of the factor: what does not depend on the signs of directions. */
function metricOf(path: string): number[] {
  const { factor } = (JSON.parse(readFileSync(path, "utf8")) as Model).metric as unknown as {
    factor: { rows: number; cols: number; data: number[] };
  };
  const M: number[] = [];
  for (let f = 0; f < factor.cols; f++) {
    for (let g = 0; g < factor.cols; g++) {
      let sum = 0;
      for (let r = 0; r < factor.rows; r++)
        sum += factor.data[r * factor.cols + f] * factor.data[r * factor.cols + g];
      M.push(sum);
    }
  }
  return M;
}

describe("kindred metric", () => {
  test.each(["mlca", "lda", "rca"])("%s of several files is that of the whole", async (method) => {
    const args = ["--method", method, "--label", "class"];
    await kindred(["metric", at("wine.csv"), ...args, "--model", at("whole.json")]);
    const streamed = await kindred(["metric", at("parts/*.csv"), ...args, "--model", at("parts.json")]);
    expect({ code: streamed.code, stderr: streamed.stderr }).toEqual({
      code: 0,
      stderr: `wrote ${at("parts.json")}\n`,
    });
    expect(streamed.stdout).toMatch(/^data .*\*\.csv, 178 rows x 13 features, scaling z-score$/m);
    expect(streamed.stdout).toMatch(/^note +streamed in 3 batches; the time includes reading$/m);
    const [a, b] = [at("whole.json"), at("parts.json")].map(metricOf);
    const size = Math.max(...a.map(Math.abs));
    expect(Math.max(...a.map((value, p) => Math.abs(value - b[p]))) / size).toBeLessThan(1e-8);
  });

  test("kissme from classes, --stream, standard input, --json", async () => {
    const { code, stdout } = await kindred(
      ["metric", "-", "--stream", "--method", "kissme", "--label", "class", "--json"],
      { input: readFileSync(at("wine.csv")) },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ method: "kissme", converged: true, threshold: null });
  });

  test.each([
    [
      "a method that needs the rows",
      ["--method", "lmnn"],
      /lmnn needs all rows at once; streaming supports mlca, lda/,
      2,
    ],
    ["pairs", ["--method", "kissme", "--pairs", "9"], /--pairs: kissme does not use it here/, 2],
    ["batches", ["--batch", "ash"], /--batch: not for a stream/, 2],
    ["means", ["--missing", "fill"], /--missing fill needs all rows at once/, 2],
    [
      "an unknown label",
      ["--label", "kind"],
      /--label names the column "kind", which \S*0\.csv does not have/,
      2,
    ],
  ])("%s", async (_, args, message, code) => {
    const label = args.includes("--label") ? [] : ["--label", "class"];
    expect(await kindred(["metric", at("parts/*.csv"), ...label, ...args])).toEqual(oneLine(code, message));
  });

  test("no file", async () => {
    const label = ["--label", "class"];
    expect(await kindred(["metric", at("none/*.csv"), ...label])).toEqual(
      oneLine(1, /no file matches .*none/),
    );
    expect(await kindred(["metric", at("none.csv"), "--stream", ...label])).toEqual(
      oneLine(1, /there is no file .*none\.csv/),
    );
  });
});

describe("kindred select --stream", () => {
  const label = ["--label", "class"];
  interface Told {
    readonly data: object;
    readonly seconds: number;
  }

  test.each(["chow-liu", "mrmr", "cfs", "max-relevance"])(
    "%s of several files is that of the whole, to the last digit",
    async (method) => {
      const args = [...label, "--method", method, "--features", "6", "--json"];
      const whole = await kindred(["select", at("wine.csv"), ...args]);
      const streamed = await kindred(["select", at("parts/*.csv"), ...args]);
      const [a, b] = [whole, streamed].map(({ stdout }) => {
        const { data: _, seconds: __, ...told } = JSON.parse(stdout) as Told;
        return { ...told, discretization: undefined };
      });
      expect(b).toEqual(a);
    },
  );

  test("the report, and the reduced table written batch by batch", async () => {
    const args = [...label, "--features", "3", "--discretize", "width", "--bins", "4"];
    const whole = await kindred(["select", at("wine.csv"), ...args, "--out", "-"]);
    const streamed = await kindred(["select", at("parts/*.csv"), ...args, "--out", at("reduced.csv")]);
    expect({ code: streamed.code, stderr: streamed.stderr }).toEqual({
      code: 0,
      stderr: `wrote ${at("reduced.csv")}\n`,
    });
    expect(readFileSync(at("reduced.csv"), "utf8")).toBe(whole.stdout);
    expect(streamed.stdout).toMatch(/^data .*\*\.csv, 178 rows x 13 columns, 3 classes of "class"$/m);
    expect(streamed.stdout).toMatch(/^note +streamed in 2 passes; the time includes reading$/m);
    const piped = await kindred(["select", at("wine.csv"), "--stream", ...args, "--out", "-"]);
    expect(piped.stdout).toBe(whole.stdout);
  });

  test.each([
    ["triples", [...label, "--method", "jmi"], /jmi needs all rows at once; streaming supports chow-liu/, 2],
    [
      "no classes",
      ["--ignore", "class", "--method", "ccscml"],
      /ccscml needs all rows at once; streaming/,
      2,
    ],
    ["no label", [], /chow-liu needs --label/, 2],
    [
      "quantiles",
      [...label, "--discretize", "frequency"],
      /--discretize frequency needs all rows at once; streaming supports sigma/,
      2,
    ],
    ["measurements", [...label, "--discretize", "given"], /column "alcohol" has 126 different values/, 1],
    ["too many", [...label, "--features", "14"], /--features 14: .*\*\.csv has only 13 features/, 1],
    ["bins", [...label, "--bins", "4"], /--bins is for "width"/, 2],
  ])("%s", async (_, args, message, code) => {
    expect(await kindred(["select", at("parts/*.csv"), ...args])).toEqual(oneLine(code, message));
  });

  test("standard input is refused: it cannot be read twice", async () => {
    const input = readFileSync(at("wine.csv"));
    expect(await kindred(["select", "-", "--stream", ...label], { input })).toEqual(
      oneLine(2, /standard input can be read only once, but levels are counted in a second pass/),
    );
  });
});

describe("kindred classify --stream", () => {
  const bayes = ["--method", "naive-bayes", "--label", "class"];

  test("Gaussian naive Bayes of several files classifies as that of the whole", async () => {
    const test = ["--test", at("wine.csv"), "--json"];
    const whole = await kindred(["classify", at("wine.csv"), ...bayes, ...test]);
    const streamed = await kindred(["classify", at("parts/*.csv"), ...bayes, ...test]);
    const [a, b] = [whole, streamed].map(
      ({ stdout }) => JSON.parse(stdout) as { predictions: string[]; probabilities: number[] },
    );
    expect(b.predictions).toEqual(a.predictions);
    b.probabilities.forEach((p, i) => expect(Math.abs(p - a.probabilities[i])).toBeLessThan(1e-8));
  });

  test("a model from standard input, for --use", async () => {
    const input = readFileSync(at("wine.csv"));
    const learned = await kindred(["classify", "-", "--stream", ...bayes, "--model", at("bayes.json")], {
      input,
    });
    expect(learned.code).toBe(0);
    expect(learned.stdout).toMatch(/^data +-, 178 rows x 13 features, 3 classes$/m);
    expect(learned.stdout).toMatch(/^note +streamed in 1 pass; the time includes reading$/m);
    const used = await kindred(["classify", at("wine.csv"), "--use", at("bayes.json")]);
    expect(used.stdout).toMatch(/^accuracy +98\.9 %/m);
    const json = await kindred(["classify", at("parts/*.csv"), ...bayes, "--model", at("b.json"), "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      classes: ["1", "2", "3"],
      data: { rows: 178, features: 13 },
    });
  });

  test("discrete naive Bayes is the same file", async () => {
    const rows = Array.from(
      { length: 300 },
      (_, i) => `${i % 3},${(i * i) % 7},4,${["u", "v", ""][(i % 5) % 3]}`,
    );
    writeFileSync(at("codes.csv"), ["a,b,k,class", ...rows].join("\n"));
    const args = [...bayes, "--discrete", "--test", at("codes.csv"), "--model"];
    await kindred(["classify", at("codes.csv"), "--strict", ...args, at("whole.json")]);
    const { code, stdout } = await kindred([
      "classify",
      at("codes.csv"),
      "--stream",
      ...args,
      at("streamed.json"),
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^note +constant columns left out: k$/m);
    expect(readFileSync(at("streamed.json"), "utf8")).toBe(readFileSync(at("whole.json"), "utf8"));
  });

  test.each([
    ["another method", ["--label", "class", "--method", "svm"], /svm needs all rows at once/],
    ["folds", [...bayes, "--folds", "5"], /a stream is used as a whole for training, not cross-validated/],
    ["nothing to do", bayes, /give --test with rows to classify, or --model/],
    ["no label", ["--method", "naive-bayes", "--model", "m.json"], /classify needs --label/],
    [
      "predictions of nothing",
      [...bayes, "--model", "m.json", "--out", "-"],
      /--out: without --test nothing/,
    ],
    [
      "a scale",
      [...bayes, "--model", "m.json", "--scale", "zscore"],
      /--scale zscore: naive-bayes learns from/,
    ],
  ])("%s is refused", async (_, args, message) => {
    expect(await kindred(["classify", at("parts/*.csv"), ...args])).toEqual(oneLine(2, message));
  });

  test("codes from standard input are refused: they cannot be read twice", async () => {
    const input = readFileSync(at("wine.csv"));
    const args = [...bayes, "--discrete", "--model", at("m.json")];
    expect(await kindred(["classify", "-", "--stream", ...args], { input })).toEqual(
      oneLine(2, /standard input can be read only once/),
    );
    expect(await kindred(["classify", at("wine.csv"), "--use", at("bayes.json"), "--stream"])).toEqual(
      oneLine(2, /--use classifies without learning; it cannot be combined with --stream/),
    );
  });
});

describe("kindred cluster --stream", () => {
  const kmeans = ["--method", "kmeans", "--clusters", "3", "--ignore", "class", "--tolerance", "0"];

  test("labels are those from memory, written batch by batch", async () => {
    const whole = await kindred(["cluster", at("wine.csv"), ...kmeans, "--out", at("whole.csv")]);
    const streamed = await kindred(["cluster", at("parts/*.csv"), ...kmeans, "--out", at("labels.csv")]);
    expect(whole.code).toBe(0);
    expect({ code: streamed.code, stderr: streamed.stderr }).toEqual({
      code: 0,
      stderr: `wrote ${at("labels.csv")}\n`,
    });
    // The same clusters; memory numbers them by the values of the rows, a stream by their order.
    const labels = (name: string): string[] => readFileSync(at(name), "utf8").trimEnd().split("\n").slice(1);
    expect(adjustedRand(labels("labels.csv"), labels("whole.csv"))).toBe(1);
    expect(streamed.stdout).toMatch(/^note +streamed in \d+ passes; the time includes reading$/m);
  });

  test("under a metric, to standard output, with ids", async () => {
    await kindred(["metric", at("wine.csv"), "--label", "class", "--model", at("mlca.json")]);
    const rows = readFileSync(at("wine.csv"), "utf8").trimEnd().split("\n");
    writeFileSync(at("ids.csv"), rows.map((row, i) => (i === 0 ? `id,${row}` : `w${i},${row}`)).join("\n"));
    const args = [
      "--method",
      "kmeans",
      "--clusters",
      "3",
      "--label",
      "class",
      "--id",
      "id",
      "--metric",
      at("mlca.json"),
    ];
    const whole = await kindred(["cluster", at("ids.csv"), ...args, "--tolerance", "0", "--out", "-"]);
    const streamed = await kindred([
      "cluster",
      at("ids.csv"),
      "--stream",
      ...args,
      "--tolerance",
      "0",
      "--out",
      "-",
    ]);
    expect(streamed.code).toBe(0);
    expect(streamed.stdout).toBe(whole.stdout);
    expect(streamed.stderr).toMatch(/note +"class" was set aside; kindred score compares/);
  });

  test("--json has no labels, --model has the centres", async () => {
    const { stdout } = await kindred([
      "cluster",
      at("parts/*.csv"),
      ...kmeans,
      "--json",
      "--model",
      at("model.json"),
    ]);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    expect(result).toMatchObject({ method: "kmeans", clusters: 3, converged: true, data: { rows: 178 } });
    expect(result).not.toHaveProperty("labels");
    const model = JSON.parse(readFileSync(at("model.json"), "utf8")) as {
      placing: { kind: string; centers: { rows: number } };
    };
    expect(model.placing).toMatchObject({ kind: "centers", centers: { rows: 3 } });
  });

  test.each([
    [
      "a method of pairs without pairs",
      ["--method", "cop-kmeans", "--clusters", "3"],
      /cop-kmeans needs pairs: --must-link, --cannot-link or both/,
    ],
    [
      "a page",
      [...kmeans, "--report", "page.html"],
      /--report: it shows the rows, which are not all in memory/,
    ],
  ])("%s is refused", async (_, args, message) => {
    expect(await kindred(["cluster", at("parts/*.csv"), ...args])).toEqual(oneLine(2, message));
  });

  test("a bad row in a later file leaves no labels", async () => {
    const own = scratch();
    writeFileSync(join(own, "1.csv"), "x,y\n1,2\n3,4\n5,6\n");
    writeFileSync(join(own, "2.csv"), "x,y\n1,red\n");
    const args = ["--method", "kmeans", "--clusters", "2", "--out", join(own, "labels.csv")];
    expect(await kindred(["cluster", join(own, "?.csv"), ...args])).toEqual(
      oneLine(1, /2\.csv line 2, column "y": "red" is not a number/),
    );
    expect(listing(own)).toEqual(["1.csv", "2.csv"]);
  });

  test("standard input is refused: it cannot be read twice", async () => {
    const input = readFileSync(at("wine.csv"));
    expect(await kindred(["cluster", "-", "--stream", ...kmeans], { input })).toEqual(
      oneLine(2, /only once/),
    );
  });

  test("a full disk is one line, and leaves nothing", async () => {
    const args = ["cluster", at("parts/*.csv"), ...kmeans, "--out", "/dev/full"];
    expect(await kindred(args)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^kindred: --out \/dev\/full: cannot be written \(the disk is full\)\n$/),
    });
  });

  test("a signal while labels are written removes the part that was written", async () => {
    const own = scratch();
    const rows = readFileSync(at("parts/0.csv"), "utf8").trimEnd().split("\n");
    const many = [rows[0], ...Array.from({ length: 4000 }, () => rows.slice(1)).flat()].join("\n");
    writeFileSync(join(own, "many.csv"), many);
    const child = spawn(command[0], [
      ...command.slice(1),
      "cluster",
      join(own, "many.csv"),
      "--stream",
      ...kmeans,
      "--max-iterations",
      "1",
      "--out",
      join(own, "labels.csv"),
    ]);
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    const partial = (): boolean => listing(own).some((name) => name.endsWith(".tmp"));
    while (!partial() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(partial()).toBe(true);
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
    expect(listing(own)).toEqual(["many.csv"]);
  });
});
