import { expect, test } from "vitest";
import { contrastPicture, contrastsOf } from "../../src/report/index.ts";
import { asTable } from "../../src/data/internal.ts";
import { profilesOf } from "../../src/model/index.ts";
import { clusterPage } from "../../src/report/index.ts";

/** Three groups by a number and a level; the second of every ten rows has gaps, and one row is in no group. */
function groups() {
  const rows = Array.from({ length: 60 }, (_, i) => ({
    size: i % 10 === 1 ? null : 10 * (i % 3) + (i % 7) / 10,
    kind: ["oak & <elm>", "a birch that stands above its bars", "pine"][i % 3],
    same: 4,
  }));
  const table = asTable(rows);
  const labels = Int32Array.from(rows, (_, i) => (i === 0 ? -1 : i % 3));
  return { table, labels, profiles: profilesOf(table, labels, 3) };
}

test("shares of a cluster and of all others: each sums to one, and is what counting gives", () => {
  const { table, labels, profiles } = groups();
  const found = contrastsOf(table, labels, profiles);
  expect(found).toHaveLength(3);
  const { codes, levels: all } = table.columns.find(({ name }) => name === "kind")!;
  const share = (level: string, inside: (label: number) => boolean): number => {
    const rows = [...labels.keys()].filter((i) => labels[i] >= 0 && inside(labels[i]));
    return rows.filter((i) => all![codes![i]] === level).length / rows.length;
  };
  for (const [k, columns] of found.entries()) {
    // In the middle of the sizes, a group differs by its kind alone.
    expect(columns.map(({ name }) => name).toSorted()).toEqual(k === 1 ? ["kind"] : ["kind", "size"]);
    for (const { own, rest } of columns) {
      for (const shares of [own, rest]) expect(shares.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 12);
    }
    expect(columns.find(({ name }) => name === "size")?.ends).toEqual(k === 1 ? undefined : ["0", "20.6"]);
    const { own, rest, levels } = columns.find(({ name }) => name === "kind")!;
    levels!.forEach((level, at) => {
      expect(own[at]).toBeCloseTo(
        share(level, (label) => label === k),
        12,
      );
      expect(rest[at]).toBeCloseTo(
        share(level, (label) => label !== k),
        12,
      );
    });
  }
});

test("the picture escapes what the table holds, and is the same on the page", () => {
  const { table, labels, profiles } = groups();
  const [columns] = contrastsOf(table, labels, profiles);
  const { markup } = contrastPicture(columns, "#0072b2");
  expect(markup).toContain("oak &amp; &lt;elm&gt;");
  expect(markup).toContain("a birch that stands above its bars");
  expect(markup).not.toMatch(/NaN|undefined|<elm/);
  const page = clusterPage({
    source: "trees.csv",
    method: "auto",
    labels,
    sizes: [20, 20, 20],
    names: ["size"],
    table,
    profiles,
    made: [],
    converged: true,
    notes: [],
    version: "0",
  });
  expect(page).toContain(markup);
});
