import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kindred, oneLine, scratch } from "../command.ts";

interface Result {
  readonly method: string;
  readonly clusters: number;
  readonly labels: number[];
  readonly scores: { readonly adjustedRand: number };
  readonly converged: boolean;
  readonly notes: { readonly code: string; readonly message: string }[];
  readonly details: Record<string, unknown> | null;
}

async function cluster(...args: string[]): Promise<Result> {
  const { code, stdout, stderr } = await kindred(["cluster", ...args, "--label", "class", "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Result;
}

describe("kindred cluster --method", () => {
  test.each<[string, number]>([
    ["ward", 0.78],
    ["average", -1],
    ["complete", 0.5],
    ["single", -1],
    ["spectral", 0.85],
    ["ncut", 0.85],
    ["gmm", 0.6],
    ["kernel-kmeans", 0.8],
    ["divisive", 0.5],
  ])("%s clusters wine", async (method, least) => {
    const { clusters, scores, converged, labels } = await cluster(
      "wine",
      "--method",
      method,
      "--clusters",
      "3",
    );
    expect({ clusters, converged, rows: labels.length }).toEqual({ clusters: 3, converged: true, rows: 178 });
    expect(scores.adjustedRand).toBeGreaterThan(least);
  });
});

describe("graphs", () => {
  test("show eigenvalues and cuts", async () => {
    const { stdout } = await kindred(["cluster", "wine", "--method", "spectral", "--clusters", "3"]);
    expect(stdout).toMatch(/^eigenvalues +1\.0000 0\.\d{4} 0\.\d{4}$/m);
    const cut = await cluster("rings", "--method", "ncut", "--max-cut", "0.001");
    expect(cut.scores.adjustedRand).toBe(1);
    expect(cut.notes.map(({ message }) => message).join()).toMatch(/unconnected parts/);
  });

  test("refuse options that contradict each other", async () => {
    const line = ["cluster", "wine", "--method", "spectral", "--clusters", "3"];
    expect(await kindred([...line, "--sigma", "1"])).toEqual(
      oneLine(2, /--sigma belongs to the full graph; use --alpha/),
    );
    expect(await kindred([...line, "--graph", "full", "--sigma", "0"])).toEqual(
      oneLine(2, /--sigma.*above 0/),
    );
    expect(await kindred(["cluster", "wine", "--method", "ncut"])).toEqual(
      oneLine(2, /give --clusters, --max-cut or both/),
    );
  });
});

describe("mixtures", () => {
  test("show likelihood and BIC, and write a model", async () => {
    const folder = scratch();
    const { stdout } = await kindred(
      ["cluster", "iris", "--method=gmm", "--clusters", "3", "--covariance", "tied", "--model", "m.json"],
      { cwd: folder },
    );
    expect(stdout).toMatch(/^likelihood +log -\d+\.\d\d, 24 parameters, BIC \d/m);
    const { placing, options } = JSON.parse(readFileSync(join(folder, "m.json"), "utf8")) as {
      placing: {
        kind: string;
        mixture: { covariances: { rows: number }[]; weights: number[] };
        means: { rows: number; cols: number };
      };
      options: object;
    };
    expect(options).toEqual({ covariance: "tied" });
    expect(placing.kind).toBe("mixture");
    expect(placing.mixture.covariances.map(({ rows }) => rows)).toEqual([4]);
    expect(placing.mixture.weights).toHaveLength(3);
    expect(placing.means).toMatchObject({ rows: 3, cols: 4 });
  });
});

test("another number of clusters than the one asked for is said", async () => {
  const line = ["cluster", "iris", "-k", "8", "--method", "ncut", "--max-cut", "0.001", "--json"];
  const { clusters, notes } = JSON.parse((await kindred(line)).stdout);
  expect(clusters).toBe(1);
  expect(notes).toContainEqual({
    code: "other-number",
    message: "8 clusters were asked for, the result has 1",
    option: "clusters",
  });
});

describe("dendrograms", () => {
  test("are cut by height, shown and written", async () => {
    const folder = scratch();
    const { code, stdout } = await kindred(
      ["cluster", "iris", "--method", "ward", "--height", "12", "--label", "class", "--model", "m.json"],
      { cwd: folder },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^cut +between the heights 8\.005 and 12\.64$/m);
    expect(stdout).toMatch(/^heights +\d/m);
    const { details } = JSON.parse(readFileSync(join(folder, "m.json"), "utf8")) as {
      details: { merges: number[][] };
    };
    expect(details.merges).toHaveLength(149);
  });

  test("need one cut", async () => {
    expect(await kindred(["cluster", "iris", "--method", "single"])).toEqual(
      oneLine(2, /single needs either --clusters, their number, or --height/),
    );
  });

  test("take a seed, which has no effect: ward makes no random choice", async () => {
    const line = ["iris", "--method", "ward", "--clusters", "2"];
    const [plain, seeded] = [await cluster(...line), await cluster(...line, "--seed", "1")];
    expect(seeded.labels).toEqual(plain.labels);
    expect(seeded).toMatchObject({ seed: null });
  });
});
