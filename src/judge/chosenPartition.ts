import { plural, rule } from "../core/internal.ts";
import type { FeatureRecord } from "../features/index.ts";
import { storeMatrix, type Matrix } from "../matrix/index.ts";
import { placingRule, type Fact, type FitOptions, type Fitted } from "../method/index.ts";
import type { Trust } from "../model/index.ts";
import type { Alternative, Choice, EqualWeights, JudgedCandidate, Maker } from "./choice.ts";
import { chooseOptions, choiceOver, type ChooseOptions } from "./choosePartition.ts";

/** The choice on the features of a table. */
export function chosenPartition(
  X: Matrix,
  options: FitOptions,
  record?: FeatureRecord,
): ReturnType<typeof choiceOver> {
  // The runner hands on what was given; the options of other methods were refused before.
  const { clusters, seed, maxClusters, budget, outliers, onProgress } = options as ChooseOptions;
  const given = { clusters, seed, maxClusters, budget, outliers, onProgress };
  return choiceOver(X, record, rule.resolveOptions("auto", given, chooseOptions), []);
}

/** The choice as the result of a method. */
export function fittedBy(
  X: Matrix,
  choice: Choice & Pick<Fitted, "belief">,
): Fitted & { readonly trust: Trust } {
  const { labels, clusters, sizes, centers, converged, notes, chosen, candidates, path, trust } = choice;
  const { alternatives, equalWeights } = choice;
  const others = alternatives.map(({ clusters: K }) => plural(K, "group"));
  const facts: Fact[] = [
    ["chosen", clusters === 1 ? "one cluster" : `${makerWords(chosen)}${ofHow(candidates)}`],
    ...(others.length === 0 ? [] : [["also plausible", others.join(" or ")] as Fact]),
    ...(equalWeights === undefined ? [] : [equalText(equalWeights)]),
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
        ? placingRule(X, labels, clusters, { kind: "centers", centers })
        : { ...choice.rule, agreement: 1, means: storeMatrix(centers) },
    facts,
    details: choiceDetails(choice),
    drawing: {},
    trust,
    ...(choice.belief !== undefined && { belief: choice.belief }),
  };
}

/** What the model tells of the choice. */
export interface ChoiceDetails extends Pick<Choice, "chosen" | "path" | "perCluster" | "form"> {
  readonly candidates: readonly Omit<JudgedCandidate, "labels">[];
  readonly alternatives: readonly (Omit<Alternative, "labels"> & {
    readonly labels: readonly number[];
  })[];
  readonly outlierRows: readonly number[];
}

function choiceDetails({ chosen, candidates, path, alternatives, ...choice }: Choice): ChoiceDetails {
  return {
    chosen,
    candidates: candidates.map(withoutLabels),
    path,
    alternatives: alternatives.map(({ labels: own, ...other }) => ({ ...other, labels: Array.from(own) })),
    perCluster: choice.perCluster,
    outlierRows: Array.from(choice.outlierRows),
    form: choice.form,
  };
}

function equalText({ clusters, agreement }: EqualWeights): Fact {
  return [
    "equal weights",
    `${clusters} groups, which agree with these by ${agreement.toFixed(2)}: the answer depends on the weights of the columns`,
  ];
}

const SPACES: Readonly<Record<Maker["space"], string>> = {
  z: "equal columns",
  power: "columns made nearly normal",
  related: "related columns counting more",
  numbers: "the numbers alone",
  factors: "factors of the columns",
  own: "",
  kinds: "numbers and levels",
};

/** "ward on factors of the columns". */
function makerWords({ method, space }: Maker): string {
  return SPACES[space] === "" ? method : `${method} on ${SPACES[space]}`;
}

function ofHow(candidates: readonly JudgedCandidate[]): string {
  return candidates.length < 2
    ? "; every method that was tried gave this partition"
    : `, best of ${candidates.length} groupings`;
}

/** "2: .61, 3: .78 (taken), 4: .70": the largest support of a partition into K. */
function pathText(path: Choice["path"], taken: number): string {
  const near = path.filter(({ clusters }) => Math.abs(clusters - taken) <= 3 || clusters <= 4);
  const told = near.map(
    ({ clusters, support }) => `${clusters}: ${support.toFixed(2)}${clusters === taken ? " (taken)" : ""}`,
  );
  return `${told.join(", ")}${taken === 1 ? "; 1 taken" : ""} (support: expected agreement and own evidence)`;
}

function withoutLabels(candidate: JudgedCandidate): Omit<JudgedCandidate, "labels"> {
  const { labels: _, ...judged } = candidate;
  return judged;
}
