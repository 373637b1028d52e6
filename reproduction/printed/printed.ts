import { random } from "kindred";
import { bregmanKmeans } from "kindred/cluster";
import { cc, ccml, ccscml } from "kindred/convex";
import { samplePairs } from "kindred/data";
import { takeRows } from "kindred/matrix";
import { bregman } from "kindred/metric";
import { rand } from "kindred/score";
import { judged } from "../bregman/bregmanRun.ts";
import { type BregmanSet, DATA as PAIR_DATA, PUBLISHED as PAIR_TABLE } from "../bregman/bregmanTables.ts";
import { denseSet } from "../bregman/bregmanTask.ts";
import { fisherShares } from "../convex/convexPictures.ts";
import { DATA, PUBLISHED, STATED } from "../convex/convexTables.ts";
import { endingOf, endText, type FailedTask, type Finished } from "../ending.ts";
import { classedSet, knownSets, where } from "../knownSets.ts";
import { spread } from "../learners.ts";
import { exactly, type Findings, ranked, type Table } from "../page.ts";

/** One algorithm of the texts on a set of its text, as repaired and as printed. */
export interface PrintedTask {
  readonly kind: "printed";
  readonly method: keyof typeof METHODS;
  readonly set: string;
  readonly draw: number;
  readonly folder?: string;
}

const METHODS = {
  ccml: { title: "CCML", sets: ["seeds", "wine"], draws: 1 },
  ccscml: { title: "CCSCML", sets: ["seeds", "wine"], draws: 1 },
  bregman: { title: "Bk-means", sets: ["breast", "diabetes", "ionosphere", "liver", "sonar"], draws: 3 },
} as const;
const VARIANTS = ["repaired", "printed"] as const;
type ConvexSet = (typeof METHODS.ccml.sets)[number];
type Result = Awaited<ReturnType<typeof runPrinted>>;

export function dataOf({ method, set }: Pick<PrintedTask, "method" | "set">): string {
  return method === "bregman" ? PAIR_DATA[set as BregmanSet] : DATA[set as ConvexSet].data;
}

/** The score of both forms in percent, and what the printed one says of itself. */
export async function runPrinted(task: PrintedTask) {
  const run = task.method === "bregman" ? await pairRun(task) : await convexRun(task);
  const found = VARIANTS.map((variant) => run(variant));
  const [repaired, printed] = found.map(({ score }) => score);
  return {
    repaired,
    printed,
    says: found[1].warnings.filter((one) => /printed|log det|null|raise/.test(one)),
  };
}

/** Without a score where the form gives no clusters. */
type Run = (variant: (typeof VARIANTS)[number]) => { score?: number; warnings: readonly string[] };

/** Raw columns, k = n/K and alpha = 1, K clusters that the other rows join; the directions of the text, as printed. */
async function convexRun({ method, set, folder }: PrintedTask): Promise<Run> {
  const { clusters, data } = DATA[set as ConvexSet];
  const { X, truth } = await classedSet(data, folder);
  const options = { clusters, neighbors: Math.floor(X.rows / clusters), alpha: 1 } as const;
  const start = cc(X, options).labels;
  return (variant) => {
    const directions = variant === "printed" ? STATED[set as ConvexSet].directions : undefined;
    const result =
      method === "ccml"
        ? ccml(X, { ...options, variant })
        : ccscml(X, { ...options, start, variant, ...(directions && { directions }) });
    return { score: 100 * rand(result.labels, truth), warnings: result.warnings };
  };
}

