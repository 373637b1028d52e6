import { allScores } from "../score/index.ts";

/** How well clusters agree with known classes. */
export interface ClassScores {
  readonly rand: number;
  readonly adjustedRand: number;
  readonly nmi: number;
  readonly accuracy: number;
  readonly purity: number;
}

export function againstClasses(labels: ArrayLike<number>, classes: readonly string[]): ClassScores {
  const unknown = areSigns(classes) ? "class" : "omit";
  const { rand, adjustedRand, nmi, accuracy, purity } = allScores(labels, classes, { unknown });
  return { rand, adjustedRand, nmi, accuracy, purity };
}

/** Rows without a known class, which no score counts. */
export function unknownClasses(classes: readonly string[]): number {
  const signs = areSigns(classes);
  return classes.filter((name) => name === "" || (name === "-1" && !signs)).length;
}

/** "-1" means unknown, except where the classes are the two signs, as in many LIBSVM files. */
function areSigns(classes: readonly string[]): boolean {
  const signs = new Set(classes.map(Number));
  return signs.size === 2 && signs.has(-1) && signs.has(1);
}
