import type { Note } from "../../core/index.ts";
import { form, literalOf, note, sizesOf, spelled } from "../../core/internal.ts";
import { isSparse } from "../../matrix/index.ts";
import { profilesOf } from "../../model/index.ts";
import { trustForm } from "../../method/internal.ts";
import { noteForm, trustWords, typicalRows } from "../../model/internal.ts";
import type { CallOptions, MethodName } from "../callOptions.ts";
import { type ClusterOptions, spreadLabels } from "../cluster.ts";
import { COLUMN_OPTIONS, describedTable, type Prepared } from "../input/prepare.ts";
import { classesOf } from "../report.ts";
import { againstClasses, classScoresForm } from "./againstClasses.ts";
import type { CompareOptions } from "./compare.ts";
import type { FitAnswer } from "./compareTasks.ts";
import { disagreement, disagreementForm } from "./disagreement.ts";
import { agreementOf, type Fit, isDefault, type MethodChoice, nameOf } from "./methodChoices.ts";

const count = form.whole({ min: 0 });
const labelsForm = form.asStored(form.wholes(undefined, { min: -1 }));

/** How to reproduce a partition. */
const useForm = form.record({
  /** Of `cluster(table, options)`. */
  options: form.free<CallOptions<MethodName>>(),
  /** That call as text. */
  call: form.text(),
  /** False: it was stopped early, and the call would continue to the end. */
  exact: form.boolean(),
});

/** A method, with the options that are not its defaults. */
const named = {
  /** "cc --neighbors 10" */
  name: form.text(),
  method: form.text(),
  options: form.free<Readonly<Record<string, unknown>>>(),
};

const comparedMethodForm = form.record({
  ...named,
  labels: labelsForm,
  clusters: count,
  converged: form.boolean(),
  warnings: form.list(form.text()),
  seconds: form.number({ min: 0 }),
  expected: form.nullable(form.number()),
  scores: form.optional(classScoresForm),
});

const partitionForm = form.record({
  /** The call that gives exactly this partition. */
  use: useForm,
  clusters: count,
  sizes: form.asStored(form.wholes(undefined, { min: 0 })),
  /** One per row of the table, -1 for a row in no cluster; from the first method. */
  labels: labelsForm,
  /** The labels are those of the first one. */
  methods: form.list(comparedMethodForm),
  /** The adjusted Rand index to be expected with the truth, by the belief of the default; null for one cluster. */
  expected: form.nullable(form.number()),
  /** Adjusted Rand index with the recommended partition. */
  agreement: form.number(),
  /** Mean adjusted Rand index with the clusters of resamples; absent if not requested or not finished. */
  stability: form.optional(form.number()),
  /** Against the known classes. */
  scores: form.optional(classScoresForm),
  /** From the recommended partition; null for that one itself. */
  differs: form.nullable(disagreementForm),
});

/** Partition 0: the default result of `cluster`. */
const recommendationForm = form.record({
  /** False: the default's own choice was not finished, and this is the best available. */
  complete: form.boolean(),
  trust: form.nullable(trustForm),
  /** Its clusters, in the columns of the table. */
  profiles: form.list(
    form.record({ cluster: count, name: form.text(), rows: count, share: form.number(), words: form.text() }),
  ),
  /** One or two sentences. */
  words: form.text(),
});

const failedForm = form.record({
  ...named,
  /** "error": it refused the rows; "time" and "stopped": not finished by then; "memory": left out. */
  why: form.choice("error", "time", "stopped", "memory"),
  message: form.text(),
});

/**
 * The partitions of several methods on one table. Plain data: it passes through `structuredClone` and
 * `JSON.stringify`.
 */
const comparisonForm = form.record({
  source: form.text(),
  rows: count,
  /** Number of numeric columns for the methods. */
  features: count,
  /** The requested number; `found`: it came from the default. */
  clusters: count,
  found: form.boolean(),
  /** The column of known classes, which no method saw. */
  label: form.nullable(form.text()),
  /** Distinct ones, the recommended first; methods with (nearly) the same partition are together. */
  partitions: form.list(partitionForm),
  /** Adjusted Rand index of every two of the partitions. */
  agreement: form.list(form.asStored(form.numbers())),
  recommendation: recommendationForm,
  /** Methods without a partition. */
  failed: form.list(failedForm),
  notes: form.list(noteForm),
  /** For everything, starting from the prepared rows. */
  seconds: form.number({ min: 0 }),
  /** The run was stopped: the finished methods are compared. */
  stopped: form.boolean(),
});

export interface Comparison extends form.StoredOf<typeof comparisonForm> {}
export interface ComparedPartition extends form.StoredOf<typeof partitionForm> {}
export interface ComparedMethod extends form.StoredOf<typeof comparedMethodForm> {}
export interface Recommendation extends form.StoredOf<typeof recommendationForm> {}
export interface FailedMethod extends form.StoredOf<typeof failedForm> {}
export interface Use extends form.StoredOf<typeof useForm> {}

/** On the command line a partition also has the command that gives it. */
export function commandedForm(): form.RecordForm<object> {
  const use = form.record({ ...useForm.fields, command: form.text() });
  return form.record({
    ...comparisonForm.fields,
    partitions: form.list(form.record({ ...partitionForm.fields, use })),
  });
}

interface Finished {
  readonly prepared: Prepared;
  readonly options: CompareOptions;
  readonly groups: readonly [Fit, ...Fit[]][];
  readonly stabilities: ReadonlyMap<Fit, number>;
  readonly failed: readonly FailedMethod[];
  readonly clusters: number;
  readonly start: number;
  readonly stopped: boolean;
}

