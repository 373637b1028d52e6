import { expect, test } from "vitest";
import { cluster } from "../../src/run/index.ts";
import { random } from "../../src/core/random.ts";
import { readColumns, type Table } from "../../src/data/index.ts";
import { applyFeatures, columnsOf, learnFeatures, type FeaturePart } from "../../src/features/index.ts";
import { loadModel } from "../../src/model/index.ts";
import { adjustedRand } from "../../src/score/index.ts";
import { numbers, tableOf, categories, pickRows } from "./makeTable.ts";

interface Orders {
  readonly table: Table;
  readonly truth: Int32Array;
  readonly days: Float64Array;
}

/** Three groups that differ in the time from order to delivery, in the service and in the weight. */
function orders(n = 600, seed = 4, gaps = 0.05): Orders {
  const g = random(seed);
  const truth = Int32Array.from({ length: n }, () => g.integer(3));
  const gap = (value: number): number => (g.uniform() < gaps ? Number.NaN : value);
  const ordered = Float64Array.from(truth, () => 19_000 + g.integer(400));
  const days = Float64Array.from(truth, (k) => Math.round([1, 6, 40][k] * Math.exp(0.3 * g.normal())));
  const service = Array.from(
    truth,
    (k) => ["express", "standard", "freight"][g.uniform() < 0.7 ? k : g.integer(3)],
  );
  return {
    truth,
    days,
    table: tableOf([
      numbers("ordered", ordered.map(gap), "date"),
      numbers(
        "shipped",
        ordered.map((at, i) => gap(at + days[i])),
        "date",
      ),
      categories("service", service),
      numbers(
        "weight",
        Float64Array.from(truth, (k) => Math.exp(k + g.normal())),
      ),
      categories(
        "depot",
        Array.from(truth, () => ["north", "south"][g.integer(2)]),
      ),
    ]),
  };
}

const isTime = ({ encoding }: FeaturePart): boolean =>
  encoding.form === "number" && encoding.since !== undefined;

test("the time between two dates is a feature, also where dates are missing", async () => {
  const { table, truth } = orders();
  const { record, X, columns } = learnFeatures(table);
  const part = record.parts.find(isTime)!;
  expect(part).toMatchObject({ column: "shipped", label: "time from ordered to shipped", kind: "number" });
  expect(columns[1].became).toMatch(/days since ordered, /);
  expect(columns[1].why).toMatch(/^kept: related to /);
  expect(columns[0].weight).toBeGreaterThanOrEqual(0.5);
  expect(columns.every(({ weight }) => weight <= 1)).toBe(true);
  expect(X.data.every(Number.isFinite)).toBe(true);
  expect(columnsOf(record)).toEqual(expect.arrayContaining(["ordered", "shipped"]));
  const clusters = await cluster(table, { method: "mixed", clusters: 3 });
  const without = await cluster(table, { method: "mixed", clusters: 3, ignore: ["shipped"] });
  expect(adjustedRand(clusters.labels, truth)).toBeGreaterThan(adjustedRand(without.labels, truth) + 0.2);
  const words = clusters.profiles.map((profile) => profile.words).join("\n");
  expect(words).toMatch(/days from ordered to shipped 1 \(overall \d+\)/);
  expect(clusters.profiles.map(({ name }) => name).join(", ")).toMatch(/few days from ordered to shipped/);
});

