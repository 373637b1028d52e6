import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { readColumns, type Table } from "../../src/data/index.ts";
import { clusterRun, type ClusterOptions } from "../../src/run/cluster.ts";
import { prepare } from "../../src/run/input/prepare.ts";
import { cluster, readHints } from "../../src/run/index.ts";
import { adjustedRand } from "../../src/score/index.ts";
import { idsNote, namedHints } from "../../src/run/known/readHints.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** One cloud, or two far apart. */
async function clouds(groups: number, name = (i: number): string => `r${i}`): Promise<Table> {
  // The judge calls eleven of twelve such clouds "none"; this test is about the words, so it takes one of those.
  const draw = random(groups === 1 ? 4 : 3);
  const line = (i: number): string =>
    `${name(i)},${(draw.normal() + 12 * (i % groups)).toFixed(3)},${(draw.normal() - 9 * (i % groups)).toFixed(3)}`;
  return readColumns(
    utf8(`id,a,b\n${Array.from({ length: groups === 1 ? 300 : 80 }, (_, i) => line(i)).join("\n")}\n`),
  );
}

const pairs = [
  { a: 0, b: 2, same: true },
  { a: 1, b: 4, same: false },
];

describe("what is said about hints", () => {
  test("a table without groups: the clusters are a guess, not a partition that was kept", async () => {
    const found = await cluster(await clouds(1), { hints: { pairs } });
    const told = found.notes.map(({ message }) => message).join("\n");
    expect(told).not.toContain("the partition without hints was kept");
    expect(told).toContain("without hints all rows are one cluster");
    expect(found.clusters).toBe(2);
    expect(found.trust?.word).not.toBe("clear");
  });

  test("rows did not move, so nothing says that they did", async () => {
    const found = await cluster(await clouds(2), {
      hints: { pairs: [...pairs, { a: 0, b: 1, same: false }] },
    });
    expect(found.details).toMatchObject({ moved: [], guarded: true });
    expect(found.notes.map(({ message }) => message).join("\n")).not.toContain("rows moved");
  });
});

describe("what is said about hints that are not used", () => {
  const facts = async (table: Table, hints: NonNullable<ClusterOptions["hints"]>) => {
    const { fitted, clustering } = await clusterRun(prepare(table, { hints }), { hints });
    const told = Object.fromEntries(fitted.facts ?? []) as Record<string, string | undefined>;
    return { told, trust: clustering.trust, clusters: fitted.clusters, warnings: fitted.warnings };
  };

  test("a wrong answer is named by the ids of its rows", async () => {
    const right = Array.from({ length: 12 }, (_, p) => ({ a: p, b: 40 - p, same: true }));
    const apart = Array.from({ length: 6 }, (_, p) => ({ a: p, b: 21 + p, same: false }));
    const wrong = { a: 50, b: 71, same: true };
    const found = await cluster(await clouds(2), { hints: { pairs: [...right, ...apart, wrong] } });
    expect(found.details).toMatchObject({ suspicious: [{ rows: [50, 71], same: true, kept: false }] });
    expect(found.notes.map(({ message }) => message).join("\n")).toContain(
      "rows r50 and r71 are said to belong together",
    );
    expect(found.labels[50]).not.toBe(found.labels[71]);
  });

  test("answers that hold without hints change nothing", async () => {
    const table = await clouds(2);
    const { labels } = await cluster(table);
    const found = await cluster(table, { hints: { pairs: [{ a: 0, b: 1, same: false }] } });
    expect(adjustedRand(found.labels, labels)).toBe(1);
    expect(found.notes.map(({ message }) => message).join("\n")).not.toContain("do not support a change");
  });

  test("answers that contradict each other leave nothing to learn from", async () => {
    const both = [true, false].map((same) => ({ a: 0, b: 2, same }));
    const { told, trust } = await facts(await clouds(2), { pairs: both });
    expect(told.hints).toBe("none is used, as they contradict each other");
    expect(trust).toMatchObject({
      word: "doubtful",
      why: expect.stringContaining("no answer to learn from"),
    });
  });

  test("one cluster, as all answers say, has no columns that tell clusters apart", async () => {
    const all = Array.from({ length: 79 }, (_, p) => ({ a: p, b: p + 1, same: true }));
    const { clusters, told, trust, warnings } = await facts(await clouds(2), { pairs: all });
    expect(clusters).toBe(1);
    expect(told.columns).toBeUndefined();
    expect(trust?.word).toBe("doubtful");
    expect(warnings.join("\n")).not.toContain("requested");
  });
});

describe("the rows that hints name", () => {
  test("the message is about the reading that goes further", async () => {
    const table = await clouds(2);
    const said = (text: string): Promise<unknown> =>
      readHints(utf8(text), table, { name: "hints.csv" }).catch((error: Error) => error.message);
    expect(await said("a,b,hint\n1,2,same\n1,999,same\n")).toContain(
      'hints.csv line 3: "999" is not a row of',
    );
    expect(await said("a,b,hint\nr1,r2,same\nr1,r999,same\n")).toContain(
      'hints.csv line 3: "r999" is not among the ids in column "id"',
    );
    expect(await said("a,b,hint\n1,2,same\n3,4,same\n")).toMatchObject({ pairs: [{ a: 1 }, { a: 3 }] });
  });

  test("a note says what is meant where ids look like numbers, and where hints pass over the ids", async () => {
    const meant = async (id: (i: number) => string, hints: string): Promise<unknown> => {
      const table = await clouds(2, id);
      return idsNote(table, (await namedHints(utf8(hints), table)).by);
    };
    const numbers = (i: number): string => String(i + 1);
    expect(await meant(numbers, "a,b,hint\n1,2,same\n")).toMatchObject({ code: "hints-by-id", column: "id" });
    expect(await meant(numbers, "a,b,hint\n0,2,same\n")).toMatchObject({
      code: "hints-by-number",
      message: 'the hints name rows by number, from 0: row 0 is "1" in column "id"',
    });
    const codes = (i: number): string => `r${i}`;
    expect(await meant(codes, "a,b,hint\nr1,r2,same\n")).toBeUndefined();
    expect(await meant(codes, "a,b,hint\n1,2,same\n")).toMatchObject({ code: "hints-by-number" });
  });
});
