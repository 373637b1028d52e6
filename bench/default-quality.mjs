// How good the default of `cluster` is, from the table to the clusters: labelled sets of the data folder with at most
// 3000 rows, generated families (bench/methods/families.mjs) and sets without clusters, the number of clusters given and not.
// Plain methods on z-scores beside it. Labels are looked at for the scores alone.
//
//   node bench/default-quality.mjs [--part labelled|generated|none|all] [--seeds 100,101] [--none 100] [--first 2000]
//                                  [--keep file.jsonl] [--half 1|2] [--check] [name ...]
//
// Features and choice are made as `cluster` makes them; --check runs `cluster` as well, and stops where it differs.
// --bare leaves the plain methods out. --half takes every second of the labelled sets, families or sets without clusters.
// Data: KINDRED_DATA, by default ../shared/datasets. Missing cells become the column's mean. Rules and constants were
// chosen on every second labelled set (marked *), on the families in CHOOSING with seeds below 100, and on sets without
// clusters numbered below 2000. Everything printed for the other half was not looked at for that.
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { onKnown, settings, timed } from "./measure.mjs";
import { CHOOSING, families, nullSet } from "./methods/families.mjs";
import { VARIANTS } from "../scripts/judge/sets.mjs";
import { sources } from "./sources.mjs";
import { shared } from "./shared.mjs";

const {
  adjustedRand,
  agglomerative,
  asTable,
  chosenPartition,
  cluster,
  fromRows,
  gaussianMixture,
  isSparse,
  kmeans,
  listData,
  namedData,
  prepare,
  scale,
  spectral,
  toDense,
} = await sources(
  "run/cluster.ts",
  "run/input/prepare.ts",
  "data/columns/asTable.ts",
  "judge/chosenPartition.ts",
);

const { words: wanted, ...values } = settings({
  part: "all",
  seeds: "100,101,102",
  none: 100,
  first: 2000,
  half: undefined,
  check: false,
  bare: false,
  keep: undefined,
});
const folder = shared("datasets");
const MOST_ROWS = 3000;
const PLAIN = values.bare
  ? {}
  : {
      kmeans: (Z, clusters) => kmeans(Z, { clusters, seed: 0 }).labels,
      ward: (Z, clusters) => agglomerative(Z, { linkage: "ward", clusters }).labels,
      spectral: (Z, clusters) => spectral(Z, { clusters, seed: 0 }).labels,
      gmm: (Z, clusters) =>
        gaussianMixture(Z, {
          clusters,
          seed: 0,
          restarts: 3,
          tolerance: 1e-5,
          covariance: Z.cols > 100 ? "diagonal" : "full",
        }).labels,
    };
if (values.keep !== undefined) writeFileSync(values.keep, "");
const said = [];
const part = (name) => values.part === "all" || values.part === name;
if (part("labelled")) await labelled();
if (part("generated")) await generated();
if (part("none")) await none();
if (said.length > 0) calibration();

/** What `cluster` does with rows, the names of their columns and the column of classes set aside. */
async function chosen(rows, options, clusters) {
  const prepared = prepare(asTable(rows), options);
  const X = isSparse(prepared.X) ? toDense(prepared.X) : prepared.X;
  const choice = chosenPartition(
    X,
    { seed: 0, ...(clusters !== undefined && { clusters }) },
    prepared.space.record,
  );
  if (values.check) {
    const { labels } = await cluster(rows, { ...options, ...(clusters !== undefined && { clusters }) });
    if (labels.some((label, i) => label !== choice.labels[i])) throw new Error("cluster has other labels");
  }
  return choice;
}

/** Every second of a list, or all of it. */
function half(list) {
  return values.half === undefined ? list : list.filter((_, i) => i % 2 === Number(values.half) - 1);
}

