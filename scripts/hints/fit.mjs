// The fit of what is believed before the answers. Fits with the usual priors are made once; then only their weights change.
import { labelsOf, pairsOf } from "./cases.mjs";

/** What is tried of each number, one number after the other, until none helps. */
const TRIED = {
  caution: [1, 1.5, 2, 3, 4, 6],
  views: [0.1, 0.2, 0.4],
  learned: [0.02, 0.05, 0.1, 0.2, 0.4],
  merged: [0.1, 0.3, 1],
  asSaid: [2, 3, 4, 6],
  notSaid: [1, 1.5, 2],
};
const ROUNDS = 2;
/** A loss against the partition without hints counts so many times a gain: who answers must not be harmed. */
const LOSS = 3;
/** Share of right answers that may be called mistakes. */
const ACCUSED = 0.02;
const BANDS = 10;

/** Fits of these tables, with K given and open, and with wrong answers. */
export function fitsOf(tools, one, { draws, budgets, wrongs, labels = [] }) {
  const fits = [];
  const add = (clusters, hints, about) => {
    const { fit, said } = one.fit(hints, clusters);
    const { prepared, without } = one.mode(clusters);
    fits.push({ one, prepared, said, fit, without, ...about });
  };
  for (const clusters of [one.K, undefined]) {
    for (let draw = 0; draw < draws; draw++) {
      for (const wrong of wrongs) {
        const pairs = pairsOf(tools, one, { count: Math.max(...budgets), wrong, draw });
        for (const answers of budgets) {
          const own = pairs.slice(0, answers);
          add(clusters, { pairs: own }, { kind: `${answers} pairs, ${wrong}`, pairs: own });
        }
      }
      for (const count of labels) {
        const own = labelsOf(tools, one, { count, draw });
        add(clusters, { labels: own }, { kind: `${count} labels`, pairs: [] });
      }
    }
  }
  return fits;
}

/** The members with the weights of the present priors, and the result. */
function again(tools, { prepared, said, fit }) {
  const members = reweighed(tools, fit);
  return tools.decided(prepared, said, members, fit.accused);
}

function reweighed(tools, { members, usual }) {
  const logs = members.map((one) => {
    const own = tools.evidence(one.table);
    const none = one === usual ? Math.log1p(Math.exp(tools.evidenceOfNone(one.table) - own)) : 0;
    return tools.logPrior(one) + own + none;
  });
  const most = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - most));
  const total = weights.reduce((a, b) => a + b, 0);
  return members.map((one, m) => ({ ...one, weight: weights[m] / total }));
}

/** The mean gain over the partitions without hints, where a loss counts more; every table and kind of answers counts the same. */
function utility(tools, fits) {
  const sums = new Map();
  for (const fit of fits) {
    const members = reweighed(tools, fit.fit);
    const usual = members[fit.fit.members.indexOf(fit.fit.usual)];
    const leader = tools.leaderOf(tools.heaviest(members, 60), usual);
    const gain = leader === usual ? 0 : ariOf(fit, leader.labels) - ariOf(fit, usual.labels);
    const key = `${fit.one.name} ${fit.kind}`;
    if (!sums.has(key)) sums.set(key, []);
    sums.get(key).push(gain < 0 ? LOSS * gain : gain);
  }
  return mean([...sums.values()].map(mean));
}

const known = new WeakMap();

function ariOf({ one }, labels) {
  if (!known.has(labels)) known.set(labels, one.agreement(inOrder(one, labels)));
  return known.get(labels);
}

function inOrder({ X, arranged }, labels) {
  const found = new Int32Array(X.rows);
  labels.forEach((label, place) => (found[arranged.rowOf(place)] = label));
  return found;
}

