import { expect, test } from "vitest";
import { knownNames, nearName } from "../../src/core/text.ts";

test("suggests the name with the fewest wrong letters", () => {
  const known = ["kmeans", "k-medoids", "ward", "spectral"];
  expect(nearName("kmean", known)).toBe("kmeans");
  expect(nearName("KMeans", known)).toBe("kmeans");
  expect(nearName("spectarl", known)).toBe("spectral");
  expect(nearName("wrad", known)).toBe("ward");
  expect(nearName("dbscan", known)).toBeUndefined();
  expect(nearName("", known)).toBeUndefined();
});

test("lists what there is, and not all of very many", () => {
  expect(knownNames("plann", ["plan", "price"], "columns")).toBe(
    'did you mean "plan"? The columns are "plan", "price"',
  );
  expect(knownNames("x", ["plan", "price"], "columns")).toBe('the columns are "plan", "price"');
  const many = Array.from({ length: 50 }, (_, i) => `column_${i}`);
  expect(knownNames("none of it", many, "columns")).toMatch(/"column_19", and 30 more$/);
});
