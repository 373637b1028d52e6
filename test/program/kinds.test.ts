import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as kinds from "./kinds.ts";

const source = readFileSync(new URL("kinds.ts", import.meta.url), "utf8");
// Threads run what is built.
const worker = await import(new URL("../../dist/worker/index.js", import.meta.url).href);

test("fourteen kinds of programs", () => expect(Object.keys(kinds)).toHaveLength(14));

test.each(Object.entries(kinds))("%s runs, in at most 25 lines", async (name, program) => {
  const from = source.indexOf(`export async function ${name}(`);
  expect(source.slice(from, source.indexOf("\n}\n", from)).split("\n").length).toBeLessThan(25);
  expect(await program(worker)).toBe(true);
});
