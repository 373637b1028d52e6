import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { kindred, oneLine, scratch, type Outcome } from "./command.ts";

let folder = "";
beforeEach(() => {
  folder = scratch();
});

/** Four phases of 40 rows that `pulse` tells apart, `drift` wanders; the lines are in any order. */
function put(name: string, seed: number, time: (i: number) => string = String): void {
  const draw = random(seed);
  let drift = 0;
  const lines = Array.from({ length: 160 }, (_, i) => {
    const phase = Math.floor(i / 40) % 2;
    drift += 2 * draw.normal();
    return `${time(i)},${2 * phase + 0.4 * draw.normal()},${drift},${phase === 0 ? "rest" : "work"}`;
  });
  const shuffled = Array.from(draw.sample(160, 160), (i) => lines[i]);
  writeFileSync(join(folder, name), `time,pulse,drift,phase\n${shuffled.join("\n")}\n`);
}

function run(...args: string[]): Promise<Outcome> {
  return kindred(["segment", ...args], { cwd: folder });
}

test("learns from a labelled series and cuts another, whatever the order of its lines", async () => {
  put("train.csv", 1);
  put("new.csv", 2, (i) => new Date(Date.UTC(2024, 0, 1 + i)).toISOString());
  const learned = await run("train.csv", "--order", "time", "--label", "phase", "--model", "m.json");
  expect(learned.code).toBe(0);
  expect(learned.stdout).toMatch(/^metric +mlca, rank 1$/m);
  const args = ["new.csv", "--order", "time", "--label", "phase", "--metric", "m.json"];
  const { code, stdout } = await run(...args, "--json", "--out", "cuts.csv");
  expect(code).toBe(0);
  const told = JSON.parse(stdout) as { cuts: number[]; delta: number; segments: { first: string }[] };
  expect(told.cuts).toEqual([40, 80, 120]);
  expect(told.delta).toBeCloseTo(0, 10);
  expect(told.segments[1].first).toBe("2024-02-10T00:00:00.000Z");
  const lines = readFileSync(join(folder, "cuts.csv"), "utf8").trim().split("\n");
  expect(lines[0]).toBe("time,phase,segment");
  expect(lines[160]).toMatch(/work,3$/);
});

test("takes the number of segments, and says what is wrong", async () => {
  put("a.csv", 3);
  const { stdout } = await run("a.csv", "--order", "time", "--ignore", "phase", "-k", "3", "--json");
  expect((JSON.parse(stdout) as { clusters: number }).clusters).toBe(3);
  expect(await run("a.csv", "--order", "phase")).toMatchObject(oneLine(1, /cannot order the rows/));
  expect(await run("a.csv", "--order", "time", "--ignore", "phase", "--model", "m.json")).toMatchObject(
    oneLine(2, /learned from --label/),
  );
  expect(
    await run("a.csv", "--order", "time", "--ignore", "phase", "-k", "3", "--penalty", "1"),
  ).toMatchObject(oneLine(2, /--penalty chooses/));
});
