// What the default of `cluster` reaches on data that somebody else labelled: real tables, labelled sets of at most 3000 rows,
// one half of a public battery; and on generated families and tables. The number of clusters is open and given; beside it plain
// methods (--plain), what its trust is worth, and whether the answer stays when what should not matter changes: the seed, every
// row written twice, a column written four times.
//
//   node bench/reality.mjs [--only real|datasets|battery|generated|records|none] [--half 1|2] [--seeds 0,1,2,3,4] [--rows 5000]
//                          [--brief] [--each] [--fresh] [--plain]
//
// --half takes every second set of each source: choose on one, report the other. --brief leaves the changes out. Data:
// KINDRED_SHARED, by default ../shared; a source that is not there is left out. The fit of the judge (scripts/fit-judge.mjs)
// has seen these very sets: its own table, printed by `npm run fit:judge`, is the one of sets that took no part. --fresh takes
// other draws of the generated families and of the sets without groups.
import { existsSync, readFileSync } from "node:fs";
import { FRESH, labelledSets, setsWithoutGroups } from "../scripts/judge/sets.mjs";
import { bands, mean, summary, withoutGroupsTable } from "../scripts/judge/report.mjs";
import { onKnown, settings } from "./measure.mjs";
import { shared } from "./shared.mjs";
import { sources } from "./sources.mjs";

const values = settings(
  { only: undefined, half: undefined, seeds: "0,1,2,3,4", rows: 5000 },
  { brief: false, each: false, fresh: false, plain: false },
);
const tools = await sources("run/cluster.ts", "data/columns/asTable.ts", "data/columns/column.ts");
const [first, ...others] = values.seeds.split(",").map(Number);
const most = values.rows;
/** Plain methods, with K given. */
const PLAIN = ["kmeans", "ward", "spectral", "gmm"];
const half = (list) =>
  values.half === undefined ? list : list.filter((_, i) => i % 2 === Number(values.half) - 1);
const draws = values.fresh ? FRESH : undefined;
const folder = shared("datasets");
const listed = existsSync(folder) ? await tools.listData({ folder }) : [];
const all = [...labelledSets({ ...tools, listed }, draws), ...setsWithoutGroups(tools, draws)];
const sets = ["real", "datasets", "battery", "generated", "records", "none"].flatMap((source) =>
  values.only === undefined || values.only === source ? half(all.filter((set) => set.source === source)) : [],
);

const rows = [];
const changes = [];
for (const set of sets) {
  const { table, options, truths } = await tableOf(set);
  const run = (data, more) => tools.cluster(data, { ...options, seed: first, ...more });
  const open = await run(table);
  const common = { set: set.name, source: set.source, ...saidOf(open), found: open.clusters };
  if (set.source === "none") {
    rows.push({ ...common, truths: 0 });
    continue;
  }
  for (const { labels: truth, K } of truths.filter((one) => one.K > 1)) {
    const given = await run(table, { clusters: K });
    const ari = ({ labels }) => onKnown(tools.adjustedRand, labels, truth);
    const plain = {};
    for (const method of values.plain ? PLAIN : [])
      plain[method] = ari(await run(table, { clusters: K, method }));
    const reached = { open: ari(open), given: ari(given), bestOpen: NaN, bestGiven: NaN };
    rows.push({ ...common, truths: truths.length, K, ...reached, plain });
    if (values.each) {
      const beside = Object.entries(plain).map(([name, value]) => `  ${name} ${value.toFixed(3)}`);
      const figures = `open ${reached.open.toFixed(3)}  given ${reached.given.toFixed(3)}${beside.join("")}`;
      const { word, probability } = open.trust;
      console.log(
        `${set.source.padEnd(10)}${set.name.padEnd(26)} K ${K} found ${open.clusters}  ${figures}  ${word} ${probability.toFixed(2)}`,
      );
    }
  }
  if (!values.brief) changes.push(await changed(set, table, open, run));
}
summary(rows);
bands(rows.map((row) => ({ ...row, agreement: row.open })));
withoutGroupsTable(rows);
if (changes.length > 0) changesTable();
if (values.plain) plainTable();
baselines();

