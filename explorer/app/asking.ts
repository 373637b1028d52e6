import { signal } from "@preact/signals";
import type { QuestionKind, Questions } from "../protocol.ts";
import { createClient, Withdrawn, type Asking } from "./client.ts";
import { announcement, methods, problem, underWay, type Problem, type Work } from "./known.ts";

/** A worker that replaces another has no methods loaded. */
const client = createClient((list) => {
  if (methods.value.length === 0) methods.value = list;
});

/** A second worker chooses the rows to judge next, so questions do not wait for a clustering. */
let judging: ReturnType<typeof createClient> | undefined;

export function askJudge(asked: Questions["judge"]["asked"]): Asking<"judge"> {
  judging ??= createClient(() => {});
  return judging.ask("judge", asked);
}

/**
 * A third worker computes the neighbour layout, so clusterings do not wait for it. It is ended when it is
 * done.
 */
let layouts: ReturnType<typeof createClient> | undefined;

export function beginLayout(asked: Questions["layout"]["asked"], onCancel: () => void): Asking<"layout"> {
  layouts ??= createClient(() => {});
  const { rest } = layouts;
  const asking = begin("Laying out rows by their neighbours", "layout", asked, onCancel, layouts);
  asking.answer.then(rest, rest);
  return asking;
}

/** Asks in the background, without any sign on the page. */
export function ask<K extends QuestionKind>(kind: K, asked: Questions[K]["asked"]): Asking<K>["answer"] {
  return client.ask(kind, asked).answer;
}

/** Asks, and shows the request until it is answered, withdrawn or lost, with a button to stop it. */
export function begin<K extends QuestionKind>(
  label: string,
  kind: K,
  asked: Questions[K]["asked"],
  onCancel: () => void,
  by: ReturnType<typeof createClient> = client,
): Asking<K> {
  const cancel = (): void => {
    asking.cancel();
    announcement.value = "Stopped.";
    onCancel();
  };
  const work = signal<Work>({ label, fraction: 0, cancel });
  const asking = by.ask(kind, asked, (told) => {
    work.value = { label: `${label}: ${told.label}`, fraction: told.fraction, cancel };
  });
  const end = (): void => {
    underWay.value = underWay.value.filter((one) => one !== work);
  };
  underWay.value = [...underWay.value, work];
  asking.answer.then(end, end);
  return asking;
}

/** The answer, or nothing if it was withdrawn or failed; a failure is shown. */
export async function finish<K extends QuestionKind>(
  asking: Asking<K>,
  about: Problem["about"],
): Promise<Questions[K]["answer"] | undefined> {
  try {
    return await asking.answer;
  } catch (error) {
    if (error instanceof Withdrawn) return undefined;
    problem.value = { about, text: (error as Error).message };
    announcement.value = (error as Error).message;
    return undefined;
  }
}
