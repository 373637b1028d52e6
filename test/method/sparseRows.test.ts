import { expect, test } from "vitest";
import { toSparse } from "../../src/matrix/index.ts";
import { clusterings, embeddings } from "../../src/method/index.ts";
import { labels, pairs, X } from "./families.ts";

/** Every method takes sparse rows, as they are or made dense, and finds in them what it finds in dense ones. */
const rows = toSparse(X);

test.each(clusterings.map((method) => [method.name, method] as const))("%s", async (_, method) => {
  const { fit } = await method.open();
  const { needs } = method;
  const options = {
    clusters: 3,
    ...(needs.pairs === "required" && pairs),
    ...(needs.labels === "required" && { labels }),
  };
  expect((await fit(rows, options)).labels).toEqual((await fit(X, options)).labels);
});

test.each(embeddings.map((method) => [method.name, method] as const))("embedding %s", async (_, method) => {
  const { fit } = await method.open();
  const options = { dims: 2, ...(method.needs.clusters !== undefined && { clusters: 3 }) };
  const expected = fit(X, options).embedding.data;
  fit(rows, options).embedding.data.forEach((value, p) => expect(value).toBeCloseTo(expected[p], 6));
});