/** The probability of trust, 0 where no groups are needed, and the probability that none are. */
function saidOf({ trust: { word, probability } }) {
  return word === "none" ? { p: 0, none: probability ?? 1 } : { p: probability, none: 0 };
}

function plainTable() {
  for (const source of new Set(rows.filter(({ truths }) => truths > 0).map((row) => row.source))) {
    const own = rows.filter((row) => row.source === source && row.truths > 0);
    const means = PLAIN.map((name) => `${name} ${mean(own.map(({ plain }) => plain[name])).toFixed(3)}`);
    console.log(`${source}, plain methods, K given: ${means.join(", ")}`);
  }
}

/** How much of the answer stays under every change. */
async function changed({ name, source }, table, open, run) {
  const n = table.rows;
  const agreement = ({ labels }) => tools.adjustedRand(labels.slice(0, n), open.labels);
  const seeds = [open];
  for (const seed of others) seeds.push(await run(table, { seed }));
  const between = seeds.flatMap(({ labels }, a) =>
    seeds.slice(a + 1).map((other) => tools.adjustedRand(labels, other.labels)),
  );
  const rowsTwice = Int32Array.from({ length: 2 * n }, (_, i) => i % n);
  const twice = agreement(await run(tools.takeTableRows(table, rowsTwice)));
  // Three copies of the first column that is used; exact, so that only its weight may change.
  const firstName = open.space.record?.parts[0]?.column ?? table.columns[0].name;
  const column = table.columns.find((one) => one.name === firstName);
  const copies = [1, 2, 3].map((k) => ({ ...column, name: `${column.name} ${k}` }));
  const copied = await run({ ...table, columns: [...table.columns, ...copies] });
  const change = {
    set: name,
    source,
    seeds: mean(between),
    leastSeeds: Math.min(...between),
    twice,
    copied: agreement(copied),
    surer: saidOf(copied).p - saidOf(open).p,
    lost: Number(open.trust.word !== "none" && copied.trust.word === "none"),
    gained: Number(open.trust.word === "none" && copied.trust.word !== "none"),
  };
  if (values.each)
    console.log(
      `${"".padEnd(10)}${name.padEnd(26)} seeds ${change.seeds.toFixed(3)} (${change.leastSeeds.toFixed(3)})  twice ${twice.toFixed(3)}  ` +
        `copied ${change.copied.toFixed(3)}, trust ${change.surer.toFixed(2)}`,
    );
  return change;
}

function changesTable() {
  const share = (own, key, least) => mean(own.map((one) => Number(one[key] >= least))).toFixed(3);
  const lines = (own) => [
    ...(others.length === 0
      ? []
      : [
          `another seed: mean agreement of .95 on ${share(own, "seeds", 0.95)}, of the worst two of ${others.length + 1} seeds on ${share(own, "leastSeeds", 0.95)}`,
        ]),
    `every row twice: the same groups on ${share(own, "twice", 0.999)}`,
    `a column four times: agreement of .95 on ${share(own, "copied", 0.95)}; trust higher by .1 on ${share(own, "surer", 0.1)}; ` +
      `groups become none on ${share(own, "lost", 1)}, none becomes groups on ${share(own, "gained", 1)}`,
  ];
  for (const source of new Set(changes.map((one) => one.source))) {
    const own = changes.filter((one) => one.source === source);
    console.log(`${source}, ${own.length} sets`);
    for (const line of lines(own)) console.log(`  ${line}`);
  }
  console.log(`all, ${changes.length} sets`);
  for (const line of lines(changes)) console.log(`  ${line}`);
}

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
  if (values.only !== undefined && values.only !== "real") return;
  if (!existsSync(file)) return;
  const [head, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const cells = lines.map((line) => line.split(","));
  console.log("ordinary methods on the real tables:");
  head.split(",").forEach((name, f) => {
    if (!/^(open|k|kmeansSil|gmmBIC|hdbscan|\w+K)$/.test(name)) return;
    const found = cells.map((own) => own[f]).filter((cell) => cell !== "" && cell !== undefined);
    console.log(`  ${name.padEnd(12)}${mean(found.map(Number)).toFixed(3)} on ${found.length}`);
  });
}
