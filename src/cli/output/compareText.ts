import type { ComparedMethod, ComparedPartition, Comparison } from "../../run/index.ts";
import { plural } from "../../core/internal.ts";
import { duration } from "./clusterText.ts";
import { columns, noteLines, strong, wrapped } from "./terminal.ts";

/** Maximum number of listed sizes and partitions; JSON has all. */
const SHOWN_SIZES = 8;
const SHOWN_IN_MATRIX = 15;
const SHOWN_CHANGES = 2;
/** Without --verbose. */
const FEW_DIFFERENT = 5;

/** The comparison as text: distinct partitions, their differences, missing methods, the recommendation. */
export function compareText(comparison: Comparison, command: string, verbose: boolean): string {
  const { source, rows, features, clusters, found, partitions, recommendation, failed, notes } = comparison;
  const scored = partitions.some(({ scores }) => scores !== undefined);
  const stable = partitions.some(({ stability }) => stability !== undefined);
  const number = partitions[0].clusters === 1 ? "no clusters" : plural(partitions[0].clusters, "cluster");
  const judged = partitions.some(({ expected }) => expected !== null);
  const shown = { scored, stable, judged, verbose };
  const methods = partitions.reduce((sum, one) => sum + one.methods.length, 0);
  const heads = ["#", ...headsOf(shown), "methods"];
  const table = partitions.map((one, p) => [
    String(p + 1),
    ...partitionCells(one, shown),
    one.methods.map(methodName).join(", "),
  ]);
  return [
    strong(
      `${plural(partitions.length, "answer")} from ${plural(methods, "method")} for ${source} (${rows} rows x ${features} features)`,
    ),
    ...wrapped(`Answer 1: ${recommendation.words}`),
    "",
    ...columns([heads, ...table]),
    "",
    ...legend(shown, comparison.label),
    "",
    `The clusters of 1 (${found ? `${number} found` : `${plural(clusters, "cluster")} asked for`})`,
    ...columns(
      recommendation.profiles.map(({ cluster, name, words, rows: size }) => [
        String(cluster),
        verbose ? `${name}: ${words}` : `${name} (${plural(size, "row")})`,
      ]),
    ),
    ...(partitions.length < 2
      ? []
      : ["", "Where the others differ from 1", ...differences(comparison, verbose)]),
    ...(partitions.length < 3 || !verbose
      ? []
      : ["", "Agreement of the partitions (adjusted Rand index)", ...agreementTable(comparison)]),
    ...(failed.length === 0
      ? []
      : [
          "",
          "Not compared",
          ...columns([["method", "why"], ...failed.map(({ name, message }) => [name, message])]),
        ]),
    ...(notes.length === 0 ? [] : ["", ...noteLines(notes).flatMap(({ text }) => wrapped(text))]),
    "",
    `Use 1: ${command}${partitions[0].use.exact ? "" : " (completes the choice, which was stopped here)"}`,
    ...(partitions.length < 2
      ? []
      : wrapped(
          `For another answer add --clusters ${clusters} --method NAME, with the first name of its line.`,
        )),
    `(${duration(comparison.seconds)}${verbose ? "" : "; --verbose shows sizes, times, all scores and differences"})`,
    "",
  ].join("\n");
}

/** Which columns there are. */
interface Shown {
  readonly scored: boolean;
  readonly stable: boolean;
  readonly judged: boolean;
  readonly verbose: boolean;
}

function headsOf({ scored, stable, judged, verbose }: Shown): string[] {
  return [
    "clusters",
    ...(verbose ? ["sizes"] : []),
    ...(judged ? ["expected"] : []),
    "like 1",
    ...(stable ? ["stable"] : []),
    ...(verbose ? ["seconds"] : []),
    ...(scored ? ["ARI"] : []),
    ...(scored && verbose ? ["NMI", "accuracy"] : []),
  ];
}

/** The numbers of a partition as text, in the order of the heads. */
function partitionCells(
  { clusters, sizes, expected, agreement, stability, scores, methods }: ComparedPartition,
  { scored, stable, judged, verbose }: Shown,
): string[] {
  const sorted = sizes.toSorted((a, b) => b - a);
  const shown = sorted.slice(0, SHOWN_SIZES).join(" ");
  return [
    String(clusters),
    ...(verbose ? [sorted.length > SHOWN_SIZES ? `${shown} ...` : shown] : []),
    ...(judged ? [two(expected)] : []),
    two(agreement),
    ...(stable ? [two(stability)] : []),
    ...(verbose ? [methods[0].seconds.toFixed(2)] : []),
    ...(scored ? [two(scores?.adjustedRand)] : []),
    ...(scored && verbose ? [two(scores?.nmi), two(scores?.accuracy)] : []),
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
function legend({ scored, stable, judged, verbose }: Shown, label: string | null): string[] {
  const lines = [
    ["Agreement (adjusted Rand index)", "1 is equal, 0 is chance"],
    ...(judged ? [["expected", "with the true groups, as far as the data tell"]] : []),
    ["like 1", "with answer 1"],
    ...(stable ? [["stable", "with the clusters of 80 % of the rows"]] : []),
    ...(scored ? [[`ARI${verbose ? ", NMI, accuracy" : ""}`, `with ${label}, which no method saw`]] : []),
  ];
  return lines.flatMap(([name, words]) => wrapped(`${name}: ${words}`));
}

function differences({ partitions, rows }: Comparison, verbose: boolean): string[] {
  const lines = partitions.flatMap(({ differs }, p) => {
    if (differs === null) return [];
    const told = differs.changes.slice(0, verbose ? SHOWN_CHANGES : 1);
    const left = differs.rows - told.reduce((sum, change) => sum + change.rows, 0);
    const parts = [...told.map(({ words }) => words), ...(left > 0 ? [`${left} more`] : [])];
    return [[String(p + 1), `in ${differs.rows} of ${rows} rows: ${parts.join("; ")}`]];
  });
  const shown = verbose ? lines.length : FEW_DIFFERENT;
  const left = lines.length - shown;
  return [...columns(lines.slice(0, shown)), ...(left > 0 ? [`and ${left} more (--verbose)`] : [])];
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
