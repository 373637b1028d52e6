import { expect, test } from "vitest";
import { readTable } from "../../src/data/index.ts";
import { toRows, type Matrix } from "../../src/matrix/index.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("reads", async () => {
  const t = await readTable(bytes('a,"b",class\r\n1,2.5,x\r\n-3e2,"4","y ""q"""\r\n'), { label: "class" });
  expect(t.names).toEqual(["a", "b"]);
  expect(toRows(t.X as Matrix)).toEqual([
    [1, 2.5],
    [-300, 4],
  ]);
  expect(t.label).toEqual({ name: "class", values: ["x", 'y "q"'] });
});
