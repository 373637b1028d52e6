import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { random } from "../../../src/core/random.ts";
import { kindred, oneLine, scratch, type Outcome } from "../command.ts";

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

/** Several series in one file, lines in any order. */
function putSeries(name: string, seed: number, count: number): void {
  const draw = random(seed);
  const lines: string[] = [];
  for (let s = 1; s <= count; s++) {
    let drift = 0;
    for (let i = 0; i < 120; i++) {
      const phase = Math.floor(i / 40) % 2;
      drift += 2 * draw.normal();
      lines.push(
        `run ${s},${i},${2 * phase + 0.4 * draw.normal()},${drift},${phase === 0 ? "rest" : "work"}`,
      );
    }
  }
  const shuffled = Array.from(draw.sample(lines.length, lines.length), (i) => lines[i]);
  writeFileSync(join(folder, name), `run,time,pulse,drift,phase\n${shuffled.join("\n")}\n`);
}

test.each(["mlca", "lajugie"])("cuts several series by themselves under a metric of %s", async (learn) => {
  putSeries("train.csv", 5, 3);
  putSeries("new.csv", 6, 11);
  const by = ["--series", "run", "--order", "time", "--label", "phase"];
  const learned = await run("train.csv", ...by, "--learn", learn, "--model", "m.json");
  expect(learned.code).toBe(0);
  expect(learned.stdout).toMatch(new RegExp(`^metric +${learn}, rank`, "m"));
  const args = ["new.csv", ...by, "--metric", "m.json", "-k", "3"];
  const { stdout } = await run(...args, "--json", "--out", "cuts.csv", "--svg", "cuts.svg");
  const told = JSON.parse(stdout) as { delta: number; series: { series: string; cuts: number[] }[] };
  expect(told.series.map(({ series }) => series).slice(0, 3)).toEqual(["run 1", "run 2", "run 3"]);
  expect(told.series.at(-1)!.series).toBe("run 11");
  for (const { cuts } of told.series) expect(cuts).toEqual([40, 80]);
  expect(told.delta).toBeCloseTo(0, 9);
  const plain = await run("new.csv", ...by.slice(0, 4), "--ignore", "phase", "-k", "3", "--json");
  const other = JSON.parse(plain.stdout) as typeof told;
  expect(other.series.filter(({ cuts }) => String(cuts) === "40,80").length).toBeLessThan(11);
  const lines = readFileSync(join(folder, "cuts.csv"), "utf8").trim().split("\n");
  expect(lines[0]).toBe("time,phase,run,segment");
  expect(lines).toHaveLength(11 * 120 + 1);
  const picture = readFileSync(join(folder, "cuts.svg"), "utf8");
  expect(picture.match(/class="cut"/g)).toHaveLength(22);
  expect(picture).toContain("run 11: 3 segments");
});

test("says what is wrong with several series", async () => {
  putSeries("a.csv", 7, 2);
  expect(await run("a.csv", "--series", "nothing")).toMatchObject(
    oneLine(2, /--series names the column "nothing", which a.csv does not have/),
  );
  expect(await run("a.csv", "--series", "time", "--order", "time")).toMatchObject(
    oneLine(2, /already the order/),
  );
  expect(await run("a.csv", "--series", "run", "--learn", "lajugie")).toMatchObject(
    oneLine(2, /--learn chooses/),
  );
});
