// What hints teach on tables that people made for their own purposes, with K given and open, and with wrong answers.
//
//     node bench/hints-real.mjs [--half 1|2] [--sets penguins] [--skip vowel,pima] [--budgets 20,50] [--draws 5] [--wrong 0,0.1,0.2] [--log file]
//     node bench/hints-real.mjs --asked 20       questions of askQuestions instead of random pairs
//     node bench/hints-real.mjs --labels 50      labelled rows instead of pairs, beside a random forest
//     node bench/hints-real.mjs --peers half     the sets and draws of other systems, with what these reached; nat: pairs as drawn
//     node bench/hints-real.mjs --read file      the report of such a log; what is in a log is not run again
//     node bench/hints-real.mjs --times          seconds of a fit at 300, 3000 and 50000 rows
//
// Pairs are drawn at random ("natural"); a wrong answer is the opposite of the classes. Sets: $KINDRED_SHARED/real, default
// ../shared, of at most 1000 rows. --half takes every second set: choose on one, report the other. "free" counts the rows in
// no hint. Sets, draws and figures of other systems are in $KINDRED_SHARED/peers/hints. What does not depend on the hints is
// computed once for a table, so a fit takes less than a second.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import {
  answerTo,
  caseOf,
  labelsOf,
  numberSets,
  pairsOf,
  peer,
  peerDraws,
  realSets,
  toolsOf,
} from "../scripts/hints/cases.mjs";
import { clouds, mean, settings, timed } from "./measure.mjs";

const args = settings(
  { half: undefined, sets: undefined, skip: "", budgets: "20,50", draws: 5, wrong: "0,0.1,0.2" },
  { open: "given,open", asked: undefined, labels: undefined, peers: undefined },
  { log: undefined, read: undefined, times: false },
);
const CLEAR = ["good", "very good"];
const tools = await toolsOf();
if (args.times) times();
else if (args.read !== undefined) report(parseRows(args.read));
else report(await measure());

async function measure() {
  const rows = args.log !== undefined && existsSync(args.log) ? parseRows(args.log) : [];
  const wanted = args.sets?.split(",");
  const draws = args.peers === undefined ? undefined : peerDraws();
  const all = draws === undefined ? realSets(tools) : [...numberSets(tools, Object.keys(draws))];
  const chosen = all.filter(
    ({ name }, i) =>
      (wanted === undefined || wanted.includes(name)) &&
      !args.skip.split(",").includes(name) &&
      (args.half === undefined || i % 2 === Number(args.half) - 1),
  );
  for (const set of chosen) {
    const one = await caseOf(tools, set);
    if (one === undefined) continue;
    const drawn = draws?.[set.name.split(" ")[0]][args.peers];
    for (const open of args.open.split(",")) {
      const clusters = open === "given" ? one.K : undefined;
      for (const { key: own, hints } of hintsAbout(one, clusters, drawn)) {
        const key = { set: set.name, mode: open, ...own };
        if (rows.some((row) => Object.entries(key).every(([name, value]) => row[name] === value))) continue;
        const start = process.cpuUsage().user;
        const made = hints();
        const { fit, labels } = one.fit(made, clusters);
        const seconds = (process.cpuUsage().user - start) / 1e6;
        rows.push({ ...key, ...figures(one, one.mode(clusters).without, made, fit, labels), seconds });
        if (args.log !== undefined) appendFileSync(args.log, `${JSON.stringify(rows.at(-1))}\n`);
      }
    }
    console.log(set.name);
  }
  return rows;
}

function figures(one, without, { pairs = [], labels: said = [] }, fit, labels) {
  const named = new Set([...pairs.flatMap(({ a, b }) => [a, b]), ...said.map(({ row }) => row)]);
  const broken = (wrong) =>
    pairs.filter(({ a, b, same, isWrong }) => isWrong === wrong && (labels[a] === labels[b]) !== same).length;
  const trust = tools.trustIn(fit, pairs.length + said.length);
  return {
    K: one.K,
    ari: one.agreement(labels),
    free: one.agreement(labels, (i) => !named.has(i)),
    without,
    clusters: new Set(labels).size,
    trust: trust.word,
    expected: trust.expected,
    overruled: broken(false),
    resisted: broken(true),
    guarded: Number(fit.guarded),
    ...(said.length > 0 && { forest: forest(one, said) }),
  };
}

/** What a random forest makes of the labelled rows. */
function forest({ X, y, agreement }, said) {
  const rows = said.map(({ row }) => row);
  const classes = rows.map((row) => y[row]);
  const found = tools.randomForest(tools.takeRows(X, rows), classes, { trees: 200, seed: 0 }).predict(X);
  const labels = Array.from(found);
  rows.forEach((row, r) => (labels[row] = classes[r]));
  return agreement(labels);
}

function* hintsAbout(one, clusters, drawn) {
  if (args.labels !== undefined) {
    for (let draw = 0; draw < args.draws; draw++) {
      const count = Number(args.labels);
      const hints = () => ({ labels: labelsOf(tools, one, { count, draw }) });
      yield { key: { kind: "labels", answers: count, wrong: 0, draw }, hints };
    }
    return;
  }
  for (const wrong of args.wrong.split(",").map(Number)) {
    for (let draw = 0; draw < args.draws; draw++) {
      if (args.asked !== undefined) {
        const answers = Number(args.asked);
        yield {
          key: { kind: "asked", answers, wrong, draw },
          hints: () => asked(one, clusters, wrong, draw),
        };
        continue;
      }
      const budgets = args.budgets.split(",").map(Number);
      const count = Math.max(...budgets);
      const pairs = pairsOf(tools, one, { count, wrong, draw, drawn: drawn?.[draw] });
      for (const answers of budgets) {
        const kind = args.peers ?? "natural";
        yield { key: { kind, answers, wrong, draw }, hints: () => ({ pairs: pairs.slice(0, answers) }) };
      }
    }
  }
}

