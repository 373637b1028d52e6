import { expect, test } from "vitest";
import { random } from "../../../src/core/random.ts";
import { readColumns } from "../../../src/data/columns/readColumns.ts";

const utf8 = new TextEncoder();

test("lines of vectors, with and without other fields, gaps, blank lines and spaces, in blocks of any length", async () => {
  const draw = random(8);
  const rows: { id: string; v: number[] | null; w?: number[] }[] = [];
  const lines: string[] = [];
  for (let i = 0; i < 3000; i++) {
    const v = Array.from({ length: 64 }, () => draw.normal() * 10 ** -draw.integer(6));
    if (draw.uniform() < 0.1) v[3] = Number(`${draw.integer(1e9)}.${"123456789".repeat(2)}`);
    const row = {
      id: `a "${i}" [${i}]\n`,
      v: draw.uniform() < 0.02 ? null : v,
      ...(draw.uniform() < 0.3 && { w: [1, -2, i] }),
    };
    rows.push(row);
    const text = JSON.stringify(row);
    lines.push(
      i % 7 === 0 ? text.replaceAll(",", " ,\t ") : i % 7 === 1 ? text.replaceAll(/,(?=[-\d])/g, ", ") : text,
    );
    if (draw.uniform() < 0.01) lines.push("   ");
  }
  const bytes = utf8.encode(lines.join("\r\n"));
  async function* parts(size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  for (const source of [bytes, parts(bytes.length), parts(100_003), parts(977)]) {
    const { columns } = await readColumns(source, { format: "ndjson" });
    for (const [name, width] of [
      ["v", 64],
      ["w", 3],
    ] as const) {
      const column = columns.find((one) => one.name === name)!;
      if (column.kind !== "vector") throw new Error(`${name} is ${column.kind}`);
      const { data, cols } = column.vectors!;
      expect(cols).toBe(width);
      expect(data.length).toBe(width * rows.length);
      rows.forEach((row, i) => {
        for (let f = 0; f < width; f++) {
          const own = row[name]?.[f] ?? Number.NaN;
          if (!Object.is(data[i * width + f], own)) throw new Error(`row ${i}, ${name}${f}`);
        }
      });
    }
  }
});
