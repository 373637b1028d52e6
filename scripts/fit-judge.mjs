// Fits the judge (src/judge) to labelled sets and to sets without groups, and writes src/judge/fitted.json: the only numbers
// of the judge that do not follow from theory.
//
//   npm run fit:judge [-- --check] [--small]
//
// 1. sets: judge/sets.mjs lists them. Generated sets are made here by seed; real tables, the public battery and the public
//    data sets are read from the shared folder (KINDRED_SHARED) where it is.
// 2. evidence: judge/evidence.mjs makes the pool of each set and measures it, once (.cache/judge).
// 3. fit: judge/fit.mjs. All printed figures are of sets that took no part in the fit (folds of whole groups of sets).
//
// --small: the fit to six generated sets, whose coefficients are in the file too (`small`): test/judge/fit.test.ts makes them
// again. --check writes nothing.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { allEvidence, toolsOf } from "./judge/evidence.mjs";
import { crossValidated, fitted, ready } from "./judge/fit.mjs";
import { smallFit } from "./judge/smallFit.mjs";
import { bands, summary, withoutGroupsTable } from "./judge/report.mjs";

const FILE = join(import.meta.dirname, "..", "src", "judge", "fitted.json");
const { values } = parseArgs({
  options: { check: { type: "boolean", default: false }, small: { type: "boolean", default: false } },
});
const tools = await toolsOf();
if (values.small) {
  console.log(await smallFit(tools));
  process.exit(0);
}
const sets = [];
for await (const set of allEvidence(tools)) sets.push(ready(tools, set));
console.log(
  `${sets.length} sets, ${sets.filter(({ source }) => source === "none").length} of them without groups`,
);
const rows = crossValidated(tools, sets);
const result = { ...fitted(tools, sets, rows), small: await smallFit(tools) };
summary(rows);
trustTables(rows);
withoutGroupsTable(rows);
console.log("fitted on one half of the sets, reported on the other, and the reverse:");
const halves = crossValidated(tools, sets, 2);
summary(halves);
trustTables(halves);
withoutGroupsTable(halves);
if (!values.check)
  writeFileSync(
    FILE,
    `${JSON.stringify({ ...result, made: new Date().toISOString().slice(0, 10) }, null, 2)}\n`,
  );
else {
  const before = JSON.parse(readFileSync(FILE, "utf8"));
  const change = Math.max(
    ...result.plausibility.beta.map((b, e) => Math.abs(b - before.plausibility.beta[e])),
  );
  console.log(`largest change of a coefficient: ${change.toFixed(4)}`);
}

function trustTables(all) {
  const labelled = all.filter(({ truths }) => truths > 0);
  console.log("number of clusters open:");
  bands(labelled.map((row) => ({ ...row, agreement: row.open })));
  console.log("number of clusters given:");
  bands(labelled.map((row) => ({ ...row, p: row.pGiven, agreement: row.given, told: row.toldGiven })));
}
