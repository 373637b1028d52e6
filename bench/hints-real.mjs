// What hints teach on tables that people made for their own purposes, with K given and open, and with wrong answers.
//
//     node bench/hints-real.mjs [--half 1|2] [--sets penguins] [--skip vowel,pima] [--budgets 20,50] [--draws 5] [--wrong 0,0.1,0.2] [--log file]
//     node bench/hints-real.mjs --asked 20       questions of askQuestions instead of random pairs
//     node bench/hints-real.mjs --labels 50      labelled rows instead of pairs
//     node bench/hints-real.mjs --peers half     the sets and draws of other systems, with what these reached; nat: pairs as drawn
//     node bench/hints-real.mjs --read file      the report of such a log; what is in a log is not run again
//     node bench/hints-real.mjs --times          seconds of a fit at 300, 3000 and 50000 rows
//
// Pairs are drawn at random ("natural"); a wrong answer is the opposite of the classes. Sets: $KINDRED_SHARED/real, default
// ../shared, of at most 1000 rows. --half takes every second set: choose on one, report the other. "free" counts the rows in
// no hint. Sets, draws and figures of other systems are in $KINDRED_SHARED/peers/hints.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { labelledSets } from "../scripts/judge/sets.mjs";
import { clouds, mean, settings, timed } from "./measure.mjs";
import { shared } from "./shared.mjs";
import { sources } from "./sources.mjs";

const args = settings(
  { half: undefined, sets: undefined, skip: "", budgets: "20,50", draws: 5, wrong: "0,0.1,0.2" },
  { open: "given,open", asked: undefined, labels: undefined, peers: undefined },
  { log: undefined, read: undefined, times: false },
);
const MOST_ROWS = 1000;
const {
  adjustedRand,
  asTable,
  askQuestions,
  fromRows,
  learnFromHints,
  namedData,
  prepare,
  random,
  readColumns,
  unhintedLibrary,
} = await sources(
  "hints/index.ts",
  "run/input/prepare.ts",
  "run/fit/unhintedLibrary.ts",
  "data/columns/asTable.ts",
  "core/random.ts",
);

if (args.times) times();
else if (args.read !== undefined) report(parseRows(args.read));
else report(await measure());

async function measure() {
  const rows = args.log !== undefined && existsSync(args.log) ? parseRows(args.log) : [];
  const wanted = args.sets?.split(",");
  const draws = args.peers === undefined ? undefined : JSON.parse(readFileSync(peer("pairs.json"), "utf8"));
  const real = [...labelledSets({ fromRows, namedData, readColumns, listed: [] })].filter(
    ({ source }) => source === "real",
  );
  const usual = draws === undefined ? [...real, ...numberSets(NUMBERS)] : [...numberSets(Object.keys(draws))];
  const chosen = usual.filter(
    ({ name }, i) =>
      (wanted === undefined || wanted.includes(name)) &&
      !args.skip.split(",").includes(name) &&
      (args.half === undefined || i % 2 === Number(args.half) - 1),
  );
  for (const set of chosen) {
    const { rows: table, options, truths } = await set.read();
    if (table.rows > MOST_ROWS) continue;
    const one = setOf(asTable(table), options, truths[0], draws?.[set.name.split(" ")[0]][args.peers]);
    for (const mode of args.open.split(",")) {
      const clusters = mode === "given" ? one.K : undefined;
      const free = one.free(clusters);
      for (const { kind, answers, wrong, draw, hints } of one.hints(clusters, free)) {
        const key = { set: set.name, mode, kind, answers, wrong, draw };
        if (rows.some((row) => Object.entries(key).every(([name, value]) => row[name] === value))) continue;
        const start = process.cpuUsage().user;
        const found = learnFromHints(one.X, hints, {
          clusters,
          without: free.clusters,
          library: free.library,
          scale: "none",
        });
        const seconds = (process.cpuUsage().user - start) / 1e6;
        const said = hints.pairs ?? [];
        const named = new Set(said.flatMap(({ a, b }) => [a, b]));
        const broken = (right) =>
          said.filter(
            ({ a, b, same }) =>
              ((one.y[a] === one.y[b]) === same) === right && (found.labels[a] === found.labels[b]) !== same,
          ).length;
        rows.push({
          ...key,
          K: one.K,
          ari: one.agreement(found.labels),
          free: one.agreement(found.labels, (i) => !named.has(i)),
          without: one.agreement(free.clusters > 1 ? free.library[0].labels : new Int32Array(one.X.rows)),
          clusters: found.clusters,
          trust: found.trust.word,
          expected: found.trust.expected,
          overruled: broken(true),
          resisted: broken(false),
          guarded: Number(found.guarded),
          seconds,
        });
        if (args.log !== undefined) appendFileSync(args.log, `${JSON.stringify(rows.at(-1))}\n`);
      }
    }
    console.log(set.name);
  }
  return rows;
}

/** Public sets of numbers that are no table of `real`. */
const NUMBERS = ["decoy0", "derm", "ecoli", "iris", "mfeat", "seeds", "segment", "sonar", "wine"];

function peer(file) {
  return shared("peers", "hints", file);
}

