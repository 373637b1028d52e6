import { note } from "../core/internal.ts";
import { hasLevels, mostlyVectors, splitKinds, type FeatureRecord } from "../features/index.ts";
import { storeMatrix, type Matrix } from "../matrix/index.ts";
import { placingRule, type Fact, type FitOptions, type Fitted, type Proposal } from "../method/index.ts";
import { clusterMeans } from "../method/internal.ts";
import type { Trust } from "../model/index.ts";
import { adjustedRand } from "../score/index.ts";
import type { Choice, JudgedCandidate, PathEntry } from "./choice.ts";
import { choosePartition } from "./choosePartition.ts";
import { CERTAIN } from "./evidence/judge.ts";
import { trustWord, odds } from "./trust.ts";
import type { MixedPartition } from "./mixedPartition.ts";
import type { PartitionCandidate } from "./pool.ts";

/** A partition with its own rule for other rows. */
export interface PlacedChoice extends Choice {
  readonly placing?: Proposal;
}

/**
 * The choice on the features of a table. Ties break neighbour graphs, so tables with levels have their own
 * model; but if vectors carry most of the weight, their neighbours are more informative, and the levels are
 * left out. The code of that model is loaded with the first such table.
 */
export async function chosenPartition(
  X: Matrix,
  options: FitOptions,
  record?: FeatureRecord,
): Promise<PlacedChoice> {
  if (record?.scale === "unit" && !mostlyVectors(record)) {
    return choosePartition(X, { ...options, scale: "none", directions: true });
  }
  if (record === undefined || !hasLevels(record)) return choosePartition(X, { ...options, scale: "none" });
  if (mostlyVectors(record)) {
    // Its rule would be one for the vectors alone.
    const { rule: _, ...choice } = choosePartition(splitKinds(record, X).X, { ...options, scale: "none" });
    return { ...choice, centers: clusterMeans(X, choice.labels, choice.clusters) };
  }
  const { clusters, seed, onProgress } = options;
  const { mixedPartition } = await import("./mixedPartition.ts");
  const found = mixedPartition(X, { clusters, seed, onProgress }, record);
  const candidate: PartitionCandidate = {
    method: "mixed",
    options: { clusters: found.clusters },
    labels: found.labels,
    converged: found.converged,
  };
  const { rule: _, ...choice } = choosePartition(X, {
    ...options,
    scale: "none",
    clusters: found.clusters,
    graphs: false,
    candidates: [candidate],
  });
  const notes = [...choice.notes, ...found.warnings.map((message) => note("method", message))];
  const chosen = withPartition(X, { ...choice, notes }, candidate, found);
  return { ...chosen, placing: found.placing };
}

/** The model of mixed tables decides; the others measure the agreement with it. */
function withPartition(
  X: Matrix,
  choice: Choice,
  candidate: PartitionCandidate,
  { tried, sizes: made }: MixedPartition,
): Choice {
  const { labels } = candidate;
  const K = labels.reduce((most, label) => Math.max(most, label + 1), 1);
  const sizes = new Int32Array(K);
  for (const label of labels) sizes[label]++;
  const centers = clusterMeans(X, labels, K);
  const [best] = choice.candidates;
  const isOwn = ({ methods }: JudgedCandidate): boolean =>
    methods.some(({ method }) => method === candidate.method);
  const first = choice.candidates.find(isOwn) ?? {
    ...best,
    labels,
    methods: [{ ...candidate }],
    agreement: 1,
  };
  const others = choice.candidates.filter((one) => !isOwn(one));
  const agreement =
    others.length === 0 ? 1 : Math.max(...others.map((one) => adjustedRand(labels, one.labels)));
  // If the graphs see no clusters but the mixture does, little probability is left for its clusters.
  const { word, probability: seen } = choice.trust;
  const probability = K < 2 ? seen : (word === "none" ? 1 - seen : seen) * Math.max(0, agreement);
  const numbers = tried.length < 2 ? "" : `; ${tried.length} numbers of clusters were compared by ICL`;
  return {
    ...choice,
    labels,
    clusters: K,
    sizes,
    centers,
    chosen: { method: candidate.method, options: candidate.options, converged: candidate.converged },
    candidates: [first, ...others],
    path: iclPath(tried, X.rows, K, made),
    trust: {
      ...choice.trust,
      word: K < 2 ? word : trustWord(probability),
      probability,
      reason: `agreement with the nearest partition of another method ${agreement.toFixed(2)}${numbers}`,
    },
  };
}

