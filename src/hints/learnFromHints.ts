import type { Note } from "../core/index.ts";
import { inputError, note, option, optionError, progressGate, rule } from "../core/internal.ts";
import {
  fillHints,
  hintLinks,
  type Contradiction,
  type HintLinks,
  type Hints,
  type PairHint,
  type Scaling,
} from "../data/index.ts";
import { asMatrix, matrix, takeRows, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { requireFinite } from "../matrix/internal.ts";
import { placingOf, placingRule, type PlacingRule } from "../method/index.ts";
import { clusterMeans } from "../method/internal.ts";
import { hungarian } from "../score/index.ts";
import { arrange, dense } from "./arrange.ts";
import { voteInto } from "./consensus.ts";
import { balance, misses } from "./evidence.ts";
import { fitHints, prepare, supportOf, type Fit } from "./fit.ts";
import { exclusiveGroups, knownFrom, withDeductions, type Known } from "./known.ts";
import { nextQuestion, openShare, pairKey, type Belief } from "./questions/nextQuestion.ts";
import { choosePlacing } from "./choosePlacing.ts";
import { readableMetric, type ReadableMetric } from "./readableMetric.ts";
import { colorableFrom, requireColorable } from "./resolve.ts";
import {
  mistakes,
  sameSuspects,
  suspiciousHints,
  withFreeSuspects,
  withoutSuspects,
  type Suspect,
  type SuspiciousHint,
} from "./mistakes.ts";
import { heaviest } from "./posterior.ts";
import { countOf, type GivenPartition } from "./shelf.ts";
import { atMostFair, FEW_ANSWERS, trustIn, type HintTrust } from "./trust.ts";

export const learnFromHintsOptions = {
  /** K; without it the number with most support from the hints. */
  clusters: rule.integer({ min: 1 }),
  seed: rule.seed,
  /** Partitions of the rows without hints, the default first; others are added. */
  library: rule.given<readonly GivenPartition[]>("an array of partitions", Array.isArray, []),
  /** The number of clusters without hints, if it is known; 1 if there are no groups, and so no such partition. */
  without: rule.integer({ min: 1 }),
  /** "zscore", or "none" for rows that are already scaled. */
  scale: rule.oneOf(["zscore", "none"], "zscore"),
  /** "keep": hints that the data and the other hints speak against are learned from all the same. */
  suspicious: rule.oneOf(["doubt", "keep"], "doubt"),
  /** The names of rows in messages; default: their numbers. */
  nameOf: rule.given<(row: number) => string>("a function", (value) => typeof value === "function", String),
  onProgress: rule.progress,
};

export type LearnFromHintsOptions = Readonly<rule.OptionsOf<typeof learnFromHintsOptions>>;

/** A clustering learned from hints: plain data. Clusters are numbered by decreasing size. */
export interface HintedClustering {
  readonly method: "hints";
  readonly clusters: number;
  readonly labels: readonly number[];
  readonly sizes: readonly number[];
  /** Names of the clusters of labelled rows, null for others. */
  readonly names: readonly (string | null)[];
  /** What voted, heaviest first. */
  readonly members: readonly HintedMember[];
  /** The share of held-out hints that were predicted. */
  readonly explained: Explained;
  readonly trust: HintTrust;
  /**
   * True: all hints hold in the default partition, or they do not support a change. It was kept, with the hints enforced.
   */
  readonly guarded: boolean;
  /** True: the default was changed, although the hints hardly show that this is better. */
  readonly undecided: boolean;
  /** Rows in another cluster than in the default partition, with the default's clusters renamed to match. */
  readonly moved: readonly MovedRow[];
  readonly contradictions: readonly Contradiction[];
  /** Hints that the data and the other hints speak strongly against. */
  readonly suspicious: readonly SuspiciousHint[];
  readonly advice: Advice;
  readonly metric: ReadableMetric;
  /** Places new rows, `placingOf(placing)(rows)`, like a model file. */
  readonly placing: PlacingRule;
  readonly notes: readonly Note[];
}

export interface HintedMember {
  readonly name: string;
  readonly weight: number;
  readonly learned: boolean;
  /** Held-out balance with the hints (for partitions without hints, on all of them). */
  readonly balance: number;
}

export interface Explained {
  /** Share of the held-out hints that the vote predicted; "same" and "different" separately. */
  readonly share: number;
  readonly same: number;
  readonly different: number;
  /** Mean of the two; 1/2 is chance. */
  readonly balance: number;
  readonly answers: number;
}

export interface MovedRow {
  readonly row: number;
  readonly from: number;
  readonly to: number;
  /** "hint": a hint names this row; "vote": the learned vote places it there, with this share. */
  readonly why: "hint" | "vote";
  readonly share: number;
}

export interface Advice {
  /** Share of the rows whose cluster is undecided. */
  readonly open: number;
  /** The most informative pairs of rows. */
  readonly questions: readonly { readonly a: number; readonly b: number; readonly gain: number }[];
  readonly message: string;
}

/** Maximum number of hinted rows for learning; the result keeps the hints on all of them. */
const MOST_HINTED = 600;
const ADVISED = 5;
/** Maximum number of suspicious hints with a note of their own. */
const NAMED = 10;
/** Maximum number of times that the members learn again without suspicious hints. */
const ROUNDS = 2;
/** Members that are heard on what to ask. */
const HEARD = 40;
/** Share of the rows above which an undecided change is no longer trusted. */
const MANY_MOVED = 0.1;
/** Number of all-different labels above which a note is given: they may be ids. */
const MANY_NAMES = 12;

interface Learned {
  readonly kept: HintLinks;
  /** What the members learned from, and what the result keeps. */
  readonly known: Known;
  readonly keep: Known;
  readonly fit: Fit;
}

/**
 * Clusters that follow a person's knowledge about some rows. Partitions from different views (library.ts) and
 * partitions that learn from the hints (members.ts) are scored by their predictions of held-out hints
 * (score.ts), and vote; the vote keeps every hint (consensus.ts). If the hints do not support a change, the
 * default partition stays, with the hints enforced. Contradictory hints are listed and set aside; hints that the data and
 * the other hints speak against are listed, and nothing is learned from them (suspects.ts).
 */
export function learnFromHints(
  data: MatrixLike,
  hints: Partial<Hints>,
  options: LearnFromHintsOptions = {},
): HintedClustering {
  const resolved = rule.resolveOptions("learnFromHints", options, learnFromHintsOptions);
  const { seed, scale, library, clusters, without, nameOf } = resolved;
  const X = asMatrix(data, "learnFromHints");
  checkInput(X, resolved);
  const gate = progressGate(resolved.onProgress);
  const going = (label: string, fraction: number): boolean => gate({ label, fraction });
  const said = fillHints(hints);
  const links = hintLinks(X.rows, said, nameOf);
  if (clusters !== undefined && links.names.length > clusters) {
    throw optionError(
      `the labels name ${links.names.length} clusters, but ${option("clusters")} asks for ${clusters}`,
    );
  }
  const notes: Note[] = [];
  const taught = taughtRows(links, notes);
  const rows = arrange(X, { scale, seed, keep: taught });
  const prepared = prepare(rows.X, { clusters, without, given: rows.partitions(library), seed });
  const inside = (row: number): boolean => rows.placeOf(row) >= 0;
  const learn = (doubted: readonly Suspect[]): Learned => {
    const part = hintLinks(X.rows, withoutSuspects(said, doubted), nameOf);
    const knownBy = (own: HintLinks): Known => {
      const { same, different } = usedHints(own, taught);
      const known = rows.known(same, different);
      return clusters === undefined ? known : withDeductions(known, clusters);
    };
    const known = knownBy(requireColorable(part, clusters, nameOf));
    const kept = requireColorable(withFreeSuspects(part, doubted), clusters, nameOf);
    const keep = knownBy(kept);
    const fit = fitHints(prepared, known, { known: keep, colorable: (K) => colorableFrom(kept, K) }, going);
    return { kept, known, keep, fit };
  };
  let doubted: readonly Suspect[] = [];
  let learned = learn(doubted);
  for (let round = 0; resolved.suspicious !== "keep" && round < ROUNDS && !gate.stopped; round++) {
    // What was merged as the hints ask for would confirm them.
    const held = learned.fit.members.filter(({ heldOut }) => heldOut !== undefined);
    const found = mistakes(said, inside, [...prepared.shelf.all, ...held], rows.placeOf);
    if (sameSuspects(found, doubted)) break;
    doubted = found;
    learned = learn(doubted);
  }
  const { kept, known, keep, fit } = learned;
  const K = clusters ?? colorableFrom(kept, countOf(fit.labels));
  if (gate.stopped)
    notes.push(note("stopped", "stopped on request: the result uses the members learned so far"));
  if (rows.sampled) {
    notes.push(
      note(
        "sampled",
        `members learned from ${rows.X.rows} of ${X.rows} rows; the rest was placed by the rule`,
      ),
    );
  }
  const all = knownFrom(
    X.rows,
    kept.same.map(({ a, b }): [number, number] => [a, b]),
    kept.different.map(({ a, b }): [number, number] => [a, b]),
  );
  const metric = readableMetric(rows.X, dense(fit.labels), new Set(fit.labels).size);
  const { labels, count, placing } = everyRow(X, rows, fit, metric.maps, all, K);
  if (clusters !== undefined && count < clusters)
    notes.push(
      note(
        "fewer-clusters",
        `${K} clusters were requested, but only ${count} ${count === 1 ? "has" : "have"} rows`,
        {
          option: "clusters",
        },
      ),
    );
  if (fit.guarded && misses(fit.usual.table) > 0 && known.answers > 0) {
    notes.push(
      note(
        "guard",
        "the hints do not support a change, so the partition without hints was kept, with the hints enforced " +
          `(balance of the hints ${fit.balance.toFixed(2)}, chance is 0.5)`,
      ),
    );
  }
  const few = known.answers > 0 && known.answers < FEW_ANSWERS;
  const hinted = known.answers === 1 ? "1 hint" : `${known.answers} hints`;
  const moved = movedRows(
    rows,
    fit.usual.labels,
    library.find(({ weight }) => weight === undefined)?.labels,
    labels,
    count,
    fit,
    all,
  );
  const trust = trustIn(supportOf(fit), known.answers);
  if (fit.undecided && moved.length > 0) {
    notes.push(
      note(
        "undecided",
        `rows moved, but ${few ? hinted : "the hints"} hardly say${few && known.answers === 1 ? "s" : ""} whether that is ` +
          `better than without hints: ${few ? `${FEW_ANSWERS} or more` : "more hints"} would decide it`,
      ),
    );
  } else if (few) {
    notes.push(
      note(
        "few-answers",
        `conclusions from so few hints (${known.answers}) can mislead; ${FEW_ANSWERS} or more are safer`,
      ),
    );
  }
  if (links.names.length > MANY_NAMES && links.same.length === 0) {
    notes.push(
      note(
        "labels-differ",
        `no two of the ${links.names.length} labels are the same: each is a cluster of its own`,
      ),
    );
  }
  for (const { message, rows: involved } of kept.contradictions)
    notes.push(note("contradiction", message, { row: involved[0] }));
  const suspicious = suspiciousHints(doubted, labels, nameOf);
  for (const { message, kept, rows: involved } of suspicious.slice(0, NAMED)) {
    const remedy = kept ? "" : ` (${option("suspicious")} keep uses it)`;
    notes.push(note("suspicious", `${message}${remedy}`, { row: involved[0] }));
  }
  if (suspicious.length > NAMED)
    notes.push(
      note(
        "suspicious",
        `${suspicious.length - NAMED} more hints are suspicious: "suspicious" in the JSON result lists all`,
      ),
    );
  const sizes = Array<number>(count).fill(0);
  for (const label of labels) sizes[label]++;
  const names = clusterNames(links.names, labels, count);
  const columnOf = rows.scaled.kept;
  return {
    method: "hints",
    clusters: count,
    labels: Array.from(labels),
    sizes,
    names,
    members: [...fit.members]
      .sort((a, b) => b.weight - a.weight)
      .map((member) => ({
        name: member.name,
        weight: member.weight,
        learned: member.heldOut !== undefined,
        balance: balance(member.table),
      })),
    explained: explain(fit, keep.answers + suspicious.filter((hint) => !hint.kept).length, suspicious),
    trust: fit.undecided && (moved.length > X.rows * MANY_MOVED || without === 1) ? atMostFair(trust) : trust,
    guarded: fit.guarded && known.answers > 0,
    undecided: fit.undecided,
    moved,
    contradictions: kept.contradictions,
    suspicious,
    advice: advise(prepared, keep, fit, rows, { clusters, seed, nameOf }),
    metric: {
      ...metric.readable,
      columns: metric.readable.columns.map((one) => ({ ...one, column: columnOf[one.column] })),
    },
    placing,
    notes,
  };
}

function checkInput(
  X: Matrix,
  { clusters, library }: Pick<rule.ResolvedOptions<typeof learnFromHintsOptions>, "clusters" | "library">,
): void {
  if (X.rows === 0 || X.cols === 0)
    throw inputError(`learnFromHints: the data is empty (${X.rows} x ${X.cols})`);
  requireFinite(X);
  if (clusters !== undefined && clusters > X.rows) {
    throw optionError(`learnFromHints: cannot make ${clusters} clusters of ${X.rows} rows`);
  }
  for (const { name, labels } of library) {
    if (labels.length !== X.rows) {
      throw optionError(
        `learnFromHints: the partition "${name}" of the library has ${labels.length} labels for ${X.rows} rows`,
      );
    }
  }
}

/** The rows whose hints are learned from: all, or with very many evenly spaced ones, so that every part of the table is used. */
function taughtRows({ same, different, contradictions }: HintLinks, notes: Note[]): readonly number[] {
  const touched = hintedRows([...same, ...different, ...contradictions.flatMap(({ setAside }) => setAside)]);
  if (touched.length <= MOST_HINTED) return touched;
  notes.push(
    note(
      "sampled-hints",
      `members learned from hints about ${MOST_HINTED} of ${touched.length} rows; all hints are kept`,
    ),
  );
  const step = touched.length / MOST_HINTED;
  return Array.from({ length: MOST_HINTED }, (_, r) => touched[Math.floor(r * step)]);
}

/** The hints about these rows; links that went through others stay. */
function usedHints(
  { same, different }: HintLinks,
  taught: readonly number[],
): { same: readonly PairHint[]; different: readonly PairHint[] } {
  const inside = new Set(taught);
  if ([...same, ...different].every(({ a, b }) => inside.has(a) && inside.has(b))) return { same, different };
  const group = new Map<number, number>();
  const find = (i: number): number => {
    while (group.has(i)) i = group.get(i)!;
    return i;
  };
  for (const { a, b } of same) {
    const [p, q] = [find(a), find(b)];
    if (p !== q) group.set(Math.max(p, q), Math.min(p, q));
  }
  const firstOf = new Map<number, number>();
  const joins: PairHint[] = [];
  for (const row of taught) {
    const root = find(row);
    if (firstOf.has(root))
      joins.push({ a: Math.min(firstOf.get(root)!, row), b: Math.max(firstOf.get(root)!, row), same: true });
    else firstOf.set(root, row);
  }
  const splits = new Map<string, PairHint>();
  for (const { a, b } of different) {
    const [p, q] = [firstOf.get(find(a)), firstOf.get(find(b))];
    if (p === undefined || q === undefined || p === q) continue;
    splits.set(pairKey(p, q), { a: Math.min(p, q), b: Math.max(p, q), same: false });
  }
  return { same: joins, different: [...splits.values()] };
}

function hintedRows(hints: readonly PairHint[]): number[] {
  return [...new Set(hints.flatMap(({ a, b }) => [a, b]))].sort((a, b) => a - b);
}

/**
 * Labels of all rows, numbered by decreasing size, and the rule behind them. Rows outside the sample follow
 * the rule, except those that hints place elsewhere.
 */
function everyRow(
  X: Matrix,
  rows: ReturnType<typeof arrange>,
  fit: Fit,
  maps: readonly Matrix[],
  all: Known,
  K: number,
): { labels: Int32Array; count: number; placing: PlacingRule } {
  const known = Array.from({ length: rows.X.rows }, (_, p) => rows.rowOf(p));
  const found = dense(fit.labels);
  const count = new Set(found).size;
  const sample = takeRows(X, known);
  const proposal = choosePlacing(
    sample,
    found,
    count,
    maps.map((map) => onColumns(map, rows.scaled.scaling, X.cols)),
  );
  let labels: Int32Array = new Int32Array(X.rows);
  if (rows.sampled) {
    labels = placingOf(placingRule(sample, found, count, proposal))(X).labels;
    known.forEach((row, p) => (labels[row] = found[p]));
    labels = voteInto([{ labels, weight: 1 }], all, K);
    const placed = new Set(known);
    for (const row of all.hinted) if (!placed.has(row)) known.push(row);
  } else known.forEach((row, p) => (labels[row] = found[p]));
  const order = bySize(labels);
  labels = labels.map((label) => order.get(label)!);
  const kept = takeRows(X, known);
  const own = Int32Array.from(known, (row) => labels[row]);
  const centers = clusterMeans(kept, own, order.size);
  return {
    labels,
    count: order.size,
    placing: placingRule(
      kept,
      own,
      order.size,
      proposal.kind === "centers" ? { ...proposal, centers } : proposal,
    ),
  };
}

/** A map of scaled columns, converted to the original columns; centres do not affect distances. */
function onColumns(map: Matrix, { kept, groups: [{ scale }] }: Scaling, cols: number): Matrix {
  const whole = matrix(cols, map.cols);
  kept.forEach((column, f) => {
    for (let r = 0; r < map.cols; r++)
      whole.data[column * map.cols + r] = map.data[f * map.cols + r] / (scale[f] || 1);
  });
  return whole;
}

function bySize(labels: Int32Array): Map<number, number> {
  const sizes = new Map<number, number>();
  for (const label of labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  const order = [...sizes.keys()].sort((a, b) => sizes.get(b)! - sizes.get(a)! || a - b);
  return new Map(order.map((label, place) => [label, place]));
}

function clusterNames(
  named: readonly { readonly name: string; readonly row: number }[],
  labels: Int32Array,
  count: number,
): (string | null)[] {
  const names = Array<string | null>(count).fill(null);
  for (const { name, row } of named) {
    const before = names[labels[row]];
    names[labels[row]] = before === null ? name : `${before} / ${name}`;
  }
  return names;
}

/** Suspicious hints were not learned, and not predicted. */
function explain(
  { table, balance: held }: Fit,
  answers: number,
  suspicious: readonly SuspiciousHint[],
): Explained {
  const missed = (same: boolean): number => suspicious.filter((hint) => hint.same === same).length;
  const apartSame = table.apartSame + missed(true);
  const togetherDifferent = table.togetherDifferent + missed(false);
  const share = (right: number, wrong: number): number => (right + wrong > 0 ? right / (right + wrong) : 0);
  return {
    share: share(table.togetherSame + table.apartDifferent, apartSame + togetherDifferent),
    same: share(table.togetherSame, apartSame),
    different: share(table.apartDifferent, togetherDifferent),
    balance: held,
    answers,
  };
}

function movedRows(
  rows: ReturnType<typeof arrange>,
  shelfLabels: Int32Array,
  given: ArrayLike<number> | undefined,
  labels: Int32Array,
  count: number,
  fit: Fit,
  all: Known,
): MovedRow[] {
  const n = labels.length;
  const from = new Int32Array(n).fill(-1);
  if (given !== undefined) from.set(dense(Int32Array.from(given)));
  else for (let p = 0; p < shelfLabels.length; p++) from[rows.rowOf(p)] = shelfLabels[p];
  const width = Math.max(count, from.reduce((a, b) => Math.max(a, b), 0) + 1);
  const costs = { rows: width, cols: width, data: new Float64Array(width * width) };
  for (let i = 0; i < n; i++) if (from[i] >= 0) costs.data[from[i] * width + labels[i]]--;
  const { columns } = hungarian(costs);
  const hinted = new Uint8Array(n);
  for (const row of all.hinted) hinted[row] = 1;
  const votes = voteShares(rows, labels, fit);
  const moved: MovedRow[] = [];
  for (let i = 0; i < n; i++) {
    if (from[i] < 0 || columns[from[i]] === labels[i]) continue;
    moved.push({
      row: i,
      from: columns[from[i]],
      to: labels[i],
      why: hinted[i] === 1 ? "hint" : "vote",
      share: votes(i),
    });
  }
  return moved;
}

/**
 * The share of the vote for a row's cluster: for each member, the part of the row's cluster there that lies
 * in its final cluster.
 */
function voteShares(rows: ReturnType<typeof arrange>, labels: Int32Array, fit: Fit): (row: number) => number {
  const tables = fit.members.map(({ labels: own }) => {
    const sizes = new Map<number, number>();
    const shares = new Map<string, number>();
    own.forEach((label, p) => {
      const key = `${label} ${labels[rows.rowOf(p)]}`;
      sizes.set(label, (sizes.get(label) ?? 0) + 1);
      shares.set(key, (shares.get(key) ?? 0) + 1);
    });
    return { sizes, shares };
  });
  return (row) => {
    const p = rows.placeOf(row);
    if (p < 0 || fit.guarded) return 1;
    return fit.members.reduce((sum, { labels: own, weight }, m) => {
      const { sizes, shares } = tables[m];
      return sum + (weight * (shares.get(`${own[p]} ${labels[row]}`) ?? 0)) / sizes.get(own[p])!;
    }, 0);
  };
}

function advise(
  prepared: ReturnType<typeof prepare>,
  known: Known,
  fit: Fit,
  rows: ReturnType<typeof arrange>,
  { clusters, seed, nameOf }: { clusters: number | undefined; seed: number; nameOf: (row: number) => string },
): Advice {
  if (known.rows < 2) return { open: 0, questions: [], message: "there is nothing to ask" };
  const skipped = new Set<string>();
  const belief: Belief = {
    members: heaviest(fit.members, HEARD),
    known,
    ...(clusters !== undefined && { clusters }),
    Z: prepared.ground.Z,
    reach: prepared.ground.reach,
    first: 0,
    skipped,
  };
  const open = openShare(belief);
  const questions: { a: number; b: number; gain: number }[] = [];
  const asked = new Set<number>();
  for (let q = 0; q < 4 * ADVISED && questions.length < ADVISED; q++) {
    const next = nextQuestion(belief, seed + 31 * (q + 1));
    if (next === undefined) break;
    for (const g of exclusiveGroups(known))
      for (const i of known.hinted) if (known.group[i] === g) skipped.add(pairKey(next.a, i));
    skipped.add(pairKey(next.a, next.b));
    if (asked.has(next.a)) continue;
    asked.add(next.a);
    questions.push({ a: rows.rowOf(next.a), b: rows.rowOf(next.b), gain: next.gain });
  }
  const percent = Math.round(100 * open);
  const message =
    questions.length === 0
      ? "there is nothing left to ask"
      : percent < 2
        ? "further answers would change little: at most about 1 % of the rows are undecided"
        : `about ${percent} % of the rows are undecided; ten more answers would help most on pairs such as ` +
          questions.map(({ a, b }) => `${nameOf(a)} and ${nameOf(b)}`).join(", ");
  return { open, questions, message };
}
