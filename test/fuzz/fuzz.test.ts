import { afterAll, describe, expect, test } from "vitest";
import { KINDS } from "./cases.ts";
import { FOUND } from "./found.ts";
import { stopRequests } from "./requests.ts";

/*
 * The short version of `npm run fuzz`: the same cases in every run, and those that went wrong once. KINDRED_TEST_SEED
 * tries others. Signals need what is built and time; they are tried by `npm run fuzz` and in test/cli/outputs.test.ts.
 */
const wanted = process.env.KINDRED_TEST_SEED ?? "1";
const first = 1_000_000 * (wanted === "random" ? 10 + Math.floor(Math.random() * 1e6) : Number(wanted));
const CASES = { library: 400, calls: 900, order: 400, files: 1500, models: 600, requests: 100, sql: 40 };

afterAll(stopRequests);

describe.each(Object.entries(CASES))("random cases: %s", (kind, count) => {
  test(`${count} from seed ${first}`, { timeout: 120_000 }, async () => {
    for (let seed = first; seed < first + count; seed++) {
      const { tried, wrong } = await KINDS[kind].run(seed);
      expect(wrong, `npm run fuzz -- --case ${kind}:${seed}\n${tried}`).toBeUndefined();
    }
  });
});

test.each(FOUND)("%s:%d, %s", async (kind, seed) => {
  expect((await KINDS[kind].run(seed)).wrong).toBeUndefined();
});
