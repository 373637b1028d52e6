// What hints teach: agreement (adjusted Rand index) with classes that an oracle knows, by the number of answers.
//
//     node bench/hints.mjs [--sets iris,wine] [--modes half,nat,chosen] [--draws 5] [--seeds 2] [--log file]
//     node bench/hints.mjs --read file           the report of such a log; what is in a log is not run again
//     node bench/hints.mjs --instances 1000      random hints with contradictions: none may be lost
//     node bench/hints.mjs --times               time per refit at 300, 3000 and 50000 rows
//
// Sets, pairs and the figures of other systems (anchors.csv) are in $KINDRED_SHARED/peers/hints, default ../shared.
// "half" alternates same and different pairs, "nat" takes them as drawn, "chosen" are those of askQuestions. K is
// given. The trust table and the last settings of score and guard were chosen on the sets of TUNED; the others are
// reported apart. Members, folds and the form of the vote were compared on all sets. decoy0 to decoy2 count as one set.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mean, settings, timed } from "./measure.mjs";
import { sources } from "./sources.mjs";
import { shared } from "./shared.mjs";

const args = settings({
  sets: undefined,
  modes: "half,nat,chosen",
  draws: 5,
  seeds: 2,
  log: undefined,
  read: undefined,
  instances: undefined,
  times: false,
});
const TUNED = new Set(["iris", "ecoli", "decoy", "cars", "derm", "diabetes", "seeds"]);
const BUDGETS = [10, 20, 50, 100];
const folder = shared("peers", "hints");
const { learnFromHints, askQuestions, adjustedRand, random, cluster } = await sources(
  "hints/index.ts",
  "run/cluster.ts",
  "core/random.ts",
);

if (args.times) times();
else if (args.instances !== undefined) await instances(Number(args.instances));
else if (args.read !== undefined) report(parseRows(readFileSync(args.read, "utf8")));
else if (!existsSync(folder))
  console.log(`${folder} is not there: set KINDRED_SHARED to the folder that has peers/hints`);
else report(measure());

function measure() {
  const pairs = JSON.parse(readFileSync(join(folder, "pairs.json"), "utf8"));
  const sets = args.sets?.split(",") ?? Object.keys(pairs);
  const rows =
    args.log !== undefined && existsSync(args.log) ? parseRows(readFileSync(args.log, "utf8")) : [];
  for (const set of sets) {
    const { X, y, K } = load(set);
    const without = adjustedRand(learnFromHints(X, {}, { clusters: K }).labels, y);
    const done = (mode, draw, answers) =>
      rows.some((r) => r.set === set && r.mode === mode && r.draw === draw && r.answers === answers);
    const add = (mode, draw, answers, hints) => {
      if (done(mode, draw, answers)) return;
      const start = process.cpuUsage().user;
      const found = learnFromHints(X, { pairs: hints }, { clusters: K });
      const used = new Set(hints.flatMap(({ a, b }) => [a, b]));
      const free = Array.from(y.keys()).filter((i) => !used.has(i));
      const order = [...found.metric.columns].sort((p, q) => q.after - p.after).map(({ column }) => column);
      const row = {
        set,
        mode,
        draw,
        answers,
        ari: adjustedRand(found.labels, y),
        free: adjustedRand(
          free.map((i) => found.labels[i]),
          free.map((i) => y[i]),
        ),
        without,
        guarded: Number(found.guarded),
        undecided: Number(found.undecided),
        support: found.trust.support,
        expected: found.trust.expected,
        violated: hints.filter(({ a, b, same }) => (found.labels[a] === found.labels[b]) !== same).length,
        suspicious: found.suspicious.length,
        columns: order.slice(0, 2).join(" "),
        seconds: (process.cpuUsage().user - start) / 1e6,
      };
      rows.push(row);
      if (args.log !== undefined) appendFileSync(args.log, `${JSON.stringify(row)}\n`);
    };
    for (const mode of args.modes.split(",")) {
      if (mode === "chosen") {
        for (let seed = 0; seed < args.seeds; seed++) {
          if (BUDGETS.every((answers) => done(mode, seed, answers))) continue;
          const hints = interview(X, y, K, seed);
          for (const answers of BUDGETS) add(mode, seed, answers, hints.slice(0, answers));
        }
      } else {
        for (let draw = 0; draw < args.draws; draw++) {
          const drawn = pairs[set][mode][draw].map(([a, b]) => ({ a, b, same: y[a] === y[b] }));
          for (const answers of BUDGETS) add(mode, draw, answers, drawn.slice(0, answers));
        }
      }
      const means = BUDGETS.map((b) =>
        mean(
          rows.filter((r) => r.set === set && r.mode === mode && r.answers === b).map(({ ari }) => ari),
        ).toFixed(3),
      );
      console.log(`${set.padEnd(11)} ${mode.padEnd(7)} without ${without.toFixed(3)}   ${means.join("  ")}`);
    }
  }
  return rows;
}