/** What a comparison tells about its fits. */
export function comparisonOf(all: Finished): Comparison {
  const { prepared, options, groups, stabilities, failed, clusters, start, stopped } = all;
  const { table, X } = prepared;
  // The known classes are used here, after everything else, and nowhere else.
  const classes = options.label === undefined ? undefined : classesOf(table, options.label);
  const spread = (labels: Int32Array): Int32Array =>
    prepared.rows === undefined ? labels : spreadLabels(labels, prepared.rows, table.rows);
  const [[best]] = groups;
  const recommended = spread(best.answer.labels);
  const shown = describedTable(prepared);
  const count = best.answer.clusters;
  const typical = isSparse(X)
    ? []
    : typicalRows(X, best.answer.labels, count).map((rows) => rows.map((row) => prepared.rows?.[row] ?? row));
  const profiles = profilesOf(shown, recommended, count, [], typical);
  const agreement = groups.map(([a]) => groups.map(([b]) => (a === b ? 1 : agreementOf(a, b))));
  const partitions = groups.map((group, g): ComparedPartition => {
    const [{ answer, judgement, choice }] = group;
    const methods = group.map((fit) => comparedMethod(fit, spread, classes));
    const [{ labels }] = methods;
    const stability = stabilities.get(group[0]);
    return {
      use: useOf(choice, answer, options, clusters),
      clusters: answer.clusters,
      sizes: Array.from(sizesOf(labels, answer.clusters)),
      labels,
      methods,
      ...judgement,
      agreement: agreement[0][g],
      ...(stability !== undefined && { stability }),
      ...(classes !== undefined && { scores: againstClasses(labels, classes) }),
      differs: g === 0 ? null : disagreement(shown, recommended, labels),
    };
  });
  return {
    source: table.source,
    rows: table.rows,
    features: X.cols,
    clusters,
    found: options.clusters === undefined,
    label: classes === undefined ? null : options.label!,
    partitions,
    agreement,
    recommendation: recommendationOf(
      groups,
      profiles.map(({ cluster, name, rows, share, words }) => ({ cluster, name, rows, share, words })),
    ),
    failed,
    notes: notesOf(prepared, options, best, clusters),
    seconds: (performance.now() - start) / 1000,
    stopped,
  };
}

function notesOf({ table, notes }: Prepared, options: CompareOptions, best: Fit, clusters: number): Note[] {
  const { clusters: asked, spell = (name: string): string => `option "${name}"` } = options;
  const found =
    asked !== undefined
      ? []
      : isDefault(best.choice) && best.answer.trust?.word === "none"
        ? [
            note(
              "no-clusters",
              `No groups are needed. The default's partition, and those of the other methods into ${clusters}, show how the rows would split.`,
            ),
          ]
        : [
            note(
              "clusters-found",
              isDefault(best.choice)
                ? `The default finds ${clusters} clusters, and the other methods looked for the same number (${spell("clusters")} sets another).`
                : `The number of clusters was not given, and the default did not finish: the methods looked for ${clusters}.`,
              { option: "clusters" },
            ),
          ];
  return [
    ...table.notes,
    ...notes,
    ...best.answer.warnings.map((text) => note("method", text)),
    ...found,
  ].map((one) => ({ ...one, message: spelled(one.message, spell) }));
}

function comparedMethod(
  { choice, answer, judgement }: Fit,
  spread: (labels: Int32Array) => Int32Array,
  classes: readonly string[] | undefined,
): ComparedMethod {
  const labels = Array.from(spread(answer.labels));
  return {
    name: nameOf(choice),
    ...choice,
    labels,
    clusters: answer.clusters,
    converged: answer.converged,
    warnings: answer.warnings,
    seconds: answer.seconds,
    ...judgement,
    ...(classes !== undefined && { scores: againstClasses(labels, classes) }),
  };
}

function recommendationOf(
  groups: readonly [Fit, ...Fit[]][],
  profiles: Recommendation["profiles"],
): Recommendation {
  const [[best, ...same]] = groups;
  const { answer, choice, judgement } = best;
  const trust = answer.trust ?? null;
  const complete = isDefault(choice) && !answer.stopped;
  const by = answer.facts.find(([name]) => name === "chosen")?.[1];
  const count = answer.clusters === 1 ? "no clusters" : `${answer.clusters} clusters`;
  const how = isDefault(choice)
    ? `${count}, the choice of the default${by === undefined ? "" : ` (${by})`}`
    : `${count}, by ${nameOf(choice)}${judgement.expected === null ? "" : ", with the largest expected agreement"}`;
  const others = same.map((fit) => nameOf(fit.choice));
  const sentences = [
    how,
    ...(others.length === 0 ? [] : [`${listed(others)} ${others.length === 1 ? "gives" : "give"} the same`]),
    ...(complete
      ? []
      : [
          isDefault(choice)
            ? "The time was over before everything was tried"
            : "The choice of the default did not finish",
        ]),
    ...(trust === null ? [] : [`Trust: ${trustWords(trust)}`]),
  ];
  return { complete, trust, profiles, words: `${sentences.join(". ")}.` };
}

function useOf(choice: MethodChoice, answer: FitAnswer, options: CompareOptions, clusters: number): Use {
  const asked = isDefault(choice)
    ? among(options, ["clusters"])
    : { method: choice.method, clusters, ...choice.options };
  const all: ClusterOptions = { ...asked, ...among(options, ["seed", ...COLUMN_OPTIONS]) };
  return {
    options: all as CallOptions<MethodName>,
    call: `await cluster(table${Object.keys(all).length === 0 ? "" : `, ${literalOf(all)}`})`,
    exact: !answer.stopped,
  };
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** The given ones among these options. */
export function among(options: CompareOptions, names: readonly (keyof CompareOptions)[]): ClusterOptions {
  return Object.fromEntries(
    names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}
