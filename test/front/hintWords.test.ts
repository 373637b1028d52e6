import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { readColumns, type Table } from "../../src/data/index.ts";
import { cluster, readHints } from "../../src/front/index.ts";
import { idsNote } from "../../src/front/readHints.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** One cloud, or two far apart. */
async function clouds(groups: number, name = (i: number): string => `r${i}`): Promise<Table> {
  const draw = random(3);
  const line = (i: number): string =>
    `${name(i)},${(draw.normal() + 12 * (i % groups)).toFixed(3)},${(draw.normal() - 9 * (i % groups)).toFixed(3)}`;
  return readColumns(utf8(`id,a,b\n${Array.from({ length: 80 }, (_, i) => line(i)).join("\n")}\n`));
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
    expect(found.details).toMatchObject({ moved: [], undecided: true });
    expect(found.notes.map(({ message }) => message).join("\n")).not.toContain("rows moved");
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

  test("ids that look like numbers of rows are named as ids", async () => {
    expect(idsNote(await clouds(2, (i) => String(i + 1)))).toMatchObject({
      code: "hints-by-id",
      column: "id",
    });
    expect(idsNote(await clouds(2))).toBeUndefined();
  });
});