/** Answers as the classes say. */
function interview(X, y, K, seed) {
  const round = askQuestions(X, { clusters: K, budget: 100, seed });
  const hints = [];
  let step = round.next();
  while (!step.done) {
    const { a, b } = step.value;
    hints.push({ a, b, same: y[a] === y[b] });
    step = round.next(y[a] === y[b] ? "same" : "different");
  }
  return hints;
}

function report(rows) {
  const name = ({ set }) => set.replace(/^decoy\d$/, "decoy");
  const sets = [...new Set(rows.map(name))];
  const meanOf = (value, keep) =>
    mean(
      sets
        .map((set) => rows.filter((r) => name(r) === set && keep(r)))
        .filter((own) => own.length > 0)
        .map((own) => mean(own.map(value))),
    );
  console.log("\nMeans over sets                          10     20     50    100");
  for (const mode of new Set(rows.map((r) => r.mode))) {
    const line = (title, value, keep = () => true) =>
      console.log(
        title.padEnd(38),
        BUDGETS.map((b) =>
          meanOf(value, (r) => r.mode === mode && r.answers === b && keep(r)).toFixed(3),
        ).join("  "),
      );
    const reached = (r) => r.ari;
    line(`${mode}: all rows`, reached);
    line("  rows in no pair", (r) => r.free);
    line("  sets that constants were chosen on", reached, (r) => TUNED.has(name(r)));
    line("  the other sets", reached, (r) => !TUNED.has(name(r)));
    line("  without hints", (r) => r.without);
    for (const [system, values] of anchors(mode, sets)) console.log(`  ${system}`.padEnd(38), values);
  }
  console.log(
    "\nWorse than without hints by more than 0.01 in the mean, and by how much in runs that did not say so:",
  );
  const said = (r) => r.guarded === 1 || r.undecided === 1;
  for (const set of sets) {
    for (const mode of new Set(rows.map((r) => r.mode))) {
      for (const b of BUDGETS) {
        const own = rows.filter((r) => name(r) === set && r.mode === mode && r.answers === b);
        if (own.length === 0) continue;
        const loss = mean(own.map((r) => r.ari - r.without));
        const silent = mean(own.map((r) => (said(r) ? 0 : r.ari - r.without)));
        if (Math.min(loss, silent) < -0.01)
          console.log(`  ${set} ${mode} ${b}: ${loss.toFixed(3)}, silent ${silent.toFixed(3)}`);
      }
    }
  }
  const share = (own, of) => `${((100 * own.filter(of).length) / Math.max(1, own.length)).toFixed(0)} %`;
  for (const [title, own] of [
    ["better by more than 0.05", rows.filter((r) => r.ari > r.without + 0.05)],
    ["worse by more than 0.01", rows.filter((r) => r.ari < r.without - 0.01)],
  ])
    console.log(
      `  of ${own.length} runs ${title}: default kept ${share(own, (r) => r.guarded === 1)}, undecided ${share(own, (r) => r.undecided === 1)}`,
    );
  console.log("\nSupport and agreement reached, on the sets that constants were not chosen on:");
  const bins = [0, 0.5, 0.6, 0.675, 0.75, 0.8, 0.85, 0.9, 0.95, 1.01];
  for (const [title, keep] of [
    ["10 answers", (r) => r.answers === 10],
    ["20 answers and more", (r) => r.answers >= 20],
  ]) {
    for (let b = 1; b < bins.length; b++) {
      const own = rows.filter(
        (r) => !TUNED.has(name(r)) && keep(r) && r.support >= bins[b - 1] && r.support < bins[b],
      );
      if (own.length === 0) continue;
      const values = own.map((r) => r.ari).sort((p, q) => p - q);
      console.log(
        `  ${title}, ${bins[b - 1]} to ${Math.min(1, bins[b])}: ${own.length} runs, agreement ${mean(values).toFixed(2)} (${values[0].toFixed(2)} to ${values[values.length - 1].toFixed(2)}), expected ${mean(own.map((r) => r.expected)).toFixed(2)}`,
      );
    }
  }
  const decoy = rows.filter((r) => name(r) === "decoy" && r.mode === "chosen" && r.answers === 10);
  if (decoy.length > 0) {
    const right = decoy.filter(({ columns }) => columns.split(" ").sort().join() === "0,1").length;
    console.log(
      `\ndecoy, 10 chosen answers: ${mean(decoy.map((r) => r.ari)).toFixed(3)}; the informative columns weigh most in ${right} of ${decoy.length} runs`,
    );
  }
  console.log(
    `\nHints violated: ${rows.reduce((sum, r) => sum + r.violated, 0)}, called suspicious: ${rows.reduce((sum, r) => sum + (r.suspicious ?? 0), 0)} of ${rows.reduce((sum, r) => sum + r.answers, 0)}; CPU seconds per fit ${mean(rows.map((r) => r.seconds)).toFixed(2)}`,
  );
}

