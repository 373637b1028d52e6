// Writes the published schemas from the forms that the library itself uses (src/core/codec.ts): of a model file,
// src/model/model.schema.json, and of what the commands print with --json, src/cli/output/report.schema.json. With
// --check it only reports whether the files are up to date.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadedSource } from "./loadedSource.mjs";

/** What the names of the fields do not say. */
const DESCRIPTIONS = {
  kindred: "Version of the format",
  options: "Options of the method, beyond the common ones",
  labels: "One per training row, -1 for no cluster; empty where the rows were in a stream or a database",
  space: "The numbers that rows become",
  weight: "Features are multiplied by its root",
  since: "number: the days since the date of this column",
  exceptions: "Rows that are not in the cluster of the nearest centre, and their clusters",
  neighbors: "Rows that vote; default 1",
  map: "Columns x coordinates: distances are taken after it",
  bias: "mixed: the score of cluster k is bias[k] + sum x[features[j]] weights[j, k] + sum logs[k, level]",
};

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { modelForm } = await loadedSource("src/model/modelForm.ts");
const { matrixForm } = await loadedSource("src/matrix/storedMatrix.ts");
const matrix = JSON.stringify(matrixForm().schema);
write("src/model/model.schema.json", {
  title: "A clustering made by Kindred",
  ...described(modelForm.schema),
  $defs: {
    matrix: { description: "Row-major: entry (i, j) is data[i * cols + j]", ...matrixForm().schema },
  },
});
const { errorForm, reportForm, reportForms } = await loadedSource("src/cli/output/reportForms.ts");
const forms = [...Object.keys(reportForms).map(reportForm), errorForm];
write("src/cli/output/report.schema.json", {
  title: "What the commands of Kindred print with --json",
  oneOf: forms.map(({ schema }) => schema),
});

function write(name, parts) {
  const file = join(root, name);
  const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", ...parts };
  if (!process.argv.includes("--check")) {
    writeFileSync(file, `${JSON.stringify(schema, undefined, 2)}\n`);
    return;
  }
  const now = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  if (JSON.stringify(now) === JSON.stringify(schema)) return;
  console.error(`${name} is not up to date: node scripts/model-schema.mjs writes it`);
  process.exitCode = 1;
}

/** A schema with the descriptions of its fields. */
function described(schema) {
  if (Array.isArray(schema)) return schema.map(described);
  if (typeof schema !== "object" || schema === null) return schema;
  if (JSON.stringify(schema) === matrix) return { $ref: "#/$defs/matrix" };
  return Object.fromEntries(
    Object.entries(schema).map(([word, part]) => [
      word,
      word === "properties" ? fields(part) : described(part),
    ]),
  );
}

function fields(properties) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, own]) => [
      name,
      name in DESCRIPTIONS ? { description: DESCRIPTIONS[name], ...described(own) } : described(own),
    ]),
  );
}
