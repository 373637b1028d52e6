import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { command, kindred, listing, oneLine, scratch } from "./command.ts";

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
    expect(streamed.stdout).toMatch(/^data .*\*\.csv, 178 rows x 13 features, scaling zscore$/m);
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
      /lmnn needs all rows at once; from a stream learn mlca, lda/,
      2,
    ],
    ["pairs", ["--method", "kissme", "--pairs", "9"], /--pairs: kissme does not use it here/, 2],
    ["batches", ["--batch", "ash"], /--batch: not for a stream/, 2],
    ["means", ["--missing", "mean"], /--missing mean: not for a stream/, 2],
    ["an unknown label", ["--label", "kind"], /0\.csv: label names the column "kind"/, 2],
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
    expect(readFileSync(at("labels.csv"), "utf8")).toBe(readFileSync(at("whole.csv"), "utf8"));
    const sizes = (text: string): string => text.slice(text.indexOf("cluster  rows"));
    expect(sizes(streamed.stdout)).toBe(sizes(whole.stdout));
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
    const model = JSON.parse(readFileSync(at("model.json"), "utf8")) as { centers: number[][] };
    expect(model.centers).toHaveLength(3);
  });

  test.each([
    ["another method", ["--method", "spectral", "--clusters", "3"], /spectral needs all rows at once/],
    ["a page", [...kmeans, "--report", "page.html"], /--report: a page needs all rows at once/],
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
      stderr: expect.stringMatching(/^kindred: --out \/dev\/full: cannot be written \(ENOSPC\)\n$/),
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