/**
 * The numbers of clusters that were compared by ICL. Half the difference of two, as of two BIC, is the logarithm
 * of their odds (Kass and Raftery 1995): the evidence for K is that for one more cluster than the previous number. The
 * smallest number whose gain is enough is taken (cluster/mixture/mixedMixture.ts).
 */
function iclPath(
  tried: MixedPartition["tried"],
  rows: number,
  K: number,
  made: Int32Array,
): readonly PathEntry[] {
  // A number may have been tried from several starts.
  const best = new Map<number, number>();
  for (const { clusters, icl } of tried)
    best.set(clusters, Math.min(icl, best.get(clusters) ?? Number.POSITIVE_INFINITY));
  const path = [...best].sort(([a], [b]) => a - b);
  if (path.length < 2) return [];
  const one = path[0][1];
  const most = one - Math.min(...path.map(([, icl]) => icl));
  return path.map(([clusters, icl], t) => ({
    clusters,
    gain: most > 0 ? Math.max(0, (one - icl) / most) : 0,
    evidence: t === 0 ? 0 : Math.max(-CERTAIN, Math.min(CERTAIN, (path[t - 1][1] - icl) / 2)),
    icl: -icl / (2 * rows),
    sizes: clusters === K ? Array.from(made).sort((a, b) => b - a) : [],
  }));
}

export function fittedBy(X: Matrix, choice: PlacedChoice): Fitted & { readonly trust: Trust } {
  const {
    labels,
    clusters,
    sizes,
    centers,
    converged,
    notes,
    chosen,
    candidates,
    path,
    trust,
    alternatives,
  } = choice;
  const others = alternatives.map(({ kind, clusters: K }) => `${K} (${kind})`);
  const facts: Fact[] = [
    [
      "chosen",
      clusters === 1
        ? "one cluster: no partition has borders that are clear enough"
        : candidates.length === 1
          ? `${chosen.method}; every method that was tried gave this partition`
          : `${chosen.method}, of ${candidates.length} different partitions`,
    ],
    ...(others.length === 0 ? [] : [["also", `${others.join(", ")} clusters`] as Fact]),
    ...(path.length < 2 ? [] : [["K", pathText(path, clusters)] as Fact]),
  ];
  return {
    labels,
    clusters,
    sizes,
    converged,
    warnings: notes.map(({ message }) => message),
    centers,
    placing:
      choice.rule === undefined
        ? placingRule(X, labels, clusters, choice.placing ?? { kind: "centers", centers })
        : { ...choice.rule, agreement: 1, means: storeMatrix(centers) },
    facts,
    details: {
      chosen,
      candidates: candidates.map(withoutLabels),
      path,
      alternatives: alternatives.map(({ labels: own, ...other }) => ({ ...other, labels: Array.from(own) })),
      perCluster: choice.perCluster,
      outlierRows: Array.from(choice.outlierRows),
      form: choice.form,
    },
    drawing: {},
    trust: { word: trust.word, probability: trust.probability, why: trust.reason },
  };
}

/**
 * "2: 97 %, 3: 95 % (taken), 4: 12 %": the probability that the weakest border of the best partition into K
 * is real, or the gain of K.
 */
function pathText(path: Choice["path"], taken: number): string {
  const near = path.filter(
    ({ clusters }) => clusters > 1 && (Math.abs(clusters - taken) <= 3 || clusters <= 4),
  );
  const told = near.map(
    ({ clusters, evidence, gain }) =>
      `${clusters}: ${gain === undefined ? oddsText(evidence) : `${Math.round(100 * gain)} %`}${clusters === taken ? " (taken)" : ""}`,
  );
  const means =
    path[0].gain === undefined
      ? "chance that all clusters are real"
      : "gain in ICL over one cluster, as a share of the largest; the smallest number close to 100 % is taken";
  return `${told.join(", ")}${taken === 1 ? "; 1 taken" : ""} (${means})`;
}

function oddsText(evidence: number): string {
  return odds(evidence).replace("less than ", "<").replace("more than ", ">");
}

function withoutLabels(candidate: JudgedCandidate): Omit<JudgedCandidate, "labels"> {
  const { labels: _, ...judged } = candidate;
  return judged;
}
