import { expect, test } from "vitest";
import {
  cluster as clusterHere,
  compare as compareHere,
  learnFromHints as learnHere,
} from "../../src/index.ts";
import type * as Worker from "../../src/worker/index.ts";

// Threads run what is built.
const built = new URL("../../dist/worker/index.js", import.meta.url).href;
const { cluster, compare, learnFromHints } = (await import(built)) as typeof Worker;

const X = Array.from({ length: 400 }, (_, i) =>
  Array.from({ length: 4 }, (_, f) => Math.sin(i * (f + 1)) + 3 * ((i % 4) * (f % 3))),
);
const customers = X.map(([spend, visits], i) => ({ spend, visits, plan: ["free", "pro"][i % 2] }));

test("a thread gives the result of this thread, and the model places rows", async () => {
  const options = { clusters: 4, seed: 3 };
  const found = await cluster(customers, options);
  expect(JSON.stringify(found)).toBe(JSON.stringify(await clusterHere(customers, options)));
  expect(Array.from(found.assign(customers.slice(0, 9)).labels)).toEqual(
    Array.from(found.labels.slice(0, 9)),
  );
});

test("compare and learnFromHints do too", async () => {
  const choices = { clusters: 4, methods: ["kmeans", "ward"] };
  const seen: string[] = [];
  const compared = await compare(X, { ...choices, onMethod: ({ name }) => seen.push(name) });
  const here = await compareHere(X, choices);
  expect(compared.partitions.map(({ labels }) => labels)).toEqual(
    here.partitions.map(({ labels }) => labels),
  );
  expect(seen).toEqual(["auto", "kmeans", "ward"]);
  const hints = {
    pairs: [
      { a: 0, b: 4, same: true },
      { a: 0, b: 1, same: false },
    ],
  };
  expect(await learnFromHints(X, hints)).toEqual(learnHere(X, hints));
});

test("an abort ends the call with its reason, before and during the work", async () => {
  await expect(cluster(X, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  const abort = new AbortController();
  const running = cluster(X, { signal: abort.signal, onProgress: () => abort.abort(new Error("enough")) });
  await expect(running).rejects.toThrow("enough");
});

test("onProgress that returns false gives the best so far", async () => {
  const long = Array.from({ length: 3000 }, (_, i) => X[i % 400].map((x, f) => x + Math.sin(i + f)));
  const found = await cluster(long, { onProgress: () => false });
  expect(found.details).toMatchObject({ chosen: {} });
  expect(found.notes.map(({ message }) => message).join()).toContain("stopped on request");
});

test("rows of libraries are read here, rows of generators too", async () => {
  function* rows() {
    yield* X;
  }
  const options = { method: "kmeans", clusters: 4 } as const;
  const expected = (await clusterHere(X, options)).labels;
  expect((await cluster(rows(), options)).labels).toEqual(expected);
  const shaped = { data: new Float32Array(X.flat()), shape: [400, 4], get: () => 0 };
  expect((await cluster(shaped, options)).labels).toEqual((await clusterHere(shaped, options)).labels);
});

test.each([
  ["an option", () => cluster(X, { clusters: 0.5 }), /option "clusters" must be an integer/],
  ["a promise", () => cluster(Promise.resolve(X) as never), /not a promise/],
  [
    "a function with an answer",
    () => learnFromHints(X, {}, { nameOf: String }),
    /another thread cannot call/,
  ],
  ["a value that is no data", () => cluster(X, { names: [Symbol("a")] } as never), /plain data/],
])("%s that is wrong is a KindredError", async (_, call, message) => {
  await expect(call()).rejects.toMatchObject({
    name: "KindredError",
    message: expect.stringMatching(message),
  });
});