test("new rows get the same feature from a stored model", async () => {
  const { table } = orders();
  const { record, X } = learnFeatures(table);
  const rows = [5, 3, 99];
  const again = applyFeatures(JSON.parse(JSON.stringify(record)), pickRows(table, rows)).X;
  rows.forEach((row, r) =>
    expect(again.data.subarray(r * X.cols, (r + 1) * X.cols)).toEqual(
      X.data.subarray(row * X.cols, (row + 1) * X.cols),
    ),
  );
  const found = await cluster(table);
  const model = loadModel(JSON.parse(JSON.stringify(found)));
  expect(model.assign(table).labels).toEqual(found.labels);
  const damaged = JSON.parse(JSON.stringify(found));
  damaged.space.record.parts.find(isTime).encoding.since = 3;
  expect(() => loadModel(damaged)).toThrow(/encoding\.since" must be a text/);
});

test("without one of the dates there is no time between them", () => {
  const { table } = orders();
  for (const options of [{ ignore: ["ordered"] }, { use: ["shipped", "service", "weight"] }]) {
    expect(learnFeatures(table, options).record.parts.some(isTime)).toBe(false);
  }
  const [ordered, shipped, ...rest] = table.columns;
  const rare = { ...shipped, values: shipped.values!.map((value, i) => (i % 3 === 0 ? value : Number.NaN)) };
  expect(learnFeatures(tableOf([ordered, rare, ...rest])).record.parts.some(isTime)).toBe(false);
});

test("dates that do not belong together have none, and neither has one that says what a date says", () => {
  const g = random(8);
  const n = 400;
  const at = (from: number, width: number): Float64Array =>
    Float64Array.from({ length: n }, () => from + g.integer(width));
  const group = Array.from({ length: n }, (_, i) => ["a", "b"][i % 2]);
  const parts = (first: Float64Array, second: Float64Array): readonly FeaturePart[] =>
    learnFeatures(
      tableOf([numbers("x", first, "date"), numbers("y", second, "date"), categories("group", group)]),
      { weights: "equal" },
    ).record.parts;
  const early = at(19_000, 300);
  expect(parts(early, at(19_000, 300)).some(isTime)).toBe(false);
  // Birth and a visit this year: age is the date of birth.
  expect(parts(at(0, 25_000), at(19_000, 300)).some(isTime)).toBe(false);
  const near = early.map((value) => value + g.integer(9) - 4);
  const time = parts(early, near).find(isTime)!;
  expect(time.weight).toBe(0.5);
});

test("of several dates, no time is the sum of others", () => {
  const g = random(2);
  const start = Float64Array.from({ length: 300 }, () => 19_000 + g.integer(500));
  const later = (dates: Float64Array, days: number): Float64Array =>
    dates.map((at) => at + Math.round(days * Math.exp(0.5 * g.normal())));
  const paid = later(start, 2);
  const sent = later(paid, 4);
  const { record } = learnFeatures(
    tableOf([
      numbers("sent", sent, "date"),
      numbers("ordered", start, "date"),
      numbers("paid", paid, "date"),
      categories(
        "depot",
        Array.from(start, (_, i) => ["n", "s"][i % 2]),
      ),
    ]),
    { weights: "equal" },
  );
  const labels = record.parts.filter(isTime).map(({ label }) => label);
  expect(labels.sort()).toEqual(["time from ordered to paid", "time from paid to sent"]);
});

test("a length that the table also holds counts once", () => {
  const { table, days } = orders(600, 4, 0);
  const stay = numbers(
    "days",
    days.map((value) => value + 0.01),
  );
  const { record, columns } = learnFeatures(tableOf([...table.columns, stay]));
  expect(record.parts.some(isTime)).toBe(false);
  expect(columns.find(({ name }) => name === "days")!.why).toMatch(/^kept: related to /);
  expect(columns.find(({ name }) => name === "shipped")!.weight).toBeGreaterThanOrEqual(0.5);
});

test("a log in equal steps keeps the length of each run", async () => {
  const g = random(3);
  const lines = Array.from({ length: 200 }, (_, i) => {
    const kind = g.integer(2);
    const start = 1.7e12 + 3_600_000 * i;
    const end = start + 60_000 * [10, 40][kind] * Math.exp(0.2 * g.normal());
    const cells = [start, end].map((at) => new Date(at).toISOString().slice(0, 19));
    return [...cells, ["wash", "dry"][kind], (5 * kind + g.normal()).toFixed(2)].join(",");
  });
  const table = await readColumns(new TextEncoder().encode(`start,end,program,load\n${lines.join("\n")}\n`));
  const { columns } = learnFeatures(table);
  expect(columns[0].why).toBe("left out: it numbers the rows, in equal steps");
  expect(columns[1].became).toMatch(/^days since start/);
  const { profiles } = await cluster(table, { clusters: 2 });
  expect(profiles.map(({ words }) => words).join()).toMatch(/minutes from start to end \d+/);
});
