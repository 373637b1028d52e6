import type { Note } from "../core/index.ts";
import { inputError, note, option, optionError, progressGate, rule } from "../core/internal.ts";
import { fillHints, hintLinks, type Contradiction, type Hints } from "../data/index.ts";
import { asMatrix, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { requireFinite } from "../matrix/internal.ts";
import type { PlacingRule } from "../method/index.ts";
import { advise, type Advice } from "./advice.ts";
import { arrange, dense } from "./arrange.ts";
import { balance } from "./evidence.ts";
import { everyRow } from "./everyRow.ts";
import type { Fit } from "./decide.ts";
import { fitHints, prepareFit } from "./fit.ts";
import { knownFrom } from "./known.ts";
import { suspiciousHints, type SuspiciousHint } from "./mistakes.ts";
import { movedRows, type MovedRow } from "./moved.ts";
import { readableMetric, type ReadableMetric } from "./readableMetric.ts";
import { colorableFrom } from "./resolve.ts";
import { saidIn } from "./said.ts";
import { countOf, type GivenPartition } from "./shelf.ts";
import { taughtRows } from "./taught.ts";
import { FEW_ANSWERS, trustIn, type HintTrust } from "./trust.ts";

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
  /** All hints are facts, also those that the data and the other hints speak against. */
  certain: rule.flag(false),
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

/** Maximum number of suspicious hints with a note of their own. */
const NAMED = 10;
/** Number of all-different labels above which a note is given: they may be ids. */
const MANY_NAMES = 12;

/**
 * Clusters that follow a person's knowledge about some rows. Candidate partitions (shelf.ts, learned.ts) are weighed by what
 * they predict of the answers (posterior.ts), and vote if the answers support a change; otherwise the partition without hints
 * stays. The result keeps every hint but those that contradict others, and those that are very likely mistakes (mistakes.ts):
 * both are listed.
 */
export function learnFromHints(
  data: MatrixLike,
  hints: Partial<Hints>,
  options: LearnFromHintsOptions = {},
): HintedClustering {
  const resolved = rule.resolveOptions("learnFromHints", options, learnFromHintsOptions);
  const { seed, scale, library, clusters, without, nameOf, certain } = resolved;
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
  const prepared = prepareFit(rows.X, { clusters, without, given: rows.partitions(library), seed });
  const source = saidIn(said, X.rows, rows, { taught, clusters, nameOf, certain });
  const fit = fitHints(prepared, source, going);
  const { known } = fit;
  const kept = source.links(fit.accused);
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
  const usual = library.find(({ weight }) => weight === undefined)?.labels;
  const { labels, count, placing } = everyRow(X, rows, fit.labels, metric.maps, all, K, usual);
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
  const moved = movedRows(rows, usual, labels, count, fit, all);
  notes.push(...supportNotes(fit, moved.length));
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
  const suspicious = suspiciousHints(fit.accused, labels, nameOf);
  for (const { message, rows: involved } of suspicious.slice(0, NAMED))
    notes.push(
      note("suspicious", `${message} (${option("certain")} takes all hints as facts)`, { row: involved[0] }),
    );
  if (suspicious.length > NAMED)
    notes.push(
      note(
        "suspicious",
        `${suspicious.length - NAMED} more hints are suspicious: "suspicious" in the JSON result lists all`,
      ),
    );
  const sizes = Array<number>(count).fill(0);
  for (const label of labels) sizes[label]++;
  const columnOf = rows.scaled.kept;
  return {
    method: "hints",
    clusters: count,
    labels: Array.from(labels),
    sizes,
    names: clusterNames(links.names, labels, count),
    members: [...fit.members]
      .sort((a, b) => b.weight - a.weight)
      .map((member) => ({
        name: member.name,
        weight: member.weight,
        learned: member.learned === true,
        balance: balance(member.table),
      })),
    explained: explain(fit),
    trust: trustIn(fit, known.answers),
    guarded: fit.guarded,
    undecided: fit.undecided,
    moved,
    contradictions: kept.contradictions,
    suspicious,
    advice: advise(fit, rows, { seed, nameOf }),
    metric: {
      ...metric.readable,
      columns: metric.readable.columns.map((one) => ({ ...one, column: columnOf[one.column] })),
    },
    placing,
    notes,
  };
}

/** How far the hints decide, where that is not enough. */
function supportNotes(fit: Fit, moved: number): Note[] {
  const { answers } = fit.known;
  const few = answers > 0 && answers < FEW_ANSWERS;
  const hinted = answers === 1 ? "1 hint" : `${answers} hints`;
  const notes: Note[] = [];
  const { apartSame, togetherDifferent } = fit.usual.table;
  if (fit.guarded && apartSame + togetherDifferent > 0 && answers > 0) {
    notes.push(
      note(
        "guard",
        "the hints do not support a change, so the partition without hints was kept, with the hints enforced " +
          `(balance of the hints ${fit.balance.toFixed(2)}, chance is 0.5)`,
      ),
    );
  }
  if (fit.undecided && moved > 0) {
    notes.push(
      note(
        "undecided",
        `rows moved, but ${few ? hinted : "the hints"} hardly say${few && answers === 1 ? "s" : ""} whether that is ` +
          `better than without hints: ${few ? `${FEW_ANSWERS} or more` : "more hints"} would decide it`,
      ),
    );
  } else if (few) {
    notes.push(
      note(
        "few-answers",
        `conclusions from so few hints (${answers}) can mislead; ${FEW_ANSWERS} or more are safer`,
      ),
    );
  }
  return notes;
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

function explain({ table, balance: held, known, accused }: Fit): Explained {
  const share = (right: number, wrong: number): number => (right + wrong > 0 ? right / (right + wrong) : 0);
  const { togetherSame, togetherDifferent, apartSame, apartDifferent } = table;
  return {
    share: share(togetherSame + apartDifferent, apartSame + togetherDifferent),
    same: share(togetherSame, apartSame),
    different: share(apartDifferent, togetherDifferent),
    balance: held,
    answers: known.answers + accused.length,
  };
}
