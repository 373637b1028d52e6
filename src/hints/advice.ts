import { random } from "../core/index.ts";
import type { Arranged } from "./arrange.ts";
import type { Fit } from "./decide.ts";
import { openShare } from "./doubt.ts";
import { heaviest, spreadOut } from "./posterior.ts";
import { tellingPair } from "./questions/tellingPair.ts";

export interface Advice {
  /** Share of the rows whose cluster is undecided. */
  readonly open: number;
  /** The most informative pairs of rows, each with the share of the doubt that its answer is expected to remove. */
  readonly questions: readonly { readonly a: number; readonly b: number; readonly gain: number }[];
  readonly message: string;
}

const ADVISED = 5;
/** Members that are heard on what to ask. */
const HEARD = 40;

export function advise(
  { members, labels, known }: Fit,
  rows: Arranged,
  { seed, nameOf }: { readonly seed: number; readonly nameOf: (row: number) => string },
): Advice {
  if (known.rows < 2) return { open: 0, questions: [], message: "there is nothing to ask" };
  const heard = heaviest(members, HEARD);
  const open = openShare(labels, heard);
  const questions: { a: number; b: number; gain: number }[] = [];
  const asked = new Set<number>();
  const isNew = (a: number, b: number): boolean => !asked.has(a) && !asked.has(b);
  for (let q = 0; q < ADVISED; q++) {
    const next = tellingPair(spreadOut(heard), known, isNew, random(seed + 31 * (q + 1)));
    if (next === undefined) break;
    asked.add(next.a).add(next.b);
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
