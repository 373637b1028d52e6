// Fits what is believed before the answers (src/hints), and writes src/hints/fitted.json: the only numbers of the belief that do
// not follow from theory.
//
//   npm run fit:hints [-- --check] [--half 1] [--most 500] [--draws 2]
//
// 1. tables: hints/cases.mjs lists them; every second one is used (--half), so that the others can be reported
//    (bench/hints-real.mjs --half 2). Tables above --most rows are left out.
// 2. answers: random pairs, none, a tenth or a fifth of them wrong, and labelled rows; K given and open.
// 3. fit: hints/fit.mjs. The shares of the belief by the gain over no hints, where a loss counts three times; then from which
//    probability on an answer is called a mistake, and what agreement was reached at each support.
//
// --check writes nothing. test/hints/fit.test.ts makes a small fit to generated tables again (`small`).
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { caseOf, realSets, toolsOf } from "./hints/cases.mjs";
import { fitMistaken, fitPriors, fitsOf, fitTrust, summary } from "./hints/fit.mjs";
import { smallFit } from "./hints/smallFit.mjs";

const FILE = join(import.meta.dirname, "..", "src", "hints", "fitted.json");
const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    half: { type: "string", default: "1" },
    most: { type: "string", default: "500" },
    draws: { type: "string", default: "2" },
  },
});
const tools = await toolsOf();
const small = await smallFit(tools);
const settings = {
  draws: Number(values.draws),
  budgets: [10, 20, 50, 100],
  wrongs: [0, 0.1, 0.2],
  labels: [8, 50],
};
const fits = [];
const names = [];
for (const [i, set] of realSets(tools).entries()) {
  if (i % 2 !== Number(values.half) - 1) continue;
  const one = await caseOf(tools, set, Number(values.most));
  if (one === undefined) continue;
  fits.push(...fitsOf(tools, one, settings));
  names.push(set.name);
  console.log(`${set.name}: ${fits.length} fits`);
}
const { prior, caution } = fitPriors(tools, fits, console.log);
const mistaken = fitMistaken(tools, fits);
const result = {
  prior,
  caution,
  mistaken,
  trust: fitTrust(tools, fits),
  small,
  made: new Date().toISOString().slice(0, 10),
  sets: names,
  reached: summary(tools, fits),
};
console.table(result.reached);
console.table(result.trust);
console.log({ mistaken });
if (!values.check) writeFileSync(FILE, `${JSON.stringify(result, null, 2)}\n`);
