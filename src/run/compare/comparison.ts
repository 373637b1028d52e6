import type { Note } from "../../core/index.ts";
import { type Profile, profilesOf, textsOf, type Trust } from "../../model/index.ts";
import { againstClasses, type ClassScores } from "./againstClasses.ts";
import type { CallOptions, MethodName } from "../callOptions.ts";
import { type ClusterOptions, spreadLabels } from "../cluster.ts";
import { disagreement, type Disagreement } from "./disagreement.ts";
import { note, spelled } from "../../core/internal.ts";
import type { Table } from "../../data/index.ts";
import { isSparse } from "../../matrix/index.ts";
import { trustWords, typicalRows } from "../../model/internal.ts";
import { COLUMN_OPTIONS, describedTable, type Prepared } from "../input/prepare.ts";
import { type CompareOptions, given } from "./compare.ts";
import type { FitAnswer } from "./compareTasks.ts";
import { isDefault, type MethodChoice, nameOf } from "./methodChoices.ts";
import { agreementOf, type Fit } from "./rankedFits.ts";

/**
 * The partitions of several methods on one table. Plain data: it passes through `structuredClone` and
 * `JSON.stringify`.
 */
export interface Comparison {
  readonly source: string;
  readonly rows: number;
  /** Number of numeric columns for the methods. */
  readonly features: number;
  /** The requested number; `found`: it came from the default. */
  readonly clusters: number;
  readonly found: boolean;
  /** The column of known classes, which no method saw. */
  readonly label: string | null;
  /** Distinct ones, the recommended first; methods with (nearly) the same partition are together. */
  readonly partitions: readonly ComparedPartition[];
  /** Adjusted Rand index of every two of the partitions. */
  readonly agreement: readonly (readonly number[])[];
  readonly recommendation: Recommendation;
  /** Methods without a partition. */
  readonly failed: readonly FailedMethod[];
  readonly notes: readonly Note[];
  /** For everything, starting from the prepared rows. */
  readonly seconds: number;
  /** The run was stopped: the finished methods are compared. */
  readonly stopped: boolean;
}

/** Partition 0: the default result of `cluster`. */
export interface Recommendation {
  /** False: the default's own choice was not finished, and this is the best available. */
  readonly complete: boolean;
  readonly trust: Trust | null;
  /** Its clusters, in the columns of the table. */
  readonly profiles: readonly Pick<Profile, "cluster" | "name" | "rows" | "share" | "words">[];
  /** One or two sentences. */
  readonly words: string;
}

export interface ComparedPartition {
  /** The call that gives exactly this partition. */
  readonly use: Use;
  readonly clusters: number;
  readonly sizes: readonly number[];
  /** One per row of the table, -1 for a row in no cluster; from the first method. */
  readonly labels: readonly number[];
  /** The labels are those of the first one. */
  readonly methods: readonly ComparedMethod[];
  /** The adjusted Rand index to be expected with the truth, by the belief of the default; null for one cluster. */
  readonly expected: number | null;
  /** Adjusted Rand index with the recommended partition. */
  readonly agreement: number;
  /** Mean adjusted Rand index with the clusters of resamples; absent if not requested or not finished. */
  readonly stability?: number;
  /** Against the known classes. */
  readonly scores?: ClassScores;
  /** From the recommended partition; null for that one itself. */
  readonly differs: Disagreement | null;
}

export interface ComparedMethod {
  /** "cc --neighbors 10": the method, with the options that are not its defaults. */
  readonly name: string;
  readonly method: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly labels: readonly number[];
  readonly clusters: number;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly seconds: number;
  readonly expected: number | null;
  readonly scores?: ClassScores;
}

/** How to reproduce a partition. */
export interface Use {
  /** Of `cluster(table, options)`. */
  readonly options: CallOptions<MethodName>;
  /** That call as text. */
  readonly call: string;
  /** False: it was stopped early, and the call would continue to the end. */
  readonly exact: boolean;
}

export interface FailedMethod {
  readonly name: string;
  readonly method: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** "error": it refused the rows; "time" and "stopped": not finished by then; "memory": left out. */
  readonly why: "error" | "time" | "stopped" | "memory";
  readonly message: string;
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
  const classes = classesOf(table, options.label);
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
      sizes: sizesOf(labels, answer.clusters),
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
    ? given(options, ["clusters"])
    : { method: choice.method, clusters, ...choice.options };
  const all: ClusterOptions = { ...asked, ...given(options, ["seed", ...COLUMN_OPTIONS]) };
  return {
    options: all as CallOptions<MethodName>,
    call: `await cluster(table${Object.keys(all).length === 0 ? "" : `, ${literal(all)}`})`,
    exact: !answer.stopped,
  };
}

/** { method: "kmeans", clusters: 3 } */
function literal(options: object): string {
  const parts = Object.entries(options).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `{ ${parts.join(", ")} }`;
}

/** The known classes are used here, after everything else, and nowhere else. */
function classesOf(table: Table, label: string | undefined): readonly string[] | undefined {
  const column = label === undefined ? undefined : table.columns.find(({ name }) => name === label);
  return column === undefined ? undefined : textsOf(column);
}

function sizesOf(labels: readonly number[], clusters: number): number[] {
  const sizes = Array.from({ length: clusters }, () => 0);
  for (const label of labels) if (label >= 0) sizes[label]++;
  return sizes;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
