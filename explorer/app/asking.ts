import type { QuestionKind, Questions } from "../protocol.ts";
import { createClient, Withdrawn, type Asking } from "./client.ts";
import { announcement, methods, problem, work, type Problem } from "./known.ts";

/** A worker that takes the place of another knows no other methods. */
const client = createClient((list) => {
  if (methods.value.length === 0) methods.value = list;
});

/** Asks in the background: nothing on the page tells of it. */
export function ask<K extends QuestionKind>(kind: K, asked: Questions[K]["asked"]): Asking<K>["answer"] {
  return client.ask(kind, asked).answer;
}

/** Asks, and shows what is under way, with a way to end it. */
export function begin<K extends QuestionKind>(
  label: string,
  kind: K,
  asked: Questions[K]["asked"],
  onCancel: () => void,
): Asking<K> {
  let asking: Asking<K> | undefined;
  const cancel = (): void => {
    asking?.cancel();
    work.value = undefined;
    announcement.value = "Stopped.";
    onCancel();
  };
  work.value = { label, fraction: 0, cancel };
  asking = client.ask(kind, asked, (told) => {
    work.value = { label: `${label}: ${told.label}`, fraction: told.fraction, cancel };
  });
  return asking;
}

/** The answer, or nothing if it was withdrawn or failed; a failure is shown. */
export async function finish<K extends QuestionKind>(
  asking: Asking<K>,
  about: Problem["about"],
): Promise<Questions[K]["answer"] | undefined> {
  try {
    const answer = await asking.answer;
    work.value = undefined;
    return answer;
  } catch (error) {
    if (error instanceof Withdrawn) return undefined;
    work.value = undefined;
    problem.value = { about, text: (error as Error).message };
    announcement.value = (error as Error).message;
    return undefined;
  }
}
