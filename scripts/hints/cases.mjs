// Labelled tables on which hints are measured and fitted, and hints about them that are drawn from their classes.
import { existsSync, readFileSync } from "node:fs";
import { shared } from "../../bench/shared.mjs";
import { sources } from "../../bench/sources.mjs";
import { labelledSets } from "../judge/sets.mjs";

const MOST_ROWS = 1000;

/** What is needed of the sources, loaded together. */
export const toolsOf = () =>
  sources(
    "hints/index.ts",
    "hints/decide.ts",
    "hints/evidence.ts",
    "hints/fit.ts",
    "hints/fitted.ts",
    "hints/leader.ts",
    "hints/mistakes.ts",
    "hints/shelf.ts",
    "hints/said.ts",
    "hints/arrange.ts",
    "hints/consensus.ts",
    "hints/known.ts",
    "hints/posterior.ts",
    "hints/trust.ts",
    "run/input/prepare.ts",
    "run/fit/unhintedLibrary.ts",
    "data/columns/asTable.ts",
    "core/random.ts",
  );

export function peer(file) {
  return shared("peers", "hints", file);
}

/** Public sets of numbers that are no table of `real`. */
const NUMBERS = ["decoy0", "derm", "ecoli", "iris", "mfeat", "seeds", "segment", "sonar", "wine"];

/** Tables that people made for their own purposes, and sets of numbers: every second one is a half. */
export function realSets(tools) {
  const { fromRows, namedData, readColumns } = tools;
  const real = [...labelledSets({ fromRows, namedData, readColumns, listed: [] })].filter(
    ({ source }) => source === "real",
  );
  return [...real, ...numberSets(tools, NUMBERS)];
}

export function* numberSets({ readColumns }, names) {
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

/** The draws of other systems, by set and kind of pairs. */
export function peerDraws() {
  return JSON.parse(readFileSync(peer("pairs.json"), "utf8"));
}

/**
 * A table as numbers, its classes, and `fit`: what `learnFromHints` does, with all that does not depend on the hints done once
 * for every number of clusters.
 */
export async function caseOf(tools, set, most = MOST_ROWS) {
  const { rows: given, options, truths } = await set.read();
  if (given.rows > most) return undefined;
  const { X, space, unhinted, rows } = tools.prepare(
    tools.asTable(given),
    { ignore: options.label === undefined ? [] : [options.label], method: "hints" },
    true,
  );
  const [{ labels: truth, K }] = truths;
  const y = Array.from({ length: X.rows }, (_, i) => truth[rows?.[i] ?? i]);
  const known = Array.from(y.keys()).filter((i) => y[i] !== -1);
  const agreement = (found, counts = () => true) => {
    const counted = known.filter(counts);
    if (counted.length === 0) return NaN;
    return tools.adjustedRand(
      counted.map((i) => found[i]),
      counted.map((i) => y[i]),
    );
  };
  const arranged = tools.arrange(X, { scale: "none", seed: 0, keep: [] });
  const modes = new Map();
  const mode = (clusters) => {
    if (!modes.has(clusters)) {
      const free = tools.unhintedLibrary(X, { clusters, seed: 0 }, { record: space.record, unhinted });
      const prepared = tools.prepareFit(arranged.X, {
        clusters,
        without: free.clusters,
        given: arranged.partitions(free.library),
        seed: 0,
      });
      const labels = free.clusters > 1 ? free.library[0].labels : new Int32Array(X.rows);
      modes.set(clusters, { free, prepared, without: agreement(labels) });
    }
    return modes.get(clusters);
  };
  return {
    name: set.name,
    X,
    y,
    K,
    known,
    agreement,
    arranged,
    mode,
    fit(hints, clusters) {
      const said = tools.saidIn(tools.fillHints(hints), X.rows, arranged, { clusters });
      const fit = tools.fitHints(mode(clusters).prepared, said);
      const labels = new Int32Array(X.rows);
      fit.labels.forEach((label, place) => (labels[arranged.rowOf(place)] = label));
      return { fit, said, labels };
    },
  };
}

/** Pairs of rows as they come, or those of a list; of these answers a share is wrong, the opposite of the classes. */
export function pairsOf(tools, { y, known }, { count, wrong, draw, drawn }) {
  const stream = tools.random(1000 + draw);
  const pairs =
    drawn ?? Array.from({ length: count }, () => Array.from(stream.sample(2, known.length), (i) => known[i]));
  return pairs.slice(0, count).map(([a, b]) => answerTo(y, a, b, stream.uniform() < wrong));
}

export function answerTo(y, a, b, isWrong) {
  const right = y[a] === y[b];
  return { a, b, same: isWrong ? !right : right, isWrong };
}

export function labelsOf(tools, { y, known }, { count, draw }) {
  const stream = tools.random(1000 + draw);
  const picked = stream.sample(Math.min(count, known.length), known.length);
  return Array.from(picked, (p) => ({ row: known[p], label: `c${y[known[p]]}` }));
}