function* numberSets(names) {
  for (const name of names) {
    const path = peer(`${name}.csv`);
    if (!existsSync(path)) continue;
    yield {
      name: `${name} (numbers)`,
      async read() {
        const table = await readColumns(path);
        const { codes, values } = table.columns.find((column) => column.name === "class");
        const known = new Map();
        const labels = Array.from({ length: table.rows }, (_, i) => {
          const cell = codes?.[i] ?? values[i];
          if (!known.has(cell)) known.set(cell, known.size);
          return known.get(cell);
        });
        return { rows: table, options: { label: "class" }, truths: [{ labels, K: known.size }] };
      },
    };
  }
}

/** A table as numbers, its partitions without hints, and hints about it: drawn here, or those of `draws`. */
function setOf(table, { label }, { labels: truth, K }, draws) {
  const prepared = prepare(table, { ignore: [label], method: "hints" }, true);
  const { X, space, unhinted, rows } = prepared;
  const y = Array.from({ length: X.rows }, (_, i) => truth[rows?.[i] ?? i]);
  const known = Array.from(y.keys()).filter((i) => y[i] !== -1);
  return {
    X,
    y,
    K,
    agreement: (found, counts = () => true) => {
      const rows = known.filter(counts);
      return adjustedRand(
        rows.map((i) => found[i]),
        rows.map((i) => y[i]),
      );
    },
    free: (clusters) => unhintedLibrary(X, { clusters, seed: 0 }, { record: space.record, unhinted }),
    *hints(clusters, free) {
      for (const wrong of args.wrong.split(",").map(Number)) {
        for (let draw = 0; draw < args.draws; draw++) {
          const stream = random(1000 + draw);
          const answered = (a, b) => {
            const right = y[a] === y[b];
            return { a, b, same: stream.uniform() < wrong ? !right : right };
          };
          if (args.labels !== undefined) {
            const picked = stream.sample(Math.min(Number(args.labels), known.length), known.length);
            const hints = Array.from(picked, (p) => ({ row: known[p], label: `c${y[known[p]]}` }));
            yield { kind: "labels", answers: hints.length, wrong: 0, draw, hints: { labels: hints } };
          } else if (args.asked !== undefined) {
            const budget = Number(args.asked);
            const round = askQuestions(X, {
              clusters,
              budget,
              seed: draw,
              ...free,
              without: free.clusters,
              scale: "none",
            });
            const pairs = [];
            for (let step = round.next(); !step.done;) {
              pairs.push(answered(step.value.a, step.value.b));
              step = round.next(pairs.at(-1).same ? "same" : "different");
            }
            yield { kind: "asked", answers: budget, wrong, draw, hints: { pairs } };
          } else {
            const budgets = args.budgets.split(",").map(Number);
            const random = () => stream.sample(2, known.length).map((i) => known[i]);
            const drawn = draws?.[draw] ?? Array.from({ length: Math.max(...budgets) }, random);
            const pairs = drawn.map(([a, b]) => answered(a, b));
            for (const answers of budgets) {
              const kind = args.peers ?? "natural";
              yield { kind, answers, wrong, draw, hints: { pairs: pairs.slice(0, answers) } };
            }
          }
        }
      }
    },
  };
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
  console.log(
    "                                      mean   free  without  K right  worse  overruled  resisted  seconds",
  );
  for (const [key, own] of groups) {
    const of = (value) =>
      mean(
        sets
          .map((set) => own.filter((row) => row.set === set))
          .filter((part) => part.length > 0)
          .map((part) => mean(part.map(value))),
      );
    const answers = own.reduce((sum, row) => sum + row.answers, 0);
    const wrongs = own.reduce((sum, row) => sum + row.answers * row.wrong, 0);
    const share = (name, all) =>
      ((100 * own.reduce((sum, row) => sum + row[name], 0)) / Math.max(1, all)).toFixed(1);
    console.log(
      `${key.padEnd(36)} ${of((r) => r.ari).toFixed(3)}  ${of((r) => r.free).toFixed(3)}    ${of((r) => r.without).toFixed(3)}    ${of((r) => Number(r.clusters === r.K)).toFixed(2)}   ${of((r) => Number(r.ari < r.without - 0.02)).toFixed(2)}   ${share("overruled", answers - wrongs).padStart(6)}   ${share("resisted", wrongs).padStart(7)}   ${of((r) => r.seconds).toFixed(2)}`,
    );
  }
  if (args.peers !== undefined) anchors(sets.map((set) => set.split(" ")[0]));
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
    const { X, y } = clouds(random, n, 10, { clusters: 4, spread: 1.5 });
    const stream = random(1);
    const pairs = Array.from({ length: 100 }, () => Array.from(stream.sample(2, n))).map(([a, b]) => ({
      a,
      b,
      same: y[a] === y[b],
    }));
    const { result, cpu } = timed(() => learnFromHints(X, { pairs }, { clusters: 4 }));
    const reached = adjustedRand(result.labels, y).toFixed(3);
    console.log(`${n} rows, 100 hints: ${cpu.toFixed(1)} s of CPU, agreement ${reached}`);
  }
}

function parseRows(file) {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