function asked({ X, y, mode }, clusters, wrong, draw) {
  const { free } = mode(clusters);
  const stream = tools.random(1000 + draw);
  const round = tools.askQuestions(X, {
    clusters,
    budget: Number(args.asked),
    seed: draw,
    library: free.library,
    without: free.clusters,
    scale: "none",
  });
  const pairs = [];
  for (let step = round.next(); !step.done;) {
    const { a, b } = step.value;
    pairs.push(answerTo(y, a, b, stream.uniform() < wrong));
    step = round.next(pairs.at(-1).same ? "same" : "different");
  }
  return { pairs };
}

function report(rows) {
  const sets = [...new Set(rows.map(({ set }) => set))];
  const groups = new Map();
  for (const row of rows) {
    const key = `${row.kind} ${row.answers}, ${Math.round(100 * row.wrong)} % wrong, K ${row.mode}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  console.log(`${sets.length} sets: ${sets.join(" ")}`);
  const head = "mean   free  without  K right  worse  worse and clear  overruled  resisted  seconds  forest";
  console.log(`${" ".repeat(38)}${head}`);
  for (const [key, own] of groups) {
    const of = (value) =>
      mean(
        sets
          .map((set) => mean(own.filter((row) => row.set === set).map(value)))
          .filter((v) => !Number.isNaN(v)),
      );
    const answers = own.reduce((sum, row) => sum + row.answers, 0);
    const wrongs = own.reduce((sum, row) => sum + row.answers * row.wrong, 0);
    const share = (name, total) =>
      ((100 * own.reduce((sum, row) => sum + row[name], 0)) / Math.max(1, total)).toFixed(1);
    const worse = (row) => row.ari < row.without - 0.02;
    const clear = own.filter((row) => worse(row) && CLEAR.includes(row.trust)).length;
    console.log(
      `${key.padEnd(36)} ${of((r) => r.ari).toFixed(3)}  ${of((r) => r.free ?? NaN).toFixed(3)}    ${of((r) => r.without).toFixed(3)}     ` +
        `${of((r) => Number(r.clusters === r.K)).toFixed(2)}   ${of((r) => Number(worse(r))).toFixed(2)}  ${String(clear).padStart(15)}  ` +
        `${share("overruled", answers - wrongs).padStart(9)}  ${share("resisted", wrongs).padStart(8)}  ${of(
          (r) => r.seconds,
        )
          .toFixed(2)
          .padStart(7)}` +
        (own[0].forest === undefined ? "" : `   ${of((r) => r.forest).toFixed(3)}`),
    );
  }
  bands(rows);
  if (args.peers !== undefined) anchors(sets.map((set) => set.split(" ")[0]));
}

/** What was promised, and reached. */
function bands(rows) {
  for (const mode of new Set(rows.map((row) => row.mode))) {
    for (const word of ["poor", "fair", "good", "very good"]) {
      const own = rows.filter((row) => row.mode === mode && row.trust === word);
      if (own.length === 0) continue;
      const [expected, reached] = [mean(own.map((row) => row.expected)), mean(own.map((row) => row.ari))];
      console.log(
        `K ${mode}, ${word.padEnd(9)} ${String(own.length).padStart(4)} fits: expected ${expected.toFixed(2)}, reached ${reached.toFixed(2)}`,
      );
    }
  }
}

/** What other systems reached on the same sets and draws. */
function anchors(sets) {
  const drawn = args.asked === undefined ? args.peers : "active";
  const lines = readFileSync(peer("anchors.csv"), "utf8").trim().split("\n").slice(1);
  const own = lines
    .map((line) => line.split(","))
    .filter(([set, , mode]) => sets.includes(set) && mode === drawn);
  for (const key of new Set(own.map(([, system, , answers]) => `${system} ${answers}`))) {
    const here = own.filter(([, system, , answers]) => `${system} ${answers}` === key);
    const reached = mean(here.map(([, , , , , ari]) => Number(ari)));
    console.log(`${key.padEnd(36)} ${reached.toFixed(3)}  (${here.length} sets)`);
  }
}

function times() {
  for (const n of [300, 3000, 50000]) {
    const { X, y } = clouds(tools.random, n, 10, { clusters: 4, spread: 1.5 });
    const stream = tools.random(1);
    const pairs = Array.from({ length: 100 }, () => Array.from(stream.sample(2, n))).map(([a, b]) => ({
      a,
      b,
      same: y[a] === y[b],
    }));
    const { result, cpu } = timed(() => tools.learnFromHints(X, { pairs }, { clusters: 4 }));
    const reached = tools.adjustedRand(result.labels, y).toFixed(3);
    console.log(`${n} rows, 100 hints: ${cpu.toFixed(1)} s of CPU, agreement ${reached}`);
  }
}

function parseRows(file) {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