/** Means of other systems over the same sets, where they have them all. */
function anchors(mode, sets) {
  const file = join(folder, "anchors.csv");
  if (!existsSync(file)) return [];
  const wanted = mode === "chosen" ? "active" : mode;
  const table = new Map();
  for (const line of readFileSync(file, "utf8").trim().split("\n").slice(1)) {
    const [set, system, kind, answers, , ari] = line.split(",");
    if (kind !== wanted) continue;
    const key = set.replace(/^decoy\d$/, "decoy");
    if (!sets.includes(key)) continue;
    if (!table.has(system)) table.set(system, []);
    table.get(system).push({ set: key, answers: Number(answers), ari: Number(ari) });
  }
  return [...table].map(([system, own]) => {
    const have = new Set(own.map(({ set }) => set)).size;
    const values = BUDGETS.map((b) => {
      const each = sets
        .map((set) => own.filter((r) => r.set === set && r.answers === b))
        .filter((r) => r.length > 0);
      return mean(each.map((r) => mean(r.map(({ ari }) => ari)))).toFixed(3);
    });
    return [have < sets.length ? `${system} (${have} sets)` : system, values.join("  ")];
  });
}

/** Random pairs, groups, labels and "not in this cluster" that contradict each other, also of tables with gaps. */
async function instances(count) {
  const stream = random(1);
  let [violated, unnamed, contradictions, suspicious, links] = [0, 0, 0, 0, 0];
  for (let round = 0; round < count; round++) {
    const n = 4 + stream.integer(37);
    const K = stream.integer(4) === 0 ? undefined : 2 + stream.integer(Math.min(4, n - 2));
    const hints = randomHints(n, K, stream);
    const options = { ...(K !== undefined && { clusters: K }), seed: round };
    const mixed = round % 10 === 0;
    const found = mixed
      ? await cluster(randomTable(n, stream), { ...options, hints }).then(({ labels, details }) => ({
          labels,
          contradictions: details.contradictions,
          suspicious: details.suspicious,
        }))
      : learnFromHints(randomNumbers(n, stream), hints, options);
    const key = ({ a, b, same }) => `${Math.min(a, b)} ${Math.max(a, b)} ${same}`;
    const aside = new Set(found.contradictions.flatMap(({ setAside }) => setAside).map(key));
    // A suspicious hint that is not kept is about two rows, or about one and a group.
    const doubted = found.suspicious.filter(({ kept }) => !kept);
    for (const { rows, same } of doubted) aside.add(key({ a: rows[0], b: rows[1], same }));
    const alone = new Set(doubted.filter(({ rows }) => rows.length === 1).map(({ rows }) => rows[0]));
    suspicious += doubted.length;
    contradictions += found.contradictions.length;
    unnamed += found.contradictions.filter(({ rows, message }) => rows.length === 0 || message === "").length;
    const said = linksSaid(hints).filter(
      (hint) => !aside.has(key(hint)) && !alone.has(hint.a) && !alone.has(hint.b),
    );
    links += said.length;
    violated += said.filter(({ a, b, same }) => (found.labels[a] === found.labels[b]) !== same).length;
  }
  console.log(
    `${count} instances, ${links} links: ${violated} violated, ${contradictions} contradictions, ${unnamed} of them without rows, ${suspicious} suspicious and not used`,
  );
}