async function score(rows, options, y, K, name) {
  const dense = rows.X ?? rows;
  const X = isSparse(dense) ? toDense(dense) : dense;
  const ari = (labels) => onKnown(adjustedRand, labels, y);
  const { result: given, cpu: secondsGiven } = await timed(() => chosen(rows, options, K));
  const { result: open, cpu: secondsOpen } = await timed(() => chosen(rows, options));
  const row = {
    name,
    rows: X.rows,
    columns: X.cols,
    K,
    given: ari(given.labels),
    pool: Math.max(...given.candidates.map(({ labels }) => ari(labels))),
    chosen: given.chosen.method,
    found: open.clusters,
    open: ari(open.labels),
    also: open.alternatives.map(({ clusters }) => clusters),
    secondsGiven,
    secondsOpen,
    judgement: open.seconds.judgement / (open.seconds.candidates + open.seconds.judgement),
    trustGiven: given.trust,
    trustOpen: open.trust,
    support: open.path.map(({ clusters, support }) => [clusters, Number(support.toFixed(2))]),
  };
  const Z = scale(X, "zscore").X;
  for (const [method, run] of Object.entries(PLAIN)) {
    try {
      row[method] = ari(run(Z, K));
    } catch {
      row[method] = 0;
    }
  }
  const labelled = rows.X !== undefined;
  said.push(
    { ...given.trust, reached: row.given, how: "K given", labelled },
    { ...open.trust, reached: row.open, how: "K open", labelled, exact: open.clusters === K },
  );
  if (values.keep !== undefined) appendFileSync(values.keep, `${JSON.stringify(row)}\n`);
  return row;
}

async function labelled() {
  if (!existsSync(folder)) return console.log(`${folder} is not there: no labelled sets`);
  const entries = (await listData({ folder }))
    .filter(({ rows, classes, from }) => from !== "generated" && rows <= MOST_ROWS && classes > 1)
    .toSorted((a, b) => a.name.localeCompare(b.name));
  const taken = new Set(
    half(entries)
      .map(({ name }) => name)
      .filter((name) => wanted.length === 0 || wanted.includes(name)),
  );
  head("labelled sets");
  const rows = [];
  for (const [e, { name }] of entries.entries()) {
    if (!taken.has(name)) continue;
    const table = await read(name);
    const y = Array.from(table.label.values);
    const row = {
      ...(await score(table, { label: table.label.name }, y, new Set(y).size, name)),
      choosing: e % 2 === 0,
    };
    rows.push(row);
    line(`${row.choosing ? "* " : "  "}${name}`, row);
  }
  summary("all", rows);
  summary("without variants", rows, ({ name }) => !VARIANTS.has(name));
  summary("* chosen on", rows, ({ choosing }) => choosing);
  summary("the others", rows, ({ choosing }) => !choosing);
}

async function read(name) {
  try {
    return await namedData(name, { folder });
  } catch {
    return namedData(name, { folder, missing: "mean" });
  }
}

async function generated() {
  head(`generated sets, seeds ${values.seeds}`);
  const rows = [];
  for (const [family, make] of half(Object.entries(families))) {
    if (wanted.length > 0 && !wanted.includes(family)) continue;
    const own = [];
    for (const seed of values.seeds.split(",")) {
      const { X, y, K } = make(Number(seed));
      own.push({ ...(await score(fromRows(X), {}, y, K, `${family} ${seed}`)), family });
      line(`  ${own.at(-1).name}`, own.at(-1));
    }
    rows.push(...own);
    summary(`${CHOOSING.includes(family) ? "* " : "  "}${family}`, own);
  }
  summary("all", rows);
  summary("* families chosen on", rows, ({ family }) => CHOOSING.includes(family));
  summary("other families", rows, ({ family }) => !CHOOSING.includes(family));
}

