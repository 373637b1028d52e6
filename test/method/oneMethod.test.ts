import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { comparable } from "../../src/run/compare/methodChoices.ts";
import { methods } from "../../src/run/index.ts";
import { shownMethods } from "../../explorer/worker/shownMethods.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The sources that name a method, as the function or as the command line does. */
function sourcesNaming(pattern: RegExp): string[] {
  const found = ["src", "explorer"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => pattern.test(readFileSync(file, "utf8"))),
  );
  return found.map((file) => relative(root, file).split(sep).join("/")).sort();
}

test("a method is three source files and a line of types: spherical k-means is named in no others, and is everywhere", () => {
  expect(sourcesNaming(/sphericalKmeans|spherical-kmeans/)).toEqual([
    "src/cluster/index.ts",
    "src/cluster/kmeans/sphericalKmeans.ts",
    "src/method/clusterings.ts",
    // The types of `cluster(rows, { method: "spherical-kmeans", ... })`; the test of the package wants every name there.
    "src/run/callOptions.ts",
  ]);
  expect(methods.map(({ name }) => name)).toContain("spherical-kmeans");
  expect(comparable.map(({ name }) => name)).toContain("spherical-kmeans");
  expect(shownMethods().map(({ name }) => name)).toContain("spherical-kmeans");
  expect(readFileSync(join(root, "docs", "reference", "methods.md"), "utf8")).toContain("spherical-kmeans");
});
