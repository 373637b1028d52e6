import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kindred, scratch } from "../command.ts";

test("says what runs here, for people", async () => {
  const { code, stdout, stderr } = await kindred(["doctor"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(new RegExp(`^kindred \\d+\\.\\d+\\.\\d+, Node ${process.version}, `));
  expect(stdout).toMatch(/^engine simd, \d+ threads?$/m);
  expect(stdout).toMatch(/^simd +yes +WebAssembly SIMD$/m);
  expect(stdout).toMatch(/^commander +14\.0\.3$/m);
  expect(stdout).toContain("set KINDRED_DATA to a folder with an index.json");
});

test("and as JSON", async () => {
  const folder = scratch();
  writeFileSync(join(folder, "index.json"), '{"datasets":[]}');
  const { stdout } = await kindred(["doctor", "--json"], {
    env: { KINDRED_ENGINE: "relaxed", KINDRED_DATA: folder },
  });
  const state = JSON.parse(stdout) as { optional: object[] };
  expect(state).toMatchObject({
    engine: "relaxed",
    node: process.version,
    engines: [{ name: "simd" }, { name: "relaxed", available: true }],
    packages: { commander: "14.0.3", hyparquet: expect.any(String) },
  });
  expect(state.optional).toContainEqual(
    expect.objectContaining({ name: "data folder", available: true, detail: folder }),
  );
});

test("an engine that does not exist is an error, also here", async () => {
  const { code, stderr } = await kindred(["doctor"], { env: { KINDRED_ENGINE: "quantum" } });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^kindred: KINDRED_ENGINE: there is no engine "quantum"; [^\n]+\n$/);
});
