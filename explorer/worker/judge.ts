import { askQuestions, type AskedPair, type Reply } from "kindred/hints";
import type { Hints } from "kindred/data";
import type { Judged, JudgeQuestion } from "../protocol.ts";
import { hintsOf } from "../app/hints/hintsOf.ts";
import { numberRows, rowsKey } from "./rows.ts";

/** A round of questions continues while each request adds the answer to the last question. */
interface Round {
  readonly key: string;
  readonly questions: Generator<AskedPair, Hints, Reply>;
  asked: AskedPair | undefined;
  answers: string;
}

let round: Round | undefined;

/** The most informative pair of rows; nothing if there is none left. */
export function judge(asked: JudgeQuestion): Judged | undefined {
  const key = `${rowsKey(asked)} ${asked.clusters ?? ""}`;
  const reply = round?.key === key ? replyIn(round, asked) : undefined;
  if (round !== undefined && reply !== undefined) {
    round.asked = questionOf(round.questions.next(reply));
    round.answers = answersOf(asked);
  } else if (round?.key !== key || round.answers !== answersOf(asked)) {
    const { X } = numberRows(asked);
    const questions = askQuestions(X, {
      ...(asked.clusters !== undefined && { clusters: asked.clusters }),
      hints: { ...hintsOf(asked), skipped: asked.skipped },
      ...(asked.free !== undefined && { library: [{ name: "default", labels: asked.free }] }),
      seed: asked.seed,
      scale: "none",
    });
    round = { key, questions, asked: questionOf(questions.next()), answers: answersOf(asked) };
  }
  const question = round.asked;
  if (question === undefined) return undefined;
  const { a, b, why, enough, open } = question;
  return { pair: [a, b], why, enough, open };
}

function questionOf({ done, value }: IteratorResult<AskedPair, Hints>): AskedPair | undefined {
  return done === true ? undefined : value;
}

/** The answer to the question of a round, if it is the only news. */
function replyIn({ asked: question, answers }: Round, now: JudgeQuestion): Reply | undefined {
  if (question === undefined) return undefined;
  const replies: readonly (readonly [Reply, "same" | "different" | "skipped"])[] = [
    ["same", "same"],
    ["different", "different"],
    ["skip", "skipped"],
  ];
  for (const [reply, field] of replies) {
    const pairs = now[field];
    const last = pairs.at(-1);
    if (last === undefined || last[0] !== question.a || last[1] !== question.b) continue;
    if (answersOf({ ...now, [field]: pairs.slice(0, -1) }) === answers) return reply;
  }
  return undefined;
}

function answersOf({ same, different, statements, skipped }: JudgeQuestion): string {
  return JSON.stringify([same, different, statements, skipped]);
}