async function none() {
  const numbers = half(Array.from({ length: values.none }, (_, i) => values.first + i));
  const count = numbers.length;
  const wrong = [];
  for (const number of numbers) {
    const { name, d, X } = nullSet(number);
    const { clusters, path, trust } = await chosen(fromRows(X), {});
    if (trust.word !== "none") wrong.push(`${name} ${X.length} x ${d}: ${clusters}`);
    if (values.keep !== undefined) {
      const support = path.map((entry) => [entry.clusters, Number(entry.support.toFixed(2))]);
      appendFileSync(
        values.keep,
        `${JSON.stringify({ name: `none ${name} ${d}`, K: 1, found: clusters, trust: trust.word, support })}\n`,
      );
    }
  }
  console.log(`\nsets without clusters: no groups needed on ${count - wrong.length} of ${count}`);
  for (const text of wrong) console.log(`  ${text}`);
}

/** A cell for each of the plain methods. */
function plainly(cell) {
  return Object.keys(PLAIN)
    .map((method) => cell(method).padStart(9))
    .join("");
}

function head(title) {
  console.log(
    `\n${title.padEnd(34)}${["rows", "cols", "K"].map((text) => text.padStart(6)).join("")}  | K given: choice  pool` +
      `${plainly((method) => method)} | K open: found    ARI  trust        CPU s  judge %`,
  );
}

function line(title, row) {
  const number = (value) => value.toFixed(3);
  const mark = row.found === row.K ? "" : row.also.includes(row.K) ? "~" : "!";
  console.log(
    `${title.padEnd(34)}${[row.rows, row.columns, row.K].map((value) => String(value).padStart(6)).join("")}  |` +
      `${number(row.given).padStart(16)}${number(row.pool).padStart(6)}` +
      `${plainly((method) => number(row[method]))} |` +
      `${`${row.found}${mark}`.padStart(14)}${number(row.open).padStart(7)}  ${row.trustOpen.word.padEnd(9)}` +
      `${row.secondsOpen.toFixed(2).padStart(9)}${(100 * row.judgement).toFixed(0).padStart(9)}`,
  );
}

function summary(title, all, keep = () => true) {
  const rows = all.filter(keep);
  if (rows.length === 0) return;
  const mean = (value) => rows.reduce((sum, row) => sum + value(row), 0) / rows.length;
  const off = (row) => Math.abs(Math.log(row.found / row.K));
  const plain = Object.keys(PLAIN).map((method) => `${method} ${mean((row) => row[method]).toFixed(3)}`);
  console.log(
    `= ${title} (${rows.length}): K given ${mean((row) => row.given).toFixed(3)} (pool ${mean((row) => row.pool).toFixed(3)}; ` +
      `${plain.join(", ")}); K open: exact ${mean((row) => Number(row.found === row.K)).toFixed(2)}, ` +
      `|log| ${mean(off).toFixed(3)}, 3 times off ${rows.filter((row) => off(row) >= Math.log(3) - 1e-9).length}, ` +
      `ARI ${mean((row) => row.open).toFixed(3)}; the choice's own share of the time ` +
      `${(100 * mean((row) => row.judgement)).toFixed(0)} %`,
  );
}

/** What was said against what was reached. */
function calibration() {
  console.log("\ntrust                    sets  said  ARI > .5  mean ARI");
  for (const [how, labelled] of ["K given", "K open"].flatMap((one) => [
    [one, false],
    [one, true],
  ])) {
    for (const word of ["clear", "doubtful", "weak", "none"]) {
      const own = said.filter((one) => one.how === how && one.word === word && one.labelled === labelled);
      if (own.length === 0) continue;
      const mean = (value) => (own.reduce((sum, one) => sum + value(one), 0) / own.length).toFixed(2);
      console.log(
        `${labelled ? "labelled " : "generated"} ${how.padEnd(9)}${word.padEnd(9)}${String(own.length).padStart(2)}${(word === "none" ? "" : mean((one) => one.probability)).padStart(6)}` +
          `${mean((one) => Number(one.reached > 0.5)).padStart(10)}${mean((one) => one.reached).padStart(10)}`,
      );
    }
  }
}
