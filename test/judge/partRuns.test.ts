import { afterAll, expect, test } from "vitest";
import type * as Kindred from "../../src/index.ts";
import type * as Matrix from "../../src/matrix/index.ts";
import { random } from "../../src/core/index.ts";

// Threads run what is built.
const built = (entry: string): Promise<unknown> =>
  import(new URL(`../../dist/${entry}`, import.meta.url).href);
const { cluster } = (await built("index.js")) as typeof Kindred;
const { setThreads, stopThreads } = (await built("matrix/index.js")) as typeof Matrix;
afterAll(stopThreads);

const { normal, uniform } = random(4);
const customers = Array.from({ length: 420 }, (_, i) => ({
  spend: Math.exp(normal() + (i % 3)),
  visits: uniform() < 0.05 ? undefined : normal() + 2 * (i % 2),
  score: normal() * (1 + (i % 3)),
  plan: uniform() < 0.8 ? ["free", "pro", "team"][i % 3] : "free",
}));

test("the answer is the same bits for every number of threads", async () => {
  setThreads(1);
  const alone = JSON.stringify(await cluster(customers));
  setThreads(3);
  expect(JSON.stringify(await cluster(customers))).toBe(alone);
});

test("an early stop keeps what it has, with threads too", async () => {
  setThreads(2);
  const found = await cluster(customers, { onProgress: ({ label }) => !label.includes("clusters") });
  expect(found.labels).toHaveLength(420);
  expect(found.notes.map(({ message }) => message).join()).toContain("stopped");
});