/** F1 over all pairs of rows by the distance alone: the protocol of Table 2. */
async function pairRun({ set, draw, folder }: PrintedTask): Promise<Run> {
  const { X, truth, classes } = await denseSet(set as BregmanSet, folder);
  const pairs = samplePairs(truth, { mustLink: 500, cannotLink: 500, seed: draw });
  const initialCenters = takeRows(X, random(draw + 1000).sample(classes, X.rows));
  const apart = truth.map((_, i) => i);
  return (variant) => {
    const distance = bregman(X, { ...pairs, variant });
    const { warnings } = distance;
    // As printed the distance can be 0 everywhere.
    if (distance.weights.length === 0)
      return { warnings: ["printed: the distance is 0 everywhere", ...warnings] };
    const { labels } = bregmanKmeans(X, { distance, clusters: classes, initialCenters });
    return { score: judged(labels, truth, apart).all.f1, warnings };
  };
}

export async function planPrinted(folder: string | undefined) {
  const all = Object.entries(METHODS).flatMap(([method, { sets, draws }]) =>
    sets.flatMap((set) =>
      Array.from({ length: draws }, (_, draw): PrintedTask => {
        return { kind: "printed", method: method as PrintedTask["method"], set, draw, ...where(folder) };
      }),
    ),
  );
  const known = await knownSets([...new Set(all.map(dataOf))], (set) => set, folder);
  const tasks = all.filter((task) => known.sets.includes(dataOf(task)));
  return { tasks, skipped: known.skipped, fisher: await fisherShares(folder) };
}

type Plan = Awaited<ReturnType<typeof planPrinted>>;

export function reportPrinted(plan: Plan, done: Finished<PrintedTask, Result>[], failed: FailedTask[]) {
  const rows = Object.entries(METHODS).flatMap(([method, { title, sets }]) =>
    sets.flatMap((set) => {
      const results = done.filter(({ task }) => task.method === method && task.set === set);
      if (results.length === 0) return [];
      const [repaired, printed] = VARIANTS.map((variant) =>
        spreadOf(results.flatMap(({ result }) => result[variant] ?? [])),
      );
      const text =
        method === "bregman"
          ? PAIR_TABLE[set as BregmanSet].bkmeans?.[4]
          : PUBLISHED["4.2"].rows[set as ConvexSet]![method as "ccml" | "ccscml"];
      return { name: `${title}, ${set}`, text, repaired, printed, says: results[0].result.says[0] ?? "" };
    }),
  );
  return { rows, fisher: plan.fisher, skipped: plan.skipped, ...endingOf(plan, done, failed) };
}

function spreadOf(scores: readonly number[]) {
  return scores.length === 0 ? undefined : spread(scores);
}

export function printedFindings(report: ReturnType<typeof reportPrinted>): Findings {
  const { rows, fisher } = report;
  const table: Table = {
    name: "printed",
    title:
      "Algorithms repaired and as printed, on data of their texts (CCML, CCSCML: Rand index; Bk-means: F1), in percent",
    digits: 1,
    columns: ["repaired", "as printed", "the printed form says (first draw)"],
    rows: rows.map(({ name, text, repaired, printed, says }) => [
      name,
      { text, ours: repaired },
      { text, ours: printed },
      says,
    ]),
  };
  const eigenvalues: Table = {
    name: "convex fisher",
    title:
      "Figure 4.9, eigenvalues of Fisher's directions as shares of the largest, z-scored, with the ridge of CCSCML",
    digits: 3,
    columns: ["directions in the text", ...Array.from({ length: 7 }, (_, r) => String(r + 1))],
    rows: fisher.map(({ set, title, shares }) => [
      title,
      String(STATED[set].directions),
      ...Array.from(shares.subarray(0, 7), (share) => ({ ours: exactly(share) })),
    ]),
  };
  return {
    title: "The algorithms of the texts, repaired and as printed",
    head: [
      "CCML, CCSCML: raw columns, n/K neighbours, alpha 1, one fit without labels; CCSCML from CC. As printed it has the text's",
      "number of directions. Bk-means: z-scores, 500 + 500 pairs, 3 draws, by its distance alone.",
    ],
    tables: [table, eigenvalues],
    claims: ranked({
      claim: "the repaired form is more accurate than the printed one",
      tables: [table],
      own: "repaired",
      others: ["as printed"],
      better: "larger",
    }),
    end: endText(report),
  };
}
