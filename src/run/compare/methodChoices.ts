import { option, optionError, rule } from "../../core/internal.ts";
import type { FeatureRecord } from "../../features/index.ts";
import { expectedAgreement, sampleBelief } from "../../judge/internal.ts";
import { isSparse, type Matrix, type Sparse, toDense } from "../../matrix/index.ts";
import { type ClusteringMethod, shownOptions, type WeighedPartitions } from "../../method/index.ts";
import { adjustedRand } from "../../score/index.ts";
import { MOST_NUMBERS, type Prepared } from "../input/prepare.ts";
import { hinted, methodNamed, methods, unknownOption } from "../methods.ts";
import type { CompareOptions } from "./compare.ts";
import { type FitAnswer, MOST_ROWS } from "./compareTasks.ts";
import type { FailedMethod } from "./comparison.ts";

export interface MethodChoice {
  readonly method: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Methods that need only the rows. */
export const comparable: readonly ClusteringMethod[] = methods.filter(
  ({ name, needs }) => name !== hinted.name && needs.pairs !== "required" && needs.labels !== "required",
);

/** Of these, the methods that are compared by default. */
export const compared: readonly string[] = comparable
  .filter(({ needs, onRequest }) => needs.oneUnit !== true && onRequest !== true)
  .map(({ name }) => name);

/**
 * Every method that needs only the rows, or the requested ones; quick methods first, so the time limit
 * affects few.
 */
export async function choicesOf(asked: CompareOptions["methods"]): Promise<MethodChoice[]> {
  const effort: readonly ClusteringMethod["takes"][] = [undefined, "longer", "longest"];
  const found = (asked ?? compared).map((one) => {
    const choice = typeof one === "string" ? { method: one, options: {} } : one;
    const method = methodNamed(choice.method);
    if (!comparable.includes(method)) {
      const { needs } = method;
      const what = needs.labels === "required" ? "labels" : needs.pairs === "required" ? "pairs" : "hints";
      throw optionError(
        `${option("methods")}: ${method.name} needs ${what}, which a comparison does not have`,
      );
    }
    return { choice: { ...choice, method: method.name }, method };
  });
  for (const { choice, method } of found) {
    const { options } = await method.open();
    const known = shownOptions(options).map(({ name }) => name);
    const strange = Object.keys(choice.options).find((name) => !known.includes(name));
    if (strange !== undefined) throw unknownOption(method.name, strange, known);
  }
  // The default is always included.
  const distinct = new Map(
    found.filter(({ choice }) => !isDefault(choice)).map((one) => [nameOf(one.choice), one]),
  );
  return [...distinct.values()]
    .toSorted((a, b) => effort.indexOf(a.method.takes) - effort.indexOf(b.method.takes))
    .map(({ choice }) => choice);
}

/** Sparse rows are not sampled. */
export function fitting(
  choices: readonly MethodChoice[],
  X: Prepared["X"],
): { kept: MethodChoice[]; left: FailedMethod[] } {
  const tooLarge = ({ method }: MethodChoice): boolean =>
    isSparse(X) && methodNamed(method).needs.quadratic === true && X.rows > MOST_ROWS;
  return {
    kept: choices.filter((choice) => !tooLarge(choice)),
    left: choices
      .filter(tooLarge)
      .map((choice) =>
        failure(choice, "memory", `left out: its memory grows with the square of the ${X.rows} rows`),
      ),
  };
}

export function isDefault({ method, options }: MethodChoice): boolean {
  return method === "auto" && Object.keys(options).length === 0;
}

/** "cc --neighbors 10": in the form of `kindred cluster --method`. */
export function nameOf({ method, options }: MethodChoice): string {
  return [method, ...Object.entries(options).flatMap(([name, value]) => rule.flagWords(name, value))].join(
    " ",
  );
}

export function failure(choice: MethodChoice, why: FailedMethod["why"], message: string): FailedMethod {
  return { name: nameOf(choice), ...choice, why, message };
}

/** Adjusted Rand index above which two partitions count as the same. */
export const SAME = 0.98;

export interface Fit {
  readonly choice: MethodChoice;
  readonly answer: FitAnswer;
  readonly judgement: Judgement;
}

/**
 * The default's choice first. Of the others those with the requested number of clusters first, then by expected
 * agreement.
 */
export function ranked(fits: readonly Fit[], clusters: number): Fit[] {
  const order = (fit: Fit): readonly number[] => [
    isDefault(fit.choice) ? 0 : 1,
    fit.answer.clusters === clusters ? 0 : 1,
    -(fit.judgement.expected ?? -Infinity),
  ];
  return fits
    .map((fit) => ({ fit, keys: [...order(fit), nameOf(fit.choice)] }))
    .toSorted((a, b) => {
      for (const [k, key] of a.keys.entries()) {
        if (key < b.keys[k]) return -1;
        if (key > b.keys[k]) return 1;
      }
      return 0;
    })
    .map(({ fit }) => fit);
}

/** Fits with (nearly) the same partition form one group, represented by the first. */
export function grouped(fits: readonly Fit[]): [Fit, ...Fit[]][] {
  const groups: [Fit, ...Fit[]][] = [];
  for (const fit of fits) {
    const like = groups.find(([leader]) => agreementOf(leader, fit) >= SAME);
    if (like === undefined) groups.push([fit]);
    else like.push(fit);
  }
  return groups;
}

export function agreementOf(a: Fit, b: Fit): number {
  return adjustedRand(a.answer.labels, b.answer.labels, { unknown: "class" });
}

/** What the belief over partitions says of one, without labels. */
interface Judgement {
  /** Its expected agreement with the truth (adjusted Rand index); null if the rows are too many numbers. */
  readonly expected: number | null;
}

export type Judge = (labels: Int32Array) => Judgement;

/**
 * Judges every partition of a comparison by the belief of the default, so the numbers of two partitions are comparable. Rows
 * in no cluster count as one more cluster.
 *
 * @param formed what the default found; absent, if it was not done
 */
export function judgeOf(
  rows: Matrix | Sparse,
  record: FeatureRecord | undefined,
  seed: number,
  formed?: WeighedPartitions,
): Judge {
  if (isSparse(rows) && rows.rows * rows.cols > MOST_NUMBERS) return () => ({ expected: null });
  const belief = formed ?? beliefOf(isSparse(rows) ? toDense(rows) : rows, record, seed);
  return (labels) => {
    const own = belief.rows.map((row) => labels[row] + 1);
    const expected = expectedAgreement(own, belief.partitions, belief.weights);
    return { expected: new Set(own).size < 2 ? null : expected };
  };
}

function beliefOf(X: Matrix, record: FeatureRecord | undefined, seed: number): WeighedPartitions {
  const { order, rows, members, weights } = sampleBelief(X, record, { seed, going: () => true });
  return { rows: order.subarray(0, rows), partitions: members.map(({ labels }) => labels), weights };
}
