import * as fc from "fast-check";
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { KindredError } from "../../src/core/messages.ts";
import { namedData } from "../../src/data/index.ts";
import { asTable } from "../../src/data/columns/asTable.ts";
import type { MethodName } from "../../src/run/callOptions.ts";
import { cluster } from "../../src/run/cluster.ts";
import { loadModel } from "../../src/model/index.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const schema = JSON.parse(
  readFileSync(new URL("../../src/model/model.schema.json", import.meta.url), "utf8"),
) as { [name: string]: Json };
const iris = asTable(await namedData("iris"));
let files: Record<string, Json>[] = [];

beforeAll(async () => {
  const methods = ["kmeans", "gmm", "spectral", "ccml", "cpd-uml", "kernel-kmeans", "auto"];
  const found = methods.map((method) =>
    cluster(iris, { method: method as MethodName, clusters: 3, label: "class" }),
  );
  files = (await Promise.all(found)).map((one) => JSON.parse(JSON.stringify(one)) as Record<string, Json>);
});

test("models fit the published schema", () => {
  for (const file of files) expect(misfits(file, schema, "model")).toEqual([]);
  expect(misfits({ ...files[0], kindred: 1 }, schema, "model")).not.toEqual([]);
});

test("the text of a model is told to be parsed", () => {
  expect(() => loadModel("model.json")).toThrow("loadModel(JSON.parse(text))");
});

test("a damaged model is refused in one sentence, or still places rows", () => {
  const damage = fc.constantFrom<Json>(null, -1, 1e308, "x", [], {}, 0.5, true);
  fc.assert(
    fc.property(fc.nat(), fc.nat(), damage, (which, where, value) => {
      const file = structuredClone(files[which % files.length]);
      const places = leaves(file);
      const { holder, name } = places[where % places.length];
      (holder as Record<string, Json>)[name] = value;
      let labels = new Int32Array(0);
      let refused = "";
      try {
        labels = Int32Array.from(loadModel(file).assign(iris).labels);
      } catch (error) {
        if (!(error instanceof KindredError)) throw error;
        refused = error.message;
      }
      expect(refused).not.toMatch(/undefined|NaN\b.*NaN/);
      for (const label of labels) expect(label >= -1 && label < 1000).toBe(true);
    }),
    { numRuns: 400 },
  );
});

test("every part that is shown to people is checked by name", () => {
  const parts: readonly (readonly [(file: Record<string, Json>) => object, string, Json, string])[] = [
    [({ profiles }) => (profiles as object[])[1], "words", 3, "profiles[1].words"],
    [({ profiles }) => (profiles as object[])[0], "differences", [{}], "profiles[0].differences[0].column"],
    [({ profiles }) => (profiles as object[])[2], "share", null, "profiles[2].share"],
    [
      ({ representatives }) => (representatives as object[])[0],
      "typical",
      ["a"],
      "representatives[0].typical[0]",
    ],
    [(file) => file, "notes", [{ code: "a" }], "notes[0].message"],
    [(file) => file, "trust", { word: "sure", why: "" }, "trust.word"],
    [(file) => file, "trust", { word: "clear" }, "trust.why"],
    [(file) => file, "proof", { converged: true }, "proof.objective"],
    [({ placing }) => placing as object, "agreement", 2, "placing.agreement"],
  ];
  for (const [holder, name, value, field] of parts) {
    const file = structuredClone(files[0]);
    (holder(file) as Record<string, Json>)[name] = value;
    expect(() => loadModel(file)).toThrow(
      new RegExp(
        `^the model is damaged(, or of an older version)?: "${field.replaceAll(/[[\].]/g, "\\$&")}" must be`,
      ),
    );
  }
});

test("files of another format and other JSON are refused in words", () => {
  expect(() => loadModel({ kind: "clustering", kindred: "0.1.0" })).toThrow(/format "0.1.0".*make it again/);
  expect(() => loadModel([])).toThrow(/must be an object/);
  expect(() => loadModel(null)).toThrow(/must be an object/);
  expect(() => loadModel({ kind: "metric" })).toThrow(/"kind" must be "clustering"/);
});

/** Every value of a file that is no object or list, and lists as a whole. */
function leaves(value: Json): { holder: object; name: string }[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [
    { holder: value, name },
    ...(Array.isArray(part) && part.length > 20 ? leaves(part.slice(0, 3)).slice(0, 3) : leaves(part)),
  ]);
}

/** What does not fit a schema, for the words that ours uses. */
function misfits(value: Json, rules: { [name: string]: Json }, at: string): string[] {
  if (typeof rules.$ref === "string") {
    const defs = schema.$defs as Record<string, { [name: string]: Json }>;
    return misfits(value, defs[rules.$ref.split("/").pop()!], at);
  }
  if (Array.isArray(rules.oneOf)) {
    const tries = rules.oneOf.map((one) => misfits(value, one as { [name: string]: Json }, at));
    return tries.filter((found) => found.length === 0).length === 1
      ? []
      : [`${at}: ${tries.flat().join("; ")}`];
  }
  const found: string[] = [];
  if ("const" in rules && value !== rules.const) found.push(`${at} is not ${JSON.stringify(rules.const)}`);
  if (Array.isArray(rules.enum) && !rules.enum.includes(value)) found.push(`${at} is none of the values`);
  const types = rules.type === undefined ? undefined : [rules.type].flat();
  if (types !== undefined && !types.some((type) => isA(value, type as string)))
    found.push(`${at} is no ${String(rules.type)}`);
  if (typeof value === "number" && typeof rules.minimum === "number" && value < rules.minimum)
    found.push(`${at} is too small`);
  if (typeof value === "number" && typeof rules.maximum === "number" && value > rules.maximum)
    found.push(`${at} is too large`);
  if (Array.isArray(value) && rules.items !== undefined) {
    value.forEach((part, i) =>
      found.push(...misfits(part, rules.items as { [name: string]: Json }, `${at}[${i}]`)),
    );
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    for (const name of (rules.required as string[] | undefined) ?? []) {
      if (!(name in value)) found.push(`${at} has no ${name}`);
    }
    for (const [name, own] of Object.entries(
      (rules.properties as { [name: string]: Json } | undefined) ?? {},
    )) {
      if (name in value)
        found.push(...misfits(value[name], own as { [name: string]: Json }, `${at}.${name}`));
    }
  }
  return found;
}

function isA(value: Json, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}
