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
  // "-1" means unknown, except where the classes are the two signs, as in many LIBSVM files.
  const signs = new Set(classes.map(Number));
  const unknown = signs.size === 2 && signs.has(-1) && signs.has(1) ? "class" : "omit";
  const { rand, adjustedRand, nmi, accuracy, purity } = allScores(labels, classes, { unknown });
  return { rand, adjustedRand, nmi, accuracy, purity };
}
