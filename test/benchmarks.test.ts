import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { sources } from "../bench/sources.mjs";

const folder = join(import.meta.dirname, "..", "bench");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".mjs"))
  .toSorted();

/** Benchmarks run rarely: what they import may have moved since. */
describe("every benchmark finds what it uses", () => {
  test.each(files)("%s: its imports", async (file) => {
    const problems: string[] = [];
    const bundle = await rolldown({
      input: join(folder, file),
      platform: "node",
      external: (id) => !/^[./]/.test(id),
      onLog: (_, { code, message }) => {
        if (code === "UNRESOLVED_IMPORT" || code === "MISSING_EXPORT" || code === "IMPORT_IS_UNDEFINED") {
          problems.push(message);
        }
      },
    });
    await bundle.generate({ format: "esm" });
    await bundle.close();
    expect(problems).toEqual([]);
  });

  test("what they take from the sources", async () => {
    const taken = files.flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      return Array.from(
        text.matchAll(/const \{([^}]*)\} =\s+await sources\(([^)]*)\)/g),
        ([, names, more]) => ({ names: names.match(/\w+/g) ?? [], more: more.match(/[\w/]+\.ts/g) ?? [] }),
      );
    });
    expect(taken.length).toBeGreaterThan(3);
    const found = await sources(...new Set(taken.flatMap(({ more }) => more)));
    expect(taken.flatMap(({ names }) => names).filter((name) => !(name in found))).toEqual([]);
  });
});
