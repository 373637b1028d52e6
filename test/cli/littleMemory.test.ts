import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { command, listing, scratch } from "./command.ts";

/*
 * A process with few addresses (ulimit -v). WebAssembly reserves more than there are; what needs it, as all that does not fit,
 * ends in words and without a part of a file. Below what Node itself needs nothing can be said, but nothing is lost.
 */
const rows = Array.from(
  { length: 400 },
  (_, i) => `${(i % 3) * 5 + ((i * 7) % 11) / 11},${(i % 3) * 3 + ((i * 5) % 7) / 7},k${i % 3}`,
);

function limited(
  kilobytes: number,
  cwd: string,
  args: readonly string[],
): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(
    "sh",
    ["-c", `ulimit -v ${kilobytes}; exec "$@"`, "sh", ...command, ...args],
    { cwd, encoding: "utf8" },
  );
  return { status, said: stdout + stderr };
}

/** The least address space, to 100 MB, in which Node itself runs; undefined where it cannot be limited. */
function leastForNode(): number | undefined {
  if (process.platform !== "linux") return undefined;
  const runs = (kilobytes: number): boolean =>
    spawnSync("sh", ["-c", `ulimit -v ${kilobytes}; exec "$@"`, "sh", process.execPath, "-e", "0"]).status ===
    0;
  return Array.from({ length: 30 }, (_, k) => 100_000 * (k + 3)).find(runs);
}
const least = leastForNode();

test.skipIf(least === undefined)("commands in few addresses answer, or leave everything as it was", () => {
  const cwd = scratch();
  writeFileSync(join(cwd, "data.csv"), `x,y,kind\n${rows.join("\n")}\n`);
  const before = listing(cwd);
  for (const room of [0, 200_000, 500_000, 1_500_000]) {
    for (const args of [
      ["cluster", "data.csv", "-m", "kmeans", "-k", "3", "--ignore", "kind"],
      ["embed", "data.csv", "-m", "pca", "--ignore", "kind"],
      ["classify", "data.csv", "--label", "kind", "--test", "data.csv"],
    ]) {
      writeFileSync(join(cwd, "out"), "old");
      const { status, said } = limited(least! + room, cwd, [...args, "--out", "out"]);
      const found = readFileSync(join(cwd, "out"), "utf8");
      expect(status === 0 ? found.split("\n").length > rows.length : found === "old").toBe(true);
      const inWords = /^kindred: there is not enough memory for this; /m.test(said);
      expect(status === 0 || room < 1_500_000 || inWords).toBe(true);
    }
  }
  expect(listing(cwd).filter((name) => name !== "out")).toEqual(before);
});

test.skipIf(least === undefined)(
  "what does not fit is told in words: kernels, engines and long tables",
  () => {
    const cwd = scratch();
    writeFileSync(join(cwd, "data.csv"), `x,y,kind\n${rows.join("\n")}\n`);
    writeFileSync(join(cwd, "long.csv"), `x,y,kind\n${`${rows.join("\n")}\n`.repeat(500)}`);
    const before = listing(cwd);
    const cases: [readonly string[], RegExp][] = [
      [
        ["compare", "data.csv", "-k", "3"],
        /^kindred: there is not enough memory for this; WebAssembly .* raise the limit \(ulimit -v\)$/m,
      ],
      [
        [
          "cluster",
          "--engine",
          "duckdb",
          "--query",
          "select x, y from 'data.csv'",
          "-k",
          "3",
          "-m",
          "kmeans",
        ],
        /^kindred: the engine duckdb needs /m,
      ],
      [["select", "long.csv", "--label", "kind"], /^kindred: there is not enough memory for this/m],
    ];
    for (const [args, words] of cases) {
      const { status, said } = limited(least! + 200_000, cwd, args);
      if (status === 0) continue; // a runtime that needs less
      expect(status).toBe(args.includes("duckdb") ? 1 : 3);
      expect(said).toMatch(words);
      expect(said).not.toMatch(/FATAL|\n\s+at |^#/m);
    }
    expect(listing(cwd)).toEqual(before);
  },
);
