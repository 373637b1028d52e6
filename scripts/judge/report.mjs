// Tables of what a judge reached: adjusted Rand with the number of clusters open and given, trust against outcome.

import { wordOf } from "./fit.mjs";

export const mean = (values, weights = values.map(() => 1)) =>
  values.reduce((sum, value, i) => sum + value * weights[i], 0) / weights.reduce((a, b) => a + b, 0);

export function spearman(a, b) {
  const [x, y] = [ranks(a), ranks(b)];
  const [mx, my] = [mean(x), mean(y)];
  const of = (u, mu, v, mv) => u.reduce((sum, value, i) => sum + (value - mu) * (v[i] - mv), 0);
  return of(x, mx, y, my) / Math.sqrt(of(x, mx, x, mx) * of(y, my, y, my));
}

function ranks(values) {
  const order = [...values.keys()].sort((a, b) => values[a] - values[b]);
  const out = Array(values.length);
  for (let i = 0, j = 0; i < order.length; i = j) {
    while (j < order.length && values[order[j]] === values[order[i]]) j++;
    for (let k = i; k < j; k++) out[order[k]] = (i + j - 1) / 2;
  }
  return out;
}

export const SOURCES = ["real", "datasets", "battery", "generated", "records"];

/** One line per source. Rows: { set, source, truths, K, found, open, given, bestOpen, bestGiven }. */
export function summary(rows, print = console.log) {
  print("source      sets  K open  (best)  K given  (best)  exact K  |log K/K*|");
  for (const source of SOURCES) {
    const own = rows.filter((row) => row.source === source && row.truths > 0);
    if (own.length === 0) continue;
    const weights = own.map(({ truths }) => 1 / truths);
    const of = (value) => mean(own.map(value), weights).toFixed(3);
    const sets = new Map();
    for (const { set, K, found } of own) sets.set(set, (sets.get(set) ?? false) || K === found);
    print(
      `${source.padEnd(10)}${String(sets.size).padStart(6)}${of((row) => row.open).padStart(8)}${of((row) => row.bestOpen).padStart(8)}` +
        `${of((row) => row.given).padStart(9)}${of((row) => row.bestGiven).padStart(8)}${mean(
          [...sets.values()].map(Number),
        )
          .toFixed(2)
          .padStart(9)}` +
        `${of((row) => Math.abs(Math.log(row.found / row.K))).padStart(12)}`,
    );
  }
}

/**
 * For every word of trust: how many outcomes, the agreement that was expected, the one that the message tells, the one that was
 * reached, and how often it was more than half. Rows: { source, truths, p, agreement, told }.
 */
export function bands(rows, print = console.log) {
  print("trust       word      outcomes  expected  message  reached  over half");
  for (const source of SOURCES) {
    for (const word of ["clear", "doubtful", "weak"]) {
      const own = rows.filter((row) => row.source === source && row.truths > 0 && wordOf(row.p) === word);
      if (own.length === 0) continue;
      const of = (value, width) => mean(own.map(value)).toFixed(2).padStart(width);
      print(
        `${source.padEnd(12)}${word.padEnd(10)}${String(own.length).padStart(8)}${of(({ p }) => p, 10)}` +
          `${own[0].told === undefined ? "".padEnd(9) : of(({ told }) => told, 9)}${of(({ agreement }) => agreement, 9)}` +
          `${of(({ agreement }) => Number(agreement > 0.5), 11)}`,
      );
    }
  }
  for (const source of SOURCES) {
    const own = rows.filter((row) => row.source === source && row.truths > 0);
    if (own.length === 0) continue;
    const weights = own.map(({ truths }) => 1 / truths);
    const [p, reached] = [own.map((row) => row.p), own.map(({ agreement }) => agreement)];
    const brier = mean(
      p.map((value, i) => (value - Number(reached[i] > 0.5)) ** 2),
      weights,
    );
    print(
      `${source.padEnd(12)}rank correlation with what was reached ${spearman(p, reached).toFixed(2)}, Brier score ${brier.toFixed(3)}`,
    );
  }
}

/** How often "no groups" is said, where there are none and where there are. */
export function withoutGroupsTable(rows, print = console.log) {
  const said = (own) => `${own.filter(({ none }) => none > 0.5).length} of ${own.length}`;
  print(`no groups is said of ${said(rows.filter(({ source }) => source === "none"))} sets without groups`);
  for (const source of SOURCES) {
    const own = rows.filter((row) => row.source === source && row.truths > 0);
    if (own.length === 0) continue;
    const clear = own.filter(({ open }) => open > 0.5);
    print(`  ${source}: of ${said(own)}; where more than half agrees, of ${said(clear)}`);
    for (const row of clear.filter(({ none }) => none > 0.5))
      print(`    ${row.set}: ARI ${row.open.toFixed(2)}`);
  }
}
