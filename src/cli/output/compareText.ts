import type { ComparedMethod, ComparedPartition, Comparison } from "../../run/index.ts";
import { columns } from "./terminal.ts";
import { plural } from "../../core/internal.ts";
import { duration } from "./clusterText.ts";
import { noteLines } from "./terminal.ts";

/** Maximum number of listed sizes and partitions; JSON has all. */
const SHOWN_SIZES = 8;
const SHOWN_IN_MATRIX = 15;
const SHOWN_CHANGES = 2;

/** The comparison as text: distinct partitions, their differences, missing methods, the recommendation. */
export function compareText(comparison: Comparison, command: string): string {
  const { source, rows, features, clusters, found, partitions, recommendation, failed, notes } = comparison;
  const scored = partitions.some(({ scores }) => scores !== undefined);
  const stable = partitions.some(({ stability }) => stability !== undefined);
  const number = partitions[0].clusters === 1 ? "no clusters" : plural(partitions[0].clusters, "cluster");
  const judged = partitions.some(({ expected }) => expected !== null);
  const shown = { scored, stable, judged };
  const heads = ["#", ...headsOf(shown), "methods"];
  const table = partitions.map((one, p) => [
    String(p + 1),
    ...partitionCells(one, shown),
    one.methods.map(methodName).join(", "),
  ]);
  return [
    `${source}, ${rows} rows x ${features} features, ${found ? `${number} found` : `${plural(clusters, "cluster")} asked for`}`,
    "",
    ...columns([heads, ...table]),
    "",
    ...legend(shown, comparison.label),
    "",
    "The clusters of 1",
    ...recommendation.profiles.map(({ cluster, name, words }) => `${cluster}  ${name}: ${words}`),
    ...(partitions.length < 2 ? [] : ["", "Where the others differ from 1", ...differences(comparison)]),
    ...(partitions.length < 3
      ? []
      : ["", "Agreement of the partitions (adjusted Rand index)", ...agreementTable(comparison)]),
    ...(failed.length === 0
      ? []
      : [
          "",
          "Not compared",
          ...columns([["method", "why"], ...failed.map(({ name, message }) => [name, message])]),
        ]),
    ...(notes.length === 0 ? [] : ["", ...noteLines(notes).map(({ text }) => text)]),
    "",
    recommendation.words,
    `Use 1: ${command}${partitions[0].use.exact ? "" : " (completes the choice, which was stopped here)"}`,
    ...(partitions.length < 2
      ? []
      : [`For another one add --clusters ${clusters} --method NAME, with the first name of its line.`]),
    `time   ${duration(comparison.seconds)}`,
    "",
  ].join("\n");
}

/** Which columns there are. */
interface Shown {
  readonly scored: boolean;
  readonly stable: boolean;
  readonly judged: boolean;
}

function headsOf({ scored, stable, judged }: Shown): string[] {
  return [
    "clusters",
    "sizes",
    ...(judged ? ["expected"] : []),
    "agrees",
    ...(stable ? ["stability"] : []),
    "seconds",
    ...(scored ? ["ARI", "NMI", "accuracy"] : []),
  ];
}

/** The numbers of a partition as text, in the order of the heads. */
function partitionCells(
  { clusters, sizes, expected, agreement, stability, scores, methods }: ComparedPartition,
  { scored, stable, judged }: Shown,
): string[] {
  const sorted = sizes.toSorted((a, b) => b - a);
  const shown = sorted.slice(0, SHOWN_SIZES).join(" ");
  return [
    String(clusters),
    sorted.length > SHOWN_SIZES ? `${shown} ...` : shown,
    ...(judged ? [two(expected)] : []),
    two(agreement),
    ...(stable ? [two(stability)] : []),
    methods[0].seconds.toFixed(2),
    ...(scored ? [two(scores?.adjustedRand), two(scores?.nmi), two(scores?.accuracy)] : []),
  ];
}

/** No "-0.00". */
function two(value: number | null | undefined): string {
  if (value === null || value === undefined) return "";
  return (Math.abs(value) < 0.005 ? 0 : value).toFixed(2);
}

function methodName({ name, converged }: ComparedMethod): string {
  return converged ? name : `${name} (not converged)`;
}

/** The meaning of the number columns. */
function legend({ scored, stable, judged }: Shown, label: string | null): string[] {
  return [
    ...(judged
      ? ["expected: adjusted Rand index to be expected with the true groups, by all plausible partitions"]
      : []),
    "agrees: adjusted Rand index with 1",
    ...(stable ? ["stability: adjusted Rand index with the clusters of resamples (80 % of the rows)"] : []),
    ...(scored ? [`ARI, NMI and accuracy: against ${label}, which no method saw`] : []),
  ];
}

function differences({ partitions, rows }: Comparison): string[] {
  const width = String(partitions.length).length;
  return partitions.flatMap(({ differs }, p) => {
    if (differs === null) return [];
    const number = String(p + 1).padStart(width);
    const told = differs.changes.slice(0, SHOWN_CHANGES);
    const left = differs.rows - told.reduce((sum, change) => sum + change.rows, 0);
    const parts = [...told.map(({ words }) => words), ...(left > 0 ? [`${left} more`] : [])];
    return [`${number}  in ${differs.rows} of ${rows} rows: ${parts.join("; ")}`];
  });
}

function agreementTable({ agreement }: Comparison): string[] {
  const shown = agreement.slice(0, SHOWN_IN_MATRIX);
  const heads = ["", ...shown.map((_, p) => String(p + 1))];
  const lines = shown.map((row, p) => [String(p + 1), ...row.slice(0, shown.length).map(two)]);
  return [
    ...columns([heads, ...lines]),
    ...(agreement.length > shown.length
      ? [`and ${agreement.length - shown.length} more (--json has all)`]
      : []),
  ];
}
