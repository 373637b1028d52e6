// What hints teach on tables that people made for their own purposes, with K given and open, and with wrong answers.
//
//     node bench/hints-real.mjs [--half 1|2] [--sets penguins] [--skip vowel,pima] [--budgets 20,50] [--draws 5] [--wrong 0,0.1,0.2] [--log file]
//     node bench/hints-real.mjs --asked 20       questions of askQuestions instead of random pairs
//     node bench/hints-real.mjs --labels 50      labelled rows instead of pairs
//     node bench/hints-real.mjs --read file      the report of such a log; what is in a log is not run again
//
// Pairs are drawn at random ("natural"); a wrong answer is the opposite of the classes. Sets: $KINDRED_SHARED/real, default
// ../shared, of at most 1000 rows. --half takes every second set: choose on one, report the other.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { labelledSets } from "../scripts/judge/sets.mjs";
import { shared } from "./shared.mjs";
import { sources } from "./sources.mjs";

const { values: args } = parseArgs({
  options: {
    half: { type: "string" },
    sets: { type: "string" },
    skip: { type: "string", default: "" },
    budgets: { type: "string", default: "20,50" },
    draws: { type: "string", default: "5" },
    wrong: { type: "string", default: "0,0.1,0.2" },
    open: { type: "string", default: "given,open" },
    asked: { type: "string" },
    labels: { type: "string" },
    log: { type: "string" },
    read: { type: "string" },
  },
});
const MOST_ROWS = 1000;
const tools = await sources(
  "hints/index.ts",
  "run/cluster.ts",
  "run/input/prepare.ts",
  "run/fit/unhintedLibrary.ts",
  "data/columns/asTable.ts",
  "core/random.ts",
);
const { learnFromHints, askQuestions, adjustedRand, random } = tools;

if (args.read !== undefined) report(parseRows(args.read));
else report(await measure());

async function measure() {
  const rows = args.log !== undefined && existsSync(args.log) ? parseRows(args.log) : [];
  const wanted = args.sets?.split(",");
  const real = [...labelledSets({ ...tools, listed: [] })].filter(({ source }) => source === "real");
  const chosen = [...real, ...numberSets()].filter(
    ({ name }, i) =>
      (wanted === undefined || wanted.includes(name)) &&
      !args.skip.split(",").includes(name) &&
      (args.half === undefined || i % 2 === Number(args.half) - 1),
  );
  for (const set of chosen) {
    const { rows: table, options, truths } = await set.read();
    if (table.rows > MOST_ROWS) continue;
    const one = setOf(tools.asTable(table), options, truths[0]);
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
        const broken = (right) =>
          said.filter(
            ({ a, b, same }) =>
              ((one.y[a] === one.y[b]) === same) === right && (found.labels[a] === found.labels[b]) !== same,
          ).length;
        rows.push({
          ...key,
          K: one.K,
          ari: one.agreement(found.labels),
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
function* numberSets() {
  for (const name of ["decoy0", "derm", "ecoli", "iris", "mfeat", "seeds", "segment", "sonar", "wine"]) {
    const path = shared("peers", "hints", `${name}.csv`);
    if (!existsSync(path)) continue;
    yield {
      name: `${name} (numbers)`,
      async read() {
        const table = await tools.readColumns(path);
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

/** A table as numbers, its partitions without hints, and hints about it. */
function setOf(table, { label }, { labels: truth, K }) {
  const prepared = tools.prepare(table, { ignore: [label], method: "hints" }, true);
  const { X, space, unhinted, rows } = prepared;
  const y = Array.from({ length: X.rows }, (_, i) => truth[rows?.[i] ?? i]);
  const known = Array.from(y.keys()).filter((i) => y[i] !== -1);
  return {
    X,
    y,
    K,
    agreement: (found) =>
      adjustedRand(
        known.map((i) => found[i]),
        known.map((i) => y[i]),
      ),
    free: (clusters) => tools.unhintedLibrary(X, { clusters, seed: 0 }, { record: space.record, unhinted }),
    *hints(clusters, free) {
      for (const wrong of args.wrong.split(",").map(Number)) {
        for (let draw = 0; draw < Number(args.draws); draw++) {
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
            const most = Math.max(...args.budgets.split(",").map(Number));
            const pairs = Array.from({ length: most }, () => {
              const [a, b] = stream.sample(2, known.length);
              return answered(known[a], known[b]);
            });
            for (const answers of args.budgets.split(",").map(Number)) {
              yield { kind: "natural", answers, wrong, draw, hints: { pairs: pairs.slice(0, answers) } };
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
    "                                      mean  without  K right  worse  overruled  resisted  seconds",
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
      `${key.padEnd(36)} ${of((r) => r.ari).toFixed(3)}    ${of((r) => r.without).toFixed(3)}    ${of((r) => Number(r.clusters === r.K)).toFixed(2)}   ${of((r) => Number(r.ari < r.without - 0.02)).toFixed(2)}   ${share("overruled", answers - wrongs).padStart(6)}   ${share("resisted", wrongs).padStart(7)}   ${of((r) => r.seconds).toFixed(2)}`,
    );
  }
}

function parseRows(file) {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
