import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { asTable } from "../../src/data/columns/asTable.ts";
import { tableFeatures } from "../../src/features/index.ts";
import { columnAlone } from "../../src/judge/columnAlone.ts";
import { spacesOf } from "../../src/judge/spaces.ts";
import { cluster } from "../../src/run/cluster.ts";

/** Three plans; how much more the second number is with the last of them. */
function customers(seed: number, more: number) {
  const g = random(seed);
  const rows = Array.from({ length: 300 }, (_, i) => {
    const plan = ["free", "free", "basic", "pro"][i % 4];
    const paid = 5 + g.normal() + (plan === "pro" ? more : 0);
    return { plan, age: 40 + 9 * g.normal(), paid, region: ["north", "south"][g.integer(2)] };
  });
  const { X, record } = tableFeatures(asTable(rows), {});
  return {
    rows,
    spaces: spacesOf(X, record, 0),
    labelsOf: (of: (plan: string) => number) => rows.map(({ plan }) => of(plan)),
  };
}

test("levels of one column are no groups if the other columns do not follow them", () => {
  let alone = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const { spaces, labelsOf } = customers(seed, 0);
    const three = Int32Array.from(labelsOf((plan) => ["free", "basic", "pro"].indexOf(plan)));
    const two = Int32Array.from(labelsOf((plan) => Number(plan === "pro")));
    if (columnAlone(spaces, three, 0) === "plan" && columnAlone(spaces, two, 0) === "plan") alone++;
    // Two rows in the clusters of others: more than the column made these.
    const other = two.with(0, 1).with(3, 0);
    expect(columnAlone(spaces, other, 0)).toBeUndefined();
  }
  expect(alone).toBeGreaterThanOrEqual(19);
});

test("they are groups if another column follows them", () => {
  for (let seed = 1; seed <= 5; seed++) {
    const { spaces, labelsOf } = customers(seed, 1.5);
    const labels = Int32Array.from(labelsOf((plan) => Number(plan === "pro")));
    expect(columnAlone(spaces, labels, 0)).toBeUndefined();
  }
});

test("missing levels may lie anywhere, and a table of one column is its levels", () => {
  const { spaces, labelsOf } = customers(3, 0);
  const labels = Int32Array.from(labelsOf((plan) => Number(plan === "pro")));
  const { kinds } = spaces;
  const codes = kinds!.codes.map((own) =>
    own.column === "plan" ? { ...own, codes: own.codes.with(0, -1).with(3, -1) } : own,
  );
  const moved = labels.with(0, 1).with(3, 0);
  expect(columnAlone({ ...spaces, kinds: { ...kinds!, codes } }, moved, 0)).toBe("plan");
  const groups = spaces.groups.filter(({ column }) => column === "plan");
  expect(columnAlone({ ...spaces, groups }, labels, 0)).toBeUndefined();
  expect(columnAlone({ ...spaces, kinds: undefined }, labels, 0)).toBeUndefined();
});

test("the trust names the column", async () => {
  const g = random(3);
  const spent = (level: number): number => (g.uniform() < 0.4 ? 0 : Math.exp(level + 0.5 * g.normal()));
  const rows = Array.from({ length: 600 }, () => ({
    food: spent(2),
    garden: spent(3),
    toys: spent(2),
    age: 40 + 3 * g.normal(),
    plan: ["free", "basic", "pro"][g.uniform() < 0.8 ? 0 : g.integer(3)],
  }));
  const { trust } = await cluster(rows, {});
  expect(trust).toMatchObject({ word: "none", why: expect.stringContaining("the levels of plan") });
  expect((await cluster(rows, { clusters: 2 })).trust!.word).not.toBe("none");
});