function randomHints(n, K, stream) {
  const other = (a) => (a + 1 + stream.integer(n - 1)) % n;
  const some = (most, make) => Array.from({ length: stream.integer(most) }, make);
  const pairs = Array.from({ length: 1 + stream.integer(20) }, () => {
    const a = stream.integer(n);
    const sure = stream.integer(3) === 0 ? { weight: 2 } : {};
    return { a, b: other(a), same: stream.uniform() < 0.4, ...sure };
  });
  const groups = some(3, () => some(5, () => stream.integer(n)));
  const labels = K === 2 ? [] : some(6, () => ({ row: stream.integer(n), label: "pqr"[stream.integer(3)] }));
  // Who is "not p" needs somebody who is, and who is called nothing else.
  const single = labels.filter(({ row }, at) => labels.findIndex((one) => one.row === row) === at);
  const clear = single.filter(({ row, label }) =>
    labels.every((one) => one.row !== row || one.label === label),
  );
  const not = some(4, () => {
    const row = stream.integer(n);
    const named = clear.find((one) => one.row !== row && labels.every(({ row: r }) => r !== row));
    return named !== undefined && stream.integer(2) === 0
      ? { row, label: named.label }
      : { row, rows: [other(row), other(row)] };
  });
  return { pairs, groups, labels, not };
}

/** What hints say, pair by pair: groups and names as chains of rows in their order. */
function linksSaid({ pairs, groups, labels, not }) {
  const chain = (rows) => rows.slice(1).map((b, r) => ({ a: rows[r], b, same: true }));
  const sorted = (rows) => [...new Set(rows)].sort((a, b) => a - b);
  const clear = labels.filter(({ row, label }) =>
    labels.every((one) => one.row !== row || one.label === label),
  );
  const names = [...new Set(clear.map(({ label }) => label))].sort();
  const rowsOf = (name) => sorted(clear.filter(({ label }) => label === name).map(({ row }) => row));
  return [
    ...pairs,
    ...groups.flatMap((group) => chain(sorted(group))),
    ...names.flatMap((name) => chain(rowsOf(name))),
    ...names.flatMap((name, m) =>
      names.slice(0, m).map((before) => ({ a: rowsOf(before)[0], b: rowsOf(name)[0], same: false })),
    ),
    ...not.flatMap(({ row, label, rows = [] }) =>
      [...(label === undefined ? [] : rowsOf(label).slice(0, 1)), ...rows].map((b) => ({
        a: row,
        b,
        same: false,
      })),
    ),
  ];
}

function randomNumbers(n, stream) {
  const d = 1 + stream.integer(4);
  const data = Float64Array.from({ length: n * d }, () =>
    stream.integer(4) === 0 ? stream.integer(3) : stream.normal(),
  );
  data[0] = 7;
  return { rows: n, cols: d, data };
}

/** Numbers, levels and gaps. */
function randomTable(n, stream) {
  const gap = (value) => (stream.integer(6) === 0 ? null : value);
  return Array.from({ length: n }, (_, i) => ({
    size: i === 0 ? 7 : gap(stream.normal()),
    color: gap(["red", "green", "blue"][stream.integer(3)]),
    cost: gap(Math.exp(stream.normal())),
    member: gap(stream.integer(2) === 0 ? "yes" : "no"),
  }));
}

function times() {
  for (const n of [300, 3000, 50000]) {
    const stream = random(1);
    const X = { rows: n, cols: 10, data: new Float64Array(n * 10) };
    const y = Array.from({ length: n }, () => stream.integer(4));
    for (let i = 0; i < n; i++) {
      const nuisance = 3 * stream.integer(3);
      for (let f = 0; f < 10; f++)
        X.data[i * 10 + f] = stream.normal() + (f < 3 ? 4 * Number(y[i] === f) : nuisance);
    }
    const pairs = Array.from({ length: 100 }, () => {
      const a = stream.integer(n);
      const b = (a + 1 + stream.integer(n - 1)) % n;
      return { a, b, same: y[a] === y[b] };
    });
    const { result, cpu, wall } = timed(() => learnFromHints(X, { pairs }, { clusters: 4 }));
    console.log(
      `${n} rows, 100 hints: ${wall.toFixed(1)} s (CPU ${cpu.toFixed(1)} s), agreement ${adjustedRand(result.labels, y).toFixed(3)}`,
    );
  }
}

function load(set) {
  const lines = readFileSync(join(folder, `${set}.csv`), "utf8")
    .trim()
    .split("\n")
    .slice(1);
  const rows = lines.map((line) => line.split(",").map(Number));
  const d = rows[0].length - 1;
  const y = rows.map((row) => row[d]);
  const data = Float64Array.from(rows.flatMap((row) => row.slice(0, d)));
  return { X: { rows: rows.length, cols: d, data }, y, K: new Set(y).size };
}

function parseRows(text) {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