/** The priors by coordinate ascent; they are set in the sources too. */
export function fitPriors(tools, fits, say = () => {}) {
  const { prior } = tools.fitted;
  const place = (name) => (name in prior ? prior : tools.fitted);
  let best = utility(tools, fits);
  say(`before: ${best.toFixed(4)}`);
  for (let round = 0; round < ROUNDS; round++) {
    let moved = false;
    for (const [name, values] of Object.entries(TRIED)) {
      const before = place(name)[name];
      let chosen = before;
      for (const value of values) {
        if (value === before) continue;
        place(name)[name] = value;
        const found = utility(tools, fits);
        say(`  ${name} ${value}: ${found.toFixed(4)}`);
        if (found > best + 1e-4) [best, chosen] = [found, value];
      }
      place(name)[name] = chosen;
      moved ||= chosen !== before;
    }
    if (!moved) break;
  }
  const { caution } = tools.fitted;
  say(`priors ${JSON.stringify({ ...prior, caution })}: ${best.toFixed(4)}`);
  return { prior: { ...prior }, caution };
}

/** The largest probability below which hardly any right answer lies. */
export function fitMistaken(tools, fits) {
  const { fitted } = tools;
  const before = fitted.mistaken;
  fitted.mistaken = 1;
  const right = fits
    .filter(({ pairs }) => pairs.length > 0 && pairs.every(({ isWrong }) => !isWrong))
    .flatMap(({ said, fit }) =>
      tools
        .mistakes(
          said.statements,
          fit.members.filter(({ learned }) => learned !== true),
        )
        .map(({ likely }) => likely),
    )
    .sort((a, b) => a - b);
  fitted.mistaken = before;
  return Number(right[Math.floor(ACCUSED * right.length)].toFixed(4));
}

/** What was reached, by support: means and tenths of bands with as many fits each, made to rise. */
export function fitTrust(tools, fits) {
  const reached = fits.map((fit) => {
    const { balance, expected, labels } = again(tools, fit);
    return { support: (balance + expected) / 2, ari: fit.one.agreement(inOrder(fit.one, labels)) };
  });
  reached.sort((a, b) => a.support - b.support);
  const rows = Array.from({ length: BANDS }, (_, b) => {
    const own = reached.slice(
      Math.round((b * reached.length) / BANDS),
      Math.round(((b + 1) * reached.length) / BANDS),
    );
    const aris = own.map(({ ari }) => ari).sort((p, q) => p - q);
    const tenth = (share) => aris[Math.min(aris.length - 1, Math.floor(share * aris.length))];
    return {
      support: mean(own.map(({ support }) => support)),
      expected: mean(aris),
      low: Math.max(0, tenth(0.1)),
      high: tenth(0.9),
      weight: own.length,
    };
  });
  const rising = Object.fromEntries(["expected", "low", "high"].map((name) => [name, isotonic(rows, name)]));
  return rows.map(({ support }, r) => ({
    support: round(support),
    expected: round(rising.expected[r]),
    low: round(Math.min(rising.low[r], rising.expected[r])),
    high: round(Math.max(rising.high[r], rising.expected[r])),
  }));
}

/** The nearest values that do not fall (pool adjacent violators). */
function isotonic(rows, name) {
  const blocks = [];
  for (const row of rows) {
    blocks.push({ sum: row[name], count: 1 });
    while (blocks.length > 1) {
      const [a, b] = blocks.slice(-2);
      if (a.sum / a.count <= b.sum / b.count) break;
      blocks.splice(-2, 2, { sum: a.sum + b.sum, count: a.count + b.count });
    }
  }
  return blocks.flatMap(({ sum, count }) => Array(count).fill(sum / count));
}

/** What is reached with the present priors, by kind of answers and mode. */
export function summary(tools, fits) {
  const rows = new Map();
  for (const fit of fits) {
    const mode = fit.prepared.clusters === undefined ? "open" : "given";
    const key = `K ${mode}, ${fit.kind}`;
    if (!rows.has(key)) rows.set(key, []);
    const { labels } = again(tools, fit);
    rows.get(key).push({ ari: fit.one.agreement(inOrder(fit.one, labels)), without: fit.without });
  }
  return [...rows].map(([key, own]) => ({
    key,
    reached: round(mean(own.map(({ ari }) => ari))),
    without: round(mean(own.map(({ without }) => without))),
    worse: round(mean(own.map(({ ari, without }) => Number(ari < without - 0.02)))),
  }));
}

function mean(values) {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

function round(value) {
  return Number(value.toFixed(3));
}
