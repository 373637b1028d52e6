import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { readNumbers } from "../../src/data/index.ts";
import { type Matrix, toRows } from "../../src/matrix/index.ts";
import { rowBatches, type BatchOptions, type BatchSource, type RowBatch } from "../../src/scale/index.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-batches-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const write = (name: string, text: string | Uint8Array): string => {
  mkdirSync(join(at(name), ".."), { recursive: true });
  writeFileSync(at(name), text);
  return at(name);
};

async function all(source: BatchSource, options: BatchOptions = {}): Promise<RowBatch[]> {
  const batches: RowBatch[] = [];
  for await (const batch of rowBatches(source, options)) batches.push(batch);
  return batches;
}
const rowsOf = (batches: readonly RowBatch[]): number[][] => batches.flatMap(({ X }) => toRows(X));
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function table(count: number): { csv: string; ndjson: string } {
  const rows = Array.from({ length: count }, (_, i) => [i / 4, -i, `n${i}`, i % 3 === 0 ? "a" : "b"]);
  return {
    csv: `x,y,id,class\n${rows.map((row) => row.join(",")).join("\n")}\n`,
    ndjson: rows.map(([x, y, id, c]) => JSON.stringify({ x, y, id, class: c })).join("\n"),
  };
}

describe("every format gives the rows of readNumbers in batches", () => {
  const options = { label: "class", id: "id" };
  const { csv, ndjson } = table(150_000);
  test.each([
    ["csv", bytes(csv)],
    ["ndjson", bytes(ndjson)],
    ["csv.gz", gzipSync(csv)],
  ])("%s", async (_, content) => {
    const whole = await readNumbers(content, options);
    const batches = await all(content, options);
    expect(batches.length).toBeGreaterThan(1);
    const bits = (data: readonly Float64Array[]): Buffer =>
      Buffer.concat(
        data.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
      );
    // Compared as bytes and as text: element by element takes seconds.
    expect(bits(batches.map(({ X }) => X.data)).equals(bits([(whole.X as Matrix).data]))).toBe(true);
    expect(batches.flatMap(({ label }) => label!.values).join()).toBe(whole.label!.values.join());
    expect(batches.flatMap(({ ids }) => ids!.values).join()).toBe(whole.ids!.values.join());
    let first = 0;
    for (const batch of batches) {
      expect(batch.first).toBe(first);
      first += batch.X.rows;
    }
  });

  const fixture = JSON.parse(readFileSync(new URL("../fixtures/columnar.json", import.meta.url), "utf8")) as {
    parquet: Record<string, string>;
    arrow: Record<string, string>;
    holes: Record<string, string>;
  };
  test.each([
    ["parquet of row groups", fixture.parquet.groups, 6],
    ["arrow file of several batches", fixture.arrow.chunks, 6],
    ["arrow stream of several batches", fixture.arrow.batches, 6],
    ["arrow file of one batch", fixture.arrow.zstd, 1],
  ])("%s", async (_, base64, count) => {
    const content = new Uint8Array(Buffer.from(base64, "base64"));
    const whole = await readNumbers(content, { label: "kind", ignore: ["color"] });
    const batches = await all(content, { label: "kind", ignore: ["color"] });
    expect(batches).toHaveLength(count);
    expect(rowsOf(batches)).toEqual(toRows(whole.X as Matrix));
    expect(batches.flatMap(({ label }) => label!.values)).toEqual(whole.label!.values);
  });

  test.each(["replaced", "deltas"] as const)("dictionaries between batches: %s", async (kind) => {
    const file = new URL("../fixtures/arrow-dictionaries.json", import.meta.url);
    const made = JSON.parse(readFileSync(file, "utf8")) as Record<typeof kind, string> & { labels: string[] };
    const content = new Uint8Array(Buffer.from(made[kind], "base64"));
    const batches = await all(content, { label: "c" });
    expect(batches.map(({ X }) => X.rows)).toEqual([2, 3, 2]);
    expect(rowsOf(batches).flat()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(batches.flatMap(({ label }) => label!.values)).toEqual(made.labels);
    expect((await readNumbers(content, { label: "c" })).label!.values).toEqual(made.labels);
  });

  test.each(["parquet", "arrow"])(
    "missing cells of %s: refused by position, or the row is left out",
    async (form) => {
      const content = new Uint8Array(Buffer.from(fixture.holes[form], "base64"));
      await expect(all(content)).rejects.toThrow(/3 missing values: row 2, column "x"; row 3, column "y"/);
      expect(rowsOf(await all(content, { missing: "drop" }))).toEqual([[1.5, 1]]);
    },
  );
});

describe("several files", () => {
  test("wildcards, in the order of their names; columns in any order", async () => {
    write("parts/b.csv", "y,x\n4,3\n");
    write("parts/a.csv", "x,y\n1,2\n");
    write("parts/deep/er/c.csv", "x,y\n5,6\n");
    write("parts/other.txt", "no table");
    const batches = await all(at("parts/*.csv"));
    expect(rowsOf(batches)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(batches.map(({ source, first }) => [source, first])).toEqual([
      [at("parts/a.csv"), 0],
      [at("parts/b.csv"), 1],
    ]);
    expect(rowsOf(await all(at("parts/[b-c].cs?")))).toEqual([[4, 3]]);
    expect(rowsOf(await all(at("p*/**/c.csv")))).toEqual([[5, 6]]);
    expect(rowsOf(await all(at("parts/**/*.csv")))).toHaveLength(3);
    expect(rowsOf(await all([at("parts/b.csv"), at("parts/a.csv")]))).toEqual([
      [4, 3],
      [2, 1],
    ]);
    await expect(all(at("parts/*.parquet"))).rejects.toThrow(`no file matches ${at("parts/*.parquet")}`);
  });

  test("a file of such a name is itself", async () => {
    write("what[1].csv", "x\n7\n");
    expect(rowsOf(await all(at("what[1].csv")))).toEqual([[7]]);
  });

  test.each([
    ["lacks a column", "x\n1\n", /2\.csv has no column "y", which .*1\.csv has/],
    ["has one more", "x,y,z\n1,2,3\n", /2\.csv has the column "z", which .*1\.csv does not have/],
    ["has text where there were numbers", "x,y\n1,red\n", /2\.csv line 2, column "y": "red" is not a number/],
    [
      "has no labels",
      "x,y\n1,2\n",
      /option "label" names the column "c", which \S*2\.csv does not have/,
      "c",
    ],
  ])("one that %s is named", async (name, text, message, label = undefined as string | undefined) => {
    const place = `bad-${name.replaceAll(" ", "-")}`;
    write(`${place}/1.csv`, label === undefined ? "x,y\n1,2\n" : "x,y,c\n1,2,a\n");
    write(`${place}/2.csv`, text);
    await expect(all(at(`${place}/*.csv`), { label })).rejects.toThrow(message);
  });
});

describe("what a stream cannot know", () => {
  test("means", async () => {
    await expect(all(bytes("x\n1\n"), { missing: "mean" as never })).rejects.toThrow(
      '"missing" cannot be "mean" in a stream',
    );
  });

  test("JSON and LIBSVM are not read row by row", async () => {
    await expect(all(bytes('[{"x":1}]'))).rejects.toThrow("is JSON, which cannot be read row by row");
    await expect(all(bytes("1 1:2 3:4\n"))).rejects.toThrow("is LIBSVM, which cannot be read row by row");
  });

  test("no rows at all", async () => {
    await expect(all(bytes("x,y\n"))).rejects.toThrow("has no rows of data");
    await expect(all(bytes("x,y\n1,\n"), { missing: "drop" })).rejects.toThrow("without missing values");
  });
});

describe("back-pressure and cancelling", () => {
  test("nothing is read before it is asked for, and leaving the loop closes the source", async () => {
    let given = 0;
    let closed = false;
    const part = bytes("1,2\n".repeat(50_000)); // 200 kB
    const source = (async function* () {
      try {
        yield bytes("x,y\n");
        for (; given < 1000; given++) yield part;
      } finally {
        closed = true;
      }
    })();
    const batches = rowBatches(source);
    await batches.next();
    const afterOne = given;
    expect(afterOne).toBeLessThan(12); // one buffer of a megabyte, and the head
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(given).toBe(afterOne);
    await batches.next();
    expect(given - afterOne).toBeLessThan(8);
    expect(closed).toBe(false);
    await batches.return();
    expect(closed).toBe(true);
  });

  test("an error closes the source, too", async () => {
    let closed = false;
    const source = (async function* () {
      try {
        yield bytes("x\n1\noops\n");
      } finally {
        closed = true;
      }
    })();
    await expect(all(source)).rejects.toThrow('"oops" is not a number');
    expect(closed).toBe(true);
  });

  test("progress goes from 0 to 1 over all files, and may stop", async () => {
    const { csv } = table(60_000);
    write("many/1.csv", csv);
    write("many/2.csv", csv);
    const options = { label: "class", id: "id" };
    const seen: number[] = [];
    for await (const batch of rowBatches(at("many/*.csv"), {
      ...options,
      onProgress: ({ fraction }) => void seen.push(fraction),
    })) {
      expect(batch.X.rows).toBeGreaterThan(0);
    }
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(1);
    await expect(all(at("many/*.csv"), { ...options, onProgress: () => false })).rejects.toThrow(
      "was stopped",
    );
  });
});

test("batches from elsewhere", async () => {
  const X = { rows: 1, cols: 1, data: Float64Array.of(3) };
  const given: RowBatch = { names: ["x"], X, source: "a database", first: 0 };
  const source = async function* (): AsyncGenerator<RowBatch> {
    yield given;
  };
  expect(await all(source)).toEqual([given]);
  await expect(all(source, { label: "c" })).rejects.toThrow('"label" is for files');
});
