import { describe, expect, test } from "vitest";
import { readNumbers, type Format, type Matrix } from "../all.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const SOURCES: Readonly<Record<string, string>> = {
  csv: "name,a,kind,b\nx,1,p,2\ny,3,q,4\n",
  json: '[{"name":"x","a":1,"kind":"p","b":2},{"name":"y","a":3,"kind":"q","b":4}]',
  ndjson: '{"name":"x","a":1,"kind":"p","b":2}\n{"name":"y","a":3,"kind":"q","b":4}\n',
};

describe.each(Object.keys(SOURCES))("roles, %s", (format) => {
  test("sees the names of the columns and decides what they are for", async () => {
    let seen: readonly string[] = [];
    const table = await readNumbers(encode(SOURCES[format]), {
      format: format as Format,
      roles: (columns) => {
        seen = columns;
        return { id: "name", label: "kind", ignore: ["b"] };
      },
    });
    expect(seen).toEqual(["name", "a", "kind", "b"]);
    expect(table.names).toEqual(["a"]);
    expect([...(table.X as Matrix).data]).toEqual([1, 3]);
    expect(table.label?.values).toEqual(["p", "q"]);
    expect(table.ids?.values).toEqual(["x", "y"]);
  });
});

test("roles and a named role together are refused", async () => {
  await expect(readNumbers(encode("a,b\n1,2\n"), { label: "b", roles: () => ({}) })).rejects.toThrow(
    'readNumbers: give option "roles" or "label", not both',
  );
});

test("a column that roles name wrongly is an error that lists the columns", async () => {
  await expect(readNumbers(encode("a,b\n1,2\n"), { roles: () => ({ label: "z" }) })).rejects.toThrow(
    'option "label" names the column "z", which the data does not have; the columns are "a", "b"',
  );
});
