// What the default of `cluster` reaches on data that somebody else labelled: real tables, one half of a public battery, and
// generated families; with the number of clusters open and given, and what its trust is worth.
//
//   node bench/reality.mjs [--only real|battery|generated|none] [--half 1|2] [--seeds 0,7] [--rows 5000] [--twice] [--each]
//
// --half takes every second set of each source: choose on one, report the other. --seeds runs K given again with these seeds
// and prints the agreement with the first. --twice writes every row twice and prints the agreement. Data: KINDRED_SHARED, by
// default ../shared; a source that is not there is left out. The fit of the judge (scripts/fit-judge.mjs) has seen these very
// sets: its own table, printed by `npm run fit:judge`, is the one of sets that took no part.
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { labelledSets, setsWithoutGroups } from "../scripts/judge/sets.mjs";
import { bands, mean, summary } from "../scripts/judge/report.mjs";
import { shared } from "./shared.mjs";
import { sources } from "./sources.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    half: { type: "string" },
    seeds: { type: "string", default: "0" },
    rows: { type: "string", default: "5000" },
    twice: { type: "boolean", default: false },
    each: { type: "boolean", default: false },
  },
});
const tools = await sources("run/cluster.ts", "data/columns/asTable.ts", "data/columns/takeTableRows.ts");
const [first, ...others] = values.seeds.split(",").map(Number);
const most = Number(values.rows);
const wanted = (source) => values.only === undefined || values.only === source;
const half = (list) =>
  values.half === undefined ? list : list.filter((_, i) => i % 2 === Number(values.half) - 1);

const rows = [];
const agreements = [];
const twice = [];
for (const source of ["real", "battery", "generated"]) {
  if (!wanted(source)) continue;
  for (const set of half(
    [...labelledSets({ ...tools, listed: [] })].filter((one) => one.source === source),
  )) {
    const { table, options, truths } = await tableOf(set);
    const open = await tools.cluster(table, { ...options, seed: first });
    for (const { labels: truth, K } of truths) {
      if (K < 2) continue;
      const given = await tools.cluster(table, { ...options, clusters: K, seed: first });
      const known = [...truth.keys()].filter((i) => truth[i] !== -1);
      const ari = ({ labels }) =>
        tools.adjustedRand(
          known.map((i) => labels[i]),
          known.map((i) => truth[i]),
        );
      for (const seed of others) {
        const again = await tools.cluster(table, { ...options, clusters: K, seed });
        agreements.push(tools.adjustedRand(again.labels, given.labels));
      }
      const { probability = 0, word } = open.trust;
      rows.push({
        set: set.name,
        source,
        truths: truths.length,
        K,
        found: open.clusters,
        open: ari(open),
        given: ari(given),
        E: probability,
        p: word === "none" ? 0 : probability,
        bestOpen: NaN,
        bestGiven: NaN,
      });
      if (values.each) {
        const { open: o, given: g } = rows.at(-1);
        console.log(
          `${source.padEnd(10)}${set.name.padEnd(26)} K ${K} found ${open.clusters}  open ${o.toFixed(3)}  given ${g.toFixed(3)}  ${word} ${probability.toFixed(2)}`,
        );
      }
    }
    if (values.twice) {
      const n = table.rows;
      const doubled = tools.takeTableRows(
        table,
        Int32Array.from({ length: 2 * n }, (_, i) => i % n),
      );
      const { labels } = await tools.cluster(doubled, { ...options, seed: first });
      twice.push(tools.adjustedRand(labels.slice(0, n), open.labels));
    }
  }
}
if (rows.length > 0) {
  summary(rows);
  bands(rows);
}
const share = (list, least) => mean(list.map((value) => Number(value >= least))).toFixed(2);
if (agreements.length > 0)
  console.log(`another seed, K given: agreement of .95 on ${share(agreements, 0.95)}`);
if (twice.length > 0) console.log(`every row twice: the same groups on ${share(twice, 0.999)}`);
if (wanted("none")) {
  const words = [];
  for (const set of half([...setsWithoutGroups(tools)])) {
    const { table } = await tableOf(set);
    words.push((await tools.cluster(table, {})).trust.word);
  }
  console.log(
    `sets without groups: "none" on ${words.filter((word) => word === "none").length} of ${words.length}`,
  );
}
baselines();

/** At most so many rows of a set. */
async function tableOf(set) {
  const { rows: given, options, truths } = await set.read();
  const whole = tools.asTable(given);
  const step = Math.max(1, Math.ceil(whole.rows / most));
  const kept = Int32Array.from({ length: Math.ceil(whole.rows / step) }, (_, i) => i * step);
  return {
    table: tools.takeTableRows(whole, kept),
    options,
    truths: truths.map(({ labels, K }) => ({ K, labels: Array.from(kept, (i) => labels[i]) })),
  };
}

/** Of ordinary methods on the same real tables. */
function baselines() {
  const file = shared("real", "baselines.csv");
  if (!wanted("real") || !existsSync(file)) return;
  const [head, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const cells = lines.map((line) => line.split(","));
  console.log("ordinary methods on the real tables:");
  head.split(",").forEach((name, f) => {
    if (!/^(open|k|kmeansSil|gmmBIC|hdbscan|\w+K)$/.test(name)) return;
    const found = cells.map((own) => own[f]).filter((cell) => cell !== "" && cell !== undefined);
    console.log(`  ${name.padEnd(12)}${mean(found.map(Number)).toFixed(3)} on ${found.length}`);
  });
}
